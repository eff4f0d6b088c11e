"""Between deals: who is dealt in next, who opens, when the table ends, and what seats may ask for.

What doesn't belong here: anything that happens while cards are out.
"""

from __future__ import annotations

from typing import Final

from azi_p2p.rules.actions import BuyIn, CloseTable, Decline, Join, Leave, Rebuy, Return, SitOut
from azi_p2p.rules.errors import ErrorCode, IllegalAction
from azi_p2p.rules.outcome import ask_next, asked
from azi_p2p.rules.state import (
    IN_DEAL,
    Phase,
    Replay,
    Result,
    SeatStatus,
    State,
    check_seat,
    next_seat,
    replace_at,
)

IN: Final = SeatStatus.IN


def deal_seats(state: State) -> tuple[int, ...]:
    """Give the seats that would be dealt in if the next deal began now, in rising order.

    A seat with at least one chip that sits in; after an Azi as the table's option says. A seat that broke a
    deal isn't dealt in until the pot has been won.
    """
    chips, barred, replay = state.chips, state.barred, state.replay
    present = [seat for seat, status in enumerate(state.status) if status is IN]
    if barred:
        present = [seat for seat in present if seat not in barred]
    if replay is None:
        return tuple([seat for seat in present if chips[seat]] if 0 in chips else present)
    chosen = _chosen(state, replay)
    if chosen is not None:
        seats = tuple([seat for seat in present if seat in chosen])
        if seats:
            return seats
    return tuple([seat for seat in present if chips[seat] or seat in replay.live])


def ante_owed(state: State) -> int:
    """Give the ante that each seat owes in the next deal: 0 in a replay that was bought into."""
    replay = state.replay
    if replay is None or state.params.azi_replay != "buy_in":
        return state.params.ante
    free = (*replay.took, *replay.bought)
    # With nobody left of those who play free, the replay is as with the option `all`, antes and all.
    return 0 if any(seat in free for seat in deal_seats(state)) else state.params.ante


def _chosen(state: State, replay: Replay) -> tuple[int, ...] | None:
    """Give the only seats that a replay is for, present or not; None where it is for all."""
    if state.params.azi_replay == "contenders":
        return replay.live
    if state.params.azi_replay == "buy_in":
        return (*replay.took, *replay.bought)
    return None


def needs_draw(state: State) -> bool:
    """Say whether the opener of the next deal must be drawn, because the table has had no winner yet."""
    return state.last_winner is None


def opener_place(state: State) -> int | None:
    """Give the seat that opens the next deal: the first to be dealt in, clockwise from the last winner.

    None where a draw is needed, or nobody can be dealt in.
    """
    seats = deal_seats(state)
    if state.last_winner is None or not seats:
        return None
    return next_seat(len(state.chips), state.last_winner, seats)


def can_take_pot(state: State) -> bool:
    """Say whether a pot is carried that the one seat which can be dealt in takes without play."""
    return state.phase is Phase.BETWEEN and state.pot > 0 and len(deal_seats(state)) == 1


def is_over(state: State) -> str | None:
    """Say whether the table has ended by itself: "one_left", "deal_limit", or None while it goes on.

    "one_left": at most one seat still has chips, and nobody may rebuy. A seat with chips that sits out keeps
    the table waiting. Neither holds while a deal is open or a pot is carried.
    """
    if state.phase is not Phase.BETWEEN or state.pot:
        return None
    seated = [seat for seat, status in enumerate(state.status) if status in (SeatStatus.IN, SeatStatus.OUT)]
    with_chips = [seat for seat in seated if state.chips[seat]]
    if len(with_chips) <= 1 and not (state.params.rebuy and len(with_chips) < len(seated)):
        return "one_left"
    if 0 < state.params.deal_limit <= state.deal_number:
        return "deal_limit"
    return None


def standings(state: State) -> tuple[tuple[int, int, int], ...]:
    """Give (place, seat, chips) for every seat that plays or has played, best first.

    Equal chips share the place, and the places after it are left out (1, 1, 3). Chips in the pot don't count.
    """
    ranked = sorted(
        (-state.chips[seat], seat) for seat, status in enumerate(state.status) if status is not SeatStatus.EMPTY
    )
    table: list[tuple[int, int, int]] = []
    for position, (negative, seat) in enumerate(ranked, start=1):
        shared = bool(table) and table[-1][2] == -negative
        table.append((table[-1][0] if shared else position, seat, -negative))
    return tuple(table)


def join(state: State, action: Join) -> State:
    """Let a newcomer take an empty place, or that of a seat that has left."""
    _between(state, action.seat)
    seat = action.seat
    if state.status[seat] not in (SeatStatus.EMPTY, SeatStatus.LEFT):
        raise IllegalAction(ErrorCode.NOT_ALLOWED, "place {seat} is taken", seat=seat)
    if state.pot:
        raise IllegalAction(ErrorCode.NOT_ALLOWED, "nobody joins the table while a pot is carried")
    return state._replace(
        chips=replace_at(state.chips, seat, state.params.start_chips),
        status=replace_at(state.status, seat, SeatStatus.IN),
    )


