"""An evidence file stands alone: it proves what it says, nothing else, and nothing once it was touched."""

from __future__ import annotations

import random

import pytest

from azi_p2p.audit.evidence import verify_evidence
from azi_p2p.rules import Params
from azi_p2p.wire import messages
from azi_p2p.wire.envelope import Envelope, decode_envelope
from azi_p2p.wire.evidencefile import read_evidence, write_evidence
from tests.session.harness import Network, Peer, all_ended, table_of

SEED = 70


def bidding(network: Network) -> Peer:
    """Run until somebody has to bid; that peer."""

    def bidder() -> Peer | None:
        for peer in network.peers:
            if any(option.do in ("bid", "call") for option in peer.table.view().legal):
                return peer
        return None

    for peer in network.peers:
        peer.chooser = None
    network.run(lambda: bidder() is not None and len({peer.table.view().head for peer in network.peers}) == 1)
    found = bidder()
    assert found is not None
    return found


def sign(peer: Peer, body: messages.Body) -> Envelope:
    """Have a peer sign something at the current step that its own program would never sign."""
    own, lanes = peer.table._own, peer.table.lanes
    assert own is not None
    assert lanes is not None
    own._signed.clear()
    return own.sign(lanes.play.table, lanes.play.place, body)


def accused(network: Network, bent: Peer) -> list[bytes]:
    files = []
    for peer in network.peers:
        if peer is not bent:
            assert [accusation.key for accusation in peer.accusations] == [bent.key]
            files.append(peer.accusations[0].data)
    return files


def cheat(*bodies: messages.Body) -> tuple[Network, Peer]:
    network = table_of(3, Params(seats=3, deal_limit=1), SEED)
    bent = bidding(network)
    envelopes = [sign(bent, body) for body in bodies]
    network.kill(bent)
    for envelope in envelopes:
        for peer in network.peers:
            if peer is not bent:
                network.inject(peer, envelope.raw)
    return network, bent


def test_a_bid_over_the_stack_is_proven_by_a_file_that_stands_alone() -> None:
    network, bent = cheat(messages.Bid(to=10**9))
    for data in accused(network, bent):
        verdict = verify_evidence(data)
        assert verdict.proven, verdict.message
        assert (verdict.key, verdict.code, verdict.types) == (bent.key.hex(), "bid_over_stack", ("bid",))
        assert verdict.name == bent.name


def test_two_bids_for_one_slot_are_proven() -> None:
    network, bent = cheat(messages.Bid(to=20), messages.Bid(to=30))
    for data in accused(network, bent):
        verdict = verify_evidence(data)
        assert verdict.proven, verdict.message
        assert (verdict.key, verdict.code, verdict.types) == (bent.key.hex(), "equivocation", ("bid", "bid"))


def test_an_honest_message_proves_nothing() -> None:
    network = table_of(3, Params(seats=3, deal_limit=1), SEED)
    honest = bidding(network)
    lanes = honest.table.lanes
    assert lanes is not None
    fair = sign(honest, messages.Bid(to=20))
    verdict = verify_evidence(write_evidence(lanes.play.wire_params, [fair.raw], lanes._leading_up()))
    assert not verdict.proven
    assert "break no rule" in verdict.message


def test_without_what_led_up_to_it_a_message_proves_nothing() -> None:
    network, bent = cheat(messages.Bid(to=10**9))
    params, evidence, context = read_evidence(accused(network, bent)[0])
    needed = max(index for index, raw in enumerate(context) if decode_envelope(raw).type == "tokens")
    for kept in range(0, needed + 1, 3):
        assert not verify_evidence(write_evidence(params, evidence, context[:kept])).proven, kept


def test_evidence_can_not_be_turned_against_another() -> None:
    network, bent = cheat(messages.Bid(to=10**9))
    data = accused(network, bent)[0]
    chance = random.Random(SEED)
    for _ in range(60):
        changed = bytearray(data)
        changed[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        verdict = verify_evidence(bytes(changed))
        assert verdict.key in (None, bent.key.hex()), f"seed {SEED}"


@pytest.mark.parametrize("data", [b"", b"AZIEVID\x01", b"AZILEDG\x01", b"AZIEVID\x01\x00\x00\x00\x01\x80\x03"])
def test_what_is_no_evidence_file_is_told_so(data: bytes) -> None:
    verdict = verify_evidence(data)
    assert not verdict.proven
    assert verdict.message
    assert "\n" not in verdict.message


def test_nobody_is_accused_at_an_honest_table() -> None:
    network = table_of(3, Params(seats=3, deal_limit=1), SEED)
    network.run(lambda: all_ended(network))
    assert not any(peer.accusations for peer in network.peers)
