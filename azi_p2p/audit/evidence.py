"""Judge an evidence file: does it prove that the author of its evidence broke the protocol?

An onlooker reads what led up to the head in question, then the evidence, and must come to the same fault itself. What
somebody claims in the file beside that counts for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from azi_p2p.audit.onlooker import Onlooker
from azi_p2p.crypto.errors import CryptoError
from azi_p2p.session.roster import open_signed
from azi_p2p.session.unfinished import unfinished
from azi_p2p.wire.envelope import Envelope
from azi_p2p.wire.errors import WireError
from azi_p2p.wire.evidencefile import read_evidence
from azi_p2p.wire.ledgerfile import ledger_records, read_ledger_header
from azi_p2p.wire.messages import Founding, SeatRequest, Vote


@dataclass(frozen=True, slots=True)
class EvidenceVerdict:
    """What an evidence file proves. `proven` False: nothing, and `message` says why.

    Otherwise the fault: of which seat, by name and key (hex), at which deal and step, with its code and in words.
    """

    proven: bool
    message: str
    code: str = ""
    seat: int | None = None
    name: str | None = None
    key: str | None = None
    deal: int | None = None
    step: int | None = None
    types: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """The verdict as `azi verify --json` writes it for an evidence file."""
        return {
            "proven": self.proven,
            "seat": self.seat,
            "name": self.name,
            "key": self.key,
            "code": self.code,
            "deal": self.deal,
            "step": self.step,
            "message": self.message,
        }


def verify_evidence(data: bytes) -> EvidenceVerdict:
    """Judge the bytes of an evidence file; never raises for what is in them, the verdict says it."""
    try:
        params, evidence, context = read_evidence(data)
        envelopes = [open_signed(raw) for raw in evidence]
    except (WireError, CryptoError) as error:
        return EvidenceVerdict(False, str(error))
    if not _begins_with_founding(context):
        return EvidenceVerdict(False, "the file doesn't hold the founding of the table it speaks of")
    onlooker = Onlooker()
    try:
        for raw in context:
            onlooker.hear(raw)
        if not _in_ledger_order(onlooker, context, {envelope.id for envelope in envelopes}):
            return EvidenceVerdict(False, "a vote in what leads up to the evidence doesn't stand where a ledger has it")
        for raw in evidence:
            onlooker.hear(raw)
    except CryptoError as error:
        return EvidenceVerdict(False, f"what leads up to the evidence is not in order: {error}")
    lanes = onlooker.table.lanes
    if lanes is None or lanes.play.wire_params != params:
        return EvidenceVerdict(False, "the file doesn't hold the founding of the table it speaks of")
    return _find(onlooker, envelopes)


def _begins_with_founding(context: list[bytes]) -> bool:
    """Whether the messages begin with seats and the founding that lists just them, in this order."""
    seats: list[bytes] = []
    for raw in context:
        try:
            envelope = open_signed(raw)
        except (WireError, CryptoError):
            return False
        if isinstance(envelope.body, Founding):
            return envelope.body.seats == seats
        if not isinstance(envelope.body, SeatRequest):
            return False
        seats.append(envelope.id)
    return False


def _in_ledger_order(onlooker: Onlooker, context: list[bytes], proving: set[bytes]) -> bool:
    """Whether the claims among what leads up are just those that a ledger has, in its order; each counts once."""
    lanes = onlooker.table.lanes
    claims = {vote.id: None for raw in context if (vote := _claim(raw)) is not None and vote.id not in proving}
    if lanes is None:
        return not claims
    written = bytes(onlooker.written)
    closed = ledger_records(written, read_ledger_header(written)[1]) if written else []
    due = [vote.id for raw in (*closed, *lanes.archive.since(0, 0), *unfinished(lanes)) if (vote := _claim(raw))]
    return list(claims) == [one for one in due if one not in proving]


def _claim(raw: bytes) -> Envelope | None:
    """A vote that claims a seat absent; None for whatever else this is."""
    try:
        envelope = open_signed(raw)
    except (WireError, CryptoError):
        return None
    body = envelope.body
    return envelope if isinstance(body, Vote) and body.verdict == "claim" else None


def _find(onlooker: Onlooker, envelopes: list[Envelope]) -> EvidenceVerdict:
    lanes = onlooker.table.lanes
    assert lanes is not None
    known = {*lanes.history.past, lanes.play_inbox.place.prev, lanes.deck_inbox.place.prev}
    if any(envelope.prev not in known for envelope in envelopes):
        return EvidenceVerdict(False, "what leads up to the evidence doesn't come to the head that it names")
    wanted = sorted(envelope.id for envelope in envelopes)
    for fault in onlooker.faults:
        if wanted != sorted(open_signed(raw).id for raw in fault.evidence):
            continue
        member = lanes.play.members[fault.seat]
        assert member is not None
        return EvidenceVerdict(
            proven=True,
            message=fault.message,
            code=fault.code,
            seat=fault.seat,
            name=member.name,
            key=member.key.hex(),
            deal=fault.deal,
            step=fault.step,
            types=tuple(envelope.type for envelope in envelopes),
        )
    return EvidenceVerdict(False, "these messages, at this place, break no rule of the protocol")
