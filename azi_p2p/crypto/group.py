"""The group: ristretto255 (RFC 9496), a group of prime order `L`, through libsodium (rbcl).

The only module that touches rbcl, and the only one that knows the library's traps:

- libsodium calls the identity a valid element: `decode_element` refuses it;
- rbcl raises RuntimeError for a zero scalar and for an identity as result: here the operations are
  total and give `IDENTITY`;
- rbcl ignores the return code of addition and subtraction, so an encoding that is no element yields the
  identity silently: here every identity that comes out is looked at again;
- libsodium takes `L + 1` for 1 and drops the highest bit: scalars of `L` and more are refused.

Elements and scalars are 32 bytes each, in the encodings of RFC 9496 (scalars little-endian). The types
`Element` and `Scalar` are promises: only `decode_element`, `decode_scalar` and the functions of this
package make them. Whether the identity may stand somewhere is for the caller to say; the operations allow
it.

What does not belong here: anything about cards, proofs or transcripts.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import os
from collections.abc import Callable, Iterable
from typing import Final, NewType

import rbcl

from azi_p2p.crypto import labels
from azi_p2p.crypto.errors import CryptoError, DecodingError

Element = NewType("Element", bytes)
"""32 bytes: the canonical encoding of a group element."""

Scalar = NewType("Scalar", bytes)
"""32 bytes, little-endian: an integer below `L`."""

Rng = Callable[[int], bytes]
"""A source of that many unpredictable bytes; `os.urandom` unless a test brings its own."""

SIZE: Final = 32
"""Bytes of an encoded element and of an encoded scalar."""

L: Final = 2**252 + 27742317777372353535851937790883648493
"""The order of the group (RFC 9496, section 4)."""

IDENTITY: Final = Element(bytes(32))
ZERO: Final = Scalar(bytes(32))
ONE: Final = Scalar((1).to_bytes(32, "little"))

# Each import of rbcl unpacks its library into a temporary file of 3 MB and leaves it there. It is loaded now, so the
# file can go, but on Windows, which keeps it busy.
with contextlib.suppress(OSError):
    os.unlink(importlib.import_module("rbcl._sodium").lib_path)

# Every primitive goes through one of these names, so that `opcount` can count them. The annotations
# also say what rbcl, which has no types of its own, takes and gives.
_mul: Callable[[Scalar, Element], Element] = rbcl.crypto_scalarmult_ristretto255
_mul_base: Callable[[Scalar], Element] = rbcl.crypto_scalarmult_ristretto255_base
_add: Callable[[Element, Element], Element] = rbcl.crypto_core_ristretto255_add
_sub: Callable[[Element, Element], Element] = rbcl.crypto_core_ristretto255_sub
_from_hash: Callable[[bytes], Element] = rbcl.crypto_core_ristretto255_from_hash
_is_valid: Callable[[bytes], bool] = rbcl.crypto_core_ristretto255_is_valid_point

G: Final = _mul_base(ONE)
"""The base point (RFC 9496, section 4)."""

# All values of L and more, and only a vanishing part of those below, have a greater top byte.
_TOP_BYTE = b"\x0f"

_LIBRARY_ERRORS = (RuntimeError, TypeError, ValueError)


def decode_element(data: bytes) -> Element:
    """Take 32 received bytes for an element.

    Raises:
        DecodingError: no byte string, wrong length, not the canonical encoding of an element (RFC 9496, section 4.3.1),
            or the identity, which no field of the protocol may hold.
    """
    if not isinstance(data, bytes):
        raise DecodingError(f"an element is a byte string, here is {type(data).__name__}")
    if len(data) != SIZE:
        raise DecodingError(f"an element has {SIZE} bytes, here are {len(data)}")
    if data == IDENTITY:
        raise DecodingError("the identity element is not allowed here")
    if not _is_valid(data):
        raise DecodingError("these 32 bytes are not the canonical encoding of a ristretto255 element")
    return Element(data)


def decode_scalar(data: bytes) -> Scalar:
    """Take 32 received bytes for a scalar; zero is allowed.

    Raises:
        DecodingError: no byte string, wrong length, or `L` and more.
    """
    if not isinstance(data, bytes):
        raise DecodingError(f"a scalar is a byte string, here is {type(data).__name__}")
    if len(data) != SIZE:
        raise DecodingError(f"a scalar has {SIZE} bytes, here are {len(data)}")
    if int.from_bytes(data, "little") >= L:
        raise DecodingError("the scalar is not below the order of the group")
    return Scalar(data)


def mul(scalar: Scalar, element: Element) -> Element:
    """Multiply `element` by `scalar`; zero or the identity give the identity.

    Raises:
        DecodingError: an argument is not what its type promises.
    """
    if scalar[31:] > _TOP_BYTE:
        decode_scalar(scalar)
    try:
        return _mul(scalar, element)
    except _LIBRARY_ERRORS as error:
        _check_arguments(scalar, element)
        if ZERO in (scalar, element):
            return IDENTITY
        raise CryptoError("a multiplication failed") from error


def mul_base(scalar: Scalar) -> Element:
    """Multiply the base point by `scalar`; zero gives the identity.

    Raises:
        DecodingError: the argument is not what its type promises.
    """
    if scalar[31:] > _TOP_BYTE:
        decode_scalar(scalar)
    try:
        return _mul_base(scalar)
    except _LIBRARY_ERRORS as error:
        _check_arguments(scalar)
        if scalar == ZERO:
            return IDENTITY
        raise CryptoError("a multiplication failed") from error


def add(left: Element, right: Element) -> Element:
    """Add two elements.

    Raises:
        DecodingError: an argument is not what its type promises.
    """
    try:
        result = _add(left, right)
    except _LIBRARY_ERRORS as error:
        _check_arguments(ZERO, left, right)
        raise CryptoError("an addition failed") from error
    if result == IDENTITY:
        _check_arguments(ZERO, left, right)
    return result


def sub(left: Element, right: Element) -> Element:
    """Subtract `right` from `left`.

    Raises:
        DecodingError: an argument is not what its type promises.
    """
    try:
        result = _sub(left, right)
    except _LIBRARY_ERRORS as error:
        _check_arguments(ZERO, left, right)
        raise CryptoError("a subtraction failed") from error
    if result == IDENTITY:
        _check_arguments(ZERO, left, right)
    return result


def add_all(elements: Iterable[Element]) -> Element:
    """Add up any number of elements; none give the identity.

    Raises:
        DecodingError: an argument is not what its type promises.
    """
    total: Element | None = None
    for element in elements:
        total = element if total is None else add(total, element)
    return IDENTITY if total is None else total


def weighted_sum(weights: Iterable[int], elements: Iterable[Element]) -> Element:
    """Give the sum of `weight * element`; weights are integers, taken modulo `L`.

    Equal elements are multiplied once, by the sum of their weights, the base point by the quick
    multiplication, and a weight of one by none. That is the same sum by fewer steps: a start deck, whose
    first parts are all `G`, saves a seventh of the work of a verification. Which steps are saved depends on
    the elements, which are public, and on weights of one, which occur by design or not at all.

    Raises:
        DecodingError: an argument is not what its type promises.
        ValueError: not as many weights as elements.
    """
    merged: dict[Element, int] = {}
    for weight, element in zip(weights, elements, strict=True):
        merged[element] = merged.get(element, 0) + weight
    return add_all(map(_times, merged.values(), merged))


def _times(weight: int, element: Element) -> Element:
    if weight == 1:
        return element
    scalar = Scalar((weight % L).to_bytes(SIZE, "little"))
    return mul_base(scalar) if element == G else mul(scalar, element)


def scalar_from_int(value: int) -> Scalar:
    """Reduce any integer, also a negative one, modulo `L`."""
    return Scalar((value % L).to_bytes(SIZE, "little"))


def scalar_to_int(scalar: Scalar) -> int:
    """Give the scalar as an integer from 0 to `L - 1`."""
    return int.from_bytes(scalar, "little")


def scalar_from_wide(data: bytes) -> Scalar:
    """Reduce 64 uniform bytes modulo `L`; the bias is below 2**-250.

    Raises:
        CryptoError: not 64 bytes.
    """
    if len(data) != 64:
        raise CryptoError(f"a scalar is drawn from 64 bytes, here are {len(data)}")
    return scalar_from_int(int.from_bytes(data, "little"))


def scalar_add(left: Scalar, right: Scalar) -> Scalar:
    """Add modulo `L`."""
    return scalar_from_int(scalar_to_int(left) + scalar_to_int(right))


def scalar_sub(left: Scalar, right: Scalar) -> Scalar:
    """Subtract `right` from `left` modulo `L`."""
    return scalar_from_int(scalar_to_int(left) - scalar_to_int(right))


def scalar_mul(left: Scalar, right: Scalar) -> Scalar:
    """Multiply modulo `L`."""
    return scalar_from_int(scalar_to_int(left) * scalar_to_int(right))


def scalar_neg(scalar: Scalar) -> Scalar:
    """Give the additive inverse modulo `L`."""
    return scalar_from_int(-scalar_to_int(scalar))


def scalar_invert(scalar: Scalar) -> Scalar:
    """Give the multiplicative inverse modulo `L`.

    Raises:
        CryptoError: the scalar is zero.
    """
    value = scalar_to_int(scalar)
    if value % L == 0:
        raise CryptoError("zero has no inverse")
    return Scalar(pow(value, -1, L).to_bytes(SIZE, "little"))


def random_scalar(rng: Rng = os.urandom) -> Scalar:
    """Draw a uniform scalar from 1 to `L - 1`.

    Raises:
        CryptoError: the source gives the wrong number of bytes, or nothing but zeros.
    """
    for _ in range(8):
        scalar = scalar_from_wide(rng(64))
        if scalar != ZERO:
            return scalar
    raise CryptoError("the source of randomness gives nothing but zeros")


def hash_to_group(label: bytes, tag: bytes = labels.HASH_TO_GROUP) -> Element:
    """Give the element that belongs to a public label; nobody knows its logarithm to any other base.

    This is `hash_to_ristretto255` of RFC 9380, appendix B, with `expand_message_xmd` and SHA-512 (section
    5.3.1).

    Args:
        label: any bytes.
        tag: the domain separation tag, 1 to 255 bytes; another than ours is for published test vectors.

    Raises:
        CryptoError: a tag of another length.
    """
    if not 1 <= len(tag) <= 255:
        raise CryptoError(f"a domain separation tag has 1 to 255 bytes, here are {len(tag)}")
    tag_prime = tag + bytes([len(tag)])
    b_0 = hashlib.sha512(bytes(128) + label + (64).to_bytes(2, "big") + b"\0" + tag_prime).digest()
    b_1 = hashlib.sha512(b_0 + b"\1" + tag_prime).digest()
    return element_from_uniform(b_1)


def element_from_uniform(data: bytes) -> Element:
    """Map 64 uniform bytes to an element (RFC 9496, section 4.3.4).

    Raises:
        CryptoError: not 64 bytes, or the identity comes out (chance 2**-252).
    """
    if len(data) != 64:
        raise CryptoError(f"an element is derived from 64 bytes, here are {len(data)}")
    element = _from_hash(data)
    if element == IDENTITY:
        raise CryptoError("these bytes map to the identity element")
    return element


def _check_arguments(scalar: Scalar, *elements: Element) -> None:
    decode_scalar(scalar)
    for element in elements:
        if element != IDENTITY:
            decode_element(element)
