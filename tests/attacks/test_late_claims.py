"""What is released only once a deal is decided: claims that would take it back, second messages signed long ago.

A step that a majority has signed on top of is final, whatever turns up; and a vote goes on for as long as it matters to
somebody who has claimed.
"""

from __future__ import annotations

import pytest

from azi_p2p.session.events import FaultSeen, SeatAbsent
from azi_p2p.session.playstate import IN_DEAL, PlayPhase
from azi_p2p.session.votes import Question, question_of
from azi_p2p.wire.envelope import Envelope, decode_envelope
from azi_p2p.wire.frame import EnvelopeFrame, Frame
from azi_p2p.wire.messages import Bid, Body, Call, Close, Fold, Play, Vote
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
    small,
    two_stay,
)
from tests.attacks.test_votes import acting, assert_nobody_hurt, seat_in_turn, vote
from tests.session.harness import Peer


class LateMove:
    """A table of five, one of whom got a move only after it had claimed its author absent; a liar has claimed as well.

    So the first round of the vote has two claims and two acknowledgements; the liars hold theirs back.
    """

    def __init__(self) -> None:
        self.bench = bench = acting(5, seed=29)
        self.victim = seat_in_turn(bench)
        self.slow, self.honest, self.first, self.last = (peer for peer in bench.peers if peer is not self.victim)
        self.place = play_of(self.victim).place
        self.question = Question(self.place, seat_of(self.victim))
        for liar in (self.first, self.last):
            bench.bend(liar, lambda envelope: None if is_first_vote(envelope, self.question) else envelope.raw)
        assert bench.tamper is not None
        self._bend = bench.tamper
        for peer in bench.peers:
            peer.chooser = None
        began = bench.now
        bench.run(lambda: bench.now > began + 3)
        bench.tamper = self._late_for_one
        command = two_stay(self.victim.table.view(), bench.chance)
        assert command is not None
        bench.submit(self.victim, command)
        self.claim(self.first)
        bench.run(self._has_claimed)
        bench.tamper = self._no_echo
        for peer in bench.peers:
            peer.chooser = two_stay

    def claim(self, liar: Peer) -> None:
        """Let a liar claim, in the first round, that the seat has not moved."""
        self.bench.broadcast(liar, vote(self.bench, liar, self.place, seat_of(self.victim)))

    def claimants(self) -> set[bytes]:
        """Who has claimed so in the first round, as the honest one knows."""
        votes = votes_of(self.honest, self.question, 0)
        return {vote.author for vote in votes if isinstance(vote.body, Vote) and vote.body.verdict == "claim"}

    def _has_claimed(self) -> bool:
        return any(vote.author == self.slow.key for vote in votes_of(self.slow, self.question, 0))

    def _no_echo(self, sender: Peer, receiver: Peer, frame: Frame) -> Frame | None:
        """Nobody tells a liar what it has signed itself, of which its own session knows nothing."""
        if isinstance(frame, EnvelopeFrame) and decode_envelope(frame.envelope).author == receiver.key:
            return None
        return self._bend(sender, receiver, frame)

    def _late_for_one(self, sender: Peer, receiver: Peer, frame: Frame) -> Frame | None:
        if isinstance(frame, EnvelopeFrame) and receiver is self.slow:
            envelope = decode_envelope(frame.envelope)
            if envelope.lane == "play" and (envelope.deal, envelope.step) >= (self.place.deal, self.place.step):
                return None
        return self._no_echo(sender, receiver, frame)


def test_third_claim_that_comes_when_the_deal_is_won() -> None:
    """It makes a majority of claims, an honest one among them; but everybody has signed on top of the move since."""
    at = LateMove()
    bench, liars = at.bench, (at.first, at.last)
    bench.run(lambda: all(play_of(peer).phase is PlayPhase.CLOSE for peer in bench.others(*liars)))
    chips = play_of(at.honest).game.chips
    at.claim(at.last)
    run_to_end(bench, *liars)
    assert all(play_of(peer).game.chips == chips for peer in bench.others(*liars))
    assert at.claimants() == {at.slow.key, at.first.key, at.last.key}
    assert_nobody_hurt(bench, *liars)


def test_who_has_claimed_and_then_got_the_move_can_go_on_though_the_liars_vanish() -> None:
    """It may sign nothing on top of the move before the vote has ended: so the vote has to go on until it ends."""
    at = LateMove()
    bench = at.bench
    bench.kill(at.first)
    bench.kill(at.last)
    run_to_end(bench)
    for peer in bench.others():
        assert not faults_of(peer)
        assert {event.seat for event in events(peer, SeatAbsent)} == {seat_of(at.first), seat_of(at.last)}
    assert_agreed(bench)


def votes_of(peer: Peer, question: Question, number: int) -> list[Envelope]:
    """The votes about this question that a peer holds, in one round."""
    poll = lanes_of(peer).ballots.polls.get(question)
    return [] if poll is None else list(poll.votes.get(number, {}).values())


def is_first_vote(envelope: Envelope, question: Question) -> bool:
    """Whether this is a vote about the question in its first round."""
    return isinstance(envelope.body, Vote) and envelope.body.round == 0 and question_of(envelope) == question


Kinds = tuple[type[Body], ...]

