"""The full-screen client on a pseudo-terminal, read through a terminal emulator: press keys, wait for what is shown.

No sleeps, a deadline instead. What doesn't belong here: line mode (`terminal`).
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Protocol, Self

import pyte

from tests.e2e.terminal import PATIENCE

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


class FullScreen:
    """`azi` with these arguments on a terminal. Use in a `with`: the program is ended at its end.

    `output`: every byte that was written so far; `emulated`: the screen with its styles; `before`: the terminal's modes
    before the start.
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
        self._hung_up = False
        self.emulated = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.emulated)
        self._master, slave = pty.openpty()
        self._set_size(columns, rows)
        self.before = termios.tcgetattr(self._master)
        self.process = subprocess.Popen(
            [sys.executable, *program, *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            env={**os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "AZI_LOOPBACK": "1", **(env or {})},
        )
        os.close(slave)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if not self._hung_up:
            os.close(self._master)

    @property
    def text(self) -> str:
        """What is on the screen now, a line each, without blanks at the ends."""
        return "\n".join(line.rstrip() for line in self.emulated.display)

    def settled_text(self) -> str:
        """What is on the screen once everything has been read that is there to be read."""
        while self._read(0.0):
            pass
        return self.text

    def change(self, before: str) -> None:
        """Wait until something but the clock has changed on the screen, at most a second."""
        deadline = time.monotonic() + 1.0
        while re.sub(CLOCK, "", self.text) == re.sub(CLOCK, "", before) and time.monotonic() < deadline:
            self._read(0.1)

    def press(self, *keys: str) -> None:
        """Press keys: by name as in KEYS, or characters."""
        os.write(self._master, b"".join(KEYS.get(key, key.encode()) for key in keys))

    def paste(self, text: str) -> None:
        """Paste text, as a terminal does that brackets it."""
        os.write(self._master, b"\x1b[200~" + text.encode() + b"\x1b[201~")

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size."""
        self.emulated.resize(rows, columns)
        self._set_size(columns, rows)
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
        while self._read(0.0):
            pass
        while not condition():
            left = deadline - time.monotonic()
            # A condition may hang on another terminal too, so this one isn't waited for longer than a moment.
            if left <= 0 or (self._read(min(left, 0.2)) is False and self.process.poll() is not None):
                raise AssertionError(f"{otherwise}; the screen:\n{self.text}\n{self.output[-300:]!r}")

    def wait(self, seconds: float = PATIENCE) -> int:
        """Wait for the program to end, and give its exit code."""
        deadline = time.monotonic() + seconds
        while self._read(deadline - time.monotonic()):
            pass
        try:
            return self.process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it doesn't end; the screen:\n{self.text}") from None

    def hang_up(self) -> None:
        """Take the terminal away, as when its window is closed."""
        os.close(self._master)
        self._hung_up = True

    def is_restored(self) -> bool:
        """Whether the terminal is as it was: its modes, the ordinary page, the cursor, pasting, the mouse."""
        for number, _, off in MODES:
            last = re.findall(rb"\x1b\[\?" + number.encode() + rb"([hl])", self.output)
            if last and last[-1] != off:
                return False
        return termios.tcgetattr(self._master) == self.before

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def _read(self, seconds: float) -> bool:
        """Read what there is, waiting at most so long; False at the end of the program or of the time."""
        ready, _, _ = select.select([self._master], [], [], max(0.0, seconds))
        if not ready:
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:  # how a Linux pseudo-terminal says that the other side has closed it
            return False
        self.output += data
        self._stream.feed(data)
        return bool(data)


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
    elif re.search(TURN + "|Nothing is picked", before):
        screen.press("right")
    screen.change(before)


def play_a_deal(screen: Shown) -> str:
    """Answer what is asked, so that one stays in the game, until a deal is over; gives the screen then."""
    deadline = time.monotonic() + PATIENCE
    while re.search(r"Deal \d+ is over", screen.settled_text()) is None:
        assert time.monotonic() < deadline, f"the deal doesn't end; the screen:\n{screen.text}"
        step(screen)
    return screen.text
