"""A peer whose program was killed comes back with its journal: it plays on, and nobody can accuse it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from azi_p2p.rules import Params
from azi_p2p.session.events import FaultSeen
from azi_p2p.session.own import EraseRecord, Memory, SecretRecord
from azi_p2p.session.playstate import PlayPhase
from azi_p2p.session.table import Table
from azi_p2p.wire.codec import decode
from tests.session.harness import Network, Peer, all_ended, make_me, play_at_random, table_of

SMALL = Params(seats=3, deal_limit=3)


def at(peer: Peer, deal: int, phase: PlayPhase) -> Callable[[], bool]:
    """Whether a peer has come to this phase of this deal, or further."""

    def reached() -> bool:
        lanes = peer.table.lanes
        return lanes is not None and (lanes.play.deal, lanes.play.phase is phase) >= (deal, True)

    return reached


def memory_of(peer: Peer) -> Memory:
    """What the journal that was written so far gives back."""
    secrets: list[bytes] = []
    for entry in peer.journal:
        if entry.kind == "erase":
            erased = decode(entry.record, EraseRecord, limit=4096).deal
            secrets = [secret for secret in secrets if decode(secret, SecretRecord, limit=4096).deal > erased]
        elif entry.kind == "secret":
            secrets.append(entry.record)
    return Memory([entry.record for entry in peer.journal if entry.kind == "envelope"], secrets)


def restart(network: Network, peer: Peer, seed: int) -> Peer:
    """Kill a peer and start it again with the same key and journal, and other randomness."""
    memory = memory_of(peer)
    network.kill(peer)
    network.peers.remove(peer)
    me = replace(make_me(peer.name, seed), rng=make_me("after", seed).rng, recall=lambda _: memory)
    back = network.add(Table.join(me), peer.name, peer.key, play_at_random)
    for other in network.peers[:-1]:
        network.link(other, back)
    return back


@pytest.mark.parametrize("deal", [1, 2])
@pytest.mark.parametrize(
    "phase", [PlayPhase.OPEN, PlayPhase.TOKENS, PlayPhase.ACT, PlayPhase.CLOSE, PlayPhase.ROSTER], ids=str
)
def test_a_peer_that_was_killed_comes_back_and_is_not_blamed(phase: PlayPhase, deal: int) -> None:
    network = table_of(3, SMALL, seed=11)
    ben = network.peers[1]
    network.run(at(ben, deal, phase))
    back = restart(network, ben, seed=11)
    network.run(lambda: all_ended(network))
    for peer in network.peers:
        assert not [event for event in peer.events if isinstance(event, FaultSeen)], peer.name
        assert not peer.accusations
    assert len({peer.table.lanes.play.head for peer in network.peers if peer.table.lanes}) == 1
    assert back.table.ended
