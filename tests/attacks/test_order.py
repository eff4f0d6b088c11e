"""Messages out of order that are no attack, and some that are: what is judged where, what contradicts what.

And what a peer's own program never does, whatever its user or its neighbours want: sign twice, or before it is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from azi_p2p import rules
from azi_p2p.session.commands import Act, CommandRefused, Say
from azi_p2p.session.effects import Persist, Send
from azi_p2p.session.events import FaultSeen, Said, SeatAbsent
from azi_p2p.session.outbox import Outbox
from azi_p2p.session.own import Own
from azi_p2p.session.playlane import opening
from azi_p2p.session.playstate import PlayPhase
from azi_p2p.session.slots import is_equivocation, slot_of
from azi_p2p.session.wishes import Wishes
from azi_p2p.wire.envelope import NOWHERE, Envelope, Place, decode_envelope, place_of
from azi_p2p.wire.frame import EnvelopeFrame, Frame
from azi_p2p.wire.messages import Bid, Call, Commit, Fold, Request, Vote
from tests.attacks.bench import (
    Bench,
    assert_agreed,
    bench_of,
    events,
    faults_of,
    lanes_of,
    play_of,
    run_to_end,
    seat_of,
    sign,
    small,
    stay_in,
    two_stay,
)
from tests.session.harness import Peer, make_me

pytestmark = pytest.mark.usefixtures("ideal_cryptography")

TABLE, HEAD = b"t" * 32, b"h" * 32
ANNA, BEN = make_me("Anna", 6).identity, make_me("Ben", 6).identity
HERE = Place("play", 1, 0, 5, HEAD)


def envelope_of(place: Place, body: object, table: bytes = TABLE, identity: object = ANNA) -> Envelope:
    return decode_envelope(sign(identity, table, place, body))  # type: ignore[arg-type]  # a key and a body


def in_phase(phase: PlayPhase, count: int = 3, hand_size: int = 3, seed: int = 91) -> Bench:
    bench = bench_of(count, small(count, hand_size), seed, two_stay if phase is PlayPhase.ACT else stay_in)
    bench.run(lambda: all(peer.table.lanes and play_of(peer).phase is phase for peer in bench.peers))
    return bench


# What contradicts what


def votes() -> Iterator[Envelope]:
    """Votes that differ from the first in one thing each."""
    place = replace(HERE, lane="vote")
    body = Vote(lane="play", seat=1, round=0, verdict="claim", move=b"", evidence=[])
    yield envelope_of(place, body)
    yield envelope_of(replace(place, deal=2), body)
    yield envelope_of(replace(place, attempt=1), body)
    yield envelope_of(replace(place, prev=b"i" * 32), body)
    for other in (
        Vote(lane="deck", seat=1, round=0, verdict="claim", move=b"", evidence=[]),
        Vote(lane="play", seat=2, round=0, verdict="claim", move=b"", evidence=[]),
        Vote(lane="play", seat=1, round=1, verdict="claim", move=b"", evidence=[]),
    ):
        yield envelope_of(place, other)
    yield envelope_of(place, body, identity=BEN)


def test_votes_about_different_things_do_not_contradict_each_other() -> None:
    assert len({slot_of(envelope) for envelope in votes()}) == len(list(votes())) == 8


def test_a_vote_and_a_move_do_not_contradict_each_other() -> None:
    vote = next(votes())
    move = envelope_of(HERE, Fold())
    assert not is_equivocation(vote, move)


def test_two_messages_for_one_slot_and_nothing_else_are_an_equivocation() -> None:
    fold, call = envelope_of(HERE, Fold()), envelope_of(HERE, Call())
    assert is_equivocation(fold, call)
    assert not is_equivocation(fold, fold)
    assert not is_equivocation(fold, envelope_of(HERE, Call(), table=b"u" * 32))
    assert not is_equivocation(fold, envelope_of(HERE, Call(), identity=BEN))
    assert not is_equivocation(fold, envelope_of(replace(HERE, prev=b"i" * 32), Call()))
    wish = envelope_of(NOWHERE, Request(number=1, wish="leave"))
    assert not is_equivocation(wish, envelope_of(NOWHERE, Request(number=1, wish="rebuy")))


def test_one_move_enclosed_twice_is_no_equivocation() -> None:
    bench = in_phase(PlayPhase.ACT, 4)
    bent, victim = bench.peers[1], bench.peers[2]
    bench.hush(bent)
    bench.run(lambda: any(past.moves.get(seat_of(victim)) for past in lanes_of(bent).past.values()))
    move = next(past.moves[seat_of(victim)] for past in lanes_of(bent).past.values() if seat_of(victim) in past.moves)
    place = play_of(bent).place
    claim = Vote(lane="play", seat=seat_of(victim), round=0, verdict="claim", move=b"", evidence=[move.raw, move.raw])
    bench.broadcast(bent, bench.forge(bent, replace(place, lane="vote"), claim))
    run_to_end(bench)
    for peer in bench.peers:
        assert not events(peer, FaultSeen)
    assert_agreed(bench)


# Judged only on the head that it names


def test_ante_for_an_attempt_that_another_peer_may_have_begun() -> None:
    """Whoever knows of a certificate that hasn't come here yet signs for the next attempt, on the same head."""
    bench = in_phase(PlayPhase.OPEN)
    ahead, watched = bench.peers[1], bench.peers[0]
    play = play_of(watched)
    place = replace(play.place, attempt=play.attempt + 1)
    bench.inject(watched, bench.forge(ahead, place, opening(play, b"d" * 32)), ahead.key)
    assert not events(watched, FaultSeen)
    assert not lanes_of(watched).play_inbox.moves
    assert not lanes_of(watched).play_inbox.pending
    run_to_end(bench)
    for peer in bench.peers:
        assert not events(peer, SeatAbsent)
    assert_agreed(bench)


