"""Proofs by somebody who does all that one can without the witness: with another secret, or a key it doesn't own.

The forgers of false shuffles are in `tests/crypto/test_false_shuffle.py`.
"""

from __future__ import annotations

import pytest

from azi_p2p.crypto import group, keys, tokens, void
from azi_p2p.crypto.cards import card_elements
from azi_p2p.crypto.errors import DecodingError, ProofError
from azi_p2p.crypto.group import L, Scalar, scalar_from_int, scalar_to_int
from azi_p2p.crypto.keys import OwnershipProof, new_deal_key
from azi_p2p.crypto.tokens import DleqProof
from azi_p2p.crypto.transcript import Transcript
from azi_p2p.crypto.void import VoidProof
from tests.session.harness import seeded_rng

RNG = seeded_rng("forgers")
OWN, OWN_KEY = new_deal_key(RNG)
OTHER, OTHER_KEY = new_deal_key(RNG)
ALLOWED = card_elements(("6S", "7S", "8S"))
FORBIDDEN = card_elements(("AH",))[0]


def context() -> Transcript:
    return Transcript(b"forgers")


def forge_void(X: group.Element, secret: Scalar, c1: group.Element, d: group.Element, true: int) -> VoidProof:
    """A void proof for the holder of X whose branch `true` is answered with any secret; the others are simulated."""
    transcript = void._begin(X, c1, d, ALLOWED, context())
    c = [scalar_to_int(group.random_scalar(RNG)) for _ in ALLOWED]
    s = [scalar_to_int(group.random_scalar(RNG)) for _ in ALLOWED]
    w = scalar_to_int(group.random_scalar(RNG))
    commitments = []
    for branch, card in enumerate(ALLOWED):
        rest = group.sub(d, card)
        if branch == true:
            commitments += [group.mul_base(scalar_from_int(w)), group.mul(scalar_from_int(w), c1)]
        else:
            commitments.append(group.weighted_sum((s[branch], -c[branch]), (group.G, X)))
            commitments.append(group.weighted_sum((s[branch], -c[branch]), (c1, rest)))
    total = scalar_to_int(void._challenge(transcript, commitments))
    c[true] = (total - sum(c) + c[true]) % L
    s[true] = w + c[true] * scalar_to_int(secret)
    return VoidProof(tuple(map(scalar_from_int, c)), tuple(map(scalar_from_int, s)))


def test_void_proof_with_another_secret() -> None:
    """What its card would be if its secret were another one, is nobody's concern: it is the key that counts.

    Whoever knows the mask of its own card, as the last to shuffle may, could pick the secret to fit.
    """
    mask = group.random_scalar(RNG)
    c1 = group.mul_base(mask)
    # The card is forbidden: d = AH + x C1. With the other secret, the same d would be an allowed card's.
    d_for_another = group.add(ALLOWED[1], group.mul(OTHER, c1))
    void.verify_void(
        OTHER_KEY, c1, d_for_another, ALLOWED, forge_void(OTHER_KEY, OTHER, c1, d_for_another, 1), context()
    )
    with pytest.raises(ProofError, match="does not hold"):
        void.verify_void(
            OWN_KEY, c1, d_for_another, ALLOWED, forge_void(OWN_KEY, OTHER, c1, d_for_another, 1), context()
        )


def test_void_proof_for_a_card_that_is_not_allowed() -> None:
    mask = group.random_scalar(RNG)
    c1 = group.mul_base(mask)
    d = group.add(FORBIDDEN, group.mul(OWN, c1))
    for branch in range(len(ALLOWED)):
        with pytest.raises(ProofError, match="does not hold"):
            void.verify_void(OWN_KEY, c1, d, ALLOWED, forge_void(OWN_KEY, OWN, c1, d, branch), context())


def test_tokens_with_another_secret() -> None:
    """Every token is made with one secret, but not with that of the key."""
    bases = (group.hash_to_group(b"one"), group.hash_to_group(b"two"))
    made = tuple(group.mul(OTHER, base) for base in bases)
    transcript, weights = tokens._begin(OWN_KEY, bases, made, context())
    total = group.weighted_sum(weights, bases)
    w = group.random_scalar(RNG)
    c = tokens._challenge(transcript, group.mul_base(w), group.mul(w, total))
    s = scalar_from_int(scalar_to_int(w) + scalar_to_int(c) * scalar_to_int(OTHER))
    with pytest.raises(ProofError, match="does not hold"):
        tokens.verify_tokens(OWN_KEY, bases, made, DleqProof(c, s), context())


def test_a_key_that_cancels_the_others_can_not_be_owned() -> None:
    """The rogue key: what is wanted, less the others' keys. Its logarithm is known to nobody; any answer fails."""
    rogue = group.sub(group.mul_base(OTHER), OWN_KEY)
    assert keys.joint_key([OWN_KEY, rogue]) == OTHER_KEY
    for secret in (OTHER, OWN, group.scalar_sub(OTHER, OWN)):
        w = group.random_scalar(RNG)
        c = keys._challenge(keys._begin(rogue, context()), group.mul_base(w))
        s = scalar_from_int(scalar_to_int(w) + scalar_to_int(c) * scalar_to_int(secret))
        if secret == group.scalar_sub(OTHER, OWN):
            # Who knows everybody's secret may do it: that is no attack.
            keys.verify_ownership(rogue, OwnershipProof(c, s), context())
        else:
            with pytest.raises(ProofError, match="does not hold"):
                keys.verify_ownership(rogue, OwnershipProof(c, s), context())


def test_a_proof_of_ownership_made_backwards() -> None:
    """Commitment computed from a challenge and a response that were chosen first: the challenge comes out another."""
    c, s = group.random_scalar(RNG), group.random_scalar(RNG)
    with pytest.raises(ProofError, match="does not hold"):
        keys.verify_ownership(OWN_KEY, OwnershipProof(c, s), context())


@pytest.mark.parametrize("value", [L, L + 1, 2**255, 2**255 + 1, 2**256 - 1])
def test_scalars_that_the_library_takes_for_others(value: int) -> None:
    """libsodium takes L + 1 for 1 and drops the highest bit; here neither is a factor."""
    scalar = Scalar(value.to_bytes(32, "little"))
    with pytest.raises(DecodingError, match="not below the order"):
        group.mul(scalar, OWN_KEY)
    with pytest.raises(DecodingError, match="not below the order"):
        group.mul_base(scalar)
