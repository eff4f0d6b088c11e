"""The cards: suits, ranks, the deck of a table, and which card of a trick is the strongest.

What doesn't belong here: who holds a card, and whose turn it is.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NewType

from azi_p2p.rules.params import Params

Card = NewType("Card", str)
"""A card, rank then suit: "6S", "TD", "AH"."""

Suit = NewType("Suit", str)
"""A suit: "S", "H", "D" or "C"."""

SUITS: Final = tuple(Suit(letter) for letter in "SHDC")
RANKS: Final = tuple("6789TJQKA")
"""Ranks from low to high, as they count where no six is promoted."""

ALL_CARDS: Final = tuple(Card(sys.intern(rank + suit)) for suit in SUITS for rank in RANKS)
"""All 36 cards in their fixed order: by suit (S H D C), in a suit from the six up to the ace."""

DECKS: Final[Mapping[str, tuple[Card, ...]]] = MappingProxyType(
    {out: tuple(card for card in ALL_CARDS if card[1] != out) for out in SUITS}
)
"""The 27 cards that are left when a suit is out, by that suit."""

DECK_SETS: Final[Mapping[str, frozenset[Card]]] = MappingProxyType(
    {out: frozenset(deck) for out, deck in DECKS.items()}
)
"""The same as `DECKS`, for asking whether a card is in the deck."""


def deck_of(params: Params) -> tuple[Card, ...]:
    """Give the 27 cards of a table in their fixed order (the order of `ALL_CARDS`)."""
    return DECKS[params.out_suit]


def suit_of(card: Card) -> Suit:
    """Give the suit of a card: "S", "H", "D" or "C"."""
    return Suit(card[1])


def rank_of(card: Card) -> str:
    """Give the rank of a card, one of `RANKS`."""
    return card[0]


def _strengths(trump: Suit, led: Suit, *, promoted_six: bool) -> Mapping[Card, int]:
    """Number the cards of one kind of trick: 0 for a card that can't win it."""
    table = {}
    for card in ALL_CARDS:
        order = 1 + RANKS.index(card[0])
        if card[1] == trump:
            table[card] = 20 + (10 if promoted_six and card[0] == "6" else order)
        else:
            table[card] = order if card[1] == led else 0
    return MappingProxyType(table)


_STRENGTHS: Final[dict[tuple[str, str, bool], Mapping[Card, int]]] = {
    (trump, led, promoted): _strengths(trump, led, promoted_six=promoted)
    for trump in SUITS
    for led in SUITS
    for promoted in (False, True)
}


def strengths(trump: str, led: str, *, promoted_six: bool) -> Mapping[Card, int]:
    """Give the strength of every card in a trick: the highest trump wins, else the highest of the led suit.

    0 means that the card can't win the trick. With `promoted_six` the six of trumps is the highest card;
    the others keep their order.
    """
    return _STRENGTHS[trump, led, promoted_six]
