"""The driver: effects in their order, jobs in a thread, timers, and no exception swallowed."""

from __future__ import annotations

import asyncio
import dataclasses
import errno
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

import pytest

from azi_p2p.net import driver as driver_module
from azi_p2p.net.driver import Driver, Outlets
from azi_p2p.session.archive import FileRange
from azi_p2p.session.commands import Command, CommandRefused, Refusal, Say, Start
from azi_p2p.session.effects import (
    Accuse,
    DropLink,
    Effect,
    Notify,
    Persist,
    Record,
    RunJob,
    Send,
    SendRecorded,
    WakeAt,
)
from azi_p2p.session.events import Event, Said
from azi_p2p.session.jobs import Job, JobResult
from azi_p2p.session.view import TableView
from azi_p2p.wire.frame import EnvelopeFrame, Frame
from azi_p2p.wire.ledgerfile import ledger_record
from tests.net.conftest import in_loop

PEER = bytes(32)
VIEW = cast(TableView, object())
"""The driver hands the view on unseen."""


def words(text: bytes) -> EnvelopeFrame:
    return EnvelopeFrame(envelope=text)


class ScriptedTable:
    """A table that answers each input with the effects it was given for it."""

    def __init__(self, **answers: list[Effect] | Exception) -> None:
        self.answers = answers
        self.inputs: list[tuple[str, Any]] = []
        self.ended = False
        self.settled = False
        self.times: list[float] = []
        self.changed = asyncio.Event()

    async def until(self, count: int, name: str) -> None:
        """Wait until there were so many inputs of this name."""
        while [one for one, _ in self.inputs].count(name) < count:
            self.changed.clear()
            await self.changed.wait()

    def _answer(self, name: str, detail: Any, now: float) -> list[Effect]:
        self.inputs.append((name, detail))
        self.changed.set()
        self.times.append(now)
        answer = self.answers.get(name, [])
        if isinstance(answer, Exception):
            raise answer
        return answer

    def begin(self, now: float) -> list[Effect]:
        return self._answer("begin", None, now)

    def receive(self, frame: Frame, sender: bytes, now: float) -> list[Effect]:
        return self._answer("receive", (frame, sender), now)

    def submit(self, command: Command, now: float) -> list[Effect]:
        return self._answer("submit", command, now)

    def finish_job(self, job_id: int, result: JobResult, now: float) -> list[Effect]:
        return self._answer("finish_job", (job_id, result), now)

    def tick(self, now: float) -> list[Effect]:
        return self._answer("tick", None, now)

    def link_up(self, peer: bytes, now: float) -> list[Effect]:
        return self._answer("link_up", peer, now)

    def link_down(self, peer: bytes, now: float) -> list[Effect]:
        return self._answer("link_down", peer, now)

    def view(self) -> TableView:
        return VIEW


class Log:
    """What the driver did, in order."""

    def __init__(self) -> None:
        self.done: list[tuple[str, Any]] = []
        self.answers: list[Command] = []

    def outlets(self) -> Outlets:
        return Outlets(
            persist=lambda records: self.done.append(("persist", [record.record for record in records])),
            record=lambda data: self.done.append(("record", data)),
            send=lambda frame, to, but: self.done.append(("send", frame)),
            drop=lambda peer, reason: self.done.append(("drop", reason)),
            recorded=lambda place: b"".join(map(ledger_record, (b"one", b"two")))[place.start : place.end],
            accuse=lambda data, key: self.done.append(("accuse", data)),
        )

    def watch(self, events: Sequence[Event], view: TableView) -> Iterable[Command]:
        assert view is VIEW
        self.done.append(("events", list(events)))
        answers, self.answers = self.answers, []
        return answers


def driven(table: ScriptedTable, log: Log) -> tuple[Driver, asyncio.Task[None]]:
    driver = Driver(table, log.outlets(), log.watch)
    return driver, asyncio.ensure_future(driver.run())


@dataclasses.dataclass(frozen=True)
class FakeJob:
    """Stands for a proof; `work` is run by the fake `run_job` below."""

    work: Callable[[], object]


@pytest.fixture
def _jobs_are_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver_module, "run_job", lambda job: job.work())


def job(work: Callable[[], object]) -> Job:
    return cast(Job, FakeJob(work))


