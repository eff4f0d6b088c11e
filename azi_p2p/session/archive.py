"""What has been agreed, step by step: for peers that have to catch up, and for the ledger file.

A step is recorded when it is complete, and goes to the ledger file once it is closed: a strict majority of the
roster has signed on top of it. So nothing that a certificate could still take back stands in the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from azi_p2p.wire.envelope import Envelope
from azi_p2p.wire.ledgerfile import ledger_record


@dataclass(slots=True)
class RecordedStep:
    """One complete step of the play lane: what stands for it in the ledger, and who has signed on top of it.

    `head`: the head on which the step was taken.
    """

    deal: int
    step: int
    head: bytes
    raws: tuple[bytes, ...]
    need: int
    acked: set[int] = field(default_factory=set)


@dataclass(slots=True)
class Archive:
    """All complete steps of a table, in order; `written` of them are in the ledger file."""

    steps: list[RecordedStep] = field(default_factory=list)
    written: int = 0

    def record(self, deal: int, step: int, head: bytes, raws: Sequence[bytes], roster: Sequence[int]) -> None:
        """Record a complete step: the head it builds on, its envelopes in ledger order, and who could ack it."""
        self.steps.append(RecordedStep(deal, step, head, tuple(raws), len(roster) // 2 + 1))

    def ack(self, seats: Sequence[int]) -> None:
        """These seats have signed on top of everything recorded so far."""
        for step in self.steps[self.written :]:
            step.acked.update(seats)

    def is_written(self, deal: int, step: int) -> bool:
        """Whether this step has gone to the ledger file: it is final."""
        if self.written == 0:
            return False
        last = self.steps[self.written - 1]
        return (deal, step) <= (last.deal, last.step)

    def take_back(self, deal: int, step: int) -> None:
        """Drop this step and all after it; none of them may be written."""
        assert not self.is_written(deal, step), "what is closed is never undone"
        del self.steps[len(self.steps) - len(steps_from(self.steps, deal, step)) :]

    def flush(self, *, everything: bool = False) -> bytes:
        """The bytes to append to the ledger file now: steps that are closed, or all of them at the end."""
        ready: list[bytes] = []
        while self.written < len(self.steps):
            step = self.steps[self.written]
            if not everything and len(step.acked) < step.need:
                break
            ready.extend(ledger_record(raw) for raw in step.raws)
            self.written += 1
        return b"".join(ready)

    def head_at(self, deal: int, step: int) -> bytes | None:
        """The head on which we took this step; None if we have not."""
        found = steps_from(self.steps, deal, step)[:1]
        return found[0].head if found and (found[0].deal, found[0].step) == (deal, step) else None

    def since(self, deal: int, step: int) -> Iterator[bytes]:
        """All recorded envelopes from this step of the play lane on, in ledger order."""
        for recorded in steps_from(self.steps, deal, step):
            yield from recorded.raws


def steps_from(steps: Sequence[RecordedStep], deal: int, step: int) -> Sequence[RecordedStep]:
    """The steps from (deal, step) on, found from the end: it is nearly always near it."""
    start = len(steps)
    while start > 0 and (steps[start - 1].deal, steps[start - 1].step) >= (deal, step):
        start -= 1
    return steps[start:]


def raws_of(envelopes: Sequence[Envelope]) -> list[bytes]:
    """The bytes of envelopes, as signed."""
    return [envelope.raw for envelope in envelopes]
