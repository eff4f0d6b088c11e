"""One table as one peer sees it: the session's outside. Frames, commands, job results and time in; effects out.

A message goes straight down: decoded and its signature checked here, entered in `gathering` before the founding and in
`running` after it, and whatever it completes is done before the call returns. Our own messages take the same way.
Nothing here reads a clock, a socket or a disk.
"""

from __future__ import annotations

from collections.abc import Iterable

from azi_p2p import rules
from azi_p2p.crypto.errors import CryptoError
from azi_p2p.rules import Params
from azi_p2p.session import sync
from azi_p2p.session.allowance import seat_allowance, useless_allowance
from azi_p2p.session.archive import Archive, raws_of
from azi_p2p.session.closing import Reckoning
from azi_p2p.session.commands import Act, Close, Command, CommandRefused, Refusal, Say, Start, Wish
from azi_p2p.session.effects import DropLink, Effect, Record, Send, SendRecorded, WakeAt
from azi_p2p.session.events import (
    LinkChanged,
    OnlookersChanged,
    ProfileOutdated,
    SeatRefusal,
    SeatTaken,
    TableClosed,
    TableFounded,
    TableRefused,
)
from azi_p2p.session.gathering import Gathering, wire_params
from azi_p2p.session.heads import table_id
from azi_p2p.session.jobs import JobResult
from azi_p2p.session.lanes import Lanes
from azi_p2p.session.outbox import Outbox
from azi_p2p.session.own import Me, Own
from azi_p2p.session.playstate import PlayState
from azi_p2p.session.resuming import Resuming
from azi_p2p.session.roster import check_signed, open_signed
from azi_p2p.session.running import Running
from azi_p2p.session.showing import onlookers, view_before
from azi_p2p.session.unfinished import unfinished
from azi_p2p.session.view import TableView
from azi_p2p.session.wishes import Wishes
from azi_p2p.wire import messages
from azi_p2p.wire.envelope import NO_HEAD, NOWHERE, Envelope, Place, decode_envelope, place_of
from azi_p2p.wire.errors import WireError
from azi_p2p.wire.frame import EnvelopeFrame, Frame, StatusFrame
from azi_p2p.wire.ledgerfile import ledger_header, ledger_record

MAX_EARLY = 128
"""Envelopes kept that came before the founding did."""
MAX_EARLY_OF_ONE = 32

ONLOOKERS_EVERY = 10.0
"""Seconds for which nothing more is told of onlookers that come and go."""


