"""The loop that drives one table: performs its effects in order and hands back what comes of them.

The session says what is to be done and this does it: own envelopes reach the disk before the network, proofs are made
and checked in a thread of their own so that the loop never stalls, timers follow the monotonic clock. What is to be
done is decided in `azi_p2p.session` alone; how links work, in `mesh`.

The first exception that isn't meant for the caller ends the driver, and `run` raises it: after a write that failed or
a fault of our own, nothing must go on as if nothing had happened.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

from azi_p2p.session.archive import FileRange
from azi_p2p.session.commands import Command, CommandRefused, Refusal
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
from azi_p2p.session.events import Event
from azi_p2p.session.jobs import Job, JobResult, run_job
from azi_p2p.session.view import TableView
from azi_p2p.wire.frame import EnvelopeFrame, Frame
from azi_p2p.wire.ledgerfile import ledger_records

log = logging.getLogger("azi.driver")

WATCHER_ROUNDS = 100
"""How often watchers may answer each other's commands with more commands, within one step of the table."""


class Machine(Protocol):
    """The table as the driver sees it (`azi_p2p.session.table.Table`); `now` in monotonic seconds."""

    @property
    def ended(self) -> bool:
        """The standings are signed."""

    @property
    def settled(self) -> bool:
        """The table has ended, and every linked member has said that it knows."""

    def begin(self, now: float) -> list[Effect]:
        """The first effects."""

    def receive(self, frame: Frame, sender: bytes, now: float) -> list[Effect]:
        """A frame came from a linked peer."""

    def submit(self, command: Command, now: float) -> list[Effect]:
        """The own seat's wish; raises CommandRefused."""

    def finish_job(self, job_id: int, result: JobResult, now: float) -> list[Effect]:
        """A job is done."""

    def tick(self, now: float) -> list[Effect]:
        """Time has passed."""

    def link_up(self, peer: bytes, now: float) -> list[Effect]:
        """A peer is linked."""

    def link_down(self, peer: bytes, now: float) -> list[Effect]:
        """A peer isn't linked any more."""

    def view(self) -> TableView:
        """What the own seat may see."""


@dataclass(frozen=True, slots=True)
class Outlets:
    """Where effects go. None of these may call the driver back before it returns.

    `persist`: append these records to the journal, in order, and sync them before returning.
    `record`: append to the ledger file. `send`: frame, one peer or None for all, peers left out.
    `drop`: close the link to a peer, with the reason.
    `recorded`: the bytes of the ledger file at a place. `accuse`: keep an evidence file (bytes) against
    a peer (key). What they raise ends the driver.
    """

    persist: Callable[[Sequence[Persist]], None]
    record: Callable[[bytes], None]
    send: Callable[[Frame, bytes | None, frozenset[bytes]], None]
    drop: Callable[[bytes, str], None]
    recorded: Callable[[FileRange], bytes]
    accuse: Callable[[bytes, bytes], None]


Watcher = Callable[[Sequence[Event], TableView], Iterable[Command]]
"""Is told what happened in a step and how the table looks after it, and may answer with commands."""

Timekeeper = Callable[[Job, float], None]
"""Is told, when a proof has been made or checked, how many seconds that took; before what follows from it is told."""


