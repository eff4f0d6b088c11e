"""Ledgers and evidence files made to deceive: each thing that the verifier looks at, spoilt by itself.

Bytes turned, records dropped, doubled, swapped or cut off at random are in `tests/audit`; here it matters which check
refuses, and what it says.
"""

from __future__ import annotations

import struct
from functools import cache

import msgspec
import pytest

from azi_p2p.audit.evidence import verify_evidence
from azi_p2p.audit.verify import LedgerFault, verify_ledger
from azi_p2p.session.playstate import PlayPhase
from azi_p2p.wire.envelope import decode_envelope, place_of, seal
from azi_p2p.wire.evidencefile import read_evidence, write_evidence
from azi_p2p.wire.ledgerfile import MAGIC, ledger_header, ledger_record, next_record, read_ledger_header
from azi_p2p.wire.messages import MAX_VOTE, Bid, Commit, Fold, Open, Play, TableParams, Vote
from tests.attacks.bench import Bench, bench_of, play_of, run_to_end, small, two_stay
from tests.attacks.test_votes import seat_in_turn

SEED = 97


@cache
def played() -> Bench:
    bench = bench_of(3, small(3), SEED)
    run_to_end(bench)
    return bench


@cache
def with_a_fault() -> tuple[Bench, bytes, bytes]:
    """A table at which one has bid over its stack: the bench, its ledger, and the evidence file."""
    bench = bench_of(3, small(3), SEED, two_stay)
    bench.run(lambda: all(peer.table.lanes and play_of(peer).phase is PlayPhase.ACT for peer in bench.peers))
    bent = seat_in_turn(bench)
    bench.bend(bent, lambda envelope: Bid(to=10**9) if envelope.lane == "play" else envelope.raw)
    run_to_end(bench, bent)
    honest = bench.others(bent)[0]
    return bench, honest.ledger, honest.accusations[0].data


def split(data: bytes) -> tuple[bytes, list[bytes]]:
    _, start = read_ledger_header(data)
    records, at = [], start
    while at < len(data):
        raw, at = next_record(data, at)
        records.append(raw)
    return data[:start], records


def join(header: bytes, records: list[bytes]) -> bytes:
    return header + b"".join(map(ledger_record, records))


def first_fault(data: bytes) -> LedgerFault:
    verdict = verify_ledger(data)
    assert not verdict.valid
    assert not verdict.complete
    return verdict.faults[0]


def test_the_ledger_that_is_spoilt_below_is_good() -> None:
    for data in (played().peers[0].ledger, with_a_fault()[1]):
        verdict = verify_ledger(data)
        assert verdict.valid
        assert verdict.complete


def test_header_with_other_parameters() -> None:
    data = played().peers[0].ledger
    params, start = read_ledger_header(data)
    dearer = msgspec.structs.replace(params, ante=params.ante + 1)
    assert first_fault(ledger_header(dearer) + data[start:]).code == "not_canonical"


def test_file_of_another_kind_of_the_same_size() -> None:
    data = played().peers[0].ledger
    assert first_fault(b"NOLEDGER" + data[len(MAGIC) :]).code == "not_a_ledger"
    assert first_fault(MAGIC[:-1] + b"\x02" + data[len(MAGIC) :]).code == "not_a_ledger"


@pytest.mark.parametrize("length", [0, MAX_VOTE + 1, 2**32 - 1])
def test_record_of_an_impossible_length(length: int) -> None:
    header, records = split(played().peers[0].ledger)
    data = join(header, records[:10]) + struct.pack(">I", length) + bytes(min(length, 100))
    assert first_fault(data).code == "bad_file"


def test_record_that_is_no_envelope() -> None:
    header, records = split(played().peers[0].ledger)
    fault = first_fault(join(header, [*records[:10], b"no envelope"]))
    assert fault.code == "bad_envelope"
    assert "is no envelope" in fault.message


def test_record_whose_signature_does_not_hold() -> None:
    header, records = split(played().peers[0].ledger)
    envelope = decode_envelope(records[10])
    spoilt = seal(envelope.payload, bytes(64))
    fault = first_fault(join(header, [*records[:10], spoilt, *records[11:]]))
    assert fault.code == "bad_envelope"
    assert "signature" in fault.message


def test_record_that_breaks_the_rules() -> None:
    """The verifier names the seat and what it has done, not merely that something is out of order."""
    bench = played()
    header, records = split(bench.peers[0].ledger)
    at = next(at for at, raw in enumerate(records) if isinstance(decode_envelope(raw).body, Bid))
    honest = decode_envelope(records[at])
    author = bench.of(honest.author)
    false = bench.forge(author, place_of(honest), Bid(to=10**9))
    fault = first_fault(join(header, [*records[:at], false, *records[at + 1 :]]))
    assert fault.code not in ("out_of_order", "not_canonical", "bad_envelope")
    assert f"seat {play_of(author).seat_of(author.key)}" in fault.message
    assert (fault.deal, fault.step) == (honest.deal, honest.step)


