"""How fast ledgers are verified, on one core and on all; and what several cores are worth for a deck's proofs.

What doesn't belong here: verifying (`azi_p2p.audit`), and the workers (`verify_workers`).
"""

from __future__ import annotations

import io
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from azi_p2p.audit.verify import Verdict, verify_file
from azi_p2p.cli.bench_table import BenchTable, make_only
from azi_p2p.cli.verify_workers import Workers, cores
from azi_p2p.rules import Params
from azi_p2p.session.jobs import CheckShuffle, Job, JobResult, run_job


@dataclass(frozen=True, slots=True)
class VerifyFigures:
    """How a ledger of so many `deals` of so many `seats`, of so many `bytes`, was verified.

    `cores`: cores and workers. `one_core`: deals in a second of this process's processor time, all in one process;
    `all_cores`: deals in a second by the clock, with the workers; `alone`: the same by the clock in one process.
    `reading`: the share of one process's time that isn't spent on proofs, which no second core can take over.
    """

    seats: int
    deals: int
    bytes: int
    cores: int
    one_core: float
    alone: float
    all_cores: float
    reading: float


@dataclass(frozen=True, slots=True)
class DeckFigures:
    """Milliseconds by the clock in which one peer checks the `shuffles` of a deck: one by one, in as many threads as
    there are cores, and in as many processes."""

    shuffles: int
    cores: int
    one_by_one: float
    threads: float
    processes: float


def ledger(seats: int, deals: int, run: Callable[[Job], JobResult] = make_only) -> bytes:
    """A real ledger, freshly played in this process."""
    params = Params.from_mapping({"seats": seats, "deal_limit": deals, "start_chips": 1_000_000})
    return b"".join(BenchTable(params, seed=1, run=run).play())


def measure_verify(seats: int, deals: int, workers: Workers) -> VerifyFigures:
    """Make a ledger and verify it: in this process, and with workers that have been started before."""
    data = ledger(seats, deals)
    work, clock = time.process_time(), time.perf_counter()
    verdict = verified(data)
    work, clock = time.process_time() - work, time.perf_counter() - clock
    began = time.process_time()
    verify_file(io.BytesIO(data), hand_over=lambda _: lambda: True, most=1)
    reading = time.process_time() - began
    began = time.perf_counter()
    same = verify_file(io.BytesIO(data), hand_over=workers.hand_over, most=workers.most)
    together = time.perf_counter() - began
    if same != verdict:
        raise AssertionError("the verdict doesn't depend on how many check")
    return VerifyFigures(
        seats=seats,
        deals=verdict.deals,
        bytes=len(data),
        cores=cores(),
        one_core=round(verdict.deals / work, 2),
        alone=round(verdict.deals / clock, 2),
        all_cores=round(verdict.deals / together, 2),
        reading=round(reading / work, 3),
    )


def verified(data: bytes) -> Verdict:
    """The verdict on a ledger that must be sound."""
    verdict = verify_file(io.BytesIO(data))
    assert verdict.complete, "what was made just now is complete"
    return verdict


def measure_deck(seats: int, workers: Workers, rounds: int = 5) -> DeckFigures:
    """Check the shuffles of one deck in three ways; medians of so many rounds."""
    checks = shuffle_checks(seats)
    count = cores()
    with ThreadPoolExecutor(count) as pool:
        one, threads, processes = (
            _median_ms(way, rounds)
            for way in (
                lambda: [run_job(job) for job in checks],
                lambda: list(pool.map(run_job, checks)),
                lambda: check_together(workers, checks),
            )
        )
    return DeckFigures(seats, count, one, threads, processes)


def shuffle_checks(seats: int) -> list[Job]:
    """The checks of one deck's shuffles, by so many seats."""
    checks: list[Job] = []

    def keep(job: Job) -> JobResult:
        if isinstance(job, CheckShuffle) and len(checks) < seats and job not in checks:
            checks.append(job)
        return make_only(job)

    ledger(seats, 1, keep)
    return checks


def check_together(workers: Workers, checks: Sequence[Job]) -> None:
    """Have sound proofs checked by the workers."""
    answers = [workers.hand_over(job) for job in checks]
    if not all(holds() for holds in answers):
        raise AssertionError("what was made just now is sound")


def warm(workers: Workers) -> None:
    """Have the workers start and load what they need, so that this isn't measured."""
    checks = shuffle_checks(2)
    for _ in range(2):
        check_together(workers, checks * cores())


def _median_ms(way: Callable[[], object], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        way()
        times.append(time.perf_counter() - began)
    return round(1000 * statistics.median(times), 2)
