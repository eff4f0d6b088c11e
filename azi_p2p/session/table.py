"""One table as one peer sees it: the session's outside. Frames, commands, job results and time in; effects out.

A message goes straight down: decoded and its signature checked here, filed in `lanes` (or `gathering`, `wishes`,
`votes`), and whatever it completes is done before the call returns. Our own messages take the same way. Nothing here
reads a clock, a socket or a disk.
"""

from __future__ import annotations

from azi_p2p import rules
from azi_p2p.crypto.errors import CryptoError
from azi_p2p.rules import IllegalAction, Params
from azi_p2p.session import sync
from azi_p2p.session.absence import Clock, Watch
from azi_p2p.session.archive import Archive, raws_of
from azi_p2p.session.commands import Act, Command, CommandRefused, Say, Start, Wish, WishKind
from azi_p2p.session.effects import DropLink, Effect, Send, WakeAt
from azi_p2p.session.events import (
    AbsenceClaimed,
    LinkChanged,
    Said,
    SeatTaken,
    TableFounded,
    TableRefused,
    TurnBegan,
    WishHeard,
)
from azi_p2p.session.gathering import Gathering, wire_params
from azi_p2p.session.heads import table_id
from azi_p2p.session.jobs import Job, JobResult, Made
from azi_p2p.session.lanes import Lanes
from azi_p2p.session.outbox import Outbox
from azi_p2p.session.own import Me, Own
from azi_p2p.session.playstate import PERSONAL, PlayPhase
from azi_p2p.session.roster import check_signed, open_signed
from azi_p2p.session.showing import view_before, view_of
from azi_p2p.session.view import TableView
from azi_p2p.session.votes import Question, question_of
from azi_p2p.session.wishes import Wishes
from azi_p2p.wire import messages
from azi_p2p.wire.envelope import NOWHERE, Envelope, Place, decode_envelope, place_of
from azi_p2p.wire.errors import WireError
from azi_p2p.wire.frame import EnvelopeFrame, Frame, StatusFrame
from azi_p2p.wire.ledgerfile import ledger_header

MAX_POLLS = 64
"""Open questions that votes of others may raise at the same time."""

MAX_EARLY = 128
"""Envelopes kept that came before the founding did."""
"""Open questions that votes of others may raise at the same time."""


