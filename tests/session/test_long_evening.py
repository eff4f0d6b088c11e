"""Long tables: what is in the ledger file isn't kept in memory, and whoever needs it gets it from there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from azi_p2p.audit.evidence import verify_evidence
from azi_p2p.audit.verify import verify_ledger
from azi_p2p.rules import Params
from azi_p2p.session.archive import DEALS_KEPT, RANGE_BYTES, Archive, FileRange
from azi_p2p.session.commands import Start
from azi_p2p.session.table import Table
from azi_p2p.wire.envelope import SIGNATURE_DOMAIN, encode_payload, seal
from azi_p2p.wire.ledgerfile import ledger_records
from azi_p2p.wire.messages import Bid, Fold
from tests.session.harness import Network, all_ended, make_me, table_of
from tests.simulation.toygroup import toy_group

LONG = Params(seats=4, deal_limit=5, start_chips=100_000)


@pytest.fixture(autouse=True)
def quick() -> Iterator[None]:
    with toy_group():
        yield


def deals_played(network: Network) -> int:
    return max((peer.table.lanes.closed_deals for peer in network.peers if peer.table.lanes is not None), default=0)


def test_only_recent_deals_are_kept_in_memory() -> None:
    network = table_of(3, replace(LONG, seats=3), seed=31)
    network.run(lambda: deals_played(network) >= 4)
    for peer in network.peers:
        assert peer.table.lanes is not None
        archive = peer.table.lanes.archive
        assert {step.deal for step in archive.steps} <= {3, 4, 5}
        assert archive.before_memory().end > 0
        assert archive.length == len(peer.ledger)
    network.run(lambda: all_ended(network))
    assert all(verify_ledger(peer.ledger).complete for peer in network.peers)


def test_whoever_joins_late_gets_the_whole_evening() -> None:
    network = table_of(3, LONG, seed=32)
    first = network.peers[0]
    network.run(lambda: len(first.table.view().seats) == 3)
    network.submit(first, Start())
    network.run(lambda: deals_played(network) >= 3)
    me = make_me("Pieter", 32)
    late = network.add(Table.join(me, first.table.table_id), "Pieter", me.identity.public)
    for other in network.peers[:-1]:
        network.link(other, late)
    network.run(lambda: all_ended(network))
    assert late.ledger == first.ledger or verify_ledger(late.ledger).complete
    assert verify_ledger(late.ledger).deals == 5
    assert late.table.view().my_seat == 3


def archive_with(deals: int, steps: int, size: int, copies: int = 1) -> tuple[Archive, bytes]:
    """An archive in which everything is closed, and its file."""
    archive, keys = Archive(), [bytes([seat]) * 32 for seat in range(3)]
    file = archive.begin(b"header")
    for deal in range(deals + 1):
        for step in range(steps):
            archive.record(deal, step, bytes([deal]) * 32, [bytes([deal, step]) * size] * copies, keys)
            for key in keys:
                archive.ack(key, deal + 1, 0)
            file += archive.flush(keys)
    return archive, file


def test_a_range_of_the_file_holds_whole_deals() -> None:
    archive, file = archive_with(deals=9, steps=4, size=5)
    for deal in range(10):
        place = archive.in_file(deal)
        if deal >= 9 - DEALS_KEPT + 1:
            assert place is None
            continue
        assert place is not None
        records = ledger_records(file[place.start : place.end])
        assert records[0] == bytes([deal, 0]) * 5
        assert records[-1] == bytes([9 - DEALS_KEPT, 3]) * 5
    assert file[: archive.before_memory().start] == b"header"


def test_a_range_of_the_file_is_bounded_but_never_empty() -> None:
    archive, _ = archive_with(deals=9, steps=1, size=10_000, copies=5)
    place = archive.in_file(0)
    assert place is not None
    assert 0 < place.end - place.start <= RANGE_BYTES
    large, _ = archive_with(deals=9, steps=1, size=10_000, copies=20)
    place = large.in_file(0)
    assert place is not None
    assert place.end - place.start > RANGE_BYTES


def test_nothing_goes_while_it_is_not_in_the_file() -> None:
    archive = Archive()
    archive.begin(b"header")
    for deal in range(9):
        archive.record(deal, 0, bytes(32), [b"raw"], [bytes(32)])
        assert archive.flush([bytes(32)]) == b""
    assert len(archive.steps) == 9
    assert archive.in_file(0) is None
    assert archive.before_memory() in (FileRange(6, 6),)


def test_evidence_of_a_late_fault_stands_alone() -> None:
    network = table_of(3, replace(LONG, seats=3), seed=33)
    network.run(lambda: deals_played(network) >= 4)
    bent, witness = network.peers[1], network.peers[0]
    lanes = bent.table.lanes
    assert lanes is not None
    theirs = witness.table.lanes
    assert theirs is not None
    bent.chooser = None
    seat = lanes.play.seat_of(bent.key)
    network.run(
        lambda: lanes.play.phase == "act" and lanes.play.owed == (seat,) and theirs.play.head == lanes.play.head
    )
    own = bent.table._own
    assert own is not None
    for body in (Bid(to=10**6), Fold()):
        payload = encode_payload(lanes.play.table, bent.key, lanes.play.place, body)
        network.inject(witness, seal(payload, own.me.identity.sign(SIGNATURE_DOMAIN, payload)))
    assert witness.accusations
    accusation = witness.accusations[0]
    assert accusation.place.start < accusation.place.end
    file = accusation.file(witness.ledger[accusation.place.start : accusation.place.end])
    assert verify_evidence(file).proven
