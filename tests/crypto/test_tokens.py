"""Reveal tokens and their batched proof."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from azi_p2p.crypto import group, keys, tokens
from azi_p2p.crypto.errors import CryptoError, DecodingError, ProofError
from azi_p2p.crypto.group import IDENTITY, ZERO, Element, G, L, Scalar
from azi_p2p.crypto.tokens import DleqProof
from tests.crypto.kit import SETTINGS, context, holds, one_bit_changes, seeded, turned

X_SECRET, X_PUBLIC = keys.new_deal_key(seeded("tokens"))


def bases(n: int) -> list[Element]:
    return [group.hash_to_group(b"base" + bytes([index])) for index in range(n)]


def images(x: Scalar, of: list[Element]) -> list[Element]:
    return [tokens.reveal_token(x, base) for base in of]


BASES = bases(4)
TOKENS = images(X_SECRET, BASES)
PROOF = tokens.prove_tokens(X_SECRET, X_PUBLIC, BASES, TOKENS, context(), seeded("nonce"))


def refused(
    code: str,
    X: Element = X_PUBLIC,
    of: list[Element] = BASES,
    given_tokens: list[Element] = TOKENS,
    proof: DleqProof = PROOF,
    deal: int = 1,
    seat: int = 0,
) -> None:
    with pytest.raises(ProofError) as caught:
        tokens.verify_tokens(X, of, given_tokens, proof, context(deal, seat))
    assert caught.value.code == code


@SETTINGS
@given(st.integers(1, 12), st.integers(0, 100))
def test_right_tokens_are_believed(n: int, seed: int) -> None:
    x, X = keys.new_deal_key(seeded(seed))
    of = bases(n)
    proof = tokens.prove_tokens(x, X, of, images(x, of), context(seed), seeded(seed + 1))
    tokens.verify_tokens(X, of, images(x, of), DleqProof.from_bytes(proof.to_bytes()), context(seed))


def test_the_same_card_twice_and_the_base_point_are_allowed() -> None:
    of = [BASES[0], BASES[0], G]
    proof = tokens.prove_tokens(X_SECRET, X_PUBLIC, of, images(X_SECRET, of), context())
    tokens.verify_tokens(X_PUBLIC, of, images(X_SECRET, of), proof, context())


@SETTINGS
@given(st.integers(0, 3), st.integers(0, 31), st.integers(0, 7), st.sampled_from(["base", "token"]))
def test_a_bit_of_any_base_or_token(which: int, at: int, bit: int, what: str) -> None:
    def check(data: bytes) -> None:
        of, given_tokens = list(BASES), list(TOKENS)
        (of if what == "base" else given_tokens)[which] = Element(data)
        tokens.verify_tokens(X_PUBLIC, of, given_tokens, PROOF, context())

    right = (BASES if what == "base" else TOKENS)[which]
    assert holds(check, right)
    assert not holds(check, turned(right, at, bit))


def test_every_byte_of_proof_and_key() -> None:
    def with_proof(data: bytes) -> None:
        tokens.verify_tokens(X_PUBLIC, BASES, TOKENS, DleqProof.from_bytes(data), context())

    def with_key(data: bytes) -> None:
        tokens.verify_tokens(Element(data), BASES, TOKENS, PROOF, context())

    assert holds(with_proof, PROOF.to_bytes())
    assert not any(holds(with_proof, changed) for changed in one_bit_changes(PROOF.to_bytes()))
    assert not any(holds(with_key, changed) for changed in one_bit_changes(X_PUBLIC))


def test_another_context() -> None:
    refused("proof_fails", deal=2)
    refused("proof_fails", seat=1)


def test_another_key() -> None:
    refused("proof_fails", X=keys.new_deal_key(seeded("other"))[1])


def test_order_and_number() -> None:
    swapped = [TOKENS[1], TOKENS[0], *TOKENS[2:]]
    refused("proof_fails", given_tokens=swapped)
    refused("proof_fails", of=[BASES[1], BASES[0], *BASES[2:]], given_tokens=swapped)
    refused("proof_fails", of=BASES[:3], given_tokens=TOKENS[:3])
    refused("proof_fails", of=[*BASES, BASES[0]], given_tokens=[*TOKENS, TOKENS[0]])
    refused("wrong_size", given_tokens=TOKENS[:3])
    refused("wrong_size", of=BASES[:3])
    refused("wrong_size", of=[], given_tokens=[])


def test_tokens_for_the_wrong_card() -> None:
    other = tokens.reveal_token(X_SECRET, bases(9)[8])
    for which in range(4):
        refused("proof_fails", given_tokens=[*TOKENS[:which], other, *TOKENS[which + 1 :]])


def test_a_key_of_another_logarithm_behind_one_token() -> None:
    """The prover does its best with one token of another secret, at each place, also the first, whose weight is 1."""
    y, _ = keys.new_deal_key(seeded("another"))
    for which in range(4):
        false = [*TOKENS[:which], tokens.reveal_token(y, BASES[which]), *TOKENS[which + 1 :]]
        proof = tokens.prove_tokens(X_SECRET, X_PUBLIC, BASES, false, context(), seeded(which))
        refused("proof_fails", given_tokens=false, proof=proof)


def test_errors_that_cancel_without_weights() -> None:
    """One token too large by E, another too small by E: an unweighted sum would not notice."""
    error = group.hash_to_group(b"error")
    for first, second in ((0, 1), (1, 2), (3, 0)):
        false = list(TOKENS)
        false[first], false[second] = group.add(false[first], error), group.sub(false[second], error)
        proof = tokens.prove_tokens(X_SECRET, X_PUBLIC, BASES, false, context(), seeded(first))
        refused("proof_fails", given_tokens=false, proof=proof)


def test_weights_cannot_be_chosen_before_the_tokens() -> None:
    """The errors cancel under the weights of the honest tokens; the false ones draw others."""
    transcript, weights = tokens._begin(X_PUBLIC, BASES, TOKENS, context())
    assert weights[0] == 1
    assert transcript.digest() != context().digest()
    error = group.hash_to_group(b"error")
    w_1, w_2 = (group.scalar_from_int(weights[index]) for index in (1, 2))
    false = list(TOKENS)
    false[1] = group.add(false[1], group.mul(w_2, error))
    false[2] = group.sub(false[2], group.mul(w_1, error))
    assert group.weighted_sum(weights, false) == group.weighted_sum(weights, TOKENS)
    refused("proof_fails", given_tokens=false)
    proof = tokens.prove_tokens(X_SECRET, X_PUBLIC, BASES, false, context())
    refused("proof_fails", given_tokens=false, proof=proof)


def test_the_identity_is_refused_everywhere() -> None:
    refused("identity", X=IDENTITY)
    for which in range(4):
        refused("identity", of=[*BASES[:which], IDENTITY, *BASES[which + 1 :]])
        refused("identity", given_tokens=[*TOKENS[:which], IDENTITY, *TOKENS[which + 1 :]])


def test_recomputed_commitments_are_not_the_identity() -> None:
    c = group.scalar_from_int(5)
    refused("identity", proof=DleqProof(c, group.scalar_mul(c, X_SECRET)))


@pytest.mark.parametrize("field", ["challenge", "response"])
def test_scalars_out_of_range(field: str) -> None:
    good = group.scalar_to_int(getattr(PROOF, field))
    for value, code in ((0, "zero_scalar"), (L, "not_canonical"), (good + L, "not_canonical")):
        bad = dataclasses.replace(PROOF, **{field: Scalar(value.to_bytes(32, "little"))})
        refused(code, proof=bad)
        with pytest.raises(DecodingError):
            DleqProof.from_bytes(bad.to_bytes())
    refused("zero_scalar", proof=dataclasses.replace(PROOF, **{field: ZERO}))


def test_no_elements() -> None:
    bad = Element(b"\xff" * 32)
    refused("not_canonical", X=bad)
    refused("not_canonical", of=[bad, *BASES[1:]])
    refused("not_canonical", given_tokens=[*TOKENS[:3], bad])


def test_provers_mind_their_arguments() -> None:
    with pytest.raises(CryptoError, match="as many tokens"):
        tokens.prove_tokens(X_SECRET, X_PUBLIC, BASES, TOKENS[:3], context())
    with pytest.raises(CryptoError, match="at least one"):
        tokens.prove_tokens(X_SECRET, X_PUBLIC, [], [], context())
    with pytest.raises(CryptoError, match="cancel"):
        tokens.prove_tokens(X_SECRET, X_PUBLIC, [IDENTITY], [IDENTITY], context())
