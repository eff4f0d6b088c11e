"""`azi` alone at a terminal: see the tables of this network, join one, open one, or practise. In plain lines.

What doesn't belong here: how a table is joined or played.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

from azi_p2p.bots import LEVELS
from azi_p2p.cli import config, play, table
from azi_p2p.cli.finding import SeenTable, look_round
from azi_p2p.cli.front import clean_log, print_line
from azi_p2p.cli.running import FINE, CommandFailed, run
from azi_p2p.cli.sitting import Sitting
from azi_p2p.cli.tables import table_lines
from azi_p2p.net.tablecode import fresh_code
from azi_p2p.rules import Params
from azi_p2p.store.errors import StoreError
from azi_p2p.store.heldseat import SeatFile
from azi_p2p.store.profile import profile_directory
from azi_p2p.ui.failed import what_failed
from azi_p2p.ui.i18n import Catalogue, catalogue
from azi_p2p.ui.typed import typed_lines

LOOKING = 1.5
"""Seconds for which the network is looked at before the list is shown."""
FINDING = 10.0
"""Seconds for which a table whose name was typed is looked for."""
BOTS = 3


def run_lobby(texts: Catalogue, profile: Path | None, *, own_language: bool) -> int:
    """Stay in the lobby until the person leaves; gives the exit code.

    `own_language`: it was asked for on the command line, so the settings don't change it.
    """
    return run(lambda: lobby(texts, profile, own_language=own_language))


async def lobby(texts: Catalogue, profile: Path | None, *, own_language: bool) -> int:
    """List, ask, do; again and again."""
    clean_log(texts)
    print_line(texts.text("lobby.welcome"))
    await come_back(texts, profile)
    while True:
        try:
            tables = await look_round(texts, LOOKING, loopback=Sitting().stays_here)
        except CommandFailed as failure:
            print_line(failure.message)
            tables = []
        show(texts, tables)
        typed = await typed_lines().next_line()
        if typed is None:
            return FINE
        try:
            if not await do(texts, typed.strip(), tables, profile):
                return FINE
            if not own_language:
                texts = config.spoken_language(catalogue(), profile)
        except CommandFailed as failure:
            print_line(failure.message)


async def come_back(texts: Catalogue, profile: Path | None) -> None:
    """Go straight back to the table at which this profile holds a seat, if there is one."""
    try:
        if SeatFile(profile_directory(profile)).read() is not None:
            await table.join(texts, None, FINDING, Sitting(profile=profile))
    except CommandFailed as failure:
        print_line(failure.message)
    except StoreError as error:
        print_line(what_failed(error, texts))


def show(texts: Catalogue, tables: list[SeenTable]) -> None:
    """The tables seen, and what may be typed."""
    if tables:
        print_line(texts.plural("lobby.tables", len(tables)))
        for line in table_lines(texts, tables, numbered=True):
            print_line(f"  {line}")
    else:
        print_line(texts.text("lobby.none"))
    print_line(texts.text("lobby.choices"))


async def do(texts: Catalogue, typed: str, tables: list[SeenTable], profile: Path | None) -> bool:
    """Do what was typed; False if that was to leave. Raises CommandFailed where it can't be done."""
    sitting = Sitting(profile=profile)
    name, _, rest = typed.partition(" ")
    word = next((key for key in ORDERS if name.lower() in texts.text(f"lobby.command.{key}").split(",")), "")
    if word == "quit":
        return False
    if not typed or word == "look":
        return True
    if word == "open":
        await table.host(texts, Params(), rest.strip() or None, sitting)
    elif word == "private":
        await table.host(texts, Params(), rest.strip() or None, dataclasses.replace(sitting, code=fresh_code()))
    elif word == "practise":
        bots, level = wanted_bots(texts, rest)
        params = Params(seats=bots + 1, turn_seconds=600)
        await play.practise(texts, params, level, Sitting(profile=profile, private=True))
    elif word == "settings":
        key, _, value = rest.strip().partition(" ")
        config.run(texts, profile, key or None, value.strip() or None, json_out=False)
    else:
        meant = meant_table(texts, (rest if word in {"join", "watch"} else typed).strip(), tables)
        await table.join(texts, meant, FINDING, dataclasses.replace(sitting, watch=word == "watch"))
    return True


def meant_table(texts: Catalogue, typed: str, tables: list[SeenTable]) -> str | None:
    """The table that was typed: a number of the list, or whatever else `azi join` takes; None for nothing.

    Raises CommandFailed for a number that isn't in the list.
    """
    if not (typed.isdecimal() and len(typed) < 4):
        return typed or None
    if not 1 <= int(typed) <= len(tables):
        raise CommandFailed(texts.text("lobby.no_such_table"))
    return tables[int(typed) - 1].beginning


def wanted_bots(texts: Catalogue, typed: str) -> tuple[int, str]:
    """How many bots and of which level: as typed, in either order; raises CommandFailed for anything else."""
    bots, level = BOTS, "normal"
    for word in typed.split():
        if word in LEVELS:
            level = word
        elif word in {"1", "2", "3", "4", "5"}:
            bots = int(word)
        else:
            raise CommandFailed(texts.text("lobby.bad_practice"))
    return bots, level


ORDERS = ("look", "open", "private", "join", "watch", "practise", "settings", "quit")
"""What can be typed in the lobby, apart from the number, name or address of a table."""
