"""Attempts to open a deal that were given up: which certificates ended them, and what the ledger keeps of them.

A certificate may enclose a message of the deck lane as evidence, and that can be judged only on the deck that was
there. So the ledger keeps the deck lane of an attempt as far as its certificates reach, and the votes after it. What a
certificate does is decided in `lanes`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from azi_p2p.session.votes import Outcome, Question
from azi_p2p.wire.envelope import Envelope, Place

DeckSteps = Collection[tuple[Place, tuple[int, ...], Mapping[int, Envelope]]]
"""Complete steps of the deck lane: place, the seats that owed an envelope, and the envelopes by seat."""


@dataclass(slots=True)
class GivenUp:
    """The certificates of absence, by question, that ended attempts since the last `open`."""

    certificates: dict[Question, Outcome] = field(default_factory=dict)

    def add(self, question: Question, outcome: Outcome) -> None:
        """The attempt that `question` belongs to was given up by this certificate."""
        self.certificates[question] = outcome

    def envelopes(self, steps: DeckSteps) -> Iterator[Envelope]:
        """What the ledger keeps, in its order: for each attempt its deck lane up to the last certificate, the votes.

        `steps`: complete steps of the deck lane, of these attempts and any others.
        """
        for attempt in sorted({question.place.attempt for question in self.certificates}):
            ended = [question for question in self.certificates if question.place.attempt == attempt]
            deal = ended[0].place.deal
            reached = max((q.place.step for q in ended if q.place.lane == "deck"), default=0)
            kept = [step for step in steps if step[0].deal == deal and step[0].attempt == attempt]
            for place, owed, moves in sorted(kept, key=lambda step: step[0].step):
                if place.step < reached:
                    yield from (moves[seat] for seat in owed)
            for question in sorted(ended, key=lambda question: question.seat):
                yield from self.certificates[question].votes

    def clear(self) -> None:
        """A deal was opened, or another roster is due: what was given up is in the ledger."""
        self.certificates = {}