class Table:
    """A table that this peer has opened (`host`), wants a seat at (`join`) or only follows (`watch`).

    All times are local monotonic seconds. Every method that may have something done returns the effects, in order.
    """

    def __init__(self, me: Me | None, table: bytes | None) -> None:
        self._out = Outbox()
        self._own = None if me is None else Own(me, self._out)
        self._here: set[bytes] = set() if me is None else {me.identity.public}
        self._gathering = Gathering(table, linked=self._here)
        self._wishes = Wishes(linked=self._here)
        self._archive = Archive()
        self._running: Running | None = None
        self._sync = sync.Sync()
        self._resuming: Resuming | None = None if me is None else Resuming()
        self._seats_left = seat_allowance()
        self._useless_left = useless_allowance()
        self._links: set[bytes] = set()
        self._started = False
        self._refused = False
        self._told_end = False
        self._looked_back = False
        self._closed: Reckoning | None = None
        self._told_forgotten = False
        self._onlookers = 0
        self._onlookers_again = 0.0
        self._early: dict[bytes, Envelope] = {}

    @classmethod
    def host(cls, me: Me, params: Params, name: str, nonce: bytes | None = None) -> Table:
        """Open a new table with these parameters, under the name that people will call it.

        `nonce`: the 32 bytes that make its id, where the table was opened before a restart; None for a new one. Raises
        ParamsError when the parameters are out of range.
        """
        params.check()
        again = nonce is not None
        nonce = nonce or me.rng(32)
        key = me.identity.public
        table = cls(me, table_id(key, nonce))
        table._gathering.params = wire_params(params, name)
        table._gathering.founder = key
        table._request_seat(nonce)
        if again and table._own is not None:
            table._own.distrust_seats()
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
        """Whether the standings are signed, and nothing before them can be taken back."""
        return self._running is not None and self._running.ended

    @property
    def closed(self) -> bool:
        """Whether we have closed the table without a majority: nothing more is heard or said of it."""
        return self._closed is not None

    @property
    def reckoning(self) -> Reckoning | None:
        """What everybody has by our own record, if we have closed the table without a majority."""
        return self._closed

    @property
    def settled(self) -> bool:
        """Whether the table has ended and every linked member has said that it knows."""
        if self._running is None or not self.ended:
            return False
        play = self._running.lanes.play
        members = [member.key for member in play.members if member is not None and member.key in self._links]
        end = (play.deal, play.step, sync.HELD_ALL)
        told = self._sync.told
        return all(key in told and (told[key].deal, told[key].step, told[key].held) == end for key in members)

    @property
    def lanes(self) -> Lanes | None:
        """The running lanes, for audits; None before the founding."""
        return None if self._running is None else self._running.lanes

    @property
    def gathering(self) -> Gathering:
        """The signed seats and the founding, for audits."""
        return self._gathering

    def view(self) -> TableView:
        """What the own seat may know of the table now."""
        if self._running is None:
            return view_before(self._gathering, None if self._own is None else self._own.key, self._links)
        return self._running.view(self._links, self._gathering.founder)

    # Inputs

    def begin(self, now: float) -> list[Effect]:
        """The first effects. Call once, before anything else."""
        self._sync.last_told = now
        return self._go_on(now)

    def restore(self, records: Iterable[bytes], now: float) -> bytes:
        """Take what this peer's own ledger file of the table holds (envelopes), as far as it got before a restart.

        Call before `begin`, at a table made with `join` and its id. What the file says was checked before it was
        written, so its proofs aren't checked again; signatures are. Gives the bytes that the file must have, to the
        last complete step: what comes later is recorded after them. Raises WireError or CryptoError when a record isn't
        in order; what follows a record that doesn't fit is left out.
        """
        for raw in records:
            if not self._enter(open_signed(raw), now, own=True):
                break
            if self._running is not None:
                self._running.lanes.run(now)
        if self._running is not None:
            self._out.record(self._archive.flush(everything=True))
        return b"".join(effect.data for effect in self._out.take() if isinstance(effect, Record))

    def receive(self, frame: Frame, sender: bytes, now: float) -> list[Effect]:
        """Take a frame from the linked peer with this key."""
        if self.closed:
            return []
        if isinstance(frame, EnvelopeFrame):
            if not self._receive_envelope(frame.envelope, sender, now):
                # Most come over several links; what time alone asks for is done when WakeAt said.
                return []
        elif isinstance(frame, StatusFrame):
            self._receive_status(frame, sender, now)
        return self._go_on(now)

    def submit(self, command: Command, now: float) -> list[Effect]:
        """Carry out a command of the person who holds the own seat; raises CommandRefused."""
        running = self._running
        if isinstance(command, Start):
            self._start()
        elif running is None:
            raise CommandRefused(Refusal.NOT_STARTED)
        else:
            match command:
                case Act(action=action):
                    running.act(action, now)
                case Wish(kind=kind):
                    running.wish(kind, now)
                case Say(text=text):
                    running.say(text, now)
                case Close():
                    self._close(running)
        return self._go_on(now)

    def _close(self, running: Running) -> None:
        """Have everything written that we know, and be done with the table."""
        if running.seat is None:
            raise CommandRefused(Refusal.NO_SEAT)
        if self.ended or self.closed:
            raise CommandRefused(Refusal.ENDED)
        if running.can_agree:
            raise CommandRefused(Refusal.CLOSE_NOT_NEEDED)
        self._out.record(self._archive.flush(everything=True) + b"".join(map(ledger_record, unfinished(running.lanes))))
        self._closed = running.reckon()
        self._out.tell(TableClosed(self._closed.chips, self._closed.absent))

    def finish_job(self, job_id: int, result: JobResult, now: float) -> list[Effect]:
        """Take the result of a job that a RunJob effect had asked for."""
        assert self._running is not None, "jobs are begun at founded tables only"
        self._running.finish_job(job_id, result, now)
        return self._go_on(now)

    def tick(self, now: float) -> list[Effect]:
        """Let time pass: call it when a WakeAt effect said so."""
        waiting = self._running is None or self._running.silent or bool(self._running.watch.missing())
        if waiting and now >= self._sync.last_told + sync.REPEAT_SECONDS and not self.ended:
            self._tell_status(None, wants_answer=True)
            self._sync.last_told = now
        return self._go_on(now)

    def link_up(self, peer: bytes, now: float) -> list[Effect]:
        """A link to the peer with this key stands."""
        self._links.add(peer)
        self._here.add(peer)
        if self._running is not None:
            self._running.reach.link_up(peer)
        self._tell_status(peer, wants_answer=True)
        self._tell_link(peer, up=True)
        return self._go_on(now)

    def link_down(self, peer: bytes, now: float) -> list[Effect]:
        """The link to the peer with this key is gone."""
        self._links.discard(peer)
        self._here.discard(peer)
        self._useless_left.forget(peer)
        self._sync.forget(peer)
        if self._running is not None:
            self._running.reach.link_down(peer, now)
        if self._resuming is not None:
            self._resuming.forget(peer)
        self._tell_link(peer, up=False)
        return self._go_on(now)

    # Envelopes

    def _receive_envelope(self, raw: bytes, sender: bytes, now: float) -> bool:
        """Take an envelope; returns False when exactly this one was known, so that nothing has changed."""
        try:
            envelope = decode_envelope(raw)
            if self._knows(envelope):
                return False
            check_signed(envelope)
        except (WireError, CryptoError) as error:
            self._out.do(DropLink(sender, f"a message that is not in order: {error}"))
            return True
        if self._gathering.table is None and envelope.type == "seat":
            body = envelope.body
            assert isinstance(body, messages.SeatRequest)
            if table_id(envelope.author, body.nonce) == envelope.table:
                self._gathering.table = envelope.table
        ours = envelope.table == self._gathering.table and self._may_enter(envelope, sender, now)
        if ours and self._enter(envelope, now, counted=sender in self._links):
            self._out.relay(envelope, frozenset({sender}))
        else:
            self._was_useless(sender, now)
        return True

    def _may_enter(self, envelope: Envelope, sender: bytes, now: float) -> bool:
        """Whether a linked peer may hand us this; keys of people who want a seat cost nothing to invent."""
        if envelope.type != "seat" or envelope.author == sender or sender not in self._links:
            return True
        return self._seats_left.take(sender, now)

    def _knows(self, envelope: Envelope) -> bool:
        """Whether exactly this message has come in: most come over several links, and again to be sure."""
        if self.lanes is not None and self.lanes.knows(envelope.id):
            return True
        kept = (*self._gathering.envelopes(), *self._wishes.applications.values(), *self._wishes.requests.values())
        return any(other.id == envelope.id for other in kept)

    def _was_useless(self, sender: bytes, now: float) -> None:
        """A linked peer has sent something that brings nothing; one that does little else is hung up on."""
        if sender in self._links and not self._useless_left.take(sender, now):
            self._out.do(DropLink(sender, "a flood of messages that bring nothing"))

    def _enter(self, envelope: Envelope, now: float, *, own: bool = False, counted: bool = False) -> bool:
        """Enter a signed envelope of this table where it belongs; returns whether it was new.

        `counted`: against what its author is allowed to send.
        """
        if not own and self._own is not None and envelope.author == self._own.key and self._own.adopt(envelope):
            self._tell_forgotten()
        if envelope.type in ("seat", "founding"):
            return self._enter_seat(envelope, now)
        if self._running is None:
            return self._keep_early(envelope)
        return self._running.enter(envelope, now, own=own, counted=counted)

    def _tell_forgotten(self) -> None:
        """Tell, once, that this key has signed what this profile didn't know of: it is an older copy of another."""
        if not self._told_forgotten:
            self._told_forgotten = True
            self._out.tell(ProfileOutdated())

    def _keep_early(self, envelope: Envelope) -> bool:
        """Keep what others, who know of the founding already, have sent for the first deal."""
        if envelope.id in self._early or envelope.author not in self._gathering.seats or len(self._early) >= MAX_EARLY:
            return False
        if sum(other.author == envelope.author for other in self._early.values()) >= MAX_EARLY_OF_ONE:
            return False
        self._early[envelope.id] = envelope
        return True

    def _enter_seat(self, envelope: Envelope, now: float) -> bool:
        body = envelope.body
        if self._running is not None:
            play = self._running.lanes.play
            applies = isinstance(body, messages.SeatRequest) and body.params == self._gathering.params
            if not applies or envelope.id in play.seated or _is_seated(play, envelope.author):
                return False
            return self._wishes.enter(envelope)
        known = self._gathering.seats.get(envelope.author)
        if known is not None and known.id == envelope.id:
            return False
        why = self._gathering.enter(envelope)
        if why is not None:
            if self._gathering.params is None and not self._refused:
                self._refused = True
                self._out.tell(why)
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
        if self._own is not None:
            self._own.recall(play.table)
        self._out.record(self._archive.begin(ledger_header(play.wire_params)))
        self._archive.record(0, 0, NO_HEAD, raws_of(envelopes), play.here)
        self._running = Running(self._out, self._own, self._archive, self._wishes, self._publish, play, now)
        for peer in self._links:
            self._running.reach.link_up(peer)
        self._out.tell(TableFounded(play.table))
        early, self._early = self._early, {}
        for envelope in early.values():
            self._enter(envelope, now)

    # Status

    def _receive_status(self, status: StatusFrame, sender: bytes, now: float) -> None:
        if self._gathering.table is None:
            self._gathering.table = status.table
        if status.table != self._gathering.table:
            self._out.do(DropLink(sender, "a peer of another table"))
            return
        self._sync.told[sender] = status
        if self._resuming is not None and not status.wants_answer:
            self._resuming.answer(sender, (status.deal, status.step))
        if not self._sync.may_answer(sender, status, now):
            self._was_useless(sender, now)
            return
        older = self._archive.in_file(status.deal) if self._running is not None else None
        if older is not None:
            # Whoever is so far behind asks again for what comes after it.
            self._out.do(SendRecorded(older, sender))
        else:
            if self.lanes is not None and not sync.is_on_our_chain(status, self.lanes):
                before = self._archive.in_file(status.deal - 1)
                if before is not None:
                    self._out.do(SendRecorded(before, sender))
            sent = self._sync.sent(sender, (status.deal, status.step))
            lacking = sync.answer(status, self._gathering, self.lanes, self._wishes, sent)
            for raw in (*sync.own_votes(sender, self.lanes, sent), *lacking):
                self._out.do(Send(EnvelopeFrame(raw), to=sender))
        if status.wants_answer:
            self._tell_status(sender, wants_answer=False)

    def _tell_status(self, peer: bytes | None, *, wants_answer: bool) -> None:
        if self._gathering.table is not None:
            status = sync.status_of(self._gathering.table, self.lanes, wants_answer=wants_answer)
            self._out.do(Send(status, to=peer))
            if self._resuming is not None and wants_answer:
                self._resuming.ask(self._links if peer is None else [peer], (status.deal, status.step))

    def _tell_link(self, peer: bytes, *, up: bool) -> None:
        seat = None if self.lanes is None else self.lanes.play.seat_of(peer)
        if seat is not None:
            self._out.tell(LinkChanged(seat, up))

    # Commands

    def _start(self) -> None:
        if self._own is None or self._own.key != self._gathering.founder:
            raise CommandRefused(Refusal.ONLY_FOUNDER_STARTS)
        if self._running is not None:
            raise CommandRefused(Refusal.STARTED_ALREADY)
        if len(self._ready_seats()) < 2:
            raise CommandRefused(Refusal.TOO_FEW_TO_START)
        self._started = True

    # Going on by ourselves

    def _go_on(self, now: float) -> list[Effect]:
        if self.closed:
            return self._out.take()
        self._gather(now)
        if self._running is not None:
            self._running.lanes.run(now)
            self._resume(self._running, now)
            self._running.go_on(now)
            lanes = self._running.lanes
            if not lanes.busy:
                for peer in self._sync.ahead((lanes.play.deal, lanes.play.step)):
                    self._tell_status(peer, wants_answer=True)
            if self.ended and not self._told_end:
                # The others wait for this word before they leave.
                self._told_end = True
                self._tell_status(None, wants_answer=False)
            self._count_onlookers(lanes, now)
        self._wake(now)
        return self._out.take()

    def _count_onlookers(self, lanes: Lanes, now: float) -> None:
        """Tell when another number of peers without a seat is linked; not often: strangers come and go as they like."""
        number = onlookers(lanes, self._links)
        if number != self._onlookers and now >= self._onlookers_again:
            self._onlookers, self._onlookers_again = number, now + ONLOOKERS_EVERY
            self._out.tell(OnlookersChanged(number))

    def _resume(self, running: Running, now: float) -> None:
        """Keep silent at a table that this key has sat at before, until enough others have told us all they know."""
        seat, own, resuming = running.seat, self._own, self._resuming
        if seat is None or own is None or resuming is None:
            return
        play = running.lanes.play
        member = play.members[seat]
        assert member is not None
        roster = [key for _, key in play.keyed(play.roster)]
        if own.asked_for(member.request):
            self._resuming = None
        elif not running.lanes.busy and resuming.has_heard_enough(roster, own.key):
            self._resuming = None
            running.speak_again(now)
        else:
            running.silent = True
            if not running.lanes.busy:
                for peer in resuming.to_ask_again((play.deal, play.step)):
                    self._tell_status(peer, wants_answer=True)

    def _gather(self, now: float) -> None:
        """Ask for a seat once the parameters are known; found the table once the seats are taken."""
        gathering, own, lanes = self._gathering, self._own, self.lanes
        if own is not None and lanes is None and gathering.table is not None and not self._looked_back:
            # Signed before a restart: there may be no other list of seats, and perhaps nobody else has the parameters.
            self._looked_back = True
            for envelope in own.beginnings(gathering.table):
                self._enter(envelope, now, own=True)
            lanes = self.lanes
        if own is None or gathering.params is None or self._refused:
            return
        seated = lanes is not None and _is_seated(lanes.play, own.key)
        if (own.key not in gathering.seats and own.key not in self._wishes.applications and not seated) or (
            self._running is not None and self._comes_again(self._running)
        ):
            self._request_seat(own.me.rng(32), now)
        if lanes is not None and not seated and not _has_free_seat(lanes):
            self._refused = True
            self._out.tell(TableRefused(SeatRefusal.NO_SEAT_FREE))
        if lanes is None and own.key == gathering.founder and gathering.founding is None:
            ready = self._ready_seats()
            if len(ready) == gathering.params.seats or (self._started and len(ready) >= 2):
                self._publish(NOWHERE, messages.Founding(seats=[envelope.id for envelope in ready]), now)

    def _comes_again(self, running: Running) -> bool:
        """Whether this program was started to sit down where its key has left the table before; it hasn't asked yet."""
        own, play, seat = self._own, running.lanes.play, running.seat
        if own is None or seat is None or running.silent or self._resuming is not None or _is_seated(play, own.key):
            return False
        member, application = play.members[seat], self._wishes.applications.get(own.key)
        assert member is not None
        return not own.asked_for(member.request) and (application is None or application.id in play.seated)

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

    def _publish(self, place: Place, body: messages.Body, now: float) -> bool:
        """Sign a message, enter it here like anybody's, and send it to all; returns whether it was new."""
        own = self._own
        assert own is not None and self._gathering.table is not None  # noqa: PT018 - both are our own doing
        if self._running is not None:
            own.save(self._running.built_on(place, body))
        envelope = own.sign(self._gathering.table, place, body)
        # A vote about another step on one head may have taken its slot, if somebody had asked for it.
        if place_of(envelope) != place or not self._enter(envelope, now, own=True):
            return False
        self._out.relay(envelope)
        return True

    def _wake(self, now: float) -> None:
        times = [self._sync.last_told + sync.REPEAT_SECONDS]
        if self._running is not None and self._running.seat is not None:
            due = self._running.watch.next_time(now)
            if due is not None:
                times.append(due)
        if not self.ended:
            self._out.do(WakeAt(max(min(times), now + 0.05)))


def _is_seated(play: PlayState, key: bytes) -> bool:
    """Whether this key holds a seat that it hasn't left."""
    seat = play.seat_of(key)
    return seat is not None and play.game.status[seat] is not rules.SeatStatus.LEFT


def _has_free_seat(lanes: Lanes) -> bool:
    free = (rules.SeatStatus.EMPTY, rules.SeatStatus.LEFT)
    return any(status in free for status in lanes.play.game.status)


__all__ = ["Me", "Table"]
