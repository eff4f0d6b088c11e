"""Lines that a person types, or a script pipes in, without holding up the event loop and without redrawing anything.

A thread reads raw bytes, so that the terminal stays in its own line mode: echo, editing and screen readers work as
they always do, and there is nothing to restore at the end. There is one reader for the whole process, for a thread
that waits for a line can't be called back; who listens to it changes. What doesn't belong here: what a line means
(`ask`).
"""

from __future__ import annotations

import asyncio
import codecs
import sys
import threading
from collections import deque
from collections.abc import Callable
from functools import cache
from io import BufferedReader, BytesIO, RawIOBase
from typing import Protocol, cast

MAX_LINE = 1000
"""Characters of a line that are kept; whatever is longer was pasted by mistake."""
MAX_WAITING = 1000
"""Lines kept while nobody listens; the oldest are dropped."""


class RawInput(Protocol):
    """Where bytes come from."""

    def read(self, size: int, /) -> bytes | None:
        """At most `size` bytes, b"" at the end."""

    def isatty(self) -> bool:
        """Whether it is a terminal, on which more may come after an end (Ctrl-D)."""


class TypedLines:
    """The lines of one input. The thread behind it ends with the input, or with the process.

    On a terminal, an end may be a slip of the finger (Ctrl-D): it is told, and reading goes on; the next one, with
    nothing typed between, is the end for good. `over`: nothing comes any more.
    """

    def __init__(self, source: RawInput) -> None:
        """Nothing is read before somebody listens."""
        self.over = False
        self._source = source
        self._waiting: deque[str | None] = deque(maxlen=MAX_WAITING)
        self._lock = threading.Lock()
        self._listener: tuple[asyncio.AbstractEventLoop, Callable[[str | None], None]] | None = None
        self._reading = False

    def listen(self, take: Callable[[str | None], None]) -> None:
        """Call `take` on the running event loop for each line from now on, those that waited first; None is the end.

        It takes the place of whoever listened before.
        """
        loop = asyncio.get_running_loop()
        with self._lock:
            self._listener = (loop, take)
            start, self._reading = not self._reading, True
        loop.call_soon(self._deliver)
        if start:
            threading.Thread(target=self._read, name="typed lines", daemon=True).start()

    def mute(self) -> None:
        """Listen no more; lines wait for the next listener."""
        with self._lock:
            self._listener = None

    async def next_line(self) -> str | None:
        """The next line; None at the end of the input."""
        answer: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()

        def take(line: str | None) -> None:
            self.mute()
            if not answer.done():
                answer.set_result(line)

        self.listen(take)
        try:
            return await answer
        finally:
            self.mute()

    def _deliver(self) -> None:
        """On the event loop: hand on what waits, as long as somebody listens."""
        while True:
            with self._lock:
                if self._listener is None or not self._waiting:
                    return
                line = self._waiting[0]
                take = self._listener[1]
                if line is None and self.over:  # it stays, for whoever listens next, but is told to each only once
                    self._listener = None
                else:
                    self._waiting.popleft()
            take(line)

    def _put(self, line: str | None) -> None:
        with self._lock:
            self._waiting.append(line)
            listener = self._listener
            if listener is not None and not listener[0].is_closed():
                listener[0].call_soon_threadsafe(self._deliver)

    def _read(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        terminal = self._source.isatty()
        rest, may_slip = "", terminal
        while not self.over:
            try:
                data = self._source.read(4096)
            except OSError:  # the terminal has gone away
                data, may_slip = b"", False
            rest += decoder.decode(data or b"", final=not data)
            *lines, rest = rest.split("\n")
            if not data and rest:
                lines.append(rest)
            rest = rest[:MAX_LINE] if data else ""
            for line in lines:
                self._put(line.rstrip("\r")[:MAX_LINE])
            if data:
                may_slip = terminal
            else:
                self.over, may_slip = not may_slip, False
                self._put(None)


@cache
def typed_lines() -> TypedLines:
    """The lines of standard input, read without a buffer: a waiting thread holds no lock that the end would need."""
    if sys.stdin is None:  # it was closed when this program was started: its end is there already
        return TypedLines(BytesIO())
    return TypedLines(cast(RawIOBase, cast(BufferedReader, sys.stdin.buffer).raw))
