"""The void proof: true for every card of the set, impossible for any other, silent about which."""

from __future__ import annotations

import dataclasses
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from azi_p2p.crypto import group, masking, shuffle, tokens, void
from azi_p2p.crypto.errors import CryptoError, DecodingError, ProofError
from azi_p2p.crypto.group import IDENTITY, ZERO, Element, L, Scalar, scalar_from_int, scalar_to_int
from azi_p2p.crypto.nonces import NonceStream
from azi_p2p.crypto.void import VoidProof
from tests.crypto.kit import SETTINGS, context, holds, one_bit_changes, seeded, turned, world

TABLE = world(27)
DECK, _ = shuffle.shuffle(TABLE.start, TABLE.joint, seeded("void"))
SEAT = 1
SECRET, PUBLIC = TABLE.secrets[SEAT], TABLE.publics[SEAT]


def held(place: int) -> tuple[Element, Element, int]:
    """Give `C1`, `D` and the number of the card at a place of the deck."""
    masked = DECK[place]
    card = TABLE.open(masked)
    assert card is not None
    return masked.c1, masking.unmask(masked, TABLE.others_tokens(SEAT, masked)), TABLE.names.index(card)


C1, D, CARD = held(0)
ALLOWED = [TABLE.cards[(CARD + step) % 27] for step in (5, 9, 0, 14)]
FORBIDDEN = [TABLE.cards[(CARD + step) % 27] for step in (5, 9, 1, 14)]
PROOF = void.prove_void(SECRET, PUBLIC, C1, D, ALLOWED, context(), seeded("nonces"))


def refused(
    code: str,
    X: Element = PUBLIC,
    c1: Element = C1,
    d: Element = D,
    allowed: list[Element] = ALLOWED,
    proof: VoidProof = PROOF,
    deal: int = 1,
    seat: int = 0,
) -> None:
    with pytest.raises(ProofError) as caught:
        void.verify_void(X, c1, d, allowed, proof, context(deal, seat))
    assert caught.value.code == code


@SETTINGS
@given(st.integers(0, 26), st.integers(1, 18), st.data())
def test_every_card_of_the_set_can_be_proved(place: int, k: int, data: st.DataObject) -> None:
    c1, d, card = held(place)
    others = data.draw(st.permutations([index for index in range(27) if index != card]))[: k - 1]
    at = data.draw(st.integers(0, k - 1))
    allowed = [TABLE.cards[index] for index in (*others[:at], card, *others[at:])]
    proof = void.prove_void(SECRET, PUBLIC, c1, d, allowed, context(place))
    assert len(proof.to_bytes()) == 64 * k
    void.verify_void(PUBLIC, c1, d, allowed, VoidProof.from_bytes(proof.to_bytes(), k), context(place))


def test_a_card_outside_the_set_is_our_own_fault() -> None:
    with pytest.raises(CryptoError, match="not in the allowed set"):
        void.prove_void(SECRET, PUBLIC, C1, D, FORBIDDEN, context())
    with pytest.raises(CryptoError, match="does not belong"):
        void.prove_void(SECRET, TABLE.publics[0], C1, D, ALLOWED, context())
    with pytest.raises(CryptoError, match="twice"):
        void.prove_void(SECRET, PUBLIC, C1, D, [*ALLOWED, ALLOWED[0]], context())
    with pytest.raises(CryptoError, match="not in the allowed set"):
        void.prove_void(SECRET, PUBLIC, C1, D, [], context())


def simulate(allowed: list[Element], claimed: int, secret: Scalar, seed: int) -> VoidProof:
    """Do all that one can without a true branch: simulate all but one, answer that one with the secret at hand."""
    transcript = void._begin(PUBLIC, C1, D, allowed, context())
    nonces = NonceStream([bytes([seed])], transcript, seeded(seed))
    c, s = nonces.take_many(len(allowed)), nonces.take_many(len(allowed))
    w = scalar_from_int(nonces.take())
    commitments = []
    for branch, card in enumerate(allowed):
        if branch == claimed:
            commitments += [group.mul_base(w), group.mul(w, C1)]
        else:
            rest = group.sub(D, card)
            commitments.append(group.weighted_sum((s[branch], -c[branch]), (group.G, PUBLIC)))
            commitments.append(group.weighted_sum((s[branch], -c[branch]), (C1, rest)))
    total = scalar_to_int(void._challenge(transcript, commitments))
    c[claimed] = 0
    c[claimed] = (total - sum(c)) % L
    s[claimed] = scalar_to_int(w) + c[claimed] * scalar_to_int(secret)
    return VoidProof(tuple(map(scalar_from_int, c)), tuple(map(scalar_from_int, s)))


class TestFalseProofs:
    def test_the_forger_is_able(self) -> None:
        # The same code with the true card in its branch is accepted; so what refuses it below is the missing card.
        void.verify_void(PUBLIC, C1, D, ALLOWED, simulate(ALLOWED, 2, SECRET, 1), context())

    @pytest.mark.parametrize("claimed", range(4))
    def test_without_the_card_no_branch_helps(self, claimed: int) -> None:
        refused("proof_fails", allowed=FORBIDDEN, proof=simulate(FORBIDDEN, claimed, SECRET, claimed))

    def test_another_secret_does_not_help(self) -> None:
        refused("proof_fails", proof=simulate(ALLOWED, 2, TABLE.secrets[0], 1))

    def test_the_proof_of_another_set(self) -> None:
        refused("proof_fails", allowed=FORBIDDEN)
        refused("proof_fails", allowed=[ALLOWED[1], ALLOWED[0], *ALLOWED[2:]])
        for size in (3, 5):
            refused("wrong_size", allowed=(ALLOWED + FORBIDDEN[2:3])[:size])

    def test_the_proof_for_another_card(self) -> None:
        for place in range(1, 5):
            c1, d, _ = held(place)
            refused("proof_fails", c1=c1, d=d)
            refused("proof_fails", c1=c1)
            refused("proof_fails", d=d)

    def test_the_proof_of_another_seat(self) -> None:
        refused("proof_fails", X=TABLE.publics[0])

    def test_another_context(self) -> None:
        refused("proof_fails", deal=2)
        refused("proof_fails", seat=1)


