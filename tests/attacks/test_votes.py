"""Attacks by votes: claims against a seat that has moved, evidence that proves nothing, rounds that run away.

A minority can't take anything from anybody, and whoever is merely slow is never blamed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pytest

from azi_p2p.crypto.identity import IdentityKey
from azi_p2p.session.events import FaultSeen, SeatAbsent
from azi_p2p.session.playstate import PlayPhase
from azi_p2p.wire.envelope import Envelope, Place, decode_envelope
from azi_p2p.wire.frame import EnvelopeFrame, Frame
from azi_p2p.wire.messages import Bid, Body, Call, Fold, Play, Vote
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
    two_stay,
)
from tests.session.harness import Peer

pytestmark = pytest.mark.usefixtures("ideal_cryptography")

Verdict = Literal["claim", "ack"]


def vote_place(place: Place) -> Place:
    return replace(place, lane="vote")


def vote(
    bench: Bench,
    voter: Peer,
    place: Place,
    seat: int,
    *,
    verdict: Verdict = "claim",
    number: int = 0,
    move: bytes = b"",
    evidence: tuple[bytes, ...] = (),
) -> bytes:
    """A vote that the voter's own session would not cast."""
    assert place.lane in ("deck", "play")
    lane: Literal["deck", "play"] = "deck" if place.lane == "deck" else "play"
    body = Vote(lane=lane, seat=seat, round=number, verdict=verdict, move=move, evidence=list(evidence))
    return bench.forge(voter, vote_place(place), body)


def acting(count: int, seed: int, deals: int = 1) -> Bench:
    """A table in its first deal, somebody being asked."""
    bench = bench_of(count, small(count, deals=deals), seed, two_stay)
    bench.run(lambda: all(peer.table.lanes and play_of(peer).phase is PlayPhase.ACT for peer in bench.peers))
    return bench


def assert_nobody_hurt(bench: Bench, *bent: Peer) -> None:
    """Nobody is blamed or absent, and all agree."""
    for peer in bench.others(*bent):
        assert not events(peer, FaultSeen), events(peer, FaultSeen)[0]
        assert not events(peer, SeatAbsent)
    for verdict in assert_agreed(bench, *bent):
        assert not verdict.faults


def seat_in_turn(bench: Bench) -> Peer:
    (seat,) = play_of(bench.peers[0]).owed
    return next(peer for peer in bench.peers if seat_of(peer) == seat)


def test_claims_of_a_minority_take_nothing() -> None:
    """Two of five claim each seat absent at each step, in time and too late; everything goes on."""
    bench = acting(5, seed=21)
    bent = bench.peers[:2]
    bench.hush(*bent)
    seen: set[Place] = set()

    def claim_everywhere() -> bool:
        watched = bench.peers[4]
        place = play_of(watched).place
        if place not in seen:
            seen.add(place)
            for voter in bent:
                for seat in {*play_of(watched).owed, len(seen) % 5}:
                    bench.broadcast(voter, vote(bench, voter, place, seat))
        return all(peer.table.ended for peer in bench.others(*bent))

    bench.run(claim_everywhere)
    assert len(seen) > 5
    assert_nobody_hurt(bench, *bent)


def test_one_that_claims_twice_and_a_stranger_are_not_a_majority() -> None:
    """Votes are counted by seat: more rounds, more evidence or other keys don't make one voter three."""
    bench = acting(4, seed=21)
    bent, victim = bench.peers[1], seat_in_turn(bench)
    if victim is bent:
        bent = bench.peers[2]
    bench.hush(bent)
    place, seat = play_of(victim).place, seat_of(victim)
    stranger = IdentityKey.from_seed(b"s" * 32)
    body = Vote(lane="play", seat=seat, round=0, verdict="claim", move=b"", evidence=[])
    for number in range(4):
        bench.broadcast(bent, vote(bench, bent, place, seat, number=number))
    bench.broadcast(bent, sign(stranger, place_table(victim), vote_place(place), body))
    run_to_end(bench)
    assert_nobody_hurt(bench)


def place_table(peer: Peer) -> bytes:
    table = peer.table.table_id
    assert table is not None
    return table


