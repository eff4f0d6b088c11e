"""The void proof: a masked card that its holder alone can open is one of an allowed set, without saying which.

The holder of `x` (`X = x G`) has a masked card `(C1, C2)`; the others' tokens taken off, `D = C2 - sum of
theirs` is left. With the card `M`, `D - M = x C1`. So "the card is in the set" means: for one `M` of the
set, the logarithm of `D - M` to the base `C1` is that of `X` to the base `G`. That is proved for one of the
set by an OR of Chaum-Pedersen proofs (Cramer, Damgård, Schoenmakers 1994): the challenges of the branches
must add up to the transcript's, so all but one can be simulated, and nobody sees which. Which set is asked
for, and when, is the business of whoever knows the game.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from azi_p2p.crypto import group, labels
from azi_p2p.crypto.errors import CryptoError, DecodingError, ProofError
from azi_p2p.crypto.fields import FieldReader, checked_ints, refuse_identity
from azi_p2p.crypto.group import Element, L, Rng, Scalar, scalar_from_int, scalar_to_int
from azi_p2p.crypto.nonces import NonceStream
from azi_p2p.crypto.transcript import Transcript


@dataclass(frozen=True, slots=True)
class VoidProof:
    """A proof over `k` allowed cards: challenge and response of each branch, `64 k` bytes."""

    challenges: tuple[Scalar, ...]
    responses: tuple[Scalar, ...]

    def to_bytes(self) -> bytes:
        """Give all challenges, then all responses."""
        return b"".join(self.challenges + self.responses)

    @classmethod
    def from_bytes(cls, data: bytes, k: int) -> VoidProof:
        """Read what `to_bytes` wrote for `k` allowed cards; raises DecodingError for anything else."""
        reader = FieldReader(data, 2 * k, f"a void proof over {k} cards")
        return cls(reader.scalars(k), reader.scalars(k))


def prove_void(
    x: Scalar,
    X: Element,
    c1: Element,
    d: Element,
    allowed: Sequence[Element],
    context: Transcript,
    rng: Rng = os.urandom,
) -> VoidProof:
    """Prove that the card in `(c1, d)` is one of `allowed`.

    Every branch `b` is made alike, from a random `a_b` and a challenge `c_b`, its response being `s_b = a_b
    + c_b x`. The branch's commitments are `A_b = s_b G - c_b X = a_b G` and `B_b = s_b C1 - c_b (D - M_b) =
    a_b C1 + c_b (M_b - M)`, where the second forms, for one who knows `x` and the card `M`, cost one
    multiplication less. In the true branch `M_b = M`, so its commitments don't depend on its challenge,
    which is then chosen to complete the sum. All `a_b` and all challenges but one are uniform, whichever
    branch is true.

    Args:
        x: the holder's secret.
        X: its public element.
        c1: first part of the masked card.
        d: second part, with the others' tokens taken off.
        allowed: the allowed cards, all different, in the order that the verifier will use.
        context: what the proof is bound to; not disturbed.
        rng: fresh bytes for nonces and simulated challenges.

    Raises:
        CryptoError: the card is not in the set, `X` does not belong to `x`, or a card stands in the set
            twice.
    """
    if group.mul_base(x) != X:
        raise CryptoError("the public key does not belong to the secret key")
    if len(set(allowed)) != len(allowed):
        raise CryptoError("a card stands in the allowed set twice")
    card_held = group.sub(d, group.mul(x, c1))
    if card_held not in allowed:
        raise CryptoError("the card is not in the allowed set, so there is nothing to prove")
    true = list(allowed).index(card_held)

    transcript = _begin(X, c1, d, allowed, context)
    nonces = NonceStream([x, card_held], transcript, rng)
    a = nonces.take_many(len(allowed))
    c = nonces.take_many(len(allowed))
    commitments = []
    for branch, card in enumerate(allowed):
        a_b = scalar_from_int(a[branch])
        B = group.mul(a_b, c1)
        if branch != true:
            B = group.add(B, group.mul(scalar_from_int(c[branch]), group.sub(card, card_held)))
        commitments += [group.mul_base(a_b), B]
    total = scalar_to_int(_challenge(transcript, commitments))
    c[true] = (total - sum(c[:true]) - sum(c[true + 1 :])) % L
    secret = scalar_to_int(x)
    return VoidProof(
        tuple(map(scalar_from_int, c)),
        tuple(scalar_from_int(a_b + c_b * secret) for a_b, c_b in zip(a, c, strict=True)),
    )


def verify_void(
    X: Element, c1: Element, d: Element, allowed: Sequence[Element], proof: VoidProof, context: Transcript
) -> None:
    """Check that the card in `(c1, d)`, held by the owner of `X`, is one of `allowed`, in this context.

    Why a false proof can't be made: two answers to the same commitments with different sums of challenges differ in
    the challenge of some branch `b`; from its two responses one computes an `x'` with `X = x' G` and
    `D - M_b = x' C1`. The group has prime order and `G` isn't the identity, so `x'` is the holder's `x`, and `M_b`
    is `D - x C1`: the card. So, whoever knows whatever logarithms, if the card is not in the set then for given
    commitments at most one sum of challenges can be answered, and the transcript draws it with a chance of `1 / L`.

    Args:
        X: the holder's public element.
        c1: first part of the masked card.
        d: second part, with the others' (proved) tokens taken off.
        allowed: the allowed cards, in the fixed order.
        proof: the proof.
        context: what the proof must be bound to; not disturbed.

    Raises:
        ProofError: it does not hold, or set and proof are of different lengths.
    """
    if not allowed or not len(allowed) == len(proof.challenges) == len(proof.responses):
        raise ProofError("wrong_size", f"a void proof over {len(allowed)} cards comes with another number of branches")
    refuse_identity("keys, cards and masked cards", X, c1, d, *allowed)
    c = checked_ints(proof.challenges)
    s = checked_ints(proof.responses)
    transcript = _begin(X, c1, d, allowed, context)
    commitments = []
    try:
        for c_b, s_b, card in zip(c, s, allowed, strict=True):
            rest = group.sub(d, card)
            refuse_identity("masked cards, less a card", rest)
            commitments.append(group.weighted_sum((s_b, -c_b), (group.G, X)))
            commitments.append(group.weighted_sum((s_b, -c_b), (c1, rest)))
    except DecodingError as error:
        raise ProofError("not_canonical", f"a key, card or masked card is no group element: {error}") from error
    refuse_identity("recomputed commitments", *commitments)
    if sum(c) % L != scalar_to_int(_challenge(transcript, commitments)):
        raise ProofError("proof_fails", "the void proof does not hold")


def _begin(X: Element, c1: Element, d: Element, allowed: Sequence[Element], context: Transcript) -> Transcript:
    transcript = context.fork()
    transcript.append(labels.PROOF, labels.VOID_PROOF)
    transcript.append(labels.KEY, X)
    transcript.append(labels.BASE, c1)
    transcript.append(labels.MASKED_CARD, d)
    transcript.append_int(labels.ALLOWED, len(allowed))
    transcript.append(labels.ALLOWED, b"".join(allowed))
    return transcript


def _challenge(transcript: Transcript, commitments: Sequence[Element]) -> Scalar:
    transcript.append(labels.COMMITMENTS, b"".join(commitments))
    return transcript.challenge(labels.SIGMA_CHALLENGE)
