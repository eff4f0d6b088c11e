"""What the tests of the cryptography share: repeatable randomness, small worlds of keys and decks, spoilt bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hypothesis import settings

from azi_p2p.crypto import cards, keys, masking, tokens
from azi_p2p.crypto.errors import DecodingError, ProofError
from azi_p2p.crypto.group import Element, Rng, Scalar
from azi_p2p.crypto.masking import Ciphertext, Deck
from azi_p2p.crypto.transcript import Transcript

SETTINGS = settings(derandomize=True, deadline=None, print_blob=True, max_examples=25)
"""For Hypothesis: the same examples in every run, and no limit on the time of one."""


def seeded(seed: object) -> Rng:
    """Give a source of bytes that depends on the seed alone."""
    state = hashlib.shake_256(repr(seed).encode())
    count = 0

    def read(n: int) -> bytes:
        nonlocal count
        count += 1
        copy = state.copy()
        copy.update(count.to_bytes(8, "big"))
        return copy.digest(n)

    return read


def context(deal: int = 1, seat: int = 0) -> Transcript:
    """Give a context as a table would."""
    transcript = Transcript(b"test")
    transcript.append_int(b"deal", deal)
    transcript.append_int(b"seat", seat)
    return transcript


@dataclass(frozen=True)
class World:
    """Deal keys of some seats, and a deck of `n` cards masked under all of them."""

    names: tuple[str, ...]
    secrets: tuple[Scalar, ...]
    publics: tuple[Element, ...]
    joint: Element
    cards: tuple[Element, ...]
    start: Deck

    def others_tokens(self, seat: int, masked: Ciphertext) -> list[Element]:
        return [tokens.reveal_token(x, masked.c1) for index, x in enumerate(self.secrets) if index != seat]

    def open(self, masked: Ciphertext) -> str | None:
        shares = [tokens.reveal_token(x, masked.c1) for x in self.secrets]
        return cards.identify(masking.unmask(masked, shares), self.names)


def world(n: int, seats: int = 3, seed: object = 0) -> World:
    rng = seeded(("world", n, seats, seed))
    pairs = [keys.new_deal_key(rng) for _ in range(seats)]
    joint = keys.joint_key([X for _, X in pairs])
    names = tuple(f"card {index}" for index in range(n))
    elements = cards.card_elements(names)
    return World(
        names,
        tuple(x for x, _ in pairs),
        tuple(X for _, X in pairs),
        joint,
        elements,
        masking.start_deck(elements, joint),
    )


def one_bit_changes(data: bytes) -> Iterator[bytes]:
    """Give the data once for each byte, with one bit of that byte turned; each bit position has its turn."""
    for at in range(len(data)):
        yield turned(data, at, at % 8)


def turned(data: bytes, at: int, bit: int) -> bytes:
    return data[:at] + bytes([data[at] ^ (1 << bit)]) + data[at + 1 :]


def holds(check: Callable[[bytes], object], data: bytes) -> bool:
    """Tell whether a check of these bytes passes; only the two errors of bad input count as a refusal."""
    try:
        check(data)
    except (ProofError, DecodingError):
        return False
    return True
