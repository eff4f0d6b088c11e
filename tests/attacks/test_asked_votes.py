"""Votes that a liar asks for: about steps that nobody knows, so many that nobody could answer them all."""

from __future__ import annotations

import pytest

from azi_p2p.session.playstate import PlayPhase
from azi_p2p.session.running import MAX_POLLS
from azi_p2p.session.votes import LAST_ROUND
from azi_p2p.wire.envelope import Envelope, Place
from azi_p2p.wire.messages import Vote
from tests.attacks.bench import (
    Bench,
    assert_agreed,
    bench_of,
    lanes_of,
    play_of,
    run_to_end,
    seat_of,
    small,
    stay_in,
)
from tests.attacks.test_votes import vote
from tests.session.harness import Peer

pytestmark = pytest.mark.usefixtures("ideal_cryptography")


class GivenUp:
    """A table of five before its antes: one has vanished, so a second attempt is under way; another is a liar."""

    def __init__(self, seed: int) -> None:
        self.bench: Bench = bench_of(5, small(5), seed, stay_in)
        bench = self.bench
        bench.run(lambda: all(p.table.lanes and play_of(p).phase is PlayPhase.OPEN for p in bench.peers))
        gone, self.bent, *self.others = sorted(bench.peers, key=seat_of, reverse=True)
        self.kept: list[bytes] = []
        bench.kill(gone)
        bench.bend(self.bent, self._keep)
        bench.run(lambda: all(play_of(peer).attempt == 1 for peer in self.others))
        self.deliver()

    def _keep(self, envelope: Envelope) -> bytes | None:
        if envelope.lane == "deck" and envelope.attempt == 1:
            self.kept.append(envelope.raw)
            return None
        return None if envelope.lane == "vote" else envelope.raw

    def deliver(self) -> None:
        self.bench.run(lambda: not any(self.bench.wire.values()))

    def wait(self, seconds: float) -> None:
        """Let time pass at everybody, and what they send come."""
        bench = self.bench
        bench.now += seconds
        for peer in bench.others():
            if peer.wake is not None and peer.wake <= bench.now:
                peer.wake = None
                bench._perform(peer, peer.table.tick(bench.now))
        self.deliver()

    def release(self) -> None:
        """Let the liar's messages about the deck go out that were held back."""
        for raw in self.kept:
            self.bench.broadcast(self.bent, raw)
        self.kept.clear()

    def ask(self, number: int, *, step: int = 3, round_: int = 0) -> bytes:
        """A vote about one of any number of steps of the attempt that was given up, on a head that there never was."""
        about = Place("deck", play_of(self.others[0]).deal, 0, step, b"%32d" % number)
        return vote(self.bench, self.bent, about, seat_of(self.others[1]), number=round_)

    def polls(self, watched: Peer) -> int:
        return len(lanes_of(watched).ballots.polls)


def test_votes_about_two_steps_on_one_head() -> None:
    """Nobody can vote about both: they fill one slot."""
    at = GivenUp(91)
    for step in (3, 4):
        at.bench.broadcast(at.bent, at.ask(0, step=step))
    at.deliver()
    at.release()
    at.bench.unbend(at.bent)
    run_to_end(at.bench)
    assert_agreed(at.bench)


def test_a_flood_of_questions_that_go_on_for_ever_does_not_stop_the_others() -> None:
    """Each is answered, so all are decided; and each goes on to the last round there is. Then the liar vanishes."""
    at = GivenUp(92)
    watched, before = at.others[0], at.polls(at.others[0])
    for number in range(80):
        at.bench.broadcast(at.bent, at.ask(number))
        at.deliver()
    for number in range(160):
        at.bench.broadcast(at.bent, at.ask(number % 80, round_=LAST_ROUND))
        at.wait(0.13)
        if number == 80:
            at.release()
    assert play_of(watched).attempt == 1
    assert at.polls(watched) <= before + MAX_POLLS
    at.bench.kill(at.bent)
    start = at.bench.now
    at.bench.run(lambda: all(play_of(peer).attempt != 1 for peer in at.others), steps=20_000)
    assert at.bench.now - start < 20
    run_to_end(at.bench)
    assert_agreed(at.bench)


def test_a_proven_liar_asks_about_itself_in_the_deck_of_a_deal_that_is_open() -> None:
    """On that deck all have signed: nobody answers with the evidence, and so nobody is taken back behind it."""
    bench = bench_of(4, small(4), 93)
    bent, watched = bench.peers[-1], bench.peers[0]
    deck: list[Place] = []

    def is_open() -> bool:
        lanes = lanes_of(watched) if watched.table.lanes else None
        if lanes is not None and lanes.deck is not None and lanes.play.phase is PlayPhase.OPEN:
            deck[:] = [past.place for past in lanes.past.values() if past.place.lane == "deck"][-1:]
        return lanes is not None and lanes.play.phase is PlayPhase.TOKENS

    bench.run(is_open)
    lanes, seat = lanes_of(watched), seat_of(bent)
    here = play_of(watched).place
    assert not lanes.archive.is_written(here.deal, here.step - 1)
    bench.bend(bent, lambda _: None)
    other = seat_of(bench.peers[1])
    for verdict in ("claim", "ack"):
        move = b"" if verdict == "claim" else bytes(32)
        bench.inject(watched, vote(bench, bent, here, other, verdict=verdict, move=move), bent.key)
    assert lanes.is_guilty(seat) is not None
    bench.inject(watched, vote(bench, bent, deck[0], seat), bent.key)
    assert not [
        envelope
        for envelope in lanes.ballots.of(watched.key)
        if isinstance(envelope.body, Vote) and envelope.body.lane == "deck"
    ]
    run_to_end(bench, bent)
    assert_agreed(bench, bent)
