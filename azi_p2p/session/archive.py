"""What has been agreed, step by step: for peers that have to catch up, and for the ledger file.

A step is recorded when it is complete, and goes to the ledger file once it is closed: a strict majority of the
roster has signed on top of it. So nothing that a certificate could still take back stands in the file. What stands
there isn't kept in memory for longer than a deal or two: a long evening takes no more of it than a short one. Whoever
needs older steps gets the place in the file where they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from azi_p2p.wire.envelope import Envelope
from azi_p2p.wire.ledgerfile import ledger_record


@dataclass(slots=True)
class RecordedStep:
    """One complete step of the play lane: what stands for it in the ledger, and who has signed on top of it.

    `head`: the head on which the step was taken; `roster`: keys of the seats that could sign on top of it.
    """

    deal: int
    step: int
    head: bytes
    raws: tuple[bytes, ...]
    roster: frozenset[bytes]
    acked: set[bytes] = field(default_factory=set)

    def is_closed(self, here: Collection[bytes]) -> bool:
        """Whether a majority has signed on top: of the roster, but for those who have left the table since."""
        return 2 * len(self.acked & self.deciders(here)) > len(self.deciders(here))

    def deciders(self, here: Collection[bytes]) -> frozenset[bytes]:
        """Those of whom a majority has to sign on top. Who has left signs nothing any more, and is asked no more."""
        return self.roster.intersection(here)


@dataclass(frozen=True, slots=True)
class FileRange:
    """Bytes of the own ledger file, from `start` up to but not including `end`; whole records."""

    start: int
    end: int


NOTHING = FileRange(0, 0)
"""No bytes at all."""

DEALS_KEPT = 2
"""Deals whose steps are kept in memory: the one that is played, and the one before."""

RANGE_BYTES = 1 << 18
"""How much of the file one answer to a peer holds, at most; but at least one deal."""


@dataclass(slots=True)
class Archive:
    """The complete steps of a table, in order, as far as they aren't only in the ledger file.

    `written` of them are in the file too. `length`: bytes that have gone to the file; `deals`: for each deal, in order,
    where it begins there (deal 0 is the founding).
    """

    steps: list[RecordedStep] = field(default_factory=list)
    written: int = 0
    length: int = 0
    deals: list[tuple[int, int]] = field(default_factory=list)

    def begin(self, header: bytes) -> bytes:
        """The ledger file begins with this header; gives it back."""
        self.length = len(header)
        return header

    def record(self, deal: int, step: int, head: bytes, raws: Sequence[bytes], roster: Iterable[bytes]) -> None:
        """Record a complete step: the head it builds on, its envelopes in ledger order, and whose keys could ack it."""
        self.steps.append(RecordedStep(deal, step, head, tuple(raws), frozenset(roster)))

    def ack(self, key: bytes, deal: int, step: int) -> None:
        """Whoever has this key has signed at a step, and so on top of everything before it."""
        for recorded in self.steps[self.written :]:
            if (recorded.deal, recorded.step) < (deal, step):
                recorded.acked.add(key)

    def deciders(self, here: Collection[bytes]) -> frozenset[bytes]:
        """Those of whom a majority has to sign before anything more can be written; empty where nothing waits."""
        return frozenset() if self.complete else self.steps[self.written].deciders(here)

    @property
    def complete(self) -> bool:
        """Whether everything recorded is in the file."""
        return self.written == len(self.steps)

    @property
    def open_deal(self) -> int | None:
        """The first deal of which a step is not in the file, None if there is none."""
        return None if self.complete else self.steps[self.written].deal

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

    def flush(self, here: Collection[bytes] = (), *, ended: bool = False, everything: bool = False) -> bytes:
        """The bytes to append to the ledger file now: steps that are closed, or all of them.

        `here`: keys of those who haven't left the table. `ended`: the last step is the end of the table, on top of
        which nobody signs.
        """
        ready: list[bytes] = []
        while self.written < len(self.steps):
            step = self.steps[self.written]
            closed = step.is_closed(here) or (ended and step is self.steps[-1])
            if not (closed or everything):
                break
            if not self.deals or self.deals[-1][0] < step.deal:
                self.deals.append((step.deal, self.length))
            records = [ledger_record(raw) for raw in step.raws]
            self.length += sum(map(len, records))
            ready.extend(records)
            self.written += 1
        self._let_go()
        return b"".join(ready)

    def _let_go(self) -> None:
        """Keep no deal in memory that is in the file and isn't recent."""
        old = self.steps[-1].deal - DEALS_KEPT if self.steps else 0
        gone = next((number for number, step in enumerate(self.steps) if step.deal > old), 0)
        if gone < self.written:
            del self.steps[:gone]
            self.written -= gone

    def in_file(self, deal: int) -> FileRange | None:
        """Where in the file the deals from this one on are, those that aren't in memory any more; None if it still is.

        As many whole deals as one answer may hold.
        """
        kept = self.steps[0].deal if self.steps else 0
        begins = [at for number, at in self.deals if deal <= number <= kept]
        if deal >= kept or len(begins) < 2:
            return None
        start, *ends = begins
        return FileRange(start, max((end for end in ends if end - start <= RANGE_BYTES), default=ends[0]))

    def before_memory(self) -> FileRange:
        """Where in the file everything is, from the founding on, that isn't in memory any more; may be empty."""
        kept = self.steps[0].deal if self.steps else 0
        places = dict(self.deals)
        start = self.deals[0][1] if self.deals else self.length
        return FileRange(start, places.get(kept, start))

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
