"""What a bid, a call or a fold is worth: guessed worlds, the others' likely answers, and the rest played out.

Folding is worth 0; everything else is reckoned against it, in chips. What doesn't belong here: which level of bot
reckons how carefully (`bot`).
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from azi_p2p.bots.playout import AZI, play_out, strength_tables, table_for
from azi_p2p.bots.strength import expected_tricks, quick_chance
from azi_p2p.bots.worlds import World, deal_world, knowledge
from azi_p2p.rules import DealState, State, View


@dataclass(frozen=True, slots=True)
class Prospect:
    """A way to stay in: `to` is the total bid by the own seat after it, `raising` whether the others must answer."""

    to: int
    raising: bool


@dataclass(frozen=True, slots=True)
class Outlook:
    """How a bot looks at the others. `folding`: how surely it expects them to fold bad hands (0: never, 1: always);
    `caution`: how much it minds to risk a large part of its chips (0: not at all)."""

    folding: float
    caution: float


def expectations(
    view: View,
    prospects: Sequence[Prospect],
    rng: random.Random,
    worlds: int,
    picky: Mapping[int, int],
    outlook: Outlook,
) -> dict[Prospect, float]:
    """For each prospect the chips that it gains on average over folding now, less what caution takes off.

    All prospects are tried in the same worlds.
    """
    state, deal = view.state, view.state.deal
    assert deal is not None, "there is a deal to bid in"
    known = knowledge(view)
    by_led = strength_tables(known.trump, promoted_six=known.promoted_six)
    totals = dict.fromkeys(prospects, 0.0)
    for _ in range(worlds):
        world = deal_world(known, rng, picky)
        tricks = {
            seat: expected_tricks(hand, known.trump, promoted_six=known.promoted_six) for seat, hand in world.items()
        }
        answering = {seat for seat in deal.live if rng.random() < outlook.folding}
        played: dict[tuple[tuple[int, ...], int], int] = {}
        for prospect in prospects:
            staying = tuple(
                seat
                for seat in deal.live
                if seat != known.seat
                and (seat not in answering or _stays(state, deal, seat, prospect, tricks.get(seat, 0.0)))
            )
            leader = known.seat if prospect.raising or deal.bidder is None else deal.bidder
            if not staying:
                totals[prospect] += state.pot
                continue
            if (staying, leader) not in played:
                there: World = {seat: hand for seat, hand in world.items() if seat in staying or seat == known.seat}
                played[staying, leader] = play_out(table_for(deal, there, by_led, leader))
            totals[prospect] += _gain(state, deal, known.seat, prospect, staying, played[staying, leader])
    return {
        prospect: total / worlds
        - outlook.caution * _price(state, deal, known.seat, prospect.to) ** 2 / max(1, state.chips[known.seat])
        for prospect, total in totals.items()
    }


def _price(state: State, deal: DealState, seat: int, to: int) -> int:
    """Chips that a seat still pays to have bid `to`, as far as it has them."""
    return max(0, min(to - deal.bids[seat], state.chips[seat]))


def _stays(state: State, deal: DealState, seat: int, prospect: Prospect, tricks: float) -> bool:
    """Whether another seat would pay to stay in, as its hand in the guessed world suggests."""
    price = _price(state, deal, seat, prospect.to)
    return price == 0 or quick_chance(tricks, len(deal.live)) * (state.pot + price) >= price


def _gain(state: State, deal: DealState, seat: int, prospect: Prospect, staying: Sequence[int], winner: int) -> float:
    """Chips that the seat gains over folding if these others stay and the deal ends like this."""
    cost = _price(state, deal, seat, prospect.to)
    pot = state.pot + cost + sum(_price(state, deal, other, prospect.to) for other in staying)
    if winner == seat:
        if deal.bids[seat] + cost >= prospect.to:
            return pot - cost
        # Short: from every stake only as much as the own one.
        own = state.stakes[seat] + cost
        return (
            sum(
                min(stake + (_price(state, deal, other, prospect.to) if other in staying else 0), own)
                for other, stake in enumerate(state.stakes)
                if other != seat
            )
            + own
            - cost
        )
    if winner == AZI:
        return pot / len(deal.dealt_in) - cost
    return -cost
