"""How proofs become bytes and come back: fixed-size fields one after the other, and strict reading.

Shared by all proofs. What the fields mean, and which equations must hold, is for the proofs themselves.
"""

from __future__ import annotations

from collections.abc import Iterable

from azi_p2p.crypto.errors import DecodingError, ProofError
from azi_p2p.crypto.group import IDENTITY, SIZE, Element, L, Scalar, decode_element, decode_scalar, scalar_to_int


class FieldReader:
    """Reads elements and scalars of 32 bytes from a byte string of exactly known length."""

    __slots__ = ("_at", "_data", "_what")

    def __init__(self, data: bytes, fields: int, what: str) -> None:
        """Take the bytes.

        Args:
            data: as received.
            fields: how many fields of 32 bytes they must hold.
            what: how an error calls the whole.

        Raises:
            DecodingError: another length.
        """
        if len(data) != fields * SIZE:
            raise DecodingError(f"{what} has {fields * SIZE} bytes, here are {len(data)}")
        self._data = data
        self._what = what
        self._at = 0

    def element(self) -> Element:
        """Read one element; raises DecodingError as `decode_element` does."""
        return decode_element(self._take())

    def elements(self, n: int) -> tuple[Element, ...]:
        """Read `n` elements."""
        return tuple(self.element() for _ in range(n))

    def scalar(self) -> Scalar:
        """Read one scalar.

        Raises:
            DecodingError: not below `L`, or zero: no honest challenge or response is.
        """
        scalar = decode_scalar(self._take())
        if not any(scalar):
            raise DecodingError(f"{self._what} holds a zero challenge or response")
        return scalar

    def scalars(self, n: int) -> tuple[Scalar, ...]:
        """Read `n` scalars."""
        return tuple(self.scalar() for _ in range(n))

    def _take(self) -> bytes:
        start = self._at
        self._at += SIZE
        return self._data[start : self._at]


def checked_ints(scalars: Iterable[Scalar]) -> list[int]:
    """Give a proof's challenge and responses as integers, after looking at each again.

    A proof need not have come through `from_bytes`, so a verifier does not rely on that.

    Raises:
        ProofError: a scalar is zero, `L` or more, or not 32 bytes long.
    """
    result = []
    for scalar in scalars:
        value = scalar_to_int(scalar)
        if value == 0:
            raise ProofError("zero_scalar", "a challenge or response of the proof is zero")
        if value >= L or len(scalar) != SIZE:
            raise ProofError("not_canonical", "a challenge or response of the proof is not a canonical scalar")
        result.append(value)
    return result


def refuse_identity(what: str, *elements: Element) -> None:
    """Refuse the identity among elements where no honest prover has it.

    Args:
        what: how the error calls the elements, in the plural.
        elements: the elements.

    Raises:
        ProofError: one of them is the identity.
    """
    if IDENTITY in elements:
        raise ProofError("identity", f"the identity stands among the {what}")
