"""The front of the program: how a person is told things, asked for a name, and holds a seat.

The same commands work in plain lines (`linefront`) and on the full screen (`client`). What doesn't belong here: either
of them; only what both need.
"""

from __future__ import annotations

import getpass
import logging
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from azi_p2p.cli.running import WRONG_USAGE, CommandFailed
from azi_p2p.net.tablecode import LEAST, MOST, BadCode, TableCode
from azi_p2p.reasons import ReasonError
from azi_p2p.store.profile import MAX_NICKNAME, Profile
from azi_p2p.ui.failed import what_failed
from azi_p2p.ui.i18n import Catalogue
from azi_p2p.ui.names import LINE_WIDTH, cleaned

if TYPE_CHECKING:
    from azi_p2p.cli.peer import PeerResult, RunningPeer
    from azi_p2p.cli.rematch import Again, Way
    from azi_p2p.session.commands import Command
    from azi_p2p.session.events import Event
    from azi_p2p.session.jobs import Job
    from azi_p2p.session.view import TableView


class Person(Protocol):
    """A person who holds the seat: a Player (see `peer`) who may also want to know how long proofs take."""

    def begin(self, peer: RunningPeer) -> None:
        """See Player."""

    def see(self, events: Sequence[Event], view: TableView) -> Iterable[Command]:
        """See Player."""

    def timed(self, job: Job, seconds: float) -> None:
        """A proof took so many seconds to make or to check."""


class Front(Protocol):
    """What stands between a command and the person. `profile`: one that is open already, None to open it anew.

    `again`: the table to which the person wants to go on from the one that has ended; whoever goes there clears it.
    """

    profile: Profile | None
    again: Again | None

    def begin_log(self) -> None:
        """Send warnings of all modules where they don't spoil anything."""

    def say(self, line: str) -> None:
        """Tell the person something."""

    def warn(self, line: str) -> None:
        """Tell the person of something that went wrong, while the table goes on or after it."""

    async def ask_name(self, suggested: str) -> str:
        """Ask for the name to play under; raises CommandFailed when there is no answer."""

    async def ask_code(self, name: str) -> str:
        """Ask for the code of a private table of this name, empty if it isn't known; raises CommandFailed."""

    def player(self, me: bytes, *, practice: bool, code: str = "", watching: bool = False) -> Person:
        """Whoever holds the seat; `me`: own key, `practice`: nobody else waits for this person, `code`: of the table.

        `watching`: there is no seat, and none is wanted.
        The code is there to be shown to this person, who tells it to others; empty where there is none.
        """

    def close(self) -> None:
        """The peer has stopped: nothing that the person does reaches the table any more."""

    async def part(self, result: PeerResult, *, practice: bool, way: Way) -> None:
        """The peer has ended. Returns when the person has seen how, and has said whether to play on (`again`).

        `loopback`: others are looked for on this machine alone.
        """


def print_line(line: str) -> None:
    """Print something for the person who plays, at once, wrapped to a plain terminal; paths stay whole."""
    wrapped = textwrap.wrap(line, LINE_WIDTH, break_on_hyphens=False, break_long_words=False)
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


def checked_code(texts: Catalogue, typed: str) -> TableCode:
    """The code of a private table as it was typed; raises CommandFailed, which doesn't quote it, if it can't be one."""
    try:
        return TableCode(typed)
    except BadCode:
        raise CommandFailed(texts.text("code.bad", least=LEAST, most=MOST), WRONG_USAGE) from None


class OneCleanLine(logging.Formatter):
    """A log record as one line without anything that could harm a terminal, whoever's bytes are in it.

    `texts`: a record that is nothing but an error with a reason is told in this language; None: as it is written.
    """

    def __init__(self, texts: Catalogue | None = None) -> None:
        super().__init__()
        self._texts = texts

    def format(self, record: logging.LogRecord) -> str:
        """The message, and the kind of the exception if there is one."""
        message = record.getMessage()
        about = record.args[0] if isinstance(record.args, tuple) and record.args else None
        if self._texts is not None and record.msg == "%s" and isinstance(about, ReasonError):
            message = what_failed(about, self._texts)
        if record.exc_info and record.exc_info[1] is not None:
            message = f"{message}: {record.exc_info[1]!r}"
        return cleaned(message, "?")


def clean_log(texts: Catalogue | None = None) -> None:
    """Send warnings of all modules to stderr, a line each; `texts` as in OneCleanLine."""
    handler = logging.StreamHandler()
    handler.setFormatter(OneCleanLine(texts))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
