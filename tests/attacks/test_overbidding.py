"""A seat that bids, checks or folds where the table doesn't allow it: a fault like any other move against the rules."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from azi_p2p import rules
from azi_p2p.session.commands import Act
from azi_p2p.session.playstate import PlayPhase
from azi_p2p.wire.messages import Bid, Body, Check, Fold
from tests.attacks.bench import Bench, bench_of, faults_of, play_of, seat_of, small
from tests.attacks.test_votes import seat_in_turn


def has_moved(bench: Bench, seat: int) -> bool:
    return all(play_of(peer).owed != (seat,) for peer in bench.peers)


def test_raise_more_often_than_the_table_allows() -> None:
    bench = bench_of(2, replace(small(2), max_bids=1), 98, None)
    bench.run(lambda: all(peer.table.lanes and play_of(peer).phase is PlayPhase.ACT for peer in bench.peers))
    for to in (10, 20):
        asked = seat_in_turn(bench)
        bench.submit(asked, Act(rules.Bid(seat_of(asked), to)))
        bench.run(partial(has_moved, bench, seat_of(asked)))
    bent = seat_in_turn(bench)
    (watched,) = bench.others(bent)
    assert "bid" not in {option.do for option in bent.table.view().legal}
    bench.inject(watched, bench.forge(bent, play_of(bent).place, Bid(to=30)), bent.key)
    assert {fault[:2] for fault in faults_of(watched)} == {(seat_of(bent), "no_bids_left")}


@pytest.mark.parametrize("body", [Check(), Fold()], ids=["check", "fold"])
def test_opener_that_neither_bids_nor_may_do_anything_else(body: Body) -> None:
    """At this table the opener must bid, as long as it can."""
    bench = bench_of(2, small(2), 98, None)
    bench.run(lambda: all(peer.table.lanes and play_of(peer).phase is PlayPhase.ACT for peer in bench.peers))
    bent = seat_in_turn(bench)
    (watched,) = bench.others(bent)
    bench.inject(watched, bench.forge(bent, play_of(bent).place, body), bent.key)
    assert {fault[:2] for fault in faults_of(watched)} == {(seat_of(bent), "must_bid")}
