"""A program on a pseudo-terminal: its start, its end, and reading what it writes. No sleeps, a deadline instead.

What doesn't belong here: what is made of the bytes (`terminal` for lines, `screen` for the full screen).
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self

PATIENCE = 90.0
"""Seconds to wait for a text; proofs of six seats on a busy machine take their time."""


class OnTerminal:
    """Python with these arguments on a terminal. Use in a `with`: the program is ended at its end.

    `before`: the terminal's modes before the start.
    """

    def __init__(self, arguments: Sequence[str], env: Mapping[str, str], size: tuple[int, int] | None = None) -> None:
        """`env`: besides the environment of the tests; `size`: columns, rows."""
        self.master, slave = pty.openpty()
        self._open = True
        if size is not None:
            self.set_size(*size)
        self.before = termios.tcgetattr(self.master)
        self.process = subprocess.Popen(
            [sys.executable, *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            env={**os.environ, "LC_ALL": "C.UTF-8", "AZI_LOOPBACK": "1", **env},
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
        self.hang_up()

    def take(self, data: bytes) -> None:
        """What is made of bytes that the program has written."""
        raise NotImplementedError

    def hang_up(self) -> None:
        """Take the terminal away, as when its window is closed."""
        if self._open:
            os.close(self.master)
            self._open = False

    def set_size(self, columns: int, rows: int) -> None:
        """Give the terminal a size."""
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds: float) -> bool:
        """Read what there is, waiting at most so long; False at the end of the program or of the time."""
        ready, _, _ = select.select([self.master], [], [], max(0.0, seconds))
        if not ready:
            return False
        try:
            data = os.read(self.master, 65536)
        except OSError:  # how a Linux pseudo-terminal says that the other side has closed it
            return False
        self.take(data)
        return bool(data)

    def wait(self, seconds: float = PATIENCE) -> int:
        """Wait for the program to end, and give its exit code; everything that it still writes is taken."""
        deadline = time.monotonic() + seconds
        while self.read(deadline - time.monotonic()):
            pass
        return self.process.wait(max(0.1, deadline - time.monotonic()))
