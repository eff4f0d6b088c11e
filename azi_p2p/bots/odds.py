"""Chances by sampling: how often a seat would win the deal, over guessed worlds played out.

What doesn't belong here: turning chances into bids (`bidding`).
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from azi_p2p.bots.playout import AZI, play_out, strength_tables, table_for
from azi_p2p.bots.worlds import World, deal_world, knowledge
from azi_p2p.rules import Card, DealState, View


@dataclass(frozen=True, slots=True)
class Chance:
    """How the deal ends for the seat that asks: `win` and `azi` between 0 and 1; the rest is lost."""

    win: float
    azi: float


def card_chances(
    view: View, cards: Sequence[Card], rng: random.Random, worlds: int, picky: Mapping[int, int]
) -> dict[Card, Chance]:
    """For each card that the seat may play now: its chances after it. All cards are tried in the same worlds."""
    deal = _open_deal(view)
    known = knowledge(view)
    by_led = strength_tables(known.trump, promoted_six=known.promoted_six)
    leader = deal.to_act if deal.to_act is not None else known.seat
    outcomes: dict[Card, list[int]] = {card: [] for card in cards}
    for _ in range(worlds):
        world = deal_world(known, rng, picky)
        for card in cards:
            outcomes[card].append(play_out(table_for(deal, world, by_led, leader), card))
    return {
        card: Chance(results.count(known.seat) / worlds, results.count(AZI) / worlds)
        for card, results in outcomes.items()
    }


def discard_chances(view: View, cards: Sequence[Card], rng: random.Random, worlds: int) -> dict[Card, Chance]:
    """For each card of a four-card hand: the seat's chances once it has laid that card aside."""
    deal = _open_deal(view)
    known = knowledge(view)
    by_led = strength_tables(known.trump, promoted_six=known.promoted_six)
    leader = deal.opener if deal.opener is not None else known.seat
    outcomes: dict[Card, list[int]] = {card: [] for card in cards}
    for _ in range(worlds):
        world = deal_world(known, rng, {})
        for card in cards:
            kept: World = {**world, known.seat: [held for held in known.hand if held != card]}
            outcomes[card].append(play_out(table_for(deal, kept, by_led, leader)))
    return {
        card: Chance(results.count(known.seat) / worlds, results.count(AZI) / worlds)
        for card, results in outcomes.items()
    }


def _open_deal(view: View) -> DealState:
    deal = view.state.deal
    assert deal is not None, "there is a deal to think about"
    return deal
