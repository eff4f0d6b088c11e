"""What the session asks the world outside to do. Effects are performed in the order in which they come.

The order matters: a `Persist` comes before the `Send` that depends on it, and must be on disk (synced) before it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from azi_p2p.session.archive import NOTHING, FileRange
from azi_p2p.session.events import Event
from azi_p2p.session.jobs import Job
from azi_p2p.wire.frame import Frame


@dataclass(frozen=True, slots=True)
class Send:
    """Send a frame to one linked peer (its key, 32 bytes), or to every linked peer but those in `but`."""

    frame: Frame
    to: bytes | None = None
    but: frozenset[bytes] = frozenset()


@dataclass(frozen=True, slots=True)
class Persist:
    """Append a record to this peer's own journal (mode 0600) and sync it to disk.

    `kind`: "envelope" (own envelope, about to be sent), "seen" (somebody else's, on which an own one builds), "secret"
    (deal secret), "erase" (the deal named in `record` has closed: its secrets, and what was seen in it, are no longer
    needed). The repr leaves the record out: it may be a secret.
    """

    kind: str
    record: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Record:
    """Append these bytes to the ledger file (the first ones are its header)."""

    data: bytes


@dataclass(frozen=True, slots=True)
class SendRecorded:
    """Send a linked peer the envelopes that stand at this place of the own ledger file, in order."""

    place: FileRange
    to: bytes


@dataclass(frozen=True, slots=True)
class Accuse:
    """Keep an evidence file (`azi_p2p.wire.evidencefile`) that proves what the peer with `key` did.

    Its bytes are `data`; if `place` isn't empty, those of the own ledger file there come in between, before the last
    `rest` bytes of `data`.
    """

    data: bytes
    key: bytes
    place: FileRange = NOTHING
    rest: int = 0

    def file(self, recorded: bytes) -> bytes:
        """The whole file, `recorded` being the bytes of the ledger file at `place`."""
        split = len(self.data) - self.rest
        return self.data[:split] + recorded + self.data[split:]


@dataclass(frozen=True, slots=True)
class RunJob:
    """Run `job` away from the event loop and hand its result to `Table.finish_job(id, result, now)`."""

    id: int
    job: Job


@dataclass(frozen=True, slots=True)
class WakeAt:
    """Call `Table.tick(now)` at this local monotonic time in seconds (the newest replaces earlier ones)."""

    at: float


@dataclass(frozen=True, slots=True)
class DropLink:
    """Close the link to this peer; the reason is for the log of this peer only."""

    peer: bytes
    reason: str


@dataclass(frozen=True, slots=True)
class Notify:
    """Tell whoever shows the table."""

    event: Event


Effect = Send | SendRecorded | Persist | Record | Accuse | RunJob | WakeAt | DropLink | Notify
