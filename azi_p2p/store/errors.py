"""What this package raises when files are not as they should be: one line for people, with the mend."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator
from pathlib import Path

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
"""There is no room: on the disk, in what one may use of it, in the size that a file may have."""

FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}


class StoreError(Exception):
    """A profile, key, journal or ledger file can't be used as asked; the message says why and how to mend it."""


@contextlib.contextmanager
def told_plainly(what: str, path: Path) -> Iterator[None]:
    """Turn an OSError of writing `what` (as in "the journal") at `path` into a StoreError with the mend."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"{what} {path} can't be written ({error.strerror}): {mend(error)}") from error


def mend(error: OSError, otherwise: str = "see to that disk and start again") -> str:
    """What a player can do about a file that couldn't be written; `otherwise`: where it is neither room nor rights."""
    if error.errno in FULL:
        return "make room there and start again, nothing is lost"
    if error.errno in FORBIDDEN:
        return "allow writing there and start again, or choose another profile with --profile DIR"
    return otherwise
