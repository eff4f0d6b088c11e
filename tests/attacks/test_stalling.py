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
    two_stay,
)
from tests.session.harness import Peer

pytestmark = pytest.mark.usefixtures("ideal_cryptography")


def absent_seats(peer: Peer) -> set[int]:
    return {event.seat for event in events(peer, SeatAbsent)}


@pytest.mark.parametrize("after_another_was_dropped", [False, True])
def test_ante_signed_over_a_deck_that_is_not(after_another_was_dropped: bool) -> None:
    """It names a deck that nobody will ever hold; that proves nothing, but it is no ante either."""
    bench = bench_of(5, small(5), 12, two_stay)
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


def hold(bench: Bench, kinds: tuple[type[Body], ...]) -> list[tuple[Peer, Envelope]]:
    """Keep the first message of these kinds on the way, to whomever it goes; gives what is kept, with its receivers."""
    held: list[tuple[Peer, Envelope]] = []

    def delay(sender: Peer, receiver: Peer, frame: Frame) -> Frame | None:
        if isinstance(frame, EnvelopeFrame):
            envelope = decode_envelope(frame.envelope)
            if isinstance(envelope.body, kinds) and envelope.author == sender.key:
                if not held or held[0][1].id == envelope.id:
                    held.append((receiver, envelope))
                if held[0][1].id == envelope.id:
                    return None
        return frame

    bench.tamper = delay
    return held


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
    bench = bench_of(3, small(3, deals=2 if kind == "roster" else 1), seed=13)
    held = hold(bench, KINDS[kind])
    bench.run(lambda: bool(held))
    slow = bench.of(held[0][1].author)
    bench.run(lambda: all(absent_seats(peer) == {seat_of(slow)} for peer in bench.others(slow)))
    for receiver, envelope in held:
        bench.inject(receiver, envelope.raw, slow.key)
    run_to_end(bench)
    for peer in bench.peers:
        assert not events(peer, FaultSeen), (peer.name, events(peer, FaultSeen)[0])
    for verdict in assert_agreed(bench):
        assert not verdict.faults


@pytest.mark.parametrize("kind", KINDS)
def test_message_that_comes_within_the_grace(kind: str) -> None:
    """The clock has run out, but nobody has claimed yet: the message counts, and nobody is absent."""
    bench = bench_of(3, small(3, deals=2 if kind == "roster" else 1), seed=13)
    held = hold(bench, KINDS[kind])
    bench.run(lambda: bool(held))
    slow = bench.of(held[0][1].author)
    bench.now += GRACE_SECONDS / 2 + (play_of(slow).params.turn_seconds if kind in ("bid", "play") else STEP_SECONDS)
    bench.tamper = None
    for receiver, envelope in held:
        bench.inject(receiver, envelope.raw, slow.key)
    run_to_end(bench)
    for peer in bench.peers:
        assert not events(peer, FaultSeen)
        assert not absent_seats(peer)
    assert_agreed(bench)
