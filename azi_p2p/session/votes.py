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
"""The newest votes of each voter, which are always kept."""

OLDER_KEPT = 8
"""Votes of older rounds that are kept beside them, the last to come: a majority found elsewhere may come late."""

LAST_ROUND = 10**6
"""The highest round that a vote can name."""


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

    `round` is the newest that this peer takes part in, `began` the local time at which it does so (None: it hasn't
    looked yet), `cast` that of its own vote in it (None: not yet). `reached`: the highest round of each voter.
    `opened_by`: key of the author of the first vote, None when we asked first ourselves.
    """

    question: Question
    round: int = 0
    cast: float | None = None
    votes: dict[int, dict[int, Envelope]] = field(default_factory=dict)
    twice: set[tuple[int, int]] = field(default_factory=set)
    began: float | None = None
    reached: dict[int, int] = field(default_factory=dict)
    opened_by: bytes | None = None
    _order: list[tuple[int, int]] = field(default_factory=list)
    outcome: Outcome | None = None

    def is_over(self, voter: int, number: int) -> bool:
        """Whether this voter has gone on so far that its vote in round `number` hardly matters any more."""
        return number <= self.reached.get(voter, 0) - ROUNDS_KEPT

    def begin(self, number: int, now: float) -> None:
        """Take part in round `number` from now on."""
        self.round, self.began, self.cast = min(number, LAST_ROUND), now, None

    def agreed_round(self, roster: Collection[int]) -> int:
        """The highest round that so many voters have reached that one of them is honest, if a majority of them is.

        Liars alone can send nobody on to a round, however high, so they can't keep the honest from meeting in one.
        """
        liars = (len(roster) - 1) // 2
        rounds = sorted((number for voter, number in self.reached.items() if voter in roster), reverse=True)
        return rounds[liars] if len(rounds) > liars else 0

    @property
    def behind(self) -> bool:
        """Whether somebody says that they are further than we."""
        return max(self.reached.values(), default=0) > self.round

    def count(self, voter: int, envelope: Envelope, roster: Collection[int]) -> list[Envelope]:
        """Count a vote of seat `voter`; two different votes of one seat in a round count for neither.

        Gives the votes of older rounds for which there is no room any more.
        """
        body = envelope.body
        assert isinstance(body, Vote)
        votes = self.votes.setdefault(body.round, {})
        if voter in votes and votes[voter].id != envelope.id:
            self.twice.add((body.round, voter))
            del votes[voter]
            if self.outcome is not None and self.outcome.round == body.round:
                self.recount(roster)
        elif (body.round, voter) not in self.twice:
            votes[voter] = envelope
        self._decide(body.round, roster)
        self.reached[voter] = max(self.reached.get(voter, 0), body.round)
        self._order = [at for at in self._order if at != (body.round, voter)] + [(body.round, voter)]
        older = [(number, seat) for number, seat in self._order if self.is_over(seat, number)]
        dropped: list[Envelope] = []
        for number, seat in older[: max(0, len(older) - OLDER_KEPT)]:
            self._order.remove((number, seat))
            self.twice.discard((number, seat))
            gone = self.votes.get(number, {}).pop(seat, None)
            if gone is not None:
                dropped.append(gone)
            if not self.votes.get(number, True):
                del self.votes[number]
        return dropped

    def recount(self, roster: Collection[int]) -> None:
        """Count again: another roster is the one that votes, or a vote doesn't count any more."""
        self.outcome = None
        for number in sorted(self.votes):
            self._decide(number, roster)

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
    def ended(self) -> bool:
        """Whether a majority has ended the vote, and nobody has voted in a later round."""
        return self.outcome is not None and self.outcome.round >= max(self.reached.values(), default=0)

    @property
    def newest(self) -> int:
        """The highest round in which anybody has voted."""
        return max(self.votes, default=0)

    @property
    def certified(self) -> bool:
        """Whether a majority has certified that the seat is absent."""
        return self.outcome is not None and self.outcome.move is None
