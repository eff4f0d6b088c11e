"""The share of Azi in random play, in a slice: `python -m tests.statistics` counts with care."""

from __future__ import annotations

import pytest

from tests.statistics import EXPECTED, Share, share_of_azi


@pytest.mark.parametrize("seats", EXPECTED)
def test_share_of_azi(seats: int) -> None:
    found = share_of_azi(seats, 3, 1500, seed=11)
    low, high = found.bounds
    assert low <= EXPECTED[seats][1]
    assert high >= EXPECTED[seats][0]


def test_two_seats_never_reach_an_azi() -> None:
    assert share_of_azi(2, 3, 300, seed=11).azi == 0


def test_bounds() -> None:
    low, high = Share(4, 3, 1000, 300).bounds
    assert (round(low, 4), round(high, 4)) == (0.2724, 0.3291)
    assert Share(2, 3, 100, 0).bounds[1] == pytest.approx(0.037, abs=0.001)
