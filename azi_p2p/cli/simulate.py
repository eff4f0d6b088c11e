"""Random play by the rules: for measuring the engine, and for counting how often things happen.

What doesn't belong here: players who think (`bots`), and cryptography.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

from azi_p2p.rules import (
    Card,
    Deal,
    Params,
    Phase,
    State,
    apply,
    deal_seats,
    deck_of,
    legal_actions,
    needs_draw,
    new_table,
)


@dataclass(frozen=True, slots=True)
class Speed:
    """How many random deals were played, with how many actions, in how many seconds."""

    deals: int
    actions: int
    seconds: float

    @property
    def deals_per_second(self) -> float:
        """Deals in a second."""
        return self.deals / self.seconds


def random_cards(state: State, rng: random.Random) -> Deal:
    """Give the next deal of a table with random cards, and a random draw where one is needed."""
    params = state.params
    size = params.hand_size
    seats = deal_seats(state)
    chance = rng.random
    deck = list(deck_of(params))
    count = len(deck)
    cards = []
    for top in range(size * len(seats) + 1):
        other = top + int(chance() * (count - top))
        cards.append(deck[other])
        deck[other] = deck[top]
    hands: list[tuple[Card, ...] | None] = [None] * params.seats
    for number, seat in enumerate(seats):
        hands[seat] = tuple(cards[number * size : (number + 1) * size])
    draw = int(chance() * params.seats) if needs_draw(state) else None
    return Deal(tuple(hands), cards[-1], draw)


def play_random_deal(state: State, rng: random.Random, *, fold: bool = True) -> tuple[State, int]:
    """Play one deal with random cards and random legal actions; gives the state after it, and the count of actions.

    All options are equally likely; a bid is a step or two above the least, so that deals don't end all in. Without
    `fold` nobody folds where it has another choice. The table must have two seats that can be dealt in.
    """
    bits, between, step = rng.getrandbits, Phase.BETWEEN, state.params.min_bid
    state = apply(state, random_cards(state, rng))
    count = 1
    while state.phase is not between:
        options = legal_actions(state)
        if not fold:
            options = tuple([option for option in options if option.do != "fold"]) or options
        option = options[bits(16) * len(options) >> 16]
        to = option.min
        if to is not None and bits(1):
            to = min(option.max or to, to + step)
        state = apply(state, option.action(to))
        count += 1
    return state, count


def measure_speed(
    deals: int, seed: int, seats: int = 4, hand_size: int = 3, clock: Callable[[], float] = time.perf_counter
) -> Speed:
    """Play so many random deals, every tenth at a fresh table, and measure the time on one core."""
    params = Params.from_mapping({"seats": seats, "hand_size": hand_size})
    rng = random.Random(seed)  # noqa: S311 - cards for a measurement, not for a game
    fresh = new_table(params, [params.start_chips] * seats)
    state, actions = fresh, 0
    began = clock()
    for number in range(deals):
        # Nobody is left out while all have chips: that is asked first, because it is asked of every deal.
        if number % 10 == 0 or (0 in state.chips and len(deal_seats(state)) < seats):
            state = fresh
        state, count = play_random_deal(state, rng)
        actions += count
    return Speed(deals, actions, clock() - began)
