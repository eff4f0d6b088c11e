"""The schedules with names: each comes to its situation, and everybody agrees."""

from __future__ import annotations

import pytest

from tests.simulation.stories import NAMED, NOT_REACHED, run_schedule
from tests.simulation.toygroup import toy_group


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long), pytest.param(2, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", NAMED)
def test_everybody_agrees_after(name: str, seed: int) -> None:
    with toy_group():
        report = run_schedule(name, seed)
    assert report.failure is None, "\n".join(report.told())


def test_a_schedule_that_does_not_come_to_its_situation_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    params, _ = NAMED["two legal ones"]
    monkeypatch.setitem(NAMED, "nothing happens", (params, lambda _world: lambda: False))
    with toy_group():
        assert run_schedule("nothing happens", 0).failure == NOT_REACHED
