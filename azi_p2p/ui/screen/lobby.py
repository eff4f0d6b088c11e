"""The lobby: the tables on this network as they come and go, and what to do about them.

The page is told which tables are seen and says what the person wants; it knows no network. What doesn't belong here:
finding tables, opening and joining them, and the forms (`form`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from azi_p2p.ui.failed import sentence
from azi_p2p.ui.i18n import Catalogue
from azi_p2p.ui.names import cells, clean_name, cut
from azi_p2p.ui.screen.canvas import Canvas
from azi_p2p.ui.screen.form import draw_foot
from azi_p2p.ui.screen.keys import latin
from azi_p2p.ui.screen.page import PlainPage, draw_too_small
from azi_p2p.ui.screen.wrap import wrapped

LEAST = (60, 18)
"""Columns and rows that the lobby needs."""
FRESH = 1.0
"""Seconds for which the only table of the list isn't joined by Enter alone: whoever is pressing it just then may mean
what was there before."""
PATIENCE = 5.0
"""Seconds without any table after which the page says what may be wrong."""

Deed = Literal["open", "practise", "address", "settings", "quit"]
"""What can be wanted besides joining a table of the list."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """A table that is announced. `seen`: local monotonic seconds when it was first seen; `fits`: it speaks our version
    of the protocol; `people`: name and short fingerprint of each peer that announces it; `private`: it asks for a
    code."""

    table: bytes
    name: str
    seats: int
    free: int
    ante: int
    people: tuple[tuple[str, str], ...]
    address: str
    seen: float
    fits: bool
    private: bool = False


class LobbyPage(PlainPage):
    """The lobby as a page. `join`, `watch` and `do` are called with what the person wants.

    `tables`, `problem` (what keeps the network from being looked at, in one line) and `message` are set from outside,
    followed by `changed()`.
    """

    def __init__(
        self,
        texts: Catalogue,
        who: tuple[str, str],
        hosts: Sequence[str],
        join: Callable[[TableRow], None],
        do: Callable[[Deed], None],
        clock: Callable[[], float],
        *,
        watch: Callable[[TableRow], None],
        plain: bool = False,
    ) -> None:
        """`who`: own name and short fingerprint. `hosts`: own addresses. `clock`: monotonic seconds."""
        super().__init__()
        self.tables: tuple[TableRow, ...] = ()
        self.problem = ""
        self.message = ""
        self.help = False
        self.picked: bytes | None = None
        self._texts = texts
        self._who = who
        self._hosts = tuple(hosts)
        self._join = join
        self._watch = watch
        self._do = do
        self._clock = clock
        self._began = clock()
        self._plain = plain
        self._first_row = 0
        self._listed = range(0)

    # Page

    def press(self, key: str) -> None:
        """See Page."""
        self.message = ""
        small = latin(key)
        if self.help:
            self.help = False
        elif small in {"up", "back_tab"}:
            self._move(-1)
        elif small in {"down", "tab"}:
            self._move(1)
        elif len(small) == 1 and small in "123456789":
            self._pick(int(small) - 1)
        elif small in {"enter", " "}:
            self._enter(self._join)
        elif small == "w":
            self._enter(self._watch)
        elif small in {"?", "h", "f1"}:
            self.help = True
        elif small in DEEDS:
            self._do(DEEDS[small])
        else:
            self.message = self._texts.text("home.no_such_key")
        self.changed()

    def paste(self, text: str) -> None:
        """See Page: nothing here takes pasted text."""
        del text
        self.message = self._texts.text("home.pasted")
        self.changed()

    def click(self, x: int, y: int) -> None:
        """See Page: a click picks a table, and a second one joins it."""
        del x
        at = self._listed.start + (y - self._first_row) // 2
        if at in self._listed and at < len(self.tables):
            if self.tables[at].table == self.picked:
                self._enter(self._join)
            else:
                self._pick(at)
            self.changed()

    def next_wake(self, now: float) -> float | None:
        """See Page: the ages of tables are in minutes, and nobody found is worth a word after a while."""
        if not self.tables:
            patience = self._began + PATIENCE
            return patience if now < patience else None
        return min(now + 60 - (now - table.seen) % 60 for table in self.tables)

    def wake(self, now: float) -> None:
        """See Page."""
        del now
        self.changed()

    def _move(self, by: int) -> None:
        if not self.tables:
            return
        at = self._at()
        self._pick((at + by) % len(self.tables) if at is not None else 0 if by > 0 else len(self.tables) - 1)

    def _pick(self, at: int) -> None:
        if at < len(self.tables):
            self.picked = self.tables[at].table
        else:
            self.message = self._texts.text("home.no_such_table")

    def _at(self) -> int | None:
        """Where in the list the table is that was picked out; None if it has gone, or none was."""
        return next((number for number, table in enumerate(self.tables) if table.table == self.picked), None)

    def _enter(self, want: Callable[[TableRow], None]) -> None:
        at = self._at()
        if at is None and len(self.tables) == 1:
            at = 0
            if self._clock() < max(self._began, self.tables[0].seen) + FRESH:
                self._pick(at)
                return
        if at is None:
            self.message = self._texts.text("home.pick_first" if self.tables else "home.nothing_to_join")
            return
        table = self.tables[at]
        if not table.fits:
            self.message = self._texts.text("home.other_version")
        else:
            want(table)

    # Drawing

    def draw(self, width: int, height: int, now: float) -> Canvas:
        """See Page."""
        texts = self._texts
        if width < LEAST[0] or height < LEAST[1]:
            return draw_too_small(texts, width, height, LEAST, plain=self._plain)
        canvas = Canvas(width, height, plain=self._plain)
        canvas.fill(0, 0, width, 1, "head")
        name, fingerprint = self._who
        right = canvas.put_right(width - 1, 0, f"{clean_name(name)} {fingerprint}", "head.strong")
        canvas.put(1, 0, texts.text("home.title"), "head", right - 3)
        left, room = max(1, (width - 98) // 2), min(width - 2, 98)
        if self.help:
            self._draw_help(canvas, left, room)
        elif self.tables:
            self._draw_tables(canvas, left, room, now)
        else:
            self._draw_nobody(canvas, left, room, now)
        self._draw_end(canvas, left, room)
        draw_foot(canvas, [(key, texts.text(f"home.foot.{deed}")) for key, deed in FOOT])
        return canvas

    def _draw_tables(self, canvas: Canvas, left: int, room: int, now: float) -> None:
        texts = self._texts
        canvas.put(left, 2, texts.plural("home.tables", len(self.tables)), "strong")
        self._first_row = 4
        fits = max(1, (canvas.height - 9) // 2)
        at = self._at()
        first = min(max(0, (at or 0) - fits + 1), max(0, len(self.tables) - fits))
        self._listed = range(first, min(first + fits, len(self.tables)))
        for number, table in enumerate(self.tables[first : first + fits], start=first):
            y = 4 + 2 * (number - first)
            on = number == at
            style = "row.on" if on else "text"
            canvas.fill(left, y, room, 1, style)
            sign = "▶" if on else " "
            canvas.put(left, y, f"{sign} {number + 1}  {clean_name(table.name, 24)}", style)
            minutes = max(0, int(now - table.seen) // 60)
            age = texts.text("home.age", minutes=minutes) if minutes else texts.text("home.age_new")
            if not table.fits:
                facts = texts.text("home.row_other_version")
            elif table.free:
                facts = texts.text("home.row", free=table.free, seats=table.seats, ante=table.ante, age=age)
            else:
                facts = texts.text("home.row_full", seats=table.seats, ante=table.ante, age=age)
            if table.private and table.fits:
                facts = f"{texts.text('code.mark')} · {facts}"
            canvas.put_right(left + room - 1, y, facts, style)
            people = ", ".join(f"{clean_name(one)} {mark}" for one, mark in table.people)
            address_at = canvas.put_right(left + room - 1, y + 1, table.address, "dim")
            canvas.put(left + 5, y + 1, cut(people, max(1, address_at - left - 7)), "dim")

    def _draw_nobody(self, canvas: Canvas, left: int, room: int, now: float) -> None:
        texts = self._texts
        y = 2
        if self.problem:
            lines = [("warn", f"! {sentence(self.problem)}")]
        elif now - self._began < PATIENCE:
            lines = [("strong", texts.text("home.looking"))]
        else:
            lines = [("strong", texts.text("home.nobody")), ("text", ""), ("text", texts.text("home.may_be"))]
            lines += [("text", f"· {reason}") for reason in texts.text("home.reasons").split("\n")]
            lines += [("text", ""), ("text", texts.text("home.even_so"))]
        for style, text in lines:
            for number, line in enumerate(wrapped(text, room)):
                canvas.put(left + (2 if number and text.startswith("·") else 0), y, line, style)
                y += 1
        y += 1
        for key, deed in (("n", "open"), ("b", "practise"), ("a", "address")):
            canvas.put(left, y, f" {key} ", "button.on")
            canvas.put(left + 4, y, texts.text(f"home.offer.{deed}"), "text", room - 4)
            y += 1

    def _draw_help(self, canvas: Canvas, left: int, room: int) -> None:
        y = 2
        for text in self._texts.text("home.help").split("\n"):
            for line in wrapped(text, room):
                canvas.put(left, y, line, "text")
                y += 1

    def _draw_end(self, canvas: Canvas, left: int, room: int) -> None:
        """Above the last row: what was just said to the person, and the own addresses, always in view."""
        lines = wrapped(sentence(self.message), room - 2) if self.message else []
        # A long message lies over the last rows of the list: it is read first, and any key takes it away.
        y = max(1, canvas.height - 2 - max(2, len(lines)))
        if lines:
            canvas.fill(0, y, canvas.width, len(lines), "text")
        for number, line in enumerate(lines):
            canvas.put(left, y + number, "! " + line if not number else "  " + line, "warn")
        label = self._texts.text("home.own_addresses", hosts=", ".join(self._hosts[:3]))
        if cells(label) > room:
            label = self._texts.text("home.own_addresses", hosts=self._hosts[0])
        canvas.put(left, canvas.height - 2, label, "dim", room)


DEEDS: dict[str, Deed] = {
    "n": "open",
    "b": "practise",
    "a": "address",
    "o": "settings",
    "q": "quit",
    "escape": "quit",
    "interrupt": "quit",
}
"""Which key wants what."""

FOOT = (
    ("Enter", "join"),
    ("n", "open"),
    ("b", "practise"),
    ("a", "address"),
    ("o", "settings"),
    ("?", "help"),
    ("q", "quit"),
)
