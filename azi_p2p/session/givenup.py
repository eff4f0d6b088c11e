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


@dataclass(frozen=True, slots=True)
class Ending:
    """A certificate of absence that ended an attempt: `attempt` is the one that was under way.

    The certificate may be about an earlier one, if it came late.
    """

    attempt: int
    question: Question
    outcome: Outcome

    @property
    def late(self) -> bool:
        """Whether the certificate is about an attempt before the one that it ended."""
        return self.question.place.attempt < self.attempt


@dataclass(slots=True)
class GivenUp:
    """The certificates of absence that ended attempts since the last `open`, in the order in which they did."""

    endings: list[Ending] = field(default_factory=list)

    def add(self, attempt: int, question: Question, outcome: Outcome) -> None:
        """The attempt under way was given up by this certificate."""
        self.endings.append(Ending(attempt, question, outcome))

    def envelopes(self, steps: DeckSteps, begun: Question | None = None) -> Iterator[Envelope]:
        """What the ledger keeps, in its order: for each attempt its deck lane up to the last certificate, the votes.

        Certificates about one attempt that followed each other are in order of seat; one that came late stands where
        it came, for a reader counts attempts by the certificates before. `steps`: complete steps of the deck lane, of
        these attempts and any others. `begun`: what one more certificate is about, in which a file breaks off.
        """
        endings = list(self.endings)
        while endings:
            if endings[0].late:
                yield from endings.pop(0).outcome.votes
                continue
            deal, attempt = endings[0].question.place.deal, endings[0].attempt
            together: list[Ending] = []
            while endings and endings[0].question.place.attempt == attempt:
                together.append(endings.pop(0))
            named = [ending.question.place for ending in together]
            last = max(ending.question.seat for ending in together)
            if begun is not None and (begun.place.deal, begun.place.attempt) == (deal, attempt) and begun.seat > last:
                named.append(begun.place)
            reached = max((place.step for place in named if place.lane == "deck"), default=0)
            kept = [step for step in steps if step[0].deal == deal and step[0].attempt == attempt]
            for place, owed, moves in sorted(kept, key=lambda step: step[0].step):
                if place.step < reached:
                    yield from (moves[seat] for seat in owed)
            for ending in sorted(together, key=lambda ending: ending.question.seat):
                yield from ending.outcome.votes

    def clear(self) -> None:
        """A deal was opened, or another roster is due: what was given up is in the ledger."""
        self.endings = []
