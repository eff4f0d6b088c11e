"""Identities: what is signed, what is refused, and what people read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st

from azi_p2p.crypto import identity
from azi_p2p.crypto.errors import CryptoError, DecodingError, ProofError
from azi_p2p.crypto.identity import IdentityKey
from tests.crypto import second_ed25519
from tests.crypto.kit import SETTINGS, holds, one_bit_changes, seeded

VECTORS = Path(__file__).parent.parent / "vectors"
EDGE_CASES = json.loads((VECTORS / "ed25519-edge-cases.json").read_text())
ANSWERS = json.loads((VECTORS / "ed25519-answers.json").read_text())
KEY = IdentityKey.from_seed(bytes(range(32)))


def is_refused(public: bytes) -> bool:
    try:
        identity.check_public_key(public)
    except DecodingError:
        return True
    return False


def library_accepts(public: bytes, message: bytes, signature: bytes) -> bool:
    """Ask the library alone, without our check of the key and our domain tag."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except InvalidSignature:
        return False
    return True


class TestSigning:
    @SETTINGS
    @given(st.binary(max_size=40), st.binary(max_size=200), st.binary(min_size=32, max_size=32))
    def test_signatures_hold(self, domain: bytes, message: bytes, seed: bytes) -> None:
        key = IdentityKey.from_seed(seed)
        signature = key.sign(domain, message)
        assert len(signature) == identity.SIGNATURE_SIZE
        identity.verify_signature(key.public, domain, message, signature)
        assert IdentityKey.from_seed(key.seed).public == key.public

    @pytest.mark.parametrize(
        ("domain", "message"),
        [
            (b"other", b"message"),
            (b"domain", b"massage"),
            (b"domainm", b"essage"),
            (b"", b"domainmessage"),
            (b"domainmessage", b""),
            (b"domain", b""),
            (b"domain", b"message\0"),
        ],
    )
    def test_for_nothing_else(self, domain: bytes, message: bytes) -> None:
        signature = KEY.sign(b"domain", b"message")
        with pytest.raises(ProofError) as caught:
            identity.verify_signature(KEY.public, domain, message, signature)
        assert caught.value.code == "bad_signature"

    def test_every_byte_counts(self) -> None:
        signature = KEY.sign(b"domain", b"message")

        def with_signature(data: bytes) -> None:
            identity.verify_signature(KEY.public, b"domain", b"message", data)

        def with_key(data: bytes) -> None:
            identity.verify_signature(data, b"domain", b"message", signature)

        assert holds(with_signature, signature)
        assert not any(holds(with_signature, changed) for changed in one_bit_changes(signature))
        assert not any(holds(with_key, changed) for changed in one_bit_changes(KEY.public))
        for bad in (b"", signature[:-1], signature + b"\0"):
            assert not holds(with_signature, bad)

    def test_an_s_of_the_order_and_more_is_refused(self) -> None:
        signature = KEY.sign(b"domain", b"message")
        s = int.from_bytes(signature[32:], "little") + second_ed25519.ORDER
        with pytest.raises(ProofError):
            identity.verify_signature(KEY.public, b"domain", b"message", signature[:32] + s.to_bytes(32, "little"))

    def test_signatures_are_not_plain_ones(self) -> None:
        assert not library_accepts(KEY.public, b"message", KEY.sign(b"", b"message"))

    @pytest.mark.parametrize("length", [0, 31, 33])
    def test_seeds_have_32_bytes(self, length: int) -> None:
        with pytest.raises(CryptoError, match="32 bytes"):
            IdentityKey.from_seed(bytes(length))

    def test_generated_keys_differ(self) -> None:
        assert IdentityKey.generate().public != IdentityKey.generate().public
        assert IdentityKey.generate(seeded(1)).public == IdentityKey.generate(seeded(1)).public


