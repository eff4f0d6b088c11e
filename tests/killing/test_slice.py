"""A slice of the killing: a peer that dies early, one in the middle, the founder. More: `python -m tests.killing`."""

from __future__ import annotations

import pytest

from tests.killing.evening import play


@pytest.mark.slow
@pytest.mark.parametrize(
    ("victim", "chosen", "hand_size"),
    [(1, 34, 3), (1, 75, 4), (0, 61, 3)],
    ids=["at the first cards", "in the second deal", "the founder"],
)
def test_a_peer_that_is_killed_comes_back_by_itself(victim: int, chosen: int, hand_size: int) -> None:
    evening = play(victim, chosen, hand_size, deals=3)
    assert evening.problem is None, evening.problem
    assert evening.killed, "it was to die at this write"
