"""Votes on whether a seat has moved: by rounds, until a strict majority of the roster agrees.

A seat votes by the most that it holds: evidence of a fault (claim), else the move (ack), else nothing (claim).
A majority of claims is a certificate of absence; a majority of acks for one move says that it stands. This module
counts; when to vote, and what a certificate does, is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from azi_p2p.wire.envelope import Envelope, Place
from azi_p2p.wire.messages import Vote

ROUNDS_KEPT = 2
"""Votes of older rounds are dropped: only the newest can still decide."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a vote is about: did `seat` move at `place`?"""

    place: Place
    seat: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a vote ended: `move` is the id of the move that stands, None for a certificate of absence.

    `votes` are the envelopes that prove it: of the majority, the lowest seats, in seat order.
    """

    round: int
    move: bytes | None
    votes: tuple[Envelope, ...]


def question_of(envelope: Envelope) -> Question:
    """The question that a vote envelope answers."""
    body = envelope.body
    assert isinstance(body, Vote)
    place = Place(body.lane, envelope.deal, envelope.attempt, envelope.step, envelope.prev)
    return Question(place, body.seat)


@dataclass(slots=True)
class Poll:
    """One question with its votes.

    `round` is the newest that this peer takes part in, `cast` the local time of its own vote in it (None: not yet).
    """

    question: Question
    round: int = 0
    cast: float | None = None
    votes: dict[int, dict[int, Envelope]] = field(default_factory=dict)
    twice: set[tuple[int, int]] = field(default_factory=set)
    outcome: Outcome | None = None

    def count(self, voter: int, envelope: Envelope, roster: Collection[int]) -> None:
        """Count a vote of seat `voter`; two different votes of one seat in a round count for neither."""
        body = envelope.body
        assert isinstance(body, Vote)
        votes = self.votes.setdefault(body.round, {})
        if voter in votes and votes[voter].id != envelope.id:
            self.twice.add((body.round, voter))
            del votes[voter]
        elif (body.round, voter) not in self.twice:
            votes[voter] = envelope
        self._decide(body.round, roster)
        for old in [number for number in self.votes if number + ROUNDS_KEPT <= max(self.votes)]:
            del self.votes[old]

    def _decide(self, number: int, roster: Collection[int]) -> None:
        if self.outcome is not None and self.outcome.round >= number:
            return
        need = len(roster) // 2 + 1
        for move, seats in self._parties(number, roster).items():
            if len(seats) >= need:
                chosen = tuple(self.votes[number][seat] for seat in sorted(seats)[:need])
                self.outcome = Outcome(number, move, chosen)

    def _parties(self, number: int, roster: Collection[int]) -> dict[bytes | None, list[int]]:
        parties: dict[bytes | None, list[int]] = {}
        for seat, envelope in self.votes.get(number, {}).items():
            body = envelope.body
            assert isinstance(body, Vote)
            if seat in roster:
                parties.setdefault(None if body.verdict == "claim" else body.move, []).append(seat)
        return parties

    @property
    def newest(self) -> int:
        """The highest round in which anybody has voted."""
        return max(self.votes, default=0)

    @property
    def certified(self) -> bool:
        """Whether a majority has certified that the seat is absent."""
        return self.outcome is not None and self.outcome.move is None
