"""The payout: the worked cases, and what holds for all stakes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from azi_p2p.rules import Params
from azi_p2p.rules.payout import matched, payouts, proportional


@pytest.mark.parametrize(
    ("stakes", "winner", "by_match", "by_proportion"),
    [
        ((100, 100, 40), 2, (60, 60, 120), (72, 72, 96)),
        ((100, 100, 60, 40), 3, (60, 60, 20, 160), (69, 69, 42, 120)),
        ((200, 200, 140), 2, (60, 60, 420), (81, 81, 378)),
        ((160, 160, 40), 2, (120, 120, 120), (135, 135, 90)),
        ((0, 0, 7), 2, (0, 0, 7), (0, 0, 7)),
        ((5, 5, 0), 2, (5, 5, 0), (5, 5, 0)),
        ((0, 0, 0), 1, (0, 0, 0), (0, 0, 0)),
        # 7 chips, 3 of them the winner's due by 7*1/2; the other 4 go 2 : 2 : 2, the odd one clockwise from seat 1.
        ((2, 1, 2, 2), 1, (1, 4, 1, 1), (1, 3, 2, 1)),
    ],
)
def test_cases(stakes: tuple[int, ...], winner: int, by_match: tuple[int, ...], by_proportion: tuple[int, ...]) -> None:
    assert matched(stakes, winner) == by_match
    assert proportional(stakes, winner) == by_proportion
    assert sum(payouts(Params(), stakes, winner, short=False)) == sum(stakes)
    assert payouts(Params(), stakes, winner, short=False)[winner] == sum(stakes)


STAKES = st.lists(st.integers(0, 10**9), min_size=2, max_size=6).map(tuple)


@settings(derandomize=True, print_blob=True)
@given(STAKES, st.data())
def test_nothing_is_lost_and_nobody_pays_twice(stakes: tuple[int, ...], data: st.DataObject) -> None:
    winner = data.draw(st.integers(0, len(stakes) - 1))
    for divide in (matched, proportional):
        paid = divide(stakes, winner)
        assert sum(paid) == sum(stakes)
        assert min(paid) >= 0
        assert paid[winner] >= stakes[winner], "the winner at least keeps its own"
        if stakes[winner] == max(stakes):
            assert paid[winner] == sum(stakes), "with the highest stake the winner is matched by all"
    for seat, back in enumerate(matched(stakes, winner)):
        if seat != winner:
            assert back == max(0, stakes[seat] - stakes[winner])
