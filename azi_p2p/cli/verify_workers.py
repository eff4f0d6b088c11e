"""Worker processes that check proofs for `azi verify`, one for each core of this machine.

A worker gets what is public, says of each message whether its proofs hold, and ends with the process that started it.
What doesn't belong here: what is checked, and in what order (`azi_p2p.audit`).
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from azi_p2p.session.jobs import Checked, CheckShuffle, Job, run_job

HEAVY = 8
"""How many checks of tokens and cards weigh about as much as one of a shuffle."""

UNDER_WAY = 32
"""Messages for each worker that may be under way: enough to keep it busy, little to keep in memory."""


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(slots=True)
class _Batch:
    """Checks that make one journey: a message that is quickly checked isn't worth one of its own."""

    jobs: list[Job] = field(default_factory=list)
    weight: int = 0
    answer: Future[list[bool]] | None = None


class Workers:
    """Processes that check proofs; to be used as a context manager, which ends them."""

    def __init__(self, count: int) -> None:
        self.most = UNDER_WAY * count
        self._others = set(multiprocessing.active_children())
        # A fresh interpreter: a fork would copy threads and signal handlers that are none of a worker's business.
        self._pool = ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), initializer=_begin)
        self._batch = _Batch()

    def hand_over(self, job: Job) -> Callable[[], bool]:
        """Have a check made by a worker; what it gives waits until it is done, and says whether the proofs hold.

        Both raise BrokenProcessPool where a worker was killed.
        """
        batch, place = self._batch, len(self._batch.jobs)
        batch.jobs.append(job)
        batch.weight += HEAVY if isinstance(job, CheckShuffle) else 1
        if batch.weight >= HEAVY:
            self._send()

        def holds() -> bool:
            return (batch.answer or self._send()).result()[place]

        return holds

    def _send(self) -> Future[list[bool]]:
        """Send what was collected."""
        batch, self._batch = self._batch, _Batch()
        batch.answer = self._pool.submit(check_all, batch.jobs)
        return batch.answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        # Nobody waits for their answers any more. Where one was killed while another was being started, the pool would
        # wait for that one for ever.
        for child in set(multiprocessing.active_children()) - self._others:
            child.kill()
        self._pool.shutdown()


def check_all(jobs: list[Job]) -> list[bool]:
    """Whether the proofs of each message hold, in order."""
    return [run_job(job) == Checked(None) for job in jobs]


def _begin() -> None:
    """In a worker: it ends when its parent does, however that happens, and Ctrl-C is its parent's to handle."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None, "workers are started by multiprocessing"

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
