"""The whole comparison: `python -m tests.second_opinion --deals 100000`."""

from __future__ import annotations

import argparse
import time

from tests.second_opinion.compare import compare


def main() -> None:
    """Compare, and print what came up."""
    parser = argparse.ArgumentParser(prog="python -m tests.second_opinion", description=__doc__)
    parser.add_argument("--deals", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    began = time.perf_counter()
    seen = compare(asked.deals, asked.seed)
    seconds = time.perf_counter() - began
    print(f"{asked.deals} deals, seed {asked.seed}: both opinions agree at every step ({seconds:.0f} s).")
    for name, count in sorted(seen.items(), key=lambda item: -item[1]):
        print(f"{count:>10}  {name}")


if __name__ == "__main__":
    main()
