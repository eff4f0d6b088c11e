"""A peer whose program was killed comes back with its journal: it plays on, and nobody can accuse it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from azi_p2p.audit.verify import verify_ledger
from azi_p2p.rules import Params
from azi_p2p.session.commands import CommandRefused, Say
from azi_p2p.session.events import FaultSeen, ProfileOutdated, Said, SeatAbsent, TurnBegan
from azi_p2p.session.own import Memory
from azi_p2p.session.playstate import PlayPhase
from azi_p2p.session.table import Table
from azi_p2p.session.view import Phase
from azi_p2p.wire.envelope import decode_envelope
from azi_p2p.wire.ledgerfile import ledger_records, read_ledger_header
from tests.session.harness import Network, Peer, all_ended, make_me, memory_of, play_at_random, table_of

pytestmark = pytest.mark.usefixtures("ideal_cryptography")

SMALL = Params(seats=3, deal_limit=3)


def at(peer: Peer, deal: int, phase: PlayPhase) -> Callable[[], bool]:
    """Whether a peer has come to this phase of this deal, or further."""

    def reached() -> bool:
        lanes = peer.table.lanes
        return lanes is not None and (lanes.play.deal, lanes.play.phase is phase) >= (deal, True)

    return reached


def revived(
    peer: Peer, seed: int, memory: Memory, ledger: bytes = b"", run: str = "after", now: float = 1000.0
) -> tuple[Table, bytes]:
    """A new table for a peer that was killed, with the same key, a journal and perhaps a ledger file."""
    me = replace(make_me(peer.name, seed), rng=make_me(run, seed).rng, recall=lambda _: memory)
    table = Table.join(me, peer.table.table_id)
    return table, table.restore(ledger_records(ledger, read_ledger_header(ledger)[1]), now) if ledger else b""


def restart(
    network: Network, peer: Peer, seed: int, memory: Memory | None = None, ledger: bytes = b"", run: str = "after"
) -> Peer:
    """Kill a peer and start it again with the same key and journal, and other randomness."""
    memory = memory_of(peer.journal) if memory is None else memory
    network.kill(peer)
    network.peers.remove(peer)
    table, restored = revived(peer, seed, memory, ledger, run)
    back = network.add(table, peer.name, peer.key, play_at_random)
    back.ledger = restored + back.ledger
    for other in network.peers[:-1]:
        if other.alive:
            network.link(other, back)
    return back


def assert_all_is_well(network: Network, *, ended: bool = True) -> None:
    """Nobody is blamed, everybody is at the same place, and every ledger verifies."""
    for peer in network.peers:
        assert not [event for event in peer.events if isinstance(event, FaultSeen)], peer.name
        assert not peer.accusations
        if ended:
            verdict = verify_ledger(peer.ledger)
            assert verdict.valid, (peer.name, verdict.faults)
            assert verdict.complete, peer.name
    assert len({peer.table.lanes.play.head for peer in network.peers if peer.table.lanes}) == 1


@pytest.mark.parametrize("deal", [pytest.param(1, marks=pytest.mark.long), 2])
@pytest.mark.parametrize(
    "phase", [PlayPhase.OPEN, PlayPhase.TOKENS, PlayPhase.ACT, PlayPhase.CLOSE, PlayPhase.ROSTER], ids=str
)
def test_a_peer_that_was_killed_comes_back_and_is_not_blamed(phase: PlayPhase, deal: int) -> None:
    network = table_of(3, SMALL, seed=11)
    ben = network.peers[1]
    network.run(at(ben, deal, phase))
    back = restart(network, ben, seed=11)
    network.run(lambda: all_ended(network))
    assert_all_is_well(network)
    assert back.table.ended


PHASES = [PlayPhase.OPEN, PlayPhase.TOKENS, PlayPhase.ACT, PlayPhase.CLOSE, PlayPhase.ROSTER]


@pytest.mark.parametrize("phase", PHASES, ids=str)
def test_the_own_ledger_file_goes_on_where_it_was(phase: PlayPhase) -> None:
    network = table_of(3, SMALL, seed=12)
    ben = network.peers[1]
    network.run(at(ben, 2, phase))
    written = ben.ledger
    back = restart(network, ben, seed=12, ledger=written)
    assert back.ledger[: len(written)] == written
    network.run(lambda: all_ended(network))
    assert_all_is_well(network)


@pytest.mark.parametrize("hand_size", [pytest.param(3, marks=pytest.mark.long), 4])
@pytest.mark.parametrize("phase", PHASES, ids=str)
def test_the_lights_go_out_and_everybody_comes_back(phase: PlayPhase, hand_size: int) -> None:
    network = table_of(3, replace(SMALL, hand_size=hand_size), seed=13)
    network.run(at(network.peers[1], 2, phase))
    dead = list(network.peers)
    for peer in dead:
        network.kill(peer)
    network.peers.clear()
    for peer in dead:
        table, restored = revived(peer, 13, memory_of(peer.journal), peer.ledger, run=f"after {peer.name}")
        back = network.add(table, peer.name, peer.key, play_at_random)
        back.ledger = restored
        for other in network.peers[:-1]:
            network.link(other, back)
    network.run(lambda: all_ended(network))
    assert_all_is_well(network)
    assert not any(isinstance(event, SeatAbsent) for peer in network.peers for event in peer.events)


@pytest.mark.parametrize("kept", [0, pytest.param(3, marks=pytest.mark.long), 10])
@pytest.mark.parametrize("phase", PHASES, ids=str)
def test_an_older_copy_of_a_profile_is_noticed_before_it_signs_anything(phase: PlayPhase, kept: int) -> None:
    network = table_of(3, SMALL, seed=14)
    ben = network.peers[1]
    network.run(at(ben, 2, phase))
    signed = memory_of(ben.journal).envelopes
    back = restart(network, ben, seed=14, memory=Memory(signed[:kept]))
    network.run(lambda: all_ended(network))
    assert_all_is_well(network)
    assert ProfileOutdated() in back.events


def test_it_keeps_silent_until_a_majority_has_told() -> None:
    network = table_of(5, replace(SMALL, seats=5), seed=15)
    ben = network.peers[1]
    network.run(at(ben, 1, PlayPhase.ACT))
    memory = memory_of(ben.journal)
    network.kill(ben)
    network.peers.remove(ben)
    table, _ = revived(ben, 15, memory)
    back = network.add(table, ben.name, ben.key, play_at_random)
    journaled = len(back.journal)
    network.link(network.peers[0], back)  # one of four: with us two of five
    network.run(lambda: back.table.lanes is not None and back.table.lanes.play.phase is PlayPhase.ACT)
    assert back.table.view().phase is Phase.RESUMING
    assert not back.table.view().legal
    with pytest.raises(CommandRefused):
        network.submit(back, Say("hello"))
    assert len(back.journal) <= journaled + 1  # its new request for a seat
    network.link(network.peers[1], back)
    network.run(lambda: back.table.view().phase is not Phase.RESUMING)
    network.link(network.peers[2], back)
    network.link(network.peers[3], back)
    network.run(lambda: all_ended(network))
    assert_all_is_well(network)


def test_whoever_comes_back_in_the_own_turn_is_told_so_when_something_can_be_done() -> None:
    network = table_of(2, replace(SMALL, seats=2), seed=16)
    ben = network.peers[1]
    ben.chooser = None
    network.run(lambda: bool(ben.table.view().legal))
    memory = memory_of(ben.journal)
    network.kill(ben)
    network.peers.remove(ben)
    table, _ = revived(ben, 16, memory)
    back = network.add(table, ben.name, ben.key, None)
    network.link(network.peers[0], back)
    network.run(lambda: any(isinstance(event, TurnBegan) for event in back.events))
    assert back.table.view().phase is not Phase.RESUMING
    assert back.table.view().legal


def test_words_said_after_a_restart_are_heard() -> None:
    network = table_of(3, SMALL, seed=16, chooser=None)
    ben = network.peers[1]
    network.run(at(ben, 1, PlayPhase.ACT))
    for number in range(3):
        network.submit(ben, Say(f"before {number}"))
    network.run(lambda: Said(1, "before 2") in network.peers[0].events)
    back = restart(network, ben, seed=16)
    network.run(lambda: back.table.view().phase is Phase.ACTING)
    network.submit(back, Say("after"))
    network.run(lambda: Said(1, "after") in network.peers[0].events)


def test_whoever_has_claimed_stays_bound_after_a_restart() -> None:
    network = table_of(5, replace(SMALL, seats=5), seed=17)
    network.run(at(network.peers[0], 1, PlayPhase.ACT))
    lanes = network.peers[0].table.lanes
    assert lanes is not None
    late = network.peers[lanes.play.owed[0]]
    late.chooser = None
    claimer, friend, *others = [peer for peer in network.peers if peer is not late]
    for peer in network.peers:
        for other in network.peers:
            if {peer.name, other.name} != {claimer.name, friend.name} and peer is not other:
                network.unlink(peer, other)
    network.run(lambda: bool(claimer.table.lanes and claimer.table.lanes.ballots.claimed))
    memory = memory_of(claimer.journal)
    network.kill(claimer)
    network.peers.remove(claimer)
    table, _ = revived(claimer, 17, memory)
    back = network.add(table, claimer.name, claimer.key, play_at_random)
    network.link(friend, back)
    network.link(others[0], back)
    network.run(lambda: back.table.view().phase not in (Phase.RESUMING, Phase.GATHERING))
    assert back.table.lanes is not None
    assert back.table.lanes.ballots.claimed
    assert back.table.lanes.is_bound("play")


def test_a_table_that_has_ended_meanwhile_is_not_asked_for_a_seat() -> None:
    network = table_of(3, SMALL, seed=18)
    ben = network.peers[1]
    network.run(at(ben, 1, PlayPhase.ACT))
    memory = memory_of(ben.journal)
    network.kill(ben)
    network.run(lambda: all_ended(network))
    network.peers.remove(ben)
    table, _ = revived(ben, 18, memory)
    back = network.add(table, ben.name, ben.key, play_at_random)
    for other in network.peers[:-1]:
        network.link(other, back)
    network.run(lambda: back.table.ended)
    assert back.table.view().phase is Phase.ENDED


def test_a_founder_that_died_after_signing_the_list_of_seats_signs_no_other() -> None:
    """Killed before its ledger file had the founding, it has nothing but its journal, and links in another order."""
    network = table_of(3, SMALL, seed=15)
    network.run(lambda: all(peer.table.lanes for peer in network.peers))
    anna, *others = network.peers
    memory = memory_of(anna.journal)
    network.kill(anna)
    network.peers.remove(anna)
    table, _ = revived(anna, 15, memory)
    back = network.add(table, anna.name, anna.key, play_at_random)
    for other in others:
        # What they tell of the seats comes in another order than the one in which they were taken.
        seats = other.table.gathering.seats
        seats.update({key: seats.pop(key) for key in reversed(list(seats))})
        network.link(other, back)
    network.run(lambda: all_ended(network), seconds=3_600)
    assert_all_is_well(network)


def test_whoever_has_signed_an_open_has_all_of_its_deck_on_disk() -> None:
    """Otherwise those who come back would not know whose shuffle their deck ended with, and claim its author absent."""
    network = table_of(4, Params(seats=4, deal_limit=2), seed=12)
    network.run(lambda: all(peer.table.lanes and peer.table.lanes.play.hands for peer in network.peers))
    for peer in network.peers:
        seen = map(decode_envelope, memory_of(peer.journal).seen)
        shuffled = {envelope.author for envelope in seen if envelope.type == "shuffle" and envelope.deal == 1}
        assert shuffled == {other.key for other in network.peers if other is not peer}
