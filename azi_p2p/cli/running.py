"""How a command ends: exit codes, one clear line for what went wrong, and clean endings on signals.

What doesn't belong here: what any command does.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Coroutine
from typing import Any

FINE = 0
FAILED = 1
WRONG_USAGE = 2
INVALID = 3
"""The ledger is invalid, or the scenario holds an illegal action."""
INCOMPLETE = 4
"""The ledger is valid as far as it goes, but incomplete."""
INTERRUPTED = 130
"""Ctrl-C (128 + SIGINT)."""


class CommandFailed(Exception):
    """A command can't do what was asked. `message` is one line for people: what is wrong, where, how to mend it."""

    def __init__(self, message: str, code: int = FAILED) -> None:
        super().__init__(message)
        self.message = message
        self.code = code


class Stopped(BaseException):
    """A signal asked this process to end. `code` is 128 + the signal's number, as shells reckon."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.code = 128 + number


def tell(line: str) -> None:
    """Write one message for people to stderr."""
    print(line, file=sys.stderr, flush=True)


def end_signals() -> tuple[signal.Signals, ...]:
    """The signals, Ctrl-C aside, that ask a process on this system to end."""
    names = ("SIGTERM", "SIGHUP")
    return tuple(getattr(signal, name) for name in names if hasattr(signal, name))


def stop_on_signals() -> None:
    """From now on a signal that asks this process to end raises `Stopped`, so that `finally` blocks run."""

    def stop(number: int, _frame: object) -> None:
        raise Stopped(number)

    for one in end_signals():
        signal.signal(one, stop)


def run(main: Callable[[], Coroutine[Any, Any, int]]) -> int:
    """Run a coroutine to its exit code in a fresh event loop.

    SIGTERM and SIGHUP cancel it, so that it can end cleanly; then `Stopped` is raised. Ctrl-C cancels it too and then
    raises KeyboardInterrupt, as asyncio does.
    """
    import asyncio  # noqa: PLC0415 - commands without a network don't pay for it

    stopped: list[int] = []

    async def guarded() -> int:
        loop = asyncio.get_running_loop()
        task = asyncio.current_task()

        def stop(number: int) -> None:
            stopped.append(number)
            if task is not None:
                task.cancel()

        for one in end_signals():
            try:
                loop.add_signal_handler(one, stop, int(one))
            except NotImplementedError:  # Windows: the handler of stop_on_signals stays in force
                break
        return await main()

    try:
        return asyncio.run(guarded())
    except asyncio.CancelledError:
        if stopped:
            raise Stopped(stopped[0]) from None
        raise
