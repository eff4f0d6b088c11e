"""Names of keys as the screens know them, and the Cyrillic twins of the letters.

A key is a name (`up`, `enter`, `f1` …) or one character. What doesn't belong here: what a key does, and how a terminal
sends it (`app`).
"""

from __future__ import annotations

NAMED = (
    "up",
    "down",
    "left",
    "right",
    "enter",
    "escape",
    "tab",
    "back_tab",
    "page_up",
    "page_down",
    "home",
    "end",
    "backspace",
    "delete",
    "f1",
    "f2",
    "interrupt",
)
"""Keys without a character. `interrupt` is Ctrl-C."""

_LATIN = "qwertyuiopasdfghjklzxcvbnm"
_CYRILLIC = "йцукенгшщзфывапролдячсмить"
TWINS = {
    **dict(zip(_CYRILLIC, _LATIN, strict=True)),
    **dict(zip(_CYRILLIC.upper(), _LATIN.upper(), strict=True)),
    ",": "?",
}
"""What the same key gives on a Latin keyboard: nobody has to switch the layout for a command."""


def latin(key: str) -> str:
    """The key as a command: small Latin letters, whatever the layout; other keys as they are."""
    if len(key) != 1:
        return key
    return TWINS.get(key, key).lower()
