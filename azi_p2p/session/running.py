"""A founded table as it runs at one peer: what comes in for it, what our own seat owes, what the time asks for.

The lanes judge and advance; here stands who does something about it: our own seat's messages, commands of the person
who holds it, votes, wishes and chat, and the view. What happens before the founding, and links, belong to `table`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from azi_p2p import rules
from azi_p2p.crypto.errors import CryptoError
from azi_p2p.rules import IllegalAction
from azi_p2p.session import leaving
from azi_p2p.session.absence import Clock, Reach, Watch
from azi_p2p.session.allowance import chat_allowance, request_allowance, vote_allowance
from azi_p2p.session.archive import Archive
from azi_p2p.session.closing import Reckoning, reckon
from azi_p2p.session.commands import CHAT_LENGTH, CommandRefused, Refusal, WishKind
from azi_p2p.session.events import AbsenceClaimed, Said, TurnBegan, WishHeard
from azi_p2p.session.jobs import Job, JobResult, Made
from azi_p2p.session.lanes import Lanes
from azi_p2p.session.outbox import Outbox
from azi_p2p.session.own import Own
from azi_p2p.session.playstate import PERSONAL, PlayPhase, PlayState
from azi_p2p.session.roster import open_signed
from azi_p2p.session.showing import view_of
from azi_p2p.session.view import TableView
from azi_p2p.session.votes import Question, question_of
from azi_p2p.session.wishes import Wishes
from azi_p2p.wire import messages
from azi_p2p.wire.envelope import NOWHERE, Envelope, Place
from azi_p2p.wire.errors import WireError

MAX_POLLS = 16
"""Questions of the deals in play that one author's votes may raise, as long as they are undecided, or about heads that
we don't know: more than an honest one ever has to ask."""

SETTLE_SECONDS = 60.0
"""How long a table that has ended waits for those who have to agree to it, where no majority of them is linked."""

Publish = Callable[[Place, messages.Body, float], bool]
"""Sign a message for a place, enter it like anybody's, send it to all; says whether it was new."""