def test_every_byte_of_the_proof() -> None:
    def check(data: bytes) -> None:
        void.verify_void(PUBLIC, C1, D, ALLOWED, VoidProof.from_bytes(data, 4), context())

    assert holds(check, PROOF.to_bytes())
    assert not any(holds(check, changed) for changed in one_bit_changes(PROOF.to_bytes()))


@SETTINGS
@given(st.integers(0, 6), st.integers(0, 31), st.integers(0, 7))
def test_a_bit_of_any_element(which: int, at: int, bit: int) -> None:
    elements = [PUBLIC, C1, D, *ALLOWED]

    def check(data: bytes) -> None:
        changed = [*elements[:which], Element(data), *elements[which + 1 :]]
        void.verify_void(changed[0], changed[1], changed[2], changed[3:], PROOF, context())

    assert holds(check, elements[which])
    assert not holds(check, turned(elements[which], at, bit))


def test_exchanged_fields() -> None:
    for first, second in itertools.combinations(range(4), 2):
        for field in ("challenges", "responses"):
            values = list(getattr(PROOF, field))
            values[first], values[second] = values[second], values[first]
            refused("proof_fails", proof=dataclasses.replace(PROOF, **{field: tuple(values)}))
    # Moving weight from one challenge to another keeps the sum, and breaks the branches.
    c = list(map(scalar_to_int, PROOF.challenges))
    moved = (c[0] + 1, c[1] - 1, *c[2:])
    refused("proof_fails", proof=dataclasses.replace(PROOF, challenges=tuple(map(scalar_from_int, moved))))


@pytest.mark.parametrize("field", ["challenges", "responses"])
def test_scalars_out_of_range(field: str) -> None:
    values: tuple[Scalar, ...] = getattr(PROOF, field)
    for at in range(4):
        good = scalar_to_int(values[at])
        for value, code in ((0, "zero_scalar"), (L, "not_canonical"), (good + L, "not_canonical")):
            spoilt = (*values[:at], Scalar(value.to_bytes(32, "little")), *values[at + 1 :])
            bad = dataclasses.replace(PROOF, **{field: spoilt})
            refused(code, proof=bad)
            with pytest.raises(DecodingError):
                VoidProof.from_bytes(bad.to_bytes(), 4)
    refused("wrong_size", proof=dataclasses.replace(PROOF, **{field: values[:3]}))
    refused("wrong_size", proof=dataclasses.replace(PROOF, **{field: (*values, ZERO)}))


def test_lengths() -> None:
    data = PROOF.to_bytes()
    for bad in (b"", data[:-1], data + b"\0", data[:-64], data + data[:64]):
        with pytest.raises(DecodingError, match="over 4 cards has 256 bytes"):
            VoidProof.from_bytes(bad, 4)


def test_the_identity_is_refused_everywhere() -> None:
    refused("identity", X=IDENTITY)
    refused("identity", c1=IDENTITY)
    refused("identity", d=IDENTITY)
    refused("identity", allowed=[IDENTITY, *ALLOWED[1:]])
    refused("identity", d=ALLOWED[1])
    c = scalar_from_int(5)
    challenges = (c, *PROOF.challenges[1:])
    responses = (group.scalar_mul(c, SECRET), *PROOF.responses[1:])
    refused("identity", proof=VoidProof(challenges, responses))


def test_no_elements() -> None:
    bad = Element(b"\xff" * 32)
    refused("not_canonical", X=bad)
    refused("not_canonical", c1=bad)
    refused("not_canonical", d=bad)
    refused("not_canonical", allowed=[*ALLOWED[:3], bad])


def test_an_empty_set_allows_nothing() -> None:
    refused("wrong_size", allowed=[], proof=VoidProof((), ()))


def test_challenges_of_all_branches_look_alike() -> None:
    """In 200 proofs, the true branch at each place by turns, its challenge looks no different from the others.

    What is counted is bit 251 of the challenge, a fair coin in simulated and completed ones alike (`L` is just above
    `2**252`). In both classes the share of ones lies within five standard deviations of a half.
    """
    ones = {True: 0, False: 0}
    count = {True: 0, False: 0}
    for number in range(200):
        at = number % 4
        allowed = [*FORBIDDEN[:2], FORBIDDEN[3]]
        allowed.insert(at, TABLE.cards[CARD])
        proof = void.prove_void(SECRET, PUBLIC, C1, D, allowed, context(number), seeded(number))
        for branch, challenge in enumerate(proof.challenges):
            count[branch == at] += 1
            ones[branch == at] += challenge[31] >> 3 & 1
    assert count == {True: 200, False: 600}
    for kind in (True, False):
        assert abs(ones[kind] - count[kind] / 2) < 5 * (count[kind] / 4) ** 0.5


def test_tokens_taken_off_in_another_order_change_nothing() -> None:
    shares = TABLE.others_tokens(SEAT, DECK[0])
    assert masking.unmask(DECK[0], shares[::-1]) == D
    assert group.sub(D, tokens.reveal_token(SECRET, C1)) == TABLE.cards[CARD]
