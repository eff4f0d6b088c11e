"""The transcript of a proof: everything that is said, in order, and the challenges drawn from it.

This is the Fiat-Shamir transform: the challenge is a hash of the whole statement, its context and all
commitments. Every entry carries a label and its length, so that two different sequences of entries never
give the same bytes. Nothing secret goes in, and no mathematics lives here.
"""

from __future__ import annotations

import hashlib

from azi_p2p.crypto import labels
from azi_p2p.crypto.errors import CryptoError
from azi_p2p.crypto.group import L, Scalar, scalar_from_int

_DATA, _INT, _CHALLENGE, _CHALLENGES = b"D", b"I", b"C", b"N"


class Transcript:
    """A running SHA-512 over labelled, length-framed entries.

    It changes with every append and every challenge. Whoever is handed one and must not disturb it forks
    it; all proofs in this package do, so one context can serve any number of proofs.
    """

    __slots__ = ("_hash",)

    def __init__(self, label: bytes) -> None:
        """Begin with the domain tag of all transcripts and a label for the use."""
        self._hash = hashlib.sha512(_frame(labels.TRANSCRIPT) + _frame(label))

    def append(self, label: bytes, data: bytes) -> None:
        """Say `data`, any number of bytes, under `label`."""
        self._hash.update(_DATA + _frame(label) + _frame(data))

    def append_int(self, label: bytes, value: int) -> None:
        """Say an integer from 0 to 2**64 - 1 under `label`.

        Raises:
            CryptoError: out of range.
        """
        if not 0 <= value < 2**64:
            raise CryptoError(f"{value} does not fit into a transcript: integers go from 0 to 2**64 - 1")
        self._hash.update(_INT + _frame(label) + value.to_bytes(8, "big"))

    def fork(self) -> Transcript:
        """Give an independent copy with the same past."""
        copy = Transcript.__new__(Transcript)
        copy._hash = self._hash.copy()
        return copy

    def challenge(self, label: bytes) -> Scalar:
        """Draw a scalar from 1 to `L - 1`, determined by everything said so far.

        The draw is itself an entry: the next one, even under the same label, is independent of it.
        """
        self._hash.update(_CHALLENGE + _frame(label))
        return scalar_from_int(_nonzero(labels.CHALLENGE, self._hash.digest(), 0))

    def challenges(self, label: bytes, n: int) -> tuple[Scalar, ...]:
        """Draw `n` independent scalars from 1 to `L - 1`, as one entry."""
        self._hash.update(_CHALLENGES + _frame(label) + n.to_bytes(8, "big"))
        seed = self._hash.digest()
        return tuple(scalar_from_int(_nonzero(labels.CHALLENGES, seed, index)) for index in range(n))

    def digest(self) -> bytes:
        """Give 64 bytes that stand for everything said so far; says nothing itself."""
        return self._hash.digest()


def _frame(data: bytes) -> bytes:
    return len(data).to_bytes(8, "big") + data


def _nonzero(tag: bytes, seed: bytes, index: int) -> int:
    # The seed is hashed once more, so that a challenge is never the inner state of a longer transcript.
    prefix = _frame(tag) + seed + index.to_bytes(8, "big")
    attempt = 0
    while True:
        digest = hashlib.sha512(prefix + attempt.to_bytes(8, "big")).digest()
        value = int.from_bytes(digest, "little") % L
        if value:
            return value
        attempt += 1
