"""Seeds in which votes of different rounds crossed, and ones in which an earlier draft of the program stood still.

Links are so slow in most of them that a majority of claims is known to some long before a later round ends in acks
for others.
"""

from __future__ import annotations

import pytest

from tests.simulation.stories import run_seed

pytestmark = pytest.mark.usefixtures("ideal_cryptography")

CROSSED = (9, 20, 32, 37, 121, 125, 173, 5012, 5014, 5059)


@pytest.mark.parametrize("seed", CROSSED)
def test_the_later_round_stands_for_everybody(seed: int) -> None:
    report = run_seed(seed, "slowness")
    assert report.failure is None, "\n".join(report.told())


@pytest.mark.parametrize(("seed", "kind"), [(342, "mixed"), (362, "lying")])
def test_everybody_dies_before_anything_is_written_and_who_lies_in_the_vote_lane(seed: int, kind: str) -> None:
    report = run_seed(seed, kind)
    assert report.failure is None, "\n".join(report.told())
