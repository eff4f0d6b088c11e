"""Commitments: say a hash now, the values later.

A commitment hides only what can't be guessed: at least 32 random bytes must be among the parts. It binds
because SHA-256 has no known collisions. Which values are committed to, and when, is not decided here.
"""

from __future__ import annotations

import hashlib
import hmac

from azi_p2p.crypto import labels
from azi_p2p.crypto.errors import ProofError

SIZE = 32
"""Bytes of a commitment."""


def commit(tag: bytes, *parts: bytes) -> bytes:
    """Give the 32-byte commitment to `parts`, for the use that `tag` names.

    Tag, number and lengths of the parts go into the hash, so no other tag or division of the bytes gives
    the same.
    """
    state = hashlib.sha256()
    for entry in (labels.COMMITMENT, tag):
        state.update(len(entry).to_bytes(8, "big") + entry)
    state.update(len(parts).to_bytes(8, "big"))
    for part in parts:
        state.update(len(part).to_bytes(8, "big") + part)
    return state.digest()


def verify_opening(digest: bytes, tag: bytes, *parts: bytes) -> None:
    """Check that `digest` is the commitment to `parts` under `tag`.

    Raises:
        ProofError: it is not.
    """
    if not hmac.compare_digest(digest, commit(tag, *parts)):
        raise ProofError("bad_opening", "what was revealed is not what was committed to")
