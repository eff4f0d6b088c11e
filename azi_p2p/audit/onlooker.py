"""The session in the role of an onlooker that is read to: envelopes in, faults and a ledger of its own out.

No links, no time: jobs run at once (or whoever reads says how), and nothing is ever sent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from azi_p2p.session.effects import DropLink, Effect, Notify, Record, RunJob
from azi_p2p.session.events import FaultSeen
from azi_p2p.session.jobs import Job, JobResult, run_job
from azi_p2p.session.table import Table
from azi_p2p.wire.frame import EnvelopeFrame

_READER = bytes(32)
"""Stands for the link over which the envelopes of a file come."""


@dataclass(slots=True)
class Onlooker:
    """An onlooker's table.

    `check`: runs the checks of proofs. `written`: the ledger that it writes, as far as nobody has taken it; `faults`:
    what it has found proven; `refused`: why the last envelope was not even signed in order, None if it was.
    """

    check: Callable[[Job], JobResult] = run_job

    table: Table = field(default_factory=Table.watch)
    written: bytearray = field(default_factory=bytearray)
    faults: list[FaultSeen] = field(default_factory=list)
    refused: str | None = None

    def __post_init__(self) -> None:
        self._perform(self.table.begin(0.0))

    def hear(self, raw: bytes) -> None:
        """Take an envelope. Raises CryptoError only where all seats together made the joint key worthless."""
        self.refused = None
        self._perform(self.table.receive(EnvelopeFrame(raw), _READER, 0.0))

    def take_written(self) -> bytes:
        """What has been written to the ledger since this was asked last."""
        taken = bytes(self.written)
        self.written.clear()
        return taken

    def _perform(self, effects: list[Effect]) -> None:
        for effect in effects:
            match effect:
                case RunJob(id=number, job=job):
                    self._perform(self.table.finish_job(number, self.check(job), 0.0))
                case Record(data=data):
                    self.written += data
                case Notify(event=FaultSeen() as fault):
                    self.faults.append(fault)
                case DropLink(reason=reason):
                    self.refused = reason
                case _:
                    pass
