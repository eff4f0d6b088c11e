"""Nonces for proofs, hedged against a weak source of randomness.

A nonce used twice, or guessed, gives the secret away. So each is a hash of the secret, of fresh bytes and
of the transcript: should the source fail, different statements still get different nonces that nobody can
compute without the secret (as RFC 8032 does for signatures; with fresh bytes besides, against faults).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from azi_p2p.crypto import labels
from azi_p2p.crypto.errors import CryptoError
from azi_p2p.crypto.group import L, Rng
from azi_p2p.crypto.transcript import Transcript

_FRESH = 64


class NonceStream:
    """An endless row of independent integers, uniform below `L`, for one proof."""

    __slots__ = ("_count", "_seed")

    def __init__(self, secrets: Iterable[bytes], transcript: Transcript, rng: Rng) -> None:
        """Mix the seed.

        Args:
            secrets: everything secret in the witness.
            transcript: the statement and its context, all said already; it is not disturbed.
            rng: asked once, for 64 bytes.

        Raises:
            CryptoError: the source gives another number of bytes.
        """
        fresh = rng(_FRESH)
        if len(fresh) != _FRESH:
            raise CryptoError(f"the source of randomness gave {len(fresh)} bytes, not {_FRESH}")
        state = hashlib.sha512(len(labels.NONCES).to_bytes(8, "big") + labels.NONCES)
        for secret in secrets:
            state.update(len(secret).to_bytes(8, "big") + secret)
        state.update(fresh + transcript.digest())
        self._seed = state.digest()
        self._count = 0

    def take(self) -> int:
        """Give the next nonce."""
        self._count += 1
        digest = hashlib.sha512(self._seed + self._count.to_bytes(8, "big")).digest()
        return int.from_bytes(digest, "little") % L

    def take_many(self, n: int) -> list[int]:
        """Give the next `n` nonces."""
        return [self.take() for _ in range(n)]
