"""The full-screen client on a pseudo-terminal, read through a terminal emulator: press keys, wait for what is shown.

No sleeps, a deadline instead. What doesn't belong here: line mode (`terminal`).
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import pyte

from tests.e2e.onterminal import PATIENCE, OnTerminal

KEYS = {
    "enter": b"\r",
    "escape": b"\x1b",
    "up": b"\x1b[A",
    "down": b"\x1b[B",
    "right": b"\x1b[C",
    "left": b"\x1b[D",
    "tab": b"\t",
    "backspace": b"\x7f",
    "page_up": b"\x1b[5~",
    "page_down": b"\x1b[6~",
    "f1": b"\x1bOP",
    "f2": b"\x1bOQ",
    "interrupt": b"\x03",
}
"""What a terminal sends for keys without a character."""

MODES = (("1049", b"h", b"l"), ("25", b"l", b"h"), ("2004", b"h", b"l"), ("1000", b"h", b"l"))
"""Private modes of the terminal that the client may change: number, how it sets them, how they are without it."""


class FullScreen(OnTerminal):
    """`azi` with these arguments on a terminal.

    `output`: every byte that was written so far; `emulated`: the screen with its styles.
    """

    def __init__(
        self,
        *arguments: str,
        columns: int = 80,
        rows: int = 24,
        env: Mapping[str, str] | None = None,
        program: Sequence[str] = ("-m", "azi_p2p"),
    ) -> None:
        """`program`: what Python runs."""
        self.output = b""
        self.emulated = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.emulated)
        super().__init__([*program, *arguments], {"TERM": "xterm-256color", **(env or {})}, (columns, rows))

    def take(self, data: bytes) -> None:
        """See OnTerminal: the bytes as they are, and the screen that they draw."""
        self.output += data
        self._stream.feed(data)

    @property
    def text(self) -> str:
        """What is on the screen now, a line each, without blanks at the ends."""
        return "\n".join(line.rstrip() for line in self.emulated.display)

    def settled_text(self) -> str:
        """What is on the screen once everything has been read that is there to be read."""
        while self.read(0.0):
            pass
        return self.text

    def change(self, before: str) -> None:
        """Wait until something but the clock has changed on the screen, at most a second."""
        deadline = time.monotonic() + 1.0
        while re.sub(CLOCK, "", self.text) == re.sub(CLOCK, "", before) and time.monotonic() < deadline:
            self.read(0.1)

    def press(self, *keys: str) -> None:
        """Press keys: by name as in KEYS, or characters."""
        os.write(self.master, b"".join(KEYS.get(key, key.encode()) for key in keys))

    def paste(self, text: str) -> None:
        """Paste text, as a terminal does that brackets it."""
        os.write(self.master, b"\x1b[200~" + text.encode() + b"\x1b[201~")

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size."""
        self.emulated.resize(rows, columns)
        self.set_size(columns, rows)
        self.process.send_signal(signal.SIGWINCH)

    def shows(self, pattern: str, seconds: float = PATIENCE) -> re.Match[str]:
        """Wait until the screen fits the pattern; gives the match."""
        self.until(lambda: re.search(pattern, self.text) is not None, f"{pattern!r} was never shown", seconds)
        match = re.search(pattern, self.text)
        assert match is not None, "it is shown"
        return match

    def shows_no(self, pattern: str, seconds: float = PATIENCE) -> None:
        """Wait until nothing on the screen fits the pattern any more."""
        self.until(lambda: re.search(pattern, self.text) is None, f"{pattern!r} is still shown", seconds)

    def until(self, condition: Callable[[], bool], otherwise: str, seconds: float = PATIENCE) -> None:
        """Wait until the condition holds; it is asked again whenever something was drawn."""
        deadline = time.monotonic() + seconds
        while self.read(0.0):
            pass
        while not condition():
            left = deadline - time.monotonic()
            # A condition may hang on another terminal too, so this one isn't waited for longer than a moment.
            if left <= 0 or (self.read(min(left, 0.2)) is False and self.process.poll() is not None):
                raise AssertionError(f"{otherwise}; the screen:\n{self.text}\n{self.output[-300:]!r}")

    def wait(self, seconds: float = PATIENCE) -> int:
        """See OnTerminal."""
        try:
            return super().wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it doesn't end; the screen:\n{self.text}") from None

    def is_restored(self) -> bool:
        """Whether the terminal is as it was: its modes, the ordinary page, the cursor, pasting, the mouse."""
        for number, _, off in MODES:
            last = re.findall(rb"\x1b\[\?" + number.encode() + rb"([hl])", self.output)
            if last and last[-1] != off:
                return False
        return termios.tcgetattr(self.master) == self.before


class Shown(Protocol):
    """A screen with keys, whatever draws it."""

    @property
    def text(self) -> str:
        """What is on the screen now."""

    def settled_text(self) -> str:
        """What is on the screen once everything has been read that is there to be read."""

    def press(self, *keys: str) -> None:
        """Press keys."""

    def change(self, before: str) -> None:
        """Wait a moment until something has changed."""


TURN = r"Your turn to (bid|play): pick|(Lay one card aside), unseen|Do you (buy) into the replay"
PICKED = r"▲\d▲|▶\d "
CLOCK = r"\d+:\d\d"


def step(screen: Shown) -> None:
    """One key on the way of answering what is asked, if anything is; then wait for something to come of it, a moment.

    A question may change while the key is on its way; so nothing is remembered from one key to the next.
    """
    before = screen.settled_text()
    if re.search(r"Really\?", before):
        screen.press("1", "enter")
    elif re.search(PICKED, before):
        screen.press("enter")
    elif re.search(TURN + "|Nothing is picked|does nothing here", before):
        screen.press("right")
    screen.change(before)


def play_a_deal(screen: Shown) -> str:
    """Answer what is asked, so that one stays in the game, until a deal is over and keys are meant for the sheet that
    says so; gives the screen then."""
    deadline = time.monotonic() + PATIENCE
    while re.search(r"Deal \d+ is over", screen.settled_text()) is None:
        assert time.monotonic() < deadline, f"the deal doesn't end; the screen:\n{screen.text}"
        step(screen)
    while "any key: close" not in (shown := screen.settled_text()):
        assert time.monotonic() < deadline, f"the sheet takes no keys:\n{shown}"
        screen.change(shown)
    return screen.text
