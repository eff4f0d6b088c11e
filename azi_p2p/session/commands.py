"""What the person (or the bot) who holds a seat can ask of the session, and why it may say no. Wishes, not messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from azi_p2p.reasons import Reason
from azi_p2p.rules import Action, ErrorCode, IllegalAction

CHAT_LENGTH: Final = 300
"""The most characters that a chat message may have."""

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
    """Say something to everybody at the table (1 to CHAT_LENGTH characters)."""

    text: str


@dataclass(frozen=True, slots=True)
class Start:
    """The founder starts the table with the seats that are taken now (at least two)."""


@dataclass(frozen=True, slots=True)
class Close:
    """Close the table without a majority, where none can be reached: for this peer it is over, unconfirmed."""


Command = Act | Wish | Say | Start | Close


class Refusal(Reason, kind="command"):
    """Why a command can't be carried out, apart from what the rules say about an action."""

    NOT_RUNNING = "not_running", "the table isn't being played"
    NOT_STARTED = "not_started", "the table hasn't started yet"
    ENDED = "ended", "the table has ended"
    NO_SEAT = "no_seat", "you have no seat at this table"
    CATCHING_UP = "catching_up", "the others are being asked how far the table has got"
    NOTHING_TO_PLAY = "nothing_to_play", "nothing can be played at the moment"
    OTHER_SEAT = "other_seat", "that is another player's seat"
    ALREADY_PLAYED = "already_played", "this turn is already played"
    LATE_MOVE = "late_move", "the others are being asked about a move that came too late"
    NO_DEAL_KEY = "no_deal_key", "this profile doesn't hold the key to your cards of this deal"
    CHAT_LENGTH = "chat_length", "a message has 1 to {most} characters"
    CHAT_FLOOD = "chat_flood", "too many messages at once: wait a moment"
    CLOSE_NOT_NEEDED = "close_not_needed", "a majority of the table is here: it can end the table in good order"
    ONLY_FOUNDER_STARTS = "only_founder_starts", "only the one who opened the table starts it"
    STARTED_ALREADY = "started_already", "the table has started already"
    TOO_FEW_TO_START = "too_few_to_start", "at least two players are needed"


class CommandRefused(Exception):
    """The command can't be carried out now; nothing has changed.

    `code` is a Refusal, or the rules' own; `details` hold the figures for its sentence, `message` is it in English;
    `illegal`: what the rules have said, None where it wasn't they who refused.
    """

    def __init__(self, why: Refusal | IllegalAction, /, **details: object) -> None:
        self.code: Refusal | ErrorCode
        self.details: Mapping[str, object]
        if isinstance(why, IllegalAction):
            self.illegal: IllegalAction | None = why
            self.code, self.details, self.message = why.code, why.facts, why.message
        else:
            self.illegal = None
            self.code, self.details, self.message = why, details, why.told(details)
        super().__init__(self.message)
