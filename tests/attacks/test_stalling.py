"""Attacks on time: messages that are held back, late, stale, or such that they can never count.

The others must neither hang nor blame a seat that was merely slow.
"""

from __future__ import annotations

import pytest

from azi_p2p.session.absence import GRACE_SECONDS, STEP_SECONDS
from azi_p2p.session.events import FaultSeen, SeatAbsent
from azi_p2p.wire.envelope import Envelope, decode_envelope
from azi_p2p.wire.frame import EnvelopeFrame, Frame
from azi_p2p.wire.messages import Bid, Body, Call, Close, Commit, Open, Play, Roster, Shuffle, Tokens
from tests.attacks.bench import (
    Bench,
    assert_agreed,
    bench_of,
    events,
    faults_of,
    play_of,
    run_to_end,
    seat_of,
    small,
)
from tests.session.harness import Peer


def absent_seats(peer: Peer) -> set[int]:
    return {event.seat for event in events(peer, SeatAbsent)}


@pytest.mark.parametrize("after_another_was_dropped", [False, True])
def test_ante_signed_over_a_deck_that_is_not(after_another_was_dropped: bool) -> None:
    """It names a deck that nobody will ever hold; that proves nothing, but it is no ante either."""
    bench = bench_of(5, small(5), seed=12)
    bent, leaver = bench.peers[1], bench.peers[2]

    def twist(envelope: Envelope) -> Body | bytes:
        body = envelope.body
        if isinstance(body, Open):
            return Open(roster=body.roster, dealt_in=body.dealt_in, closing=body.closing, deck=b"d" * 32)
        return envelope.raw

    bench.bend(bent, twist)
    if after_another_was_dropped:
        bench.bend(leaver, lambda envelope: envelope.raw if envelope.lane == "none" else None)
    gone = [bent, leaver] if after_another_was_dropped else [bent]
    run_to_end(bench, *gone, seconds=120)
    for peer in bench.others(*gone):
        assert absent_seats(peer) == {seat_of(seat) for seat in gone}
        assert not faults_of(peer)
    assert_agreed(bench, *gone)


def hold(bench: Bench, slow: Peer, kinds: tuple[type[Body], ...], held: list[tuple[Peer, bytes]]) -> None:
    """Keep an honest peer's messages of these kinds on the way, for its first slot of them."""
    first: list[bytes] = []

    def delay(sender: Peer, receiver: Peer, frame: Frame) -> Frame | None:
        if isinstance(frame, EnvelopeFrame):
            envelope = decode_envelope(frame.envelope)
            if envelope.author == slow.key and isinstance(envelope.body, kinds) and sender is slow:
                if not first:
                    first.append(envelope.id)
                if envelope.id == first[0]:
                    held.append((receiver, frame.envelope))
                    return None
        return frame

    bench.tamper = delay


KINDS: dict[str, tuple[type[Body], ...]] = {
    "commit": (Commit,),
    "shuffle": (Shuffle,),
    "open": (Open,),
    "tokens": (Tokens,),
    "bid": (Bid, Call),
    "play": (Play,),
    "close": (Close,),
    "roster": (Roster,),
}


@pytest.mark.parametrize("kind", KINDS)
def test_message_that_comes_after_the_certificate(kind: str) -> None:
    """An honest seat was slow: it is absent, its message is inert, and nobody calls it a fault."""
    bench = bench_of(4, small(4, deals=2), seed=13)
    bench.run(lambda: all(peer.table.lanes is not None for peer in bench.peers))
    slow = next(peer for peer in bench.peers if seat_of(peer) == 0)
    held: list[tuple[Peer, bytes]] = []
    hold(bench, slow, KINDS[kind], held)
    others = bench.others(slow)
    bench.run(lambda: all(0 in absent_seats(peer) for peer in others))
    assert held
    for receiver, raw in held:
        bench.inject(receiver, raw, slow.key)
    run_to_end(bench)
    for peer in bench.peers:
        assert not events(peer, FaultSeen), (peer.name, events(peer, FaultSeen)[0])
    for verdict in assert_agreed(bench):
        assert not verdict.faults


@pytest.mark.parametrize("kind", KINDS)
def test_message_that_comes_within_the_grace(kind: str) -> None:
    """The clock has run out, but nobody has claimed yet: the message counts, and nobody is absent."""
    bench = bench_of(4, small(4, deals=2), seed=13)
    bench.run(lambda: all(peer.table.lanes is not None for peer in bench.peers))
    slow = next(peer for peer in bench.peers if seat_of(peer) == 0)
    held: list[tuple[Peer, bytes]] = []
    hold(bench, slow, KINDS[kind], held)
    bench.run(lambda: bool(held))
    limit = play_of(slow).params.turn_seconds if kind in ("bid", "play") else STEP_SECONDS
    bench.now += limit + GRACE_SECONDS / 2
    bench.tamper = None
    for receiver, raw in held:
        bench.inject(receiver, raw, slow.key)
    run_to_end(bench)
    for peer in bench.peers:
        assert not events(peer, FaultSeen)
        assert not absent_seats(peer)
    assert_agreed(bench)
