"""Cards as group elements, and the generators of the shuffle proof.

All come from hashing public labels to the group, so nobody knows a logarithm of one to the base of another.
With small multiples of one point instead, a permutation could be read from the outside, and commitments
opened in two ways. A card is any text here; which cards make up a deck is the caller's business.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from azi_p2p.crypto import group, labels
from azi_p2p.crypto.errors import CryptoError
from azi_p2p.crypto.group import Element


def card_elements(names: Sequence[str]) -> tuple[Element, ...]:
    """Give the element of each named card, in the same order.

    Raises:
        CryptoError: a name occurs twice.
    """
    return _card_elements(tuple(names))


def identify(element: Element, names: Sequence[str]) -> str | None:
    """Tell which of the named cards an element is, or None if it is none of them."""
    return _card_names(tuple(names)).get(element)


def generators(n: int) -> tuple[Element, ...]:
    """Give `h_1 … h_n`, the bases of the permutation commitment; the first of them don't depend on `n`."""
    return tuple(_permutation_base(index) for index in range(n))


@lru_cache(maxsize=8)
def generator_sum(n: int) -> Element:
    """Give the sum of `generators(n)`, which every verification needs."""
    return group.add_all(generators(n))


@lru_cache(maxsize=1)
def chain_base() -> Element:
    """Give `h`, where the commitment chain of the shuffle proof begins."""
    return group.hash_to_group(labels.CHAIN_BASE)


@lru_cache(maxsize=1024)
def _permutation_base(index: int) -> Element:
    return group.hash_to_group(labels.PERMUTATION_BASE + index.to_bytes(8, "big"))


@lru_cache(maxsize=4096)
def _card_element(name: str) -> Element:
    # The label "card" is shorter than the others and no prefix of them, so no name reaches their inputs.
    return group.hash_to_group(labels.CARD + b":" + name.encode())


@lru_cache(maxsize=64)
def _card_elements(names: tuple[str, ...]) -> tuple[Element, ...]:
    if len(set(names)) != len(names):
        raise CryptoError("a card stands in the deck twice")
    return tuple(_card_element(name) for name in names)


@lru_cache(maxsize=64)
def _card_names(names: tuple[str, ...]) -> dict[Element, str]:
    return dict(zip(_card_elements(names), names, strict=True))
