"""What is wrong with a file or the network, in the player's language: one clause, as it follows "azi:".

The packages below name a reason by a short word and give the figures (`azi_p2p.reasons`); the clause stands in the
catalogues under `trouble.<kind>.<word>`. What doesn't belong here: refusals of the table (`refusal`). This is loaded
wherever something can fail, so it imports next to nothing.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping

from azi_p2p.reasons import Reason, ReasonError
from azi_p2p.ui.i18n import Catalogue


def what_failed(error: ReasonError | OSError, texts: Catalogue, **more: object) -> str:
    """What is wrong, where, and how to mend it.

    `more`: what only the caller knows; for a link `where`, the address that was dialled.
    """
    if isinstance(error, ReasonError):
        return texts.text(f"trouble.{error.code.kind}.{error.code}", **details_in(error.details, texts), **more)
    reason = system_reason(error, texts)
    return reason if error.filename is None else f"{os.fsdecode(error.filename)}: {reason}"


def system_reason(error: OSError, texts: Catalogue) -> str:
    """What the system says is wrong: in the player's language where it is something usual, else in the system's."""
    key = f"system.{errno.errorcode.get(error.errno or 0, '').removeprefix('WSA')}"
    return texts.text(key) if texts.has(key) else error.strerror or str(error)


def details_in(details: Mapping[str, object], texts: Catalogue) -> dict[str, object]:
    """The parts of a sentence in the player's language; what needs no translation stays as it is."""
    return {name: _detail(value, texts) for name, value in details.items()}


def sentence(text: str) -> str:
    """A clause as a sentence of its own: a capital (in Afrikaans after the article ’n) and a full stop."""
    start = "’n " if text.startswith("’n ") else ""
    rest = text[len(start) :]
    return f"{start}{rest[:1].upper()}{rest[1:]}" + ("" if text.endswith((".", "!", "?")) else ".")


def _detail(value: object, texts: Catalogue) -> object:
    if isinstance(value, Reason):
        return texts.text(f"trouble.{value.kind}.{value}")
    return system_reason(value, texts) if isinstance(value, OSError) else value
