"""When a seat's time has run out, and what this peer votes about it.

A vote is cast for each question (did this seat move at this place?) that concerns us: a claim when the seat is overdue
or provably at fault, an acknowledgement when we hold the move and others ask. Rounds follow each other until a
majority agrees. Counting is in `votes`; what a certificate does is in `lanes`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from azi_p2p.session.allowance import answer_allowance
from azi_p2p.session.faults import ProvenFault
from azi_p2p.session.history import belongs, is_given_up
from azi_p2p.session.lanes import Lanes
from azi_p2p.session.playstate import PERSONAL, PlayPhase, PlayState
from azi_p2p.session.slots import lane_slot
from azi_p2p.session.votes import LAST_ROUND, Poll, Question
from azi_p2p.wire import messages
from azi_p2p.wire.envelope import Envelope, Place

STEP_SECONDS = 10.0
"""Time for steps that need no person."""

GRACE_SECONDS = 2.0
"""After the deadline: peers ask each other for what is missing before anybody claims."""

LINK_GRACE_SECONDS = 10.0
"""Somebody whose link is down has at least this long, from its loss on, to come back before anybody claims."""

MINORITY_GRACE_SECONDS = 20.0
"""How much longer a peer waits that is linked to less than a majority of the roster: perhaps it is the one cut off."""

GONE_ON = bytes(32)
"""What an `ack` names in place of a message that nobody needs any more: its seat has signed in a later attempt."""

ROUND_SECONDS = 3.0
"""How long a round of votes may stay without a majority; doubled with each round up to MAX_ROUND_SECONDS."""

MAX_ROUND_SECONDS = 60.0


ANSWER_AGAIN_SECONDS = 0.5
"""When votes that others have asked for go on, if they are so many that we must not answer all at once."""


class Clock:
    """The deadlines of a table's steps, in local monotonic seconds."""

    def __init__(self, lanes: Lanes) -> None:
        self._lanes = lanes
        self.paused = False
        self.roster_possible = True

    def play_deadline(self) -> float | None:
        """When the current step of the play lane is due; None while its clock stands."""
        play, inbox = self._lanes.play, self._lanes.play_inbox
        if play.phase in PERSONAL:
            return None if self.paused else inbox.since + play.params.turn_seconds
        if play.phase is PlayPhase.ENDED or (play.phase is PlayPhase.ROSTER and not self.roster_possible):
            return None
        deck = self._lanes.deck
        if play.phase is PlayPhase.OPEN and (deck is None or deck.owed):
            return None
        return inbox.since + STEP_SECONDS

    def deck_deadline(self) -> float | None:
        """When the current step of the deck lane is due; its clock runs only while the table waits for the deck."""
        deck = self._lanes.deck
        if deck is None or not deck.owed or self._lanes.play.phase is not PlayPhase.OPEN:
            return None
        return max(self._lanes.deck_inbox.since, self._lanes.play_inbox.since) + STEP_SECONDS


class Reach:
    """Whom we can reach, and since when not. Peers are keys (32 bytes), times local monotonic seconds.

    A peer without any link claims nobody absent: it is away itself. One that is linked to less than a majority of the
    roster gives the others more time, for the same reason. Once it has its links again, the others have time to come
    back too before it claims.
    """

    def __init__(self, own: bytes | None) -> None:
        self._own = own
        self._up: set[bytes] = set()
        self._down: dict[bytes, float] = {}
        self._majority = True
        self._alone = False
        self._regained = float("-inf")

    def link_up(self, peer: bytes) -> None:
        """A link to this peer stands."""
        self._up.add(peer)
        self._down.pop(peer, None)

    def link_down(self, peer: bytes, now: float) -> None:
        """The link to this peer is gone."""
        self._up.discard(peer)
        self._down[peer] = now

    def look(self, roster: Iterable[bytes], now: float) -> None:
        """Note whether we reach a majority of these keys now."""
        keys = set(roster)
        majority = 2 * len(keys & {*self._up, self._own}) > len(keys)
        if (majority and not self._majority) or (self._up and self._alone):
            self._regained = now
        self._majority = majority
        self._alone = not self._up

    def restart(self, now: float) -> None:
        """We are back after a while in which we heard nobody."""
        self._regained = now

    def reaches(self, keys: Collection[bytes]) -> bool:
        """Whether we are linked to a majority of these, ourselves included."""
        return 2 * len({*self._up, self._own}.intersection(keys)) > len(keys)

    def claim_time(self, peer: bytes, deadline: float) -> float:
        """When this peer may be claimed absent who owes something at `deadline`; infinite while we reach nobody."""
        if self._alone:
            return float("inf")
        lost = self._down.get(peer, float("-inf"))
        due = max(deadline + GRACE_SECONDS, lost + LINK_GRACE_SECONDS, self._regained + STEP_SECONDS)
        return due if self._majority else due + MINORITY_GRACE_SECONDS


