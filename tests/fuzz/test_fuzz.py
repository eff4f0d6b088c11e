"""A slice of the fuzzing run, and every input that went wrong once. The whole run is `python -m tests.fuzz`."""

from __future__ import annotations

import random

import pytest

from tests.fuzz import corpus, engine, hostile_table, mutate
from tests.fuzz.targets import TARGETS, Target

SEED = 3
SLICE = 4000
"""Inputs over all targets."""


@pytest.mark.parametrize("name", TARGETS)
def test_nothing_but_documented_refusals(name: str) -> None:
    target = TARGETS[name]
    report = engine.run(target, max(10, round(SLICE * target.share)), SEED)
    assert not report.wrong, f"seed {SEED}: {report.wrong[0]}"
    assert report.taken >= len(target.seeds()), "what honest peers write is read"


def test_the_shares_add_up() -> None:
    assert sum(target.share for target in TARGETS.values()) == pytest.approx(1)


@pytest.mark.parametrize("name", TARGETS)
def test_the_same_seed_gives_the_same_inputs(name: str) -> None:
    target = TARGETS[name]
    seeds = target.seeds()
    once, again = ([target.mutation(random.Random(n), seeds[0], seeds) for n in range(20)] for _ in range(2))
    assert once == again
    assert len(set(once)) > 5


def test_a_reader_that_raises_something_else_is_found() -> None:
    """The engine itself: an undocumented exception, an unclear message and a hungry reader are all told."""

    def read(data: bytes) -> None:
        if data[:1] == b"a":
            raise KeyError("a")
        if data[:1] == b"b":
            raise ValueError("two\nlines")
        assert len(bytearray(5_000_000)) > len(data)

    hostile = Target("test", read, (ValueError,), lambda: (b"a", b"b", b"c"), mutate.damage, 1, memory=1_000_000)
    report = engine.run(hostile, 0, SEED)
    found = {message.split(":")[0].split(" bytes")[0] for _, message in report.wrong}
    assert {"KeyError", "ValueError"} < found
    assert any(word.startswith("took 5000") for word in found)


def test_a_table_that_goes_wrong_is_recorded_and_goes_wrong_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A single frame says nothing about it: the recording holds all that the table got."""
    frames = corpus.frames()[:3]
    hostile_table.replay(hostile_table.RECORDING)
    monkeypatch.setattr(hostile_table, "_TABLE", hostile_table.HostileTable())
    monkeypatch.setattr(hostile_table, "HELD", len(frames))
    monkeypatch.setattr(hostile_table, "STAGES", 1)
    monkeypatch.setattr(hostile_table, "STEPS", 1)
    report = engine.Report("table")
    for frame in frames:
        engine.try_input(TARGETS["table"], frame, report)
    ((recording, message),) = report.wrong
    assert "not done after 1 steps" in message
    assert list(hostile_table.recorded(recording)) == list(frames)
    engine.try_input(TARGETS["table"], recording, report)
    assert report.wrong[1][0] == recording
