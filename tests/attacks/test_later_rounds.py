"""Votes of which two rounds end differently: the later one stands; nobody signs on top of what may be undone."""

from __future__ import annotations

import pytest

from azi_p2p.session.playstate import PlayPhase
from azi_p2p.session.votes import Question
from azi_p2p.wire.envelope import Envelope
from azi_p2p.wire.messages import Vote
from tests.attacks.bench import Bench, assert_agreed, bench_of, lanes_of, play_of, run_to_end, seat_of, small, stay_in
from tests.attacks.test_votes import acting, seat_in_turn, vote
from tests.session.harness import Peer

pytestmark = pytest.mark.usefixtures("ideal_cryptography")


def withheld(seed: int) -> tuple[Bench, Peer, list[Peer], Envelope]:
    """A table of five, on which nobody's votes go out: who is in turn, the four others, and the move that none has."""
    bench = acting(5, seed)
    silent = seat_in_turn(bench)
    place, kept = play_of(silent).place, []
    bench.hush(*bench.peers)

    def withhold(envelope: Envelope) -> bytes | None:
        if envelope.lane == "play" and envelope.prev == place.prev:
            kept.append(envelope)
            return None
        return None if isinstance(envelope.body, Vote) else envelope.raw

    bench.bend(silent, withhold)
    bench.run(lambda: bool(kept))
    return bench, silent, bench.others(silent), kept[0]


def test_what_a_certificate_has_done_is_undone_when_a_later_round_ends_in_acks() -> None:
    """One knows the claims of the first round, and goes on; the others have acked in the second meanwhile."""
    bench, silent, (early, *voters), move = withheld(71)
    place, seat = play_of(silent).place, seat_of(silent)
    place = lanes_of(early).play.place
    for voter in voters:
        raw = vote(bench, voter, place, seat)
        bench.inject(voter, raw, voter.key)
        bench.inject(early, raw, voter.key)
    assert seat in play_of(early).absent
    for peer in (early, *voters):
        for voter in voters:
            bench.inject(peer, vote(bench, voter, place, seat, verdict="ack", number=1, move=move.id), voter.key)
    assert play_of(early).place == place
    assert seat not in play_of(early).absent
    bench.unbend(*bench.peers)
    for peer in (early, *voters):
        bench.inject(peer, move.raw, silent.key)
    run_to_end(bench)
    assert_agreed(bench)


def test_whoever_knows_how_a_vote_has_ended_votes_the_same_again() -> None:
    """It needn't hold the move: else a majority that has acked could be outvoted by those who know of the acks."""
    bench, silent, (late, *voters), move = withheld(72)
    place, seat = lanes_of(late).play.place, seat_of(silent)
    for voter in voters:
        bench.inject(late, vote(bench, voter, place, seat, verdict="ack", move=move.id), voter.key)
    for voter in voters[:2]:
        bench.inject(late, vote(bench, voter, place, seat, number=1), voter.key)
    bench.inject(late, vote(bench, voters[2], place, seat, verdict="ack", number=1, move=move.id), voters[2].key)
    own = lanes_of(late).ballots.polls[Question(place, seat)].votes[1][seat_of(late)].body
    assert isinstance(own, Vote)
    assert (own.verdict, own.move) == ("ack", move.id)


def test_a_claim_about_an_attempt_that_was_given_up_binds_as_long_as_its_seat_is_dealt_in() -> None:
    """Its certificate may be known to somebody else, and drops the seat from the next attempt as well."""
    bench = bench_of(5, small(5), 73, stay_in)
    bench.hush(*bench.peers)
    bench.run(lambda: all(peer.table.lanes and play_of(peer).phase is PlayPhase.OPEN for peer in bench.peers))
    claimer, gone, slow, *others = bench.peers
    deck = lanes_of(claimer).deck
    assert deck is not None
    place = deck.place
    for seat in (seat_of(gone), seat_of(slow)):
        bench.inject(claimer, vote(bench, claimer, place, seat), claimer.key)
    for voter in others:
        bench.inject(claimer, vote(bench, voter, place, seat_of(gone)), voter.key)
    assert play_of(claimer).attempt == 1
    assert seat_of(slow) in play_of(claimer).present
    assert lanes_of(claimer).is_bound("play")
    assert not lanes_of(claimer).is_bound("deck"), "another deck may be prepared meanwhile"
    for voter in (slow, *others):
        raw = vote(bench, voter, place, seat_of(slow), verdict="ack", number=1, move=bytes(32))
        bench.inject(claimer, raw, voter.key)
    assert not lanes_of(claimer).is_bound("play")


def test_an_ack_of_a_later_round_binds_against_the_certificate_of_an_earlier_one() -> None:
    bench, silent, (torn, *voters), move = withheld(74)
    place, seat = lanes_of(torn).play.place, seat_of(silent)
    bench.inject(torn, vote(bench, torn, place, seat, verdict="ack", number=1, move=move.id), torn.key)
    for voter in voters:
        bench.inject(torn, vote(bench, voter, place, seat), voter.key)
    assert seat in play_of(torn).absent
    assert lanes_of(torn).is_bound("play")
    for voter in voters:
        bench.inject(torn, vote(bench, voter, place, seat, number=1), voter.key)
    assert not lanes_of(torn).is_bound("play")
