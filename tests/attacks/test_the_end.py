"""Certificates about steps after which little or nothing is signed: receipts, standings, and everybody at once."""

from __future__ import annotations

import pytest

from azi_p2p.session.commands import Wish
from azi_p2p.session.events import SeatAbsent
from azi_p2p.session.playstate import PlayPhase
from azi_p2p.wire.messages import Close, End, Fold, Tokens, Vote
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
    stay_in,
)
from tests.attacks.test_votes import vote
from tests.second_verifier.compare import disagreement
from tests.session.harness import Peer, memory_of

pytestmark = pytest.mark.usefixtures("ideal_cryptography")


def held_at(phase: PlayPhase, kind: type[Tokens | Close | End], seed: int) -> Bench:
    """A table of three at which all wait for messages of one kind, which nobody gets; nor any vote but by hand."""
    bench = bench_of(3, small(3), seed, stay_in)
    for peer in bench.peers:
        bench.bend(peer, lambda envelope: None if isinstance(envelope.body, kind | Vote) else envelope.raw)
    bench.run(lambda: all(peer.table.lanes and play_of(peer).phase is phase for peer in bench.peers))
    return bench


def assert_one_end(bench: Bench, *gone: Peer) -> None:
    """All who are left are at the end of one chain, and both verifiers find each ledger in order."""
    run_to_end(bench, *gone, seconds=900)
    assert_agreed(bench, *gone)
    for ledger in {peer.ledger for peer in bench.others(*gone)}:
        assert disagreement(ledger) == ""


def test_one_has_all_standings_and_the_others_certify_it_absent() -> None:
    """Its own standings reached nobody. It is at the end before it hears of the certificate, and stays there."""
    bench = held_at(PlayPhase.END, End, 7400)
    first, others = bench.peers[0], bench.peers[1:]
    for peer in others:
        (own,) = lanes_of(peer).play_inbox.moves.values()
        bench.inject(first, own.raw, peer.key)
    assert first.table.ended
    for peer in others:
        for voter in others:
            place = play_of(peer).place
            bench.inject(peer, vote(bench, voter, place, seat_of(first)), voter.key)
    bench.unbend(*bench.peers)
    assert_one_end(bench)
    assert len({peer.ledger for peer in bench.peers}) == 2, "who has signed differs, and nothing else"


def test_one_that_went_on_alone_is_not_over() -> None:
    """It has learnt first that all others are certified absent, and signs the end alone: nothing is final by that."""
    bench = held_at(PlayPhase.CLOSE, Close, 7402)
    alone, others = bench.peers[0], bench.peers[1:]
    place = play_of(alone).place
    for absent in others:
        for voter in bench.others(absent):
            bench.inject(alone, vote(bench, voter, place, seat_of(absent)), voter.key)
    assert play_of(alone).phase is PlayPhase.ENDED
    assert not alone.table.ended
    for absent in (alone, *others):
        for voter in bench.others(absent):
            for peer in bench.peers:
                bench.inject(peer, vote(bench, voter, place, seat_of(absent)), voter.key)
    bench.unbend(*bench.peers)
    assert_one_end(bench)


@pytest.mark.parametrize(
    ("phase", "kind"), [(PlayPhase.END, End), (PlayPhase.CLOSE, Close), (PlayPhase.TOKENS, Tokens)]
)
def test_everybody_is_certified_absent(phase: PlayPhase, kind: type[Tokens | Close | End]) -> None:
    """As after an outage, by certificates that come when all have their links again: the table comes to its end."""
    bench = held_at(phase, kind, 7401)
    place = play_of(bench.peers[0]).place
    votes: list[tuple[Peer, bytes]] = []
    for absent in bench.peers:
        votes += [(voter, vote(bench, voter, place, seat_of(absent))) for voter in bench.others(absent)]
    for peer in bench.peers:
        for voter, raw in sorted(votes, key=lambda entry: entry[0] is not peer):
            bench.inject(peer, raw, voter.key)
    bench.unbend(*bench.peers)
    assert_one_end(bench)


@pytest.mark.parametrize(("count", "leaving"), [(2, 1), pytest.param(4, 3, marks=pytest.mark.long)])
def test_a_majority_leaves_and_the_table_is_over_for_everybody(count: int, leaving: int) -> None:
    """Whoever stays can't end the table alone: those who have left agree to the end as well."""
    bench = bench_of(count, small(count, deals=3), 7403, stay_in)
    bench.run(lambda: all(peer.table.lanes and play_of(peer).phase is PlayPhase.ACT for peer in bench.peers))
    for peer in bench.peers[-leaving:]:
        bench.submit(peer, Wish("leave"))
    bench.run(lambda: all(peer.table.lanes and play_of(peer).phase is PlayPhase.ENDED for peer in bench.peers))
    assert_one_end(bench)


def test_three_of_five_go_one_after_the_other() -> None:
    """Two in the first deal, one in the opening of the second: nobody is left to agree to what it had not signed yet.

    The two who stay play on and may close the table at any time; once it has ended, they don't wait for ever.
    """
    bench = bench_of(5, small(5, deals=2), 7320, stay_in)
    bench.run(lambda: all(peer.table.lanes and play_of(peer).phase is PlayPhase.ACT for peer in bench.peers))
    peers = sorted(bench.peers, key=seat_of)
    for peer in peers[3:]:
        bench.kill(peer)
    rest = peers[:3]
    bench.run(lambda: all(play_of(p).deal == 2 and play_of(p).phase is PlayPhase.OPEN for p in rest))
    last = next(peer for peer in rest if peer.key not in lanes_of(rest[0]).archive.steps[-2].acked)
    bench.kill(last)
    assert all(peer.table.view().unconfirmed is not None for peer in bench.others())
    assert_one_end(bench)
    for peer in bench.others():
        assert not memory_of(peer.journal).secrets, "also those of the deal that was being prepared are erased"


def test_leaving_takes_nothing_from_a_majority_that_stays() -> None:
    """Three of four leave at once and are gone for good: the one who stays ends the table without waiting for them."""
    bench = bench_of(4, small(4, deals=3), 7404, stay_in)
    bench.run(lambda: all(peer.table.lanes and play_of(peer).phase is PlayPhase.ACT for peer in bench.peers))
    for peer in bench.peers[1:]:
        bench.submit(peer, Wish("leave"))
    stays = bench.peers[0]
    bench.run(lambda: play_of(stays).phase in (PlayPhase.END, PlayPhase.ENDED))
    for peer in bench.peers[1:]:
        bench.kill(peer)
    began = bench.now
    bench.run(lambda: stays.table.ended)
    assert bench.now - began < 30


@pytest.mark.parametrize("shown", [1, 2])
def test_an_end_shown_to_some_and_something_else_to_the_others(shown: int) -> None:
    """To those who have the `end` the table is over, and they may leave: so it counts with the others too."""
    bench = bench_of(4, small(4), 7411, stay_in)
    bent = bench.peers[1]
    others = bench.others(bent)
    bench.split(bent, lambda envelope, to: Fold() if envelope.type == "end" and to in others[:shown] else envelope.raw)
    run_to_end(bench, bent, seconds=600)
    assert_agreed(bench, bent)
    for peer in others[:shown]:
        assert {seat for seat, *_ in faults_of(peer)} == {seat_of(bent)}
    for peer in others:
        assert not events(peer, SeatAbsent)
