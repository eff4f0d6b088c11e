"""What the person (or the bot) who holds a seat can ask of the session. Wishes, not yet messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from azi_p2p.rules import Action

WishKind = Literal["leave", "sit_out", "return", "rebuy", "pause", "resume", "finish"]


@dataclass(frozen=True, slots=True)
class Act:
    """Make this action of the rules now (bid, call, check, fold, discard, play, leave, buy in, decline)."""

    action: Action


@dataclass(frozen=True, slots=True)
class Wish:
    """Ask for a change of one's own seat between deals, for a pause, or for the end of the table."""

    kind: WishKind


@dataclass(frozen=True, slots=True)
class Say:
    """Say something to everybody at the table (at most 300 characters)."""

    text: str


@dataclass(frozen=True, slots=True)
class Start:
    """The founder starts the table with the seats that are taken now (at least two)."""


@dataclass(frozen=True, slots=True)
class Close:
    """Close the table without a majority, where none can be reached: for this peer it is over, unconfirmed."""


Command = Act | Wish | Say | Start | Close


class CommandRefused(Exception):
    """The command can't be carried out now; nothing has changed. `code` as in the rules, or `not_now`."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
