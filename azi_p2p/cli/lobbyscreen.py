"""The lobby on the full screen: looks round the network while it is shown, and gives what the person wants.

What doesn't belong here: how the lobby looks (`azi_p2p.ui.screen.lobby`), and how a table is joined or opened.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from azi_p2p.crypto.identity import short_fingerprint
from azi_p2p.net.addresses import own_hosts
from azi_p2p.net.errors import NetError
from azi_p2p.store.errors import StoreError
from azi_p2p.store.profile import Profile
from azi_p2p.store.settings import Settings, read_settings
from azi_p2p.ui.failed import what_failed
from azi_p2p.ui.i18n import Catalogue
from azi_p2p.ui.screen.lobby import Deed, LobbyPage, TableRow
from azi_p2p.ui.screen.look import DECKS, THEMES, Look
from azi_p2p.ui.screen.page import Screen

if TYPE_CHECKING:
    from azi_p2p.cli.finding import SeenTable
    from azi_p2p.cli.forms import Filled
    from azi_p2p.net.records import Sighting


@dataclass(frozen=True, slots=True)
class Join:
    """Sit down at a table: one of the list (its id, as hex), or what was typed (an address or a name).

    `watch`: follow it without a seat.
    """

    typed: str
    watch: bool = False


@dataclass(frozen=True, slots=True)
class Open:
    """Open this table for the others."""

    table: Filled


@dataclass(frozen=True, slots=True)
class Practise:
    """Play against bots at this table."""

    table: Filled


@dataclass(frozen=True, slots=True)
class NewSettings:
    """The settings have changed and are to be loaded again."""


@dataclass(frozen=True, slots=True)
class Quit:
    """Leave the lobby."""


Want = Join | Open | Practise | NewSettings | Quit
"""What a person wants in the lobby."""


def look_of(settings: Settings, *, colours: bool = True, unicode: bool = True) -> Look:
    """How the screen looks by these settings, on a terminal with or without colours and signs outside of ASCII."""
    return Look(
        theme=next(theme for theme in THEMES if theme == settings.theme) if colours else "mono",
        deck=next(deck for deck in DECKS if deck == settings.deck),
        plain=settings.ascii or not unicode,
        bell=settings.bell,
        mouse=settings.mouse,
        lively=settings.animations,
    )


async def in_lobby(
    screen: Screen, texts: Catalogue, profile: Profile, nickname: str, *, loopback: bool, plain: bool, message: str = ""
) -> Want:
    """Show the lobby until the person wants something that is done elsewhere.

    `loopback`: look for tables on this computer alone. `message`: what has just gone wrong, to be said on the page.
    """
    wants: asyncio.Queue[Join | Deed] = asyncio.Queue()
    page = LobbyPage(
        texts,
        (nickname, short_fingerprint(profile.identity.public)),
        own_hosts(loopback=loopback),
        lambda row: wants.put_nowait(Join(row.table.hex())),
        wants.put_nowait,
        time.monotonic,
        watch=lambda row: wants.put_nowait(Join(row.table.hex(), watch=True)),
        plain=plain,
    )
    page.message = message
    screen.show(page)
    await screen.drawn()
    from azi_p2p.cli.finding import gather_tables  # noqa: PLC0415 - what speaks mDNS takes a while to load
    from azi_p2p.net.discovery import Discovery  # noqa: PLC0415

    async with contextlib.AsyncExitStack() as stack:

        def renew(_: Sighting) -> None:
            page.tables = tuple(row_of(table) for table in gather_tables(discovery.sightings))
            page.changed()

        discovery = Discovery(loopback=loopback, on_change=renew, on_gone=renew)
        try:
            await stack.enter_async_context(discovery)
        except NetError as error:
            page.problem = what_failed(error, texts)
            page.changed()
        while True:
            want = await wants.get()
            found = want if isinstance(want, Join) else await _ask(want, screen, texts, profile, nickname, page, plain)
            if found is not None:
                return found
            while not wants.empty():
                wants.get_nowait()  # pressed while the form was on its way, and meant for it
            screen.show(page)


async def _ask(
    deed: Deed, screen: Screen, texts: Catalogue, profile: Profile, nickname: str, page: LobbyPage, plain: bool
) -> Want | None:
    """Fill in the form that goes with what is wanted; None when the person comes back from it."""
    from azi_p2p.cli import forms  # noqa: PLC0415 - not needed to draw the lobby

    match deed:
        case "open":
            filled = await forms.ask_open(screen, texts, nickname, plain=plain)
            return None if filled is None else Open(filled)
        case "practise":
            filled = await forms.ask_practice(screen, texts, plain=plain)
            return None if filled is None else Practise(filled)
        case "address":
            typed = await forms.ask_address(screen, texts, plain=plain)
            return None if typed is None else Join(typed)
        case "settings":
            try:
                return NewSettings() if await forms.ask_settings(screen, texts, profile, plain=plain) else None
            except StoreError as error:
                page.message = what_failed(error, texts)
                return None
        case "quit":
            return Quit()


def row_of(table: SeenTable) -> TableRow:
    """A table as the lobby lists it."""
    from azi_p2p.wire.messages import VERSION  # noqa: PLC0415 - loaded by whatever has found the table

    return TableRow(
        table=table.table,
        name=table.name,
        seats=table.seats,
        free=table.free,
        ante=table.ante,
        people=tuple((peer.nickname, short_fingerprint(peer.peer)) for peer in table.peers),
        address=str(table.peers[0].addresses[0]),
        seen=min(peer.seen for peer in table.peers),
        fits=table.version == VERSION,
        private=table.private,
    )


__all__ = [
    "Join",
    "NewSettings",
    "Open",
    "Practise",
    "Quit",
    "Want",
    "in_lobby",
    "look_of",
    "read_settings",
    "row_of",
]
