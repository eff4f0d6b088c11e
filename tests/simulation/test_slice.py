"""A slice of the simulation: one evening of each kind of trouble, with the toy group; and one with the real one.

Many more: `python -m tests.simulation --seeds N`.
"""

from __future__ import annotations

import pytest

from tests.simulation.stories import KINDS, run_seed
from tests.simulation.toygroup import toy_group

KIND_NAMES = [kind.__name__ for kind in KINDS]


@pytest.mark.parametrize("kind", KIND_NAMES)
def test_everybody_agrees_after(kind: str) -> None:
    with toy_group():
        report = run_seed(3, kind)
    assert report.failure is None, "\n".join(report.story)


def test_the_same_seed_is_the_same_story() -> None:
    with toy_group():
        assert run_seed(22, "resets").trace == run_seed(22, "resets").trace


def test_with_the_real_group_too() -> None:
    report = run_seed(12, "withholding")
    assert report.failure is None, "\n".join(report.story)
