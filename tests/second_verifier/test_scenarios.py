"""The rules of the second verifier answer the scenarios of `protocol/` as they should.

What belongs to the form of scenarios alone (a card twice, a key that isn't known) is no task of a verifier.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.second_verifier.theirs import ROOT, load

theirs = load()
FOLDER = ROOT / "protocol" / "scenarios"
# Refusals of a scenario's form: no ledger can hold what they refuse.
OF_THE_FORM = {"bad_scenario", "duplicate_card", "chips_out_of_range"}
FORM_BY_NAME = {"void-breaker-named-twice", "void-other-action"}


def scenarios() -> list[Path]:
    """All scenarios but those that are refused for their form."""
    paths = [path.with_name(path.name.replace(".expected", "")) for path in sorted(FOLDER.glob("*.expected.json"))]
    return [path for path in paths if code(expected(path)) not in OF_THE_FORM and path.stem not in FORM_BY_NAME]


def expected(path: Path) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(path.with_suffix(".expected.json").read_text())["answer"]
    return answer


def code(answer: dict[str, Any]) -> object:
    return answer.get("error", {}).get("code")


def record(deal: Any, stakes: list[int]) -> dict[str, Any]:
    """What is said of a deal."""
    tricks = [*deal.tricks, *([deal.trick] if deal.trick and any(deal.trick.cards) else [])]
    return {
        "opener": deal.opener,
        "trump": deal.trump,
        "promoted_six": deal.promoted,
        "highest_bid": deal.highest,
        "leader": deal.leader,
        "tricks": [{"leader": one.leader, "cards": one.cards, "winner": one.winner} for one in tricks],
        "result": deal.result,
        "winner": deal.winner,
        "stakes": list(deal.stakes) or list(stakes),
        "payouts": list(deal.payouts),
    }


def waiting(stakes: list[int]) -> dict[str, Any]:
    """What is said of a deal that waits for seats to buy in."""
    return {
        **dict.fromkeys(("opener", "trump", "leader", "result", "winner")),
        **{"promoted_six": False, "highest_bid": 0, "tricks": [], "stakes": stakes, "payouts": [0] * len(stakes)},
    }


@pytest.mark.parametrize("path", scenarios(), ids=lambda path: path.stem)
def test_the_rules_answer_a_scenario_as_written(path: Path) -> None:
    answer = expected(path)
    played = theirs.Scenario(json.loads(path.read_text()))
    game, deals = played.game, []
    try:
        for deal in played.play():
            deals.append(record(deal, game.stakes) if deal else waiting(list(game.stakes)))
    except theirs.BadLedgerError as error:
        where = {"code": error.code, "deal": played.at[0], "action": played.at[1]}
        assert where == {key: answer.get("error", {}).get(key) for key in where}
        return
    answer.pop("legal")
    carried, to_act = game.stakes, min(game.owes(), default=None)
    assert answer == {"ok": True, "deals": deals, "chips": game.chips, "carried": carried, "to_act": to_act}


def test_nearly_all_scenarios_are_tried() -> None:
    assert len(scenarios()) > 140
