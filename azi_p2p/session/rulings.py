"""What votes, and signatures on top, say about steps that the table has gone past and about attempts to open a deal.

A certificate may drop a seat or take the table back; a later round, or a majority that has signed on top, may say that
it has no effect. Here is only read what follows next; `lanes` does it, and asks again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from azi_p2p.session import playlane, slots
from azi_p2p.session.ballots import Ballots
from azi_p2p.session.breaches import Breaches
from azi_p2p.session.decklane import DeckState
from azi_p2p.session.filing import Filing
from azi_p2p.session.history import History, PastStep, belongs
from azi_p2p.session.playstate import PlayPhase, PlayState
from azi_p2p.session.votes import Outcome, Question
from azi_p2p.wire.envelope import Envelope, Place, place_of


@dataclass(frozen=True, slots=True)
class Drop:
    """A seat is certified absent before its deal is opened: the deal is opened without it."""

    question: Question
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class TakeBack:
    """A seat is certified absent at a step that we had gone past: we return to it, without what came from the seat."""

    past: PastStep
    question: Question
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Restore:
    """A certificate has no effect any more: we return to the step, with what came from the seat.

    `move`: the message of the seat on top of which a majority has signed, if that is why.
    """

    past: PastStep
    seat: int
    move: Envelope | None = None


@dataclass(frozen=True, slots=True)
class Reopen:
    """The same for certificates that dropped seats: a deal's opening begins again at its first attempt.

    What stays certified drops its seat again from there. `opening`: the `open` if we had gone past it; `state`: the one
    in which seats are dropped; `opens`: the messages on top of which a majority has signed, if that is why.
    """

    opening: PastStep | None
    state: PlayState
    opens: tuple[Envelope, ...] = ()


Ruling = Drop | TakeBack | Restore | Reopen


class Rulings:
    """What follows from the votes of a table, and from what was signed on top of which step."""

    def __init__(self, history: History, ballots: Ballots, faults: Breaches, filing: Filing) -> None:
        self._history, self._ballots, self._faults, self._filing = history, ballots, faults, filing

    def next(self, play: PlayState, deck: DeckState | None) -> Ruling | None:
        """What is to be done next where the lanes stand at `play` and `deck`; None while there is nothing to do."""
        return self._outvoted(play) or self._certified(play, deck) or self._overruled(play)

    def _certified(self, play: PlayState, deck: DeckState | None) -> Drop | TakeBack | None:
        """Certificates that the current step alone doesn't settle.

        Before the antes are signed, an absent seat is dropped and the deck begins anew. A certificate for a step
        that we had gone past, and that is not closed, takes us back to it.
        """
        for question, poll in sorted(self._ballots.certificates.items(), key=lambda item: item[0].seat):
            assert poll.outcome is not None
            place, seat = question.place, question.seat
            past = self._history.step_of(place)
            if belongs(play, place):
                if seat in play.present and self._has_reached(place, deck):
                    return Drop(question, poll.outcome)
            elif past is not None and self._history.undoes(question, past):
                return TakeBack(past, question, poll.outcome)
            elif self._is_forgotten(place, play):
                self._ballots.spent(question)
        return None

    def _outvoted(self, play: PlayState) -> Restore | Reopen | None:
        """Certificates that were outvoted in a later round, or that are none any more, since somebody voted twice."""
        for question in list(self._ballots.outvoted):
            del self._ballots.outvoted[question]
            place, seat = question.place, question.seat
            opening, past = self._history.opening_of(place), self._history.past.get(place.prev)
            if belongs(play, place) or (opening is not None and opening.state is not None):
                state = play if opening is None or opening.state is None else opening.state
                if seat in {absence.seat for absence in state.dropped}:
                    return Reopen(opening, state)
            elif past is not None and past.place == place and self._is_without(past, seat):
                return Restore(past, seat)
        return None

    def _is_without(self, past: PastStep, seat: int) -> bool:
        """Whether a certificate stands for the seat's message at this step, and could still be undone."""
        if past.state is None or self._history.archive.is_written(past.place.deal, past.place.step):
            return False
        return seat in past.owed and seat not in past.moves

    def _overruled(self, play: PlayState) -> Restore | Reopen | None:
        """A certificate that came too late: a majority has signed on top of the seat's message.

        Whoever was there at the time knows that the step is closed. Who comes later, or has not yet checked what was
        signed on top, may hear of the certificate first.
        """
        if not any(poll.certified for poll in self._ballots.polls.values()):
            return None
        return self._signed_on(play) or self._opened(play)

    def _signed_on(self, play: PlayState) -> Restore | None:
        for past in reversed(self._history.past.values()):
            state, place = past.state, past.place
            if state is None or state.phase in (PlayPhase.OPEN, PlayPhase.END):
                continue
            if self._history.archive.is_written(place.deal, place.step):
                return None
            for seat, key in state.keyed(state.owed):
                if seat in past.moves:
                    continue
                for move in self._faults.signed_for(slots.lane_slot(key, place)):
                    head = playlane.head_after(state, {**past.moves, seat: move})
                    if place_of(move) == place and self._is_built_on(head, state, play):
                        self._ballots.overrule(Question(place, seat))
                        return Restore(past, seat, move)
        return None

    def _opened(self, play: PlayState) -> Reopen | None:
        """The same for an `open`: it stands, and whoever was dropped after it wasn't."""
        for opening, state, dropping in self._attempted(play):
            seats = [question.seat for question in dropping]
            for number, before in enumerate(playlane.attempts_before(state, seats)):
                opens = self._built_upon(before, play)
                if opens:
                    for question in dropping[number:]:
                        self._ballots.overrule(question)
                    return Reopen(opening, state, opens)
        return None

    def _attempted(self, play: PlayState) -> Iterator[tuple[PastStep | None, PlayState, list[Question]]]:
        """Openings of deals that may still change, with the state after their attempts, and what has ended those."""
        if play.phase is PlayPhase.OPEN:
            yield None, play, [ending.question for ending in self._history.given_up.endings]
        for past in self._history.openings():
            if past.state is not None:
                yield past, past.state, [ending.question for ending in past.endings]

    def _built_upon(self, opening: PlayState, play: PlayState) -> tuple[Envelope, ...]:
        """The messages by which a deal was opened at this attempt and on top of which a majority has signed, if any."""
        place, owed = opening.place, opening.keyed(opening.owed)
        signed = [self._faults.signed_for(slots.lane_slot(key, place)) for _, key in owed]
        for choice in product(*signed):
            moves = {seat: envelope for (seat, _), envelope in zip(owed, choice, strict=True)}
            in_order = all(envelope.type == "open" and place_of(envelope) == place for envelope in choice)
            if in_order and self._is_built_on(playlane.head_after(opening, moves), opening, play):
                return choice
        return ()

    def _is_built_on(self, head: bytes, before: PlayState, play: PlayState) -> bool:
        """Whether a majority has signed on this head, which a step from the state `before` has led to."""
        deciders = {key for _, key in before.keyed(before.roster)} & play.here
        signed, absences = self._faults.book.on_play(), self._ballots.absences()
        return 2 * len(deciders & self._filing.authors_on(head, play, signed, absences)) > len(deciders)

    def _is_forgotten(self, place: Place, play: PlayState) -> bool:
        """Whether the play lane has gone past this step so far, or on so different a chain, that nothing leads back."""
        behind = (place.deal, place.step) < (play.deal, play.step)
        return behind and place.lane == "play" and place.prev not in self._history.past

    def _has_reached(self, place: Place, deck: DeckState | None) -> bool:
        """Whether the deck that a certificate was given on is known here; until then it waits for what we lack."""
        if deck is None or place.lane != "deck" or place.attempt != deck.attempt or place == deck.place:
            return True
        past = self._history.past.get(place.prev)
        return past is not None and past.place == place
