"""Scenario files played by the naive game, so that the expected answers don't rest on the engine alone.

What doesn't belong here: reading scenarios strictly. Scenarios that make no sense are the arbiter's business.
"""

from __future__ import annotations

from typing import Any

from azi_p2p.rules import Params
from tests.second_opinion.naive import Naive


def answer(scenario: dict[str, Any]) -> dict[str, Any]:
    """Give the answer to a scenario; of an error only code, deal and action."""
    chips = [seat["chips"] for seat in scenario["seats"]]
    params = Params.from_mapping({**scenario.get("params", {}), "seats": len(chips)})
    game = Naive(params.to_mapping(), chips)
    game.last_winner = scenario.get("last_winner")
    draws = scenario.get("opener_draw", 0)
    draws = list(draws) if isinstance(draws, list) else [draws]
    answers = []
    for number, deal in enumerate(scenario["deals"]):
        error = play(game, deal, draws)
        if error is not None:
            return {"code": error[0], "deal": number, "action": error[1]}
        answers.append(game.deal_answer())
        if game.asking and deal is scenario["deals"][-1] and number and not deal.get("actions"):
            # Still being asked about a replay: of that deal there is nothing yet but the pot.
            nothing: dict[str, Any] = dict.fromkeys(("opener", "trump", "leader", "result", "winner"))
            nothing |= {"promoted_six": False, "highest_bid": 0, "tricks": []}
            answers[-1] = {**nothing, "stakes": list(game.stakes), "payouts": [0] * game.seats}
            return whole(game, answers, is_open=True)
    return whole(game, answers, is_open=game.in_deal())


def whole(game: Naive, answers: list[dict[str, Any]], *, is_open: bool) -> dict[str, Any]:
    """Give the answer to a scenario that could be played."""
    owing = game.owing()
    return {
        "ok": True,
        "deals": answers,
        "chips": game.chips,
        "carried": game.stakes,
        "to_act": owing[0] if is_open else None,
        "legal": game.legal() if is_open else [],
    }


def play(game: Naive, deal: dict[str, Any], draws: list[int]) -> tuple[str, int | None] | None:
    """Play one deal; gives the code of what is refused and the action, or None."""
    for wish in deal.get("before", []):
        if game.wish(wish["seat"], wish["do"]) is not None:
            return "not_allowed", None
    actions = list(enumerate(deal.get("actions", [])))
    while game.asking and actions:
        position, action = actions.pop(0)
        code = game.do(action["seat"], action["do"], action.get("to", action.get("card")))
        if code is not None:
            return code, position
    if game.asking:
        return None
    seats = game.dealt_in_next()
    if game.ended() or (len(seats) < 2 and not sum(game.stakes)):
        return "bad_scenario", None
    hands = deal["hands"]
    if len(seats) == 1:
        if hands is not None:
            return "bad_scenario", None
        game.take_pot()
    elif hands is None:
        breakers: list[int] = []
        for position, action in actions:
            if action["do"] != "absent":
                return "wrong_phase", position
            if action["seat"] in breakers or action["seat"] not in seats:
                return "not_your_turn", position
            breakers.append(action["seat"])
        if not breakers:
            return "bad_scenario", None
        game.void(breakers)
        return None
    else:
        if [seat for seat, hand in enumerate(hands) if hand is not None] != seats:
            return "bad_scenario", None
        game.start(hands, deal["upcard"], draws[0])
        if game.last_winner is None and len(draws) > 1:
            draws.pop(0)
    for position, action in actions:
        code = "wrong_phase"
        if game.in_deal():
            code = game.do(action["seat"], action["do"], action.get("to", action.get("card")))
        if code is not None:
            return code, position
    return None