class TestPublicKeys:
    def test_all_encodings_of_small_order_are_refused(self) -> None:
        # Every y from 0 to 2**255 - 1 that is one of the small-order ones modulo p, with both signs.
        p = second_ed25519.P
        tried = 0
        for y in (0, 1, p - 1, identity._Y_ORDER_8, p - identity._Y_ORDER_8):
            for encoded in (y, y + p):
                for sign in (0, 1):
                    if encoded < 2**255:
                        data = (encoded | sign << 255).to_bytes(32, "little")
                        assert second_ed25519.is_small_order(data)
                        assert is_refused(data)
                        tried += 1
        assert tried == 14

    def test_non_canonical_encodings_are_refused(self) -> None:
        for y in range(second_ed25519.P, 2**255):
            for sign in (0, 1):
                with pytest.raises(DecodingError, match="canonically"):
                    identity.check_public_key((y | sign << 255).to_bytes(32, "little"))

    def test_what_is_no_point_is_refused(self) -> None:
        answers = [second_ed25519.decode(y.to_bytes(32, "little")) is None for y in range(3, 60)]
        assert answers == [is_refused(y.to_bytes(32, "little")) for y in range(3, 60)]
        assert True in answers
        assert False in answers

    @pytest.mark.parametrize("length", [0, 31, 33])
    def test_wrong_length(self, length: int) -> None:
        with pytest.raises(DecodingError, match=f"here are {length}"):
            identity.check_public_key(bytes(length))

    def test_verifying_refuses_them_too(self) -> None:
        # Under the key of order 1 any message has the signature R = s B.
        signature = bytes([1]) + bytes(63)
        assert library_accepts(bytes([1]) + bytes(31), b"anything", signature)
        with pytest.raises(DecodingError, match="small order"):
            identity.verify_signature(bytes([1]) + bytes(31), b"domain", b"anything", signature)


class TestEdgeCases:
    """The edge cases of C2SP CCTV, whose answers are frozen."""

    def test_flagged_keys_are_refused_and_all_others_are_taken(self) -> None:
        refused = set()
        for case in EDGE_CASES:
            flags = set(case["flags"] or [])
            bad = is_refused(bytes.fromhex(case["key"]))
            assert bad == bool(flags & {"low_order_A", "non_canonical_A"}), case["number"]
            if bad:
                refused.add(case["key"])
        assert sorted(refused) == ANSWERS["refused_keys"]

    def test_signatures_hold_as_written_down(self) -> None:
        holding = [
            case["number"]
            for case in EDGE_CASES
            if not is_refused(bytes.fromhex(case["key"]))
            and library_accepts(bytes.fromhex(case["key"]), case["msg"].encode(), bytes.fromhex(case["sig"]))
        ]
        assert holding == ANSWERS["holding_signatures"]
        assert 0 < len(holding) < len(EDGE_CASES)

    def test_a_second_verifier_gives_the_same_answers(self) -> None:
        taken = [case for case in EDGE_CASES if case["key"] not in ANSWERS["refused_keys"]]
        holding = [
            case["number"]
            for case in taken
            if second_ed25519.is_valid(bytes.fromhex(case["key"]), case["msg"].encode(), bytes.fromhex(case["sig"]))
        ]
        assert holding == ANSWERS["holding_signatures"]


class TestReading:
    def test_fingerprints(self) -> None:
        text = identity.fingerprint(KEY.public)
        assert len(text) == 29
        assert [len(group) for group in text.split("-")] == [4] * 6
        assert set(text) <= set("abcdefghijklmnopqrstuvwxyz234567-")
        assert identity.short_fingerprint(KEY.public) == text[:4]

    def test_other_keys_have_others(self) -> None:
        texts = {identity.fingerprint(changed) for changed in one_bit_changes(KEY.public)}
        assert len(texts | {identity.fingerprint(KEY.public)}) == 33

    def test_the_seed_is_not_shown(self) -> None:
        for text in (repr(KEY), str(KEY), f"{[KEY]}"):
            assert KEY.seed.hex() not in text
            assert repr(KEY.seed) not in text
        assert identity.fingerprint(KEY.public) in repr(KEY)