class Running:
    """A founded table. `own` None: an onlooker. `now` is local monotonic time in seconds."""

    def __init__(
        self,
        out: Outbox,
        own: Own | None,
        archive: Archive,
        wishes: Wishes,
        publish: Publish,
        play: PlayState,
        now: float,
    ) -> None:
        self.lanes = Lanes(out, archive, play, now)
        self.clock = Clock(self.lanes)
        self.reach = Reach(None if own is None else own.key)
        self.watch = Watch(self.lanes, self.clock, self.reach)
        self._out = out
        self._own = own
        self._wishes = wishes
        self._publish = publish
        self._jobs: dict[int, Place] = {}
        self._making: Place | None = None
        self._turn: tuple[bytes, tuple[int, ...]] | None = None
        self._chat: dict[bytes, int] = {}
        self.silent = False
        """Whether we must not sign anything yet: we are back after a restart (see `resuming`)."""
        self._leaving = False
        self._asked_back = -1
        self._waits_since: float | None = None
        self._claimed: tuple[Question, int] | None = None
        self._chat_left = chat_allowance()
        self._requests_left = request_allowance()
        self._votes_left = vote_allowance()

    @property
    def seat(self) -> int | None:
        """The own seat, None for an onlooker or somebody who waits for a seat."""
        return None if self._own is None else self.lanes.play.seat_of(self._own.key)

    @property
    def ended(self) -> bool:
        """Whether the standings are signed, and nothing before them can be taken back."""
        return self.lanes.over

    # Messages of others, and our own, once their signatures hold

    def enter(self, envelope: Envelope, now: float, *, own: bool = False, counted: bool = True) -> bool:
        """Enter an envelope of a lane, a vote, a request or chat; returns whether it was new.

        `counted`: against what its author is allowed to send; not what is our own or comes from a file.
        """
        body = envelope.body
        match body:
            case messages.Vote():
                return self._enter_vote(envelope, body, now, counted=counted)
            case messages.Request():
                return self._enter_request(envelope, body, now, counted=counted)
            case messages.Chat():
                return self._enter_chat(envelope, body, now, counted=counted)
            case _:
                return self.lanes.file(envelope, own=own)

    def _enter_vote(self, envelope: Envelope, body: messages.Vote, now: float, *, counted: bool) -> bool:
        lanes = self.lanes
        if lanes.knows(envelope.id) or body.seat >= len(lanes.play.members):
            return False
        voter = lanes.play.seat_of(envelope.author)
        question = question_of(envelope)
        if voter is None or voter not in lanes.ballots.voters(question.place, lanes.play):
            return False
        poll = lanes.ballots.polls.get(question)
        if poll is not None and (body.round, voter) in poll.twice:
            return False  # Two votes are a fault already, and count for nothing; a third says nothing new.
        if counted and not self._is_worth_counting(question, envelope, now):
            return False
        lanes.file_vote(voter, envelope)
        if voter == self.seat:
            lanes.ballots.cast(question, body, now)
        try:
            lanes.examine(body.seat, [open_signed(raw) for raw in body.evidence])
        except (WireError, CryptoError):
            # Evidence that nobody can read proves nothing; the vote itself is still a vote.
            lanes.checks["unreadable_evidence"] += 1
        if body.verdict == "claim" and self._claimed != (question, body.round):
            self._claimed = (question, body.round)
            self._out.tell(AbsenceClaimed(body.seat, body.round))
        return True

    def _is_worth_counting(self, question: Question, envelope: Envelope, now: float) -> bool:
        """Whether a vote is about a deal in play, and its author hasn't raised too much; our own, from others, may."""
        lanes = self.lanes
        own = self._own is not None and envelope.author == self._own.key
        if question not in lanes.ballots.polls:
            if abs(question.place.deal - lanes.play.deal) > 1 or lanes.is_nowhere(question.place):
                return False
            if own:
                return True
            raised = [poll for poll in lanes.ballots.polls.values() if poll.opened_by == envelope.author]
            undecided = sum(poll.outcome is None for poll in raised)
            nowhere = sum(lanes.place_at(poll.question.place.prev) is None for poll in raised)
            if max(undecided, nowhere) >= MAX_POLLS or lanes.ballots.contradicts(question.place):
                return False
        return own or self._votes_left.take(envelope.author, now)

    def _enter_request(self, envelope: Envelope, body: messages.Request, now: float, *, counted: bool) -> bool:
        seat = self.lanes.play.seat_of(envelope.author)
        if seat is None or not self._wishes.is_news(envelope):
            return False
        if counted and not self._requests_left.take(envelope.author, now):
            return False
        if not self._wishes.enter(envelope):
            return False
        if body.wish == "resume":
            self._wishes.end_pause()
        self._out.tell(WishHeard(seat, body.wish))
        return True

    def _enter_chat(self, envelope: Envelope, body: messages.Chat, now: float, *, counted: bool) -> bool:
        seat = self.lanes.play.seat_of(envelope.author)
        if seat is None or body.number <= self._chat.get(envelope.author, 0):
            return False
        if counted and not self._chat_left.take(envelope.author, now):
            return False
        self._chat[envelope.author] = body.number
        self._out.tell(Said(seat, body.text))
        return True

    # Commands of the person who holds the seat

    def act(self, action: rules.Action, now: float) -> None:
        """Carry out an action of the own seat; raises CommandRefused."""
        lanes, own, seat = self.lanes, self._own, self.seat
        if own is None or seat is None or lanes.play.phase not in PERSONAL:
            raise CommandRefused(Refusal.NOTHING_TO_PLAY)
        self._check_not_silent()
        if getattr(action, "seat", seat) != seat:
            raise CommandRefused(Refusal.OTHER_SEAT)
        try:
            rules.apply(own.private_game(lanes.play, seat), action)
        except IllegalAction as error:
            raise CommandRefused(error) from error
        place = lanes.play.place
        if seat not in lanes.play.owed or seat in lanes.play_inbox.moves or self._making == place:
            raise CommandRefused(Refusal.ALREADY_PLAYED)
        if lanes.is_bound("play"):
            raise CommandRefused(Refusal.LATE_MOVE)
        if isinstance(action, rules.Play | rules.Discard) and own.secret(lanes.play) is None:
            raise CommandRefused(Refusal.NO_DEAL_KEY)
        body = own.action_body(lanes.play, seat, action)
        if isinstance(body, messages.Body):
            self._publish(place, body, now)
        else:
            self._making = place
            self._jobs[self._out.run(body)] = place

    @property
    def can_agree(self) -> bool:
        """Whether we are linked to so many that something can be agreed on."""
        keys = {key for _, key in self.lanes.play.keyed(self.lanes.play.roster)}
        return self.reach.reaches(keys) and self.reach.reaches(self.lanes.deciders)

    def _settle(self, now: float) -> None:
        """The table has ended, but not over: wait for whoever has to agree, as long as they may come back."""
        lanes = self.lanes
        if lanes.play.phase is not PlayPhase.ENDED or lanes.over or self.can_agree:
            self._waits_since = None
        elif self._waits_since is None:
            self._waits_since = now
        elif now >= self._waits_since + SETTLE_SECONDS:
            lanes.settle()

    def reckon(self) -> Reckoning:
        """What everybody would get if the table were closed as it stands."""
        return reckon(self.lanes.play, self.lanes.play_inbox.moves)

    def wish(self, kind: WishKind, now: float) -> None:
        """Sign a wish of the own seat; raises CommandRefused. To leave in a deal is a move, kept until one is owed."""
        own, lanes = self._own, self.lanes
        if own is None or self.seat is None:
            raise CommandRefused(Refusal.NO_SEAT)
        if self.ended:
            raise CommandRefused(Refusal.ENDED)
        self._check_not_silent()
        self._leaving = kind == "leave" and leaving.will_act(lanes.play, self.seat)
        if self._leaving:
            return
        number = max(self._wishes.highest(own.key), lanes.play.honoured.get(own.key, 0)) + 1
        self._publish(NOWHERE, messages.Request(number=number, wish=kind), now)

    def say(self, text: str, now: float) -> None:
        """Sign words for everybody at the table; raises CommandRefused."""
        own = self._own
        if own is None or self.seat is None:
            raise CommandRefused(Refusal.NO_SEAT)
        self._check_not_silent()
        if not 0 < len(text) <= CHAT_LENGTH:
            raise CommandRefused(Refusal.CHAT_LENGTH, most=CHAT_LENGTH)
        if not self._chat_left.take(own.key, now):
            raise CommandRefused(Refusal.CHAT_FLOOD)
        self._publish(NOWHERE, messages.Chat(number=max(own.said, self._chat.get(own.key, 0)) + 1, text=text), now)

    def _check_not_silent(self) -> None:
        if self.silent:
            raise CommandRefused(Refusal.CATCHING_UP)

    def speak_again(self, now: float) -> None:
        """Nothing is unknown to us any more: vote on as we had voted, and sign what we owe.

        Votes that we cast before are sent again, byte for byte; none is cast anew.
        """
        self.silent = False
        self.reach.restart(now)
        own, lanes = self._own, self.lanes
        assert own is not None
        for envelope in own.seen:
            self.enter(envelope, now, own=True, counted=False)
            lanes.run(now)
        own.seen = []
        for vote in own.votes():
            if vote.deal >= lanes.play.deal - 1:
                self.enter(vote, now, own=True, counted=False)
                self._out.relay(vote)

    def built_on(self, place: Place, body: messages.Body) -> Iterator[Envelope]:
        """The messages that whoever signs this says to have: those of steps before that aren't closed; what it acks.

        An `open` is built on all of its deck, the shuffles after the own one among it.
        """
        lanes = self.lanes
        if isinstance(body, messages.Open):
            yield from lanes.unclosed("deck")
        if place.lane in ("deck", "play"):
            yield from lanes.unclosed(place.lane)
        elif isinstance(body, messages.Vote):
            move = self.watch.move(_own_question(place, body))
            if move is not None:
                yield move

    # Job results

    def finish_job(self, job_id: int, result: JobResult, now: float) -> None:
        """Take the result of a job: proofs that were checked, or an own message that is ready to be signed."""
        if not isinstance(result, Made):
            self.lanes.finish(job_id, result)
            return
        place = self._jobs.pop(job_id)
        if self._making == place:
            self._making = None
        # We may have claimed a seat absent while it was made: then nothing is signed on top of that seat's message.
        current = place in (self.lanes.play_inbox.place, self.lanes.deck_inbox.place)
        if current and not self.lanes.is_bound(place.lane):
            self._publish(place, result.body, now)

    # Going on by ourselves

    def go_on(self, now: float) -> None:
        """Do everything that can be done now: advance the lanes, sign what our seat owes, vote."""
        while True:
            self.lanes.run(now)
            self._look_at_clock(now)
            if not self._do_duties(now) and not self._cast_votes(now):
                break
        self._settle(now)
        self._forget_what_is_over()
        self._tell_turn()

    def _forget_what_is_over(self) -> None:
        """Erase the secrets of deals that are over: at the end of the table that of the one in preparation too."""
        if self._own is not None:
            deal = self.lanes.play.deal + 1 if self.ended else self.lanes.open_deal - 1
            self._own.forget(self.lanes.play.table, deal)

    def _look_at_clock(self, now: float) -> None:
        lanes, clock = self.lanes, self.clock
        self.reach.look([key for _, key in lanes.play.keyed(lanes.play.roster)], now)
        paused = self._wishes.paused(lanes.play)
        if clock.paused and not paused and lanes.play.phase in PERSONAL:
            lanes.play_inbox.since = now
        clock.paused = paused
        if lanes.play.phase is PlayPhase.ROSTER:
            possible = self._wishes.proposal(lanes.play, frozenset(lanes.faults.guilty)) is not None
            if possible and not clock.roster_possible:
                lanes.play_inbox.since = now
            clock.roster_possible = possible

    def _do_duties(self, now: float) -> bool:
        """Sign what our seat owes without a person; returns whether anything was signed or begun."""
        own, seat, lanes = self._own, self.seat, self.lanes
        self._forget_what_is_over()
        if own is None or seat is None or self.silent:
            return False
        deck, play = lanes.deck, lanes.play
        self._return_to_table(seat, now)
        if self._leaving and not leaving.will_act(play, seat):
            self._leaving = False
            if play.game.status[seat] is not rules.SeatStatus.LEFT:
                self.wish("leave", now)
        busy = set(self._jobs.values())
        if deck is not None and self._owes("deck", seat) and deck.place not in busy and not lanes.is_bound("deck"):
            duty = own.signed(deck.place) or own.deck_duty(deck, seat)
            if duty is not None and self._do(duty, deck.place, now):
                return True
        if self._owes("play", seat) and play.place not in busy and not lanes.is_bound("play"):
            # What was signed before a crash is sent again: it is the only thing that may be signed here.
            proposal: messages.Body | Job | None = own.signed(play.place)
            if proposal is None and play.phase is PlayPhase.ROSTER:
                proposal = self._wishes.proposal(play, frozenset(lanes.faults.guilty))
            elif proposal is None and self._leaving and leaving.can_leave_now(play, seat):
                proposal = own.action_body(play, seat, rules.Leave(seat))
            elif proposal is None:
                proposal = own.play_duty(play, deck, seat)
            if proposal is not None:
                return self._do(proposal, play.place, now)
        last_words = lanes.last_words(seat)
        if last_words is not None and not lanes.is_bound("play"):
            return self._publish(*last_words, now)
        return False

    def _owes(self, lane: str, seat: int) -> bool:
        lanes = self.lanes
        state, inbox = (lanes.deck, lanes.deck_inbox) if lane == "deck" else (lanes.play, lanes.play_inbox)
        return state is not None and seat in state.owed and seat not in inbox.moves and seat not in inbox.pending

    def _do(self, duty: messages.Body | Job, place: Place, now: float) -> bool:
        if isinstance(duty, messages.Body):
            return self._publish(place, duty, now)
        self._jobs[self._out.run(duty)] = place
        return True

    def _return_to_table(self, seat: int, now: float) -> None:
        """A seat that was certified absent and is here again asks to be dealt in, once for each deal."""
        play = self.lanes.play
        out = seat in play.away | play.absent
        if not out or self.ended or self._asked_back == play.deal or self.lanes.is_guilty(seat) is not None:
            return
        self._asked_back = play.deal
        self.wish("return", now)

    def _cast_votes(self, now: float) -> bool:
        seat, watch = self.seat, self.watch
        if seat is None or self.silent:
            return False
        cast = False
        for place, vote in watch.votes(seat, now):
            self._publish(place, vote, now)
            move = None if vote.verdict == "claim" else watch.move(_own_question(place, vote))
            if move is not None:
                self._out.relay(move)
            cast = True
        return cast

    def _tell_turn(self) -> None:
        play = self.lanes.play
        # While we are silent nobody could act on it here; it is told when we speak again.
        if play.phase not in PERSONAL or self.silent:
            return
        waiting = tuple(seat for seat in play.owed if seat not in self.lanes.play_inbox.moves)
        if (play.head, waiting) != self._turn:
            self._turn = (play.head, waiting)
            self._out.tell(TurnBegan(waiting, self.clock.play_deadline()))

    # The view

    def view(self, links: Collection[bytes], founder: bytes | None) -> TableView:
        """What the own seat may know of the table now."""
        play = self.lanes.play
        wishes = {
            seat: self._wishes.open_wishes(play, member.key)
            for seat, member in enumerate(play.members)
            if member is not None
        }
        return view_of(
            self.lanes,
            self._own,
            links,
            frozenset({"leave"} if self._leaving else ()) | (frozenset() if self.seat is None else wishes[self.seat]),
            play.finish | {seat for seat, open_wishes in wishes.items() if "finish" in open_wishes},
            self.clock.play_deadline(),
            founder,
            paused=self.clock.paused,
            waiting=play.phase is PlayPhase.ROSTER and not self.clock.roster_possible,
            acting=self.silent or self._making == play.place or self.lanes.is_bound("play"),
            resuming=self.silent and not self.ended,
            unconfirmed=None if self.ended or self.seat is None or self.can_agree else self.reckon(),
        )


def _own_question(place: Place, vote: messages.Vote) -> Question:
    return Question(Place(vote.lane, place.deal, place.attempt, place.step, place.prev), vote.seat)
