"""`azi play`: practice against bots, at a table on this machine, by the same protocol as on the network.

Every bot is a process of its own with its own key, so the person's process never holds a bot's deal secret, nor the
other way round. The table listens on 127.0.0.1 and isn't announced.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping
from pathlib import Path

from azi_p2p.cli import table
from azi_p2p.cli.children import Child, start_child, stop_children
from azi_p2p.cli.peer import PeerOptions, RunningPeer
from azi_p2p.cli.running import CommandFailed, run
from azi_p2p.rules import Params
from azi_p2p.session.table import Table
from azi_p2p.ui.i18n import Catalogue

NAMES = ("Ben", "Katya", "Pieter", "Anele", "Sipho")
"""What the bots are called, in the order in which they sit down."""


def run_practice(
    texts: Catalogue,
    values: Mapping[str, object],
    level: str,
    *,
    nick: str | None,
    out: Path | None,
    profile: Path | None,
) -> int:
    """Play against bots until the table ends or the person has had enough; gives the exit code."""
    params = table.checked_params(values)
    sitting = table.Sitting(nick=nick, out=out, profile=profile, private=True)
    return run(lambda: practise(texts, params, level, sitting))


async def practise(texts: Catalogue, params: Params, level: str, sitting: table.Sitting) -> int:
    """Host a private table and let bots join it by its address."""
    bots: list[Child] = []
    starting: list[asyncio.Task[None]] = []
    with table.opened_profile(sitting) as profile, tempfile.TemporaryDirectory(prefix="azi-bots-") as folder:
        nickname = await table.chosen_nickname(texts, profile, sitting)
        options = PeerOptions(discover=False, loopback=True, out=sitting.out, nickname=nickname)

        async def start_bots(address: str) -> None:
            for number in range(params.seats - 1):
                name = NAMES[number] if NAMES[number] != nickname else f"{NAMES[number]} 2"
                bots.append(await start_child(name, bot_arguments(address, level, name, Path(folder) / str(number))))

        def opened(peer: RunningPeer) -> None:
            table.print_line(texts.text("find.practice", bots=params.seats - 1))
            host, port = peer.addresses()[0]
            starting.append(asyncio.ensure_future(start_bots(f"{host}:{port}")))

        try:
            return await table.sit(
                texts,
                profile,
                lambda me: Table.host(me, params, texts.text("find.practice_table")),
                options,
                sitting,
                opened,
                practice=True,
            )
        except CommandFailed as failure:
            ended = [bot for bot in bots if bot.process.returncode]
            if ended:
                raise CommandFailed(f"{failure.message} ({ended[0].name}: {ended[0].last_message})") from failure
            raise
        finally:
            for task in starting:
                task.cancel()
            await asyncio.gather(*starting, return_exceptions=True)
            await stop_children(bots)


def bot_arguments(address: str, level: str, name: str, profile: Path) -> list[str]:
    """The command line of a bot that joins a practice table."""
    return [
        "join",
        address,
        "--bot",
        level,
        "--nick",
        name,
        "--loopback",
        "--until-eof",
        "--json",
        "--profile",
        str(profile),
        "--lang",
        "en",
    ]
