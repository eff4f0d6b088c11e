"""A quick guess of what a hand is worth, without playing it out.

Good enough to compare hands: which of four cards to lay aside, which hand a seat that bids is likelier to have.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

from azi_p2p.rules import Card, rank_of, strengths, suit_of

TRUMP_TRICKS = (0.22, 0.27, 0.32, 0.38, 0.45, 0.53, 0.63, 0.76, 0.9, 0.98)
"""Tricks that a trump takes on average, from the lowest to the highest, in a deal of four."""
PLAIN_TRICKS = {"A": 0.42, "K": 0.27, "Q": 0.18, "J": 0.12, "T": 0.08}
"""The same for cards of the other suits; lower ones take next to nothing."""


@cache
def card_tricks(card: Card, trump: str, promoted_six: bool) -> float:
    """Tricks that a card takes on average (0 to 1)."""
    if suit_of(card) == trump:
        order = strengths(trump, trump, promoted_six=promoted_six)[card] - 21
        return TRUMP_TRICKS[min(order, len(TRUMP_TRICKS) - 1)]
    return PLAIN_TRICKS.get(rank_of(card), 0.03)


def expected_tricks(cards: Sequence[Card], trump: str, *, promoted_six: bool) -> float:
    """Tricks that a hand takes on average, as a rough guess (0 to 3)."""
    return sum(card_tricks(card, trump, promoted_six) for card in cards)


EVEN_CHANCE = {2: 0.72, 3: 1.07, 4: 1.24, 5: 1.35, 6: 1.44}
"""By the number of live seats: expected tricks at which a hand wins every second deal."""
STEEPNESS = {2: 3.1, 3: 3.9, 4: 4.6, 5: 5.0, 6: 5.7}
"""How fast the chance to win grows with the expected tricks around there."""


def quick_chance(tricks: float, players: int) -> float:
    """The chance that a hand wins the deal, from its expected tricks and the number of live seats (itself included).

    A logistic curve through 30,000 deals for each number of seats, played out as `playout` plays; within 0.03 of them.
    """
    seats = max(2, min(6, players))
    return 1 / (1 + math.exp(-STEEPNESS[seats] * (tricks - EVEN_CHANCE[seats])))
