"""Verify a ledger: every signature, head, proof, action, payout and receipt, from the bytes of the file alone.

The verifier is an onlooker that is handed the file's envelopes in order. It must file each of them at its step, find
no fault that a certificate doesn't settle, and in the end write a ledger of its own that is the same to the byte: so
nothing can be added, dropped, swapped or changed without being noticed. A file that stops before the standings are
signed is incomplete: valid as far as it goes.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

from azi_p2p.audit.ahead import Ahead, HandOver, Refuted
from azi_p2p.audit.onlooker import Onlooker
from azi_p2p.audit.records import Records
from azi_p2p.crypto.errors import CryptoError
from azi_p2p.rules import ParamsError
from azi_p2p.session.closing import Reckoning, reckon
from azi_p2p.session.events import FaultSeen
from azi_p2p.session.gathering import rules_params
from azi_p2p.session.playstate import PlayPhase
from azi_p2p.session.unfinished import unfinished
from azi_p2p.wire.envelope import Envelope, decode_envelope
from azi_p2p.wire.errors import WireError
from azi_p2p.wire.ledgerfile import LedgerCut, ledger_record


@dataclass(frozen=True, slots=True)
class LedgerFault:
    """Something wrong: at the file (seat None), or with what a seat did, as the ledger's certificates prove."""

    seat: int | None
    code: str
    deal: int | None
    step: int | None
    message: str

    def to_json(self) -> dict[str, object]:
        """The fault as `azi verify --json` writes it."""
        return {
            "seat": self.seat,
            "code": self.code,
            "deal": self.deal,
            "step": self.step,
            "message": self.message,
        }


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a ledger is. `valid` and not `complete`: right as far as it goes.

    `deals`: deals that are closed; `seats`: identity keys in hex by seat (None for a free one); `head`: the last head
    of the play lane, in hex; `chips`: by seat; `checks`: how many of what were verified; `unwritten`: envelopes of
    the last step, which isn't complete; `unconfirmed`: where the file stops early, what everybody would get if the
    table were closed there, which nobody has signed; `ended`: the signed result of the table is there (if the
    file isn't complete even so, bytes follow that belong to no game).
    """

    valid: bool
    complete: bool
    deals: int
    seats: tuple[str | None, ...]
    names: tuple[str | None, ...]
    head: str
    chips: tuple[int, ...]
    checks: dict[str, int]
    faults: tuple[LedgerFault, ...]
    unwritten: int = 0
    unconfirmed: Reckoning | None = None
    ended: bool = False

    def to_json(self) -> dict[str, object]:
        """The verdict as `azi verify --json` writes it."""
        return {
            "valid": self.valid,
            "complete": self.complete,
            "deals": self.deals,
            "seats": list(self.seats),
            "head": self.head,
            "chips": list(self.chips),
            "checks": self.checks,
            "faults": [fault.to_json() for fault in self.faults],
        }


class _Invalid(Exception):  # noqa: N818 - how the reader stops; never leaves this module
    def __init__(self, code: str, message: str, deal: int | None = None, step: int | None = None) -> None:
        super().__init__(message)
        self.fault = LedgerFault(None, code, deal, step, message)


@dataclass(slots=True)
class _Reader:
    """A file as it is read to an onlooker.

    `read_only`: what has been read, but not yet been written again by the onlooker; `written_only`: the reverse.
    `told` is called with the byte at which each record begins.
    """

    records: Records
    onlooker: Onlooker
    told: Callable[[int], None] | None
    signatures: int = 0
    trailing: int = 0
    cut: bool = False
    same: bool = True
    read_only: bytearray = field(default_factory=bytearray)
    written_only: bytearray = field(default_factory=bytearray)

    def read(self) -> None:
        """Read the whole file; raises _Invalid at the first thing that is wrong."""
        self._header()
        while True:
            start = self.records.position
            if self.told is not None:
                self.told(start)
            try:
                raw = self.records.next()
            except LedgerCut:
                self.cut = True
                break
            except WireError as error:
                raise _Invalid("bad_file", str(error)) from error
            if raw is None:
                break
            self.read_only += ledger_record(raw)
            self._take(raw, start)
            self._match(self.onlooker.take_written())
        self._compare()

    def _header(self) -> None:
        try:
            params, header = self.records.header()
            rules_params(params)
        except LedgerCut as error:
            raise _Invalid("not_a_ledger", "the file ends before the first record") from error
        except (WireError, ParamsError) as error:
            raise _Invalid("not_a_ledger", str(error)) from error
        self.read_only += header

    def _match(self, written: bytes) -> None:
        """What the onlooker writes must be what was read, byte for byte."""
        self.written_only += written
        count = min(len(self.written_only), len(self.read_only))
        self.same = self.same and self.written_only[:count] == self.read_only[:count]
        del self.written_only[:count], self.read_only[:count]

    def _take(self, raw: bytes, start: int) -> None:
        """Feed one envelope; it must be new, in order, and be filed at once."""
        place = f"the record at byte {start}"
        try:
            envelope = decode_envelope(raw)
        except WireError as error:
            raise _Invalid("bad_envelope", f"{place} is no envelope: {error}") from error
        known = self._counts(envelope)
        before = len(self.onlooker.faults)
        try:
            self.onlooker.hear(raw)
        except CryptoError as error:
            raise _Invalid("bad_proof", f"{place}: {error}", envelope.deal, envelope.step) from error
        if self.onlooker.refused is not None:
            raise _Invalid("bad_envelope", f"{place}: {self.onlooker.refused}", envelope.deal, envelope.step)
        self._blame(envelope.id, place, self.onlooker.faults[before:])
        if known or not self._counts(envelope):
            message = f"{place}, of the type {envelope.type}, does not follow from what stands before it"
            raise _Invalid("out_of_order", message, envelope.deal, envelope.step)
        self.signatures += 1

    def _blame(self, envelope_id: bytes, place: str, faults: Sequence[FaultSeen]) -> None:
        """A fault of the record itself makes the ledger invalid; one that a vote encloses is what the vote is about."""
        for fault in faults:
            if any(decode_envelope(raw).id == envelope_id for raw in fault.evidence):
                raise _Invalid(fault.code, f"{place}, by seat {fault.seat}: {fault.message}", fault.deal, fault.step)

    def _counts(self, envelope: Envelope) -> bool:
        """Whether an envelope has been taken for what it says: not merely kept, or refused."""
        gathering, lanes = self.onlooker.table.gathering, self.onlooker.table.lanes
        if any(entered.id == envelope.id for entered in gathering.envelopes()):
            return True
        return lanes is not None and envelope.id in lanes.counted

    def _compare(self) -> None:
        """What we wrote must be what we read; of a step that isn't complete yet, the envelopes follow it in order."""
        lanes = self.onlooker.table.lanes
        if lanes is None:
            raise _Invalid("not_founded", "the ledger ends before the table is founded")
        # Before everything is written: what is written is final, and nothing could come late for it.
        begun = unfinished(lanes)
        self._match(lanes.archive.flush(everything=True))
        if self.written_only or not self.same:
            raise _Invalid("not_canonical", "the records are not in the order in which a ledger has them")
        if self.read_only != b"".join(map(ledger_record, begun)):
            raise _Invalid(
                "not_canonical", "the last step isn't complete, and its records are not those that come first"
            )
        self.trailing = len(begun)

    def verdict(self, invalid: LedgerFault | None) -> Verdict:
        """The verdict after reading, or after the fault that stopped it."""
        lanes = self.onlooker.table.lanes
        faults = tuple(LedgerFault(f.seat, f.code, f.deal, f.step, f.message) for f in self.onlooker.faults)
        if lanes is None:
            checks = {"signatures": self.signatures, "shuffles": 0, "tokens": 0, "void_proofs": 0, "moves": 0}
            return Verdict(False, False, 0, (), (), "", (), checks, (invalid,) if invalid else ())
        play = lanes.play
        checks = {"signatures": self.signatures} | {
            kind: lanes.checks[kind] for kind in ("shuffles", "tokens", "void_proofs", "moves")
        }
        ended = invalid is None and play.phase is PlayPhase.ENDED and not self.trailing
        complete = ended and not self.cut
        return Verdict(
            valid=invalid is None,
            complete=complete,
            deals=lanes.closed_deals,
            seats=tuple(member.key.hex() if member else None for member in play.members),
            names=tuple(member.name if member else None for member in play.members),
            head=play.head.hex(),
            chips=play.game.chips,
            checks=checks,
            faults=faults if invalid is None else (invalid, *faults),
            unwritten=self.trailing,
            unconfirmed=reckon(play, lanes.play_inbox.moves) if invalid is None and not complete else None,
            ended=ended,
        )


def verify_ledger(data: bytes) -> Verdict:
    """Verify the bytes of a ledger file; never raises for what is in them, the verdict says it."""
    return verify_file(io.BytesIO(data))


def verify_file(
    file: BinaryIO,
    *,
    hand_over: HandOver | None = None,
    most: int = 1,
    told: Callable[[int], None] | None = None,
) -> Verdict:
    """Verify a ledger in a file that can be rewound; never raises for what is in it, the verdict says it.

    `hand_over`: whoever is to check the proofs, of up to `most` messages at a time, while the messages are read on;
    None to check each in its place. The verdict is the same. `told` is called with the byte at which each record begins
    (and begins anew where a proof turns out not to hold).
    """
    records = Records(file)
    if hand_over is None:
        return _read(_Reader(records, Onlooker(), told))
    doubtful: set[int] = set()
    while len(doubtful) < READINGS:
        records.rewind()
        ahead = Ahead(hand_over, frozenset(doubtful), most)
        try:
            return _read_ahead(_Reader(records, Onlooker(ahead.check), told), ahead)
        except Refuted as refuted:
            doubtful.add(refuted.number)
    records.rewind()
    return _read(_Reader(records, Onlooker(), told))


def _read(reader: _Reader) -> Verdict:
    """Read a ledger from where it begins, and judge it."""
    try:
        reader.read()
    except _Invalid as stop:
        return reader.verdict(stop.fault)
    return reader.verdict(None)


def _read_ahead(reader: _Reader, ahead: Ahead) -> Verdict:
    """As `_read`, but what comes out counts only once all checks hold; raises Refuted."""
    try:
        verdict = _read(reader)
    except Refuted:
        raise
    except Exception:
        # On top of proofs that don't hold, anything may go wrong: that is no fault of ours, unless all of them hold.
        ahead.confirm()
        raise
    ahead.confirm()
    return verdict


READINGS = 8
"""So often a ledger is read ahead, at most; one in which more checks fail is read once more, each made in its place."""
