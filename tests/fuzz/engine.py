"""The loop: so many inputs to a target, each judged and measured; what goes wrong is kept.

Deterministic: input number N of a target under a seed is the same everywhere. Coverage doesn't guide it; `guided`
does that where atheris is installed.
"""

from __future__ import annotations

import hashlib
import random
import resource
import sys
import time
import tracemalloc
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.targets import Target, check_line

CRASHES = Path(__file__).parent / "crashes"
"""Inputs that went wrong once; they are read by the suite for ever."""

KEPT = 400
"""Inputs on which new ones are built, beside the seeds."""

TRACED = 101
"""Heap use is traced for one input in so many: it slows the reader down several times."""


@dataclass(frozen=True, slots=True)
class Guidance:
    """What libFuzzer says of a run: edges of the program that the seeds reach and that were reached at the end, inputs
    kept because they did something new, and how many it builds on at the end (seeds too)."""

    edges_of_seeds: int
    edges: int
    new_units: int
    corpus: int


@dataclass(slots=True)
class Report:
    """What a run over one target came to; times in processor seconds, memory in bytes.

    `inputs`: without the seeds and what once went wrong, which are tried first. `taken`: how many of them the reader
    took. `wrong`: (input, what was wrong) of all inputs that break a promise of the target.
    """

    target: str
    inputs: int = 0
    taken: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    largest: int = 0
    grown: int = 0
    wrong: list[tuple[bytes, str]] = field(default_factory=list)
    guidance: Guidance | None = None

    def line(self) -> str:
        """One line for people."""
        found = self.guidance
        guided = "" if found is None else f"; edges {found.edges_of_seeds} to {found.edges}"
        return (
            f"{self.target:>9} {self.inputs:>8} inputs, {self.taken:>7} taken, {self.seconds:8.1f} s; at most "
            f"{self.slowest * 1000:7.1f} ms and {self.largest / 1024:7.0f} KiB for one, process grew by "
            f"{self.grown / 2**20:5.1f} MiB{guided}; wrong: {len(self.wrong)}"
        )


def try_input(target: Target, data: bytes, report: Report, *, traced: bool = False) -> None:
    """Hand one input to the reader and judge what it does; what is wrong goes into the report."""
    report.inputs += 1
    if traced:
        tracemalloc.start()
    began = time.thread_time()
    try:
        target.read(data)
        report.taken += 1
    except target.raises as error:
        try:
            check_line(str(error))
        except AssertionError as unclear:
            report.wrong.append((data, f"{type(error).__name__}: {unclear}"))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what we are looking for
        data = getattr(error, "whole_input", data)
        report.wrong.append((data, f"{type(error).__name__}: {error}"))
    spent = time.thread_time() - began
    if traced:
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        report.largest = max(report.largest, size)
        if size > target.memory:
            report.wrong.append((data, f"took {size} bytes of memory"))
        return
    report.seconds += spent
    report.slowest = max(report.slowest, spent)
    if spent > target.seconds:
        report.wrong.append((data, f"took {spent:.2f} s"))


def try_given(target: Target) -> Report:
    """Try the seeds, which the reader mostly has to take, and what once went wrong.

    Gives a report with the faults found and no inputs counted: the run that follows counts its own.
    """
    report = Report(target.name)
    seeds = target.seeds()
    for number, data in enumerate((*seeds, *crashes(target.name))):
        taken, faults = report.taken, len(report.wrong)
        try_input(target, data, report, traced=True)
        must_be_taken = target.sound_seeds and number < len(seeds)
        if must_be_taken and report.taken == taken and len(report.wrong) == faults:
            report.wrong.append((data, "refused, though honest peers write it"))
        try_input(target, data, report)
    report.inputs = report.taken = 0
    report.seconds = 0.0
    return report


def run(target: Target, inputs: int, seed: int) -> Report:
    """Try what is given, then so many mutations of the seeds and of all that was taken."""
    report = try_given(target)
    chance = random.Random(f"{seed} {target.name}")
    seeds = target.seeds()
    pool = list(seeds)
    before = peak_memory()
    for number in range(inputs):
        data = target.mutation(chance, chance.choice(pool), seeds)
        taken = report.taken
        try_input(target, data, report, traced=number % TRACED == 0)
        if report.taken > taken and len(pool) < len(seeds) + KEPT:
            pool.append(data)
    report.grown = peak_memory() - before
    return report


def peak_memory() -> int:
    """The most memory that this process has had so far, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def crashes(name: str) -> list[bytes]:
    """The inputs of a target that went wrong once."""
    return [path.read_bytes() for path in sorted(CRASHES.glob(f"{name}-*"))]


def keep(target: str, data: bytes) -> Path:
    """Keep an input that went wrong among the regression tests."""
    CRASHES.mkdir(exist_ok=True)
    path = CRASHES / f"{target}-{hashlib.sha256(data).hexdigest()[:12]}"
    path.write_bytes(data)
    return path
