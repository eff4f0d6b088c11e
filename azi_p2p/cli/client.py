"""The full-screen client: the lobby, and the tables that are played from it, until the person leaves.

`azi` opens it in the lobby; `azi host`, `azi join` and `azi play` open it at their table. What doesn't belong here: how
a table is opened, joined or practised at (`table`, `play`), and everything that is drawn (`azi_p2p.ui.screen`).
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable, Coroutine
from importlib import import_module
from typing import TYPE_CHECKING, Any

from azi_p2p.cli import lobbyscreen
from azi_p2p.cli.front import clean_log, login_name, print_line
from azi_p2p.cli.running import FINE, CommandFailed, run
from azi_p2p.cli.screenfront import ScreenFront
from azi_p2p.cli.sitting import Sitting, opened_profile
from azi_p2p.cli.terminal import has_colours, has_unicode
from azi_p2p.net.tablecode import fresh_code
from azi_p2p.store.errors import StoreError
from azi_p2p.store.profile import Profile
from azi_p2p.store.settings import read_settings
from azi_p2p.ui.failed import what_failed
from azi_p2p.ui.i18n import Catalogue, catalogue
from azi_p2p.ui.names import clean_name
from azi_p2p.ui.screen.look import Look

if TYPE_CHECKING:
    from azi_p2p.cli.forms import Filled

FINDING = 10.0
"""Seconds for which a table is looked for."""

SETTLED = 0.5
"""Seconds after which the lobby has been drawn and has asked the network for tables."""

Begin = Callable[[Catalogue, ScreenFront], Coroutine[Any, Any, int]]
"""Something that holds a seat through a front, to the end of the table; gives an exit code."""


def run_client(
    texts: Catalogue,
    sitting: Sitting,
    begin: Begin | None,
    *,
    own_language: bool,
    plain: bool,
    fast: bool = False,
) -> int:
    """Have the whole terminal until the person leaves; gives the exit code.

    `begin`: what to do first and only, None for the lobby. `own_language`: it was asked for on the command line, so
    the settings don't change it. `plain`: no signs outside of ASCII. `fast`: no pause after what others do.
    """
    with opened_profile(texts, sitting) as profile:
        try:
            client = Client(texts, profile, sitting, own_language=own_language, plain=plain, fast=fast)
            code = run(lambda: client.run(begin))
        except StoreError as error:  # the files may be spoilt while the lobby is open, too
            raise CommandFailed(what_failed(error, texts)) from error
        finally:
            clean_log()
    for ledger in client.front.ledgers:
        print_line(client.texts.text("find.ledger", path=ledger))
    return code


def load_table() -> None:
    """Load in the background what forms and a table need, so that they are there when the person wants them."""

    def load() -> None:
        for module in ("azi_p2p.cli.forms", "azi_p2p.cli.play"):
            import_module(module)

    asyncio.get_running_loop().run_in_executor(None, load)


class Client:
    """One person at the full screen. Raises StoreError when the settings can't be read."""

    def __init__(
        self, texts: Catalogue, profile: Profile, sitting: Sitting, *, own_language: bool, plain: bool, fast: bool
    ) -> None:
        self._profile = profile
        self._sitting = sitting
        self._plain = plain
        self._fast = fast
        self._own_language = texts if own_language else None
        self.texts, look = self._settings()
        self.front = ScreenFront(self.texts, profile, look)

    def _settings(self) -> tuple[Catalogue, Look]:
        settings = read_settings(self._profile.directory)
        texts = self._own_language or catalogue(None if settings.language == "auto" else settings.language)
        look = lobbyscreen.look_of(settings, colours=has_colours(), unicode=has_unicode() and not self._plain)
        return texts, dataclasses.replace(look, lively=look.lively and not self._fast)

    async def run(self, begin: Begin | None) -> int:
        """Open the screen, do `begin` or stay in the lobby, and close it again."""
        self.front.begin_log()
        screen = self.front.open()
        return await screen.run(self._lobby() if begin is None else self._only(begin))

    async def _only(self, begin: Begin) -> int:
        return await self.front.try_out(begin(self.texts, self.front))

    async def _named(self) -> bool:
        """See to it that there is a name to play under; False when the person won't give one."""
        if self._profile.nickname is None:
            name = await self.front.name_or_none(login_name() or self.texts.text("table.guest"))
            if name is None:
                return False
            self._profile.nickname = name
        return True

    async def _lobby(self) -> int:
        message = ""
        try:
            if self._profile.seat.read() is not None:
                message = await self._join(None)
            if not await self._named():
                return FINE
        except StoreError as error:
            message = what_failed(error, self.texts)
        asyncio.get_running_loop().call_later(SETTLED, load_table)
        while True:
            want = await lobbyscreen.in_lobby(
                self.front.screen,
                self.texts,
                self._profile,
                self._profile.nickname or "",
                loopback=self._sitting.stays_here,
                plain=self.front.look.plain,
                message=message,
            )
            message = ""
            match want:
                case lobbyscreen.Quit():
                    return FINE
                case lobbyscreen.NewSettings():
                    self._renew()
                case lobbyscreen.Join(typed=typed, watch=watch):
                    message = await self._join(typed, watch=watch)
                case lobbyscreen.Open(table=filled):
                    message = await self._open(filled)
                case lobbyscreen.Practise(table=filled):
                    message = await self._practise(filled)

    async def _join(self, typed: str | None, *, watch: bool = False) -> str:
        """Sit down at a table (None: where a seat is held), or watch it; gives what went wrong."""
        from azi_p2p.cli import table  # noqa: PLC0415 - the lobby is drawn without it

        sitting = dataclasses.replace(self._sitting, watch=watch)
        return await self._tried(table.join(self.texts, typed, FINDING, sitting, self.front))

    async def _practise(self, filled: Filled) -> str:
        """Play against bots; gives what went wrong."""
        from azi_p2p.cli import play  # noqa: PLC0415 - the lobby is drawn without it

        sitting = Sitting(profile=self._sitting.profile, out=self._sitting.out, private=True)
        return await self._tried(play.practise(self.texts, filled.params, filled.level, sitting, self.front))

    async def _open(self, filled: Filled) -> str:
        """Open a table; gives what went wrong. First the person says what becomes of a seat that is held elsewhere."""
        from azi_p2p.cli import forms, table  # noqa: PLC0415 - the lobby is drawn without them

        sitting = self._sitting
        try:
            held = self._profile.seat.read()
        except StoreError as error:
            return what_failed(error, self.texts)
        if held is not None:
            name = clean_name(held.name, 24)
            anew = await forms.ask_held(self.front.screen, self.texts, name, plain=self.front.look.plain)
            if anew is None:
                return ""
            sitting = dataclasses.replace(sitting, anew=anew)
        if filled.private:
            sitting = dataclasses.replace(sitting, code=fresh_code())
        return await self._tried(table.host(self.texts, filled.params, filled.name, sitting, self.front))

    def _renew(self) -> None:
        """Use the settings that were just saved."""
        self.texts, look = self._settings()
        self.front.renew(self.texts, look)

    async def _tried(self, sitting: Coroutine[Any, Any, int]) -> str:
        """Sit at a table, and come back; gives what went wrong, for the lobby to say."""
        try:
            await self.front.try_out(sitting)
        except CommandFailed as failure:
            return failure.message
        return ""
