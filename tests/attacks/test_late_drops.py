"""Certificates about the opening of a deal that come when the antes are signed, or when too few were left to sign.

Three of five claim whomever they like absent. Whether an honest peer learns of it before the antes are complete or
after, it must come to the same chain, as long as no majority has gone on; and what it writes must be readable.
"""

from __future__ import annotations

import pytest

from azi_p2p.session.commands import Wish
from azi_p2p.session.decklane import DeckPhase
from azi_p2p.session.playstate import PlayPhase
from azi_p2p.session.votes import Question
from azi_p2p.wire.envelope import Envelope, Place
from azi_p2p.wire.messages import Open, Tokens, Vote
from tests.attacks.bench import Bench, assert_agreed, bench_of, lanes_of, play_of, run_to_end, seat_of, small, stay_in
from tests.attacks.test_votes import vote
from tests.second_verifier.compare import disagreement
from tests.session.harness import Peer

pytestmark = pytest.mark.usefixtures("ideal_cryptography")


def by_seat(bench: Bench) -> list[Peer]:
    """The peers in the order of their seats: 0 and 1 are honest, the others do as the test says."""
    return sorted(bench.peers, key=seat_of)


def opened(seed: int) -> tuple[Bench, Place, Place]:
    """A table of five at which all antes are signed, but no token is sent yet; the places of reveals and of antes.

    Nobody gets a vote but by hand.
    """
    bench = bench_of(5, small(5), seed, stay_in)

    def hold_back(envelope: Envelope) -> bytes | None:
        return None if isinstance(envelope.body, Tokens | Vote) else envelope.raw

    for peer in bench.peers:
        bench.bend(peer, hold_back)
    bench.run(lambda: all(peer.table.lanes and play_of(peer).phase is PlayPhase.TOKENS for peer in bench.peers))
    places = [past.place for past in lanes_of(bench.peers[0]).past.values()]
    deck = next(place for place in places if (place.lane, place.step, place.deal) == ("deck", 1, 1))
    antes = next(place for place in places if place.lane == "play")
    return bench, deck, antes


def certify(bench: Bench, absent: Peer, place: Place, before: list[Peer], seats: tuple[int, ...] = (2, 3, 4)) -> None:
    """Show these peers a certificate signed by three seats, who know of their own votes at least."""
    voters = [by_seat(bench)[seat] for seat in seats]
    for voter in voters:
        bench.inject(voter, vote(bench, voter, place, seat_of(absent)), voter.key)
    for peer in before:
        for voter in voters:
            bench.inject(peer, vote(bench, voter, place, seat_of(absent)), voter.key)


def assert_one_chain(bench: Bench, *gone: Peer) -> None:
    """Those who are left play to the end of one chain; both verifiers say the same of each ledger: it is in order."""
    run_to_end(bench, *gone, seconds=900)
    assert_agreed(bench, *gone)
    for ledger in {peer.ledger for peer in bench.others(*gone)}:
        assert disagreement(ledger) == ""


@pytest.mark.parametrize("lane", ["deck", "play"])
def test_certificate_that_comes_when_the_antes_are_signed(lane: str) -> None:
    """About a step of the deck or about the antes: who knew it before has dropped the seat, and so must we."""
    bench, deck, antes = opened(7300)
    peers = by_seat(bench)
    late, dropped = peers[0], peers[4]
    certify(bench, dropped, deck if lane == "deck" else antes, [late])
    play = play_of(late)
    assert (play.phase, play.attempt) == (PlayPhase.OPEN, 1)
    assert [absence.seat for absence in play.dropped] == [4]
    certify(bench, dropped, deck if lane == "deck" else antes, peers[1:4])
    bench.kill(dropped)
    bench.unbend(*bench.peers)
    assert_one_chain(bench, dropped)


