"""Deal keys: one secret scalar per seat and deal, its public element, and the proof that its owner knows it.

The joint key is the sum of the public elements; what is masked under it opens only with all the secrets.
Without the proof of ownership the last to speak could choose a key that cancels the others' (rogue key).
When keys are exchanged, and in which context, is not decided here.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from azi_p2p.crypto import group, labels
from azi_p2p.crypto.errors import CryptoError, DecodingError, ProofError
from azi_p2p.crypto.fields import FieldReader, checked_ints, refuse_identity
from azi_p2p.crypto.group import Element, Rng, Scalar
from azi_p2p.crypto.nonces import NonceStream
from azi_p2p.crypto.transcript import Transcript


@dataclass(frozen=True, slots=True)
class OwnershipProof:
    """A Schnorr proof of knowledge of `x` with `X = x G`, as challenge and response."""

    challenge: Scalar
    response: Scalar

    SIZE = 64
    """Bytes of an encoded proof."""

    def to_bytes(self) -> bytes:
        """Give 64 bytes: challenge, response."""
        return self.challenge + self.response

    @classmethod
    def from_bytes(cls, data: bytes) -> OwnershipProof:
        """Read what `to_bytes` wrote; raises DecodingError for anything else."""
        reader = FieldReader(data, 2, "a proof of ownership")
        return cls(reader.scalar(), reader.scalar())


def new_deal_key(rng: Rng = os.urandom) -> tuple[Scalar, Element]:
    """Draw a secret `x` and give it with `X = x G`."""
    x = group.random_scalar(rng)
    return x, group.mul_base(x)


def prove_ownership(x: Scalar, X: Element, context: Transcript, rng: Rng = os.urandom) -> OwnershipProof:
    """Prove knowledge of `x` with `X = x G` (Schnorr 1991; Fiat-Shamir over key, context and commitment).

    Args:
        x: the secret.
        X: its public element.
        context: what the proof is bound to; not disturbed.
        rng: fresh bytes for the nonce.

    Raises:
        CryptoError: `X` does not belong to `x`.
    """
    if group.mul_base(x) != X:
        raise CryptoError("the public key does not belong to the secret key")
    transcript = _begin(X, context)
    w = NonceStream([x], transcript, rng).take()
    c = _challenge(transcript, group.mul_base(group.scalar_from_int(w)))
    s = w + group.scalar_to_int(c) * group.scalar_to_int(x)
    return OwnershipProof(c, group.scalar_from_int(s))


def verify_ownership(X: Element, proof: OwnershipProof, context: Transcript) -> None:
    """Check that whoever made the proof knows the secret behind `X`, in this context.

    Raises:
        ProofError: it does not hold.
    """
    refuse_identity("keys", X)
    c, s = checked_ints((proof.challenge, proof.response))
    try:
        commitment = group.weighted_sum((s, -c), (group.G, X))
    except DecodingError as error:
        raise ProofError("not_canonical", f"the key is no group element: {error}") from error
    refuse_identity("recomputed commitments", commitment)
    if _challenge(_begin(X, context), commitment) != proof.challenge:
        raise ProofError("proof_fails", "the proof of ownership of the deal key does not hold")


def joint_key(keys: Sequence[Element]) -> Element:
    """Add up the seats' public elements.

    Raises:
        CryptoError: no keys, the identity among them, or as their sum: then masking would hide nothing.
    """
    if not keys:
        raise CryptoError("a joint key needs at least one key")
    if group.IDENTITY in keys:
        raise CryptoError("the identity stands among the keys")
    total = group.add_all(keys)
    if total == group.IDENTITY:
        raise CryptoError("the keys cancel each other")
    return total


def _begin(X: Element, context: Transcript) -> Transcript:
    transcript = context.fork()
    transcript.append(labels.PROOF, labels.OWNERSHIP_PROOF)
    transcript.append(labels.KEY, X)
    return transcript


def _challenge(transcript: Transcript, commitment: Element) -> Scalar:
    transcript.append(labels.COMMITMENTS, commitment)
    return transcript.challenge(labels.SIGMA_CHALLENGE)
