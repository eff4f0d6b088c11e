"""All votes of a table: the polls by question, who votes in them, and what our own claims bind us to.

One poll counts by itself (`votes`); when to vote is decided in `absence`, what a certificate does in `lanes`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from azi_p2p.session.heads import absent_entry
from azi_p2p.session.history import History, belongs, is_given_up
from azi_p2p.session.playstate import Absence, PlayState
from azi_p2p.session.votes import Outcome, Poll, Question, question_of
from azi_p2p.wire.envelope import Envelope, Place
from azi_p2p.wire.messages import Vote


class Ballots:
    """The polls of the deals in play.

    `claimed`: questions that we have claimed, with the last round in which we did: until they are settled, we follow
    what is built on them, but sign nothing on top. `acked`: the last round in which we have said that a message
    stands, and its id. `certificates`: the polls by which a seat is certified absent, but for those that concern
    nothing any more (`spent`); `outvoted`: those that did, until a later round ended in acks, or somebody turned out
    to have voted twice, and that nobody has heeded yet.
    """

    def __init__(self, history: History) -> None:
        self._history = history
        self.polls: dict[Question, Poll] = {}
        self.claimed: dict[Question, int] = {}
        self.acked: dict[Question, tuple[int, bytes]] = {}
        self.certificates: dict[Question, Poll] = {}
        self.outvoted: dict[Question, Poll] = {}
        self.overruled: set[Question] = set()

    def voters(self, place: Place, play: PlayState) -> tuple[int, ...]:
        """The seats that vote about this place: the roster when its step is due, as far as we know."""
        past = self._history.step_of(place)
        return play.roster if past is None or past.state is None else past.state.roster

    def contradicts(self, place: Place) -> bool:
        """Whether there are votes about another step on the same head: nobody can vote about both, in one slot."""
        return any(
            replace(asked, step=place.step) == place and asked.step != place.step
            for asked in {question.place for question in self.polls}
        )

    def of(self, author: bytes) -> Iterator[Envelope]:
        """The votes of one author that we hold."""
        for poll in self.polls.values():
            for votes in poll.votes.values():
                yield from (envelope for envelope in votes.values() if envelope.author == author)

    def count(self, seat: int, envelope: Envelope, play: PlayState) -> list[Envelope]:
        """Count a vote of `seat`; gives older ones for which there is no room any more."""
        question = question_of(envelope)
        poll = self.polls.setdefault(question, Poll(question, opened_by=envelope.author))
        dropped = poll.count(seat, envelope, self.voters(question.place, play))
        self._note(question, poll)
        return dropped

    def overrule(self, question: Question) -> None:
        """The step is closed without this certificate: it has no effect, whatever votes there are."""
        self.overruled.add(question)
        self.certificates.pop(question, None)
        self.outvoted.pop(question, None)

    def _note(self, question: Question, poll: Poll) -> None:
        if question in self.overruled:
            return
        if poll.certified:
            self.certificates[question] = poll
            self.outvoted.pop(question, None)
        elif self.certificates.pop(question, None) is not None:
            self.outvoted[question] = poll

    def cast(self, question: Question, vote: Vote, now: float) -> None:
        """We have signed this vote, perhaps before a restart: we take part in no round before it.

        What it binds us to is for `is_bound` to say.
        """
        poll = self.polls[question]
        if vote.round > poll.round:
            poll.begin(vote.round, now)
        if vote.verdict == "claim":
            self.claimed[question] = max(vote.round, self.claimed.get(question, 0))
        else:
            self.acked[question] = max((vote.round, vote.move), self.acked.get(question, (0, b"")))

    def stands(self, question: Question) -> bytes | None:
        """The id of the message that stands by our own last ack, if no vote has ended since; else None."""
        poll = self.polls[question]
        number, move = self.acked.get(question, (-1, None))
        return None if poll.outcome is not None and poll.outcome.round >= number else move

    def spent(self, question: Question) -> None:
        """A certificate can't take us anywhere any more: it needn't be looked at again."""
        self.certificates.pop(question, None)

    def recount(self, play: PlayState) -> None:
        """Another roster votes from here on. Votes about places to come were counted for the one before."""
        for question, poll in self.polls.items():
            place = question.place
            if place.deal >= play.deal and (place.lane == "deck" or place.step >= play.step):
                poll.recount(self.voters(place, play))
                self._note(question, poll)

    def forget(self, deal: int) -> None:
        """Deals before this one are over."""
        self.polls = {question: poll for question, poll in self.polls.items() if question.place.deal >= deal}
        self.certificates = {question: poll for question, poll in self.certificates.items() if question in self.polls}
        self.outvoted = {question: poll for question, poll in self.outvoted.items() if question in self.polls}
        self.overruled = {question for question in self.overruled if question.place.deal >= deal}
        self.claimed = {question: number for question, number in self.claimed.items() if question.place.deal >= deal}
        self.acked = {question: ack for question, ack in self.acked.items() if question.place.deal >= deal}

    def certificate(self, place: Place, seat: int) -> Outcome | None:
        """The certificate that `seat` is absent at `place`, None if there is none."""
        poll = self.polls.get(Question(place, seat))
        return poll.outcome if poll is not None and self._holds(poll) else None

    def _holds(self, poll: Poll) -> bool:
        return poll.certified and poll.question not in self.overruled

    def absences(self) -> dict[bytes, list[Absence]]:
        """The absences that are certified in the play lane, by the heads on which they are."""
        found: dict[bytes, list[Absence]] = {}
        for question, poll in self.polls.items():
            place, seat = question.place, question.seat
            if place.lane == "play" and self._holds(poll):
                entry = absent_entry(place.lane, seat, place.deal, place.attempt, place.step, place.prev)
                found.setdefault(place.prev, []).append(Absence(seat, entry))
        return found

    def is_bound(self, lane: str, play: PlayState, deck: Place, deck_log: Sequence[Envelope]) -> bool:
        """Whether we must not sign on in this lane: we have claimed a seat absent there, and that isn't settled.

        Or the other way round: we have said that its message stands, and that vote may still outvote the certificate
        of an earlier round. A claim is settled when the vote has ended, when the step is closed (a majority has signed
        on top of it), and when the step belongs to a chain that was given up, or to an attempt after which the seat
        was dropped. Once the antes are signed, a claim about the deck binds in the play lane, which is built on it.
        `play`, `deck`: where the lanes stand; `deck_log`: the messages of the deck lane that are built upon.
        """
        claimed = [question for question in self.claimed if not self._is_settled(question, play, deck, deck_log)]
        contested = [question for question in self.acked if self._is_contested(question, play)]
        return any(lane == self._binding_lane(question.place, play) for question in (*claimed, *contested))

    def _binding_lane(self, place: Place, play: PlayState) -> str:
        """The lane in which a claim about this place binds: a deal is built on its deck, and on attempts before."""
        built_on = self._history.opening_of(place) is not None or is_given_up(play, place)
        return "play" if built_on else place.lane

    def _is_contested(self, question: Question, play: PlayState) -> bool:
        """Whether we have acked in a later round than that of the certificate by which the table goes on."""
        poll, place = self.polls.get(question), question.place
        if poll is None or not poll.certified or self.stands(question) is None:
            return False
        if belongs(play, place) or self._history.opening_of(place) is not None:
            return True
        past = self._history.past.get(place.prev)
        return past is not None and past.place == place and not self._history.archive.is_written(place.deal, place.step)

    def _is_settled(self, question: Question, play: PlayState, deck: Place, deck_log: Sequence[Envelope]) -> bool:
        place = question.place
        poll = self.polls.get(question)
        if poll is None or poll.certified:
            return True
        if poll.outcome is not None and poll.outcome.round >= self.claimed[question]:
            return True
        if place in (play.place, deck):
            return False
        opening = self._history.opening_of(place)
        if opening is not None and opening.state is not None and is_given_up(opening.state, place):
            return question.seat not in opening.state.present
        if is_given_up(play, place):
            # A certificate about it counts all the same; but not against a seat that is dropped already.
            return question.seat not in play.present
        if opening is not None:
            return False
        past = self._history.past.get(place.prev)
        if past is None or past.place != place:
            return True  # It is on a chain that was given up; or further than we are, since a restart: not yet on top.
        if place.lane == "deck":
            # Steps of an attempt that was given up are remembered too, but nothing is built on them any more.
            return all(envelope.prev != place.prev for envelope in deck_log)
        return self._history.archive.is_written(place.deal, place.step)
