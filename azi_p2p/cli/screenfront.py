"""The front of the program on the full screen: what it says, asks and warns of, on the page that is shown.

What doesn't belong here: the lobby and the order of tables (`client`), and everything that is drawn
(`azi_p2p.ui.screen`).
"""

from __future__ import annotations

import asyncio
import logging
import logging.handlers
import time
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from azi_p2p.cli.front import OneCleanLine, Person
from azi_p2p.cli.running import FINE, CommandFailed
from azi_p2p.crypto.identity import short_fingerprint
from azi_p2p.store.profile import Profile
from azi_p2p.ui.i18n import Catalogue
from azi_p2p.ui.names import clean_name
from azi_p2p.ui.screen.app import FullScreen
from azi_p2p.ui.screen.look import Look
from azi_p2p.ui.screen.waiting import WaitingPage

if TYPE_CHECKING:
    from azi_p2p.cli.peer import PeerResult
    from azi_p2p.cli.rematch import Again, Way
    from azi_p2p.ui.screen.control import TableControl

LOG_FILE = "azi.log"
LOG_BYTES = 200_000


class ScreenFront:
    """The full screen as the front of the program; see `front.Front`. `ledgers`: files that games have left."""

    def __init__(self, texts: Catalogue, profile: Profile, look: Look) -> None:
        self.profile: Profile | None = profile
        self.look = look
        self.ledgers: list[Path] = []
        self._texts = texts
        self._directory = profile.directory
        self.again: Again | None = None
        self._next: Again | None = None
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
        to_page.setFormatter(OneCleanLine(self._texts))
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
        from azi_p2p.cli.forms import ask_nickname  # noqa: PLC0415 - asked for once in the life of a profile

        fingerprint = short_fingerprint(self.profile.identity.public)
        return await ask_nickname(self.screen, self._texts, suggested, fingerprint, plain=self.look.plain)

    async def ask_code(self, name: str) -> str:
        """See Front. Who gives no code doesn't sit down."""
        from azi_p2p.cli.forms import ask_code  # noqa: PLC0415 - few tables have one

        self._control = None
        code = await ask_code(self.screen, self._texts, name, plain=self.look.plain)
        if code is None:
            self._cancelled.set()
            await asyncio.Event().wait()  # until `try_out` has called it off
        assert code is not None, "nobody gets here without a code"
        return code

    def player(self, me: bytes, *, practice: bool, code: str = "", watching: bool = False) -> Person:
        """See Front."""
        from azi_p2p.cli.botplayer import advisor  # noqa: PLC0415 - not needed in the lobby
        from azi_p2p.ui.screen.control import TableControl  # noqa: PLC0415
        from azi_p2p.ui.screen.surroundings import Surroundings  # noqa: PLC0415

        self._closed.clear()
        self._last_warning = ""
        self._next = None
        around = Surroundings(
            clock=time.monotonic,
            time_of_day=lambda: time.strftime("%H:%M:%S"),
            ring=self.screen.ring,
            draw_code=lambda text: () if self.look.plain else drawn_code(text),
            private=practice,
            code=code,
            watching=watching,
            advise=advisor() if practice else None,
        )
        self._control = TableControl(self._texts, me, self.look, around, self._closed.set)
        self.screen.show(self._control)
        return self._control

    def close(self) -> None:
        """See Front: the page stays until the person has read why."""

    async def part(self, result: PeerResult, *, practice: bool, way: Way) -> None:
        """See Front."""
        from azi_p2p.cli.rematch import looking_out, same_again  # noqa: PLC0415 - not needed in the lobby
        from azi_p2p.ui.reckon import closed  # noqa: PLC0415
        from azi_p2p.ui.words import Words  # noqa: PLC0415

        control = self._control
        assert control is not None, "somebody sat at the table"
        if result.ledger is not None and result.ledger not in self.ledgers:
            self.ledgers.append(result.ledger)
        problem = self._last_warning if not result.ended and self._last_warning else None
        if result.closed is not None and control.view is not None:
            problem = " ".join(closed(result.closed, control.view, Words(self._texts)))
        ledger = None if result.ledger is None else str(result.ledger)
        view = control.view if result.ended and not control.left else None
        if view is None or view.my_seat is None:
            await self._end(problem, ledger)
        elif practice or view.founder:
            self._next = same_again(view, result.port)
            await self._end(problem, ledger, self._texts.text("screen.again_open"))
        else:
            founder = result.founder
            how = self._texts.text("find.next_offered", address=founder) if founder else ""
            control.over(problem, ledger, how=how)
            async with looking_out(view, way, founder, self._offer):
                await self._closed.wait()
        self._control = None
        self.again = self._next if control.again else None

    def _offer(self, again: Again | None) -> None:
        """Offer the next table of the same people, or take the offer back."""
        self._next = again
        if self._control is not None:
            name = "" if again is None else clean_name(again.name, 24)
            self._control.offer(self._texts.text("screen.again_join", name=name) if again is not None else "")

    async def _end(self, problem: str | None, ledger: str | None, offer: str = "") -> None:
        assert self._control is not None, "somebody sat at the table"
        self._control.over(problem, ledger, offer)
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
