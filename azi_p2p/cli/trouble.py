"""What went wrong with the network, in the player's language.

Errors of the network carry a code, or the place where they are caught says what was tried; what is to be said follows
from that, not from their English messages. What doesn't belong here: files, whose errors name paths and are told as
they are.
"""

from __future__ import annotations

from azi_p2p.net.errors import LinkError, NetError
from azi_p2p.ui.i18n import Catalogue


def unreached(error: NetError, texts: Catalogue, where: str, port: int) -> str:
    """Why a seat can't be taken: nobody at `where` lets us in, or our own `port` can't be used."""
    if not isinstance(error, LinkError):
        return texts.text("trouble.port", port=port, reason=_reason(error))
    key = f"trouble.link.{error.code}"
    return texts.text(key, where=where) if texts.has(key) else str(error)


def unseen(error: NetError, texts: Catalogue) -> str:
    """Why tables can't be looked for."""
    return texts.text("trouble.discovery", reason=_reason(error))


def no_address(typed: str, texts: Catalogue) -> str:
    """What was typed is no address."""
    return texts.text("trouble.address", typed=repr(typed[:80]))


def _reason(error: NetError) -> str:
    """What the system says, as far as it says anything."""
    cause = error.__cause__
    if isinstance(cause, OSError) and cause.strerror:
        return cause.strerror
    return str(cause or error)
