"""Messages in the wrong place: replayed, moved to another step, deal, attempt or table, or of the wrong type.

What an honest seat has signed can be repeated by anybody, so it must never do any harm; what a seat signs for a
place that is not its own is its fault only where it names a head that is.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from azi_p2p.session import decklane, playlane
from azi_p2p.session.decklane import DeckPhase, DeckState
from azi_p2p.session.events import FaultSeen, SeatAbsent
from azi_p2p.session.faults import Fault
from azi_p2p.session.jobs import Checked, Job, run_job
from azi_p2p.session.playstate import PlayPhase, PlayState
from azi_p2p.wire.envelope import Envelope, Place, decode_envelope, place_of
from azi_p2p.wire.frame import EnvelopeFrame, Frame
from azi_p2p.wire.messages import (
    LANES,
    TYPES,
    Bid,
    Body,
    BuyIn,
    Call,
    Check,
    Close,
    Commit,
    Decline,
    Discard,
    End,
    Fold,
    Leave,
    Open,
    Play,
    Reveal,
    Roster,
    RosterSeat,
    Shuffle,
    Standing,
    Tokens,
)
from tests.attacks.bench import (
    Bench,
    assert_agreed,
    assert_refused,
    bench_of,
    events,
    lanes_of,
    play_of,
    run_to_end,
    seat_of,
    sign,
    small,
)
from tests.session.harness import Peer

pytestmark = pytest.mark.usefixtures("ideal_cryptography")


def assert_nothing_happened(bench: Bench) -> None:
    for peer in bench.peers:
        assert not events(peer, FaultSeen), events(peer, FaultSeen)[0]
        assert not events(peer, SeatAbsent)
    assert_agreed(bench)


def test_old_messages_of_everybody_again_and_again() -> None:
    """Somebody repeats what everybody has ever signed, in every later step: of this deal, and of the one before."""
    bench = bench_of(3, small(3, 4, 2), seed=31)
    said: dict[bytes, bytes] = {}

    def listen(sender: Peer, receiver: Peer, frame: Frame) -> Frame:
        if isinstance(frame, EnvelopeFrame):
            said.setdefault(decode_envelope(frame.envelope).id, frame.envelope)
        return frame

    bench.tamper = listen
    chance = random.Random(31)
    seen: set[bytes] = set()

    def repeat() -> bool:
        for peer in bench.peers:
            if peer.table.lanes is not None and play_of(peer).head not in seen:
                seen.add(play_of(peer).head)
                before = play_of(peer)
                for raw in chance.sample(list(said.values()), min(len(said), 12)):
                    if decode_envelope(raw).prev in lanes_of(peer).past:
                        bench.inject(peer, raw, bench.peers[0].key)
                        assert play_of(peer) == before
        return all(peer.table.ended for peer in bench.peers)

    bench.run(repeat)
    assert len(seen) > 20
    assert_nothing_happened(bench)


def test_whole_game_of_another_table_said_again_at_this_one() -> None:
    """The same people, the same table parameters, another founder's nonce: nobody listens to any of it."""
    first, second = bench_of(3, small(3), seed=32), bench_of(3, small(3), seed=32, nonce="another evening")
    assert [peer.key for peer in first.peers] == [peer.key for peer in second.peers]
    said: dict[bytes, None] = {}

    def listen(sender: Peer, receiver: Peer, frame: Frame) -> Frame:
        if isinstance(frame, EnvelopeFrame):
            said[frame.envelope] = None
        return frame

    first.tamper = listen
    run_to_end(first)
    second.run(lambda: all(peer.table.lanes and play_of(peer).phase is PlayPhase.ACT for peer in second.peers))
    assert first.peers[0].table.table_id != second.peers[0].table.table_id
    before = [(play_of(peer), lanes_of(peer).buffered) for peer in second.peers]
    for raw in said:
        for peer in second.peers:
            second.inject(peer, raw, second.peers[0].key)
    assert [(play_of(peer), lanes_of(peer).buffered) for peer in second.peers] == before
    run_to_end(second)
    assert_nothing_happened(second)


@pytest.mark.parametrize("kind", [Commit, Shuffle, Open, Tokens, Bid, Play, Close])
@pytest.mark.parametrize("field", ["deal", "step"])
def test_message_on_the_right_head_with_another(field: str, kind: type[Body]) -> None:
    """A head belongs to one step of one deal; who signs it together with another has broken the protocol."""
    bench = bench_of(3, small(3), seed=39)
    bent = bench.peers[1]
    steps: list[tuple[int, int]] = []

    def twist(envelope: Envelope) -> bytes:
        if isinstance(envelope.body, kind) and not steps:
            place = place_of(envelope)
            moved = replace(place, deal=place.deal + 1) if field == "deal" else replace(place, step=place.step + 1)
            steps.append((moved.deal, moved.step))
            return sign(bench.identity(bent), envelope.table, moved, envelope.body)
        return envelope.raw

    bench.bend(bent, twist)
    run_to_end(bench, bent)
    assert steps
    assert assert_refused(bench, bent, "wrong_place") == {("wrong_place", *steps[0])}


