"""Playing a scenario through the rules, step by step, and the answer in the form that programs read.

What doesn't belong here: reading scenarios (`scenario`), and telling people what happened.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NoReturn

from azi_p2p.rules.actions import Absent, Action, Deal, TakePot, Void
from azi_p2p.rules.between import can_take_pot, deal_seats, needs_draw
from azi_p2p.rules.engine import apply, legal_actions, to_act
from azi_p2p.rules.errors import ErrorCode, IllegalAction
from azi_p2p.rules.options import Option
from azi_p2p.rules.scenario import Scenario, ScenarioError, WrittenDeal
from azi_p2p.rules.state import IN_DEAL, DealState, Phase, State, new_table


@dataclass(frozen=True, slots=True)
class Step:
    """One action, and the states before and after it. `deal` counts from 0."""

    deal: int
    action: Action
    before: State
    after: State


@dataclass(frozen=True, slots=True)
class Arbitration:
    """A scenario played through: as far as it goes, or up to the first thing that the rules refuse.

    A deal with cards is one step for `Deal` and one for each of its actions, a broken one a single `Void`, a pot
    taken without play a single `TakePot`.
    """

    scenario: Scenario
    start: State
    steps: tuple[Step, ...]
    deals: tuple[State, ...]
    """For each deal played, the state after its last step."""
    is_open: bool
    """Whether the last deal is unfinished; where replays are bought into, the asking is part of the deal."""
    error: ScenarioError | None

    @property
    def state(self) -> State:
        """The state at the end."""
        return self.steps[-1].after if self.steps else self.start


def arbitrate(scenario: Scenario) -> Arbitration:
    """Play a scenario through. Nothing is raised for what the rules refuse: it stands in `error`."""
    run = _Run(scenario, new_table(scenario.params, scenario.chips, scenario.last_winner))
    start, ends, error = run.state, [], None
    try:
        for number, written in enumerate(scenario.deals):
            run.play(number, written)
            ends.append(run.state)
    except ScenarioError as refused:
        error = refused
    return Arbitration(scenario, start, tuple(run.steps), tuple(ends), run.is_open, error)


def answer(arbitration: Arbitration) -> dict[str, Any]:
    """Give the answer to a scenario as plain JSON values: the state of the table, or the error."""
    if arbitration.error is not None:
        return error_answer(arbitration.error)
    state = arbitration.state
    last = len(arbitration.deals) - 1
    return {
        "ok": True,
        "deals": [
            deal_answer(after, opened=not (number == last and arbitration.is_open and after.phase is Phase.BUY_IN))
            for number, after in enumerate(arbitration.deals)
        ],
        "chips": list(state.chips),
        "carried": list(state.stakes),
        "to_act": to_act(state) if arbitration.is_open else None,
        "legal": [option_answer(option) for option in legal_actions(state)] if arbitration.is_open else [],
    }


def error_answer(error: ScenarioError) -> dict[str, Any]:
    """Give the answer to a scenario that can't be played or holds an illegal action."""
    message = f"{error.key}: {error.message}" if error.key else error.message
    return {
        "ok": False,
        "error": {"code": str(error.code), "deal": error.deal, "action": error.action, "message": message},
    }


def option_answer(option: Option) -> dict[str, Any]:
    """Give an option in the form of an action of a scenario; a bid has `min` and `max` in place of `to`."""
    entry: dict[str, Any] = {"seat": option.seat, "do": option.do}
    if option.do == "bid":
        entry |= {"min": option.min, "max": option.max}
    if option.card is not None:
        entry["card"] = option.card
    return entry


def deal_answer(after: State, *, opened: bool = True) -> dict[str, Any]:
    """Give the last deal of a state; not `opened` while seats are still being asked whether they buy into it."""
    deal = after.deal
    if deal is None or not opened:
        return {
            "opener": None,
            "trump": None,
            "promoted_six": False,
            "highest_bid": 0,
            "leader": None,
            "tricks": [],
            "result": None,
            "winner": None,
            "stakes": list(after.stakes),
            "payouts": [0] * len(after.stakes),
        }
    return {
        "opener": deal.opener,
        "trump": deal.trump,
        "promoted_six": deal.promoted_six,
        "highest_bid": deal.highest_bid,
        "leader": deal.leader,
        "tricks": _tricks_answer(deal),
        "result": None if deal.result is None else str(deal.result),
        "winner": deal.winner,
        "stakes": list(after.stakes if deal.result is None else deal.stakes),
        "payouts": list(deal.payouts),
    }


