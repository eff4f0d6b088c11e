"""Pastes that terminals bracket (`ESC[200~ … ESC[201~`): bounded, and never without a way out.

When the mark at the end is lost, whatever waits for it takes each key for pasted text, Ctrl-C too. This stands before
it, on the stream of characters, and adds the mark itself. What doesn't belong here: what pasted text is for.
"""

from __future__ import annotations

BEGIN, END = "\x1b[200~", "\x1b[201~"
INTERRUPT = "\x03"
"""What a terminal sends for Ctrl-C."""

MOST_PASTED = 8 * 1024
"""Characters of a paste that are handed on; no line that can be typed takes as many."""


MOST_TYPED = 12
"""Characters in one moment that may have been typed; more of them were pasted."""


class PasteGuard:
    """Hands characters on as they come, and sees to it that each paste has an end.

    Of a long paste it hands on the beginning; what comes after that, up to the mark, is dropped. Ctrl-C at the end of
    few characters, as they come from a hand and hardly ever from a paste, ends it and is the key; so it is at the end
    of any that are dropped.
    """

    def __init__(self) -> None:
        self._pasting = False
        self._room: int | None = 0
        """Characters of this paste that may still be handed on; None when it has been ended already."""
        self._tail = ""

    def passed(self, data: str) -> str:
        """What to hand on for characters that came together."""
        if self._pasting and data.endswith(INTERRUPT) and (self._room is None or len(data) <= MOST_TYPED):
            text = data.rstrip(INTERRUPT)
            end = "" if self._room is None else text + END
            self._pasting, self._tail = False, ""
            return end + data[len(text) :]
        found = []
        while data:
            mark = END if self._pasting else BEGIN
            joined = self._tail + data
            at = joined.find(mark)
            until = len(data) if at < 0 else at + len(mark) - len(self._tail)
            part, data = data[:until], data[until:]
            found.append(self._bounded(part) if self._pasting else part)
            if at < 0:
                self._tail = joined[1 - len(mark) :]
            else:
                self._pasting, self._tail, self._room = not self._pasting, "", MOST_PASTED
        return "".join(found)

    def _bounded(self, part: str) -> str:
        """What of a part of a paste is handed on; the mark at its end, if it has one, belongs to it."""
        if self._room is None:
            return ""
        if len(part) <= self._room:
            self._room -= len(part)
            return part
        kept, self._room = part[: self._room] + END, None
        return kept