@in_loop
async def test_effects_are_performed_in_order_and_records_share_a_sync() -> None:
    table = ScriptedTable(
        receive=[
            Persist("secret", b"1"),
            Persist("envelope", b"2"),
            Send(words(b"3")),
            Record(b"4"),
            Persist("envelope", b"5"),
            Notify(Said(0, "6")),
            Send(words(b"7")),
            DropLink(PEER, "8"),
            Persist("erase", b"9"),
        ]
    )
    log = Log()
    driver, running = driven(table, log)
    await asyncio.sleep(0)
    driver.receive(words(b"in"), PEER)
    assert log.done == [
        ("persist", [b"1", b"2"]),
        ("send", words(b"3")),
        ("record", b"4"),
        ("persist", [b"5"]),
        ("send", words(b"7")),
        ("drop", "8"),
        ("persist", [b"9"]),
        ("events", [Said(0, "6")]),
    ]
    driver.stop()
    await running


@in_loop
async def test_nothing_is_sent_when_the_journal_fails() -> None:
    sent: list[Frame] = []

    def fail(_: Sequence[Persist]) -> None:
        raise OSError(errno.ENOSPC, "the journal can't be written (No space left on device)")

    table = ScriptedTable(receive=[Persist("envelope", b"1"), Send(words(b"2"))])
    outlets = dataclasses.replace(Log().outlets(), persist=fail, send=lambda frame, to, but: sent.append(frame))
    driver = Driver(table, outlets, Log().watch)
    running = asyncio.ensure_future(driver.run())
    await asyncio.sleep(0)
    driver.receive(words(b"in"), PEER)
    with pytest.raises(OSError, match="the journal can't be written"):
        await running
    assert not sent
    driver.receive(words(b"later"), PEER)
    assert [name for name, _ in table.inputs] == ["begin", "receive"], "a failed driver takes nothing more"


@pytest.mark.usefixtures("_jobs_are_calls")
def test_jobs_run_one_after_another_away_from_the_loop() -> None:
    @in_loop
    async def check() -> None:
        threads: list[str] = []
        release = threading.Event()

        def wait_for_release() -> object:
            threads.append(threading.current_thread().name)
            assert release.wait(10)
            return "first"

        def at_once() -> object:
            threads.append(threading.current_thread().name)
            return "second"

        table = ScriptedTable(begin=[RunJob(1, job(wait_for_release)), RunJob(2, job(at_once))])
        driver, running = driven(table, Log())
        await asyncio.sleep(0)
        # While the first job is at work the loop goes on, and the second waits for its turn.
        driver.receive(words(b"meanwhile"), PEER)
        assert [name for name, _ in table.inputs] == ["begin", "receive"]
        release.set()
        await table.until(2, "finish_job")
        assert table.inputs[2:] == [("finish_job", (1, "first")), ("finish_job", (2, "second"))]
        assert len(set(threads)) == 1
        assert threads[0] != threading.current_thread().name
        driver.stop()
        await running

    check()


@pytest.mark.usefixtures("_jobs_are_calls")
def test_how_long_a_job_took_is_told_before_what_comes_of_it() -> None:
    @in_loop
    async def check() -> None:
        told: list[tuple[Job, float, int]] = []
        done = job(lambda: time.sleep(0.02))  # what is measured has to take time
        table = ScriptedTable(begin=[RunJob(1, done)])
        log = Log()

        def timed(timed_job: Job, seconds: float) -> None:
            told.append((timed_job, seconds, len(table.inputs)))

        driver = Driver(table, log.outlets(), log.watch, timekeeper=timed)
        running = asyncio.ensure_future(driver.run())
        await table.until(1, "finish_job")
        assert [(one, inputs) for one, _, inputs in told] == [(done, 1)]
        assert 0.02 <= told[0][1] < 10
        driver.stop()
        await running

    check()


@pytest.mark.usefixtures("_jobs_are_calls")
def test_job_that_fails_ends_the_driver_with_its_error() -> None:
    @in_loop
    async def check() -> None:
        def fail() -> object:
            raise ZeroDivisionError("our own fault")

        _, running = driven(ScriptedTable(begin=[RunJob(1, job(fail))]), Log())
        with pytest.raises(ZeroDivisionError, match="our own fault"):
            await running

    check()


@in_loop
async def test_newest_wake_replaces_earlier_ones() -> None:
    table = ScriptedTable()
    log = Log()
    driver = Driver(table, log.outlets(), log.watch)
    now = driver._clock()
    table.answers = {"begin": [WakeAt(now + 0.02)], "receive": [WakeAt(now + 0.1)], "tick": []}
    running = asyncio.ensure_future(driver.run())
    await asyncio.sleep(0)
    driver.receive(words(b"in"), PEER)
    await table.until(1, "tick")
    assert table.times[-1] >= now + 0.1
    await asyncio.sleep(0.05)
    assert [name for name, _ in table.inputs].count("tick") == 1
    driver.stop()
    await running


