"""Whole tables played to the end by sessions joined without sockets."""

from __future__ import annotations

import pytest

from azi_p2p.rules import Params, conserved
from azi_p2p.session.events import FaultSeen
from azi_p2p.session.view import Phase
from azi_p2p.wire.envelope import decode_envelope
from azi_p2p.wire.frame import EnvelopeFrame
from tests.session.harness import Network, all_ended, table_of


def heads(network: Network) -> set[bytes]:
    return {peer.table.view().head for peer in network.peers if peer.alive}


@pytest.mark.parametrize(("count", "hand_size"), [(2, 3), (3, 4), (4, 3), (6, 4)])
def test_a_table_plays_to_its_deal_limit_and_everybody_agrees(count: int, hand_size: int) -> None:
    network = table_of(count, Params(seats=count, hand_size=hand_size, deal_limit=3), seed=count)
    network.run(lambda: all_ended(network))
    assert len(heads(network)) == 1
    assert len({peer.ledger for peer in network.peers}) == 1
    for peer in network.peers:
        lanes = peer.table.lanes
        assert lanes is not None
        assert conserved(lanes.play.game) == count * 1000
        assert not [event for event in peer.events if isinstance(event, FaultSeen)]
        assert not peer.drops


def test_a_message_that_is_known_already_has_nothing_done() -> None:
    network = table_of(3, Params(seats=3, deal_limit=1), seed=33)
    network.run(lambda: all(peer.table.view().phase is Phase.ACTING for peer in network.peers))
    first, second, _ = network.peers
    signed = [entry.record for entry in second.journal if entry.kind == "envelope"]
    # Messages of a deck are forgotten once it is in use.
    signed = [raw for raw in signed if decode_envelope(raw).lane != "deck"]
    assert len(signed) > 2
    assert [first.table.receive(EnvelopeFrame(raw), second.key, network.now) for raw in signed] == [[]] * len(signed)
