"""The settings file of a profile, as text and as what it says: bounded, and wrong in one line.

Two read it: `profile` for the nickname, `settings` for the rest. What doesn't belong here: what the entries mean.
"""

from __future__ import annotations

import os
import stat
import tomllib
from pathlib import Path
from typing import Any

from azi_p2p.store.errors import StoreError, StoreTrouble, Thing, cant_read

SETTINGS_FILE = "settings.toml"
MAX_SETTINGS = 64 * 1024
"""Bytes; a file that people write by hand has a few hundred."""


def parsed_settings(path: Path) -> dict[str, Any]:
    """What the file says, nothing where there is none; raises StoreError where it can't be read."""
    try:
        return tomllib.loads(settings_text(path))
    except (ValueError, RecursionError) as error:
        # Not only what tomllib calls an error: also numbers with thousands of digits, and brackets without end.
        problem = "".join(sign if sign.isprintable() else "?" for sign in str(error)[:160])
        raise StoreError(StoreTrouble.BAD_SETTINGS, path=path, problem=problem) from error


def settings_text(path: Path) -> str:
    """The text of the file, empty where there is none; raises StoreError, ValueError if it isn't UTF-8.

    A byte order mark before it, as some editors write, isn't part of it.
    """
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise StoreError(StoreTrouble.SETTINGS_NO_FILE, path=path)
            raw = file.read(MAX_SETTINGS + 1)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise cant_read(Thing.SETTINGS, path, error) from error
    if len(raw) > MAX_SETTINGS:
        raise StoreError(StoreTrouble.LARGE_SETTINGS, path=path, most=MAX_SETTINGS)
    return raw.decode("utf-8-sig")


def _without_waiting(path: str, flags: int) -> int:
    """Open a file, without waiting for whoever writes into it where it is a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
