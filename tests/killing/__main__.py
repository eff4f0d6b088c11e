"""Kill a real peer at every write: `python -m tests.killing [--from A] [--to B] [--step S] [--hand-size N] …`.

For each write of the first half of a table of three, a whole table of four deals is played in which the peer dies at
that write and is started again. Exit code 1 if any of them doesn't come to its end as it must.
"""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from tests.killing.evening import Evening, play

DEALS = 4


def main() -> int:
    """Parse, play, report."""
    parser = argparse.ArgumentParser(prog="python -m tests.killing", description=__doc__)
    parser.add_argument("--from", dest="first", type=int, default=1, help="the first write")
    parser.add_argument("--to", dest="last", type=int, default=0, help="the last write; 0: half of all")
    parser.add_argument("--step", type=int, default=1, help="every how many-th write")
    parser.add_argument("--hand-size", type=int, choices=(3, 4), default=3)
    parser.add_argument("--founder", action="store_true", help="the founder of the table is killed")
    parser.add_argument("--jobs", type=int, default=1, help="tables at the same time")
    options = parser.parse_args()
    victim = 0 if options.founder else 1
    began = time.monotonic()
    last = options.last
    if not last:
        whole = play(victim, 0, options.hand_size, DEALS)
        if whole.problem is not None:
            print(whole.problem)
            return 1
        last = whole.writes // 2
        print(f"nobody is killed: {whole.writes} writes", flush=True)
    failed = killed = 0

    def one(chosen: int) -> Evening:
        return play(victim, chosen, options.hand_size, DEALS)

    with ThreadPoolExecutor(options.jobs) as pool:
        for evening in pool.map(one, range(options.first, last + 1, options.step)):
            killed += evening.killed
            failed += evening.problem is not None
            verdict = "well" if evening.problem is None else evening.problem
            print(f"killed at write {evening.chosen}: {verdict}", flush=True)
    print(f"{killed} killed, {failed} not well, in {time.monotonic() - began:.0f} s")
    return 1 if failed or not killed else 0


if __name__ == "__main__":
    sys.exit(main())