def test_certificate_of_an_attempt_before_comes_when_the_antes_are_signed() -> None:
    """Two seats are dropped, the second by a certificate of the attempt that the first had ended, and late.

    What dropped the first one must still stand in the ledger.
    """
    bench = bench_of(5, small(5), 7301, stay_in)
    bench.run(lambda: all(peer.table.lanes and play_of(peer).phase is PlayPhase.OPEN for peer in bench.peers))
    peers = by_seat(bench)
    honest, first, second = peers[:2], peers[4], peers[3]
    beginning = play_of(peers[0]).place
    certify(bench, first, beginning, peers[:4])
    bench.kill(first)
    bench.hush(*bench.peers)
    held = {peer.key for peer in bench.others(first)}

    def hold_back(envelope: Envelope) -> bytes | None:
        return None if isinstance(envelope.body, Tokens | Vote) and envelope.author in held else envelope.raw

    for peer in bench.others(first):
        bench.bend(peer, hold_back)
    bench.run(lambda: all(play_of(peer).phase is PlayPhase.TOKENS for peer in bench.others(first)))
    certify(bench, second, beginning, peers[:3])
    assert all([absence.seat for absence in play_of(peer).dropped] == [3, 4] for peer in honest)
    bench.kill(second)
    bench.unbend(*bench.peers)
    assert_one_chain(bench, first, second)


def test_who_has_claimed_about_the_deck_signs_nothing_on_top_of_the_antes() -> None:
    """Until the vote has ended: with two liars its claim could become a certificate, when a majority had gone on."""
    bench, deck, _ = opened(7302)
    claimer, victim = by_seat(bench)[0], by_seat(bench)[4]
    question = Question(deck, seat_of(victim))
    bench.inject(claimer, vote(bench, claimer, deck, seat_of(victim)), claimer.key)
    assert question in lanes_of(claimer).ballots.claimed
    assert lanes_of(claimer).is_bound("play")
    assert not lanes_of(claimer).is_bound("deck"), "the deck of the next deal has nothing to do with it"
    for voter in by_seat(bench)[1:4]:
        move = lanes_of(claimer).past[deck.prev].moves[seat_of(victim)]
        raw = vote(bench, voter, deck, seat_of(victim), verdict="ack", move=move.id)
        bench.inject(claimer, raw, voter.key)
    assert not lanes_of(claimer).is_bound("play")


def two_dealt_in(seed: int) -> tuple[Bench, Place]:
    """A table of five whose second deal is to be opened for seats 0 and 1; the others sit out. Gives the place."""
    bench = bench_of(5, small(5, deals=3), seed, stay_in)
    bench.run(lambda: all(peer.table.lanes and play_of(peer).phase is PlayPhase.ACT for peer in bench.peers))
    peers = by_seat(bench)
    for peer in peers[2:]:
        bench.submit(peer, Wish("sit_out"))
    bench.run(lambda: all(play_of(peer).phase is PlayPhase.OPEN and play_of(peer).deal == 2 for peer in bench.peers))
    assert play_of(peers[0]).dealt_in == (0, 1)
    return bench, play_of(peers[0]).place


@pytest.mark.parametrize("order", [(1, 4), (4, 1)])
def test_too_few_are_left_and_another_certificate_comes(order: tuple[int, int]) -> None:
    """Before one peer in this order, before the others in the other: one chain, and every ledger readable.

    The first seat is among those who claim the other: its vote counts, whether or not it has been dropped already.
    """
    bench, place = two_dealt_in(7323)
    peers = by_seat(bench)
    gone = [peers[1], peers[4]]
    voters = {1: (2, 3, 4), 4: (1, 2, 3)}
    for seat in order:
        certify(bench, peers[seat], place, [peers[0]], voters[seat])
    for seat in reversed(order):
        certify(bench, peers[seat], place, peers[2:4], voters[seat])
    assert {play_of(peer).phase for peer in bench.others(*gone)} == {PlayPhase.ROSTER}
    assert len({play_of(peer).place for peer in bench.others(*gone)}) == 1
    for peer in gone:
        bench.kill(peer)
    for peer in peers[2:4]:
        bench.submit(peer, Wish("return"))
    assert_one_chain(bench, *gone)


