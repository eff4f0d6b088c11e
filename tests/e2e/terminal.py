"""A real pseudo-terminal with the program on it: type, and wait for what it prints. No sleeps, a deadline instead."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Mapping
from pathlib import Path

from tests.e2e.onterminal import PATIENCE, OnTerminal


class Terminal(OnTerminal):
    """`azi` with these arguments on a terminal that has lines only; `output`: everything that it has printed."""

    def __init__(self, *arguments: str, env: Mapping[str, str] | None = None) -> None:
        self.output = ""
        self._seen = 0
        super().__init__(["-m", "azi_p2p", *arguments], {"TERM": "dumb", **(env or {})})

    def take(self, data: bytes) -> None:
        """See OnTerminal: a text with plain ends of lines."""
        self.output += data.decode("utf-8", "replace").replace("\r\n", "\n")

    def type(self, line: str) -> None:
        os.write(self.master, line.encode() + b"\n")

    def press(self, key: bytes) -> None:
        os.write(self.master, key)

    def expect(self, pattern: str, seconds: float = PATIENCE) -> re.Match[str]:
        """Wait until what is printed after the last match fits the pattern; gives the match."""
        deadline = time.monotonic() + seconds
        while True:
            match = re.compile(pattern).search(self.output, self._seen)
            if match is not None:
                self._seen = match.end()
                return match
            left = deadline - time.monotonic()
            if left <= 0 or not self.read(left):
                raise AssertionError(f"{pattern!r} never came; the terminal shows:\n{self.output[-3000:]}")

    def glimpse(self, pattern: str) -> None:
        """Wait until something is printed that fits, as `expect` does; what stands before it can be expected still."""
        seen = self._seen
        self.expect(pattern)
        self._seen = seen

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)


def play_a_deal(terminal: Terminal) -> str:
    """Answer every question with the choice that keeps one in the game, until a deal is over; gives the ending."""
    while True:
        match = terminal.expect(
            r"(?s)(?:(Your turn to (?:bid|play)|Lay one card aside|Do you buy into)[^\n]*.*?\n  1  [^\n]*\n)"
            r"|(wins? the deal\.|Azi!|without showing a card\.)"
        )
        if match[2]:
            return match[2]
        terminal.type("call" if "bid" in match[1] and "call" in rest_of_choices(terminal) else "1")


def rest_of_choices(terminal: Terminal) -> str:
    """The choices after the first, as far as they are printed together with it."""
    return terminal.output[terminal.output.rfind("\n  1  ") :]


def no_children_left(profiles: Path) -> bool:
    """Whether no process runs any more whose command line names this folder."""
    return not running_with(str(profiles))


def running_with(text: str) -> list[int]:
    """Process ids of whatever runs with this text on its command line, this process aside."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            try:
                line = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if text.encode() in line:
                found.append(int(entry.name))
    return found
