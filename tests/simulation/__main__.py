"""Run many simulated evenings: `python -m tests.simulation --seeds N [--start S] [--kind K] [--real] [--jobs J]`.

Prints each failing seed with its story; exit code 1 if there is any. The toy group is used unless --real is given.
With --story the stories of the others are told too, with --trace a digest of everything that was sent and written.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

from tests.simulation.defences import try_all
from tests.simulation.stories import KINDS, NAMED, Report, run_schedule, run_seed
from tests.simulation.toygroup import toy_group


def run_one(task: tuple[int, str | None, bool]) -> Report:
    """Run one seed in this process."""
    seed, kind, real = task
    with contextlib.nullcontext() if real else toy_group():
        return run_schedule(kind, seed) if kind in NAMED else run_seed(seed, kind)


def run_many(tasks: list[tuple[int, str | None, bool]], jobs: int) -> Iterator[Report]:
    """Run seeds on several processes, in order."""
    if jobs == 1:
        yield from map(run_one, tasks)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(run_one, tasks, chunksize=4)


def without_defences() -> int:
    """Try the seeds of all defences; the exit code is 1 if one isn't shown to be needed."""
    missed = 0
    for outcome in try_all():
        missed += not outcome.needed
        said = outcome.why or "nothing failed without it"
        print(f"{outcome.defence.name}: {said if outcome.holds_with else 'the seed fails as it is'}", flush=True)
    return 1 if missed else 0


def main() -> int:
    """Parse, run, report."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--seeds", type=int, help="how many")
    what.add_argument(
        "--without-defences", action="store_true", help="take out one defence at a time; a seed must fail"
    )
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument(
        "--kind",
        choices=[*(kind.__name__ for kind in KINDS), *NAMED],
        metavar="K",
        help=f"only this: {', '.join((*(kind.__name__ for kind in KINDS), *NAMED))}",
    )
    parser.add_argument("--real", action="store_true", help="the real group instead of the toy one")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--story", action="store_true", help="tell the story of each seed, failed or not")
    parser.add_argument("--trace", action="store_true", help="print a digest of all that happened in each seed")
    arguments = parser.parse_args()
    if arguments.without_defences:
        return without_defences()
    tasks = [
        (seed, arguments.kind, arguments.real) for seed in range(arguments.start, arguments.start + arguments.seeds)
    ]
    kinds: Counter[str] = Counter()
    failed = 0
    began = time.monotonic()
    for report in run_many(tasks, arguments.jobs):
        kinds[report.kind] += 1
        if arguments.trace:
            print(f"seed {report.seed} ({report.kind}): {report.trace}", flush=True)
        failed += report.failure is not None
        if arguments.story or report.failure is not None:
            print("\n".join(report.told()), flush=True)
    seconds = time.monotonic() - began
    counted = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
    print(f"{arguments.seeds} seeds in {seconds:.0f} s: {failed} failed. {counted}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
