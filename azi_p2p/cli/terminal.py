"""What this terminal can do; found out without loading anything that draws."""

from __future__ import annotations

import os
import sys


def input_is_terminal() -> bool:
    """Whether a person can type; Python has no input at all where it was closed before the start."""
    return sys.stdin is not None and sys.stdin.isatty()


def output_is_terminal() -> bool:
    """Whether a person reads what is printed; see `input_is_terminal`."""
    return sys.stdout is not None and sys.stdout.isatty()


def has_screen() -> bool:
    """Whether a person sits at a terminal that can move its cursor."""
    if not (input_is_terminal() and output_is_terminal()):
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
