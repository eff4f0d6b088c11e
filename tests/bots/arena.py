"""Bots against bots with the rules alone: who wins how much, with an interval.

`python -m tests.bots.arena --deals 4000 hard easy` plays with equal seats (levels alternate round the table, and the
cards of each deal are used once for every rotation of the seats), prints the mean gain of the first level for each
seat and deal in antes, and its 95 % interval. No cryptography, no network.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from azi_p2p.bots import LEVELS, Bot, make_bot
from azi_p2p.rules import Deal, Params, Phase, State, apply, deal_seats, deck_of, new_table, owed, view_for


def deal_cards(state: State, cards: Sequence[str], draw: int) -> Deal:
    """The deal that hands out these cards in order."""
    size = state.params.hand_size
    seats = deal_seats(state)
    rest = list(cards)
    hands: list[tuple[str, ...] | None] = [None] * state.params.seats
    for seat in seats:
        hands[seat] = tuple(rest[:size])
        del rest[:size]
    return Deal(tuple(hands), rest[0], draw)  # type: ignore[arg-type]  # a Card is a str by another name


@dataclass
class Timing:
    """Slowest and total processor time that a level has taken for its decisions, in seconds."""

    slowest: float = 0.0
    total: float = 0.0
    decisions: int = 0


def play_until_paid(
    params: Params, bots: Sequence[Bot], cards: random.Random, thought: random.Random, timing: list[Timing]
) -> tuple[int, ...]:
    """Play one deal and its replays until the pot is won or nobody can go on; gives each seat's gain in chips."""
    state = new_table(params, [params.start_chips] * params.seats)
    while True:
        deck = list(deck_of(params))
        cards.shuffle(deck)
        state = apply(state, deal_cards(state, deck, cards.randrange(params.seats)))
        while state.phase is not Phase.BETWEEN:
            seat = owed(state)[0]
            view = view_for(state, seat)
            begun = time.process_time()
            action = bots[seat].choose(view, view.options, thought)
            spent = time.process_time() - begun
            timing[seat].slowest = max(timing[seat].slowest, spent)
            timing[seat].total += spent
            timing[seat].decisions += 1
            state = apply(state, action)
        if not state.pot or len(deal_seats(state)) < 2:
            share = state.stakes
            return tuple(chips + stake - params.start_chips for chips, stake in zip(state.chips, share, strict=True))


def compare(first: str, second: str, deals: int, params: Params, seed: int) -> tuple[float, float, dict[str, Timing]]:
    """Mean gain of `first` for each of its seats and deal, in antes, with the half-width of its 95 % interval.

    Every deal of cards is played twice, with the levels changing places.
    """
    makers = {name: make_bot(name) for name in (first, second)}
    timings = {name: Timing() for name in makers}
    gains: list[float] = []
    for number in range(deals):
        total = 0.0
        for turn in (0, 1):
            names = [(first, second)[(seat + turn) % 2] for seat in range(params.seats)]
            result = play_until_paid(
                params,
                [makers[name] for name in names],
                random.Random(seed * 1_000_003 + number),
                random.Random(seed + number * 2 + turn),
                [timings[name] for name in names],
            )
            own = [gain for gain, name in zip(result, names, strict=True) if name == first]
            total += sum(own) / len(own) / params.ante
        gains.append(total / 2)
    mean = sum(gains) / len(gains)
    spread = math.sqrt(sum((gain - mean) ** 2 for gain in gains) / (len(gains) - 1) / len(gains))
    return mean, 1.96 * spread, timings


def main() -> None:
    parser = argparse.ArgumentParser(description="Bots against bots.")
    parser.add_argument("first", choices=LEVELS)
    parser.add_argument("second", choices=LEVELS)
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--hand-size", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    params = Params(seats=wanted.seats, hand_size=wanted.hand_size)
    mean, half, timings = compare(wanted.first, wanted.second, wanted.deals, params, wanted.seed)
    print(
        f"{wanted.first} against {wanted.second}: {mean:+.2f} antes a seat and deal (95 %: {mean - half:+.2f} to "
        f"{mean + half:+.2f}), {wanted.deals} deals, {wanted.seats} seats, {wanted.hand_size} cards, seed {wanted.seed}"
    )
    for name, timing in timings.items():
        print(
            f"  {name}: {1000 * timing.total / max(1, timing.decisions):.1f} ms a decision, "
            f"{1000 * timing.slowest:.0f} ms at most"
        )
    sys.exit(0)


if __name__ == "__main__":
    main()
