"""How votes are counted, who may vote, when a claim may be made, and what it binds its author to.

The attacks by votes on a whole table are in `test_votes`; here each rule of counting stands by itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pytest

from azi_p2p.crypto.identity import IdentityKey
from azi_p2p.session.absence import GRACE_SECONDS, LINK_GRACE_SECONDS, MINORITY_GRACE_SECONDS, STEP_SECONDS, Reach
from azi_p2p.session.archive import Archive
from azi_p2p.session.events import AbsenceClaimed, FaultSeen, SeatAbsent
from azi_p2p.session.playstate import PlayPhase
from azi_p2p.session.votes import Poll, Question
from azi_p2p.wire.envelope import Envelope, Place, decode_envelope
from azi_p2p.wire.frame import EnvelopeFrame, Frame
from azi_p2p.wire.messages import Bid, Call, Fold, Vote
from tests.attacks.bench import (
    Bench,
    assert_agreed,
    bench_of,
    events,
    lanes_of,
    play_of,
    run_to_end,
    seat_of,
    sign,
    small,
    two_stay,
)
from tests.attacks.test_votes import assert_nobody_hurt, seat_in_turn, vote, vote_place
from tests.session.harness import Peer

pytestmark = pytest.mark.usefixtures("ideal_cryptography")

HEAD = b"h" * 32
ABOUT = Question(Place("play", 1, 0, 5, HEAD), 5)
M, N = b"m" * 32, b"n" * 32


def cast(voter: int, verdict: Literal["claim", "ack"] = "claim", move: bytes = b"", number: int = 0) -> Envelope:
    """A signed vote of a seat about ABOUT."""
    body = Vote(lane="play", seat=ABOUT.seat, round=number, verdict=verdict, move=move, evidence=[])
    identity = IdentityKey.from_seed(bytes([voter + 1]) * 32)
    return decode_envelope(sign(identity, b"t" * 32, replace(ABOUT.place, lane="vote"), body))


def poll_of(roster: range, *votes: tuple[int, Envelope]) -> Poll:
    poll = Poll(ABOUT)
    for voter, envelope in votes:
        poll.count(voter, envelope, roster)
    return poll


# Counting


@pytest.mark.parametrize("seats", range(1, 7))
def test_no_certificate_by_half_of_the_roster(seats: int) -> None:
    roster = range(seats)
    claims = [(voter, cast(voter)) for voter in roster]
    for number in range(seats + 1):
        assert poll_of(roster, *claims[:number]).certified == (2 * number > seats)


def test_votes_of_seats_outside_the_roster_are_not_counted() -> None:
    assert not poll_of(range(3), (0, cast(0)), (4, cast(4)), (5, cast(5))).certified
    assert poll_of(range(3), (0, cast(0)), (4, cast(4)), (1, cast(1))).certified


def test_two_votes_of_a_seat_in_one_round_count_for_neither() -> None:
    poll = poll_of(range(3), (0, cast(0)), (0, cast(0, "ack", M)), (1, cast(1)))
    assert poll.outcome is None
    poll.count(1, cast(1, "ack", M), range(3))
    poll.count(2, cast(2, "ack", M), range(3))
    assert poll.outcome is None


def test_a_third_vote_of_a_seat_in_one_round_does_not_count_again() -> None:
    poll = poll_of(range(3), (0, cast(0)), (0, cast(0, "ack", M)), (0, cast(0)), (1, cast(1)))
    assert poll.outcome is None


def test_acks_are_no_claims_and_acks_for_two_moves_do_not_add_up() -> None:
    assert poll_of(range(3), (0, cast(0)), (1, cast(1, "ack", M))).outcome is None
    assert poll_of(range(3), (0, cast(0, "ack", M)), (1, cast(1, "ack", N))).outcome is None
    stands = poll_of(range(3), (0, cast(0, "ack", M)), (1, cast(1, "ack", M))).outcome
    assert stands is not None
    assert stands.move == M


def test_votes_of_two_rounds_do_not_add_up() -> None:
    assert poll_of(range(3), (0, cast(0)), (1, cast(1, number=1))).outcome is None


def test_of_two_rounds_that_ended_differently_the_higher_one_stands() -> None:
    low = [(voter, cast(voter)) for voter in (0, 1)]
    high = [(voter, cast(voter, "ack", M, 1)) for voter in (0, 1)]
    assert not poll_of(range(3), *low, *high).certified
    assert not poll_of(range(3), *high, *low).certified


def test_a_certificate_is_the_same_wherever_it_is_put_together() -> None:
    """It holds the claims of a majority and no more, lowest seats first; a second, larger one changes nothing."""
    order = (2, 0, 1)
    poll = poll_of(range(5), *((voter, cast(voter)) for voter in order))
    assert poll.outcome is not None
    assert [envelope.id for envelope in poll.outcome.votes] == [cast(voter).id for voter in (0, 1, 2)]
    poll = Poll(ABOUT)
    for voter in range(1, 5):
        poll.votes.setdefault(0, {})[voter] = cast(voter)
    poll.count(0, cast(0), range(5))
    assert poll.outcome is not None
    assert len(poll.outcome.votes) == 3


def test_a_step_is_closed_by_more_than_half_of_the_roster() -> None:
    for seats in range(2, 7):
        archive = Archive()
        keys = [bytes([seat]) * 32 for seat in range(seats)]
        archive.record(1, 1, HEAD, [b"move"], keys)
        for seat in range(seats):
            assert bool(archive.flush(keys)) == (2 * seat > seats and 2 * (seat - 1) <= seats)
            archive.ack(bytes([seat]) * 32, 1, 2)


# When a claim may be made


PEERS = [bytes([number]) * 32 for number in range(5)]


def reach(*linked: int) -> Reach:
    """What the first of five reaches that is linked to these, and has been for long."""
    result = Reach(PEERS[0])
    for number in linked:
        result.link_up(PEERS[number])
    result.look(PEERS, 0.0)
    return result


def test_who_reaches_nobody_claims_nobody() -> None:
    assert reach().claim_time(PEERS[1], 100.0) == float("inf")


def test_there_is_a_grace_after_the_deadline() -> None:
    assert reach(1, 2, 3).claim_time(PEERS[4], 100.0) == 100.0 + GRACE_SECONDS


def test_who_is_cut_off_with_a_minority_gives_the_others_more_time() -> None:
    assert reach(1).claim_time(PEERS[4], 100.0) == 100.0 + GRACE_SECONDS + MINORITY_GRACE_SECONDS


def test_who_has_lost_its_link_has_time_to_come_back() -> None:
    here = reach(1, 2, 3, 4)
    here.link_down(PEERS[4], 99.0)
    assert here.claim_time(PEERS[4], 100.0) == 99.0 + LINK_GRACE_SECONDS
    here.link_up(PEERS[4])
    assert here.claim_time(PEERS[4], 100.0) == 100.0 + GRACE_SECONDS


def test_who_has_just_come_back_itself_gives_the_others_time_to_do_so() -> None:
    here = reach()
    for number in (1, 2, 3):
        here.link_up(PEERS[number])
    here.look(PEERS, 99.0)
    assert here.claim_time(PEERS[4], 90.0) == 99.0 + STEP_SECONDS


def test_nobody_is_claimed_before_its_time_is_up() -> None:
    """A person thinks for as long as the table allows, and a little longer; then the others say so."""
    bench = bench_of(3, small(3), 62, None)
    acting = PlayPhase.ACT
    bench.run(lambda: all(p.table.lanes and play_of(p).phase is acting for p in bench.peers), steps=3000)
    thinking = seat_in_turn(bench)
    watched = next(peer for peer in bench.peers if peer is not thinking)
    assert watched.table._running is not None
    watch = watched.table._running.watch
    due = lanes_of(watched).play_inbox.since + play_of(thinking).params.turn_seconds + GRACE_SECONDS
    own = seat_of(watched)
    assert list(watch.votes(own, bench.now)) == []
    assert list(watch.votes(own, due - 0.1)) == []
    assert [(vote.seat, vote.verdict) for _, vote in watch.votes(own, due + 0.1)] == [(seat_of(thinking), "claim")]


def test_a_fault_is_claimed_at_once() -> None:
    bench = bench_of(3, small(3), 62, two_stay)
    bench.run(lambda: all(peer.table.lanes and play_of(peer).phase is PlayPhase.ACT for peer in bench.peers))
    bent = seat_in_turn(bench)
    bench.bend(bent, lambda envelope: Bid(to=10**9) if envelope.lane == "play" else envelope.raw)
    began = bench.now
    bench.run(lambda: all(events(peer, SeatAbsent) for peer in bench.others(bent)))
    assert bench.now - began < GRACE_SECONDS


# Who may vote, and about what


def test_a_vote_about_a_seat_that_is_not_there() -> None:
    bench = bench_of(3, small(3), 62, two_stay)
    bench.run(lambda: all(peer.table.lanes and play_of(peer).phase is PlayPhase.ACT for peer in bench.peers))
    bent = bench.peers[1]
    for seat in (3, 4, 5):
        bench.broadcast(bent, vote(bench, bent, play_of(bent).place, seat, evidence=(b"any",)))
    run_to_end(bench)
    assert_nobody_hurt(bench)
    for peer in bench.others(bent):
        assert not events(peer, AbsenceClaimed)


def test_a_seat_that_is_away_has_no_vote() -> None:
    """It was certified absent in the first deal; in the second its claims aren't even heard."""
    bench = bench_of(4, small(4, deals=2), 63, two_stay)
    gone = bench.peers[3]
    bench.run(lambda: all(peer.table.lanes and play_of(peer).phase is PlayPhase.ACT for peer in bench.peers))
    bench.kill(gone)

    def in_second_deal() -> bool:
        others = bench.others(gone)
        return all(play_of(peer).deal == 2 and play_of(peer).phase is PlayPhase.ACT for peer in others)

    bench.run(in_second_deal)
    watched = bench.peers[0]
    assert seat_of(gone) not in play_of(watched).roster
    deck = play_of(watched).deck
    assert deck is not None
    assert seat_of(gone) not in deck.seats
    told = len(events(watched, AbsenceClaimed))
    polls = set(lanes_of(watched).ballots.polls)
    for seat in play_of(watched).roster:
        bench.inject(watched, vote(bench, gone, play_of(watched).place, seat), bench.peers[1].key)
    assert len(events(watched, AbsenceClaimed)) == told
    assert set(lanes_of(watched).ballots.polls) == polls
    run_to_end(bench)
    assert_agreed(bench)


