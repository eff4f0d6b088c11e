"""A slice of the simulation: 300 seeds with the toy group, all kinds of trouble mixed; and one with the real group.

Many more: `python -m tests.simulation --seeds N`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter

import pytest

from tests.simulation.stories import KINDS, plan, run_seed
from tests.simulation.toygroup import toy_group

SEEDS = 300
AT_ONCE = 6
"""Seeds of one test, so that several workers can share them."""


@pytest.mark.timeout(400)
@pytest.mark.parametrize("start", range(0, SEEDS, AT_ONCE))
def test_everybody_agrees_in_the_end(start: int) -> None:
    with toy_group():
        reports = [run_seed(seed) for seed in range(start, start + AT_ONCE)]
    failed = [report for report in reports if report.failure is not None]
    assert not failed, "\n".join(line for report in failed for line in report.told())


def test_each_kind_of_trouble_is_among_them() -> None:
    kinds = Counter(plan(seed).story for seed in range(SEEDS))
    assert set(kinds) == set(KINDS)
    assert min(kinds.values()) >= SEEDS / len(KINDS) / 3


@pytest.mark.parametrize("seed", [22, 31])
def test_the_same_seed_is_the_same_story(seed: int) -> None:
    """To the byte, also where Python orders sets otherwise."""
    traces = {trace_in_a_process_of_its_own(seed, order) for order in ("1", "2")}
    with toy_group():
        traces.add(run_seed(seed).trace)
    assert len(traces) == 1
    assert traces != {trace_in_a_process_of_its_own(seed + 1, "1")}


def trace_in_a_process_of_its_own(seed: int, order: str) -> str:
    command = [sys.executable, "-m", "tests.simulation", "--seeds", "1", "--start", str(seed), "--trace"]
    environment = {**os.environ, "PYTHONHASHSEED": order}
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    trace = said.stdout.splitlines()[0].split()[-1]
    assert len(trace) == 64
    return trace


def test_with_the_real_group_too() -> None:
    report = run_seed(12, "withholding")
    assert report.failure is None, "\n".join(report.told())
