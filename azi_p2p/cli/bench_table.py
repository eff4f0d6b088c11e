"""A whole table in one process, without network or disk: real messages, real proofs, seats that play at random.

It makes the ledgers that are measured, and counts what a deal costs. Frames travel in queues, time stands still. What
doesn't belong here: measuring.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from azi_p2p.crypto.identity import IdentityKey
from azi_p2p.rules import Action, Option, Params
from azi_p2p.session.commands import Act
from azi_p2p.session.effects import Effect, Record, RunJob, Send
from azi_p2p.session.jobs import Checked, Job, JobResult, MakePlay, MakeShuffle, MakeTokens, run_job
from azi_p2p.session.own import Me
from azi_p2p.session.table import Table
from azi_p2p.wire.frame import Frame

NAMES = ("Anna", "Ben", "Katya", "Pieter", "Anele", "Sipho")

Runner = Callable[[Job], JobResult]
"""Does what the effect `RunJob` asks for."""


def make_only(job: Job) -> JobResult:
    """Run a job that makes proofs; one that checks holds, since whoever made them is in this very process."""
    return run_job(job) if isinstance(job, MakeShuffle | MakeTokens | MakePlay) else Checked(None)


@dataclass(slots=True)
class _Seat:
    key: bytes
    table: Table
    ledger: list[bytes] = field(default_factory=list)


class BenchTable:
    """A table with all its peers. `seed` decides who plays what; keys and proofs are of the system's randomness.

    Raises ParamsError when the parameters are out of range.
    """

    def __init__(self, params: Params, seed: int, run: Runner = make_only) -> None:
        self._chance = random.Random(seed)  # noqa: S311 - who plays which card, in a measurement
        self._run = run
        self._frames: deque[tuple[_Seat, bytes, Frame]] = deque()
        self._seats: list[_Seat] = []
        for number in range(params.seats):
            me = Me(IdentityKey.generate(), NAMES[number])
            table = Table.host(me, params, "Bench") if number == 0 else Table.join(me)
            self._seats.append(_Seat(me.identity.public, table))
        for seat in self._seats:
            self._perform(seat, seat.table.begin(0.0))
        for seat in self._seats:
            for other in self._seats:
                if other is not seat:
                    self._perform(seat, seat.table.link_up(other.key, 0.0))

    def play(self) -> Iterator[bytes]:
        """Play to the end of the table, and give the ledger in pieces, in order, as the first seat writes it."""
        first = self._seats[0]
        while not all(seat.table.ended for seat in self._seats):
            self._deliver()
            if not all(seat.table.ended for seat in self._seats):
                self._act()
            yield from first.ledger
            first.ledger.clear()

    def _deliver(self) -> None:
        while self._frames:
            seat, sender, frame = self._frames.popleft()
            self._perform(seat, seat.table.receive(frame, sender, 0.0))

    def _act(self) -> None:
        """Let one seat whose turn it is do something legal."""
        for seat in self._seats:
            legal = seat.table.view().legal
            if legal:
                self._perform(seat, seat.table.submit(Act(random_action(legal, self._chance)), 0.0))
                return
        raise AssertionError("nobody owes anything, and the table hasn't ended")

    def _perform(self, seat: _Seat, effects: list[Effect]) -> None:
        for effect in effects:
            match effect:
                case Send(frame=frame, to=to, but=but):
                    for other in self._seats:
                        if other is not seat and other.key not in but and to in (None, other.key):
                            self._frames.append((other, seat.key, frame))
                case RunJob(id=number, job=job):
                    self._perform(seat, seat.table.finish_job(number, self._run(job), 0.0))
                case Record(data=data) if seat is self._seats[0]:
                    seat.ledger.append(data)
                case _:
                    pass  # nothing is kept, nobody watches, and time stands still


def random_action(options: tuple[Option, ...], chance: random.Random) -> Action:
    """Any legal action but folding, so that deals are played out; bids stay near the least."""
    option = chance.choice([option for option in options if option.do != "fold"] or list(options))
    return option.action(option.min)
