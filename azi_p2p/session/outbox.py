"""Where the parts of a session put what is to be done, in order, until the driver takes it."""

from __future__ import annotations

from dataclasses import dataclass, field

from azi_p2p.session.effects import Effect, Notify, Persist, Record, RunJob, Send
from azi_p2p.session.events import Event
from azi_p2p.session.jobs import Job
from azi_p2p.wire.envelope import Envelope
from azi_p2p.wire.frame import EnvelopeFrame


@dataclass(slots=True)
class Outbox:
    """Effects in the order in which they are to be performed."""

    effects: list[Effect] = field(default_factory=list)
    jobs_begun: int = 0

    def take(self) -> list[Effect]:
        """Give all effects and keep none."""
        effects, self.effects = self.effects, []
        return effects

    def do(self, effect: Effect) -> None:
        """Add an effect."""
        self.effects.append(effect)

    def tell(self, event: Event) -> None:
        """Notify whoever shows the table."""
        self.effects.append(Notify(event))

    def relay(self, envelope: Envelope, but: frozenset[bytes] = frozenset()) -> None:
        """Send an envelope to every linked peer but those who have it surely."""
        self.effects.append(Send(EnvelopeFrame(envelope.raw), but=but | {envelope.author}))

    def run(self, job: Job) -> int:
        """Start a job; returns its number."""
        self.jobs_begun += 1
        self.effects.append(RunJob(self.jobs_begun, job))
        return self.jobs_begun

    def persist(self, kind: str, record: bytes) -> None:
        """Have a record synced to the journal before anything that follows."""
        self.effects.append(Persist(kind, record))

    def record(self, data: bytes) -> None:
        """Append to the ledger file."""
        if data:
            self.effects.append(Record(data))
