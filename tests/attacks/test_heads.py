"""Heads that say less than they should: every field of every hash that orders the protocol, changed by itself.

A message that names a head agrees to all that is in it, so what a head leaves out could be denied afterwards.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import pytest

from azi_p2p.session.heads import (
    absent_entry,
    deck_head,
    draw_seat,
    founding_head,
    next_head,
    number,
    params_digest,
    table_id,
    tagged_hash,
)
from azi_p2p.session.slots import lane_slot
from azi_p2p.wire.envelope import NOWHERE, Place, decode_envelope
from azi_p2p.wire.messages import Founding
from tests.attacks.bench import bench_of, sign, small
from tests.session.harness import make_me

A, B, C = b"a" * 32, b"b" * 32, b"c" * 32

Hash = Callable[[], bytes]


def _absent(
    *, lane: str = "play", seat: int = 1, deal: int = 2, attempt: int = 3, step: int = 4, head: bytes = A
) -> bytes:
    return absent_entry(lane, seat, deal, attempt, step, head)


def _deck(
    *,
    table: bytes = A,
    params: bytes = B,
    seats: tuple[tuple[int, bytes], ...] = ((0, A), (1, B)),
    deal: int = 2,
    attempt: int = 3,
    opened: bytes = C,
) -> bytes:
    return deck_head(table, params, seats, deal, attempt, opened)


HASHES: dict[str, tuple[Hash, Hash]] = {
    "a table id with another founder": (lambda: table_id(A, C), lambda: table_id(B, C)),
    "a table id with another nonce": (lambda: table_id(A, C), lambda: table_id(A, B)),
    "a head after another head": (lambda: next_head(A, [C]), lambda: next_head(B, [C])),
    "a head after another message": (lambda: next_head(A, [B]), lambda: next_head(A, [C])),
    "a head after one message less": (lambda: next_head(A, [B, C]), lambda: next_head(A, [B])),
    "a head after the same messages of other seats": (lambda: next_head(A, [B, C]), lambda: next_head(A, [C, B])),
    "an absence in the other lane": (_absent, lambda: _absent(lane="deck")),
    "an absence of another seat": (_absent, lambda: _absent(seat=2)),
    "an absence in another deal": (_absent, lambda: _absent(deal=3)),
    "an absence in another attempt": (_absent, lambda: _absent(attempt=2)),
    "an absence at another step": (_absent, lambda: _absent(step=5)),
    "an absence on another head": (_absent, lambda: _absent(head=B)),
    "a deck of another table": (_deck, lambda: _deck(table=B)),
    "a deck for other parameters": (_deck, lambda: _deck(params=A)),
    "a deck for other seats": (_deck, lambda: _deck(seats=((0, A), (2, B)))),
    "a deck for other people": (_deck, lambda: _deck(seats=((0, A), (1, C)))),
    "a deck for one seat less": (_deck, lambda: _deck(seats=((0, A),))),
    "a deck for another deal": (_deck, lambda: _deck(deal=3)),
    "a deck for another attempt": (_deck, lambda: _deck(attempt=2)),
    "a deck after another opening": (_deck, lambda: _deck(opened=A)),
    "a hash for another use": (lambda: tagged_hash("one", A), lambda: tagged_hash("two", A)),
    "a hash of the same bytes, divided otherwise": (
        lambda: tagged_hash("x", b"ab"),
        lambda: tagged_hash("x", b"a", b"b"),
    ),
}


@pytest.mark.parametrize("what", HASHES)
def test_it_is_another(what: str) -> None:
    one, other = HASHES[what]
    assert one() == one()
    assert one() != other()


def test_a_founding_is_all_that_was_signed_for_it() -> None:
    bench = bench_of(2, small(2), seed=61)
    bench.run(lambda: bench.peers[1].table.lanes is not None)
    seats = list(bench.peers[0].table.gathering.seats.values())
    founding = bench.peers[0].table.gathering.founding
    assert founding is not None
    identity = make_me("Anna", 61).identity
    other = decode_envelope(sign(identity, founding.table, NOWHERE, Founding(seats=[A, B])))
    heads = {
        founding_head(founding, seats),
        founding_head(other, seats),
        founding_head(founding, seats[:1]),
        founding_head(founding, [seats[1], seats[0]]),
    }
    assert len(heads) == 4


def test_no_parameter_of_the_table_is_left_out() -> None:
    params = bench_of(2, small(2), seed=61).peers[0].table.gathering.params
    assert params is not None
    other = {"name": "Cellar", "out_suit": "H", "opener_rule": "may_fold", "short_payout": "proportional"}
    for field in params.__struct_fields__:
        now = getattr(params, field)
        changed = other.get(field, "buy_in" if field == "azi_replay" else not now if isinstance(now, bool) else None)
        fields = {name: getattr(params, name) for name in params.__struct_fields__}
        fields[field] = now + 1 if changed is None else changed
        assert params_digest(type(params)(**fields)) != params_digest(params), field


def test_slots_of_two_places_are_two() -> None:
    """Only messages for one and the same slot contradict each other."""
    places = [
        Place("play", 1, 0, 3, A),
        Place("deck", 1, 0, 3, A),
        Place("play", 2, 0, 3, A),
        Place("play", 1, 1, 3, A),
        Place("play", 1, 0, 3, B),
    ]
    assert len({lane_slot(A, place) for place in places} | {lane_slot(B, places[0])}) == len(places) + 1


def test_the_opener_is_drawn_without_a_favourite() -> None:
    """256 isn't a multiple of three: of three seats, the first would be drawn more often by the highest byte."""
    for seed in range(10_000):
        shared = hashlib.sha256(number(seed)).digest()
        first, second = tagged_hash("draw", A, shared, number(0))[:2]
        if first == 255 and second % 3 and second != 255:
            assert draw_seat(A, shared, (0, 1, 2)) == second % 3
            return
    raise AssertionError("no such draw among so many")


def test_the_draw_depends_on_the_head_and_on_all_shares() -> None:
    """Sixty draws on other heads, or with another share, don't all give the same seat."""
    seats = (0, 1, 2)
    assert len({draw_seat(number(head) * 4, A, seats) for head in range(60)}) == 3
    assert len({draw_seat(A, number(shared) * 4, seats) for shared in range(60)}) == 3
