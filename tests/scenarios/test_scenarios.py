"""Every scenario in protocol/scenarios gives the answer that stands beside it, in every way one can ask."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from azi_p2p.cli import arbiter
from azi_p2p.rules import ErrorCode
from azi_p2p.rules.params import CHOICES
from azi_p2p.rules.scenario import ACTION_NAMES

FOLDER = Path(__file__).parents[2] / "protocol" / "scenarios"
NAMES = sorted(path.name.removesuffix(".expected.json") for path in FOLDER.glob("*.expected.json"))

# Scenarios that break the schema on purpose: that is what they show.
OUTSIDE_THE_SCHEMA = {"chips-out-of-range", "hand-of-the-wrong-size", "unknown-key"}


def read(name: str) -> Any:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


@cache
def validator(schema: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(read(schema))


def test_at_least_sixty_and_in_pairs() -> None:
    scenarios = {
        path.name.removesuffix(".json")
        for path in FOLDER.glob("*.json")
        if not path.name.endswith((".expected.json", ".schema.json"))
    }
    assert scenarios == set(NAMES)
    assert len(NAMES) >= 60


@pytest.mark.parametrize("name", NAMES)
def test_answer(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    expected = read(f"{name}.expected.json")
    code = arbiter.run(str(FOLDER / f"{name}.json"), json_out=True)
    shown = capsys.readouterr()
    assert json.loads(shown.out) == expected["answer"]
    assert code == expected["exit"]
    assert shown.err == ""


@pytest.mark.parametrize("name", NAMES)
def test_schema(name: str) -> None:
    validator("expected.schema.json").validate(read(f"{name}.expected.json"))
    fits = validator("scenario.schema.json").is_valid(read(f"{name}.json"))
    assert fits == (name not in OUTSIDE_THE_SCHEMA)


def test_batch_answers_all_in_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = tmp_path / "all.jsonl"
    lines.write_text("".join(json.dumps(read(f"{name}.json")) + "\n" for name in NAMES), encoding="utf-8")
    assert arbiter.run(str(lines), batch=True) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert answers == [read(f"{name}.expected.json")["answer"] for name in NAMES]


def test_every_code_option_result_and_action_is_shown() -> None:
    expected = [read(f"{name}.expected.json") for name in NAMES]
    scenarios = [read(f"{name}.json") for name in NAMES]
    answers = [entry["answer"] for entry in expected]
    codes = {answer["error"]["code"] for answer in answers if not answer["ok"]}
    assert codes == {str(code) for code in ErrorCode}
    results = {deal["result"] for answer in answers if answer["ok"] for deal in answer["deals"]}
    assert results == {"won", "uncontested", "azi", "void", None}
    actions = {action["do"] for entry in scenarios for deal in entry["deals"] for action in deal.get("actions", [])}
    assert actions == set(ACTION_NAMES)
    wishes = {wish["do"] for entry in scenarios for deal in entry["deals"] for wish in deal.get("before", [])}
    assert wishes == {"rebuy", "sit_out", "return"}
    for key in ("opener_rule", "short_payout", "azi_replay"):
        used = {entry.get("params", {}).get(key, CHOICES[key][0]) for entry in scenarios}
        assert used == set(CHOICES[key]), key


def test_whys_are_sentences_of_their_own() -> None:
    whys = [read(f"{name}.expected.json")["why"] for name in NAMES]
    assert all(why.endswith(".") for why in whys)
    assert len(set(whys)) == len(whys)
