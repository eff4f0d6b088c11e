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
from azi_p2p.cli.bench_rows import Row
from azi_p2p.cli.running import FINE, INTERRUPTED, Stopped, tell
from azi_p2p.cli.verify_workers import Workers, cores

VERIFIED_DEALS = 10
VERIFIED_SEATS = 4
DECK_SEATS = 6
TABLES = ((2, 5), (6, 8))
"""Seats and deals of the tables of real processes."""

TWICE = 2.0
"""Seconds within which a second Ctrl-C ends everything."""


@dataclass(slots=True)
class Report:
    """What has been measured: rows for people, figures for machines by part, and what couldn't be measured, and why."""

    rows: list[Row] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)
    unmeasured: dict[str, str] = field(default_factory=dict)


def run(json_out: bool) -> int:
    """Measure, and print a table or one JSON document; gives the exit code: 0, or 130 where it was ended by Ctrl-C."""
    began, load = time.perf_counter(), load_average()
    report, interrupted = measure(parts(), lambda line: None if json_out else tell(line))
    seconds = time.perf_counter() - began
    if json_out:
        print(json.dumps(document(report, seconds, load)))
    else:
        show(report, seconds, load)
    return INTERRUPTED if interrupted else FINE


def parts() -> dict[str, Callable[[Report], None]]:
    """What there is to measure, by name, in order."""
    return {
        "proofs": _proofs,
        "rules": _rules,
        "ledgers": _ledgers,
        "start": _start,
        **{f"{seats} peers": partial(_peers, seats, deals) for seats, deals in TABLES},
    }


def measure(parts: dict[str, Callable[[Report], None]], say: Callable[[str], None]) -> tuple[Report, bool]:
    """Measure part by part; gives what came of it, and whether it was ended before its end."""
    report, last = Report(), -TWICE
    for number, (name, part) in enumerate(parts.items()):
        say(f"{number + 1}/{len(parts)} {name} …")
        try:
            part(report)
        except KeyboardInterrupt:
            report.unmeasured[name] = "interrupted"
            say(f"{name}: interrupted; going on with what follows (Ctrl-C again ends it)")
            now = time.monotonic()
            if now - last < TWICE:
                for later in list(parts)[number + 1 :]:
                    report.unmeasured[later] = "interrupted"
                return report, True
            last = now
        except Stopped:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is: it is told, and the other parts are still worth it
            report.unmeasured[name] = " ".join(str(error).split()) or type(error).__name__
            say(f"{name}: not measured: {report.unmeasured[name]}")
    return report, False


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
    report.rows.append(Row("rules", "random deals of 4, rules alone", round(deals.deals_per_second), "deals/s"))


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
    """The answer in JSON."""
    return {
        "version": __version__,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "cores": cores(),
        "load_before": load,
        "seconds": round(seconds, 1),
        **report.figures,
        "rows": [
            {**dataclasses.asdict(row), "target": row.shown_target or None, "reached": row.reached}
            for row in report.rows
        ],
        "unmeasured": report.unmeasured,
    }


def show(report: Report, seconds: float, load: Sequence[float] | None) -> None:
    """Print the table, and under it what can't stand in it."""
    from rich.console import Console  # noqa: PLC0415 - only for people
    from rich.table import Table  # noqa: PLC0415

    table = Table("what", box=None, pad_edge=False, header_style="bold")
    for heading in ("measured", "floor", "ratio", "should be", "reached"):
        table.add_column(heading, justify="right", no_wrap=True)
    part = ""
    for row in report.rows:
        if row.part != part:
            part = row.part
            table.add_row(part, style="bold")
        table.add_row(*cells(row))
    console = Console(width=None if sys.stdout.isatty() else 100, highlight=False, markup=False)
    console.print(table)
    for name, reason in report.unmeasured.items():
        print(f"{name}: not measured: {reason}")
    each = ", ".join(f"{name} {value:.1f}" for name, value in sorted(report.figures.get("primitives_us", {}).items()))
    if each:
        print(f"one operation of the group in us: {each}")
    before = "" if load is None else f", load before it {load[0]}"
    print(f"{cores()} cores{before}; measured in {seconds:.0f} s")


def cells(row: Row) -> tuple[str, ...]:
    """A row as it stands in the table."""
    reached = {True: "yes", False: "NO", None: ""}[row.reached]
    if row.value is None:
        return (f"  {row.what}", row.note, "", "", row.shown_target, "")
    return (
        f"  {row.what}",
        f"{figure(row.value)} {row.unit}",
        "" if row.floor is None else f"{figure(row.floor)} {row.unit}",
        "" if row.ratio is None else f"{row.ratio:.2f}",
        row.shown_target,
        reached,
    )


def figure(value: float) -> str:
    """A figure with as many digits as it is worth."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


if __name__ == "__main__":
    sys.exit(run("--json" in sys.argv[1:]))