class Table:
    """A table that this peer has opened (`host`), wants a seat at (`join`) or only follows (`watch`).

    All times are local monotonic seconds. Every method that may have something done returns the effects, in order.
    """

    def __init__(self, me: Me | None, table: bytes | None) -> None:
        self._out = Outbox()
        self._own = None if me is None else Own(me, self._out)
        self._gathering = Gathering(table)
        self._wishes = Wishes()
        self._archive = Archive()
        self._lanes: Lanes | None = None
        self._clock: Clock | None = None
        self._watch: Watch | None = None
        self._sync = sync.Sync()
        self._links: set[bytes] = set()
        self._own_jobs: dict[int, Place] = {}
        self._making: Place | None = None
        self._started = False
        self._refused = False
        self._turn: tuple[bytes, tuple[int, ...]] | None = None
        self._chat: dict[bytes, int] = {}
        self._asked_back = -1
        self._claimed: tuple[Question, int] | None = None
        self._told_end = False
        self._early: dict[bytes, Envelope] = {}

    @classmethod
    def host(cls, me: Me, params: Params, name: str) -> Table:
        """Open a new table with these parameters, under the name that people will call it.

        Raises ParamsError when the parameters are out of range.
        """
        params.check()
        nonce = me.rng(32)
        key = me.identity.public
        table = cls(me, table_id(key, nonce))
        table._gathering.params = wire_params(params, name)
        table._gathering.founder = key
        table._request_seat(nonce)
        return table

    @classmethod
    def join(cls, me: Me, table: bytes | None = None) -> Table:
        """Ask for a seat at a table: the one with this id, or the one that the first linked peer tells of."""
        return cls(me, table)

    @classmethod
    def watch(cls, table: bytes | None = None) -> Table:
        """Follow a table without a seat: verify everything, see nothing hidden."""
        return cls(None, table)

    # What others want to know

    @property
    def table_id(self) -> bytes | None:
        """The id of the table (32 bytes); None until somebody has told it."""
        return self._gathering.table

    @property
    def ended(self) -> bool:
        """Whether the standings are signed."""
        return self._lanes is not None and self._lanes.play.phase is PlayPhase.ENDED

    @property
    def settled(self) -> bool:
        """Whether the table has ended and every linked member has said that it knows."""
        if self._lanes is None or not self.ended:
            return False
        play = self._lanes.play
        members = [member.key for member in play.members if member is not None and member.key in self._links]
        here = (play.deal, play.step)
        told = self._sync.told
        return all(key in told and (told[key].deal, told[key].step) >= here for key in members)

    @property
    def lanes(self) -> Lanes | None:
        """The running lanes, for audits; None before the founding."""
        return self._lanes

    @property
    def gathering(self) -> Gathering:
        """The signed seats and the founding, for audits."""
        return self._gathering

    def view(self) -> TableView:
        """What the own seat may know of the table now."""
        key = None if self._own is None else self._own.key
        if self._lanes is None or self._clock is None:
            return view_before(self._gathering, key, self._links)
        play = self._lanes.play
        open_wishes = {
            seat: self._wishes.open_wishes(play, member.key)
            for seat, member in enumerate(play.members)
            if member is not None
        }
        mine = None if key is None else play.seat_of(key)
        return view_of(
            self._lanes,
            self._own,
            self._links,
            frozenset() if mine is None else open_wishes[mine],
            play.finish | {seat for seat, wishes in open_wishes.items() if "finish" in wishes},
            self._clock.play_deadline(),
            self._gathering.founder,
            paused=self._clock.paused,
            waiting=play.phase is PlayPhase.ROSTER and not self._clock.roster_possible,
            acting=self._making == play.place,
        )

    # Inputs

    def begin(self, now: float) -> list[Effect]:
        """The first effects. Call once, before anything else."""
        self._sync.last_told = now
        return self._go_on(now)

    def receive(self, frame: Frame, sender: bytes, now: float) -> list[Effect]:
        """Take a frame from the linked peer with this key."""
        if isinstance(frame, EnvelopeFrame):
            self._receive_envelope(frame.envelope, sender, now)
        elif isinstance(frame, StatusFrame):
            self._receive_status(frame, sender, now)
        return self._go_on(now)

    def submit(self, command: Command, now: float) -> list[Effect]:
        """Carry out a command of the person who holds the own seat; raises CommandRefused."""
        match command:
            case Act(action=action):
                self._act(action, now)
            case Wish(kind=kind):
                self._wish(kind, now)
            case Say(text=text):
                self._say(text, now)
            case Start():
                self._start()
        return self._go_on(now)

    def finish_job(self, job_id: int, result: JobResult, now: float) -> list[Effect]:
        """Take the result of a job that a RunJob effect had asked for."""
        if not isinstance(result, Made):
            assert self._lanes is not None
            self._lanes.finish(job_id, result)
            return self._go_on(now)
        place = self._own_jobs.pop(job_id)
        if self._making == place:
            self._making = None
        if self._lanes is not None and place in (self._lanes.play_inbox.place, self._lanes.deck_inbox.place):
            self._publish(place, result.body, now)
        return self._go_on(now)

    def tick(self, now: float) -> list[Effect]:
        """Let time pass: call it when a WakeAt effect said so."""
        waiting = self._lanes is None or self._watch is None or bool(self._watch.missing())
        if waiting and now >= self._sync.last_told + sync.REPEAT_SECONDS and not self.ended:
            self._tell_status(None, wants_answer=True)
            self._sync.last_told = now
        return self._go_on(now)

    def link_up(self, peer: bytes, now: float) -> list[Effect]:
        """A link to the peer with this key stands."""
        self._links.add(peer)
        self._tell_status(peer, wants_answer=True)
        self._tell_link(peer, up=True)
        return self._go_on(now)

    def link_down(self, peer: bytes, now: float) -> list[Effect]:
        """The link to the peer with this key is gone."""
        self._links.discard(peer)
        self._sync.forget(peer)
        self._tell_link(peer, up=False)
        return self._go_on(now)

    # Envelopes

    def _receive_envelope(self, raw: bytes, sender: bytes, now: float) -> None:
        try:
            envelope = decode_envelope(raw)
            if self._lanes is not None and self._lanes.knows(envelope.id):
                return  # most messages come over several links; one look at each is enough
            check_signed(envelope)
        except (WireError, CryptoError) as error:
            self._out.do(DropLink(sender, f"a message that is not in order: {error}"))
            return
        if self._gathering.table is None and envelope.type == "seat":
            body = envelope.body
            assert isinstance(body, messages.SeatRequest)
            if table_id(envelope.author, body.nonce) == envelope.table:
                self._gathering.table = envelope.table
        if envelope.table != self._gathering.table:
            return
        if self._enter(envelope, now):
            self._out.relay(envelope, frozenset({sender}))

    def _enter(self, envelope: Envelope, now: float, *, own: bool = False) -> bool:
        """Enter a signed envelope of this table where it belongs; returns whether it was new."""
        match envelope.lane:
            case "deck" | "play" | "vote" if self._lanes is None:
                return self._keep_early(envelope)
            case "deck" | "play":
                return self._lanes is not None and self._lanes.file(envelope, own=own)
            case "vote":
                return self._enter_vote(envelope)
            case _:
                return self._enter_free(envelope, now)

    def _keep_early(self, envelope: Envelope) -> bool:
        """Keep what others, who know of the founding already, have sent for the first deal."""
        if envelope.id in self._early or envelope.author not in self._gathering.seats or len(self._early) >= MAX_EARLY:
            return False
        self._early[envelope.id] = envelope
        return True

    def _enter_vote(self, envelope: Envelope) -> bool:
        body = envelope.body
        assert isinstance(body, messages.Vote)
        lanes = self._lanes
        if lanes is None or lanes.knows(envelope.id) or body.seat >= len(lanes.play.members):
            return False
        voter = lanes.play.seat_of(envelope.author)
        question = question_of(envelope)
        if voter is None or voter not in lanes.play.roster:
            return False
        if question not in lanes.polls and len(lanes.polls) >= MAX_POLLS:
            return False
        lanes.file_vote(voter, envelope)
        try:
            lanes.examine(body.seat, [open_signed(raw) for raw in body.evidence])
        except (WireError, CryptoError):
            # Evidence that nobody can read proves nothing; the vote itself is still a vote.
            lanes.checks["unreadable_evidence"] += 1
        if body.verdict == "claim" and self._claimed != (question, body.round):
            self._claimed = (question, body.round)
            self._out.tell(AbsenceClaimed(body.seat, body.round))
        return True

    def _enter_free(self, envelope: Envelope, now: float) -> bool:
        body = envelope.body
        match body:
            case messages.SeatRequest() | messages.Founding():
                return self._enter_seat(envelope, now)
            case messages.Request() | messages.Chat() if self._lanes is None:
                return self._keep_early(envelope)
            case messages.Request():
                return self._enter_request(envelope, body)
            case messages.Chat():
                return self._enter_chat(envelope, body)
            case _:
                raise AssertionError("the codec lets no other type into this lane")

    def _enter_seat(self, envelope: Envelope, now: float) -> bool:
        body = envelope.body
        if self._lanes is not None:
            applies = isinstance(body, messages.SeatRequest) and body.params == self._gathering.params
            return applies and self._lanes.play.seat_of(envelope.author) is None and self._wishes.enter(envelope)
        known = self._gathering.seats.get(envelope.author)
        if known is not None and known.id == envelope.id:
            return False
        why = self._gathering.enter(envelope)
        if why is not None:
            if self._gathering.params is None and not self._refused:
                self._refused = True
                self._out.tell(TableRefused(why))
            return False
        if isinstance(body, messages.SeatRequest):
            self._wishes.enter(envelope)
            order = list(self._gathering.seats).index(envelope.author)
            self._out.tell(SeatTaken(order, body.nickname, envelope.author))
        self._found(now)
        return True

    def _found(self, now: float) -> None:
        founded = self._gathering.found()
        if founded is None:
            return
        play, envelopes = founded
        self._out.record(ledger_header(play.wire_params))
        self._archive.record(0, 0, raws_of(envelopes), range(len(play.members)))
        self._lanes = Lanes(self._out, self._archive, play, now)
        self._clock = Clock(self._lanes)
        self._watch = Watch(self._lanes, self._clock)
        self._out.tell(TableFounded(play.table))
        early, self._early = self._early, {}
        for envelope in early.values():
            self._enter(envelope, now)

    def _enter_request(self, envelope: Envelope, body: messages.Request) -> bool:
        lanes = self._lanes
        seat = None if lanes is None else lanes.play.seat_of(envelope.author)
        if lanes is None or seat is None or not self._wishes.enter(envelope):
            return False
        if body.wish == "resume":
            self._wishes.end_pause()
        self._out.tell(WishHeard(seat, body.wish))
        return True

    def _enter_chat(self, envelope: Envelope, body: messages.Chat) -> bool:
        lanes = self._lanes
        seat = None if lanes is None else lanes.play.seat_of(envelope.author)
        if seat is None or body.number <= self._chat.get(envelope.author, 0):
            return False
        self._chat[envelope.author] = body.number
        self._out.tell(Said(seat, body.text))
        return True

    # Status

    def _receive_status(self, status: StatusFrame, sender: bytes, now: float) -> None:
        if self._gathering.table is None:
            self._gathering.table = status.table
        if status.table != self._gathering.table:
            self._out.do(DropLink(sender, "a peer of another table"))
            return
        self._sync.told[sender] = status
        if not self._sync.may_answer(sender, status, now):
            return
        for raw in sync.answer(status, self._gathering, self._lanes, self._wishes):
            self._out.do(Send(EnvelopeFrame(raw), to=sender))
        if status.wants_answer:
            self._tell_status(sender, wants_answer=False)

    def _tell_status(self, peer: bytes | None, *, wants_answer: bool) -> None:
        if self._gathering.table is not None:
            status = sync.status_of(self._gathering.table, self._lanes, wants_answer=wants_answer)
            self._out.do(Send(status, to=peer))

    def _tell_link(self, peer: bytes, *, up: bool) -> None:
        seat = None if self._lanes is None else self._lanes.play.seat_of(peer)
        if seat is not None:
            self._out.tell(LinkChanged(seat, up))

    # Commands

    def _seat(self) -> int | None:
        if self._own is None or self._lanes is None:
            return None
        return self._lanes.play.seat_of(self._own.key)

    def _act(self, action: rules.Action, now: float) -> None:
        lanes, own, seat = self._lanes, self._own, self._seat()
        if lanes is None or own is None or seat is None or lanes.play.phase not in PERSONAL:
            raise CommandRefused("not_now", "nothing can be played at the moment")
        if getattr(action, "seat", seat) != seat:
            raise CommandRefused("not_your_turn", "that is another player's seat")
        try:
            rules.apply(own.private_game(lanes.play, seat), action)
        except IllegalAction as error:
            raise CommandRefused(str(error.code), str(error)) from error
        place = lanes.play.place
        if seat not in lanes.play.owed or seat in lanes.play_inbox.moves or self._making == place:
            raise CommandRefused("not_now", "this turn is already played")
        body = own.action_body(lanes.play, seat, action)
        if isinstance(body, messages.Body):
            self._publish(place, body, now)
        else:
            self._making = place
            self._own_jobs[self._out.run(body)] = place

    def _wish(self, kind: WishKind, now: float) -> None:
        own, lanes = self._own, self._lanes
        if own is None or lanes is None or self._seat() is None:
            raise CommandRefused("not_now", "you have no seat at this table")
        if self.ended:
            raise CommandRefused("not_now", "the table has ended")
        number = max(self._wishes.highest(own.key), lanes.play.honoured.get(own.key, 0)) + 1
        self._publish(NOWHERE, messages.Request(number=number, wish=kind), now)

    def _say(self, text: str, now: float) -> None:
        own = self._own
        if own is None or self._seat() is None:
            raise CommandRefused("not_now", "you have no seat at this table")
        if not 0 < len(text) <= 300:
            raise CommandRefused("not_allowed", "a message has 1 to 300 characters")
        self._publish(NOWHERE, messages.Chat(number=self._chat.get(own.key, 0) + 1, text=text), now)

    def _start(self) -> None:
        if self._own is None or self._own.key != self._gathering.founder:
            raise CommandRefused("not_allowed", "only the one who opened the table starts it")
        if self._lanes is not None:
            raise CommandRefused("not_now", "the table has started already")
        if len(self._ready_seats()) < 2:
            raise CommandRefused("not_now", "at least two players are needed")
        self._started = True

    # Going on by ourselves

    def _go_on(self, now: float) -> list[Effect]:
        self._gather(now)
        lanes = self._lanes
        if lanes is not None and self._clock is not None and self._watch is not None:
            while True:
                lanes.run(now)
                self._look_at_clock(now)
                if not self._do_duties(lanes, now) and not self._cast_votes(lanes, now):
                    break
            self._tell_turn(lanes)
            if not lanes.busy:
                for peer in self._sync.ahead((lanes.play.deal, lanes.play.step)):
                    self._tell_status(peer, wants_answer=True)
            if self.ended and not self._told_end:
                # The others wait for this word before they leave.
                self._told_end = True
                self._tell_status(None, wants_answer=False)
        self._wake(now)
        return self._out.take()

    def _gather(self, now: float) -> None:
        """Ask for a seat once the parameters are known; found the table once the seats are taken."""
        gathering, own = self._gathering, self._own
        if own is None or gathering.params is None or self._refused:
            return
        seated = self._lanes is not None and self._lanes.play.seat_of(own.key) is not None
        if own.key not in gathering.seats and own.key not in self._wishes.applications and not seated:
            self._request_seat(own.me.rng(32), now)
        if self._lanes is not None and not seated and not self._has_free_seat(self._lanes):
            self._refused = True
            self._out.tell(TableRefused("no seat is free at this table"))
        if self._lanes is None and own.key == gathering.founder and gathering.founding is None:
            ready = self._ready_seats()
            if len(ready) == gathering.params.seats or (self._started and len(ready) >= 2):
                self._publish(NOWHERE, messages.Founding(seats=[envelope.id for envelope in ready]), now)

    @staticmethod
    def _has_free_seat(lanes: Lanes) -> bool:
        free = (rules.SeatStatus.EMPTY, rules.SeatStatus.LEFT)
        return any(status in free for status in lanes.play.game.status)

    def _ready_seats(self) -> list[Envelope]:
        """The seats that could be founded now: ours, and those whose peers are linked, as they came."""
        gathering = self._gathering
        assert gathering.params is not None
        ready = [
            envelope for key, envelope in gathering.seats.items() if key == gathering.founder or key in self._links
        ]
        return ready[: gathering.params.seats]

    def _request_seat(self, nonce: bytes, now: float = 0.0) -> None:
        own, gathering = self._own, self._gathering
        assert own is not None and gathering.params is not None  # noqa: PT018 - both are our own doing
        body = messages.SeatRequest(nickname=own.me.nickname, nonce=nonce, params=gathering.params)
        self._publish(NOWHERE, body, now)

    def _look_at_clock(self, now: float) -> None:
        lanes, clock = self._lanes, self._clock
        assert lanes is not None and clock is not None  # noqa: PT018 - set together
        paused = self._wishes.paused(lanes.play)
        if clock.paused and not paused and lanes.play.phase in PERSONAL:
            lanes.play_inbox.since = now
        clock.paused = paused
        if lanes.play.phase is PlayPhase.ROSTER:
            possible = self._wishes.proposal(lanes.play, frozenset(lanes.guilty)) is not None
            if possible and not clock.roster_possible:
                lanes.play_inbox.since = now
            clock.roster_possible = possible

    def _do_duties(self, lanes: Lanes, now: float) -> bool:
        """Sign what our seat owes without a person; returns whether anything was signed or begun."""
        own, seat = self._own, self._seat()
        if own is None or seat is None:
            return False
        deck, play = lanes.deck, lanes.play
        own.forget(play.table, play.deal - 1)
        self._return_to_table(lanes, seat, now)
        busy = set(self._own_jobs.values())
        if deck is not None and self._owes(lanes, "deck", seat) and deck.place not in busy:
            duty = own.deck_duty(deck, seat)
            if duty is not None:
                return self._do(duty, deck.place, now)
        if self._owes(lanes, "play", seat) and play.place not in busy:
            if play.phase is PlayPhase.ROSTER:
                proposal: messages.Body | Job | None = self._wishes.proposal(play, frozenset(lanes.guilty))
            else:
                proposal = own.play_duty(play, deck, seat)
            if proposal is not None:
                return self._do(proposal, play.place, now)
        return False

    @staticmethod
    def _owes(lanes: Lanes, lane: str, seat: int) -> bool:
        state, inbox = (lanes.deck, lanes.deck_inbox) if lane == "deck" else (lanes.play, lanes.play_inbox)
        return state is not None and seat in state.owed and seat not in inbox.moves and seat not in inbox.pending

    def _do(self, duty: messages.Body | Job, place: Place, now: float) -> bool:
        if isinstance(duty, messages.Body):
            return self._publish(place, duty, now)
        self._own_jobs[self._out.run(duty)] = place
        return True

    def _return_to_table(self, lanes: Lanes, seat: int, now: float) -> None:
        """A seat that was certified absent and is here again asks to be dealt in, once for each deal."""
        play = lanes.play
        if seat not in play.away or self._asked_back == play.deal or lanes.is_guilty(seat) is not None:
            return
        self._asked_back = play.deal
        self._wish("return", now)

    def _cast_votes(self, lanes: Lanes, now: float) -> bool:
        seat, watch = self._seat(), self._watch
        if seat is None or watch is None or seat not in lanes.play.roster:
            return False
        cast = False
        for place, vote in watch.votes(now):
            self._publish(place, vote, now)
            move = None if vote.verdict == "claim" else watch.move(question_of_vote(place, vote))
            if move is not None:
                self._out.relay(move)
            cast = True
        return cast

    def _publish(self, place: Place, body: messages.Body, now: float) -> bool:
        """Sign a message, enter it here like anybody's, and send it to all; returns whether it was new."""
        own = self._own
        assert own is not None and self._gathering.table is not None  # noqa: PT018 - both are our own doing
        envelope = own.sign(self._gathering.table, place, body)
        assert place_of(envelope) == place
        if not self._enter(envelope, now, own=True):
            return False
        self._out.relay(envelope)
        return True

    def _tell_turn(self, lanes: Lanes) -> None:
        play = lanes.play
        if play.phase not in PERSONAL or self._clock is None:
            return
        waiting = tuple(seat for seat in play.owed if seat not in lanes.play_inbox.moves)
        if (play.head, waiting) != self._turn:
            self._turn = (play.head, waiting)
            self._out.tell(TurnBegan(waiting, self._clock.play_deadline()))

    def _wake(self, now: float) -> None:
        times = [self._sync.last_told + sync.REPEAT_SECONDS]
        if self._watch is not None:
            due = self._watch.next_time()
            if due is not None:
                times.append(due)
        if not self.ended:
            self._out.do(WakeAt(max(min(times), now + 0.05)))


def question_of_vote(place: Place, vote: messages.Vote) -> Question:
    """The question that an own vote at this place answers."""
    return Question(Place(vote.lane, place.deal, place.attempt, place.step, place.prev), vote.seat)


__all__ = ["Me", "Table"]
