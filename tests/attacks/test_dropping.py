"""Attacks on the beginning of a deal: one seat misbehaves in the deck lane and at the antes, in each before other eyes.

Either is a reason to drop it. Which of them a peer comes upon first mustn't matter: not to the chain, and not to
whether the honest seats go on to the next attempt.
"""

from __future__ import annotations

import msgspec
import pytest

from azi_p2p.session.decklane import DeckPhase
from azi_p2p.session.playstate import PlayPhase
from azi_p2p.session.votes import Question
from azi_p2p.wire.envelope import Place, place_of
from azi_p2p.wire.messages import Fold, Reveal
from tests.attacks.bench import Bench, assert_agreed, bench_of, lanes_of, play_of, run_to_end, seat_of, small, stay_in
from tests.attacks.test_votes import vote
from tests.second_verifier.theirs import load
from tests.session.harness import Peer

pytestmark = pytest.mark.usefixtures("ideal_cryptography")

theirs = load()


def shuffling(seed: int) -> Bench:
    """A table of three, the deck of whose first deal is being shuffled."""
    bench = bench_of(3, small(3), seed, stay_in)

    def ready() -> bool:
        lanes = [peer.table.lanes for peer in bench.peers]
        return all(at is not None and at.deck is not None and at.deck.phase is DeckPhase.SHUFFLE for at in lanes)

    bench.run(ready)
    assert all(play_of(peer).phase is PlayPhase.OPEN for peer in bench.peers)
    return bench


def misbehave_at_the_antes(bench: Bench, bent: Peer, before: Peer) -> Place:
    """Let the bent peer fold where it owes an ante, as one peer sees; gives the place."""
    place = play_of(before).place
    bench.inject(before, bench.forge(bent, place, Fold()), bent.key)
    return place


def misbehave_in_the_deck(bench: Bench, bent: Peer, before: Peer) -> Place:
    """Let the bent peer reveal something else than it has revealed, as one peer sees; gives the place."""
    (revealed,) = (
        envelope
        for envelope in lanes_of(before).deck_log
        if envelope.author == bent.key and isinstance(envelope.body, Reveal)
    )
    body = msgspec.structs.replace(revealed.body, entropy=bytes(32))
    bench.inject(before, bench.forge(bent, place_of(revealed), body), bent.key)
    return place_of(revealed)


def claim(bench: Bench, bent: Peer, place: Place, before: Peer) -> None:
    """Let the bent peer claim itself absent, as one peer sees: together with that peer's own claim, a majority."""
    bench.inject(before, vote(bench, bent, place, seat_of(bent)), bent.key)


def assert_honest_seats_play_on(bench: Bench, bent: Peer) -> None:
    """The honest ones come to the end of the same chain, each dealt in; both verifiers find each ledger in order."""
    bench.kill(bent)
    run_to_end(bench, bent)
    for verdict in assert_agreed(bench, bent):
        assert verdict.deals == 1
        assert {fault.seat for fault in verdict.faults} <= {seat_of(bent)}
    for peer in bench.others(bent):
        assert theirs.verify(peer.ledger).code == theirs.VALID


def test_dropped_by_different_certificates_before_each_peer() -> None:
    """One honest peer drops the seat for what it did at the antes, the other for what it did in the deck lane."""
    bench = shuffling(7100)
    one, other, bent = bench.peers
    claim(bench, bent, misbehave_at_the_antes(bench, bent, one), one)
    claim(bench, bent, misbehave_in_the_deck(bench, bent, other), other)
    assert [play_of(peer).attempt for peer in (one, other)] == [1, 1], "each has dropped it on its own"
    assert_honest_seats_play_on(bench, bent)


def test_whoever_has_claimed_in_an_attempt_that_was_given_up_signs_in_the_next() -> None:
    """A vote that nobody will end any more, since its attempt is over, doesn't keep its voter out of the deal."""
    bench = shuffling(7101)
    one, other, bent = bench.peers
    place = misbehave_in_the_deck(bench, bent, other)
    claim(bench, bent, misbehave_at_the_antes(bench, bent, one), one)
    assert Question(place, seat_of(bent)) in lanes_of(other).ballots.claimed
    assert play_of(one).attempt == 1
    assert_honest_seats_play_on(bench, bent)
