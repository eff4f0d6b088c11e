"""What a table page has from outside: time, the bell, drawn codes, advice; so that tests can hand in their own.

What doesn't belong here: the peer that holds the seat (`deeds`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from azi_p2p.ui.hint import Advise


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the page has from outside. `clock`: monotonic seconds; `time_of_day`: `HH:MM:SS`; `ring`: ring the bell;
    `draw_code`: rows of signs that draw a text as a QR code; `private`: nobody else can join (practice); `code`: of
    a table that asks for one, for this person to tell others; `watching`: there is no seat, and none is wanted;
    `advise`: who gives hints, None at every table with other people."""

    clock: Callable[[], float]
    time_of_day: Callable[[], str]
    ring: Callable[[], None]
    draw_code: Callable[[str], Sequence[str]]
    private: bool = False
    code: str = field(default="", repr=False)
    watching: bool = False
    advise: Advise | None = None
