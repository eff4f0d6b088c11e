"""What the screen shows, as frozen values: no terminal, no session, no clock in it.

A model says everything that a drawing needs; two equal models draw the same. Texts are finished sentences in the
player's language. What doesn't belong here: how a model comes about (`tablemodel`), and how it is drawn (`tablepage`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Tone = Literal["text", "ask", "good", "warn", "bad", "dim", "on"]


@dataclass(frozen=True, slots=True)
class Seat:
    """One seat. `cards`: how many it holds; `played`: its card in the trick; `note`: its state in a word or two, in
    the tone `tone`; `seconds`: left of its time, None when no clock runs; `tricks`: tricks won in this deal."""

    name: str
    fingerprint: str
    chips: int
    bid: int
    bid_text: str
    cards: int
    tricks: int
    note: str
    tone: Tone
    turn: bool
    seconds: int | None
    played: str | None
    won: bool


@dataclass(frozen=True, slots=True)
class HandCard:
    """A card of the own hand. `off`: it can't be chosen now; `meant`: it will be played on the next turn."""

    card: str
    off: bool
    on: bool
    promoted: bool
    meant: bool = False


@dataclass(frozen=True, slots=True)
class Button:
    """A choice to be taken by its number."""

    number: int
    text: str
    on: bool


@dataclass(frozen=True, slots=True)
class LogLine:
    """Something that happened: when (`HH:MM`), in words; `chat`: somebody said it."""

    time: str
    text: str
    chat: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """A sheet that lies over the page until a key is pressed.

    `lines`: tone and sentence, to be wrapped; `foot`: what keys do, empty where none does anything;
    `picked`: the line that is chosen, None where nothing is to be chosen;
    `low`: it leaves the upper half of the page free; `banner`: it begins with the name of the game in large letters;
    `scroll`: wrapped lines that are scrolled away, from the end of the text with `from_end`, else from its start.
    `drawing`: rows of signs that are drawn as they are, under the lines.
    """

    title: str
    lines: tuple[tuple[Tone, str], ...]
    foot: str
    picked: int | None = None
    low: bool = False
    banner: bool = False
    scroll: int = 0
    from_end: bool = False
    drawing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """A line that is being typed: the text before it, what is typed, where the cursor stands."""

    label: str
    text: str
    cursor: int


@dataclass(frozen=True, slots=True)
class TableModel:
    """The table as one person sees it.

    `seats`: the others, clockwise from the one at the person's left. `center`: lines in the middle while no cards lie
    there. `trump`: the line about the trump suit; `promoted`: the six that is the highest card, if one is; `why`: the
    rule that keeps cards of the hand from being chosen. `question`: what is asked now, or the answer to the last key.
    `foot`: keys and what they do; `whose_turn`: who is asked, and the time left;
    `numbered`: the cards of the hand are chosen by their numbers now.
    """

    title: str
    pot: str
    seats: tuple[Seat, ...]
    me: Seat | None
    upcard: str | None
    trump: str
    promoted: str | None
    hand: tuple[HandCard, ...]
    why: str
    center: tuple[tuple[Tone, str], ...]
    question: str
    tone: Tone
    buttons: tuple[Button, ...]
    entry: Entry | None
    fair: str
    fair_tone: Tone
    log: tuple[LogLine, ...]
    foot: tuple[tuple[str, str], ...]
    whose_turn: str
    my_turn: bool
    panel: Panel | None
    numbered: bool


def grouped(amount: int) -> str:
    """An amount with a gap between thousands, where it has more than four digits: `12 400`."""
    return f"{amount:,}".replace(",", "\u00a0") if amount >= 10_000 else str(amount)


def compact(amount: int) -> str:
    """An amount in at most eight cells: thousands (k) or millions (M), rounded down, where there are six digits."""
    if amount < 100_000:
        return grouped(amount)
    return f"{grouped(amount // 1000)}k" if amount < 100_000_000 else f"{grouped(amount // 1_000_000)}M"


def clock_text(seconds: int) -> str:
    """Seconds as minutes and seconds: `0:42`."""
    return f"{seconds // 60}:{seconds % 60:02}"
