"""Every hash that orders the protocol: table ids, heads of the two lanes, entries of absence.

A head commits to everything before it, so a message that names a head agrees to all of that. All values are 32
bytes; every input is length-framed under a tag of its own, so that no two kinds of input can collide.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from azi_p2p.wire.codec import encode
from azi_p2p.wire.envelope import Envelope
from azi_p2p.wire.messages import VERSION, TableParams


def tagged_hash(tag: str, *parts: bytes) -> bytes:
    """SHA-256 over a tag and parts, each with its length before it (8 bytes, big-endian)."""
    state = hashlib.sha256()
    for part in (f"azi/{VERSION} {tag}".encode(), *parts):
        state.update(len(part).to_bytes(8, "big"))
        state.update(part)
    return state.digest()


def number(value: int) -> bytes:
    """An integer as 8 bytes, big-endian, for hashing."""
    return value.to_bytes(8, "big")


def table_id(founder: bytes, nonce: bytes) -> bytes:
    """The id of the table that `founder` (key) opens with this nonce."""
    return tagged_hash("table", founder, nonce)


def params_digest(params: TableParams) -> bytes:
    """What all seats agree to when they sign the same table parameters."""
    return tagged_hash("params", encode(params))


def founding_head(founding: Envelope, seats: Sequence[Envelope]) -> bytes:
    """The head on which the first deal builds: the founder's list and everybody's signed seat, in seat order."""
    return tagged_hash("founding", founding.id, *(seat.id for seat in seats))


def next_head(head: bytes, entries: Iterable[bytes]) -> bytes:
    """The head after a step: message ids or entries of absence, in seat order."""
    return tagged_hash("head", head, *entries)


def absent_entry(lane: str, seat: int, deal: int, attempt: int, step: int, head: bytes) -> bytes:
    """What stands in a chain for a seat that a majority certified absent, whatever signatures prove it."""
    return tagged_hash("absent", lane.encode(), number(seat), number(deal), number(attempt), number(step), head)


def deck_head(
    table: bytes, params: bytes, seats: Sequence[tuple[int, bytes]], deal: int, attempt: int, opened: bytes
) -> bytes:
    """The base head of a deck lane.

    `params`: digest of the parameters; `seats`: (seat, key) of everybody to be dealt in; `opened`: the head after
    the `open` of the deal before (for the first deal the founding head).
    """
    listing = b"".join(number(seat) + key for seat, key in seats)
    return tagged_hash("deck", table, params, number(len(seats)), listing, number(deal), number(attempt), opened)


def draw_seat(head: bytes, shared: bytes, seats: Sequence[int]) -> int:
    """The seat that the joint draw yields: unbiased, by rejection sampling over the bytes of a hash.

    `shared` is the encoded sum of everybody's x_i Q, with Q hashed from `head`; `seats` are those dealt in.
    """
    bound = 256 - 256 % len(seats)
    counter = 0
    while True:
        for byte in tagged_hash("draw", head, shared, number(counter)):
            if byte < bound:
                return seats[byte % len(seats)]
        counter += 1
