"""The engine: one action in, one new state out, or a refusal that changes nothing.

It only finds the rule that is in charge of an action. What doesn't belong here: the rules themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from azi_p2p.rules import actions as act
from azi_p2p.rules import between, bidding, dealing, play
from azi_p2p.rules.actions import Action
from azi_p2p.rules.errors import ErrorCode, IllegalAction
from azi_p2p.rules.options import Option
from azi_p2p.rules.outcome import asked, win
from azi_p2p.rules.params import Params
from azi_p2p.rules.state import IN_DEAL, Phase, Result, SeatStatus, State, check_seat, new_table, open_deal, replace_at

PLAYING: Final = Phase.PLAYING


def apply(state: State, action: Action) -> State:
    """Apply an action and give the state after it.

    Raises `IllegalAction` with the first code that applies; `state` is then still what it was. Actions made
    from other people's data may be passed as they come: every field is checked, its type too.
    """
    handler = _HANDLERS.get(type(action))
    if handler is None:
        raise IllegalAction(ErrorCode.BAD_SCENARIO, "that isn't an action")
    return handler(state, action)


def replay(params: Params, chips: Sequence[int | None], actions: Iterable[Action]) -> State:
    """Set up a table and apply the actions in order; errors as `new_table` and `apply`."""
    state = new_table(params, chips)
    for action in actions:
        state = apply(state, action)
    return state


def owed(state: State) -> tuple[int, ...]:
    """Give the seats that owe an action now, in rising order: several in the discard, else one or none."""
    if state.phase is Phase.BETWEEN:
        return ()
    if state.phase is Phase.BUY_IN:
        seat = asked(state)
        return () if seat is None else (seat,)
    deal = open_deal(state)
    if state.phase is Phase.DISCARD:
        return tuple([seat for seat in deal.live if deal.discards[seat] is None])
    return () if deal.to_act is None else (deal.to_act,)


def to_act(state: State) -> int | None:
    """Give the lowest seat that owes an action now; None if none does."""
    seats = owed(state)
    return seats[0] if seats else None


def legal_actions(state: State, seat: int | None = None) -> tuple[Option, ...]:
    """List what may be done now: by one seat, or by every seat that owes an action (leaving aside leave, absent).

    A bid is listed once, with the least and the greatest amount. Cards are listed as far as they are known.
    Raises `IllegalAction` for a seat that doesn't exist.
    """
    deal = state.deal
    if seat is not None:
        check_seat(state, seat)
    if deal is not None and (turn := deal.to_act) is not None:
        if seat is not None and seat != turn:
            return ()
        if state.phase is PLAYING:
            return play.play_options(deal, turn)
        return bidding.bidding_options(state, deal, turn)
    seats = [each for each in owed(state) if seat is None or each == seat]
    if state.phase is Phase.BUY_IN:
        return tuple([Option(do, each) for each in seats for do in ("buy_in", "decline")])
    return tuple([option for each in seats for option in play.discard_options(open_deal(state), each)])


def _discard(state: State, action: act.Discard) -> State:
    return _after_discard(play.discard(state, action))


def _absent(state: State, action: act.Absent) -> State:
    check_seat(state, action.seat)
    if state.phase is Phase.BETWEEN:
        raise IllegalAction(ErrorCode.WRONG_PHASE, "no deal is open, so nobody can be absent from it")
    if state.phase is Phase.BUY_IN:
        return between.decline_seat(state, action.seat)
    return _drop(state, action.seat)


def _leave(state: State, action: act.Leave) -> State:
    if state.phase not in IN_DEAL:
        return between.leave_between(state, action)
    check_seat(state, action.seat)
    after = _drop(state, action.seat)
    return after._replace(status=replace_at(after.status, action.seat, SeatStatus.LEFT))


def _drop(state: State, seat: int) -> State:
    """Fold for a seat that owes a move and won't make it."""
    seats = owed(state)
    if seat not in seats:
        raise IllegalAction(ErrorCode.NOT_YOUR_TURN, "seat {seat} owes no move now", seat=seat)
    if state.phase is Phase.BIDDING:
        return bidding.drop_from_bidding(state, seat)
    if state.phase is Phase.PLAYING:
        return play.drop_from_play(state, seat)
    deal = open_deal(state).without(seat)
    if len(deal.live) == 1:
        return win(state, deal, deal.live[0], Result.UNCONTESTED)
    return _after_discard(state.with_deal(deal))


def _after_discard(state: State) -> State:
    """Begin the bidding once every live seat has discarded."""
    return state if owed(state) else bidding.begin_bidding(state, open_deal(state))


# Each handler takes its own class of action, which a mapping by class can't say to the type checker.
_HANDLERS: Final[Mapping[type, Callable[[State, Any], State]]] = {
    act.Bid: bidding.bid,
    act.Call: bidding.call,
    act.Check: bidding.check,
    act.Fold: bidding.fold,
    act.Discard: _discard,
    act.Play: play.play,
    act.Absent: _absent,
    act.Leave: _leave,
    act.BuyIn: between.buy_in,
    act.Decline: between.decline,
    act.Join: between.join,
    act.SitOut: between.sit_out,
    act.Return: between.come_back,
    act.Rebuy: between.rebuy,
    act.Deal: dealing.deal,
    act.Void: dealing.void,
    act.TakePot: dealing.take_pot,
    act.CloseTable: between.close_table,
}
