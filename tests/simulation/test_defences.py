"""Some seed fails when a defence is taken out: a slice; all by `python -m tests.simulation --without-defences`."""

from __future__ import annotations

import pytest

from tests.mutants.catalogue import MUTANTS
from tests.simulation.defences import DEFENCES, Defence, try_without

SLICE = ("two moves for one slot", "certificates against what is closed")


@pytest.mark.timeout(400)
@pytest.mark.parametrize("name", [SLICE[0], pytest.param(SLICE[1], marks=pytest.mark.long)])
def test_a_seed_fails_without(name: str) -> None:
    outcome = try_without(next(defence for defence in DEFENCES if defence.name == name))
    assert outcome.holds_with
    assert outcome.why


def test_a_defence_that_a_seed_does_not_need_is_not_shown_to_be_needed() -> None:
    outcome = try_without(Defence("chat said again", "a withheld winning play", 0))
    assert outcome.holds_with
    assert not outcome.needed


def test_all_are_in_the_catalogue() -> None:
    files = {mutant.name: mutant.file for mutant in MUTANTS}
    assert all(files[defence.name].startswith("azi_p2p/session/") for defence in DEFENCES)