def test_a_majority_can_not_take_back_what_is_closed() -> None:
    """Even if three of four claimed a seat absent where it has moved and all have signed on top, nothing is undone."""
    bench = bench_of(4, small(4), 64, two_stay)
    bench.run(lambda: all(peer.table.lanes and play_of(peer).phase is PlayPhase.ACT for peer in bench.peers))
    watched = bench.peers[0]
    lanes = lanes_of(watched)

    def closed_move() -> bool:
        return any(
            past.place.lane == "play"
            and past.state is not None
            and past.state.phase is PlayPhase.ACT
            and lanes.archive.is_written(past.place.deal, past.place.step)
            for past in lanes.past.values()
        )

    bench.run(closed_move)
    past = next(past for past in lanes.past.values() if past.state is not None and past.state.phase is PlayPhase.ACT)
    (seat,) = past.moves
    before, ledger = play_of(watched), watched.ledger
    for voter in bench.peers[1:]:
        bench.inject(watched, vote(bench, voter, past.place, seat), bench.peers[1].key)
    assert play_of(watched) == before
    assert watched.ledger.startswith(ledger)


# Evidence


def acting(seed: int) -> Bench:
    bench = bench_of(4, small(4), seed, two_stay)
    bench.run(lambda: all(peer.table.lanes and play_of(peer).phase is PlayPhase.ACT for peer in bench.peers))
    return bench