@pytest.mark.parametrize("kind", [Commit, Tokens, Bid, Close])
def test_message_on_a_head_that_is_not(kind: type[Body]) -> None:
    """It proves nothing, and is never taken for the one that is owed: its author is absent, not at fault."""
    bench = bench_of(3, small(3), seed=39)
    bent = bench.peers[1]
    done: list[bytes] = []

    def twist(envelope: Envelope) -> bytes:
        if isinstance(envelope.body, kind) and not done:
            done.append(envelope.raw)
            moved = replace(place_of(envelope), prev=b"h" * 32)
            return sign(bench.identity(bent), envelope.table, moved, envelope.body)
        return envelope.raw

    bench.bend(bent, twist)
    run_to_end(bench, bent)
    assert done
    for peer in bench.others(bent):
        assert not events(peer, FaultSeen)
        assert {event.seat for event in events(peer, SeatAbsent)} == {seat_of(bent)}
    assert_agreed(bench, bent)


# Every type in every phase


SAMPLES: tuple[Body, ...] = (
    Commit(digest=b"d" * 32),
    Reveal(key=b"k" * 32, proof=b"p" * 64, entropy=b"e" * 32),
    Shuffle(deck=b"d" * 64, proof=b"p"),
    Roster(requests=[b"any"]),
    Open(roster=[RosterSeat(seat=0, key=b"k" * 32, chips=1)], dealt_in=[0, 1], closing=b"c" * 32, deck=b"d" * 32),
    Tokens(tokens=[b"t" * 32], proof=b"p"),
    Discard(position=0),
    Bid(to=1),
    Call(),
    Check(),
    Fold(),
    Leave(),
    Play(position=0, card="AS", token=b"t" * 32, proof=b"p", void=[]),
    BuyIn(),
    Decline(),
    Close(state=b"s" * 32, chips=[1, 1]),
    End(reason="finish", standings=[Standing(place=1, seat=0, chips=1)]),
)

ALLOWED: dict[str, set[type[Body]]] = {
    "discard": {Discard, Leave},
    "bidding": {Bid, Call, Fold, Leave},
    "playing": {Play, Fold, Leave},
}
"""Types that may be in order in a phase, whatever is in them; all the others must be refused there."""


def states() -> tuple[dict[str, PlayState], dict[str, DeckState]]:
    """One state of every phase of both lanes, from one table."""
    bench = bench_of(3, small(3, 4, 2), seed=34)
    plays: dict[str, PlayState] = {}
    decks: dict[str, DeckState] = {}

    def look() -> bool:
        for peer in bench.peers:
            if peer.table.lanes is None:
                continue
            play, deck = play_of(peer), lanes_of(peer).deck
            name = str(play.game.phase) if play.phase is PlayPhase.ACT else str(play.phase)
            plays.setdefault(name, play)
            if deck is not None:
                decks.setdefault(str(deck.phase), deck)
        return all(peer.table.ended for peer in bench.peers)

    bench.run(look)
    return plays, decks


def test_every_type_in_every_phase_of_both_lanes() -> None:
    """Whoever owes something and sends something else is refused with a reason, never with a crash."""
    plays, decks = states()
    assert set(plays) == {"open", "tokens", "discard", "bidding", "playing", "close", "roster", "end", "ended"}
    assert set(decks) == {"commit", "reveal", "shuffle", "ready"}
    bench = bench_of(3, small(3, 4, 2), seed=34)
    for body in SAMPLES:
        for name, play in plays.items():
            seat = play.owed[0] if play.owed else 0
            if LANES[TYPES[type(body)]] != "play" or type(body) in ALLOWED.get(name, ()):
                continue
            envelope = decode_envelope(bench.forge(bench.peers[0], replace(play.place, lane="play"), body))
            assert _refused(partial(playlane.judge, play, seat, envelope)), (name, body)
        for name, deck in decks.items():
            if LANES[TYPES[type(body)]] != "deck" or name == TYPES[type(body)] or name == DeckPhase.READY:
                continue
            place = Place("deck", deck.deal, deck.attempt, deck.step, deck.head)
            envelope = decode_envelope(bench.forge(bench.peers[0], place, body))
            assert _refused(partial(decklane.judge, deck, deck.owed[0], envelope)), (name, body)


def _refused(judge: Callable[[], Job | None]) -> bool:
    try:
        job = judge()
    except Fault as fault:
        return bool(fault.code and fault.message)
    # What only its proofs can show is refused by the job that checks them.
    result = None if job is None else run_job(job)
    return isinstance(result, Checked) and result.fault is not None
