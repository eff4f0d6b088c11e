"""How often deals end in an Azi: `python -m tests.statistics --deals 20000` prints a table with error bars.

Random legal play with nobody folding, fresh chips for each deal. What doesn't belong here: how good players fare.
"""

from __future__ import annotations

import argparse
import math
import random
from dataclasses import dataclass

from azi_p2p.cli.simulate import play_random_deal
from azi_p2p.rules import Params, new_table

EXPECTED = {3: (0.14, 0.18), 4: (0.26, 0.33), 6: (0.43, 0.51)}
"""Where the share of Azi lies, by seats; a simulation far outside points to a fault."""


@dataclass(frozen=True, slots=True)
class Share:
    """How many of some deals ended in an Azi. `low` and `high` bound the share with a confidence of 95 %."""

    seats: int
    hand_size: int
    deals: int
    azi: int

    @property
    def share(self) -> float:
        return self.azi / self.deals

    @property
    def bounds(self) -> tuple[float, float]:
        """The interval of Wilson (1927), which holds near 0 too."""
        z = 1.959964
        middle = (self.share + z * z / (2 * self.deals)) / (1 + z * z / self.deals)
        spread = self.share * (1 - self.share) / self.deals + z * z / (4 * self.deals**2)
        half = z * math.sqrt(spread) / (1 + z * z / self.deals)
        return middle - half, middle + half


def share_of_azi(seats: int, hand_size: int, deals: int, seed: int) -> Share:
    """Play so many random deals and count the Azi."""
    params = Params.from_mapping({"seats": seats, "hand_size": hand_size})
    rng = random.Random(seed)
    fresh = new_table(params, [params.start_chips] * seats)
    azi = 0
    for _ in range(deals):
        state, _ = play_random_deal(fresh, rng, fold=False)
        azi += state.deal is not None and state.deal.result == "azi"
    return Share(seats, hand_size, deals, azi)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.statistics", description=__doc__)
    parser.add_argument("--deals", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    print(f"{asked.deals} deals each, random legal play, nobody folds, seed {asked.seed}")
    print(f"{'seats':>5} {'cards':>5} {'Azi':>7}   {'95 %':^17} expected")
    for hand_size in (3, 4):
        for seats in range(2, 7):
            found = share_of_azi(seats, hand_size, asked.deals, asked.seed)
            low, high = found.bounds
            expected = "none" if seats == 2 else ""
            if seats in EXPECTED and hand_size == 3:
                expected = f"{EXPECTED[seats][0]:.0%} to {EXPECTED[seats][1]:.0%}"
            print(f"{seats:>5} {hand_size:>5} {found.share:>7.2%}   {low:>7.2%} to {high:>6.2%} {expected}".rstrip())


if __name__ == "__main__":
    main()
