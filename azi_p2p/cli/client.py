"""The full-screen client: the lobby, and the tables that are played from it, until the person leaves.

`azi` opens it in the lobby; `azi host`, `azi join` and `azi play` open it at their table. What doesn't belong here: how
a table is opened, joined or practised at (`table`, `play`), and everything that is drawn (`azi_p2p.ui.screen`).
"""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import logging.handlers
import time
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

from azi_p2p.cli import lobbyscreen, play, table
from azi_p2p.cli.forms import Filled, ask_held, ask_nickname
from azi_p2p.cli.front import OneCleanLine, clean_log, login_name, print_line
from azi_p2p.cli.peer import PeerOptions, PeerResult, Player
from azi_p2p.cli.running import FINE, CommandFailed, run
from azi_p2p.cli.terminal import has_colours, has_unicode
from azi_p2p.crypto.identity import short_fingerprint
from azi_p2p.store.errors import StoreError
from azi_p2p.store.profile import Profile
from azi_p2p.store.settings import read_settings
from azi_p2p.ui.i18n import Catalogue, catalogue
from azi_p2p.ui.names import clean_name
from azi_p2p.ui.screen.app import FullScreen
from azi_p2p.ui.screen.control import Surroundings, TableControl
from azi_p2p.ui.screen.look import Look
from azi_p2p.ui.screen.waiting import WaitingPage

FINDING = 10.0
"""Seconds for which a table is looked for."""
LOG_FILE = "azi.log"
LOG_BYTES = 200_000

Begin = Callable[[Catalogue, "ScreenFront"], Coroutine[Any, Any, int]]
"""Something that holds a seat through a front, to the end of the table; gives an exit code."""


def run_client(
    texts: Catalogue, sitting: table.Sitting, begin: Begin | None, *, own_language: bool, plain: bool
) -> int:
    """Have the whole terminal until the person leaves; gives the exit code.

    `begin`: what to do first and only, None for the lobby. `own_language`: it was asked for on the command line, so
    the settings don't change it. `plain`: no signs outside of ASCII.
    """
    with table.opened_profile(texts, sitting) as profile:
        try:
            client = Client(texts, profile, sitting, own_language=own_language, plain=plain)
        except StoreError as error:
            raise CommandFailed(str(error)) from error
        try:
            code = run(lambda: client.run(begin))
        finally:
            clean_log()
    for ledger in client.front.ledgers:
        print_line(client.texts.text("find.ledger", path=ledger))
    return code


class Client:
    """One person at the full screen. Raises StoreError when the settings can't be read."""

    def __init__(
        self, texts: Catalogue, profile: Profile, sitting: table.Sitting, *, own_language: bool, plain: bool
    ) -> None:
        self._profile = profile
        self._sitting = sitting
        self._plain = plain
        self._own_language = texts if own_language else None
        self.texts, look = self._settings()
        self.front = ScreenFront(self.texts, profile, look)

    def _settings(self) -> tuple[Catalogue, Look]:
        settings = read_settings(self._profile.directory)
        texts = self._own_language or catalogue(None if settings.language == "auto" else settings.language)
        look = lobbyscreen.look_of(settings, colours=has_colours(), unicode=has_unicode() and not self._plain)
        return texts, look

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
                message = await self._tried(table.join(self.texts, None, FINDING, self._sitting, self.front))
            if not await self._named():
                return FINE
        except StoreError as error:
            message = str(error)
        while True:
            want = await lobbyscreen.in_lobby(
                self.front.screen,
                self.texts,
                self._profile,
                self._profile.nickname or "",
                loopback=self._sitting.loopback or PeerOptions().loopback,
                plain=self.front.look.plain,
                message=message,
            )
            message = ""
            match want:
                case lobbyscreen.Quit():
                    return FINE
                case lobbyscreen.NewSettings():
                    self._renew()
                case lobbyscreen.Join(typed=typed):
                    message = await self._tried(table.join(self.texts, typed, FINDING, self._sitting, self.front))
                case lobbyscreen.Open(table=filled):
                    message = await self._open(filled)
                case lobbyscreen.Practise(table=filled):
                    message = await self._tried(
                        play.practise(self.texts, filled.params, filled.level, self._private(), self.front)
                    )

    async def _open(self, filled: Filled) -> str:
        """Open a table; gives what went wrong. First the person says what becomes of a seat that is held elsewhere."""
        sitting = self._sitting
        try:
            held = self._profile.seat.read()
        except StoreError as error:
            return str(error)
        if held is not None:
            name = clean_name(held.name, 24)
            anew = await ask_held(self.front.screen, self.texts, name, plain=self.front.look.plain)
            if anew is None:
                return ""
            sitting = dataclasses.replace(sitting, anew=anew)
        return await self._tried(table.host(self.texts, filled.params, filled.name, sitting, self.front))

    def _private(self) -> table.Sitting:
        return table.Sitting(profile=self._sitting.profile, out=self._sitting.out, private=True)

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


