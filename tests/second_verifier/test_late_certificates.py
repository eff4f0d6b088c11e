"""Certificates that come late, or about steps which the writer of a ledger never saw: it must be readable even so.

A majority of five may drop its own seats whenever it likes, so all votes here are signed by seats that drop themselves.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from azi_p2p.audit.verify import verify_ledger
from azi_p2p.session.commands import Wish
from azi_p2p.session.decklane import DeckPhase
from azi_p2p.session.playstate import PlayPhase
from azi_p2p.wire.envelope import Place
from tests.attacks.bench import Bench, assert_agreed, bench_of, lanes_of, play_of, run_to_end, seat_of, small, stay_in
from tests.attacks.test_votes import vote
from tests.second_verifier.compare import disagreement, is_valid, memory
from tests.second_verifier.damage import join, split
from tests.second_verifier.theirs import load
from tests.session.harness import Peer

pytestmark = pytest.mark.usefixtures("ideal_cryptography")

theirs = load()


def revealed(bench: Bench) -> Place:
    """Let the table go on until everybody has all keys for the first deck; gives the place of the reveals."""

    def reached() -> bool:
        decks = [lanes_of(peer).deck if peer.table.lanes else None for peer in bench.peers]
        return all(deck is not None and deck.phase is DeckPhase.SHUFFLE for deck in decks)

    bench.run(reached)
    assert all(play_of(peer).phase is PlayPhase.OPEN for peer in bench.peers)
    places = [past.place for past in lanes_of(bench.peers[0]).past.values()]
    return next(place for place in places if (place.lane, place.step) == ("deck", 1))


def now(bench: Bench, attempt: int) -> Place:
    """Where the deck lane stands to the honest seats, at this attempt."""
    one, other = (lanes_of(peer).deck for peer in by_seat(bench)[:2])
    assert one is not None
    assert other is not None
    assert one.place == other.place
    assert one.attempt == attempt
    return one.place


def by_seat(bench: Bench) -> list[Peer]:
    """The peers in the order of their seats: 0 and 1 are honest, the others drop themselves."""
    return sorted(bench.peers, key=seat_of)


def drop(bench: Bench, seat: Peer, place: Place, before: list[Peer]) -> None:
    """Show these peers a certificate that drops a seat, signed by three of five."""
    for peer in before:
        for voter in by_seat(bench)[2:]:
            bench.inject(peer, vote(bench, voter, place, seat_of(seat)), voter.key)


def play_to_the_end(bench: Bench) -> None:
    """The two honest seats play on; both verifiers find the ledger of each in order."""
    honest, bent = by_seat(bench)[:2], by_seat(bench)[2:]
    for peer in bent:
        bench.kill(peer)
    run_to_end(bench, *bent, seconds=600)
    assert_agreed(bench, *bent)
    for peer in honest:
        assert verify_ledger(peer.ledger).complete
        assert theirs.verify(peer.ledger).code == theirs.VALID
        assert disagreement(peer.ledger) == ""


@pytest.mark.parametrize("order", [(2, 3, 4), (2, 4, 3), (4, 3, 2), (3, 2, 4)])
def test_certificate_of_an_attempt_comes_after_the_next_was_given_up_too(order: tuple[int, int, int]) -> None:
    """One seat is dropped at attempt 0, one at attempt 1, then one more by a certificate of attempt 0."""
    bench = bench_of(5, small(5), 7200, stay_in)
    beginning = revealed(bench)
    peers = by_seat(bench)
    first, second, last = (peers[seat] for seat in order)
    drop(bench, first, beginning, peers)
    drop(bench, second, now(bench, 1), peers)
    drop(bench, last, beginning, peers)
    assert {play_of(peer).attempt for peer in peers[:2]} == {3}
    play_to_the_end(bench)


@pytest.mark.parametrize("order", [(3, 2, 4), (2, 3, 4), (4, 2, 3)])
def test_two_honest_peers_come_upon_certificates_in_another_order(order: tuple[int, int, int]) -> None:
    bench = bench_of(5, small(5), 7201, stay_in)
    beginning = revealed(bench)
    peers = by_seat(bench)
    for seat in order:
        drop(bench, peers[seat], beginning, peers[:1])
    for seat in reversed(order):
        drop(bench, peers[seat], beginning, peers[1:])
    play_to_the_end(bench)


@pytest.mark.parametrize("order", [(3, 2, 4), (2, 3, 4), (4, 2, 3)])
def test_certificate_about_a_step_that_the_writer_never_saw(order: tuple[int, int, int]) -> None:
    """Others were further, or on another head: the writer follows them, and its ledger tells of it."""
    bench = bench_of(5, small(5), 7202, stay_in)
    beginning = revealed(bench)
    peers = by_seat(bench)
    one, other, last = (peers[seat] for seat in order)
    drop(bench, one, beginning, peers)
    drop(bench, other, replace(beginning, step=beginning.step + 2, prev=bytes(range(32))), peers)
    drop(bench, last, now(bench, 2), peers)
    assert {play_of(peer).attempt for peer in peers[:2]} == {3}
    play_to_the_end(bench)


def two_dealt_in() -> tuple[Bench, Place]:
    """A table of five whose second deal is to be opened for two seats; the three others sit out. Gives the place."""
    bench = bench_of(5, small(5, deals=3), 7242, stay_in)
    bench.run(lambda: all(peer.table.lanes and play_of(peer).phase is PlayPhase.ACT for peer in bench.peers))
    for peer in bench.peers[2:]:
        bench.submit(peer, Wish("sit_out"))
    bench.run(lambda: all(play_of(peer).phase is PlayPhase.OPEN and play_of(peer).deal == 2 for peer in bench.peers))
    assert len(play_of(bench.peers[0]).dealt_in) == 2
    return bench, play_of(bench.peers[0]).place


def certify(bench: Bench, absent: Peer, place: Place, before: Peer) -> None:
    """Show a peer a certificate about a seat, signed by the first, third and fourth of five."""
    for voter in (bench.peers[0], *bench.peers[2:4]):
        bench.inject(before, vote(bench, voter, place, seat_of(absent)), voter.key)


def test_too_few_are_left_and_the_certificates_came_in_another_order() -> None:
    """One that is dealt in and one that sits out are certified absent: before one peer the one first, or the other."""
    bench, place = two_dealt_in()
    dealt, resting = bench.peers[1], bench.peers[4]
    for peer, order in ((bench.peers[0], (dealt, resting)), (bench.peers[2], (resting, dealt))):
        for absent in order:
            certify(bench, absent, place, peer)
    assert all(play_of(peer).phase is PlayPhase.ROSTER for peer in (bench.peers[0], bench.peers[2]))
    assert play_of(bench.peers[0]).place == play_of(bench.peers[2]).place


def test_the_last_certificate_of_an_attempt_leaves_too_few_and_is_about_the_lowest_seat() -> None:
    bench, place = two_dealt_in()
    dealt, resting = bench.peers[1], bench.peers[4]
    assert seat_of(dealt) < seat_of(resting)
    for peer in bench.others(dealt, resting):
        certify(bench, resting, place, peer)
        certify(bench, dealt, place, peer)
    for peer in (dealt, resting):
        bench.kill(peer)
    for peer in bench.peers[2:4]:
        bench.submit(peer, Wish("return"))
    run_to_end(bench, dealt, resting)
    for peer in bench.others(dealt, resting):
        assert verify_ledger(peer.ledger).valid
        assert theirs.verify(peer.ledger).code == theirs.VALID


def test_a_file_may_break_off_after_any_record_of_certificates_that_came_late() -> None:
    bench, place = two_dealt_in()
    dealt, resting = bench.peers[1], bench.peers[4]
    for peer in bench.others(dealt, resting):
        certify(bench, dealt, place, peer)
        certify(bench, resting, place, peer)
    for peer in (dealt, resting):
        bench.kill(peer)
    for peer in bench.peers[2:4]:
        bench.submit(peer, Wish("return"))
    run_to_end(bench, dealt, resting)
    header, raws = split(bench.peers[0].ledger)
    votes = [at for at, raw in enumerate(raws) if theirs.read_envelope(raw).type == "vote"]
    assert len(votes) == 6
    with memory():
        for count in range(votes[0] - 1, votes[-1] + 3):
            begun = join(header, raws[:count])
            assert is_valid(begun), count
            assert disagreement(begun) == "", count


def test_a_file_may_break_off_in_the_second_certificate_of_an_attempt() -> None:
    """The first is about a step before that of the second: the deck lane between them stands in the file already."""
    bench = bench_of(5, small(5), 7203, stay_in)
    further = revealed(bench)
    places = [past.place for past in lanes_of(bench.peers[0]).past.values()]
    beginning = next(place for place in places if (place.lane, place.step) == ("deck", 0))
    peers = by_seat(bench)
    drop(bench, peers[2], beginning, peers)
    drop(bench, peers[3], further, peers)
    drop(bench, peers[4], now(bench, 2), peers)
    play_to_the_end(bench)
    header, raws = split(peers[0].ledger)
    votes = [at for at, raw in enumerate(raws) if theirs.read_envelope(raw).type == "vote"]
    with memory():
        for count in range(votes[0] - 1, votes[-1] + 3):
            begun = join(header, raws[:count])
            assert disagreement(begun) == "", count
            # Right between the two, nothing says yet why the deck lane stands there: to both that is no ledger.
            assert is_valid(begun) == (count != votes[3]), count
