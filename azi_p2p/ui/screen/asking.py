"""Questions to be answered with yes or no, and lines to be typed: what the keys do to them.

What doesn't belong here: what is asked, and what follows from the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from azi_p2p.ui.i18n import Catalogue, catalogue
from azi_p2p.ui.screen.entry import EntryLine
from azi_p2p.ui.screen.model import Button, Entry


@dataclass(slots=True)
class Question:
    """A question. `then`: what to do on yes; `picked`: 0 for yes, 1 for no, None before anything was picked.

    `quits`: it asks whether to stop, so that to ask for the stop once more means yes.
    """

    text: str
    then: Callable[[], object]
    picked: int | None = None
    quits: bool = False

    def press(self, key: str, texts: Catalogue) -> bool | None:
        """Do what a key does: True or False when it answers the question, None when it doesn't."""
        if key in {"left", "right", "up", "down", "tab"}:
            self.picked = 1 - self.picked if self.picked is not None else 0
        elif key in {"1", "2"}:
            self.picked = int(key) - 1
        elif key in answers("yes", texts) or (key == "enter" and self.picked == 0):
            return True
        elif key in answers("no", texts) or key == "escape" or (key == "enter" and self.picked == 1):
            return False
        return None

    def buttons(self, texts: Catalogue) -> tuple[Button, ...]:
        """Yes and no, to be drawn."""
        return tuple(
            Button(number, texts.text(key), self.picked == number - 1)
            for number, key in enumerate(("screen.yes", "screen.no"), start=1)
        )


def answers(name: str, texts: Catalogue) -> set[str]:
    """The single letters that say yes or no, in the person's language and in English.

    Not the Cyrillic twins of Latin keys: н is on the key of y, and means no.
    """
    return {
        word
        for source in (texts, catalogue("en"))
        for word in source.text(f"command.{name}").split(",")
        if len(word) == 1
    }


@dataclass(slots=True)
class Typing:
    """A line that is being typed. `then`: what to do with it on Enter; `digits`: it takes nothing else."""

    label: str
    line: EntryLine
    then: Callable[[str], None]
    digits: bool = False

    def press(self, key: str) -> bool:
        """Do what a key does to the line; True when it is taken or left with it."""
        if key == "enter":
            self.then(self.line.text.strip())
            return True
        if key == "escape" or (self.digits and key in {"up", "down"}):
            return True
        if not (self.digits and len(key) == 1 and not (key.isascii() and key.isdecimal())):
            self.line.press(key)
        return False

    def paste(self, text: str) -> None:
        """Take in what was pasted."""
        self.line.paste("".join(filter(str.isdecimal, text)) if self.digits else text)

    def entry(self) -> Entry:
        """The line to be drawn."""
        return Entry(self.label, self.line.text, self.line.cursor)
