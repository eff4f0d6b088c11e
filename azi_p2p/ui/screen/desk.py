"""What one person has open on the screen besides the table.

What doesn't belong here: the table (`azi_p2p.session.view`), and what is made of both (`tablemodel`, `saying`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from azi_p2p.rules import Card
from azi_p2p.ui.screen.choosing import Offer
from azi_p2p.ui.screen.model import Button, Entry, LogLine, Panel, Tone


@dataclass(frozen=True, slots=True)
class Desk:
    """What one person has on the screen besides the table: the choice that is picked out, a question, a line being
    typed, a panel, the log. `now` in monotonic seconds; `addresses`: where this peer listens; `code`: that others need
    to join; `watching`: no seat is wanted; `hints`: there are hints here; `ahead`: cards that can be chosen while
    others play, the one that is `marked`, and whether it is `meant` to be played."""

    now: float
    offers: tuple[Offer, ...]
    picked: int | None
    question: str
    notice: tuple[Tone, str] | None
    buttons: tuple[Button, ...]
    entry: Entry | None
    log: tuple[LogLine, ...]
    panel: Panel | None
    addresses: tuple[str, ...]
    private: bool
    code: str = field(repr=False)
    watching: bool
    hints: bool
    ahead: tuple[Card, ...]
    marked: Card | None
    meant: bool
    fair: tuple[Tone, str]
