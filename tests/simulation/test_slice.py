"""A slice of the simulation: one evening of each kind of trouble, with the toy group; and one with the real one.

Many more: `python -m tests.simulation --seeds N`.
"""

from __future__ import annotations

import pytest

from tests.simulation.stories import KINDS, run_seed
from tests.simulation.toygroup import toy_group

SEEDS = {
    "vanishing": 15,
    "resets": 22,
    "partition": 11,
    "slowness": 28,
    "sleepers": 14,
    "withholding": 12,
    "equivocating": 23,
    "lying": 18,
    "mixed": 17,
}


def test_there_is_a_seed_for_each_kind() -> None:
    assert set(SEEDS) == {kind.__name__ for kind in KINDS}


@pytest.mark.parametrize("kind", SEEDS)
def test_everybody_agrees_after(kind: str) -> None:
    with toy_group():
        report = run_seed(SEEDS[kind])
    assert report.kind == kind, "the stories of the seeds have changed: choose others"
    assert report.failure is None, "\n".join(report.story)


def test_the_same_seed_is_the_same_story() -> None:
    with toy_group():
        assert run_seed(SEEDS["resets"]).trace == run_seed(SEEDS["resets"]).trace


def test_with_the_real_group_too() -> None:
    report = run_seed(SEEDS["withholding"])
    assert report.failure is None, "\n".join(report.story)
