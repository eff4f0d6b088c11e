"""The sheet that lies over the table, if one does: which, how far it is scrolled, and what keys do to it.

What doesn't belong here: what is written on the sheets (`sheets`), and what an entry of the menu leads to (`control`).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

from azi_p2p.session.view import TableView
from azi_p2p.ui.screen import sheets
from azi_p2p.ui.screen.model import Panel
from azi_p2p.ui.screen.story import Story

RESULT_SECONDS = 15.0
"""Seconds for which the end of a deal lies over the table if no key is pressed."""
STARTLED = 0.4
"""Seconds, from when it is first drawn, for which a sheet that came up by itself takes no key and names none: whoever
is typing just then means what was there before."""
BROKEN_INTO = 1.5
"""Seconds without a key after which a sheet takes keys that came up in the middle of a line being typed."""
PAGE = 10
"""Lines that one press of page up or page down is worth."""
SCROLLED = {"up": -1, "down": 1, "page_up": -PAGE, "page_down": PAGE}

CLOSED, THROUGH, LEAVE, AGAIN = ".closed", ".through", ".leave", ".again"
"""What a key may come to besides an entry of the menu: the sheet is gone; it is gone, and the key was meant for what
lies below; the person has read the last sheet; and wants to play on at another table."""


class Shelf:
    """At most one sheet at a time. `name`: which, empty for none."""

    def __init__(self, story: Story, *, private: bool, hints: bool) -> None:
        self.name = ""
        self.offer = ""
        """How another table with the same people is offered, empty while none is."""
        self.until: float | None = None
        """When the sheet goes by itself, in monotonic seconds."""
        self.ending: tuple[str | None, str | None, str] | None = None
        """What went wrong, the ledger file, and how to find the next table, once the table has ended or can't go on."""
        self._due: float | None = None
        self._unread = False
        """Whether the sheet of the last deal hasn't been open yet."""
        self._settles = 0.0
        self._pause = STARTLED
        self._story = story
        self._private = private
        self._hints = hints
        self._scroll = 0
        self._at = 0

    def open(self, name: str, until: float | None = None) -> None:
        """Lay this sheet over the table."""
        self.name, self.until, self._scroll, self._at, self._settles = name, until, 0, 0, 0.0
        self._unread = self._unread and name != "result"
        self._pause = STARTLED

    def come_up(self, name: str, until: float | None = None) -> None:
        """Lay a sheet over the table that nobody has asked for."""
        self.open(name, until)
        self._settles = math.inf

    def result_due(self, until: float) -> None:
        """A deal has ended: its sheet comes up as soon as no line is typed, if that is before `until`.

        Not over another sheet; but when the table ends, it comes before the standings if it hasn't been open.
        """
        self._unread = True
        self._due = until if not self.name else None

    def bring_up(self, now: float) -> bool:
        """Lay over the table what is due: the end of the deal, and above it what must be read; whether there is such.

        Not to be called while a line is being typed.
        """
        if self._due is not None and not self.name and now < self._due:
            self.come_up("result", self._due)
        self._due = None
        if not self._story.alerts or self.name in {"alert", "end"}:
            return False
        self.come_up("alert")
        return True

    def drawn(self, now: float) -> None:
        """The sheet is on the screen now, for the first time or again."""
        if self._settles == math.inf:
            self._settles = now + self._pause

    def startles(self, now: float) -> bool:
        """Whether the sheet has come up by itself just now, so that keys aren't meant for it yet."""
        return bool(self.name) and now < self._settles

    def next_wake(self, now: float) -> float | None:
        """When the sheet changes by itself, in monotonic seconds: it takes keys from now on, or goes; None if never."""
        if self.startles(now):
            return min(self._settles, now + STARTLED)
        return self.until

    def close(self) -> None:
        """Take the sheet away; the next one that must be read comes up, that of the end last."""
        if self.name == "alert":
            self._story.alerts.pop(0)
        self.name, self.until = "", None
        if self._story.alerts:
            self.come_up("alert")
        elif self.ending is not None:
            self._come_to_the_end()

    def end(self, problem: str | None, ledger: str | None, how: str = "", *, into_line: bool = False) -> None:
        """The table has ended: that sheet comes up as soon as what must be read before it has been read.

        `into_line`: a line was being typed, and whoever types on means that, not the sheet.
        """
        self.ending = (problem, ledger, how)
        if self.name in {"result", "alert"}:
            self.until = None
        else:
            self._come_to_the_end()
        if into_line:
            self._pause = BROKEN_INTO

    def _come_to_the_end(self) -> None:
        """Lay down how the table has ended, above it how its last deal has if that hasn't been open."""
        self.come_up("result" if self._unread else "end")

    def expire(self, now: float) -> None:
        """Take the sheet away if its time is over."""
        if self.until is not None and now >= self.until:
            self.close()

    def menu(self, view: TableView | None) -> tuple[str, ...]:
        """What the menu offers now."""
        return sheets.menu_entries(
            view, private=self._private, hints=self._hints, has_result=self._story.result is not None
        )

    def press(self, key: str, view: TableView | None, now: float) -> str:
        """Do what a key does to the sheet; gives "", one of the words above, or the entry of the menu to be done."""
        if self.startles(now):
            if self._pause == BROKEN_INTO:
                self._settles = now + self._pause
            return ""
        if self.name == "end":
            if self.offer and key == "r":
                return AGAIN
            return LEAVE if key in {"enter", "escape", "q", " "} else ""
        if self.name == "menu":
            return self._press_menu(key, view)
        step = SCROLLED.get(key)
        if step is not None and self.name in {"help", "log", "proofs"}:
            # The log is counted from its end, where the newest stands.
            self._scroll = max(0, self._scroll + (-step if self.name == "log" else step))
            return ""
        by_itself = self.name == "result" and key not in {"enter", "escape", " "}
        self.close()
        return THROUGH if by_itself else CLOSED

    def _press_menu(self, key: str, view: TableView | None) -> str:
        entries = self.menu(view)
        if key in {"up", "left", "back_tab"}:
            self._at = (self._at - 1) % len(entries)
        elif key in {"down", "right", "tab"}:
            self._at = (self._at + 1) % len(entries)
        elif key.isascii() and key.isdecimal() and 1 <= int(key) <= len(entries):
            self._at = int(key) - 1
        else:
            self.close()
            return entries[min(self._at, len(entries) - 1)] if key in {"enter", " "} else CLOSED
        return ""

    def panel(
        self, view: TableView | None, addresses: Sequence[str], drawing: Sequence[str], code: str, now: float
    ) -> Panel | None:
        """The sheet to be drawn. `drawing`: the address as a QR code; `code`: of a private table."""
        panel = self._panel(view, addresses, drawing, code)
        return dataclasses.replace(panel, foot="") if panel is not None and self.startles(now) else panel

    def _panel(
        self, view: TableView | None, addresses: Sequence[str], drawing: Sequence[str], code: str
    ) -> Panel | None:
        story, words = self._story, self._story.words
        match self.name:
            case "help":
                return sheets.help_sheet(view, words, self._scroll)
            case "log":
                return sheets.log_sheet(story.log, words, self._scroll)
            case "proofs":
                return sheets.proofs_sheet(view, story, words, self._scroll)
            case "menu":
                return sheets.menu_sheet(self.menu(view), self._at, words)
            case "seats":
                return sheets.seats_sheet(view, words)
            case "address":
                return sheets.address_sheet(addresses, drawing, code, words)
            case "result" if story.result is not None:
                return sheets.read_sheet(story.result, words)
            case "alert" if story.alerts:
                return sheets.read_sheet(story.alerts[0], words)
            case "end" if self.ending is not None:
                return sheets.end_sheet(view, *self.ending, self.offer, words)
            case _:
                return None