def test_evidence_that_the_accused_has_not_signed() -> None:
    """Two messages for one slot in the victim's name, under a signature that isn't its own."""
    bench = acting(65)
    bent, victim = bench.peers[1], bench.peers[2]
    bench.hush(bent)
    place = play_of(victim).place
    forged = []
    for body in (Fold(), Call()):
        envelope = decode_envelope(bench.forge(victim, place, body))
        forged.append(envelope.raw[:-64] + bytes(64))
    bench.broadcast(bent, vote(bench, bent, place, seat_of(victim), evidence=tuple(forged)))
    bench.broadcast(bent, vote(bench, bent, place, seat_of(victim), number=1, evidence=(forged[0],)))
    run_to_end(bench)
    assert_nobody_hurt(bench)


def test_evidence_of_its_own_fault_against_another() -> None:
    """The voter encloses two messages that it has itself signed for one slot: nothing against the victim."""
    bench = acting(66)
    bent, victim = bench.peers[1], bench.peers[2]
    bench.hush(bent)
    place = play_of(victim).place
    own = tuple(bench.forge(bent, place, body) for body in (Fold(), Call()))
    bench.broadcast(bent, vote(bench, bent, place, seat_of(victim), evidence=own))
    run_to_end(bench)
    for peer in bench.others(bent):
        assert seat_of(victim) not in {fault.seat for fault in events(peer, FaultSeen)}
        assert seat_of(victim) not in {event.seat for event in events(peer, SeatAbsent)}


