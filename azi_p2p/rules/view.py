"""What a seat may see, and a digest of what everybody may see.

What doesn't belong here: drawing it.
"""

from __future__ import annotations

import hashlib
from typing import Final, NamedTuple

from azi_p2p.rules.cards import Card
from azi_p2p.rules.engine import legal_actions, owed
from azi_p2p.rules.options import Option
from azi_p2p.rules.params import Params
from azi_p2p.rules.state import DealState, State, check_seat

DIGEST_TAG: Final = "azi/rules/state/1"


class View(NamedTuple):
    """Everything that a seat, or an onlooker, may see.

    `state` has the same shape as the table's own state; cards that `seat` may not see are None in it.
    """

    seat: int | None
    """Who looks; None for an onlooker."""
    state: State
    owed: tuple[int, ...]
    """The seats that owe an action now."""
    options: tuple[Option, ...]
    """What `seat` may do now; () for an onlooker."""

    @property
    def hand(self) -> tuple[Card, ...]:
        """The cards that `seat` still holds, as far as they are known; () for an onlooker."""
        deal = self.state.deal
        if self.seat is None or deal is None:
            return ()
        hand = deal.hands[self.seat] or ()
        return tuple(card for place, card in enumerate(hand) if card is not None and deal.held[self.seat] >> place & 1)


def view_for(state: State, seat: int | None) -> View:
    """Give what a seat may see; `seat` None for an onlooker. Raises `IllegalAction` for no such seat.

    Of other hands only played cards are left. A seat sees its own cards, its discard too.
    """
    if seat is not None:
        check_seat(state, seat)
    deal = state.deal
    masked = state if deal is None else state._replace(deal=deal._replace(hands=_masked(deal, seat)))
    return View(seat=seat, state=masked, owed=owed(masked), options=() if seat is None else legal_actions(masked, seat))


def _masked(deal: DealState, seat: int | None) -> tuple[tuple[Card | None, ...] | None, ...]:
    return tuple(
        hand
        if hand is None or place == seat
        else tuple(
            None if deal.held[place] >> position & 1 or deal.discards[place] == position else card
            for position, card in enumerate(hand)
        )
        for place, hand in enumerate(deal.hands)
    )


def digest(state: State) -> bytes:
    """Give the SHA-256 (32 bytes) of the public part of a state: what an onlooker may see.

    All peers agree on it although each knows only its own hand. The encoding is canonical: every value carries its
    kind and its length. It is written down in docs/rules-state.md; the order of the fields of `State`, `DealState`,
    `Replay` and `Trick` is part of it.
    """
    return hashlib.sha256(_encode((DIGEST_TAG, view_for(state, None).state))).digest()


def _encode(value: object) -> bytes:
    """Write a value in a form that no other value shares."""
    if value is None:
        return b"n"
    if isinstance(value, bool):
        return b"t" if value else b"f"
    if isinstance(value, int):
        return _framed(b"i", str(value).encode("ascii"))
    if isinstance(value, str):
        return _framed(b"s", value.encode("utf-8"))
    if isinstance(value, Params):
        return _encode(tuple(value.to_mapping().items()))
    assert isinstance(value, tuple), "a state is made of tuples and plain values"
    parts = [_encode(part) for part in value]
    return _framed(b"l", b"".join(parts))


def _framed(kind: bytes, content: bytes) -> bytes:
    return kind + len(content).to_bytes(4, "big") + content
