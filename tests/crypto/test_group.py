"""The group: published values, the library's traps, and the laws of arithmetic."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from azi_p2p.crypto import group
from azi_p2p.crypto.errors import CryptoError, DecodingError
from azi_p2p.crypto.group import IDENTITY, ONE, ZERO, Element, G, L, Scalar
from tests.crypto.kit import SETTINGS, seeded

VECTORS = json.loads((Path(__file__).parent.parent / "vectors" / "rfc9496-ristretto255.json").read_text())
INTEGERS = st.integers(min_value=0, max_value=L - 1)
NOT_AN_ELEMENT = Element(bytes([1]) + bytes(31))


def element(number: int) -> Element:
    return group.hash_to_group(b"test element" + number.to_bytes(8, "big"))


class TestPublishedValues:
    @pytest.mark.parametrize("factor", range(16))
    def test_multiples_of_the_base_point(self, factor: int) -> None:
        expected = bytes.fromhex(VECTORS["multiples_of_base"][factor])
        assert group.mul_base(group.scalar_from_int(factor)) == expected
        assert group.mul(group.scalar_from_int(factor), G) == expected
        assert group.add_all([G] * factor) == expected

    @pytest.mark.parametrize("encoding", VECTORS["invalid_encodings"])
    def test_invalid_encodings_are_refused(self, encoding: str) -> None:
        with pytest.raises(DecodingError):
            group.decode_element(bytes.fromhex(encoding))

    @pytest.mark.parametrize("vector", VECTORS["hash_to_group_sha512"])
    def test_uniform_bytes_to_element(self, vector: dict[str, str]) -> None:
        uniform = hashlib.sha512(vector["input"].encode()).digest()
        assert group.element_from_uniform(uniform).hex() == vector["element"]

    def test_hash_to_group_agrees_with_rfc_9497(self) -> None:
        # RFC 9497, appendix A.1.1, test vector 1: BlindedElement = Blind * HashToGroup(Input).
        tag = b"HashToGroup-OPRFV1-\x00-ristretto255-SHA512"
        blind = group.decode_scalar(bytes.fromhex("64d37aed22a27f5191de1c1d69fadb899d8862b58eb4220029e036ec4c1f6706"))
        expected = "609a0ae68c15a3cf6903766461307e5c8bb2f95e7e6550e1ffa2dc99e412803c"
        assert group.mul(blind, group.hash_to_group(b"\x00", tag)).hex() == expected

    def test_order(self) -> None:
        assert group.add(group.mul_base(group.scalar_from_int(L - 1)), G) == IDENTITY


class TestDecoding:
    def test_identity_is_refused(self) -> None:
        with pytest.raises(DecodingError, match="identity"):
            group.decode_element(bytes(32))

    @pytest.mark.parametrize("length", [0, 31, 33, 64])
    def test_wrong_length(self, length: int) -> None:
        with pytest.raises(DecodingError, match=f"here are {length}"):
            group.decode_element(bytes(length))
        with pytest.raises(DecodingError, match=f"here are {length}"):
            group.decode_scalar(bytes(length))

    @pytest.mark.parametrize("value", [L, L + 1, 2**253, 2**255 - 1, 2**255, 2**255 + 1, 2**256 - 1])
    def test_scalars_of_the_order_and_more_are_refused(self, value: int) -> None:
        data = value.to_bytes(32, "little")
        with pytest.raises(DecodingError, match="not below the order"):
            group.decode_scalar(data)
        with pytest.raises(DecodingError, match="not below the order"):
            group.mul(Scalar(data), G)
        with pytest.raises(DecodingError, match="not below the order"):
            group.mul_base(Scalar(data))

    @pytest.mark.parametrize("value", [0, 1, 2**252, L - 1])
    def test_scalars_below_the_order_are_taken(self, value: int) -> None:
        data = value.to_bytes(32, "little")
        assert group.scalar_to_int(group.decode_scalar(data)) == value
        assert group.mul(Scalar(data), G) == group.mul_base(Scalar(data))


class TestTraps:
    """What the library answers with RuntimeError, silence or a wrong value."""

    def test_zero_gives_the_identity(self) -> None:
        assert group.mul(ZERO, G) == group.mul_base(ZERO) == IDENTITY

    def test_identity_is_neutral(self) -> None:
        assert group.mul(ONE, IDENTITY) == IDENTITY
        assert group.add(G, IDENTITY) == group.sub(G, IDENTITY) == G
        assert group.sub(G, G) == IDENTITY
        assert group.add(IDENTITY, IDENTITY) == IDENTITY
        assert group.add_all([]) == IDENTITY
        assert group.weighted_sum([], []) == IDENTITY

    @pytest.mark.parametrize("bad", [NOT_AN_ELEMENT, Element(b"\xff" * 32), Element(bytes(31)), Element(b"")])
    def test_what_is_no_element_is_no_operand(self, bad: Element) -> None:
        for operation in (group.add, group.sub):
            with pytest.raises(DecodingError):
                operation(bad, G)
            with pytest.raises(DecodingError):
                operation(G, bad)
            with pytest.raises(DecodingError):
                operation(bad, bad)
        for scalar in (ZERO, ONE, group.scalar_from_int(-1)):
            with pytest.raises(DecodingError):
                group.mul(scalar, bad)

    @pytest.mark.parametrize("bad", [bytearray(G), memoryview(G), "x" * 32, 7, None])
    def test_only_byte_strings_are_taken(self, bad: Any) -> None:
        for use in (
            group.decode_element,
            group.decode_scalar,
            lambda value: group.mul(ONE, value),
            lambda value: group.add(G, value),
            lambda value: group.sub(value, G),
        ):
            with pytest.raises(DecodingError, match=f"here is {type(bad).__name__}"):
                use(bad)

    @pytest.mark.parametrize("length", [0, 1, 31, 33, 64])
    def test_what_is_no_scalar_is_no_factor(self, length: int) -> None:
        for bad in (Scalar(bytes(length)), Scalar(b"\x01" * length), Scalar(b"\xff" * length)):
            with pytest.raises(DecodingError, match=f"here are {length}"):
                group.mul(bad, G)
            with pytest.raises(DecodingError, match=f"here are {length}"):
                group.mul_base(bad)

    def test_random_scalar_wants_a_working_source(self) -> None:
        with pytest.raises(CryptoError, match="nothing but zeros"):
            group.random_scalar(bytes)
        with pytest.raises(CryptoError, match="64 bytes"):
            group.random_scalar(lambda n: bytes(n - 1))
        assert group.random_scalar(seeded(1)) != group.random_scalar(seeded(2))

    def test_zero_has_no_inverse(self) -> None:
        with pytest.raises(CryptoError, match="no inverse"):
            group.scalar_invert(ZERO)

    def test_domain_tags_have_one_to_255_bytes(self) -> None:
        for tag in (b"", bytes(256)):
            with pytest.raises(CryptoError, match="tag"):
                group.hash_to_group(b"x", tag)

    def test_wide_inputs_have_64_bytes(self) -> None:
        for data in (bytes(63), bytes(65)):
            with pytest.raises(CryptoError):
                group.element_from_uniform(data)
            with pytest.raises(CryptoError):
                group.scalar_from_wide(data)


class TestArithmetic:
    @SETTINGS
    @given(INTEGERS, INTEGERS, INTEGERS)
    def test_scalars_are_integers_modulo_the_order(self, a: int, b: int, c: int) -> None:
        s, t = group.scalar_from_int(a), group.scalar_from_int(b)
        assert group.scalar_to_int(group.scalar_add(s, t)) == (a + b) % L
        assert group.scalar_to_int(group.scalar_sub(s, t)) == (a - b) % L
        assert group.scalar_to_int(group.scalar_mul(s, t)) == a * b % L
        assert group.scalar_add(s, group.scalar_neg(s)) == ZERO
        assert group.scalar_from_int(a + c * L) == s
        if a:
            assert group.scalar_mul(s, group.scalar_invert(s)) == ONE

    @SETTINGS
    @given(INTEGERS, INTEGERS, st.integers(0, 9), st.integers(0, 9))
    def test_multiplication_distributes(self, a: int, b: int, left: int, right: int) -> None:
        s, t, P, Q = group.scalar_from_int(a), group.scalar_from_int(b), element(left), element(right)
        assert group.mul(s, group.add(P, Q)) == group.add(group.mul(s, P), group.mul(s, Q))
        assert group.mul(group.scalar_add(s, t), P) == group.add(group.mul(s, P), group.mul(t, P))
        assert group.mul(s, group.mul(t, P)) == group.mul(group.scalar_mul(s, t), P)
        assert group.sub(P, Q) == group.add(P, group.mul(group.scalar_from_int(-1), Q))

    @SETTINGS
    @given(st.lists(st.tuples(st.integers(-(2**300), 2**300), st.integers(0, 4)), max_size=8))
    def test_weighted_sums_are_sums(self, terms: list[tuple[int, int]]) -> None:
        # Five elements for up to eight terms, the base point and the identity among them: equal ones are merged.
        elements = [G, IDENTITY, element(0), element(1), element(2)]
        expected = IDENTITY
        for weight, which in terms:
            expected = group.add(expected, group.mul(group.scalar_from_int(weight), elements[which]))
        assert group.weighted_sum([w for w, _ in terms], [elements[which] for _, which in terms]) == expected

    def test_weights_of_one_and_of_its_like(self) -> None:
        P = element(0)
        assert group.weighted_sum([1], [P]) == group.weighted_sum([L + 1], [P]) == P
        assert group.weighted_sum([1, -1], [P, P]) == IDENTITY

    def test_weighted_sums_want_as_many_weights(self) -> None:
        with pytest.raises(ValueError, match="zip"):
            group.weighted_sum([1, 2], [G])