@pytest.mark.parametrize(
    "evidence", ["none of its messages", "an honest move", "two honest moves", "any bytes", "its own and another's"]
)
def test_evidence_that_proves_nothing(evidence: str) -> None:
    """Enclosed in a claim, an honest seat's messages don't turn against it."""
    bench = acting(4, seed=22)
    bent = bench.peers[1]
    signed: dict[int, list[bytes]] = {}

    def listen(sender: Peer, receiver: Peer, frame: Frame) -> Frame:
        if isinstance(frame, EnvelopeFrame):
            envelope = decode_envelope(frame.envelope)
            seat = play_of(receiver).seat_of(envelope.author)
            if envelope.lane == "play" and seat is not None and frame.envelope not in signed.setdefault(seat, []):
                signed[seat].append(frame.envelope)
        return frame

    bench.tamper = listen
    bench.run(lambda: len(signed) > 2 and all(len(raws) > 1 for raws in signed.values()))
    bench.tamper = bench._bend
    bench.hush(bent)
    other = next(iter(raws[0] for seat, raws in signed.items() if seat == seat_of(bent)), b"\x00")
    for seat, raws in list(signed.items()):
        if seat == seat_of(bent):
            continue
        enclosed = {
            "none of its messages": (other,),
            "an honest move": (raws[-1],),
            "two honest moves": (raws[-1], raws[-2]),
            "any bytes": (b"any", b"bytes"),
            "its own and another's": (raws[-1], other),
        }[evidence]
        bench.broadcast(bent, vote(bench, bent, play_of(bent).place, seat, evidence=enclosed))
    run_to_end(bench, seconds=3_600)
    assert_nobody_hurt(bench)


def test_evidence_from_another_table_is_not_kept() -> None:
    """Messages that a seat has honestly signed elsewhere don't fill the room for its messages here."""
    bench = acting(4, seed=23)
    bent, victim = bench.peers[1], bench.peers[2]
    bench.hush(bent)
    place = play_of(bent).place
    for number in range(120):
        head = number.to_bytes(32, "big")
        elsewhere = sign(bench.identity(victim), b"t" * 32, Place("play", 1, 0, 5, head), Fold())
        bench.broadcast(bent, vote(bench, bent, place, seat_of(victim), number=number, evidence=(elsewhere,)))
    run_to_end(bench)
    for peer in bench.others(bent):
        assert lanes_of(peer).buffered < 20
    assert_nobody_hurt(bench)


def test_votes_of_one_seat_that_contradict_each_other() -> None:
    """A claim to some and an acknowledgement to others, in one round: an equivocation, and neither counts."""
    bench = acting(4, seed=24)
    victim = seat_in_turn(bench)
    bent = next(peer for peer in bench.peers if peer is not victim)
    place = play_of(victim).place
    bench.bend(bent, lambda envelope: envelope.raw)
    others = bench.others(bent)
    bench.broadcast(bent, vote(bench, bent, place, seat_of(victim)), to=others[:1])
    ack = vote(bench, bent, place, seat_of(victim), verdict="ack", move=b"m" * 32)
    bench.broadcast(bent, ack, to=others[1:])
    run_to_end(bench, bent)
    for peer in others:
        assert {(fault[0], fault[1]) for fault in faults_of(peer)} == {(seat_of(bent), "equivocation")}
        assert {event.seat for event in events(peer, SeatAbsent)} == {seat_of(bent)}
    assert_agreed(bench, bent)


@pytest.mark.parametrize("number", [3, 10**6])
def test_votes_far_ahead_of_the_round(number: int) -> None:
    """A seat really vanishes; one bent voter jumps ahead. The others still come to an end."""
    bench = acting(5, seed=25)
    gone = seat_in_turn(bench)
    bent = next(peer for peer in bench.peers if peer is not gone)
    place = play_of(gone).place
    gone.chooser = None
    bench.kill(gone)
    bench.hush(bent)
    bench.broadcast(bent, vote(bench, bent, place, seat_of(gone), number=number))
    run_to_end(bench, bent, seconds=200)
    for peer in bench.others(bent):
        assert not faults_of(peer)
        assert {event.seat for event in events(peer, SeatAbsent)} == {seat_of(gone)}
    assert_agreed(bench, bent)


