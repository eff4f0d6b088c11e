"""A ledger is valid and complete only as it was written: no byte, record or order can be changed."""

from __future__ import annotations

import random
from functools import cache

import pytest

from azi_p2p.audit.verify import verify_ledger
from azi_p2p.crypto.errors import CryptoError
from azi_p2p.rules import Params
from azi_p2p.session.roster import open_signed
from azi_p2p.wire.envelope import decode_envelope
from azi_p2p.wire.errors import WireError
from azi_p2p.wire.ledgerfile import ledger_record, next_record, read_ledger_header
from tests.session.harness import all_ended, table_of

SEED = 20


@cache
def finished(count: int = 2, hand_size: int = 3, deals: int = 1) -> bytes:
    """The ledger of a table on which nothing went wrong."""
    network = table_of(count, Params(seats=count, hand_size=hand_size, deal_limit=deals), SEED)
    network.run(lambda: all_ended(network))
    return network.peers[0].ledger


@cache
def with_an_absence() -> bytes:
    """The ledger of a table of three, of whom one vanishes once the cards are out."""
    network = table_of(3, Params(seats=3, deal_limit=1), SEED)
    network.run(lambda: any(option.do == "play" for peer in network.peers for option in peer.table.view().legal))
    network.kill(network.peers[2])
    network.run(lambda: all_ended(network))
    return network.peers[0].ledger


def split(data: bytes) -> tuple[bytes, list[bytes]]:
    _, start = read_ledger_header(data)
    records, at = [], start
    while at < len(data):
        raw, at = next_record(data, at)
        records.append(raw)
    return data[:start], records


def join(header: bytes, records: list[bytes]) -> bytes:
    return header + b"".join(ledger_record(raw) for raw in records)


@pytest.mark.parametrize(("count", "hand_size", "deals"), [(2, 3, 1), (3, 4, 2), (4, 3, 1)])
def test_a_finished_ledger_is_valid_and_complete(count: int, hand_size: int, deals: int) -> None:
    verdict = verify_ledger(finished(count, hand_size, deals))
    assert verdict.valid
    assert verdict.complete
    assert verdict.deals >= deals
    assert sum(verdict.chips) == 1000 * count
    assert verdict.checks["shuffles"] == count * verdict.deals
    assert not verdict.faults


def test_a_certificate_of_absence_stands_in_a_valid_ledger() -> None:
    verdict = verify_ledger(with_an_absence())
    assert verdict.valid
    assert verdict.complete
    _, records = split(with_an_absence())
    assert sum(decode_envelope(raw).type == "vote" for raw in records) >= 2


@pytest.mark.parametrize("data", [finished, with_an_absence])
def test_cut_off_between_records_it_is_valid_but_incomplete(data: object) -> None:
    assert callable(data)
    header, records = split(data())
    founding = next(i for i, raw in enumerate(records) if decode_envelope(raw).type == "founding")
    for kept in range(founding + 1, len(records)):
        verdict = verify_ledger(join(header, records[:kept]))
        assert verdict.valid, (kept, verdict.faults)
        assert not verdict.complete


def test_cut_off_inside_a_record_it_is_incomplete() -> None:
    data = finished()
    header, _ = split(data)
    chance = random.Random(SEED)
    for _ in range(20):
        verdict = verify_ledger(data[: chance.randrange(len(header) + 2000, len(data))])
        assert verdict.valid
        assert not verdict.complete


@pytest.mark.parametrize("data", [finished, with_an_absence])
def test_with_a_record_dropped_it_is_never_valid_and_complete(data: object) -> None:
    assert callable(data)
    header, records = split(data())
    receipts = sum(decode_envelope(raw).type == "end" for raw in records)
    for gone in range(len(records)):
        verdict = verify_ledger(join(header, records[:gone] + records[gone + 1 :]))
        assert not (verdict.valid and verdict.complete), gone
        if gone < len(records) - receipts:  # without one of the last signatures it is merely unfinished
            assert not verdict.valid, gone


@pytest.mark.parametrize("data", [finished, with_an_absence])
def test_with_two_neighbours_swapped_it_is_invalid(data: object) -> None:
    assert callable(data)
    header, records = split(data())
    for first in range(len(records) - 1):
        swapped = [*records[:first], records[first + 1], records[first], *records[first + 2 :]]
        verdict = verify_ledger(join(header, swapped))
        assert not verdict.valid, first


@pytest.mark.parametrize("data", [finished, with_an_absence])
def test_with_a_record_doubled_it_is_invalid(data: object) -> None:
    assert callable(data)
    header, records = split(data())
    for doubled in range(len(records)):
        verdict = verify_ledger(join(header, records[: doubled + 1] + records[doubled:]))
        assert not verdict.valid, doubled


def test_a_record_of_another_table_is_refused() -> None:
    header, records = split(finished())
    _, others = split(with_an_absence())
    for at in range(0, len(records), 5):
        verdict = verify_ledger(join(header, [*records[:at], others[at], *records[at:]]))
        assert not (verdict.valid and verdict.complete), at


def test_no_byte_of_a_record_can_be_changed() -> None:
    """Every byte of every record, one bit each: the envelope then doesn't decode, or its signature doesn't hold."""
    chance = random.Random(SEED)
    for record in split(with_an_absence())[1]:
        for place in range(len(record)):
            changed = bytearray(record)
            changed[place] ^= 1 << chance.randrange(8)
            with pytest.raises((WireError, CryptoError)):
                open_signed(bytes(changed))


def test_with_a_byte_changed_anywhere_it_is_never_valid_and_complete() -> None:
    """The whole verifier: every byte outside the records (header, lengths), and a hundred inside them."""
    data = finished()
    chance = random.Random(SEED)
    header, records = split(data)
    places = [*range(len(header)), *(chance.randrange(len(data)) for _ in range(100))]
    at = len(header)
    for record in records:
        places.extend(range(at, at + 4))
        at += 4 + len(record)
    for place in places:
        changed = bytearray(data)
        changed[place] ^= 1 << chance.randrange(8)
        verdict = verify_ledger(bytes(changed))
        assert not (verdict.valid and verdict.complete), f"byte {place} (seed {SEED})"


def test_bytes_after_the_end_make_it_invalid() -> None:
    data = finished()
    for extra in (b"\x00", b"\x00\x00\x00\x01\x00", data[-300:], b"x" * 40):
        verdict = verify_ledger(data + extra)
        assert not (verdict.valid and verdict.complete), extra[:8]


def test_what_is_no_ledger_is_called_invalid_in_one_line() -> None:
    for data in (b"", b"AZI", b"AZILEDG\x02rest", b"\x7fELF" + bytes(100), b"AZILEDG\x01\xff\xff\xff\xff"):
        verdict = verify_ledger(data)
        assert not verdict.valid
        assert verdict.faults
        assert "\n" not in verdict.faults[0].message
