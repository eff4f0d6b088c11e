"""`azi bench`: what this machine makes of the program, in about a minute: proofs, ledgers, starts, whole tables.

Each part is measured by itself. One that can't be measured here, or that is interrupted (Ctrl-C), is told of, and the
next one begins; Ctrl-C twice within two seconds ends it all, and what there is by then is shown.
What doesn't belong here: the measuring (`bench_proofs`, `bench_verify`, `bench_start`, `bench_peers`).
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from azi_p2p import __version__
from azi_p2p.cli import bench_peers, bench_proofs, bench_rows, bench_start, bench_verify
from azi_p2p.cli.bench_rows import Label, Row, decimal, unit_told
from azi_p2p.cli.bench_trouble import BenchError, BenchTrouble
from azi_p2p.cli.running import FINE, INTERRUPTED, Stopped, tell
from azi_p2p.cli.verify_workers import Workers, cores
from azi_p2p.reasons import ReasonError
from azi_p2p.ui.failed import what_failed
from azi_p2p.ui.i18n import FALLBACK, Catalogue, catalogue

VERIFIED_DEALS = 10
VERIFIED_SEATS = 4
DECK_SEATS = 6
TABLES = ((2, 5), (6, 8))
"""Seats and deals of the tables of real processes."""

TWICE = 2.0
"""Seconds within which a second Ctrl-C ends everything."""


@dataclass(slots=True)
class Report:
    """What has been measured: rows for people, figures for machines, and which parts couldn't be measured, and why."""

    rows: list[Row] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)
    unmeasured: list[tuple[Label, Exception]] = field(default_factory=list)


Part = tuple[Label, Callable[[Report], None]]
"""The name of something to measure, and what measures it."""


def run(texts: Catalogue, *, json_out: bool) -> int:
    """Measure, and print a table or one JSON document; gives the exit code: 0, or 130 where it was ended by Ctrl-C."""
    began, load = time.perf_counter(), load_average()
    report, interrupted = measure(parts(), texts, lambda line: None if json_out else tell(line))
    seconds = time.perf_counter() - began
    if json_out:
        print(json.dumps(document(report, seconds, load)))
    else:
        show(report, seconds, load, texts)
    return INTERRUPTED if interrupted else FINE


def parts() -> list[Part]:
    """What there is to measure, in order."""
    return [
        (bench_rows.PROOFS, _proofs),
        (bench_rows.RULES, _rules),
        (bench_rows.LEDGERS, _ledgers),
        (bench_rows.START, _start),
        *((bench_rows.peers_part(seats), partial(_peers, seats, deals)) for seats, deals in TABLES),
    ]


def measure(parts: Sequence[Part], texts: Catalogue, say: Callable[[str], None]) -> tuple[Report, bool]:
    """Measure part by part; gives what came of it, and whether it was ended before its end."""
    report, last = Report(), -TWICE
    interrupted = BenchError(BenchTrouble.INTERRUPTED)
    for number, (part, into) in enumerate(parts, start=1):
        name = part.told(texts)
        say(texts.text("bench.measuring", number=number, count=len(parts), part=name))
        try:
            into(report)
        except KeyboardInterrupt:
            report.unmeasured.append((part, interrupted))
            say(texts.text("bench.interrupted", part=name))
            now = time.monotonic()
            if now - last < TWICE:
                report.unmeasured += [(later, interrupted) for later, _ in parts[number:]]
                return report, True
            last = now
        except Stopped:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is: it is told, and the other parts are still worth it
            report.unmeasured.append((part, error))
            say(not_measured(part, error, texts))
    return report, False


def not_measured(part: Label, error: Exception, texts: Catalogue) -> str:
    """That a part couldn't be measured, and why, for people."""
    reason = what_failed(error, texts) if isinstance(error, ReasonError | OSError) else plain_reason(error)
    return texts.text("bench.not_measured", part=part.told(texts), reason=reason)


def plain_reason(error: Exception) -> str:
    """What an error says of itself, in one line."""
    return " ".join(str(error).split()) or type(error).__name__


def _proofs(report: Report) -> None:
    primitives_us, figures = bench_proofs.measure()
    report.figures |= {
        "rounds": bench_proofs.ROUNDS,
        "primitives_us": primitives_us,
        "tasks": [dataclasses.asdict(figure) for figure in figures],
    }
    report.rows += bench_rows.proof_rows(figures)


