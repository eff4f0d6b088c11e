"""The whole run: `python -m tests.fuzz --inputs 1000000`.

Inputs are spread over the targets by their shares. Coverage guides them where atheris is installed
(`pip install 'azi-p2p[fuzz]'`); elsewhere they are mutations by chance from the seed. What goes wrong is kept in
`tests/fuzz/crashes`, where the suite reads it from then on. Exit code 1 if anything did, or if a target's process
broke off. Under guidance the last line says of each target how many inputs were kept because they reached something
new, and of how many the corpus consists at the end (with the seeds).
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time

from tests.fuzz import engine, guided
from tests.fuzz.targets import TARGETS

SHOWN = 5
"""Faults shown and kept for one target: the rest are most likely the same ones."""


def main(arguments: list[str] | None = None) -> int:
    """Run, print a line for each target, and give the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000_000, metavar="N", help="inputs in all (1000000)")
    parser.add_argument("--target", choices=sorted(TARGETS), action="append", help="only this one; may be repeated")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="where chance begins (1)")
    parser.add_argument("--unguided", action="store_true", help="mutations by chance even where atheris is installed")
    asked = parser.parse_args(arguments)
    targets = [TARGETS[name] for name in asked.target or TARGETS]
    shares = sum(target.share for target in targets)
    by_coverage = not asked.unguided and importlib.util.find_spec("atheris") is not None
    print(f"seed {asked.seed}, guided by {'coverage (atheris)' if by_coverage else 'chance alone'}", flush=True)
    began = time.perf_counter()
    total = wrong = 0
    units = []
    for target in targets:
        inputs = max(1, round(asked.inputs * target.share / shares))
        run = guided.run if by_coverage else engine.run
        try:
            report = run(target, inputs, asked.seed)
        except guided.BrokenOffError as broken:
            print(f"{target.name:>9} {broken}", flush=True)
            wrong += 1
            continue
        print(report.line(), flush=True)
        if report.guidance is not None:
            units.append(f"{target.name} {report.guidance.new_units}/{report.guidance.corpus}")
        for data, message in report.wrong[:SHOWN]:
            print(f"          {engine.keep(target.name, data)}: {message}", flush=True)
        total += report.inputs
        wrong += len(report.wrong)
    print(f"{total} inputs in {time.perf_counter() - began:.0f} s; wrong: {wrong}")
    if units:
        print(f"new units/corpus: {', '.join(units)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