# What a claim binds to


def test_whoever_has_claimed_signs_nothing_on_top_before_the_vote_has_ended() -> None:
    """One of four hasn't got a move in time and has claimed; then the move comes, the votes of the others don't."""
    bench = acting(67)
    mover = seat_in_turn(bench)
    place = play_of(mover).place
    late = next(peer for peer in bench.peers if seat_of(peer) == (seat_of(mover) + 1) % 4)
    kept: list[Envelope] = []
    votes_pass = False

    def cut(sender: Peer, receiver: Peer, frame: Frame) -> Frame | None:
        if receiver is late and isinstance(frame, EnvelopeFrame):
            envelope = decode_envelope(frame.envelope)
            if envelope.author == mover.key and envelope.prev == place.prev and envelope.lane == "play":
                kept.append(envelope)
                return None
            if isinstance(envelope.body, Vote) and not votes_pass:
                return None
        return frame

    bench.tamper = cut

    def claimed() -> bool:
        return any(question.place == place for question in lanes_of(late).ballots.claimed)

    # The move comes within the grace, so that only the one who doesn't get it claims.
    bench.now += play_of(mover).params.turn_seconds + GRACE_SECONDS / 2
    bench.run(claimed)
    assert kept
    bench.inject(late, kept[0].raw, mover.key)
    assert play_of(late).owed == (seat_of(late),)
    assert lanes_of(late).is_bound("play")
    assert late.table.view().legal == ()
    votes_pass = True
    run_to_end(bench)
    assert_nobody_hurt(bench)


def test_a_vote_place_is_the_place_of_its_question() -> None:
    """A vote about one head is none about another: the place of the payload is what the question is made of."""
    bench = acting(68)
    bent, watched = bench.peers[1], bench.peers[0]
    place = play_of(watched).place
    other = replace(place, prev=b"x" * 32)
    for step in (replace(place, step=place.step + 1), replace(place, deal=place.deal + 1), other):
        for voter in bench.peers[1:]:
            raw = vote(bench, voter, step, seat_of(watched))
            assert decode_envelope(raw).prev == vote_place(step).prev
            bench.inject(watched, raw, bent.key)
    assert not events(watched, SeatAbsent)
    assert play_of(watched).place == place
