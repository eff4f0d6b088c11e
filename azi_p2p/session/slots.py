"""Slots: the one message that a seat may sign at each place, and the proof when it has signed two.

A lane message fills the slot (lane, deal, attempt, head, author); a vote fills (author, step, seat, round). Requests
and chat have no slot. Only messages with a valid signature are entered here.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from azi_p2p.wire.envelope import Envelope, Place, place_of
from azi_p2p.wire.messages import Vote

Slot = tuple[bytes, str, int, int, bytes, int, str, int]


def slot_of(envelope: Envelope) -> Slot | None:
    """The slot that an envelope fills, None when its type has none."""
    body = envelope.body
    if isinstance(body, Vote):
        return (
            envelope.author,
            "vote",
            envelope.deal,
            envelope.attempt,
            envelope.prev,
            body.seat,
            body.lane,
            body.round,
        )
    if envelope.lane == "none":
        return None
    return lane_slot(envelope.author, place_of(envelope))


def lane_slot(author: bytes, place: Place) -> Slot:
    """The slot of the message that `author` may sign at a place of either lane."""
    return (author, place.lane, place.deal, place.attempt, place.prev, 0, "", 0)


@dataclass(slots=True)
class SlotBook:
    """What has been signed for each slot of the deals in play; old deals are forgotten."""

    _signed: dict[Slot, Envelope] = field(default_factory=dict)

    def enter(self, envelope: Envelope) -> Envelope | None:
        """Enter a signed envelope; returns the different one that already fills its slot, if there is one."""
        slot = slot_of(envelope)
        if slot is None:
            return None
        first = self._signed.setdefault(slot, envelope)
        return None if first.id == envelope.id else first

    def first(self, slot: Slot) -> Envelope | None:
        """What was signed for this slot first, None if nothing was."""
        return self._signed.get(slot)

    def signed_on(self, head: bytes) -> list[Envelope]:
        """What was signed in the play lane on this head."""
        return [first for first in self.on_play() if first.prev == head]

    def on_play(self) -> list[Envelope]:
        """What was signed in the play lane, whether or not it counted."""
        return [first for slot, first in self._signed.items() if slot[1] == "play"]

    def is_taken(self, envelope: Envelope) -> bool:
        """Whether another message was signed for the slot of this one."""
        slot = slot_of(envelope)
        first = None if slot is None else self._signed.get(slot)
        return first is not None and first.id != envelope.id

    def forget(self, envelope: Envelope) -> None:
        """Forget what fills the slot of this envelope."""
        slot = slot_of(envelope)
        if slot is not None:
            self._signed.pop(slot, None)

    def forget_before(self, deal: int) -> None:
        """Forget the slots of deals before `deal`, so that a long evening takes no more memory than a short one."""
        self._signed = {slot: envelope for slot, envelope in self._signed.items() if slot[2] >= deal}


def is_equivocation(first: Envelope, second: Envelope) -> bool:
    """Whether two signed envelopes prove that their author signed two different messages for one slot."""
    slot = slot_of(first)
    return slot is not None and slot == slot_of(second) and first.table == second.table and first.id != second.id
