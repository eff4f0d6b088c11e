"""Masked cards: ElGamal ciphertexts over the joint key, and decks of them.

A card `M` masked with `r` under the joint key `X` is `(r G, M + r X)`. Masking again adds a fresh `r`;
taking off every seat's share `x_i C1` leaves `M`. Who may see which share, and the proofs about any of
this, are elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from azi_p2p.crypto import group
from azi_p2p.crypto.errors import CryptoError, DecodingError
from azi_p2p.crypto.fields import FieldReader
from azi_p2p.crypto.group import Element


class Ciphertext(NamedTuple):
    """A masked card: `c1 = r G`, `c2 = M + r X`."""

    c1: Element
    c2: Element


Deck = tuple[Ciphertext, ...]
"""Masked cards in order."""

CIPHERTEXT_SIZE = 64
"""Bytes of an encoded ciphertext."""


def start_deck(cards: Sequence[Element], joint_key: Element) -> Deck:
    """Mask each card with `r = 1`, in order: `(G, M + X)`.

    Everybody can compute it, so nothing is hidden yet; one mask, rather than none, keeps the identity out
    of the deck.

    Raises:
        CryptoError: the joint key is the identity, or undoes a card.
    """
    if joint_key == group.IDENTITY:
        raise CryptoError("the joint key is the identity")
    deck = tuple(Ciphertext(group.G, group.add(card, joint_key)) for card in cards)
    if any(ciphertext.c2 == group.IDENTITY for ciphertext in deck):
        raise CryptoError("the joint key undoes a card")
    return deck


def encode_deck(deck: Deck) -> bytes:
    """Give 64 bytes for each ciphertext: `c1`, `c2`."""
    return b"".join(part for ciphertext in deck for part in ciphertext)


def decode_deck(data: bytes, n: int) -> Deck:
    """Read a deck of exactly `n` ciphertexts.

    Raises:
        DecodingError: another length, or a part that is no element, or the identity; says which card.
    """
    reader = FieldReader(data, 2 * n, f"a deck of {n} cards")
    deck = []
    for index in range(n):
        try:
            deck.append(Ciphertext(reader.element(), reader.element()))
        except DecodingError as error:
            raise DecodingError(f"masked card {index}: {error}") from error
    return tuple(deck)


def unmask(ciphertext: Ciphertext, tokens: Sequence[Element]) -> Element:
    """Take reveal tokens off a masked card.

    With the tokens of all the key holders this is the card itself; with all but one, what the last holder
    alone can open. The result may be the identity, which is no card.
    """
    if not tokens:
        return ciphertext.c2
    return group.sub(ciphertext.c2, group.add_all(tokens))