def complete_turn(bench: Bench, peer: Peer) -> tuple[Place, int]:
    """Let a turn of the bidding be completed; its place, and the seat whose turn it was."""

    def found() -> bool:
        return any(_is_turn(past) for past in lanes_of(peer).past.values())

    bench.run(found)
    past = next(past for past in lanes_of(peer).past.values() if _is_turn(past))
    return past.place, past.owed[0]


def _is_turn(past: object) -> bool:
    state = getattr(past, "state", None)
    return state is not None and state.phase is PlayPhase.ACT


def test_message_for_a_turn_that_another_seat_had() -> None:
    """It comes when the turn is over; that its author had none is its fault all the same."""
    bench = in_phase(PlayPhase.ACT)
    watched = bench.peers[0]
    place, owner = complete_turn(bench, watched)
    bent = next(peer for peer in bench.peers if peer is not watched and seat_of(peer) != owner)
    bench.inject(watched, bench.forge(bent, place, Fold()), bent.key)
    assert {fault[:2] for fault in faults_of(watched)} == {(seat_of(bent), "not_your_turn")}


def test_second_message_for_a_turn_that_is_over() -> None:
    bench = in_phase(PlayPhase.ACT)
    watched = bench.peers[0]
    place, owner = complete_turn(bench, watched)
    bent = next(peer for peer in bench.peers if seat_of(peer) == owner)
    bench.inject(watched, bench.forge(bent, place, Bid(to=999)), bench.peers[1].key)
    assert {fault[:2] for fault in faults_of(watched)} == {(owner, "equivocation")}
    (fault,) = events(watched, FaultSeen)
    assert len(fault.evidence) == 2


def test_second_message_for_a_turn_that_everybody_has_seen_but_not_closed() -> None:
    """Everybody holds the first one, and evidence against its author: that is more, so it goes by the evidence."""
    bench = in_phase(PlayPhase.ACT, 4)
    (seat,) = play_of(bench.peers[0]).owed
    bent = next(peer for peer in bench.peers if seat_of(peer) == seat)
    place = play_of(bent).place
    others = bench.others(bent)
    for peer in others:
        peer.chooser = None  # so that nobody signs on top of it
    bench.run(lambda: all(place.prev in lanes_of(peer).past for peer in others))
    first = lanes_of(others[0]).past[place.prev].moves[seat]
    second = bench.forge(bent, place, Bid(to=999) if not isinstance(first.body, Bid) else Fold())
    bench.hush(bent)
    bench.broadcast(bent, second, to=others)
    for peer in others:
        peer.chooser = two_stay
    run_to_end(bench, bent)
    for peer in others:
        assert {fault[:2] for fault in faults_of(peer)} == {(seat, "equivocation")}
        assert {event.seat for event in events(peer, SeatAbsent)} == {seat}
        assert seat not in lanes_of(peer).past[place.prev].moves, "neither message stands"
    assert_agreed(bench, bent)


def test_message_of_a_deal_that_is_far_away_is_not_kept() -> None:
    bench = in_phase(PlayPhase.ACT)
    watched, bent = bench.peers[0], bench.peers[1]
    kept = lanes_of(watched).buffered
    for deal in (4, 5, 100, 2**31 - 1):
        place = Place("play", deal, 0, 3, deal.to_bytes(32, "big"))
        bench.inject(watched, bench.forge(bent, place, Fold()), bent.key)
        assert lanes_of(watched).buffered == kept
    bench.inject(watched, bench.forge(bent, Place("play", 2, 0, 3, b"n" * 32), Fold()), bent.key)
    assert lanes_of(watched).buffered == kept + 1


def test_vote_about_a_step_that_was_never_taken_on_a_known_head() -> None:
    bench = in_phase(PlayPhase.ACT)
    watched, bent = bench.peers[0], bench.peers[1]
    here = play_of(watched).place
    polls = set(lanes_of(watched).ballots.polls)
    for step in (here.step + 1, here.step + 2, 999):
        claim = Vote(lane="play", seat=0, round=0, verdict="claim", move=b"", evidence=[])
        bench.inject(watched, bench.forge(bent, replace(here, lane="vote", step=step), claim), bent.key)
    assert set(lanes_of(watched).ballots.polls) == polls


# Said again by somebody else


