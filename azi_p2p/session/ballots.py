"""All votes of a table: the polls by question, who votes in them, and what our own claims bind us to.

One poll counts by itself (`votes`); when to vote is decided in `absence`, what a certificate does in `lanes`.
"""

from __future__ import annotations

from collections.abc import Sequence

from azi_p2p.session.history import History
from azi_p2p.session.playstate import PlayState
from azi_p2p.session.votes import Outcome, Poll, Question, question_of
from azi_p2p.wire.envelope import Envelope, Place


class Ballots:
    """The polls of the deals in play.

    `claimed`: questions that we have claimed and that are not settled: we follow what is built on them, but sign
    nothing on top.
    """

    def __init__(self, history: History) -> None:
        self._history = history
        self.polls: dict[Question, Poll] = {}
        self.claimed: set[Question] = set()

    def voters(self, place: Place, play: PlayState) -> tuple[int, ...]:
        """The seats that vote about this place: the roster when its step is due, as far as we know."""
        past = self._history.step_of(place)
        return play.roster if past is None or past.state is None else past.state.roster

    def count(self, seat: int, envelope: Envelope, play: PlayState) -> list[Envelope]:
        """Count a vote of `seat`; gives older ones for which there is no room any more."""
        question = question_of(envelope)
        poll = self.polls.setdefault(question, Poll(question, opened_by=envelope.author))
        return poll.count(seat, envelope, self.voters(question.place, play))

    def recount(self, play: PlayState) -> None:
        """Another roster votes from here on. Votes about places to come were counted for the one before."""
        for question, poll in self.polls.items():
            place = question.place
            if place.deal >= play.deal and (place.lane == "deck" or place.step >= play.step):
                poll.recount(self.voters(place, play))

    def forget(self, deal: int) -> None:
        """Deals before this one are over."""
        self.polls = {question: poll for question, poll in self.polls.items() if question.place.deal >= deal}
        self.claimed = {question for question in self.claimed if question.place.deal >= deal}

    def certificate(self, place: Place, seat: int) -> Outcome | None:
        """The certificate that `seat` is absent at `place`, None if there is none."""
        poll = self.polls.get(Question(place, seat))
        return poll.outcome if poll is not None and poll.certified else None

    def is_bound(self, lane: str, play: PlayState, deck: Place, deck_log: Sequence[Envelope]) -> bool:
        """Whether we must not sign on in this lane: we have claimed a seat absent there, and that isn't settled.

        It is settled when the vote has ended, when the step is closed (a majority has signed on top of it), and when
        the step belongs to a chain or an attempt that was given up. Once the antes are signed, a claim about the deck
        binds in the play lane, which is built on it. `play`, `deck`: where the lanes stand; `deck_log`: the messages
        of the deck lane that are built upon.
        """
        self.claimed = {question for question in self.claimed if not self._is_settled(question, play, deck, deck_log)}
        return any(
            lane == ("play" if self._history.opening_of(question.place) else question.place.lane)
            for question in self.claimed
        )

    def _is_settled(self, question: Question, play: PlayState, deck: Place, deck_log: Sequence[Envelope]) -> bool:
        place = question.place
        poll = self.polls.get(question)
        if poll is None or poll.outcome is not None:
            return True
        if place in (play.place, deck):
            return False
        if place.deal > play.deal or (place.lane == "play" and (place.deal, place.step) > (play.deal, play.step)):
            return False  # We have claimed before our program was started again, and aren't there yet.
        opening = self._history.opening_of(place)
        if opening is not None:
            # About an attempt that was given up before, nobody need answer any more.
            return place.attempt < opening.place.attempt
        past = self._history.past.get(place.prev)
        if past is None or past.place != place:
            return True
        if place.lane == "deck":
            # Steps of an attempt that was given up are remembered too, but nothing is built on them any more.
            return all(envelope.prev != place.prev for envelope in deck_log)
        return self._history.archive.is_written(place.deal, place.step)