RELEASES: dict[str, tuple[Kinds, PlayPhase, int]] = {
    "a bid, when the deal is over": ((Bid, Call), PlayPhase.CLOSE, 1),
    "a bid, in the next deal": ((Bid, Call), PlayPhase.ACT, 2),
    "a card, when the deal is over": ((Play,), PlayPhase.CLOSE, 1),
    "a card, in the next deal": ((Play,), PlayPhase.ACT, 2),
    "a receipt, in the next deal": ((Close,), PlayPhase.ACT, 2),
}
"""Which message of the first deal gets a rival, and when that is released: phase and deal."""


@pytest.mark.parametrize("release", RELEASES)
def test_second_message_kept_until_the_deal_is_lost(release: str) -> None:
    """It proves an equivocation, and takes nothing back: the chips of the first deal stay as they are."""
    kinds, phase, deal = RELEASES[release]
    bench = bench_of(4, small(4, deals=2), 81, two_stay)
    signed: dict[bytes, Envelope] = {}

    def listen(sender: Peer, receiver: Peer, frame: Frame) -> Frame:
        if isinstance(frame, EnvelopeFrame):
            envelope = decode_envelope(frame.envelope)
            if envelope.author == sender.key and isinstance(envelope.body, kinds) and envelope.deal == 1:
                signed.setdefault(envelope.author, envelope)
        return frame

    bench.tamper = listen
    bench.run(lambda: all(peer.table.lanes is not None for peer in bench.peers))
    bench.run(lambda: all(play_of(peer).phase is PlayPhase.CLOSE for peer in bench.peers))
    chips = play_of(bench.peers[0]).game.chips
    bench.run(lambda: all(play_of(peer).phase is phase and play_of(peer).deal == deal for peer in bench.peers))
    bent = next(peer for peer in bench.peers if peer.key in signed and chips[seat_of(peer)] < 1000)
    check_release(bench, bent, signed[bent.key], chips)


def check_release(bench: Bench, bent: Peer, first: Envelope, chips: tuple[int, ...]) -> None:
    """Release a rival of `first` now; see that the deal stays lost, that the seat is blamed, and that all agree."""
    bench.bend(bent, lambda envelope: envelope.raw)
    place = next(past.place for past in lanes_of(bench.peers[0]).past.values() if past.place.prev == first.prev)
    body: Body = Close(state=b"s" * 32, chips=[1] * 4) if isinstance(first.body, Close) else Fold()
    bench.broadcast(bent, bench.forge(bent, place, body))
    others = bench.others(bent)
    settled: set[tuple[int, ...]] = set()
    receipts: set[bytes] = set()

    def watch() -> bool:
        for play in map(play_of, others):
            if play.deal == 2 and play.phase is PlayPhase.ROSTER:
                settled.add(play.game.chips)
            if play.deal == 2 and play.phase in IN_DEAL:
                receipts.add(play.closed)
        return all(peer.table.ended for peer in others)

    bench.run(watch)
    for peer in others:
        assert {(seat, code) for seat, code, *_ in faults_of(peer)} == {(seat_of(bent), "equivocation")}
        assert (first.deal, first.step) in {(fault.deal, fault.step) for fault in events(peer, FaultSeen)}
        assert {event.seat for event in events(peer, SeatAbsent)} == {seat_of(bent)}
    assert len(receipts) == 1, "the receipts of the first deal stand"
    for after in settled:
        assert after[seat_of(bent)] <= chips[seat_of(bent)], (chips, after)
        assert all(after[seat_of(peer)] >= chips[seat_of(peer)] for peer in others), (chips, after)
    assert_agreed(bench, bent)


def run_to_turn(bench: Bench, peer: Peer, others: list[Peer]) -> None:
    """Let the others come to the turn of this peer."""
    bench.run(lambda: all(play_of(other).owed == (seat_of(peer),) for other in others))


@pytest.mark.parametrize("claimers", [1, 2])
def test_claim_on_a_chain_that_was_given_up_binds_nobody(claimers: int) -> None:
    """Two liars alone bid on, so nothing is closed. Some see a fault of the one, at the tip, and claim; then all see an
    older one of the other. From there the deal is over: those who have claimed at the tip sign its receipt too.
    """
    bench = acting(5, 51)
    first = seat_in_turn(bench)
    second = next(peer for peer in bench.peers if seat_of(peer) == (seat_of(first) + 1) % 5)
    others = bench.others(first, second)
    for liar in (first, second):
        bench.bend(liar, lambda _: None)
    tip, twin = play_of(others[0]).place, b""
    for bid, liar in ((20, first), (30, second), (40, first), (50, second), (60, first), (0, second)):
        run_to_turn(bench, liar, others)
        tip = play_of(others[0]).place
        if bid == 40:
            contested, twin = tip, bench.forge(first, tip, Bid(to=41))
        if bid:
            bench.broadcast(liar, bench.forge(liar, tip, Bid(to=bid)))
    for peer in others[:claimers]:
        bench.inject(peer, bench.forge(second, tip, Bid(to=10**8)), second.key)
        assert Question(tip, seat_of(second)) in lanes_of(peer).ballots.claimed
    for peer in others:
        bench.inject(peer, twin, first.key)
        for liar in (first, second):
            bench.inject(peer, vote(bench, liar, contested, seat_of(first)), liar.key)
        assert play_of(peer).phase is PlayPhase.CLOSE
        assert play_of(peer).step < tip.step
    bench.kill(first)
    bench.kill(second)
    run_to_end(bench)
    for peer in others:
        assert {event.seat for event in events(peer, SeatAbsent)} == {seat_of(first), seat_of(second)}
    assert_agreed(bench)
