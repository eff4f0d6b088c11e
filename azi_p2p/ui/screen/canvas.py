"""A grid of terminal cells to draw on: text, boxes and lines, each cell with the name of a style.

It never writes outside of itself, counts wide characters as two cells, and gives its rows as runs of one style. What
doesn't belong here: what the styles look like (`look`) and what is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from azi_p2p.ui.names import cells, char_cells, cut

Fragment = tuple[str, str]
"""A run of cells: the names of its styles, with blanks between them, and its text."""
Row = list[Fragment]

PLAIN_SIGNS = {
    "\u00a0": " ",
    "…": ".",
    "·": "-",
    "–": "-",
    "—": "-",
    "×": "x",
    "½": "/",
    "✓": "+",
    "▶": ">",
    "◀": "<",
    "▲": "^",
    "▼": "v",
    "●": "*",
    "★": "*",
    "▒": "#",
    "█": "#",
    "♠": "S",
    "♥": "H",
    "♦": "D",
    "♣": "C",
    "→": ">",
    "←": "<",
    "↑": "^",
    "↓": "v",
    "«": '"',
    "»": '"',
    "„": '"',
    "“": '"',
    "”": '"',
    "’": "'",
    "╭": "+",
    "╮": "+",
    "╰": "+",
    "╯": "+",
    "┌": "+",
    "┐": "+",
    "└": "+",
    "┘": "+",
    "╔": "#",
    "╗": "#",
    "╚": "#",
    "╝": "#",
    "─": "-",
    "│": "|",
    "═": "=",
    "║": "#",
}
"""What is drawn in place of a sign where only ASCII can be: one cell for one cell. Letters stay what they are."""


@dataclass(frozen=True, slots=True)
class Zone:
    """A rectangle that stands for a key: to press the mouse there is to press the key."""

    x: int
    y: int
    width: int
    height: int
    key: str

    def holds(self, x: int, y: int) -> bool:
        """Whether this cell lies in it."""
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height


class Canvas:
    """`width` by `height` blank cells. `plain`: draw no sign outside of ASCII, letters aside.

    `hides`: what keys would act on isn't to be seen here, so that they mustn't act.
    """

    def __init__(self, width: int, height: int, *, plain: bool = False) -> None:
        self.width = width
        self.height = height
        self.zones: list[Zone] = []
        self.hides = False
        self._plain = str.maketrans(PLAIN_SIGNS) if plain else None
        self._chars = [[" "] * width for _ in range(height)]
        self._styles = [["text"] * width for _ in range(height)]

    def put(self, x: int, y: int, text: str, style: str = "text", limit: int | None = None) -> int:
        """Write text from a cell on, cut to `limit` cells and to the edge; gives the first cell behind it."""
        if not 0 <= y < self.height or x < 0:
            return x
        room = self.width - x if limit is None else min(limit, self.width - x)
        if room <= 0:
            return x
        if self._plain is not None:
            text = text.replace(" …", "...")  # at the end of a sentence; where a text was cut, one cell must do
        if cells(text) > room:
            text = cut(text, room)
        if self._plain is not None:
            text = text.translate(self._plain)
        chars, styles = self._chars[y], self._styles[y]
        if not chars[x] and text:
            chars[x - 1] = " "  # the left half of a wide character, whose right half is written over
        for char in text:
            size = char_cells(char)
            if not size:
                if x:
                    chars[x - 1] += char
                continue
            chars[x], styles[x] = char, style
            if size == 2:
                chars[x + 1], styles[x + 1] = "", style
            x += size
        if x < self.width and not chars[x]:
            chars[x] = " "
        return x

    def put_right(self, right: int, y: int, text: str, style: str = "text") -> int:
        """Write text so that it ends before the cell `right`; gives its first cell."""
        x = max(0, right - cells(text))
        self.put(x, y, text, style)
        return x

    def put_middle(self, left: int, width: int, y: int, text: str, style: str = "text") -> int:
        """Write text in the middle of `width` cells; gives the first cell behind it."""
        text = cut(text, width)
        return self.put(left + (width - cells(text)) // 2, y, text, style)

    def fill(self, x: int, y: int, width: int, height: int, style: str, char: str = " ") -> None:
        """Fill a rectangle with one character."""
        for row in range(max(0, y), min(self.height, y + height)):
            self.put(x, row, char * max(0, min(width, self.width - x)), style)

    def box(self, x: int, y: int, width: int, height: int, style: str, kind: str = "single") -> None:
        """Draw a frame: `kind` single, double or round."""
        corners, flat, upright = FRAMES[kind]
        top, bottom = y, y + height - 1
        self.put(x, top, corners[0] + flat * (width - 2) + corners[1], style)
        self.put(x, bottom, corners[2] + flat * (width - 2) + corners[3], style)
        for row in range(y + 1, bottom):
            self.put(x, row, upright, style)
            self.put(x + width - 1, row, upright, style)

    def blit(self, rows: Iterable[Row], x: int, y: int) -> None:
        """Copy rows of another canvas onto this one."""
        for number, row in enumerate(rows):
            at = x
            for style, text in row:
                at = self.put(at, y + number, text, style)

    def rows(self) -> list[Row]:
        """All rows, each as runs of equal style; together they fill the canvas."""
        found = []
        for chars, styles in zip(self._chars, self._styles, strict=True):
            row: Row = []
            start = 0
            for end in range(1, self.width + 1):
                if end == self.width or styles[end] != styles[start]:
                    row.append((styles[start], "".join(chars[start:end])))
                    start = end
            found.append(row)
        return found


FRAMES = {
    "single": ("┌┐└┘", "─", "│"),
    "double": ("╔╗╚╝", "═", "║"),
    "round": ("╭╮╰╯", "─", "│"),
}


def plain_text(rows: Iterable[Row]) -> str:
    """The rows as text alone, without blanks at their ends: what a person reads."""
    return "\n".join("".join(text for _, text in row).rstrip() for row in rows)
