"""A ledger is valid and complete only as it was written: no byte, record or order can be changed."""

from __future__ import annotations

import random
from functools import cache

import pytest

from azi_p2p.audit.verify import verify_ledger
from azi_p2p.rules import Params
from azi_p2p.wire.ledgerfile import ledger_record, next_record, read_ledger_header
from tests.session.harness import all_ended, table_of

SEED = 20


@cache
def finished(count: int = 3, hand_size: int = 3, deals: int = 2) -> bytes:
    network = table_of(count, Params(seats=count, hand_size=hand_size, deal_limit=deals), SEED)
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


@pytest.mark.parametrize(("count", "hand_size"), [(2, 3), (3, 4), (4, 3)])
def test_a_finished_ledger_is_valid_and_complete(count: int, hand_size: int) -> None:
    verdict = verify_ledger(finished(count, hand_size))
    assert verdict.valid
    assert verdict.complete
    assert verdict.deals >= 2
    assert sum(verdict.chips) == 1000 * count
    assert verdict.checks["shuffles"] == count * verdict.deals
    assert not verdict.faults


def test_cut_off_between_records_it_is_valid_but_incomplete() -> None:
    header, records = split(finished())
    founding = 4
    for kept in range(founding, len(records)):
        verdict = verify_ledger(join(header, records[:kept]))
        assert verdict.valid, (kept, verdict.faults)
        assert not verdict.complete


def test_cut_off_inside_a_record_it_is_incomplete() -> None:
    data = finished()
    chance = random.Random(SEED)
    for _ in range(10):
        verdict = verify_ledger(data[: chance.randrange(2000, len(data))])
        assert not verdict.complete


def test_with_a_record_dropped_it_is_never_valid_and_complete() -> None:
    header, records = split(finished())
    for gone in range(len(records)):
        verdict = verify_ledger(join(header, records[:gone] + records[gone + 1 :]))
        assert not (verdict.valid and verdict.complete), gone
        if gone < len(records) - 3:  # without one of the last receipts it is merely unfinished
            assert not verdict.valid, gone


def test_with_two_neighbours_swapped_it_is_invalid() -> None:
    header, records = split(finished())
    for first in range(len(records) - 1):
        swapped = [*records[:first], records[first + 1], records[first], *records[first + 2 :]]
        verdict = verify_ledger(join(header, swapped))
        assert not (verdict.valid and verdict.complete), first


def test_with_a_record_doubled_it_is_invalid() -> None:
    header, records = split(finished())
    for doubled in range(len(records)):
        verdict = verify_ledger(join(header, records[: doubled + 1] + records[doubled:]))
        assert not verdict.valid, doubled


def test_with_any_byte_changed_it_is_never_valid_and_complete() -> None:
    data = finished(2, 3, 1)
    chance = random.Random(SEED)
    header, _ = split(data)
    places = [*range(len(header)), *(chance.randrange(len(data)) for _ in range(300))]
    for place in places:
        changed = bytearray(data)
        changed[place] ^= 1 << chance.randrange(8)
        verdict = verify_ledger(bytes(changed))
        assert not (verdict.valid and verdict.complete), f"byte {place} (seed {SEED})"


def test_bytes_after_the_end_make_it_invalid() -> None:
    data = finished(2, 3, 1)
    for extra in (b"\x00", b"\x00\x00\x00\x01\x00", data[-300:], b"x" * 40):
        verdict = verify_ledger(data + extra)
        assert not (verdict.valid and verdict.complete), extra[:8]


def test_what_is_no_ledger_is_called_invalid_in_one_line() -> None:
    for data in (b"", b"AZI", b"AZILEDG\x02rest", b"\x7fELF" + bytes(100), b"AZILEDG\x01\xff\xff\xff\xff"):
        verdict = verify_ledger(data)
        assert not verdict.valid
        assert verdict.faults
        assert "\n" not in verdict.faults[0].message
