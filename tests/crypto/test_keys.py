"""Deal keys and the proof of ownership."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from azi_p2p.crypto import group, keys
from azi_p2p.crypto.errors import CryptoError, DecodingError, ProofError
from azi_p2p.crypto.group import IDENTITY, ZERO, Element, G, L, Scalar
from azi_p2p.crypto.keys import OwnershipProof
from tests.crypto.kit import SETTINGS, context, holds, one_bit_changes, seeded


@SETTINGS
@given(st.integers(0, 1000), st.integers(0, 5), st.integers(0, 5))
def test_owners_are_believed(seed: int, deal: int, seat: int) -> None:
    x, X = keys.new_deal_key(seeded(seed))
    proof = keys.prove_ownership(x, X, context(deal, seat), seeded(seed + 1))
    keys.verify_ownership(X, OwnershipProof.from_bytes(proof.to_bytes()), context(deal, seat))


class TestRefusals:
    x, X = keys.new_deal_key(seeded("owner"))
    proof = keys.prove_ownership(x, X, context(), seeded("nonce"))

    def refused(self, X: Element, proof: OwnershipProof, code: str, deal: int = 1, seat: int = 0) -> None:
        with pytest.raises(ProofError) as caught:
            keys.verify_ownership(X, proof, context(deal, seat))
        assert caught.value.code == code

    def test_another_context(self) -> None:
        self.refused(self.X, self.proof, "proof_fails", deal=2)
        self.refused(self.X, self.proof, "proof_fails", seat=1)

    def test_another_key(self) -> None:
        self.refused(keys.new_deal_key(seeded("other"))[1], self.proof, "proof_fails")
        self.refused(group.add(self.X, G), self.proof, "proof_fails")

    def test_every_byte(self) -> None:
        def with_proof(data: bytes) -> None:
            keys.verify_ownership(self.X, OwnershipProof.from_bytes(data), context())

        def with_key(data: bytes) -> None:
            keys.verify_ownership(group.decode_element(data), self.proof, context())

        assert holds(with_proof, self.proof.to_bytes())
        assert not any(holds(with_proof, changed) for changed in one_bit_changes(self.proof.to_bytes()))
        assert holds(with_key, self.X)
        assert not any(holds(with_key, changed) for changed in one_bit_changes(self.X))

    def test_lengths(self) -> None:
        data = self.proof.to_bytes()
        for bad in (b"", data[:-1], data + b"\0", data * 2):
            with pytest.raises(DecodingError, match="64 bytes"):
                OwnershipProof.from_bytes(bad)

    @pytest.mark.parametrize("field", ["challenge", "response"])
    def test_scalars_out_of_range(self, field: str) -> None:
        for value, code in ((ZERO, "zero_scalar"), (Scalar(L.to_bytes(32, "little")), "not_canonical")):
            bad = dataclasses.replace(self.proof, **{field: value})
            self.refused(self.X, bad, code)
            with pytest.raises(DecodingError):
                OwnershipProof.from_bytes(bad.to_bytes())
        good = group.scalar_to_int(getattr(self.proof, field))
        again = Scalar((good + L).to_bytes(32, "little"))
        self.refused(self.X, dataclasses.replace(self.proof, **{field: again}), "not_canonical")

    def test_identity_as_key(self) -> None:
        # Zero is the logarithm of the identity: without the check a proof could be made.
        self.refused(IDENTITY, self.proof, "identity")

    def test_identity_as_recomputed_commitment(self) -> None:
        # With s = c x the commitment is the identity, whatever the challenge.
        c = group.scalar_from_int(5)
        bad = OwnershipProof(c, group.scalar_mul(c, self.x))
        self.refused(self.X, bad, "identity")

    def test_no_element_as_key(self) -> None:
        self.refused(Element(b"\xff" * 32), self.proof, "not_canonical")


def test_provers_mind_their_key() -> None:
    x, X = keys.new_deal_key(seeded(1))
    with pytest.raises(CryptoError, match="does not belong"):
        keys.prove_ownership(x, group.add(X, G), context())


class TestJointKey:
    def test_is_the_sum(self) -> None:
        pairs = [keys.new_deal_key(seeded(seat)) for seat in range(4)]
        total = sum(group.scalar_to_int(x) for x, _ in pairs)
        assert keys.joint_key([X for _, X in pairs]) == group.mul_base(group.scalar_from_int(total))

    def test_refuses_what_hides_nothing(self) -> None:
        _, X = keys.new_deal_key(seeded(1))
        for bad in ([], [IDENTITY], [X, IDENTITY], [X, group.sub(IDENTITY, X)]):
            with pytest.raises(CryptoError):
                keys.joint_key(bad)

    def test_a_rogue_key_has_no_proof(self) -> None:
        # The last to speak chooses y G - X as its key, so that the joint key is y G. It does not know the logarithm.
        x, X = keys.new_deal_key(seeded(1))
        y, Y = keys.new_deal_key(seeded(2))
        rogue = group.sub(Y, X)
        assert keys.joint_key([X, rogue]) == Y
        with pytest.raises(CryptoError):
            keys.prove_ownership(y, rogue, context())
        honest = keys.prove_ownership(x, X, context())
        own = keys.prove_ownership(y, Y, context())
        difference = OwnershipProof(own.challenge, group.scalar_sub(own.response, honest.response))
        for proof in (honest, own, difference):
            with pytest.raises(ProofError):
                keys.verify_ownership(rogue, proof, context())