def test_words_said_again_by_somebody_else_are_heard_once() -> None:
    bench = in_phase(PlayPhase.ACT)
    speaker, watched, bent = bench.peers[2], bench.peers[0], bench.peers[1]
    heard: list[bytes] = []

    def listen(sender: Peer, receiver: Peer, frame: Frame) -> Frame:
        if isinstance(frame, EnvelopeFrame) and decode_envelope(frame.envelope).type == "chat":
            heard.append(frame.envelope)
        return frame

    bench.tamper = listen
    bench.submit(speaker, Say("well played"))
    bench.run(lambda: len(events(watched, Said)) == 1)
    for _ in range(3):
        bench.inject(watched, heard[0], bent.key)
    assert len(events(watched, Said)) == 1


def test_only_the_highest_request_of_a_signer_counts() -> None:
    wishes = Wishes()
    late = envelope_of(NOWHERE, Request(number=2, wish="return"))
    early = envelope_of(NOWHERE, Request(number=1, wish="leave"))
    finish = envelope_of(NOWHERE, Request(number=2, wish="finish"))
    assert wishes.enter(late)
    assert not wishes.enter(early)
    assert not wishes.enter(finish)
    assert wishes.requests == {(ANNA.public, "seat"): late}
    assert wishes.enter(envelope_of(NOWHERE, Request(number=1, wish="leave"), identity=BEN))


# What our own program does


def test_nothing_is_signed_twice_for_one_slot() -> None:
    out = Outbox()
    own = Own(make_me("Anna", 6), out)
    first = own.sign(TABLE, HERE, Fold())
    assert [effect.kind for effect in out.take() if isinstance(effect, Persist)] == ["envelope"]
    assert own.sign(TABLE, HERE, Call()) is first
    assert own.sign(TABLE, HERE, Bid(to=10)).raw == first.raw
    assert out.take() == []
    other = own.sign(TABLE, replace(HERE, prev=b"i" * 32), Call())
    assert other.raw != first.raw


def test_everything_that_is_sent_is_in_the_journal_first() -> None:
    """Of every peer's own envelopes, over a whole table: none leaves before it is handed to the disk.

    A commitment depends on a deal secret, which must be there before it.
    """
    bench = bench_of(3, small(3, 4), seed=92)
    journaled: dict[bytes, set[bytes]] = {peer.key: set() for peer in bench.peers}
    secrets: dict[bytes, int] = {peer.key: 0 for peer in bench.peers}
    early: list[str] = []
    perform = bench._perform

    def watch(peer: Peer, effects: list[object]) -> None:
        for effect in effects:
            if isinstance(effect, Persist) and effect.kind == "envelope":
                journaled[peer.key].add(effect.record)
            if isinstance(effect, Persist) and effect.kind == "secret":
                secrets[peer.key] += 1
            if isinstance(effect, Send) and isinstance(effect.frame, EnvelopeFrame):
                envelope = decode_envelope(effect.frame.envelope)
                if envelope.author == peer.key and isinstance(envelope.body, Commit) and not secrets[peer.key]:
                    early.append("commit before its secret")
                if envelope.author == peer.key and envelope.raw not in journaled[peer.key]:
                    early.append(envelope.type)
            perform(peer, [effect])  # type: ignore[list-item]  # an effect

    for peer in bench.peers:
        journaled[peer.key] = {entry.record for entry in peer.journal if entry.kind == "envelope"}
    bench._perform = watch  # type: ignore[method-assign,assignment]  # to look over its shoulder
    run_to_end(bench)
    assert not early
    assert all(len(records) > 10 for records in journaled.values())


def test_secrets_and_hand_of_a_closed_deal_are_gone() -> None:
    """Also from the journal, which is told to erase them."""
    bench = bench_of(3, small(3, deals=2), seed=93)
    bench.run(lambda: all(peer.table.lanes and play_of(peer).deal == 2 for peer in bench.peers))
    bench.run(lambda: all(play_of(peer).phase is PlayPhase.TOKENS for peer in bench.peers))
    for peer in bench.peers:
        own = peer.table._own
        assert own is not None
        assert own._hand is None
        assert {secret.deal for secret in own._secrets.values()} <= {2, 3}
        assert "erase" in {entry.kind for entry in peer.journal}


def test_a_person_acts_for_one_seat_only() -> None:
    """While all discard, another's discard isn't taken for the own one."""
    bench = bench_of(3, small(3, 4), 94, None)
    bench.run(lambda: all(peer.table.lanes and play_of(peer).phase is PlayPhase.DISCARD for peer in bench.peers))
    peer = bench.peers[0]
    signed = len(peer.journal)
    with pytest.raises(CommandRefused) as caught:
        bench.submit(peer, Act(rules.Discard((seat_of(peer) + 1) % 3, None, 0)))
    assert caught.value.code == "other_seat"
    assert len(peer.journal) == signed


def test_a_place_is_what_an_envelope_names() -> None:
    envelope = envelope_of(replace(HERE, attempt=3), Fold())
    assert place_of(envelope) == replace(HERE, attempt=3)
