"""A lock on a file, held by at most one process and gone with it, however it ends."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

OFFSET = 1 << 30
"""Windows locks bytes, and nobody may read a locked one: lock one far behind the text."""


class FileLock:
    """An exclusive lock on `path`. The file stays; it holds the number of the process that has or had the lock."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None

    def take(self) -> bool:
        """Take the lock; False if another process (or another FileLock of this one) has it. Raises OSError."""
        assert self._handle is None, "the lock is taken already"
        handle = os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600)
        try:
            _lock(handle)
        except (BlockingIOError, PermissionError):
            os.close(handle)
            return False
        except BaseException:
            os.close(handle)
            raise
        try:
            os.ftruncate(handle, 0)
            os.write(handle, f"{os.getpid()}\n".encode())
        except BaseException:
            os.close(handle)
            raise
        self._handle = handle
        return True

    def holder(self) -> int | None:
        """The number of the process that has the lock, None where that can't be told."""
        with contextlib.suppress(OSError, ValueError):
            return int(self._path.read_text(encoding="ascii")[:20])
        return None

    def release(self) -> None:
        """Give the lock back; does nothing if it isn't held."""
        if self._handle is not None:
            # Closing the handle unlocks it.
            os.close(self._handle)
            self._handle = None

    close = release


def _lock(handle: int) -> None:
    """Lock at once or raise BlockingIOError (POSIX) or PermissionError (Windows)."""
    if sys.platform == "win32":
        os.lseek(handle, OFFSET, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        os.lseek(handle, 0, os.SEEK_SET)
    else:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
