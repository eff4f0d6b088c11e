"""Identities: the Ed25519 key of an installation, what it signs, and how people read it.

Signatures come from `cryptography` (RFC 8032, verified without the cofactor). That library takes keys of
small order, under which one signature holds for many messages, so every public key passes
`check_public_key` first. A tag for the use is part of all that is signed: a signature made for one use is
none for another. Files and their permissions are not handled here.
"""

from __future__ import annotations

import base64
import hashlib
import os
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from azi_p2p.crypto import labels
from azi_p2p.crypto.errors import CryptoError, DecodingError, ProofError

if TYPE_CHECKING:  # the group loads libsodium, which keys and fingerprints have no use for
    from azi_p2p.crypto.group import Rng

KEY_SIZE: Final = 32
"""Bytes of a public key and of a seed."""

SIGNATURE_SIZE: Final = 64
"""Bytes of a signature."""

_P: Final = 2**255 - 19
_D: Final = -121665 * pow(121666, -1, _P) % _P
_Y_ORDER_8: Final = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
# The y of the points of order 1, 2, 4 and 8. With x = 0 (y of 1 and -1) a sign would not be canonical either.
_SMALL_ORDER_Y: Final = frozenset({1, _P - 1, 0, _Y_ORDER_8, _P - _Y_ORDER_8})


class IdentityKey:
    """A signing key. Its repr shows the public half only.

    Attributes:
        public: the public key, 32 bytes.
        seed: the secret, 32 bytes; whoever has it is this identity.
    """

    __slots__ = ("_key", "public", "seed")

    def __init__(self, seed: bytes) -> None:
        """Use `from_seed` or `generate`."""
        if len(seed) != KEY_SIZE:
            raise CryptoError(f"an identity's seed has {KEY_SIZE} bytes, here are {len(seed)}")
        self.seed = bytes(seed)
        self._key = Ed25519PrivateKey.from_private_bytes(self.seed)
        self.public = self._key.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)

    @classmethod
    def generate(cls, rng: Rng = os.urandom) -> IdentityKey:
        """Draw a new identity."""
        return cls(rng(KEY_SIZE))

    @classmethod
    def from_seed(cls, seed: bytes) -> IdentityKey:
        """Take up an identity again; raises CryptoError unless the seed has 32 bytes."""
        return cls(seed)

    def sign(self, domain: bytes, message: bytes) -> bytes:
        """Sign `message` for the use that `domain` names; 64 bytes."""
        return self._key.sign(_signed_bytes(domain, message))

    def __repr__(self) -> str:
        return f"IdentityKey({fingerprint(self.public)})"


def check_public_key(public: bytes) -> None:
    """Refuse what is no good public key (RFC 8032, section 5.1.3, and more strictly).

    Raises:
        DecodingError: not 32 bytes; not the one canonical encoding of a point; no point of the curve; a
            point of small order.
    """
    if len(public) != KEY_SIZE:
        raise DecodingError(f"a public key has {KEY_SIZE} bytes, here are {len(public)}")
    y = int.from_bytes(public, "little") & (2**255 - 1)  # without the sign of x
    if y >= _P:
        raise DecodingError("the public key is not canonically encoded")
    if y in _SMALL_ORDER_Y:
        raise DecodingError("the public key is a point of small order")
    # x^2 = u / v must be a square; u / v is one exactly when u v is.
    u, v = y * y - 1, _D * y * y + 1
    if pow(u * v, (_P - 1) // 2, _P) != 1:
        raise DecodingError("the public key is no point of the curve")


def verify_signature(public: bytes, domain: bytes, message: bytes, signature: bytes) -> None:
    """Check that the holder of `public` signed `message` for this use.

    Raises:
        DecodingError: the public key is refused by `check_public_key`.
        ProofError: the signature does not hold.
    """
    try:
        _load(bytes(public)).verify(signature, _signed_bytes(domain, message))
    except InvalidSignature as error:
        raise ProofError("bad_signature", "the signature does not hold") from error


@lru_cache(maxsize=256)
def fingerprint(public: bytes) -> str:
    """Give a public key in a form that people can compare: six groups of four letters and digits (120 bits).

    The letters are those of base32 (RFC 4648) in lower case, of a hash of the key.
    """
    digest = hashlib.sha256(len(labels.FINGERPRINT).to_bytes(8, "big") + labels.FINGERPRINT + public).digest()
    text = base64.b32encode(digest[:15]).decode().lower()
    return "-".join(text[at : at + 4] for at in range(0, 24, 4))


def short_fingerprint(public: bytes) -> str:
    """Give the first group of the fingerprint: to tell players of one table apart, not to recognise a stranger."""
    return fingerprint(public)[:4]


@lru_cache(maxsize=512)
def _load(public: bytes) -> Ed25519PublicKey:
    check_public_key(public)
    return Ed25519PublicKey.from_public_bytes(public)


def _signed_bytes(domain: bytes, message: bytes) -> bytes:
    frames = b"".join(len(entry).to_bytes(8, "big") + entry for entry in (labels.SIGNATURE, domain))
    return frames + message
