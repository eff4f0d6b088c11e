"""A peer that is back with an older profile must not vote otherwise where it has voted: it would be at fault.

How a vote has ended is known everywhere; whose votes were outvoted in it, only to those who hold them.
"""

from __future__ import annotations

import pytest

from azi_p2p.session.absence import GRACE_SECONDS
from azi_p2p.session.own import Memory
from azi_p2p.session.votes import Question
from azi_p2p.wire.envelope import decode_envelope
from azi_p2p.wire.messages import Bid, Vote
from tests.attacks.bench import assert_agreed, faults_of, lanes_of, play_of, run_to_end, seat_of, stay_in
from tests.attacks.test_votes import acting, seat_in_turn, vote
from tests.session.harness import memory_of
from tests.session.test_restart import restart

pytestmark = pytest.mark.usefixtures("ideal_cryptography")


@pytest.mark.parametrize("count", [3, 5])
@pytest.mark.parametrize("above", [1, 2])
def test_a_vote_that_has_ended_goes_on_when_one_is_back_with_an_older_profile(count: int, above: int) -> None:
    """It had claimed, the others have acked since; it has forgotten that, and a liar votes in a later round."""
    bench = acting(count, 41)
    mover = seat_in_turn(bench)
    late, *rest = bench.others(mover)
    question = Question(play_of(mover).place, seat_of(mover))
    for peer in bench.peers:
        peer.chooser = None
    bench.hush(mover)
    overdue = lanes_of(late).play_inbox.since + play_of(late).params.turn_seconds + GRACE_SECONDS + 0.1
    bench._perform(late, late.table.tick(overdue))
    assert question in lanes_of(late).ballots.claimed
    move = bench.forge(mover, question.place, Bid(to=30))
    for peer in (*rest, late):
        bench.inject(peer, move, mover.key)
    bench.run(lambda: not any(lanes_of(peer).is_bound("play") for peer in (late, *rest)))
    signed = [raw for raw in memory_of(late.journal).envelopes if not isinstance(decode_envelope(raw).body, Vote)]
    back = restart(bench, late, seed=41, memory=Memory(signed))
    bench.run(lambda: back.table._running is not None and not back.table._running.silent)
    newest = max(lanes_of(rest[0]).ballots.polls[question].reached.values())
    raw = vote(bench, mover, question.place, question.seat, number=newest + above)
    bench.broadcast(mover, raw)
    for peer in bench.peers:
        peer.chooser = stay_in
    run_to_end(bench, mover)
    for peer in bench.others(mover):
        assert not faults_of(peer)
    assert_agreed(bench, mover)