def test_too_few_are_left_and_whoever_is_asked_about_another_seat_answers() -> None:
    """One peer has claimed a second seat before too few were left: it isn't kept from going on for ever."""
    bench, place = two_dealt_in(7304)
    peers = by_seat(bench)
    claimer = peers[2]
    bench.bend(peers[4], lambda envelope: None if isinstance(envelope.body, Open | Vote) else envelope.raw)
    bench.bend(claimer, lambda envelope: None if isinstance(envelope.body, Vote) else envelope.raw)
    bench.inject(claimer, vote(bench, claimer, place, seat_of(peers[4])), claimer.key)
    bench.kill(peers[1])
    for peer in (peers[0], *peers[2:]):
        certify(bench, peers[1], place, [peer])
    assert lanes_of(claimer).is_bound("play")
    bench.unbend(claimer)
    bench.run(lambda: not lanes_of(claimer).is_bound("play"), seconds=60)


def test_everybody_is_certified_absent_before_the_antes() -> None:
    """As after an outage: it is as if nobody had been, and the table goes on."""
    bench, place = two_dealt_in(7305)
    peers = by_seat(bench)
    for absent in peers:
        certify(bench, absent, place, peers)
    for peer in peers:
        assert play_of(peer).present == (0, 1, 2, 3, 4)
        assert not play_of(peer).away
    assert_one_chain(bench)


def taken_back(seed: int, absent: int) -> Bench:
    """A table of five whose second roster, by which seat 4 sits out, is taken back since a seat has no receipt.

    The deck for that roster had been prepared; no antes are sent, and nobody gets a vote but by hand.
    """
    bench = bench_of(5, small(5, deals=2), seed, stay_in)
    bench.run(lambda: all(peer.table.lanes and play_of(peer).phase is PlayPhase.ACT for peer in bench.peers))
    peers = by_seat(bench)
    bench.submit(peers[4], Wish("sit_out"))

    def hold_back(envelope: Envelope) -> bytes | None:
        antes = isinstance(envelope.body, Open) and envelope.deal == 2
        return None if antes or isinstance(envelope.body, Vote) else envelope.raw

    for peer in peers:
        bench.bend(peer, hold_back)
    bench.run(lambda: all(play_of(peer).deal == 2 and deck_is_ready(peer) for peer in peers))
    assert {(play_of(peer).attempt, play_of(peer).dealt_in) for peer in peers} == {(1, (0, 1, 2, 3))}
    receipts = next(
        past.place
        for past in lanes_of(peers[0]).past.values()
        if past.state is not None and past.state.phase is PlayPhase.CLOSE
    )
    certify(bench, peers[absent], receipts, peers, (0, 1, 2))
    assert all(absent in play_of(peer).absent | play_of(peer).away for peer in peers)
    return bench


def deck_is_ready(peer: Peer) -> bool:
    """Whether a peer waits for the antes only."""
    deck = lanes_of(peer).deck
    return play_of(peer).phase is PlayPhase.OPEN and deck is not None and deck.phase is DeckPhase.READY


def test_a_roster_that_changed_the_seats_is_taken_back() -> None:
    """The deck that was prepared before it is due again, and then the other one: nobody waits for them for ever."""
    bench = taken_back(7310, 4)
    bench.unbend(*bench.peers)
    bench.run(lambda: all(play_of(peer).phase is PlayPhase.TOKENS for peer in bench.peers), seconds=60)
    assert_one_chain(bench)


def test_two_decks_of_one_number_and_an_attempt_is_given_up() -> None:
    """Another roster takes the place of the one taken back. Only its own deck stands in the ledger."""
    bench = taken_back(7311, 3)
    peers = by_seat(bench)
    bench.kill(peers[3])
    rest = bench.others(peers[3])
    bench.run(lambda: all(deck_is_ready(peer) for peer in rest), seconds=60)
    assert {(play_of(peer).attempt, play_of(peer).dealt_in) for peer in rest} == {(1, (0, 1, 2))}
    places = [past.place for past in lanes_of(peers[0]).past.values()]
    deck = next(place for place in reversed(places) if (place.lane, place.deal, place.step) == ("deck", 2, 1))
    assert deck.attempt == 1
    certify(bench, peers[2], deck, rest, (0, 1, 4))
    bench.kill(peers[2])
    bench.unbend(*bench.peers)
    assert_one_chain(bench, peers[2], peers[3])
