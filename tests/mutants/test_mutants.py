"""The catalogue fits the source, its tests exist, and a slice of it is caught: the rest is a command of its own."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.mutants.catalogue import MUTANTS
from tests.mutants.mutant import Mutant, Stale
from tests.mutants.running import ROOT, Runner

SLICE = (
    "values in any encoding",
    "two votes in one round both count",
    "slots that don't name their head",
    "identity for a deal key",
)
"""One mutant of the wire, of the votes, of the order and of the proofs, with tests that take no time."""


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_it_fits_the_source(mutant: Mutant) -> None:
    mutant.apply(ROOT)


def test_names_are_all_different() -> None:
    assert [name for name, times in Counter(mutant.name for mutant in MUTANTS).items() if times > 1] == []


def test_each_has_tests_that_exist_or_a_reason_to_have_none() -> None:
    for mutant in MUTANTS:
        assert bool(mutant.tests) != bool(mutant.equivalent), mutant.name
        for test in mutant.tests:
            assert (ROOT / test.partition("::")[0]).exists(), test


def test_an_entry_that_no_longer_fits_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\nx = 1\ny = 2\n", encoding="utf-8")
    for old, new in (("x = 1", "x = 2"), ("z = 3", "z = 4"), ("y = 2", "y = 2  # the same"), ("y = 2", "y = =")):
        with pytest.raises(Stale):
            Mutant("any", "a.py", old, new, "nothing").apply(tmp_path)
    assert Mutant("any", "a.py", "y = 2", "y = 3", "nothing").apply(tmp_path) == "x = 1\nx = 1\ny = 3\n"


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_a_slice_is_caught_and_what_nobody_defends_is_not() -> None:
    """Beside the slice: a mutant that its tests can't notice, one that can't be loaded, and one without any test."""
    chosen = [next(mutant for mutant in MUTANTS if mutant.name == name) for name in SLICE]
    harmless = Mutant(
        "another word", "azi_p2p/wire/errors.py", '"""', '"""Not: ', "nothing", ("tests/wire/test_codec.py",)
    )
    test = ("tests/wire/test_codec.py::test_fields_out_of_order_or_twice",)
    old = "def encode(value: Any) -> bytes:"
    unseen = Mutant("unseen", "azi_p2p/wire/codec.py", "MAX_REASON = 160", "MAX_REASON = 161", "nothing", test)
    broken = Mutant("broken", "azi_p2p/wire/codec.py", old, f"import nothing\n{old}", "nothing", test)
    nothing = Mutant("no test", "azi_p2p/wire/codec.py", "MAX_REASON = 160", "MAX_REASON = 161", "nothing", ("docs",))
    with pytest.raises(Stale):
        harmless.apply(ROOT)
    verdicts = list(Runner(2).run([*chosen, unseen, broken, nothing]))
    assert [verdict.mutant.name for verdict in verdicts if verdict.caught_by] == list(SLICE)
    assert [bool(verdict.problem) for verdict in verdicts] == [False] * (len(SLICE) + 1) + [True, True]
