"""A slice of the comparison with the naive game, and all scenarios."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from azi_p2p.rules import ErrorCode
from tests.second_opinion import scenarios
from tests.second_opinion.compare import compare

FOLDER = Path(__file__).parents[2] / "protocol" / "scenarios"
NAMES = sorted(path.name.removesuffix(".expected.json") for path in FOLDER.glob("*.expected.json"))

# Files that make no sense are refused by the reader, before any game.
ABOUT_FILES = {
    "chips-out-of-range",
    "duplicate-card",
    "duplicate-upcard",
    "hand-of-the-wrong-size",
    "out-suit-card",
    "seat-that-does-not-exist",
    "unfinished-deal",
    "unknown-key",
}


def test_both_opinions_agree_over_random_deals() -> None:
    seen = compare(2500, seed=20240601)
    codes = {str(code) for code in ErrorCode} - {"bad_scenario", "chips_out_of_range", "duplicate_card"}
    assert codes <= set(seen), "a slice that doesn't meet every refusal shows too little"
    assert {"won", "uncontested", "azi", "void", "buy_in", "decline", "absent", "leave"} <= set(seen)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ABOUT_FILES])
def test_the_naive_game_gives_the_expected_answer(name: str) -> None:
    scenario = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    expected = json.loads((FOLDER / f"{name}.expected.json").read_text(encoding="utf-8"))["answer"]
    assert comparable(scenarios.answer(scenario)) == comparable(expected)


def comparable(answer: dict[str, Any]) -> dict[str, Any]:
    """Leave away what is free: the order of the legal actions, the text of a message."""
    if "legal" in answer:
        return {**answer, "legal": sorted(answer["legal"], key=repr_of)}
    error = answer.get("error", answer)
    return {key: error[key] for key in ("code", "deal", "action")}


def repr_of(option: dict[str, Any]) -> str:
    return json.dumps(option, sort_keys=True)
