"""`python -m tests.benchmarks.tables bench.json growth.json`: write the tables of docs/performance.md anew.

    azi bench --json > bench.json
    python -m tests.benchmarks.growth > growth.json

What stands between the marks in that file is replaced; the words around it are for people to look through afterwards.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from azi_p2p.cli.bench import figure
from azi_p2p.cli.bench_peers import quantile

PAGE = Path(__file__).parents[2] / "docs" / "performance.md"
MIB = 1 << 20


def table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table; all columns but the first are to the right."""
    rule = ["---", *["---:"] * (len(headings) - 1)]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [headings, rule, *rows])


def of_bench(bench: dict[str, Any]) -> str:
    """Everything that `azi bench` says, with the machine and its load."""
    rows, part = [], ""
    for row in bench["rows"]:
        if row["part"] != part:
            part = row["part"]
            rows.append((f"**{part}**", "", "", "", "", ""))
        value = row["note"] if row["value"] is None else f"{figure(row['value'])} {row['unit']}"
        floor = "" if row["floor"] is None else figure(row["floor"])
        ratio = "" if row["ratio"] is None else f"{row['ratio']:.2f}"
        reached = {True: "yes", False: "no", None: ""}[row["reached"]]
        rows.append((row["what"], value, floor, ratio, row["target"] or "", reached))
    each = ", ".join(f"{name} {value:.1f}" for name, value in sorted(bench["primitives_us"].items()))
    load = "unknown" if bench["load_before"] is None else " ".join(f"{one:.1f}" for one in bench["load_before"])
    told = (
        f"{bench['machine']}, Python {bench['python']}, {bench['cores']} cores; load before it (1, 5, 15 minutes):"
        f" {load}; it took {bench['seconds']:.0f} s. One operation of the group, in us: {each}."
    )
    missing = [f"{name}: not measured: {reason}." for name, reason in bench["unmeasured"].items()]
    headings = ("what", "measured", "floor", "ratio", "should be", "reached")
    return "\n\n".join([told, *missing, table(headings, rows)])


def of_cards(growth: dict[str, Any]) -> str:
    """One turn with decks of several sizes."""
    rows = [
        (
            of["cards"],
            *(f"{of[task]:.1f}" for task in ("shuffle", "prove shuffle", "verify shuffle")),
            *(of[f"{task} operations"]["mul"] for task in ("shuffle", "prove shuffle", "verify shuffle")),
            of["deck bytes"] + of["proof bytes"],
        )
        for of in growth["cards"]
    ]
    headings = ("cards", "shuffle ms", "prove ms", "verify ms", *["multiplications"] * 3, "bytes")
    return table(headings, rows)


def of_seats(growth: dict[str, Any]) -> str:
    """A deal with two to six seats: processor time and bytes."""
    rows = [
        (
            of["seats"],
            f"{of['deck ms of a peer']:.0f}",
            f"{of['tokens ms of a peer']:.1f}",
            of["messages"],
            f"{of['bytes'] / 1000:.0f}",
            f"{of['verify ms']:.0f}",
            f"{of['read ms']:.0f}",
        )
        for of in growth["seats"]
    ]
    headings = (
        "seats",
        "a deck, ms of each peer",
        "tokens, ms of each peer",
        "messages a deal",
        "kB a deal",
        "verify, ms a deal",
        "of it without proofs",
    )
    return table(headings, rows)


def of_peers(growth: dict[str, Any]) -> str:
    """Tables of real processes with two to six seats."""
    rows = []
    for of in growth["peers"]:
        later, moves = of["next_deals"], of["moves"]
        rows.append(
            (
                of["seats"],
                figure(of["first_deal"]),
                figure(min(later)) if later else "",
                figure(statistics.median(later)) if later else "",
                figure(statistics.median(moves)) if moves else "",
                figure(quantile(moves, 0.99)) if moves else "",
                figure(max(of["proportional"]) / MIB) if of["proportional"] else "",
            )
        )
    headings = (
        "seats",
        "first deal ms",
        "next hand, least",
        "next hand, median",
        "action p50",
        "action p99",
        "MiB a peer (by shares)",
    )
    return table(headings, rows)


def replaced(page: str, name: str, text: str) -> str:
    """The page with this text between the marks of that name; raises ValueError where it has none."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise ValueError(f"{PAGE.name} has no place {begin} … {end}")
    return f"{before}{begin}\n{text}\n{end}{after}"


def main() -> None:
    """Write all tables anew."""
    bench, growth = (json.loads(Path(path).read_text(encoding="utf-8")) for path in sys.argv[1:3])
    page = PAGE.read_text(encoding="utf-8")
    load = " ".join(f"{one:.1f}" for one in growth["load_before"] or [])
    for name, text in (
        ("bench", of_bench(bench)),
        ("cards", f"{of_cards(growth)}\n\n(Load before it: {load}.)"),
        ("seats", of_seats(growth)),
        ("peers", of_peers(growth)),
    ):
        page = replaced(page, name, text)
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
