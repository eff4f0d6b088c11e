"""Everybody has been certified absent: all had lost each other for a while, and the table goes on as if nobody had."""

from __future__ import annotations

import pytest

from azi_p2p.audit.verify import Verdict
from azi_p2p.rules import SeatStatus
from azi_p2p.session.events import SeatAbsent
from azi_p2p.wire.envelope import decode_envelope
from azi_p2p.wire.frame import EnvelopeFrame, Frame
from tests.attacks.bench import Bench, assert_agreed, bench_of, events, play_of, run_to_end, small, two_stay
from tests.second_verifier.compare import disagreement
from tests.second_verifier.theirs import load
from tests.session.harness import Peer

pytestmark = pytest.mark.usefixtures("ideal_cryptography")

theirs = load()


def lost(seed: int, deals: int) -> Bench:
    """A table of three whose receipts of the first deal reach nobody, until each has been certified absent."""
    bench = bench_of(3, small(3, deals=deals), seed, two_stay)

    def without_receipts(_sender: Peer, _receiver: Peer, frame: Frame) -> Frame | None:
        envelope = decode_envelope(frame.envelope) if isinstance(frame, EnvelopeFrame) else None
        return None if envelope is not None and (envelope.type, envelope.deal) == ("close", 1) else frame

    bench.tamper = without_receipts
    bench.run(lambda: all(len(events(peer, SeatAbsent)) >= 3 for peer in bench.peers), seconds=600)
    assert all({event.seat for event in events(peer, SeatAbsent)} == {0, 1, 2} for peer in bench.peers)
    return bench


def verdicts(bench: Bench) -> list[Verdict]:
    """What the verifiers say of everybody's ledger: both the same."""
    found = assert_agreed(bench, *(peer for peer in bench.peers if not peer.alive))
    for peer in bench.peers:
        if peer.alive:
            assert theirs.verify(peer.ledger).code == theirs.VALID
            assert disagreement(peer.ledger) == ""
    return found


def test_all_play_on_who_had_lost_each_other() -> None:
    bench = lost(7300, 2)
    run_to_end(bench, seconds=600)
    assert all(play_of(peer).game.status == (SeatStatus.IN,) * 3 for peer in bench.peers)
    assert {verdict.deals for verdict in verdicts(bench)} == {2}


@pytest.mark.parametrize("gone", [0, 1, 2])
def test_whoever_is_really_gone_holds_up_nobody(gone: int) -> None:
    """Whether it is to propose the next roster, or only to sign."""
    bench = lost(7300, 2)
    bench.kill(bench.peers[gone])
    run_to_end(bench, bench.peers[gone], seconds=600)
    assert {verdict.deals for verdict in verdicts(bench)} == {2}
