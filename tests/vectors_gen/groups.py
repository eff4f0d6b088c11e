"""Vectors of the group: hashing to it, elements and scalars, cards, generators."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from azi_p2p.crypto import cards, group, labels
from azi_p2p.rules.cards import DECKS
from tests.vectors_gen.kit import Book, some_bytes

ELSEWHERE = Path(__file__).parent.parent / "vectors" / "rfc9496-ristretto255.json"

WRONG_VALUE = {"WrongValue": "Another value than the definition gives."}


def hash_to_group() -> Book:
    """Labels and the elements that belong to them."""
    book = Book(
        "hash_to_group(label): the 64 bytes of expand_message_xmd, and the element derived from them. Bytes are hex.",
        "protocol/encoding.md, Group",
        {"Used": "A label that the protocol uses.", "OtherTag": "With another domain separation tag."} | WRONG_VALUE,
    )
    used = [
        ("the card 6S", b"card:6S"),
        ("the chain base", labels.CHAIN_BASE),
        ("the first generator", labels.PERMUTATION_BASE + bytes(8)),
        ("the opener draw after a head", b"azi opener draw" + some_bytes("head")),
    ]
    for comment, label in used:
        book.accept(comment, ("Used",), label=label.hex(), uniform=_uniform(label).hex(), element=_element(label))
    for comment, label in (("an empty label", b""), ("a label longer than a block", bytes(range(256)))):
        book.accept(comment, label=label.hex(), uniform=_uniform(label).hex(), element=_element(label))
    tag = b"QUUX-V01-CS02-with-expander-SHA512-256"
    book.reject(1, "another tag", "OtherTag", "wrong_value", element=group.hash_to_group(b"card:6S", tag).hex())
    book.reject(1, "the element of another label", "WrongValue", "wrong_value", element=_element(b"card:7S"))
    book.reject(3, "counted from 1", "WrongValue", "wrong_value", element=cards.generators(2)[1].hex())
    return book


def _element(label: bytes) -> str:
    return group.hash_to_group(label).hex()


def _uniform(label: bytes) -> bytes:
    tag = labels.HASH_TO_GROUP + bytes([len(labels.HASH_TO_GROUP)])
    first = hashlib.sha512(bytes(128) + label + b"\0\x40\0" + tag).digest()
    return hashlib.sha512(first + b"\1" + tag).digest()


def elements() -> Book:
    """Encodings of elements, to take and to refuse."""
    known = json.loads(ELSEWHERE.read_text())
    book = Book(
        "Encodings of elements as a message may hold them. Sources: RFC 9496, appendix A, and our own.",
        "protocol/encoding.md, Group",
        {
            "Rfc9496": "From RFC 9496, appendix A.",
            "Identity": "The identity, which no field may hold.",
            "WrongLength": "Not 32 bytes.",
        },
    )
    for number, encoding in enumerate(known["multiples_of_base"][1:5], start=1):
        book.accept(f"{number} times the base point", ("Rfc9496",), element=encoding)
    for encoding in known["invalid_encodings"]:
        book.reject(1, "no canonical encoding of an element", "Rfc9496", "encoding", element=encoding)
    book.reject(1, "the identity", "Identity", "encoding", element=bytes(32).hex())
    book.reject(1, "a byte too few", "WrongLength", "encoding", element=known["multiples_of_base"][1][:-2])
    book.reject(1, "a byte too many", "WrongLength", "encoding", element=known["multiples_of_base"][1] + "00")
    return book


def scalars() -> Book:
    """Encodings of scalars, to take and to refuse."""
    book = Book(
        "Encodings of challenges and responses as a proof may hold them: little-endian, from 1 to L - 1.",
        "protocol/encoding.md, Group",
        {
            "Zero": "No challenge or response is zero.",
            "NotReduced": "L or more.",
            "WrongLength": "Not 32 bytes.",
        },
    )
    one = book.accept("1", scalar=(1).to_bytes(32, "little").hex(), value="1")
    last = book.accept("L - 1", scalar=(group.L - 1).to_bytes(32, "little").hex(), value=str(group.L - 1))
    book.reject(one, "0", "Zero", "encoding", scalar=bytes(32).hex())
    book.reject(last, "L", "NotReduced", "encoding", scalar=group.L.to_bytes(32, "little").hex())
    book.reject(one, "L + 1", "NotReduced", "encoding", scalar=(group.L + 1).to_bytes(32, "little").hex())
    book.reject(one, "the highest bit set", "NotReduced", "encoding", scalar=(1 + 2**255).to_bytes(32, "little").hex())
    book.reject(one, "all bits set", "NotReduced", "encoding", scalar=(b"\xff" * 32).hex())
    book.reject(one, "a byte too few", "WrongLength", "encoding", scalar=(1).to_bytes(31, "little").hex())
    return book


def card_list() -> Book:
    """The cards of a deck in their order, and their elements."""
    book = Book(
        "For each suit that may be out: the card list in its order, and the element of each card.",
        "protocol/deck.md, Cards and generators",
        {"Order": "The cards in another order.", "OtherDeck": "The deck without another suit."},
    )
    for out in "CDHS":
        names = [str(card) for card in DECKS[out]]
        book.accept(f"without {out}", out_suit=out, names=names, elements=_joined(names))
    names = [str(card) for card in DECKS["C"]]
    book.reject(1, "from the ace down", "Order", "wrong_value", names=names[::-1], elements=_joined(names[::-1]))
    by_rank = sorted(names, key=lambda name: "6789TJQKA".index(name[0]))
    book.reject(1, "by rank, then suit", "Order", "wrong_value", names=by_rank, elements=_joined(by_rank))
    book.reject(1, "the suit named is out of another deck", "OtherDeck", "wrong_value", out_suit="D")
    return book


def _joined(names: list[str]) -> str:
    return b"".join(cards.card_elements(names)).hex()


def generator_list() -> Book:
    """The generators of the proof of shuffle."""
    book = Book(
        "The generators of the proof of shuffle: h, and h_1 … h_27 one after the other.",
        "protocol/deck.md, Cards and generators",
        {"Order": "The generators in another order, or counted otherwise."} | WRONG_VALUE,
    )
    bases = cards.generators(28)
    book.accept("for 27 cards", n=27, h=cards.chain_base().hex(), bases=b"".join(bases[:27]).hex())
    book.accept("for 2 cards", n=2, h=cards.chain_base().hex(), bases=b"".join(bases[:2]).hex())
    book.reject(1, "counted from 1", "Order", "wrong_value", bases=b"".join(bases[1:]).hex())
    book.reject(1, "the first two exchanged", "Order", "wrong_value", bases=b"".join(_swapped(bases[:27])).hex())
    book.reject(1, "the base point for h", "WrongValue", "wrong_value", h=group.G.hex())
    return book


def _swapped(bases: tuple[group.Element, ...]) -> tuple[group.Element, ...]:
    return (bases[1], bases[0], *bases[2:])