def test_record_that_comes_again() -> None:
    header, records = split(played().peers[0].ledger)
    for at in (0, 3, 10, len(records) - 1):
        fault = first_fault(join(header, [*records[: at + 1], records[at], *records[at + 1 :]]))
        assert fault.code == "out_of_order", at


def test_record_that_follows_from_nothing() -> None:
    """A message of a step to come, in order but too early; it is named, not only found to be missing in the end."""
    header, records = split(played().peers[0].ledger)
    play = next(raw for raw in records if isinstance(decode_envelope(raw).body, Play))
    at = next(at for at, raw in enumerate(records) if isinstance(decode_envelope(raw).body, Open))
    rest = [raw for raw in records[at:] if raw != play]
    fault = first_fault(join(header, [*records[:at], play, *rest]))
    assert fault.code == "out_of_order"
    assert "of the type play," in fault.message


def test_ledger_that_founds_no_table() -> None:
    header, records = split(played().peers[0].ledger)
    for count in range(4):
        assert first_fault(join(header, records[:count])).code == "not_founded", count


def test_round_in_another_order() -> None:
    """All records are there and every one counts; but a ledger has them in seat order."""
    header, records = split(played().peers[0].ledger)
    commits = [at for at, raw in enumerate(records) if isinstance(decode_envelope(raw).body, Commit)]
    one, other = commits[:2]
    records = list(records)
    records[one], records[other] = records[other], records[one]
    assert first_fault(join(header, records)).code == "not_canonical"


def test_last_step_with_a_gap() -> None:
    """A ledger that breaks off holds the first records of its last step, not any of them."""
    header, records = split(played().peers[0].ledger)
    for kind in (Commit, Open):
        at = next(at for at, raw in enumerate(records) if isinstance(decode_envelope(raw).body, kind))
        assert verify_ledger(join(header, records[: at + 1])).valid
        assert first_fault(join(header, [*records[:at], records[at + 1]])).code == "not_canonical"


def test_cut_off_after_the_end() -> None:
    """Everything is there, and then the beginning of a record that isn't: right as far as it goes, not complete."""
    data = played().peers[0].ledger
    verdict = verify_ledger(data + b"\0\0")
    assert verdict.valid
    assert not verdict.complete


def test_votes_of_a_certificate_replaced_by_acks() -> None:
    """A ledger that breaks off in a certificate may hold claims there, and nothing else."""
    bench, ledger, _ = with_a_fault()
    header, records = split(ledger)
    at = next(at for at, raw in enumerate(records) if decode_envelope(raw).type == "vote")
    assert verify_ledger(join(header, records[: at + 1])).valid
    claim = decode_envelope(records[at])
    assert isinstance(claim.body, Vote)
    body = msgspec.structs.replace(claim.body, verdict="ack", move=b"m" * 32, evidence=[])
    ack = bench.forge(bench.of(claim.author), place_of(claim), body)
    assert first_fault(join(header, [*records[:at], ack])).code in ("not_canonical", "out_of_order")


# Evidence files


def parts() -> tuple[Bench, TableParams, list[bytes], list[bytes]]:
    bench, _, data = with_a_fault()
    params, evidence, context = read_evidence(data)
    return bench, params, evidence, context


def test_evidence_as_it_was_written_is_good() -> None:
    assert verify_evidence(with_a_fault()[2]).proven


def test_evidence_with_a_signature_that_does_not_hold() -> None:
    _, params, evidence, context = parts()
    envelope = decode_envelope(evidence[0])
    spoilt = write_evidence(params, [seal(envelope.payload, bytes(64))], context)
    verdict = verify_evidence(spoilt)
    assert not verdict.proven
    assert "signature" in verdict.message


def test_evidence_that_shows_an_honest_message_beside_a_real_fault() -> None:
    """The context holds a real fault; the message that is shown as evidence is another one's, and honest."""
    bench, params, evidence, context = parts()
    bent = decode_envelope(evidence[0]).author
    honest = next(raw for raw in context if decode_envelope(raw).author != bent)
    assert not verify_evidence(write_evidence(params, [honest], [*context, *evidence])).proven
    peer = bench.of(decode_envelope(honest).author)
    early = bench.forge(peer, place_of(decode_envelope(evidence[0])), Fold())
    both = verify_evidence(write_evidence(params, [early], [*context, *evidence]))
    assert both.seat != play_of(bench.peers[0]).seat_of(bent)


def test_evidence_under_the_parameters_of_another_table() -> None:
    _, params, evidence, context = parts()
    other = msgspec.structs.replace(params, name="Cellar")
    verdict = verify_evidence(write_evidence(other, evidence, context))
    assert not verdict.proven
    assert "founding" in verdict.message


def test_evidence_that_was_cut_off() -> None:
    _, params, evidence, _ = parts()
    whole = write_evidence(params, [evidence[0], evidence[0]], [])
    cut = whole[: -len(evidence[0]) - 4]
    verdict = verify_evidence(cut)
    assert not verdict.proven
    assert "ends before" in verdict.message
