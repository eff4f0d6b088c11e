"""The speed of the rules: whole random deals with four seats, `legal_actions` included.

`pytest tests/benchmarks/test_rules_speed.py` prints the figures. How fast the machine is, no test decides.
"""

from __future__ import annotations

import random

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from azi_p2p.cli.simulate import measure_speed, play_random_deal
from azi_p2p.rules import Params, digest, legal_actions, new_table, view_for


@pytest.mark.parametrize("hand_size", [3, 4])
def test_random_deals(benchmark: BenchmarkFixture, hand_size: int) -> None:
    fresh = new_table(Params(hand_size=hand_size), [1000] * 4)
    rng = random.Random(1)
    state, actions = benchmark(lambda: play_random_deal(fresh, rng))
    assert actions > 3
    assert state.deal is not None
    assert state.deal.result is not None


def test_views_and_digests(benchmark: BenchmarkFixture) -> None:
    state, _ = play_random_deal(new_table(Params(), [1000] * 4), random.Random(1))
    answer = benchmark(lambda: (digest(state), view_for(state, 0), legal_actions(state)))
    assert len(answer[0]) == 32


def test_measure_speed_counts_what_it_plays() -> None:
    times = iter((10.0, 12.0))
    speed = measure_speed(30, seed=1, clock=lambda: next(times))
    assert (speed.deals, speed.seconds, speed.deals_per_second) == (30, 2.0, 15.0)
    assert speed.actions > 90
