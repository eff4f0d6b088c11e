"""Liars who vote both ways in one round, each way to some; then they vanish, or go on.

So a round seems to have ended in claims to some and in acks to others. Once both votes are known, neither counts: what
a certificate has done that is none any more is undone, and the honest ones vote on until they agree.
"""

from __future__ import annotations

import pytest

from azi_p2p.session.absence import GRACE_SECONDS
from azi_p2p.session.events import FaultSeen, SeatAbsent
from azi_p2p.wire.envelope import decode_envelope
from azi_p2p.wire.messages import Bid
from tests.attacks.bench import assert_agreed, events, faults_of, lanes_of, play_of, run_to_end, seat_of, stay_in
from tests.attacks.test_votes import acting, seat_in_turn, vote

pytestmark = pytest.mark.usefixtures("ideal_cryptography")


@pytest.mark.parametrize("mover", ["a liar", "an honest one"])
@pytest.mark.parametrize("gone", [True, False])
@pytest.mark.parametrize("count", [3, pytest.param(5, marks=pytest.mark.long)])
def test_claims_to_one_and_acks_to_the_others(count: int, gone: bool, mover: str) -> None:
    """One honest peer has claimed just before the move came to the others."""
    bench = acting(count, 61)
    moves = seat_in_turn(bench)
    others = bench.others(moves)
    liars = [moves, *others][: count // 2] if mover == "a liar" else others[: count // 2]
    late, *rest = [peer for peer in bench.peers if peer not in liars and peer is not moves]
    rest += [] if moves in liars else [moves]
    place, seat = play_of(moves).place, seat_of(moves)
    for peer in bench.peers:
        peer.chooser = None
    for liar in liars:
        bench.bend(liar, lambda _: None)
    bench.now = lanes_of(late).play_inbox.since + play_of(late).params.turn_seconds + GRACE_SECONDS + 0.1
    bench._perform(late, late.table.tick(bench.now))
    move = decode_envelope(bench.forge(moves, place, Bid(to=30)))
    for peer in rest:
        bench.inject(peer, move.raw, moves.key)
    for liar in liars:
        bench.inject(late, vote(bench, liar, place, seat), liar.key)
        for peer in rest:
            bench.inject(peer, vote(bench, liar, place, seat, verdict="ack", move=move.id), liar.key)
    assert seat in play_of(late).absent
    assert all(play_of(peer).step == place.step + 1 and not play_of(peer).absent for peer in rest)
    for liar in liars if gone else []:
        bench.kill(liar)
    for peer in bench.others(*liars):
        peer.chooser = stay_in
    run_to_end(bench, *liars, seconds=2_000)
    assert_agreed(bench, *liars)
    for peer in bench.others(*liars):
        assert {fault[0] for fault in faults_of(peer)} == {seat_of(liar) for liar in liars}
    for peer in rest:
        assert {event.seat for event in events(peer, SeatAbsent)} <= {seat_of(liar) for liar in liars}


def test_a_third_vote_in_one_round_says_nothing_new() -> None:
    """It is neither kept nor passed on, and nobody is told once more of what is known."""
    bench = acting(3, 62)
    liar = next(peer for peer in bench.peers if peer is not seat_in_turn(bench))
    here, other = (peer for peer in bench.peers if peer is not liar)
    place, seat = play_of(here).place, seat_of(seat_in_turn(bench))
    for number in range(2):
        bench.inject(here, vote(bench, liar, place, seat, verdict="ack", move=bytes([number]) * 32), liar.key)
    known, passed_on = len(faults_of(here)), len(bench.wire[here.key, other.key])
    assert len(events(here, FaultSeen)) == known == 1
    for number in range(2, 30):
        bench.inject(here, vote(bench, liar, place, seat, verdict="ack", move=bytes([number]) * 32), liar.key)
    assert len(events(here, FaultSeen)) == 1
    assert len(bench.wire[here.key, other.key]) == passed_on
