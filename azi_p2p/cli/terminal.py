"""Whether this terminal can show the full screen; found out without loading anything that draws."""

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
