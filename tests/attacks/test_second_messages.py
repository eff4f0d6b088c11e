"""A seat proven at fault signs two messages for one slot: its first fault must not hide the second one.

Faults are bounded so that nobody can flood the table with them; but two messages for a slot part the chains of those
who have gone on, and both halves have to find out, whatever else their author has signed.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from azi_p2p.session.events import SeatAbsent
from azi_p2p.wire.envelope import Place
from azi_p2p.wire.messages import Bid, Fold
from tests.attacks.bench import Bench, assert_agreed, events, lanes_of, play_of, run_to_end, seat_of
from tests.attacks.test_votes import acting, seat_in_turn
from tests.session.harness import Peer

pytestmark = pytest.mark.usefixtures("ideal_cryptography")

SEATS = [(3, True), (4, False), pytest.param(5, True, marks=pytest.mark.long)]
"""How many sit at the table, and whether the liar goes after it has lied."""


def liar_in_turn(count: int) -> tuple[Bench, Peer, Place, list[Peer]]:
    """A table in its first deal, of which the seat in turn sends nothing that its own session signs."""
    bench = acting(count, 31)
    bent = seat_in_turn(bench)
    bench.bend(bent, lambda _: None)
    return bench, bent, play_of(bent).place, bench.others(bent)


def out_of_turn(bench: Bench, bent: Peer, watched: Peer) -> None:
    """Let a peer get a message of the liar that is a fault of no consequence just now."""
    bench.inject(watched, bench.forge(bent, play_of(watched).place, Fold()), bent.key)


def assert_played_on(bench: Bench, bent: Peer, *, gone: bool) -> None:
    """The others come to the end, agree, and nobody else was certified absent."""
    if gone:
        bench.kill(bent)
    run_to_end(bench, bent, seconds=2_000)
    assert_agreed(bench, bent)
    for peer in bench.others(bent):
        assert {event.seat for event in events(peer, SeatAbsent)} <= {seat_of(bent)}


@pytest.mark.parametrize(("count", "gone"), SEATS)
def test_two_moves_and_then_one_out_of_turn(count: int, gone: bool) -> None:
    """The last one comes to everybody before the others can pass on which of the two moves they have."""
    bench, bent, place, others = liar_in_turn(count)
    for peer, bid in zip(others, (20, *[30] * count), strict=False):
        bench.inject(peer, bench.forge(bent, place, Bid(to=bid)), bent.key)
        out_of_turn(bench, bent, peer)
    assert len({play_of(peer).head for peer in others}) == 2
    assert_played_on(bench, bent, gone=gone)


@pytest.mark.parametrize(("count", "gone"), SEATS)
@pytest.mark.parametrize("first", ["another move", "another step on that head"])
def test_a_move_that_comes_to_some_after_a_fault(count: int, gone: bool, first: str) -> None:
    """Who knows of the fault first claims at once; the others have gone on, and must answer."""
    bench, bent, place, others = liar_in_turn(count)
    move = bench.forge(bent, place, Bid(to=30))
    fault = bench.forge(bent, place, Bid(to=10**8))
    if first == "another step on that head":
        fault = bench.forge(bent, replace(place, step=place.step + 1), Fold())
    late = others[-1]
    for peer in others[:-1]:
        bench.inject(peer, move, bent.key)
        out_of_turn(bench, bent, peer)
    for raw in (fault, move):
        bench.inject(late, raw, bent.key)
    assert any(question.place == place for question in lanes_of(late).ballots.claimed)
    assert_played_on(bench, bent, gone=gone)