class Watch:
    """Which votes are due from this peer."""

    def __init__(self, lanes: Lanes, clock: Clock, reach: Reach) -> None:
        self._lanes = lanes
        self._clock = clock
        self._reach = reach
        self._answers_left = answer_allowance()
        self._answers_wait = False

    def votes(self, seat: int, now: float) -> Iterator[tuple[Place, messages.Vote]]:
        """The votes that `seat`, ours, is to sign and send now, each with its place. Marks them as cast.

        A seat that is away by now still votes about steps at whose time it was in the roster: those who have to agree
        to the end of the table may be bound until such a vote has ended.
        """
        for question in self._to_claim(now):
            if seat not in self._voters(question):
                continue
            poll = self._lanes.ballots.polls.setdefault(question, Poll(question))
            self._next_round(poll, now)
            if poll.cast is None and not poll.ended:
                yield self._cast(poll, now)
        # The lowest rounds first: what somebody keeps up for ever must not keep us from what is asked now.
        answers = sorted(self._to_answer(seat, now), key=lambda poll: poll.round)
        self._answers_wait = False
        for poll in answers:
            self._answers_wait = not self._answers_left.take(b"", now)
            if self._answers_wait:
                break
            yield self._cast(poll, now)

    def _to_answer(self, seat: int, now: float) -> Iterator[Poll]:
        """The polls in which others ask `seat`, ours, to vote."""
        for poll in list(self._lanes.ballots.polls.values()):
            self._next_round(poll, now)
            # In a later round nobody need ask: there was a claim, and whoever made it must not go on before the end.
            asked = seat in self._voters(poll.question) and (poll.round > 0 or poll.votes.get(poll.round))
            if asked and poll.cast is None and not poll.ended and self._can_answer(poll):
                yield poll

    def _voters(self, question: Question) -> tuple[int, ...]:
        return self._lanes.ballots.voters(question.place, self._lanes.play)

    def next_time(self, now: float) -> float | None:
        """When, after `now`, there may be something new to vote about; None while nothing waits for anybody."""
        lanes = self._lanes
        times = [
            self._claim_time(seat, deadline)
            for state, inbox, deadline in (
                (lanes.play, lanes.play_inbox, self._clock.play_deadline()),
                (lanes.deck, lanes.deck_inbox, self._clock.deck_deadline()),
            )
            if state is not None and deadline is not None
            for seat in state.owed
            if seat not in inbox.moves
        ]
        for poll in self._lanes.ballots.polls.values():
            due = _round_end(poll)
            if due is not None and not poll.ended and self._is_open(poll.question):
                times.append(due)
        if self._answers_wait:
            times.append(now + ANSWER_AGAIN_SECONDS)
        return min((time for time in times if now < time < float("inf")), default=None)

    def _claim_time(self, seat: int, deadline: float) -> float:
        member = self._lanes.play.members[seat]
        assert member is not None
        return self._reach.claim_time(member.key, deadline)

    def missing(self) -> set[int]:
        """The seats that owe something at a current step whose clock runs; or, at the end, a word that they agree."""
        lanes = self._lanes
        seats: set[int] = set()
        if lanes.play.phase is PlayPhase.ENDED and not lanes.over:
            seats.update(seat for seat in lanes.play.taken if seat not in lanes.ends)
        if self._clock.play_deadline() is not None:
            seats.update(seat for seat in lanes.play.owed if seat not in lanes.play_inbox.moves)
        if self._clock.deck_deadline() is not None and lanes.deck is not None:
            seats.update(seat for seat in lanes.deck.owed if seat not in lanes.deck_inbox.moves)
        return seats

    def move(self, question: Question) -> Envelope | None:
        """The valid move that we hold for a question, None when we hold none or know its author to be at fault."""
        if self._proven(question) is not None:
            return None
        past = self._lanes.past.get(question.place.prev)
        if past is not None:
            held = past.moves.get(question.seat) or past.void.get(question.seat)
            return held if past.place == question.place else None
        for inbox in (self._lanes.play_inbox, self._lanes.deck_inbox):
            if inbox.place == question.place:
                return inbox.moves.get(question.seat)
        return None

    def _can_answer(self, poll: Poll) -> bool:
        """Whether we can vote about a seat now that others ask, before its time has run out.

        Where too few were left to open a deal, nobody waits for its seats any more, and what they might still send has
        no effect: so whoever holds nothing says so, and those who have claimed them needn't wait for ever. So does
        whoever knows a certificate, when somebody votes in a later round: that round must end, too.
        """
        question = poll.question
        if self.move(question) is not None or self._has_gone_on(question):
            return True
        # Not about the deck of a deal that we have opened: on that we have signed, as others have.
        open_still = question.place.lane == "play" or belongs(self._lanes.play, question.place)
        if open_still and self._proven(question) is not None and self._is_open(question):
            return True
        if poll.outcome is not None:
            return True
        opening = self._lanes.history.opening_of(question.place)
        return opening is not None and opening.gave_up and question.place.attempt == opening.place.attempt

    def _has_gone_on(self, question: Question) -> bool:
        """Whether the seat owes nothing for an attempt that was given up: it has signed in one after that."""
        lanes, place, seat = self._lanes, question.place, question.seat
        if is_given_up(lanes.play, place):
            sent = (*lanes.deck_log, *lanes.deck_inbox.moves.values(), *lanes.play_inbox.moves.values())
            return any(lanes.play.seat_of(envelope.author) == seat for envelope in sent)
        opening = lanes.history.opening_of(place)
        if opening is None or opening.state is None or not is_given_up(opening.state, place):
            return False
        return seat in opening.moves

    def _to_claim(self, now: float) -> list[Question]:
        lanes = self._lanes
        due: list[Question] = []
        for state, inbox, deadline in (
            (lanes.play, lanes.play_inbox, self._clock.play_deadline()),
            (lanes.deck, lanes.deck_inbox, self._clock.deck_deadline()),
        ):
            if state is None or (state is lanes.deck and lanes.play.phase is not PlayPhase.OPEN):
                continue
            for seat in state.owed:
                overdue = deadline is not None and now >= self._claim_time(seat, deadline)
                question = Question(state.place, seat)
                # An `open` that waits while its deck is ready here names another deck, which may never come.
                checking = seat in inbox.pending and state.phase is not PlayPhase.OPEN
                if seat not in inbox.moves and (self._proven(question) or (overdue and not checking)):
                    due.append(question)
        for key, lane, _deal, attempt, head, *_vote in lanes.faults.doubled:
            author, at = lanes.play.seat_of(key), lanes.place_at(head)
            if author is None or at is None or at.lane != lane:
                continue
            question = Question(replace(at, attempt=attempt), author)
            if self._is_open(question) and not self._has_ended(question):
                due.append(question)
        return due

    def _has_ended(self, question: Question) -> bool:
        """Whether we hold the seat's `end`: it stands whatever else was signed; to others the table may be over."""
        play, inbox = self._lanes.play, self._lanes.play_inbox
        return play.phase is PlayPhase.END and question.place == play.place and question.seat in inbox.moves

    def _proven(self, question: Question) -> ProvenFault | None:
        """The fault that is a reason to claim the seat absent here, None if there is none.

        It counts in the lane in which it arose: there, everybody who can judge the certificate can judge it too.
        """
        member = self._lanes.play.members[question.seat]
        if member is None or self._has_ended(question):
            return None
        faults = self._lanes.faults
        return (
            faults.doubled.get(lane_slot(member.key, question.place))
            or faults.by_lane.get((member.key, question.place.lane))
            or faults.by_lane.get((member.key, "vote"))
        )

    def _is_open(self, question: Question) -> bool:
        """Whether a certificate for this question could still change anything."""
        lanes, place = self._lanes, question.place
        if place == lanes.play.place:
            return question.seat in lanes.play.owed
        opening = lanes.history.opening_of(place)
        if opening is not None and opening.state is not None:
            return _concerns(opening.state, question.seat)
        if place.lane == "deck" or is_given_up(lanes.play, place):
            return belongs(lanes.play, place) and _concerns(lanes.play, question.seat)
        past = lanes.past.get(place.prev)
        if past is None or past.place != place or question.seat not in past.owed:
            return False
        return not lanes.archive.is_written(place.deal, place.step)

    def _next_round(self, poll: Poll, now: float) -> None:
        if poll.ended:
            return
        if poll.began is None:
            poll.began = now
        agreed = poll.agreed_round(self._voters(poll.question))
        due = _round_end(poll)
        if agreed > poll.round:
            poll.begin(agreed, now)
        elif due is not None and now >= due and self._is_open(poll.question):
            poll.begin(poll.round + 1, now)

    def _cast(self, poll: Poll, now: float) -> tuple[Place, messages.Vote]:
        poll.cast = now
        place, seat = poll.question.place, poll.question.seat
        move = self.move(poll.question)
        proven = self._proven(poll.question)
        stands = None if proven is not None else self._lanes.ballots.stands(poll.question)
        if self._has_gone_on(poll.question):
            stands = GONE_ON
        elif poll.outcome is not None:
            stands = poll.outcome.move  # A majority has said so: if all who know it say the same, a later one will.
        elif stands is None and move is not None:
            stands = move.id
        assert place.lane == "deck" or place.lane == "play"  # noqa: PLR1714 - narrows the type
        vote = messages.Vote(
            lane=place.lane,
            seat=seat,
            round=poll.round,
            verdict="claim" if stands is None else "ack",
            move=stands or b"",
            evidence=[] if proven is None else list(proven.evidence),
        )
        return Place("vote", place.deal, place.attempt, place.step, place.prev), vote


def _concerns(opening: PlayState, seat: int) -> bool:
    """Whether a vote could drop a seat before its deal is opened, or undo that it was dropped."""
    return seat in opening.present or any(absence.seat == seat for absence in opening.dropped)


def _round_end(poll: Poll) -> float | None:
    """When this peer goes on to the next round by itself: soon where others are further, else some time after its vote.

    None: not before something else happens.
    """
    if poll.round >= LAST_ROUND:
        return None
    if poll.behind and poll.began is not None:
        return poll.began + ROUND_SECONDS
    return None if poll.cast is None else poll.cast + _round_seconds(poll.round)


def _round_seconds(number: int) -> float:
    return float(min(ROUND_SECONDS * 2 ** min(number, 10), MAX_ROUND_SECONDS))
