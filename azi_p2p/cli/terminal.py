"""What this terminal can do; found out without loading anything that draws."""

from __future__ import annotations

import os
import sys


def has_screen() -> bool:
    """Whether a person sits at a terminal that can move its cursor."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    term = os.environ.get("TERM", "")
    # On Windows nobody sets TERM, and every console of our day can.
    return term != "dumb" and (term != "" or os.name == "nt")


def has_unicode() -> bool:
    """Whether the terminal draws signs outside of ASCII: it speaks UTF-8, and nobody has asked for the C locale.

    Python speaks UTF-8 in the C locale too, so its encoding alone doesn't say what the person has set.
    """
    encoding = (sys.stdout.encoding or "").lower().replace("-", "").replace("_", "")
    wanted = next((os.environ[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if os.environ.get(name)), "")
    return encoding == "utf8" and wanted not in {"C", "POSIX"}


def has_colours() -> bool:
    """Whether colours are wanted (https://no-color.org)."""
    return not os.environ.get("NO_COLOR")