class ScreenFront:
    """The full screen as the front of the program; see `front.Front`. `ledgers`: files that games have left."""

    def __init__(self, texts: Catalogue, profile: Profile, look: Look) -> None:
        self.profile: Profile | None = profile
        self.look = look
        self.ledgers: list[Path] = []
        self._texts = texts
        self._directory = profile.directory
        self._control: TableControl | None = None
        self._closed = asyncio.Event()
        self._cancelled = asyncio.Event()
        self._last_warning = ""
        self._screen: FullScreen | None = None

    def open(self) -> FullScreen:
        """Make the screen; the terminal isn't touched before it runs."""
        self._screen = FullScreen(self.look)
        return self._screen

    @property
    def screen(self) -> FullScreen:
        """The screen, once it is open."""
        assert self._screen is not None, "the screen is open"
        return self._screen

    def renew(self, texts: Catalogue, look: Look) -> None:
        """Speak and look like this from now on."""
        self._texts, self.look = texts, look
        self.screen.set_look(look)

    async def try_out(self, sitting: Coroutine[Any, Any, int]) -> int:
        """Sit at a table, and let the person call it off while it is looked for; gives the exit code.

        What goes wrong is raised as CommandFailed, after the person has read it if the table was on the screen already.
        """
        self._cancelled.clear()
        self._last_warning = ""
        seat = asyncio.ensure_future(sitting)
        called_off = asyncio.ensure_future(self._cancelled.wait())
        try:
            await asyncio.wait({seat, called_off}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (seat, called_off):
                task.cancel()
            await asyncio.gather(seat, called_off, return_exceptions=True)
        if seat.cancelled():
            return FINE
        failure = seat.exception()
        if isinstance(failure, CommandFailed) and self._control is not None:
            await self._end(failure.message, None)
        self._control = None
        return seat.result()

    def begin_log(self) -> None:
        """See Front: warnings go to a file of the profile, and to the page."""
        to_file = logging.handlers.RotatingFileHandler(
            self._directory / LOG_FILE, maxBytes=LOG_BYTES, backupCount=1, encoding="utf-8", delay=True
        )
        to_file.setFormatter(OneCleanLine())
        to_page = _ToPage(self.warn)
        to_page.setFormatter(OneCleanLine())
        logging.basicConfig(level=logging.WARNING, handlers=[to_file, to_page], force=True)

    def say(self, line: str) -> None:
        """See Front."""
        if self._control is not None:
            self._control.story.note(line)
        else:
            self.screen.show(WaitingPage(self._texts, line, self._cancelled.set, plain=self.look.plain))

    def warn(self, line: str) -> None:
        """See Front."""
        self._last_warning = line
        if self._control is not None:
            self._control.warn(line)

    async def ask_name(self, suggested: str) -> str:
        """See Front. Who gives no name doesn't sit down."""
        name = await self.name_or_none(suggested)
        if name is None:
            self._cancelled.set()
            await asyncio.Event().wait()  # until `try_out` has called it off
        assert name is not None, "nobody gets here without a name"
        return name

    async def name_or_none(self, suggested: str) -> str | None:
        """Ask for the name to play under; None when the person won't give one."""
        assert self.profile is not None, "the client has opened it"
        fingerprint = short_fingerprint(self.profile.identity.public)
        return await ask_nickname(self.screen, self._texts, suggested, fingerprint, plain=self.look.plain)

    def player(self, me: bytes, *, practice: bool) -> Player:
        """See Front."""
        self._closed.clear()
        around = Surroundings(
            clock=time.monotonic,
            time_of_day=lambda: time.strftime("%H:%M:%S"),
            ring=self.screen.ring,
            draw_code=lambda text: () if self.look.plain else drawn_code(text),
            private=practice,
        )
        self._control = TableControl(self._texts, me, self.look, around, self._closed.set)
        self.screen.show(self._control)
        return self._control

    def close(self) -> None:
        """See Front: the page stays until the person has read why."""

    async def part(self, result: PeerResult) -> None:
        """See Front."""
        if result.ledger is not None and result.ledger not in self.ledgers:
            self.ledgers.append(result.ledger)
        problem = self._last_warning if not result.ended and self._last_warning else None
        await self._end(problem, None if result.ledger is None else str(result.ledger))

    async def _end(self, problem: str | None, ledger: str | None) -> None:
        assert self._control is not None, "somebody sat at the table"
        self._control.over(problem, ledger)
        await self._closed.wait()
        self._control = None


class _ToPage(logging.Handler):
    """Hands each warning to the page, as one clean line."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        """Tell of a record."""
        self._tell(self.format(record))


def drawn_code(text: str) -> Sequence[str]:
    """The text as a QR code, two rows of modules in each row of signs; dark modules are drawn dark on light."""
    import segno  # noqa: PLC0415 - only who asks for the address pays for it

    border = 2
    code = segno.make_qr(text, error="l")
    rows = [[bool(module) for module in row] for row in code.matrix_iter(border=border)]
    if len(rows) % 2:
        rows.append([False] * len(rows[0]))
    signs = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}
    return [
        "".join(signs[upper, lower] for upper, lower in zip(rows[at], rows[at + 1], strict=True))
        for at in range(0, len(rows), 2)
    ]
