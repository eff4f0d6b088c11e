"""Views of a table made from a state of the rules alone, for tests of what people read and type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from azi_p2p.rules import Action, Card, Deal, Params, State, apply, new_table, owed, view_for
from azi_p2p.rules import Phase as RulesPhase
from azi_p2p.session.view import Phase, ProofTally, SeatView, TableView

NAMES = ("Eva", "Ben", "Katya", "Pieter", "Anele", "Sipho")


def key_of(seat: int) -> bytes:
    return bytes([seat + 1]) * 32


def seat_view(seat: int, name: str) -> SeatView:
    return SeatView(
        seat=seat,
        name=name,
        key=key_of(seat),
        fingerprint=f"fp{seat}",
        linked=True,
        absent=False,
        away=False,
        faulted=False,
        gone=False,
    )


def without_me(view: TableView) -> TableView:
    """The table once the own seat has left it."""
    seats = tuple(replace(seat, gone=seat.gone or seat.seat == view.my_seat) for seat in view.seats)
    return replace(view, seats=seats)


def shown(
    state: State,
    seat: int | None = 0,
    names: Sequence[str] = NAMES,
    deadline: float | None = None,
    standings: tuple[tuple[int, int, int], ...] = (),
) -> TableView:
    """The table as `seat` sees it in this state of the game."""
    view = view_for(state, seat)
    acting = state.phase is not RulesPhase.BETWEEN
    count = state.params.seats
    return TableView(
        table=bytes(32),
        name="Kitchen",
        params=state.params,
        phase=Phase.ACTING if acting else Phase.CLOSING,
        my_seat=seat,
        founder=seat == 0,
        seats=tuple(seat_view(place, names[place]) for place in range(count)),
        deal=state.deal_number,
        rules=view,
        legal=view.options,
        owed=owed(state),
        deadline=deadline,
        paused=False,
        proofs=ProofTally(count, count, seat is not None, count if acting else 0, 0),
        wishes=frozenset(),
        finish_wishes=frozenset(),
        standings=standings,
        head=bytes(32),
    )


def gathering(params: Params, taken: int, seat: int = 0) -> TableView:
    """The table while people take seats; nothing is founded."""
    return TableView(
        table=bytes(32),
        name="Kitchen",
        params=params,
        phase=Phase.GATHERING,
        my_seat=seat,
        founder=seat == 0,
        seats=tuple(seat_view(place, NAMES[place]) for place in range(taken)),
        deal=0,
        rules=None,
        legal=(),
        owed=(),
        deadline=None,
        paused=False,
        proofs=ProofTally(0, 0, False, 0, 0),
        wishes=frozenset(),
        finish_wishes=frozenset(),
        standings=(),
        head=b"",
    )


def dealt(
    hands: Sequence[str], upcard: str, params: Params | None = None, chips: Sequence[int] | None = None, draw: int = 0
) -> State:
    """A table right after its first deal; hands are written as "AS KS QS"."""
    params = params or Params(seats=len(hands), hand_size=len(hands[0].split()))
    state = new_table(params, chips or [params.start_chips] * params.seats)
    cards = tuple(tuple(Card(card) for card in hand.split()) for hand in hands)
    return apply(state, Deal(cards, Card(upcard), draw))


def after(state: State, *actions: Action) -> State:
    for action in actions:
        state = apply(state, action)
    return state