def test_round_beyond_all_rounds_while_no_majority_is_left() -> None:
    """Two of four are gone, so the vote goes on; a vote in the last round there is must not break anything."""
    bench = acting(4, seed=25)
    gone = seat_in_turn(bench)
    bent, second, third = (peer for peer in bench.peers if peer is not gone)
    bench.kill(gone)
    bench.kill(third)
    bench.hush(bent)
    bench.broadcast(bent, vote(bench, bent, play_of(second).place, seat_of(gone), number=10**6))
    start = bench.now
    bench.run(lambda: bench.now > start + 200, seconds=400)
    for peer in bench.others(bent):
        assert not faults_of(peer)


def test_move_withheld_and_then_enclosed_as_evidence() -> None:
    """A bent seat shows its move to a bent friend alone; the friend claims it absent and encloses the valid move."""
    bench = bench_of(5, small(5), 26, two_stay)
    bench.run(lambda: all(peer.table.lanes and play_of(peer).phase is PlayPhase.ACT for peer in bench.peers))
    silent = seat_in_turn(bench)
    friend = next(peer for peer in bench.peers if seat_of(peer) == min({0, 1} - {seat_of(silent)}))
    place, kept = play_of(silent).place, []

    def withhold(envelope: Envelope) -> Body | bytes | None:
        if envelope.lane == "play" and envelope.prev == place.prev:
            kept.append(envelope.raw)
            return None
        return envelope.raw if not kept else None

    bench.bend(silent, withhold)
    bench.hush(friend)

    def claimed() -> bool:
        return all(_has_claimed(peer, place, silent) for peer in bench.others(silent, friend))

    bench.run(lambda: bool(kept) and claimed())
    bench.broadcast(friend, vote(bench, friend, place, seat_of(silent), evidence=(kept[0],)))
    run_to_end(bench, silent, friend)
    for peer in bench.others(silent, friend):
        assert not faults_of(peer)
    assert_agreed(bench, silent, friend)


def _has_claimed(voter: Peer, place: Place, about: Peer) -> bool:
    return any(
        question.place == place and question.seat == seat_of(about) and poll.cast is not None
        for question, poll in lanes_of(voter).ballots.polls.items()
    )


@pytest.mark.parametrize("kinds", [(Bid, Call), (Play,)])
def test_claim_and_messages_on_top_of_the_move(kinds: tuple[type[Body], ...]) -> None:
    """A bent voter claims a seat absent after each of its moves, and plays on as if nothing were."""
    bench = acting(4, seed=27)
    bent = bench.peers[1]
    bench.hush(bent)
    done: set[bytes] = set()

    def claim_each_move() -> bool:
        for head, past in list(lanes_of(bent).past.items()):
            if head in done or past.place.lane != "play":
                continue
            done.add(head)
            for seat, envelope in past.moves.items():
                if seat != seat_of(bent) and isinstance(envelope.body, kinds):
                    bench.broadcast(bent, vote(bench, bent, past.place, seat))
        return all(peer.table.ended for peer in bench.peers)

    bench.run(claim_each_move)
    assert_nobody_hurt(bench)


def test_stale_claim_added_after_the_deal_is_lost() -> None:
    """Two of five had claimed a slow seat that then moved; the third claim comes when the deal is over: too late."""
    bench = acting(5, seed=28)
    victim = seat_in_turn(bench)
    bent = [peer for peer in bench.peers if peer is not victim][:2]
    bench.hush(*bent)
    place = play_of(victim).place
    for voter in bent:
        bench.broadcast(voter, vote(bench, voter, place, seat_of(victim)))
    bench.run(lambda: all(play_of(peer).phase is PlayPhase.CLOSE for peer in bench.peers))
    # Only bent seats claim now; an honest third will not be found, whatever they send.
    for number in range(3):
        for voter in bent:
            bench.broadcast(voter, vote(bench, voter, place, seat_of(victim), number=number))
    run_to_end(bench)
    assert_nobody_hurt(bench)
