"""A page with a few fields to fill in: choices, numbers, texts. For the settings, a new table, a name, an address.

Up and down go from field to field, left and right change one, digits and letters are typed into it; Enter takes the
whole form, Escape leaves it. What doesn't belong here: what the values are for.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from azi_p2p.ui.failed import sentence
from azi_p2p.ui.i18n import Catalogue
from azi_p2p.ui.names import cells
from azi_p2p.ui.screen.canvas import Canvas
from azi_p2p.ui.screen.entry import EntryLine
from azi_p2p.ui.screen.page import PlainPage, draw_too_small
from azi_p2p.ui.screen.wrap import wrapped

Value = str | int | bool
LEAST = (60, 16)
"""Columns and rows that a form needs."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several values, each with its name on the screen."""

    key: str
    label: str
    options: tuple[tuple[Value, str], ...]
    start: Value


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number from `low` to `high`; the arrows change it by `step`."""

    key: str
    label: str
    low: int
    high: int
    step: int
    start: int


@dataclass(frozen=True, slots=True)
class Text:
    """A text of at most `most` characters. `offered`: what is typed first takes the place of `start`."""

    key: str
    label: str
    most: int
    start: str
    offered: bool = False


Field = Choice | Number | Text


@dataclass(frozen=True, slots=True)
class FormWords:
    """What is written around the fields: title, what the form is for, keys and what they do (`foot`), what a number
    out of its bounds is answered (with the fields `{label}`, `{low}` and `{high}`)."""

    title: str
    lead: str
    foot: tuple[tuple[str, str], ...]
    bounds: str


@dataclass(slots=True)
class _Cell:
    field: Field
    option: int = 0
    line: EntryLine = dataclasses.field(default_factory=EntryLine)


class FormPage(PlainPage):
    """A form as a page. `taken` gets all values by key and gives None, or the line that says what is wrong with them;
    `left` is called when the person goes back without taking it."""

    def __init__(
        self,
        texts: Catalogue,
        words: FormWords,
        fields: Sequence[Field],
        taken: Callable[[Mapping[str, Value]], str | None],
        left: Callable[[], None],
        *,
        plain: bool = False,
    ) -> None:
        super().__init__()
        self.problem = ""
        self.at = 0
        self._texts = texts
        self._words = words
        self._cells = [_cell(one) for one in fields]
        self._taken = taken
        self._left = left
        self._plain = plain
        self._first_row = 0

    def values(self) -> dict[str, Value]:
        """What stands in the fields now; a number out of its bounds as it is typed, 0 for none."""
        return {cell.field.key: _value(cell) for cell in self._cells}

    # Page

    def press(self, key: str) -> None:
        """See Page."""
        cell = self._cells[self.at]
        self.problem = ""
        match key:
            case "escape" | "interrupt":
                self._left()
            case "enter":
                self._take()
            case "up" | "back_tab":
                self.at = (self.at - 1) % len(self._cells)
            case "down" | "tab":
                self.at = (self.at + 1) % len(self._cells)
            case _:
                _edit(cell, key)
        self.changed()

    def paste(self, text: str) -> None:
        """See Page: pasted text goes into a text field, nowhere else."""
        cell = self._cells[self.at]
        if isinstance(cell.field, Text):
            cell.line.paste(text)
            self.changed()

    def click(self, x: int, y: int) -> None:
        """See Page: a click goes to a field, and on the one where we are to its next value."""
        del x
        at = y - self._first_row
        if 0 <= at < len(self._cells):
            if at == self.at:
                _edit(self._cells[at], "right")
            self.at = at
            self.changed()

    def _take(self) -> None:
        for number, cell in enumerate(self._cells):
            one = cell.field
            if isinstance(one, Number) and not one.low <= int(cell.line.text or "0") <= one.high:
                self.at = number
                self.problem = self._words.bounds.format(label=one.label, low=one.low, high=one.high)
                return
        self.problem = self._taken(self.values()) or ""

    # Drawing

    def draw(self, width: int, height: int, now: float) -> Canvas:
        """See Page."""
        del now
        if width < LEAST[0] or height < LEAST[1]:
            return draw_too_small(self._texts, width, height, LEAST, plain=self._plain)
        canvas = Canvas(width, height, plain=self._plain)
        words = self._words
        canvas.fill(0, 0, width, 1, "head")
        canvas.put(1, 0, words.title, "head.strong")
        left = max(1, (width - 76) // 2)
        room = min(width - 2, 76)
        y = 2
        for line in wrapped(words.lead, room):
            canvas.put(left, y, line, "text")
            y += 1
        y += 1
        self._first_row = y
        label_width = max(cells(cell.field.label) for cell in self._cells) + 2
        for number, cell in enumerate(self._cells):
            on = number == self.at
            canvas.put(left, y, "▶ " if on else "  ", "warn")
            canvas.put(left + 2, y, cell.field.label, "strong" if on else "text", label_width)
            self._draw_value(canvas, cell, left + 2 + label_width, y, room - label_width - 2, on=on)
            y += 1
        y += 1
        lines = wrapped(sentence(self.problem), room - 2) if self.problem else []
        for number, line in enumerate(lines):
            canvas.put(left, y, f"  {line}" if number else f"! {line}", "warn")
            y += 1
        draw_foot(canvas, words.foot)
        return canvas

    @staticmethod
    def _draw_value(canvas: Canvas, cell: _Cell, x: int, y: int, room: int, *, on: bool) -> None:
        if isinstance(cell.field, Choice):
            name = cell.field.options[cell.option][1]
            canvas.put(x, y, f"◀ {name} ▶" if on else f"  {name}", "button.on" if on else "text", room)
            return
        line = cell.line
        x, room = x + 2, room - 2
        typed = min(room, max(cell.line.most, 1) + 1)
        canvas.fill(x, y, typed, 1, "entry")
        shown = max(0, cells(line.text[: line.cursor]) - typed + 1)
        canvas.put(x, y, line.text[shown:], "entry.cursor" if on and line.offered else "entry", typed)
        if on:
            under = line.text[line.cursor] if line.cursor < len(line.text) else " "
            canvas.put(x + cells(line.text[shown : line.cursor]), y, under, "entry.cursor")


def draw_foot(canvas: Canvas, foot: Sequence[tuple[str, str]], right: str = "") -> None:
    """The last row of a page: keys and what they do, as many as there is room for; `right`: what stands at the end."""
    last = canvas.height - 1
    canvas.fill(0, last, canvas.width, 1, "foot")
    end = canvas.put_right(canvas.width - 1, last, right, "foot.turn")
    x = 1
    for key, text in foot:
        if x + cells(key) + 1 + cells(text) > end - 1:
            break
        x = canvas.put(x, last, key, "foot.key")
        x = canvas.put(x + 1, last, text, "foot") + 2


def _cell(one: Field) -> _Cell:
    match one:
        case Choice():
            return _Cell(one, option=[value for value, _ in one.options].index(one.start))
        case Number():
            return _Cell(one, line=EntryLine(str(one.start), most=len(str(one.high))))
        case Text():
            return _Cell(one, line=EntryLine(one.start, most=one.most, offered=one.offered))


def _value(cell: _Cell) -> Value:
    match cell.field:
        case Choice():
            return cell.field.options[cell.option][0]
        case Number():
            return int(cell.line.text or "0")
        case Text():
            return " ".join(cell.line.text.split())


def _edit(cell: _Cell, key: str) -> None:
    """A key that changes the field where we are."""
    match cell.field:
        case Choice(options=options):
            if key in {"left", "right", " "}:
                cell.option = (cell.option + (-1 if key == "left" else 1)) % len(options)
            elif len(key) == 1 and key in "123456789" and int(key) <= len(options):
                cell.option = int(key) - 1
        case Number(low=low, high=high, step=step):
            if key in {"left", "right"}:
                now = int(cell.line.text or "0")
                # From a bound that isn't a multiple of the step, the next multiple comes first.
                moved = (now // step + 1) * step if key == "right" else (now - 1) // step * step
                text = str(min(high, max(low, moved)))
                cell.line = EntryLine(text, most=len(str(high)))
            elif len(key) > 1 or key in "0123456789":
                cell.line.press(key)
        case Text():
            cell.line.press(key)
