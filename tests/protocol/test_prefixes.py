"""A ledger that stops early is right as far as it goes, wherever that is: also around certificates and attempts."""

from __future__ import annotations

from functools import cache

import pytest

from azi_p2p.audit.verify import verify_ledger
from azi_p2p.wire.envelope import decode_envelope
from azi_p2p.wire.ledgerfile import next_record, read_ledger_header
from tests.vectors_gen.files import FOLDER

LEDGERS = ("attempts", "void-deal", "proven-fault", "absent-in-play")


@cache
def ledger(name: str) -> bytes:
    return (FOLDER / "vectors" / "ledgers" / f"{name}.azi").read_bytes()


def ends_around_votes(name: str) -> list[int]:
    """Give the ends of all votes, and of the records before and after a certificate."""
    data, ends, kinds = ledger(name), [], []
    _, at = read_ledger_header(data)
    while at < len(data):
        raw, at = next_record(data, at)
        ends.append(at)
        kinds.append(decode_envelope(raw).type)
    return [end for number, end in enumerate(ends[:-1]) if "vote" in kinds[max(number - 1, 0) : number + 2]]


CASES = [(name, end) for name in LEDGERS for end in ends_around_votes(name)]


@pytest.mark.parametrize(("name", "end"), CASES)
def test_cut_off_around_a_certificate_it_is_valid_and_incomplete(name: str, end: int) -> None:
    verdict = verify_ledger(ledger(name)[:end])
    assert verdict.valid, verdict.faults
    assert not verdict.complete