def _rules(report: Report) -> None:
    speeds = bench_proofs.random_deals(bench_proofs.DEAL_ROUNDS * bench_proofs.ROUNDS)
    deals, best = speeds[len(speeds) // 2], speeds[-1]
    report.figures |= {
        "random_deals_per_second": round(deals.deals_per_second),
        "random_deals_per_second_best_round": round(best.deals_per_second),
        "actions_per_random_deal": round(deals.actions / deals.deals, 1),
    }
    report.rows.append(bench_rows.rules_row(round(deals.deals_per_second)))


def _ledgers(report: Report) -> None:
    with Workers(cores()) as workers:
        bench_verify.warm(workers)
        verify = bench_verify.measure_verify(VERIFIED_SEATS, VERIFIED_DEALS, workers)
        deck = bench_verify.measure_deck(DECK_SEATS, workers)
    report.figures |= {"verify": dataclasses.asdict(verify), "deck": dataclasses.asdict(deck)}
    report.rows += [*bench_rows.verify_rows(verify), *bench_rows.deck_rows(deck)]


def _start(report: Report) -> None:
    commands, lobby = bench_start.measure_commands(), bench_start.measure_lobby()
    report.figures["start"] = {**commands, "lobby": lobby}
    report.rows += bench_rows.start_rows(commands, lobby)


def _peers(seats: int, deals: int, report: Report) -> None:
    peers = asyncio.run(bench_peers.measure_peers(seats, deals))
    report.figures.setdefault("peers", []).append(dataclasses.asdict(peers))
    report.rows += bench_rows.peers_rows(peers)


def load_average() -> list[float] | None:
    """How many programs wanted a core in the last 1, 5 and 15 minutes; None where the system doesn't tell."""
    return [round(load, 2) for load in os.getloadavg()] if hasattr(os, "getloadavg") else None


def document(report: Report, seconds: float, load: Sequence[float] | None) -> dict[str, Any]:
    """The answer in JSON; it speaks English, whoever asks."""
    english = catalogue(FALLBACK)
    return {
        "version": __version__,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "cores": cores(),
        "load_before": load,
        "seconds": round(seconds, 1),
        **report.figures,
        "rows": [
            {
                **dataclasses.asdict(row),
                "part": row.part.told(english),
                "what": row.what.told(english),
                "target": row.target_told(english) or None,
                "reached": row.reached,
                "note": "" if row.note is None else row.note.told(english),
            }
            for row in report.rows
        ],
        "unmeasured": {part.told(english): plain_reason(error) for part, error in report.unmeasured},
    }


def show(report: Report, seconds: float, load: Sequence[float] | None, texts: Catalogue) -> None:
    """Print the table, and under it what can't stand in it."""
    from rich.console import Console  # noqa: PLC0415 - only for people
    from rich.padding import Padding  # noqa: PLC0415 - only for people
    from rich.table import Table  # noqa: PLC0415

    table = Table(texts.text("bench.head.what"), box=None, pad_edge=False, header_style="bold")
    for heading in ("measured", "floor", "ratio", "target", "reached"):
        table.add_column(texts.text(f"bench.head.{heading}"), justify="right", no_wrap=True)
    part: Label | None = None
    for row in report.rows:
        if row.part != part:
            part = row.part
            table.add_row(part.told(texts), style="bold")
        what, *rest = cells(row, texts)
        table.add_row(Padding(what, (0, 0, 0, 2)), *rest)
    console = Console(width=None if sys.stdout.isatty() else 100, highlight=False, markup=False)
    console.print(table)
    for missing, error in report.unmeasured:
        console.print(not_measured(missing, error, texts))
    each = ", ".join(
        f"{texts.text(f'bench.operation.{name}')} {decimal(f'{value:.1f}', texts)}"
        for name, value in sorted(report.figures.get("primitives_us", {}).items())
    )
    if each:
        console.print(texts.text("bench.operations", each=each))
    figures = {"cores": cores(), "seconds": f"{seconds:.0f}"}
    if load is None:
        console.print(texts.text("bench.end", **figures))
    else:
        console.print(texts.text("bench.end_load", **figures, load=decimal(str(load[0]), texts)))


def cells(row: Row, texts: Catalogue) -> tuple[str, ...]:
    """A row as it stands in the table."""
    what, target, unit = row.what.told(texts), row.target_told(texts), unit_told(row.unit, texts)
    if row.value is None:
        # The only column that is broken into lines has the words.
        return (what if row.note is None else f"{what} ({row.note.told(texts)})", "-", "", "", target, "")
    return (
        what,
        f"{decimal(figure(row.value), texts)} {unit}",
        "" if row.floor is None else f"{decimal(figure(row.floor), texts)} {unit}",
        "" if row.ratio is None else decimal(f"{row.ratio:.2f}", texts),
        target,
        "" if row.reached is None else texts.text("bench.reached" if row.reached else "bench.missed"),
    )


def figure(value: float) -> str:
    """A figure with as many digits as it is worth."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


if __name__ == "__main__":
    sys.exit(run(catalogue(), json_out="--json" in sys.argv[1:]))
