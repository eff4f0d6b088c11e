"""A slice of the fuzzing run, and every input that went wrong once. The whole run is `python -m tests.fuzz`."""

from __future__ import annotations

import random

import pytest

from tests.fuzz import corpus, engine, guided, hostile_table, mutate
from tests.fuzz.targets import TARGETS, Target

SEED = 3
SLICE = 4000
"""Inputs over all targets."""

FAIR_SHARE = 0.1
"""Part of the inputs that a reader has to take, at least: others mostly end at its first checks."""


@pytest.mark.parametrize("name", TARGETS)
def test_nothing_but_documented_refusals(name: str) -> None:
    target = TARGETS[name]
    report = engine.run(target, max(10, round(SLICE * target.share)), SEED)
    assert not report.wrong, f"seed {SEED}: {report.wrong[0]}"
    assert report.taken >= report.inputs * FAIR_SHARE, "too few get past the first checks"


def test_the_shares_add_up() -> None:
    assert sum(target.share for target in TARGETS.values()) == pytest.approx(1)


@pytest.mark.parametrize("name", TARGETS)
def test_the_same_seed_gives_the_same_inputs(name: str) -> None:
    target = TARGETS[name]
    seeds = target.seeds()
    once, again = ([target.mutation(random.Random(n), seeds[0], seeds) for n in range(20)] for _ in range(2))
    assert once == again
    assert len(set(once)) > 5


@pytest.mark.parametrize("name", TARGETS)
def test_whatever_there_is_can_be_changed(name: str) -> None:
    """Under guidance a mutation begins with anything: it has to come up with something all the same."""
    target, chance = TARGETS[name], random.Random(f"{SEED} {name}")
    seeds = target.seeds()
    small = sorted(seeds, key=len)[:3]
    for number in range(600):
        data = chance.choice((b"", b"\0", chance.randbytes(chance.randrange(200)), *small))
        for _ in range(3):
            data = target.mutation(chance, mutate.damage(chance, data, small)[:4000], seeds)
        assert isinstance(data, bytes), number


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


@pytest.mark.parametrize("guide", ["chance", "coverage"])
def test_seeds_use_up_no_inputs(guide: str) -> None:
    """Also where there are more of them than inputs."""
    if guide == "coverage":
        pytest.importorskip("atheris")
    target = TARGETS["table"]
    assert len(target.seeds()) > 30
    report = (guided if guide == "coverage" else engine).run(target, 30, SEED)
    assert report.inputs == 30
    if guide == "coverage":
        assert report.guidance is not None
        assert report.guidance.edges > 1000, "the code is instrumented"


def test_a_refused_seed_is_a_fault() -> None:
    def read(data: bytes) -> None:
        raise ValueError("no")

    hostile = Target("test", read, (ValueError,), lambda: (b"a",), mutate.damage, 1)
    ((data, message),) = engine.run(hostile, 3, SEED).wrong
    assert (data, message) == (b"a", "refused, though honest peers write it")


def test_a_child_that_leaves_no_report_says_so() -> None:
    """This one ends at once: there is no such target (or no atheris)."""
    nobody = Target("nobody", print, (), lambda: (b"a",), mutate.damage, 1)
    with pytest.raises(guided.BrokenOffError, match=r"of nobody ended with exit code 1 and no report; it said: "):
        guided.run(nobody, 3, SEED)


def test_what_libfuzzer_says_of_coverage_is_read() -> None:
    words = """INFO: seed corpus: files: 21
#22\tINITED cov: 55 ft: 63 corp: 4/2Kb exec/s: 0 rss: 79Mb
#2518\tNEW    cov: 80 ft: 148 corp: 29/5083b lim: 70000 exec/s: 0 rss: 79Mb L: 343/1265 MS: 1 Custom-
#3012\tDONE   cov: 81 ft: 149 corp: 30/7076b lim: 70000 exec/s: 0 rss: 79Mb
stat::new_units_added:          26
"""
    assert guided.read_guidance(words) == engine.Guidance(edges_of_seeds=55, edges=81, new_units=26, corpus=30)
    assert guided.read_guidance("WARNING: no interesting inputs were found so far.") is None