def sit_out(state: State, action: SitOut) -> State:
    """Let a seat sit out from the next deal on."""
    return _change_status(state, action.seat, SeatStatus.IN, SeatStatus.OUT)


def come_back(state: State, action: Return) -> State:
    """Let a seat that sat out be dealt in again."""
    return _change_status(state, action.seat, SeatStatus.OUT, SeatStatus.IN)


def rebuy(state: State, action: Rebuy) -> State:
    """Let a seat without chips take `start_chips` again, where the table has that option."""
    _between(state, action.seat)
    seat = action.seat
    if not state.params.rebuy:
        raise IllegalAction(ErrorCode.NOT_ALLOWED, "this table has no rebuys")
    if state.status[seat] not in (SeatStatus.IN, SeatStatus.OUT):
        raise IllegalAction(ErrorCode.NOT_ALLOWED, "seat {seat} isn't at the table", seat=seat)
    if state.chips[seat]:
        raise IllegalAction(
            ErrorCode.NOT_ALLOWED, "seat {seat} still has {chips} chips", seat=seat, chips=state.chips[seat]
        )
    if state.pot:
        raise IllegalAction(ErrorCode.NOT_ALLOWED, "nobody rebuys while a pot is carried")
    return state._replace(chips=replace_at(state.chips, seat, state.params.start_chips))


def leave_between(state: State, action: Leave) -> State:
    """Let a seat leave between deals; of the seats being asked about a replay, only the one whose turn it is."""
    seat = action.seat
    _between(state, seat)
    if state.status[seat] not in (SeatStatus.IN, SeatStatus.OUT):
        raise IllegalAction(ErrorCode.NOT_ALLOWED, "seat {seat} isn't at the table", seat=seat)
    if state.phase is Phase.BUY_IN and asked(state) != seat:
        raise IllegalAction(ErrorCode.NOT_YOUR_TURN, "it is seat {turn}'s turn to answer", turn=asked(state))
    after = state._replace(status=replace_at(state.status, seat, SeatStatus.LEFT))
    return ask_next(after) if state.phase is Phase.BUY_IN else after


def buy_in(state: State, action: BuyIn) -> State:
    """Let the seat that is asked pay half the pot and enter the replay."""
    replay = _answering(state, action.seat)
    seat = action.seat
    bought = replay._replace(answered=replay.order.index(seat) + 1, bought=tuple(sorted((*replay.bought, seat))))
    return ask_next(
        state._replace(
            chips=replace_at(state.chips, seat, state.chips[seat] - replay.price),
            stakes=replace_at(state.stakes, seat, state.stakes[seat] + replay.price),
            replay=bought,
        )
    )


def decline(state: State, action: Decline) -> State:
    """Let the seat that is asked stay out of the replay."""
    return decline_seat(state, action.seat)


def decline_seat(state: State, seat: int) -> State:
    """Count the seat that is asked as declining, whether it said so or is absent."""
    replay = _answering(state, seat)
    return ask_next(state._replace(replay=replay._replace(answered=replay.order.index(seat) + 1)))


def close_table(state: State, _action: CloseTable) -> State:
    """Return every stake to its owner; a deal that is open ends void."""
    deal = state.deal
    if deal is not None and state.phase in IN_DEAL:
        deal = deal.ended(Result.VOID, None, state.stakes, state.stakes)
    return state._replace(
        phase=Phase.BETWEEN,
        chips=tuple(map(int.__add__, state.chips, state.stakes)),
        stakes=(0,) * len(state.stakes),
        barred=(),
        replay=None,
        deal=deal,
    )


def _answering(state: State, seat: int) -> Replay:
    """Give what is being answered, or refuse a seat that isn't asked."""
    check_seat(state, seat)
    if state.phase is not Phase.BUY_IN or state.replay is None:
        raise IllegalAction(ErrorCode.WRONG_PHASE, "nobody is being asked to buy into a replay now")
    turn = asked(state)
    if turn != seat:
        raise IllegalAction(ErrorCode.NOT_YOUR_TURN, "it is seat {turn}'s turn to answer", turn=turn)
    return state.replay


def _change_status(state: State, seat: int, old: SeatStatus, new: SeatStatus) -> State:
    _between(state, seat)
    if state.status[seat] is not old:
        raise IllegalAction(
            ErrorCode.NOT_ALLOWED, "seat {seat} is {status}, not {old}", seat=seat, status=state.status[seat], old=old
        )
    after = state._replace(status=replace_at(state.status, seat, new))
    return ask_next(after) if state.phase is Phase.BUY_IN else after


def _between(state: State, seat: int) -> None:
    check_seat(state, seat)
    if state.phase in IN_DEAL:
        raise IllegalAction(ErrorCode.WRONG_PHASE, "that can be done between deals only")
