"""Reveal tokens: a seat's share in opening masked cards, with one proof for any number of them.

The proof says that the same secret stands behind the seat's key and behind each token (equality of discrete
logarithms, Chaum-Pedersen 1992), batched by random weights. Which cards are opened to whom is not decided
here.
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
class DleqProof:
    """A proof that `X = x G` and `T_i = x B_i` for all `i`, as challenge and response."""

    challenge: Scalar
    response: Scalar

    SIZE = 64
    """Bytes of an encoded proof."""

    def to_bytes(self) -> bytes:
        """Give 64 bytes: challenge, response."""
        return self.challenge + self.response

    @classmethod
    def from_bytes(cls, data: bytes) -> DleqProof:
        """Read what `to_bytes` wrote; raises DecodingError for anything else."""
        reader = FieldReader(data, 2, "a proof for reveal tokens")
        return cls(reader.scalar(), reader.scalar())


def reveal_token(x: Scalar, c1: Element) -> Element:
    """Give `x C1`, the share of the holder of `x` in a card masked with `C1`."""
    return group.mul(x, c1)


def prove_tokens(
    x: Scalar,
    X: Element,
    bases: Sequence[Element],
    tokens: Sequence[Element],
    context: Transcript,
    rng: Rng = os.urandom,
) -> DleqProof:
    """Prove that `tokens[i] = x bases[i]` for all `i`, with the `x` of `X = x G`.

    Args:
        x: the secret.
        X: its public element.
        bases: the first parts of the masked cards, or other elements; at least one.
        tokens: as many, in the same order.
        context: what the proof is bound to; not disturbed.
        rng: fresh bytes for the nonce.

    Raises:
        CryptoError: the lists are empty or of different lengths, or the weighted sum of the bases is the
            identity.
    """
    if not bases or len(bases) != len(tokens):
        raise CryptoError(f"{len(bases)} bases need as many tokens, at least one; here are {len(tokens)}")
    transcript, weights = _begin(X, bases, tokens, context)
    B = group.weighted_sum(weights, bases)
    if B == group.IDENTITY:
        raise CryptoError("the bases cancel each other")
    w = group.scalar_from_int(NonceStream([x], transcript, rng).take())
    c = _challenge(transcript, group.mul_base(w), group.mul(w, B))
    s = group.scalar_to_int(w) + group.scalar_to_int(c) * group.scalar_to_int(x)
    return DleqProof(c, group.scalar_from_int(s))


def verify_tokens(
    X: Element, bases: Sequence[Element], tokens: Sequence[Element], proof: DleqProof, context: Transcript
) -> None:
    """Check the tokens of the holder of `X` for these bases, in this context.

    With `B = sum w_i B_i` and `T = sum w_i T_i` it checks `X = x G` and `T = x B`. The weights are drawn
    after all bases and tokens are in. Put `E_i = T_i - x B_i`; what is checked says `sum w_i E_i = 0`. The
    first weight is 1, the others are uniform and independent: if some `E_i` with `i > 1` isn't the
    identity, at most one value of its weight in `L - 1` satisfies the equation; if only `E_1` isn't, none
    does. So a wrong token passes with a chance of about `2**-252` per try.

    Raises:
        ProofError: the proof does not hold, or a list is empty, of the wrong length, or holds the identity.
    """
    if not bases or len(bases) != len(tokens):
        raise ProofError("wrong_size", f"{len(tokens)} reveal tokens for {len(bases)} masked cards")
    refuse_identity("keys, bases and tokens", X, *bases, *tokens)
    c, s = checked_ints((proof.challenge, proof.response))
    transcript, weights = _begin(X, bases, tokens, context)
    try:
        B = group.weighted_sum(weights, bases)
        T = group.weighted_sum(weights, tokens)
        a = group.weighted_sum((s, -c), (group.G, X))
        b = group.weighted_sum((s, -c), (B, T))
    except DecodingError as error:
        raise ProofError("not_canonical", f"a key, base or token is no group element: {error}") from error
    refuse_identity("recomputed commitments", a, b)
    if _challenge(transcript, a, b) != proof.challenge:
        raise ProofError("proof_fails", "the proof for the reveal tokens does not hold")


def _begin(
    X: Element, bases: Sequence[Element], tokens: Sequence[Element], context: Transcript
) -> tuple[Transcript, list[int]]:
    transcript = context.fork()
    transcript.append(labels.PROOF, labels.TOKENS_PROOF)
    transcript.append(labels.KEY, X)
    transcript.append_int(labels.BASES, len(bases))
    transcript.append(labels.BASES, b"".join(bases))
    transcript.append(labels.TOKENS, b"".join(tokens))
    drawn = transcript.challenges(labels.WEIGHTS, len(bases) - 1)
    return transcript, [1, *map(group.scalar_to_int, drawn)]


def _challenge(transcript: Transcript, a: Element, b: Element) -> Scalar:
    transcript.append(labels.COMMITMENTS, a + b)
    return transcript.challenge(labels.SIGMA_CHALLENGE)