def _tricks_answer(deal: DealState) -> list[dict[str, Any]]:
    """List the tricks; one in progress stands last, as soon as a card of it lies."""
    tricks = list(deal.tricks)
    if deal.trick is not None and any(deal.trick.cards):
        tricks.append(deal.trick)
    return [{"leader": trick.leader, "cards": list(trick.cards), "winner": trick.winner} for trick in tricks]


@dataclass(slots=True)
class _Run:
    """A scenario in the middle of being played."""

    scenario: Scenario
    state: State
    steps: list[Step] = field(default_factory=list)
    is_open: bool = False
    draws_used: int = 0
    deal: int = 0

    def play(self, number: int, written: WrittenDeal) -> None:
        """Play one deal as far as it is written."""
        self.deal = number
        if self.is_open:
            self.refuse(None, ErrorCode.BAD_SCENARIO, "the deal before isn't finished")
        for wish in written.before:
            self.apply(wish, None)
        actions = list(enumerate(written.actions))
        self.is_open = True
        while self.state.phase is Phase.BUY_IN:
            if not actions:
                return
            position, action = actions.pop(0)
            self.apply(action, position)
        if can_take_pot(self.state):
            if written.hands is not None:
                self.refuse(
                    None, ErrorCode.BAD_SCENARIO, "only one seat can be dealt in, so it takes the pot without cards"
                )
            self.apply(TakePot(), None)
        elif written.hands is None:
            self.break_deal(actions)
            actions = []
        else:
            self.apply(self.deal_action(written), None)
        for position, action in actions:
            if self.state.phase not in IN_DEAL:
                self.refuse(position, ErrorCode.WRONG_PHASE, "the deal is over")
            self.apply(action, position)
        self.is_open = self.state.phase in IN_DEAL

    def break_deal(self, actions: list[tuple[int, Action]]) -> None:
        """Book a deal without cards: every action is the absence of a seat that broke it."""
        seats = deal_seats(self.state)
        breakers: list[int] = []
        for position, action in actions:
            if not isinstance(action, Absent):
                self.refuse(position, ErrorCode.WRONG_PHASE, "no cards are dealt, so a seat can only be absent")
            if action.seat not in seats or action.seat in breakers:
                self.refuse(position, ErrorCode.NOT_YOUR_TURN, "seat {seat} owes nothing here", seat=action.seat)
            breakers.append(action.seat)
        if len(seats) >= 2 and not breakers:
            self.refuse(None, ErrorCode.BAD_SCENARIO, "no cards are dealt, so some seat must be absent")
        self.apply(Void(tuple(breakers)), None)

    def deal_action(self, written: WrittenDeal) -> Deal:
        """Give the cards of a deal, and the drawn opener where one is needed."""
        assert written.hands is not None, "asked only where hands are written"
        assert written.upcard is not None, "hands come with an upcard"
        draw = None
        if needs_draw(self.state):
            draw = self.scenario.draws[min(self.draws_used, len(self.scenario.draws) - 1)]
            self.draws_used += 1
        return Deal(written.hands, written.upcard, draw)

    def apply(self, action: Action, position: int | None) -> None:
        """Apply an action; `position` is its place in the deal, None for what isn't in the list of actions."""
        try:
            after = apply(self.state, action)
        except IllegalAction as error:
            code = error.code
            if position is None:
                # What is refused before the first action is a wish between deals, or the deal as a whole.
                whole = isinstance(action, Deal | Void | TakePot)
                code = ErrorCode.BAD_SCENARIO if whole else ErrorCode.NOT_ALLOWED
            raise ScenarioError(code, error.template, error.facts, deal=self.deal, action=position) from None
        self.steps.append(Step(self.deal, action, self.state, after))
        self.state = after

    def refuse(self, position: int | None, code: ErrorCode, template: str, **facts: object) -> NoReturn:
        """Raise `ScenarioError` at this place."""
        raise ScenarioError(code, template, facts, deal=self.deal, action=position)