class Driver:
    """Drives one table. All methods are called on the event loop; `run` once, and until it returns."""

    def __init__(
        self,
        table: Machine,
        outlets: Outlets,
        watcher: Watcher,
        clock: Callable[[], float] = time.monotonic,
        timekeeper: Timekeeper | None = None,
    ) -> None:
        self._table = table
        self._outlets = outlets
        self._watcher = watcher
        self._clock = clock
        self._timekeeper = timekeeper
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="azi-proofs")
        self._jobs: set[asyncio.Task[None]] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._events: list[Event] = []
        self._performing = False
        self._telling = False
        self._over: asyncio.Future[None] | None = None
        self.ended = asyncio.Event()
        """Set when the standings are signed."""
        self.settled = asyncio.Event()
        """Set when the table has ended and every linked member knows."""

    async def run(self) -> None:
        """Begin, and go on until `stop` is called; raises what went wrong otherwise.

        A table that has ended is still driven until then, for peers who lack something of its end.
        """
        self._over = asyncio.get_running_loop().create_future()
        try:
            self._step(self._table.begin)
            await self._over
        finally:
            self._finish()
            if self._timer is not None:
                self._timer.cancel()
            for job in self._jobs:
                job.cancel()
            # A proof that has begun can't be interrupted, but nobody waits for it either.
            self._worker.shutdown(wait=False, cancel_futures=True)

    def stop(self) -> None:
        """Let `run` return soon, whatever the state of the table."""
        self._finish()

    @property
    def running(self) -> bool:
        """Whether `run` has begun and the end isn't near."""
        return self._over is not None and not self._over.done()

    def receive(self, frame: Frame, peer: bytes) -> None:
        """Hand a frame of a linked peer to the table."""
        self._step(lambda now: self._table.receive(frame, peer, now))

    def link_up(self, peer: bytes) -> None:
        """Tell the table of a new link."""
        self._step(lambda now: self._table.link_up(peer, now))

    def link_down(self, peer: bytes) -> None:
        """Tell the table that a link is gone."""
        self._step(lambda now: self._table.link_down(peer, now))

    def submit(self, command: Command) -> None:
        """Carry out a command; raises CommandRefused, in which case nothing has changed."""
        if not self.running:
            raise CommandRefused(Refusal.NOT_RUNNING)
        try:
            effects = self._table.submit(command, self._clock())
        except CommandRefused:
            raise
        except Exception as error:
            self._fail(error)
            raise
        self._step(lambda _: effects)

    def _step(self, advance: Callable[[float], list[Effect]]) -> None:
        """Advance the table, perform what it asks for, then tell the watcher. After the end: nothing."""
        if not self.running:
            return
        try:
            assert not self._performing, "effects must not call the driver back"
            self._performing = True
            try:
                self._perform(advance(self._clock()))
            finally:
                self._performing = False
            self._tell()
        except Exception as error:  # noqa: BLE001 - whatever it is, `run` raises it
            self._fail(error)
        if self._table.ended:
            self.ended.set()
            if self._table.settled:
                self.settled.set()

    def _perform(self, effects: Sequence[Effect]) -> None:
        """Perform effects in their order. Records for the journal that follow each other share one sync."""
        to_persist: list[Persist] = []
        for effect in effects:
            if isinstance(effect, Persist):
                to_persist.append(effect)
                continue
            if to_persist:
                self._outlets.persist(to_persist)
                to_persist = []
            match effect:
                case Send(frame, to, but):
                    self._outlets.send(frame, to, but)
                case Record(data):
                    self._outlets.record(data)
                case SendRecorded(place, to):
                    for raw in ledger_records(self._outlets.recorded(place)):
                        self._outlets.send(EnvelopeFrame(raw), to, frozenset())
                case Accuse(key=key, place=place):
                    recorded = self._outlets.recorded(place) if place.start < place.end else b""
                    self._outlets.accuse(effect.file(recorded), key)
                case RunJob(number, job):
                    task = asyncio.ensure_future(self._work(number, job))
                    self._jobs.add(task)
                    task.add_done_callback(self._jobs.discard)
                case WakeAt(at):
                    self._wake_at(at)
                case DropLink(peer, reason):
                    self._outlets.drop(peer, reason)
                case Notify(event):
                    self._events.append(event)
        if to_persist:
            self._outlets.persist(to_persist)

    def _tell(self) -> None:
        """Tell the watcher what happened, and carry out what it answers, until nothing more happens."""
        if self._telling:
            return
        self._telling = True
        try:
            for _ in range(WATCHER_ROUNDS):
                if not self._events:
                    return
                events, self._events = self._events, []
                for command in self._watcher(events, self._table.view()):
                    self._performing = True
                    try:
                        self._perform(self._table.submit(command, self._clock()))
                    finally:
                        self._performing = False
            raise AssertionError("commands and events chase each other without end")
        finally:
            self._telling = False

    def _wake_at(self, at: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(max(0.0, at - self._clock()), self._tick)

    def _tick(self) -> None:
        self._timer = None
        self._step(self._table.tick)

    async def _work(self, number: int, job: Job) -> None:
        """Run a job in the worker thread and bring its result back to the table."""
        try:
            result, seconds = await asyncio.get_running_loop().run_in_executor(self._worker, _run_timed, job)
            if self._timekeeper is not None:
                self._timekeeper(job, seconds)
        except Exception as error:  # noqa: BLE001 - whatever it is, `run` raises it
            self._fail(error)
            return
        self._step(lambda now: self._table.finish_job(number, result, now))

    def _fail(self, error: Exception) -> None:
        # Not louder: whoever called `run` gets it, and says it to people in one line.
        log.info("the table can't go on: %s: %s", type(error).__name__, error)
        if self._over is not None and not self._over.done():
            self._over.set_exception(error)

    def _finish(self) -> None:
        if self._over is not None and not self._over.done():
            self._over.set_result(None)


def _run_timed(job: Job) -> tuple[JobResult, float]:
    """Run a job, and measure how many seconds it takes."""
    began = time.perf_counter()
    return run_job(job), time.perf_counter() - began
