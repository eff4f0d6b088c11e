"""`azi tables`: which tables are announced on this network, a line for each.

What doesn't belong here: looking for them (`finding`), and sitting down at one (`table`).
"""

from __future__ import annotations

import json

from azi_p2p.cli.finding import SeenTable, look_round
from azi_p2p.cli.running import FINE, run, tell
from azi_p2p.cli.sitting import Sitting
from azi_p2p.ui.i18n import Catalogue
from azi_p2p.ui.names import clean_name


def run_tables(texts: Catalogue, wait: float, *, loopback: bool, json_out: bool) -> int:
    """`azi tables`: list what is announced on this network; gives the exit code."""

    async def look() -> int:
        tables = await look_round(texts, wait, loopback=Sitting(loopback=loopback).stays_here)
        if json_out:
            print(json.dumps({"tables": [table.to_json() for table in tables]}))
        elif tables:
            for line in table_lines(texts, tables):
                print(line)
        else:
            tell(texts.text("find.nothing"))
        return FINE

    return run(look)


def table_lines(texts: Catalogue, tables: list[SeenTable], *, numbered: bool = False) -> list[str]:
    """One line for each table: its name and code, free seats, ante, who sits there and where."""
    lines = []
    for number, table in enumerate(tables, start=1):
        names = ", ".join(clean_name(peer.nickname) for peer in table.peers)
        address = str(table.peers[0].addresses[0])
        line = texts.text(
            "find.table",
            name=clean_name(table.name, 24),
            code=table.beginning,
            free=table.free,
            seats=table.seats,
            ante=table.ante,
            names=names,
            address=address,
        )
        line = f"{line} [{texts.text('code.mark')}]" if table.private else line
        lines.append(f"{number}  {line}" if numbered else line)
    return lines
