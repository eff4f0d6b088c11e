"""Whoever comes late hears first of a certificate that came too late for the others: the step had long been closed."""

from __future__ import annotations

import pytest

from azi_p2p.session.absence import GRACE_SECONDS
from azi_p2p.session.table import Table
from azi_p2p.session.votes import Question
from azi_p2p.wire.envelope import decode_envelope
from azi_p2p.wire.messages import Bid, Vote
from tests.attacks.bench import assert_agreed, lanes_of, play_of, run_to_end, seat_of, two_stay
from tests.attacks.test_votes import acting, seat_in_turn, vote

pytestmark = pytest.mark.usefixtures("ideal_cryptography")


@pytest.mark.parametrize("deal", [1, 3])
def test_certificate_that_an_onlooker_hears_first(deal: int) -> None:
    """One honest peer claimed a liar absent whose move came a moment late; the liar keeps its own claim back."""
    bench = acting(3, 61, deals=3)
    liar = seat_in_turn(bench)
    slow, quick = bench.others(liar)
    place, seat = play_of(liar).place, seat_of(liar)
    for peer in bench.peers:
        peer.chooser = None
    bench.hush(liar)
    bench.now = lanes_of(slow).play_inbox.since + play_of(slow).params.turn_seconds + GRACE_SECONDS + 0.1
    bench._perform(slow, slow.table.tick(bench.now))
    move = bench.forge(liar, place, Bid(to=30))
    for peer in (quick, slow, liar):
        bench.inject(peer, move, liar.key)
    players = list(bench.peers)
    for peer in players:
        peer.chooser = two_stay
    bench.run(lambda: all(lanes_of(p).archive.is_written(place.deal, place.step) for p in players))
    bench.run(lambda: all(play_of(peer).deal == deal for peer in players))
    signed = [decode_envelope(entry.record) for entry in slow.journal if entry.kind == "envelope"]
    claim = next(e for e in signed if isinstance(e.body, Vote) and (e.body.verdict, e.body.round) == ("claim", 0))
    onlooker = bench.add(Table.watch(liar.table.table_id), "Onlooker", bytes(32), None)
    for peer in players:
        bench.link(peer, onlooker)
    bench.run(lambda: onlooker.table.lanes is not None)
    for raw in (claim.raw, vote(bench, liar, place, seat)):
        bench.inject(onlooker, raw, liar.key)
    poll = lanes_of(onlooker).ballots.polls[Question(place, seat)]
    assert poll.certified
    run_to_end(bench)
    assert_agreed(bench)
