"""Guessing what can't be seen: deals of the unseen cards that agree with everything the seat knows.

A world gives every live seat the cards that it may still hold. What doesn't belong here: playing a world out
(`playout`), and what to do with the outcome (`bot`).
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from azi_p2p.bots.strength import expected_tricks
from azi_p2p.rules import Card, DealState, Phase, View, deck_of

World = dict[int, list[Card]]
"""For each live seat the cards in its hand."""

TRIES = 12
"""How often a world that breaks a proven void is dealt anew, before the void is let go."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What a seat knows about the cards of a deal.

    `hand`: its own cards. `unseen`: cards that may lie anywhere else. `others`: live seats with the number of cards
    that each holds. `voids`: suits in which a seat has proven to hold none. `set_aside`: hands are chosen from one
    card more than they hold (the discard of a four-card deal, while nobody has played yet).
    """

    seat: int
    hand: tuple[Card, ...]
    unseen: tuple[Card, ...]
    others: tuple[tuple[int, int], ...]
    voids: Mapping[int, frozenset[str]]
    set_aside: bool
    trump: str
    promoted_six: bool


def knowledge(view: View) -> Knowledge:
    """Sum up what the seat of a view knows in an open deal with cards."""
    deal, seat = view.state.deal, view.seat
    assert deal is not None, "there is a deal to think about"
    assert seat is not None, "an onlooker decides nothing"
    assert deal.trump is not None, "the deal has cards"
    seen = {card for hand in deal.hands if hand for card in hand if card is not None}
    unseen = tuple(card for card in deck_of(view.state.params) if card not in seen and card != deal.upcard)
    before_play = view.state.phase is not Phase.PLAYING
    size = 3 if before_play else 0
    others = tuple(
        (other, size or deal.held[other].bit_count()) for other in deal.live if other != seat and deal.held[other]
    )
    return Knowledge(
        seat=seat,
        hand=view.hand,
        unseen=unseen,
        others=others,
        voids=proven_voids(deal),
        set_aside=before_play and view.state.params.hand_size == 4,
        trump=deal.trump,
        promoted_six=deal.promoted_six,
    )


def proven_voids(deal: DealState) -> dict[int, frozenset[str]]:
    """Read from the tricks in which suits each seat can't hold a card any more."""
    voids: dict[int, frozenset[str]] = {}
    tricks = deal.tricks if deal.trick is None else (*deal.tricks, deal.trick)
    for trick in tricks:
        led = trick.cards[trick.leader]
        if led is None:
            continue
        for seat, card in enumerate(trick.cards):
            if card is None or card[1] == led[1]:
                continue
            missing = {led[1]} if card[1] == deal.trump else {led[1], str(deal.trump)}
            voids[seat] = voids.get(seat, frozenset()) | missing
    return voids


def deal_world(known: Knowledge, rng: random.Random, picky: Mapping[int, int]) -> World:
    """Deal the unseen cards at random to the other live seats.

    `picky` says for a seat how many hands it is given to choose the best from: 1 is a hand like any other; a seat that
    has bid is likelier to hold a good one. Proven voids are kept where a few tries find a way to.
    """
    world: World = {}
    for _ in range(TRIES):
        rest = rng.sample(known.unseen, len(known.unseen))
        world = {known.seat: list(known.hand)}
        fits = True
        for seat, size in known.others:
            hand = _draw(rest, size + known.set_aside, known.voids.get(seat, frozenset()))
            fits = fits and len(hand) == size + known.set_aside
            for _ in range(picky.get(seat, 1) - 1):
                other = _draw(rest, len(hand), known.voids.get(seat, frozenset()))
                worse, hand = sorted((hand, other), key=lambda cards: (len(cards), _worth(cards, known)))
                # What isn't kept goes to the front, where it is drawn from last.
                rest[:0] = worse
            if known.set_aside:
                hand = best_three(hand, known)
            world[seat] = hand
        if fits:
            break
    return world


def best_three(hand: Sequence[Card], known: Knowledge) -> list[Card]:
    """The three cards of four that promise most tricks."""
    kept = [[card for card in hand if card != dropped] for dropped in hand]
    return max(kept, key=lambda cards: _worth(cards, known))


def _worth(cards: Sequence[Card], known: Knowledge) -> float:
    return expected_tricks(cards, known.trump, promoted_six=known.promoted_six)


def _draw(rest: list[Card], size: int, void: frozenset[str]) -> list[Card]:
    """Take `size` cards from the end of `rest`, none of a void suit; fewer if there aren't enough."""
    if not void:
        hand = rest[len(rest) - size :]
        del rest[len(rest) - size :]
        return hand
    hand = [card for card in rest if card[1] not in void][:size]
    for card in hand:
        rest.remove(card)
    return hand
