"""The front of the program in plain lines: for screen readers, scripts, and terminals that can't be drawn on.

What doesn't belong here: what line mode says and understands at a table (`azi_p2p.ui.lines`).
"""

from __future__ import annotations

from azi_p2p.cli.botplayer import advisor
from azi_p2p.cli.front import Person, checked_name, clean_log, print_line
from azi_p2p.cli.peer import PeerResult
from azi_p2p.cli.rematch import Again, Way, next_of, same_again
from azi_p2p.cli.running import CommandFailed, tell
from azi_p2p.store.profile import Profile
from azi_p2p.ui.i18n import Catalogue
from azi_p2p.ui.lines import LinePlayer
from azi_p2p.ui.typed import typed_lines

NEXT_TABLE_SECONDS = 120.0
"""Seconds for which the next table of the same people is waited for."""


class LineFront:
    """Plain lines on stdout. `quiet`: stdout is for data, so that lines go to stderr. `ledger`: say where it is."""

    def __init__(self, texts: Catalogue, *, quiet: bool = False, ledger: bool = True) -> None:
        self.profile: Profile | None = None
        self.again: Again | None = None
        self._texts = texts
        self._quiet = quiet
        self._ledger = ledger
        self._player: LinePlayer | None = None

    def begin_log(self) -> None:
        """See Front."""
        clean_log(self._texts)

    def say(self, line: str) -> None:
        """See Front."""
        if self._quiet:
            tell(line)
        else:
            print_line(line)

    def warn(self, line: str) -> None:
        """See Front."""
        self.say(line)

    async def ask_name(self, suggested: str) -> str:
        """See Front."""
        while True:
            print_line(self._texts.text("find.ask_name", name=suggested))
            typed = await typed_lines().next_line()
            if typed is None:
                raise CommandFailed(self._texts.text("find.no_name"))
            try:
                return checked_name(self._texts, typed.strip() or suggested)
            except CommandFailed as failure:
                print_line(failure.message)

    async def ask_code(self, name: str) -> str:
        """See Front."""
        self.say(self._texts.text("code.ask", name=name) if name else self._texts.text("code.ask_any"))
        typed = await typed_lines().next_line()
        if typed is None:
            raise CommandFailed(self._texts.text("code.none"))
        return typed

    def player(self, me: bytes, *, practice: bool, code: str = "", watching: bool = False) -> Person:
        """See Front."""
        self._player = LinePlayer(
            self._texts,
            me,
            print_line,
            typed_lines(),
            may_quit_freely=practice,
            code=code,
            watching=watching,
            advise=advisor() if practice else None,
        )
        return self._player

    def close(self) -> None:
        """See Front."""
        if self._player is not None:
            self._player.close()

    async def part(self, result: PeerResult, *, practice: bool, way: Way) -> None:
        """See Front. Who wants to play on has said so before: nothing is asked once the table has ended."""
        self.close()
        if self._ledger and result.ledger is not None:
            self.say(self._texts.text("find.ledger", path=result.ledger))
        player, view = self._player, None if self._player is None else self._player.last_view
        if player is None or view is None or not (result.ended and player.again) or view.my_seat is None:
            return
        if practice or view.founder:
            self.again = same_again(view, result.port)
            return
        self.say(self._texts.text("find.next_table"))
        self.again = await next_of(view, NEXT_TABLE_SECONDS, way, result.founder)
        if self.again is None:
            self.say(self._texts.text("find.no_next_table"))
            if result.founder:
                self.say(self._texts.text("find.next_by_address", address=result.founder))
