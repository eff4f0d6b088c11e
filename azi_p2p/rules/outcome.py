"""How a deal ends: won, uncontested, or an Azi; and what a seat that drops out of a deal sets off.

What doesn't belong here: how the pot is divided (payout), and how a trick is decided (play).
"""

from __future__ import annotations

from azi_p2p.rules.payout import payouts
from azi_p2p.rules.state import CLOCKWISE, DealState, Phase, Replay, Result, SeatStatus, State


def is_short(state: State, deal: DealState, seat: int) -> bool:
    """Say whether a seat could not pay what was asked of it in this deal.

    A plain fact once the bidding is over: it paid less than the ante that was owed, or its bids are below the
    highest bid, or it has no chips left and its bids are below `min_bid`.
    """
    return (
        deal.antes[seat] < deal.ante
        or deal.bids[seat] < deal.highest_bid
        or (state.chips[seat] == 0 and deal.bids[seat] < state.params.min_bid)
    )


def win(state: State, deal: DealState, winner: int, result: Result, *, whole: bool = False) -> State:
    """End the deal: the pot is paid out to the winner, short or not (`whole`: in any case all of it)."""
    stakes = state.stakes
    short = not whole and is_short(state, deal, winner)
    paid = payouts(state.params, stakes, winner, short=short)
    return state.paid_out(winner, paid, deal.ended(result, winner, paid, stakes))


def azi(state: State, deal: DealState) -> State:
    """End the deal without a winner, after three tricks for three seats: the pot is carried over."""
    last = deal.tricks[-1].winner
    assert last is not None, "a complete trick has a winner"
    took = tuple(sorted(trick.winner for trick in deal.tricks if trick.winner is not None))
    order = tuple(seat for seat in CLOCKWISE[len(state.chips)][last] if seat not in took)
    replay = Replay(live=deal.live, took=took, price=(state.pot + 1) // 2, order=order, answered=0, bought=())
    ended = deal.ended(Result.AZI, None, deal.payouts, state.stakes)
    after = state._replace(phase=Phase.BETWEEN, replay=replay, deal=ended)
    if state.params.azi_replay == "buy_in":
        return ask_next(after)
    return after


def asked(state: State) -> int | None:
    """Give the seat that is asked whether it buys into the replay; None if nobody is being asked."""
    replay = state.replay
    if state.phase is not Phase.BUY_IN or replay is None:
        return None
    return _next_asked(state, replay)


def ask_next(state: State) -> State:
    """Set the phase by whether there is still a seat to ask about buying in."""
    replay = state.replay
    assert replay is not None, "only an Azi is bought into"
    waiting = _next_asked(state, replay) is not None
    return state._replace(phase=Phase.BUY_IN if waiting else Phase.BETWEEN)


def _next_asked(state: State, replay: Replay) -> int | None:
    for seat in replay.order[replay.answered :]:
        if state.status[seat] is SeatStatus.IN and seat not in state.barred and state.chips[seat] >= replay.price:
            return seat
    return None
