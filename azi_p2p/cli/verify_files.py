"""The files that `azi verify` is given: opening them, judging ledgers on all cores, and showing how far that has got.

What doesn't belong here: what a verdict says to people (`verify`), and the judging itself (`azi_p2p.audit`).
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from azi_p2p.audit.verify import Verdict, verify_file
from azi_p2p.cli.running import CommandFailed
from azi_p2p.cli.verify_workers import Workers, cores
from azi_p2p.ui.failed import system_reason
from azi_p2p.ui.i18n import Catalogue

MAX_LEDGER = 512 * 1024 * 1024
"""Bytes of a file that is looked at; a ledger of a long evening has a few million."""

LONG = 512 * 1024
"""Bytes of a ledger for which it is worth to start other processes, and to show how far it has got: a dozen deals."""

STEPS = 200
"""Steps in which a progress bar moves."""


@contextmanager
def opened_ledger(texts: Catalogue, path: Path) -> Iterator[BinaryIO]:
    """A file that can be rewound; a pipe is read first.

    Raises CommandFailed where there is no such file, where it can't be read (as long as the context lasts) or where it
    can't be a ledger by its size.
    """
    try:
        with path.open("rb") as file:
            stream: BinaryIO = file if file.seekable() else io.BytesIO(file.read(MAX_LEDGER + 1))
            if stream.seek(0, os.SEEK_END) > MAX_LEDGER:
                raise CommandFailed(texts.text("verify.too_large", path=path, most=MAX_LEDGER))
            stream.seek(0)
            yield stream
    except OSError as error:
        if path.is_dir():
            ledgers = path / "ledgers"  # as in a profile
            files = (ledgers if ledgers.is_dir() else path) / "*.azi"
            raise CommandFailed(texts.text("verify.folder", path=path, files=files)) from error
        reason = system_reason(error, texts)
        raise CommandFailed(texts.text("verify.unreadable", path=path, reason=reason)) from error


class Judging:
    """Judges ledgers; a context manager, which ends the workers that it may have started.

    `silent`: show no progress. `workers`: processes that check proofs; below two, this one does it alone.
    """

    def __init__(self, *, silent: bool, workers: int | None = None) -> None:
        self._silent = silent
        self._count = cores() if workers is None else workers
        self._stack = ExitStack()
        self._workers: Workers | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stack.close()

    def verify(self, file: BinaryIO, name: str) -> Verdict:
        """Verify a ledger; `name` stands beside the progress bar. Raises OSError where the file can't be read."""
        size = file.seek(0, os.SEEK_END)
        with ExitStack() as stack:
            told: Callable[[int], None] | None = None
            if size >= LONG and not self._silent and can_redraw():
                told = stack.enter_context(progress(name, size))
            if size >= LONG and self._count > 1:
                if self._workers is None:
                    self._workers = self._stack.enter_context(Workers(self._count))
                workers = self._workers
                try:
                    return verify_file(file, hand_over=workers.hand_over, most=workers.most, told=told)
                except BrokenProcessPool:
                    # Somebody has killed a worker, or none can be started: it takes longer then, and that is all.
                    self._count = 1
            return verify_file(file, told=told)


def can_redraw() -> bool:
    """Whether messages go to a terminal on which a line can be drawn anew."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


@contextmanager
def progress(name: str, size: int) -> Iterator[Callable[[int], None]]:
    """A progress bar on stderr, which is gone afterwards; gives what to call with the bytes that have been read."""
    from rich.console import Console  # noqa: PLC0415 - only for people, and only for long files
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=size)
        shown = 0

        def told(position: int) -> None:
            nonlocal shown
            if abs(position - shown) * STEPS >= size or position == size:
                shown = position
                bar.update(task, completed=position)

        yield told
