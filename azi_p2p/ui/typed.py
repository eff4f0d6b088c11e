"""Lines that a person types, or a script pipes in, without holding up the event loop and without redrawing anything.

A thread reads raw bytes, so that the terminal stays in its own line mode: echo, editing and screen readers work as
they always do, and there is nothing to restore at the end. What doesn't belong here: what a line means (`ask`).
"""

from __future__ import annotations

import asyncio
import codecs
import sys
import threading
from collections.abc import Callable
from io import BufferedReader
from typing import Protocol, cast

MAX_LINE = 1000
"""Characters of a line that are kept; whatever is longer was pasted by mistake."""


class RawInput(Protocol):
    """Where bytes come from."""

    def read(self, size: int, /) -> bytes | None:
        """At most `size` bytes, b"" at the end."""


def standard_input() -> RawInput:
    """Standard input without a buffer: a thread that waits in it holds no lock that the interpreter needs to end."""
    return cast(BufferedReader, sys.stdin.buffer).raw


def read_lines(source: RawInput, line: Callable[[str], None], end: Callable[[], None]) -> None:
    """Call `line` on the running event loop for each line typed from now on, and `end` when there are no more.

    The thread behind it ends with the input, or with the process.
    """
    loop = asyncio.get_running_loop()

    def tell_loop(callback: Callable[..., None], *values: str) -> bool:
        try:
            loop.call_soon_threadsafe(callback, *values)
        except RuntimeError:  # the loop has closed: nobody listens any more
            return False
        return True

    def read() -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        rest = ""
        while True:
            try:
                data = source.read(4096)
            except OSError:  # the terminal has gone away
                data = b""
            rest += decoder.decode(data or b"", final=not data)
            *lines, rest = rest.split("\n")
            if not data and rest:
                lines.append(rest)
            rest = rest[:MAX_LINE]
            for one in lines:
                if not tell_loop(line, one.rstrip("\r")[:MAX_LINE]):
                    return
            if not data:
                tell_loop(end)
                return

    threading.Thread(target=read, name="typed lines", daemon=True).start()