@in_loop
async def test_watchers_answers_are_carried_out_until_nothing_more_happens() -> None:
    table = ScriptedTable(begin=[Notify(Said(0, "hello"))], submit=[Notify(Said(1, "answer")), Send(words(b"out"))])
    log = Log()
    log.answers = [Say("one"), Say("two")]
    driver, running = driven(table, log)
    await asyncio.sleep(0)
    assert [one for one in table.inputs if one[0] == "submit"] == [("submit", Say("one")), ("submit", Say("two"))]
    assert [what for what, _ in log.done] == ["events", "send", "send", "events"]
    driver.stop()
    await running


@in_loop
async def test_submitting_from_within_the_watcher_is_fine() -> None:
    table = ScriptedTable(begin=[Notify(Said(0, "hello"))], submit=[Send(words(b"out"))])
    log = Log()
    driver: Driver

    def watch(events: Sequence[Event], view: TableView) -> Iterable[Command]:
        driver.submit(Start())
        return log.watch(events, view)

    driver = Driver(table, log.outlets(), watch)
    running = asyncio.ensure_future(driver.run())
    await asyncio.sleep(0)
    assert [what for what, _ in log.done] == ["send", "events"]
    driver.stop()
    await running


@in_loop
async def test_refused_command_changes_nothing_and_the_driver_goes_on() -> None:
    table = ScriptedTable(submit=CommandRefused(Refusal.NO_SEAT))
    driver, running = driven(table, Log())
    with pytest.raises(CommandRefused, match="isn't being played"):
        driver.submit(Start())
    await asyncio.sleep(0)
    with pytest.raises(CommandRefused, match="you have no seat"):
        driver.submit(Start())
    driver.link_up(PEER)
    driver.link_down(PEER)
    assert [name for name, _ in table.inputs] == ["begin", "submit", "link_up", "link_down"]
    driver.stop()
    await running


@in_loop
async def test_command_that_the_watcher_returns_and_that_is_refused_ends_the_driver() -> None:
    table = ScriptedTable(begin=[Notify(Said(0, "x"))], submit=CommandRefused(Refusal.OTHER_SEAT))
    log = Log()
    log.answers = [Start()]
    _, running = driven(table, log)
    with pytest.raises(CommandRefused, match="another player's seat"):
        await running


@pytest.mark.parametrize("where", ["begin", "receive", "link_up", "tick"])
def test_fault_of_the_table_ends_the_driver_with_its_error(where: str) -> None:
    @in_loop
    async def check() -> None:
        table = ScriptedTable(**{where: KeyError("our own fault")})
        if where == "tick":
            table.answers["begin"] = [WakeAt(0.0)]
        driver, running = driven(table, Log())
        await asyncio.sleep(0)
        driver.receive(words(b"in"), PEER)
        driver.link_up(PEER)
        with pytest.raises(KeyError, match="our own fault"):
            await running

    check()


@in_loop
async def test_end_of_the_table_is_told_and_the_driver_goes_on_until_stopped() -> None:
    table = ScriptedTable()
    driver, running = driven(table, Log())
    await asyncio.sleep(0)
    table.ended = True
    driver.receive(words(b"last"), PEER)
    assert driver.ended.is_set()
    assert not driver.settled.is_set()
    table.settled = True
    driver.receive(words(b"everybody knows"), PEER)
    assert driver.settled.is_set()
    driver.stop()
    await running
    driver.receive(words(b"too late"), PEER)
    assert len(table.inputs) == 3


@in_loop
async def test_what_is_in_the_ledger_file_comes_from_there() -> None:
    place = FileRange(0, 7)
    table = ScriptedTable(
        receive=[SendRecorded(place, bytes(32)), Accuse(b"headtail", b"key", place, 4), Accuse(b"whole", b"key")]
    )
    log = Log()
    driver, running = driven(table, log)
    await asyncio.sleep(0)
    driver.receive(words(b"1"), bytes(32))
    assert ("send", EnvelopeFrame(b"one")) in log.done
    assert ("accuse", b"head" + ledger_record(b"one") + b"tail") in log.done
    assert ("accuse", b"whole") in log.done
    driver.stop()
    await running
