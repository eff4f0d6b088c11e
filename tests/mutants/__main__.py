"""The command: `python -m tests.mutants [--list] [--only NAME ...] [--jobs J]`.

Takes out one check of the program at a time, in a private copy, and runs the tests that defend it. Prints for each
mutant which test has caught it. Exit code 0 only if all are caught, 1 if one isn't, 2 if the catalogue is out of date.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tests.mutants.catalogue import MUTANTS
from tests.mutants.mutant import Mutant, Stale
from tests.mutants.running import ROOT, Runner, Verdict


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; gives the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--list", action="store_true", help="say which mutants there are, and run none")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only those whose name or file contains this")
    parser.add_argument("--jobs", type=int, default=1, metavar="J", help="how many at the same time (1)")
    asked = parser.parse_args(arguments)
    chosen = [mutant for mutant in MUTANTS if asked.only is None or any(_is_meant(mutant, n) for n in asked.only)]
    if not chosen:
        print("no mutant has such a name; --list names them all")
        return 2
    try:
        for mutant in MUTANTS:
            mutant.apply(ROOT)
    except Stale as error:
        print(f"the catalogue is out of date: {error}")
        return 2
    if asked.list:
        with _may_be_cut_off():
            for mutant in chosen:
                tests = f"equivalent: {mutant.equivalent}" if mutant.equivalent else " ".join(mutant.tests)
                print(f"{mutant.name}\n    {mutant.claim}\n    {mutant.file}: {tests}")
            print(f"{len(chosen)} mutants", flush=True)
        return 0
    return run(chosen, max(1, asked.jobs))


@contextmanager
def _may_be_cut_off() -> Iterator[None]:
    """What is printed here may go to a `head` that has read enough: then the rest goes nowhere."""
    try:
        yield
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _is_meant(mutant: Mutant, name: str) -> bool:
    return name.lower() in mutant.name.lower() or name in mutant.file


def run(chosen: Sequence[Mutant], jobs: int) -> int:
    """Run these mutants, print what has become of each, and give the exit code."""
    began = time.monotonic()
    left: list[Verdict] = []
    equivalent = [mutant for mutant in chosen if mutant.equivalent]
    running = [mutant for mutant in chosen if not mutant.equivalent]
    for verdict in Runner(jobs).run(running):
        mark = "caught" if verdict.caught_by else "LEFT  "
        print(f"{mark} {verdict.seconds:5.1f} s  {verdict.mutant.name}: {verdict.mutant.claim}")
        print(f"                {verdict.caught_by or verdict.problem or 'nothing noticed it'}", flush=True)
        if not verdict.caught_by:
            left.append(verdict)
    for mutant in equivalent:
        print(f"same            {mutant.name}: {mutant.equivalent}")
    print(
        f"{len(running)} mutants run in {time.monotonic() - began:.0f} s: {len(running) - len(left)} caught, "
        f"{len(left)} not; {len(equivalent)} equivalent"
    )
    for verdict in left:
        print(f"not caught: {verdict.mutant.name} ({verdict.mutant.file})")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
