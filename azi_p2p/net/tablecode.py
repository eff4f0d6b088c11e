"""The code of a private table: a secret short enough to be said aloud.

A code is never sent, not even hashed: both ends of a link prove to each other that they know it (`codeproof`), and how
often that may go wrong is bounded (`tries`), so that eight digits do. What doesn't belong here: either of those, and
asking people for a code.
"""

from __future__ import annotations

import secrets
import unicodedata
from typing import Final

LEAST, MOST = 6, 64
"""Signs of a code, spaces and dashes left out."""
DIGITS: Final = 8
"""Digits of a code that is drawn: they are said and typed alike in every language, and 10^8 are enough as long as wrong
tries are bounded."""


class BadCode(ValueError):  # noqa: N818 - it says what the code is
    """A code that is too short, too long, or has signs that nobody can say. The message doesn't quote it."""


class TableCode:
    """A code. `shown`: as people are told it; `secret`: the bytes that must be the same at both ends.

    Neither stands in its `repr`. Two codes are equal when they differ only in capitals, spaces and dashes.
    """

    __slots__ = ("secret", "shown")

    def __init__(self, typed: str) -> None:
        """Take a code as it was typed; raises BadCode."""
        self.shown = " ".join(typed.split())
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", typed).casefold())
        signs = "".join(sign for sign in folded if not (sign.isspace() or unicodedata.category(sign) == "Pd"))
        if not LEAST <= len(signs) <= MOST or not signs.isprintable():
            raise BadCode(f"a code has {LEAST} to {MOST} letters or digits")
        self.secret = signs.encode("utf-8")

    def __eq__(self, other: object) -> bool:
        return secrets.compare_digest(self.secret, other.secret) if isinstance(other, TableCode) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.secret)

    def __repr__(self) -> str:
        return "TableCode(…)"


def fresh_code() -> TableCode:
    """Draw a code of eight digits, in two groups of four."""
    digits = f"{secrets.randbelow(10**DIGITS):0{DIGITS}d}"
    return TableCode(f"{digits[:4]}-{digits[4:]}")
