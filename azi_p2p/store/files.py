"""Writing files so that a crash leaves either the old state or the new one, and so that others can't read secrets.

The few operations on files that the rest of this package shares; nothing here knows what is in them.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from azi_p2p.store.errors import Mend, StoreError, StoreTrouble, Thing, how_to_mend

POSIX = os.name == "posix"


def create_private(path: Path) -> int:
    """Create a file that only its owner may read (mode 0600) and open it for appending; gives the handle.

    Raises FileExistsError when there is one already.
    """
    return os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_APPEND | _BINARY, 0o600)


def replace_private(path: Path, data: bytes) -> None:
    """Put `data` in the place of a file (mode 0600), all of it or nothing, and sync it to disk."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    temporary.unlink(missing_ok=True)
    handle = create_private(temporary)
    try:
        try:
            write_all(handle, data)
            os.fsync(handle)
        finally:
            os.close(handle)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_directory(path.parent)


def write_all(handle: int, data: bytes) -> None:
    """Write all of `data`, in as many goes as it takes; raises OSError."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def sync_directory(path: Path) -> None:
    """Sync the names in a folder to disk, where the system can (POSIX)."""
    if not POSIX:
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def remove_unfinished(path: Path) -> None:
    """Remove what `replace_private` left of a file when its process was killed; only for who has the profile's lock."""
    for left in path.parent.glob(f".{path.name}.*.tmp"):
        left.unlink(missing_ok=True)


def make_private_folder(path: Path) -> None:
    """Make a folder that only its owner may enter, with those above it; one that exists stays as it is."""
    try:
        for folder in (*reversed(path.parents), path):
            folder.mkdir(mode=0o700, exist_ok=True)  # `parents=True` would make those above it by the umask alone
    except OSError as error:
        mend = how_to_mend(error, Mend.OTHER_PROFILE)
        raise StoreError(StoreTrouble.CANT_MAKE_FOLDER, path=path, reason=error, mend=mend) from error


def verify_private(path: Path, what: Thing) -> None:
    """Raise StoreError if others than the owner may read or write this file.

    On Windows nothing is checked: there the rights of the user's own folder guard it.
    """
    if not POSIX:
        return
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        raise StoreError(StoreTrouble.OPEN_TO_OTHERS, what=what, path=path, mode=f"{mode:o}")


def verify_private_folder(path: Path) -> None:
    """Raise StoreError if others than the owner may put files into this folder, and so replace a key or a journal.

    That others may look into it is allowed: what is secret has a mode of its own. On Windows nothing is checked.
    """
    if not POSIX:
        return
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o022:
        raise StoreError(StoreTrouble.FOLDER_OPEN_TO_OTHERS, path=path, mode=f"{mode:o}")


_BINARY = getattr(os, "O_BINARY", 0)
