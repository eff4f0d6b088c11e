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
from azi_p2p.cli.front import Front
from azi_p2p.cli.peer import PeerOptions, RunningPeer
from azi_p2p.cli.running import FAILED, run
from azi_p2p.cli.sitting import Sitting, opened_profile
from azi_p2p.rules import Params
from azi_p2p.session.table import Table
from azi_p2p.session.view import Phase
from azi_p2p.ui.i18n import Catalogue

NAMES = ("Ben", "Katya", "Pieter", "Anele", "Sipho")
"""What the bots are called, in the order in which they sit down."""


def run_practice(texts: Catalogue, values: Mapping[str, object], level: str, sitting: Sitting) -> int:
    """Play against bots until the table ends or the person has had enough, in plain lines; gives the exit code."""
    params = table.checked_params(texts, values)
    return run(lambda: practise(texts, params, level, sitting))


async def practise(texts: Catalogue, params: Params, level: str, sitting: Sitting, front: Front | None = None) -> int:
    """Play at private tables with bots for as long as the person wants to; gives the exit code of the last one.

    `front`: None for plain lines.
    """
    front = front or table.line_front(texts, sitting)
    code = await practise_once(texts, params, level, sitting, front)
    while front.again is not None:
        front.again = None
        code = await practise_once(texts, params, level, sitting, front)
    return code


async def practise_once(texts: Catalogue, params: Params, level: str, sitting: Sitting, front: Front) -> int:
    """Host a private table and let bots join it by its address; gives the exit code."""
    bots: list[Child] = []
    failed: list[Child] = []
    table.check_out(texts, sitting)
    running: list[asyncio.Task[None]] = []
    with (
        opened_profile(texts, sitting, front.profile) as profile,
        tempfile.TemporaryDirectory(prefix="azi-bots-") as folder,
    ):
        nickname = await table.chosen_nickname(texts, profile, sitting, front)
        options = PeerOptions(discover=False, loopback=True, out=sitting.out, nickname=nickname, hold_seat=False)

        async def run_bots(peer: RunningPeer) -> None:
            """Start the bots; say it if one of them fails, and don't let the person wait for it in vain."""
            host, port = peer.addresses()[0]
            address = f"{host}:{port}"
            for number in range(params.seats - 1):
                name = NAMES[number] if NAMES[number] != nickname else f"{NAMES[number]} 2"
                bots.append(await start_child(name, bot_arguments(address, level, name, Path(folder) / str(number))))

            waits = {asyncio.ensure_future(bot.process.wait()): bot for bot in bots}
            while waits:
                done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
                for bot in [waits.pop(wait) for wait in done]:
                    if not bot.process.returncode:
                        continue
                    await bot.output()
                    failed.append(bot)
                    front.warn(texts.text("find.bot_failed", name=bot.name, problem=bot.last_message))
                    view = peer.view()
                    if view is None or view.phase is Phase.GATHERING:
                        peer.stop()

        def opened(peer: RunningPeer) -> None:
            front.say(texts.text("find.practice", bots=params.seats - 1))
            running.append(asyncio.ensure_future(run_bots(peer)))

        try:
            code = await table.sit(
                texts,
                profile,
                lambda me: Table.host(me, params, texts.text("find.practice_table")),
                options,
                sitting,
                front,
                opened,
                practice=True,
            )
            return FAILED if failed else code
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
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
        "--private",
        "--until-eof",
        "--json",
        "--profile",
        str(profile),
        "--lang",
        "en",
    ]
