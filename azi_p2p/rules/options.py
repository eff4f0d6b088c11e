"""Options: what a seat may do now, as `legal_actions` lists it.

An option is an action, but for a bid, which is open between its `min` and `max`. What doesn't belong here:
finding out which options there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Final, NamedTuple

from azi_p2p.rules.actions import Action, Bid, BuyIn, Call, Check, Decline, Discard, Fold, Play
from azi_p2p.rules.cards import ALL_CARDS, Card
from azi_p2p.rules.errors import ErrorCode, IllegalAction


class Option(NamedTuple):
    """One thing that a seat may do: `do` is the name of the action as scenario files write it.

    A "bid" has `min` and `max`, the totals that it may be to; "discard" and "play" have a card and its position.
    """

    do: str
    seat: int
    min: int | None = None
    max: int | None = None
    card: Card | None = None
    position: int | None = None

    def action(self, to: int | None = None) -> Action:
        """Make the action of this option; a bid needs `to`, from `min` to `max`.

        Raises `IllegalAction` for a bid without an amount; whether the amount is legal, `apply` says.
        """
        if self.do == "bid":
            if to is None:
                raise IllegalAction(ErrorCode.BAD_SCENARIO, "a bid needs an amount")
            return _bid(self.seat, to) if type(to) is int else Bid(self.seat, to)
        try:
            return _ACTIONS[self]
        except KeyError:
            return _ACTIONS.setdefault(self, _action(self))


# Amounts go in steps, so the same few bids come again and again. Only for whole numbers: True would find 1.
_bid = lru_cache(maxsize=1024)(Bid)


# The same few hundred options come again and again, each with one action.
_ACTIONS: Final[dict[Option, Action]] = {}


def _action(option: Option) -> Action:
    do, seat, _, _, card, position = option
    if do == "play" and card is not None:
        return Play(seat, card, position)
    if do == "discard":
        return Discard(seat, card, position)
    return _SIMPLE[do](seat)


_SIMPLE: Final[dict[str, type[Call] | type[Check] | type[Fold] | type[BuyIn] | type[Decline]]] = {
    "call": Call,
    "check": Check,
    "fold": Fold,
    "buy_in": BuyIn,
    "decline": Decline,
}


@cache
def card_options(do: str, seat: int) -> tuple[Mapping[Card, Option], ...]:
    """Give the options of playing or discarding: for each position, by card."""
    return tuple([{card: Option(do, seat, None, None, card, place) for card in ALL_CARDS} for place in range(4)])
