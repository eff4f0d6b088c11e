"""One line that a person types on the screen: text, cursor, and what the editing keys do to them.

What doesn't belong here: what the line is for.
"""

from __future__ import annotations

from azi_p2p.ui.names import cleaned


class EntryLine:
    """An editable line of at most `most` characters; control characters never get in.

    `offered`: its text is only an offer; what is typed or pasted first takes its place, any other key accepts it.
    """

    def __init__(self, text: str = "", most: int = 300, *, offered: bool = False) -> None:
        self.text = text[:most]
        self.cursor = len(self.text)
        self.most = most
        self.offered = offered and bool(self.text)

    def press(self, key: str) -> bool:
        """Do what a key does to the line; False for a key that isn't for it."""
        match key:
            case "left":
                self.cursor = max(0, self.cursor - 1)
            case "right":
                self.cursor = min(len(self.text), self.cursor + 1)
            case "home":
                self.cursor = 0
            case "end":
                self.cursor = len(self.text)
            case "backspace" | "delete" if self.offered:
                self._decline()
            case "backspace":
                if self.cursor:
                    self.text = self.text[: self.cursor - 1] + self.text[self.cursor :]
                    self.cursor -= 1
            case "delete":
                self.text = self.text[: self.cursor] + self.text[self.cursor + 1 :]
            case _ if len(key) == 1 and key.isprintable():
                self._insert(key)
            case _:
                return False
        self.offered = False
        return True

    def paste(self, text: str) -> None:
        """Put in what was pasted, as one line without anything that can't be seen."""
        self._insert(cleaned(text[: 4 * self.most], ""))

    def _decline(self) -> None:
        self.text, self.cursor, self.offered = "", 0, False

    def _insert(self, text: str) -> None:
        if self.offered and text:
            self._decline()
        text = text[: self.most - len(self.text)]
        self.text = self.text[: self.cursor] + text + self.text[self.cursor :]
        self.cursor += len(text)
