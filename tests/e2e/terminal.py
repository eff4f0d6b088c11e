"""A real pseudo-terminal with the program on it: type, and wait for what it prints. No sleeps, a deadline instead."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

PATIENCE = 90.0
"""Seconds to wait for a text; proofs of six seats on a busy machine take their time."""


class Terminal:
    """`azi` with these arguments on a terminal that has lines only. Use in a `with`: its end ends the program."""

    def __init__(self, *arguments: str, env: Mapping[str, str] | None = None) -> None:
        self.output = ""
        self._seen = 0
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "azi_p2p", *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            env={**os.environ, "LC_ALL": "C.UTF-8", "AZI_LOOPBACK": "1", "TERM": "dumb", **(env or {})},
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
        os.close(self._master)

    def type(self, line: str) -> None:
        os.write(self._master, line.encode() + b"\n")

    def press(self, key: bytes) -> None:
        os.write(self._master, key)

    def expect(self, pattern: str, seconds: float = PATIENCE) -> re.Match[str]:
        """Wait until what is printed after the last match fits the pattern; gives the match."""
        deadline = time.monotonic() + seconds
        while True:
            match = re.compile(pattern).search(self.output, self._seen)
            if match is not None:
                self._seen = match.end()
                return match
            left = deadline - time.monotonic()
            if left <= 0 or not self._read(left):
                raise AssertionError(f"{pattern!r} never came; the terminal shows:\n{self.output[-3000:]}")

    def wait(self, seconds: float = PATIENCE) -> int:
        """Wait for the program to end, and give its exit code; everything that it still prints is kept."""
        deadline = time.monotonic() + seconds
        while self._read(deadline - time.monotonic()):
            pass
        return self.process.wait(max(0.1, deadline - time.monotonic()))

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)

    def _read(self, seconds: float) -> bool:
        """Read what there is, waiting at most so long; False at the end of the program or of the time."""
        ready, _, _ = select.select([self._master], [], [], max(0.0, seconds))
        if not ready:
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:  # how a Linux pseudo-terminal says that the other side has closed it
            return False
        self.output += data.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(data)


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
