"""Proven faults: what each key has signed for each slot, and the first message of it that breaks the rules.

What a message would have to be is judged in `lanes`; here it is held against its author, and told.
"""

from __future__ import annotations

from collections.abc import Callable

from azi_p2p.session.archive import Archive, raws_of
from azi_p2p.session.effects import Accuse
from azi_p2p.session.events import FaultSeen
from azi_p2p.session.faults import EQUIVOCATION, Fault, ProvenFault
from azi_p2p.session.outbox import Outbox
from azi_p2p.session.slots import Slot, SlotBook, slot_of
from azi_p2p.wire.envelope import Envelope, decode_envelope, place_of
from azi_p2p.wire.evidencefile import write_evidence
from azi_p2p.wire.ledgerfile import ledger_record
from azi_p2p.wire.messages import TableParams


class Breaches:
    """The faults proven at a table.

    `guilty`: by key, the first; `by_lane`: by key and lane, the first there; `doubled`: by slot, two messages
    signed for it, of the deals in play. `leading_up`: gives what led to the current heads, as far as it is in
    memory.
    """

    def __init__(
        self, out: Outbox, archive: Archive, params: TableParams, leading_up: Callable[[], list[bytes]]
    ) -> None:
        self._out, self._archive, self._params, self._leading_up = out, archive, params, leading_up
        self.book = SlotBook()
        self.guilty: dict[bytes, ProvenFault] = {}
        self.by_lane: dict[tuple[bytes, str], ProvenFault] = {}
        self.doubled: dict[Slot, ProvenFault] = {}
        self._blamed: set[bytes] = set()

    def clash(self, seat: int, envelope: Envelope) -> bool:
        """Enter a message of `seat` for its slot; whether it has signed another one there, for which it is blamed."""
        first = self.book.enter(envelope)
        if first is None:
            return False
        self.equivocation(seat, first, envelope)
        return True

    def signed_for(self, slot: Slot) -> list[Envelope]:
        """What is known to be signed for a slot: nothing, one message, or two that prove an equivocation."""
        first, doubled = self.book.first(slot), self.doubled.get(slot)
        if first is None:
            return []
        both = [] if doubled is None else [decode_envelope(raw) for raw in doubled.evidence]
        return [first, *(envelope for envelope in both if envelope.id != first.id)]

    def prefer(self, envelope: Envelope) -> None:
        """Of two messages for one slot this is the one on which the table has gone on: it may count."""
        self.book.forget(envelope)
        self.book.enter(envelope)

    def forget(self, deal: int) -> None:
        """Deals before this one are over; faults are held against their authors all the same."""
        self.book.forget_before(deal)
        self.doubled = {at: proven for at, proven in self.doubled.items() if proven.deal >= deal}

    def equivocation(self, seat: int, first: Envelope, second: Envelope) -> None:
        """Blame `seat` for two different messages that it has signed for one slot."""
        message = f"two different messages signed for one slot: {first.type} and {second.type}"
        self.blame(seat, Fault(EQUIVOCATION, message), first, second)

    def blame(self, seat: int, fault: Fault, *evidence: Envelope) -> None:
        """Hold a fault against `seat`: evidence for whoever wants it, and word of it."""
        if evidence[-1].id in self._blamed:
            return
        self._blamed.add(evidence[-1].id)
        proven = ProvenFault(
            seat,
            fault.code,
            fault.message,
            evidence[-1].deal,
            evidence[-1].step,
            tuple(raws_of(evidence)),
            place_of(evidence[0]),
        )
        self.by_lane.setdefault((evidence[-1].author, evidence[-1].lane), proven)
        slot = slot_of(evidence[-1])
        if fault.code == EQUIVOCATION and slot is not None:
            self.doubled.setdefault(slot, proven)
        if evidence[-1].author not in self.guilty:
            self.guilty[evidence[-1].author] = proven
            context = self._leading_up()
            data = write_evidence(self._params, proven.evidence, context)
            rest = sum(len(ledger_record(raw)) for raw in context)
            self._out.do(Accuse(data, evidence[-1].author, self._archive.before_memory(), rest))
        self._out.tell(FaultSeen(seat, proven.code, proven.message, proven.deal, proven.step, proven.evidence))
