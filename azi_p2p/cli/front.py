"""The front of the program: how a person is told things, asked for a name, and holds a seat; here, in plain lines.

The same commands work on the full screen (`client`) with a front of its own. What doesn't belong here: what line mode
says and understands at a table (`azi_p2p.ui.lines`).
"""

from __future__ import annotations

import getpass
import logging
import textwrap
from typing import Protocol

from azi_p2p.cli.peer import PeerResult, Player
from azi_p2p.cli.running import WRONG_USAGE, CommandFailed, tell
from azi_p2p.store.profile import MAX_NICKNAME, Profile
from azi_p2p.ui.i18n import Catalogue
from azi_p2p.ui.lines import WIDTH, LinePlayer
from azi_p2p.ui.names import cleaned
from azi_p2p.ui.typed import typed_lines


class Front(Protocol):
    """What stands between a command and the person. `profile`: one that is open already, None to open it anew."""

    profile: Profile | None

    def begin_log(self) -> None:
        """Send warnings of all modules where they don't spoil anything."""

    def say(self, line: str) -> None:
        """Tell the person something."""

    def warn(self, line: str) -> None:
        """Tell the person of something that went wrong, while the table goes on or after it."""

    async def ask_name(self, suggested: str) -> str:
        """Ask for the name to play under; raises CommandFailed when there is no answer."""

    def player(self, me: bytes, *, practice: bool) -> Player:
        """Whoever holds the seat; `me`: own key, `practice`: nobody else waits for this person."""

    def close(self) -> None:
        """The peer has stopped: nothing that the person does reaches the table any more."""

    async def part(self, result: PeerResult) -> None:
        """The peer has ended. Returns when the person has seen how."""


class LineFront:
    """Plain lines on stdout. `quiet`: stdout is for data, so that lines go to stderr. `ledger`: say where it is."""

    def __init__(self, texts: Catalogue, *, quiet: bool = False, ledger: bool = True) -> None:
        self.profile: Profile | None = None
        self._texts = texts
        self._quiet = quiet
        self._ledger = ledger
        self._player: LinePlayer | None = None

    def begin_log(self) -> None:
        """See Front."""
        clean_log()

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

    def player(self, me: bytes, *, practice: bool) -> Player:
        """See Front."""
        self._player = LinePlayer(
            self._texts, me, print_line, typed_lines(), start_when_full=True, may_quit_freely=practice
        )
        return self._player

    def close(self) -> None:
        """See Front."""
        if self._player is not None:
            self._player.close()

    async def part(self, result: PeerResult) -> None:
        """See Front."""
        self.close()
        if self._ledger and result.ledger is not None:
            self.say(self._texts.text("find.ledger", path=result.ledger))


def print_line(line: str) -> None:
    """Print something for the person who plays, at once, wrapped to a plain terminal; paths stay whole."""
    wrapped = textwrap.wrap(line, WIDTH, break_on_hyphens=False, break_long_words=False)
    print("\n".join(wrapped or [""]), flush=True)


def login_name() -> str:
    """The login name as a nickname to suggest; empty if there is none that would do."""
    try:
        return cleaned(getpass.getuser(), "")[:MAX_NICKNAME]
    except (KeyError, OSError, ImportError):
        return ""


def checked_name(texts: Catalogue, name: str) -> str:
    """A name of a person or table as others will see it; raises CommandFailed if they would see another one."""
    plain = " ".join(name.split())
    if not 1 <= len(plain) <= MAX_NICKNAME or cleaned(plain, "") != plain:
        raise CommandFailed(texts.text("find.bad_name", most=MAX_NICKNAME), WRONG_USAGE)
    return plain


class OneCleanLine(logging.Formatter):
    """A log record as one line without anything that could harm a terminal, whoever's bytes are in it."""

    def format(self, record: logging.LogRecord) -> str:
        """The message, and the kind of the exception if there is one."""
        message = record.getMessage()
        if record.exc_info and record.exc_info[1] is not None:
            message = f"{message}: {record.exc_info[1]!r}"
        return cleaned(message, "?")


def clean_log() -> None:
    """Send warnings of all modules to stderr, a line each."""
    handler = logging.StreamHandler()
    handler.setFormatter(OneCleanLine())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
