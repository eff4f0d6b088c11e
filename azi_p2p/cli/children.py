"""Child processes that hold seats: each a whole peer of its own, with its own key and its own secrets.

A child ends by itself when its standard input is closed, so none outlives whoever started it, not even a killed one.
What doesn't belong here: what the children play.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

GRACE = 5.0
"""Seconds that a child has to end by itself, and again once it has been asked by signal."""
KEPT_LINES = 20
"""Lines of a child's messages that are kept, to say what went wrong."""


@dataclass(slots=True)
class Child:
    """One running child. `messages`: its last lines on stderr; `tell` gets each as it comes."""

    name: str
    process: asyncio.subprocess.Process
    tell: Callable[[str], None] | None
    messages: deque[str] = field(default_factory=lambda: deque(maxlen=KEPT_LINES))
    _listener: asyncio.Task[None] | None = None
    _output: asyncio.Task[bytes] | None = None

    def begin_reading(self) -> None:
        """Read both outputs from now on, so that the child never waits for a full pipe."""
        self._listener = asyncio.ensure_future(self._listen())
        assert self.process.stdout is not None, "children are started with pipes"
        self._output = asyncio.ensure_future(self.process.stdout.read())

    async def _listen(self) -> None:
        assert self.process.stderr is not None, "children are started with pipes"
        while True:
            try:
                raw = await self.process.stderr.readline()
            except ValueError:  # a line longer than the buffer: the rest of it follows
                continue
            if not raw:
                return
            line = raw.decode("utf-8", "replace").rstrip()
            self.messages.append(line)
            if self.tell is not None:
                self.tell(line)

    async def output(self) -> str:
        """Wait for the child to end, and give everything that it wrote to stdout."""
        assert self._output is not None, "reading has begun"
        assert self._listener is not None, "reading has begun"
        raw = await self._output
        await self._listener
        await self.process.wait()
        return raw.decode("utf-8", "replace")

    @property
    def last_message(self) -> str:
        """The last line on stderr, or the exit code if there was none."""
        return self.messages[-1] if self.messages else f"exit code {self.process.returncode}"


async def start_child(name: str, arguments: Sequence[str], tell: Callable[[str], None] | None = None) -> Child:
    """Start `python -m azi_p2p` with these arguments, connected by pipes."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "azi_p2p",
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        # Ctrl-C is ours to handle: the children are told by the end of their input.
        start_new_session=os.name == "posix",
    )
    child = Child(name, process, tell)
    child.begin_reading()
    return child


async def stop_children(children: Sequence[Child]) -> None:
    """End all children: by closing their input, then by signal, at last by force. Returns when all are gone."""
    for child in children:
        if child.process.stdin is not None:
            child.process.stdin.close()
    for ask in (None, "terminate", "kill"):
        running = [child for child in children if child.process.returncode is None]
        if not running:
            break
        for child in running:
            if ask is not None:
                getattr(child.process, ask)()
        waits = [asyncio.ensure_future(child.process.wait()) for child in running]
        await asyncio.wait(waits, timeout=GRACE)
        for wait in waits:
            wait.cancel()
    for child in children:
        # Both pipes have ended with the process; this lets their tasks end too.
        await child.output()
