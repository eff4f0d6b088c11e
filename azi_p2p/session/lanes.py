"""Both lanes of a table as they run: which step is waiting, what has come in for it, what is being checked.

An envelope is filed at the step whose head it names: judged, its proofs checked by a job, counted. When every seat
that owes one has an envelope or a certificate, the lane advances. Envelopes for later steps wait in a bounded
buffer. An envelope that breaks the rules on the head it names is a proven fault: it is kept as evidence and blamed on
its author, and never counts. When to vote about a seat, what follows from votes, and what we sign ourselves, is decided
elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from azi_p2p.rules import conserved
from azi_p2p.session import decklane, playlane, slots, telling
from azi_p2p.session.archive import Archive, raws_of
from azi_p2p.session.ballots import Ballots
from azi_p2p.session.breaches import Breaches
from azi_p2p.session.decklane import DeckPhase, DeckState
from azi_p2p.session.events import SeatAbsent, ShuffleProven, TableEnded
from azi_p2p.session.faults import Fault, ProvenFault
from azi_p2p.session.filing import Filing
from azi_p2p.session.history import History, PastStep
from azi_p2p.session.jobs import Checked, Job
from azi_p2p.session.outbox import Outbox
from azi_p2p.session.playstate import PlayPhase, PlayState
from azi_p2p.session.rulings import Drop, Reopen, Restore, Rulings, TakeBack
from azi_p2p.session.votes import Outcome, Question
from azi_p2p.wire import messages
from azi_p2p.wire.envelope import Envelope, Place, place_of


@dataclass(slots=True)
class Inbox:
    """What has come in for the current step of a lane.

    `moves`: seat to envelope that counts; `pending`: seat to envelope whose proofs are being checked, or that names a
    deck which isn't ready here yet. `since`: local time at which the step began.
    """

    place: Place
    since: float
    moves: dict[int, Envelope] = field(default_factory=dict)
    pending: dict[int, Envelope] = field(default_factory=dict)


@dataclass(slots=True)
class _RunningJob:
    place: Place
    seat: int
    envelope: Envelope
    job: Job


class Lanes:
    """The two lanes of one table, from the founding on. `now` is local monotonic time in seconds.

    `counted`: ids of envelopes that counted, votes included, with their deals; `past`: complete steps by their heads
    (`history` knows more of them); `ballots`: the votes; `faults`: what is proven against whom.
    """

    def __init__(self, out: Outbox, archive: Archive, play: PlayState, now: float) -> None:
        self.out = out
        self.archive = archive
        self.play = play
        self.deck: DeckState | None = None
        self.play_inbox = Inbox(play.place, now)
        self.deck_inbox = Inbox(play.place, now)
        self.deck_log: list[Envelope] = []
        self.history = History(archive)
        self.past = self.history.past
        self.ballots = Ballots(self.history)
        self.faults = Breaches(out, archive, play.wire_params, self._leading_up)
        self.ends: dict[int, Envelope] = {}
        """What seats have signed at the end of the table, whether or not they were certified absent there."""
        self.checks: Counter[str] = Counter()
        self._filing = Filing()
        self._rulings = Rulings(self.history, self.ballots, self.faults, self._filing)
        self.counted: dict[bytes, int] = {}
        self.closed_deals = 0
        self._jobs: dict[int, _RunningJob] = {}
        self._roster = play.roster
        self._follow_deck(now)

    @property
    def over(self) -> bool:
        """Whether the table has ended, and a majority has signed everything before the end: nothing can change it."""
        return self.play.phase is PlayPhase.ENDED and self.archive.complete

    @property
    def open_deal(self) -> int:
        """The first deal of which something could still be taken back; when the table is over, none before the last."""
        return self.play.deal if self.archive.open_deal is None else self.archive.open_deal

    @property
    def busy(self) -> bool:
        """Whether proofs are being checked."""
        return bool(self._jobs)

    @property
    def buffered(self) -> int:
        """How many envelopes wait for a step that has not come yet."""
        return len(self._filing)

    def knows(self, envelope_id: bytes) -> bool:
        """Whether an envelope with this id has come in before."""
        return self._filing.knows(envelope_id)

    # Envelopes in

    def file(self, envelope: Envelope, *, own: bool = False) -> bool:
        """File a signed envelope of either lane; returns whether it was new (and is worth relaying).

        `own`: we made it ourselves; its proofs need no check, everything else is judged the same.
        """
        if self.knows(envelope.id) or not self._could_count(envelope):
            return False
        if self._is_idle(envelope):
            return False
        if self._offer(envelope, own=own):
            self._filing.note(envelope)
            return True
        return self._filing.keep(envelope, self.play)

    def _is_idle(self, envelope: Envelope) -> bool:
        """Whether a message for a step that we know can't mean anything: it is neither kept nor passed on."""
        past = self.past.get(envelope.prev)
        if past is None and envelope.prev not in (self.play_inbox.place.prev, self.deck_inbox.place.prev):
            return False
        if self.play.seat_of(envelope.author) is None:
            return True
        return past is not None and place_of(envelope) != past.place

    def place_at(self, head: bytes) -> Place | None:
        """The place of the step that is taken on a head, if we know the head."""
        past = self.past.get(head)
        current = (inbox.place for inbox in (self.play_inbox, self.deck_inbox) if inbox.place.prev == head)
        return next(current, None if past is None else past.place)

    def is_nowhere(self, place: Place) -> bool:
        """Whether a place names a head that we know together with a step that isn't taken on it."""
        known = [past.place for past in (self.past.get(place.prev),) if past is not None]
        known += [inbox.place for inbox in (self.play_inbox, self.deck_inbox) if inbox.place.prev == place.prev]
        # The attempt doesn't matter: an `open` is tried again on one head.
        step = (place.lane, place.deal, place.step)
        return bool(known) and all((at.lane, at.deal, at.step) != step for at in known)

    def _could_count(self, envelope: Envelope) -> bool:
        """Whether a message could matter: of a seat proven at fault in this lane, only one that it owes just now.

        So nobody can flood the table with breaches: the first is kept as evidence, the others aren't even passed on;
        but for a second message for the slot of a step that isn't closed, on which others may have gone on. What is
        signed on heads that we don't know may wait, as anybody's: others may have counted it before the fault came.
        """
        if (envelope.author, envelope.lane) not in self.faults.by_lane:
            return True
        if self.faults.book.is_taken(envelope) and not self._agrees_at_last(envelope):
            return self._may_part(envelope)
        if envelope.lane == "play" and self.place_at(envelope.prev) is None:
            return True
        seat = self.play.seat_of(envelope.author)
        return any(
            state is not None and envelope.prev == state.head and seat in state.owed and seat not in inbox.moves
            for state, inbox in ((self.play, self.play_inbox), (self.deck, self.deck_inbox))
        )

    def _may_part(self, envelope: Envelope) -> bool:
        """Whether a second message for one slot, the first to come, is for a step from which chains may part."""
        place = place_of(envelope)
        if slots.slot_of(envelope) in self.faults.doubled:
            return False
        if place.lane == "play" and self.archive.is_written(place.deal, place.step):
            return False
        return place == self.place_at(place.prev)

    def _offer(self, envelope: Envelope, *, own: bool) -> bool:
        """File an envelope at the current step, or judge it as late; False when its step has not come yet."""
        state, inbox = (self.play, self.play_inbox) if envelope.lane == "play" else (self.deck, self.deck_inbox)
        past = self.past.get(envelope.prev)
        if past is not None:
            self._late(envelope, past)
            return True
        if state is None or envelope.prev != state.head or envelope.attempt != state.attempt:
            return False
        seat = self.play.seat_of(envelope.author)
        if seat is None:
            return True
        if self.faults.clash(seat, envelope) and not self._agrees_at_last(envelope):
            return True
        if envelope.lane == "play" and self.play.dropped and seat not in self.play.owed:
            return True  # it may know of other certificates than we do: nothing is proven, and nothing counts
        try:
            if place_of(envelope) != state.place:
                raise Fault("wrong_place", "the message names a head together with another deal or step")  # noqa: TRY301
            if seat not in (state.signers if isinstance(state, PlayState) else state.owed):
                raise Fault("not_your_turn", f"a message of the type {envelope.type} from a seat that owes none")  # noqa: TRY301
            job = self._judge(seat, envelope)
        except Fault as fault:
            self.faults.blame(seat, fault, envelope)
            return True
        if seat not in state.owed:
            self._agree(seat, envelope)
            return True
        inbox.pending[seat] = envelope
        if job is not None and not own:
            self._jobs[self.out.run(job)] = _RunningJob(inbox.place, seat, envelope, job)
        else:
            self._settle(inbox, seat, envelope, job)
        return True

    def _agrees_at_last(self, envelope: Envelope) -> bool:
        """Whether this is an `end` where the table ends: it counts, whatever else its author has signed for that slot.

        Nothing comes after it, so nobody is harmed; and to those who had it first the table may be over already.
        """
        return self.play.phase is PlayPhase.END and envelope.type == "end"

    def _judge(self, seat: int, envelope: Envelope) -> Job | None:
        if envelope.lane == "deck":
            assert self.deck is not None
            return decklane.judge(self.deck, seat, envelope)
        try:
            return playlane.judge(self.play, seat, envelope)
        except Fault:
            if self.play.phase is PlayPhase.OPEN and self.play.dropped:
                # Its author may know of other certificates than we do: it waits, and proves nothing.
                return None
            raise

    def _settle(self, inbox: Inbox, seat: int, envelope: Envelope, job: Job | None) -> None:
        """Let a judged envelope count; an `open` only once it names the deck that is ready here."""
        if isinstance(envelope.body, messages.Open) and not self._opens(envelope):
            return
        inbox.pending.pop(seat, None)
        inbox.moves[seat] = envelope
        self.counted[envelope.id] = envelope.deal
        self.checks.update(telling.checks_of(envelope, job))
        if envelope.lane == "play":
            self.archive.ack(envelope.author, envelope.deal, envelope.step)
        if isinstance(envelope.body, messages.Shuffle) and self.deck is not None:
            done, total = self.deck.shuffles + 1, len(self.deck.roster)
            self.out.tell(ShuffleProven(self.deck.deal, seat, done, total))

    def _opens(self, envelope: Envelope) -> bool:
        deck = self.deck
        if deck is None or deck.phase is not DeckPhase.READY or not playlane.names_deck(envelope, deck):
            return False
        return envelope.body == playlane.opening(self.play, deck.head)

    def finish(self, job_id: int, result: Checked) -> None:
        """A job has checked an envelope's proofs."""
        running = self._jobs.pop(job_id)
        inbox = self.play_inbox if running.envelope.lane == "play" else self.deck_inbox
        if inbox.place != running.place or inbox.pending.get(running.seat) is not running.envelope:
            return
        if result.fault is not None:
            del inbox.pending[running.seat]
            self.faults.blame(running.seat, result.fault, running.envelope)
        else:
            self._settle(inbox, running.seat, running.envelope, running.job)

    # Faults

    def _late(self, envelope: Envelope, past: PastStep) -> None:
        """Judge an envelope for a step that is complete: inert, unless it proves a fault."""
        seat = self.play.seat_of(envelope.author)
        if seat is None or self.faults.clash(seat, envelope):
            return
        if past.state is not None and past.state.phase is PlayPhase.OPEN:
            return  # a seat that we know to be dropped may not have known it yet
        if past.state is not None and seat in past.owed:
            self._agree(seat, envelope)
        if seat not in past.owed:
            fault = Fault("not_your_turn", f"a message of the type {envelope.type} from a seat that owed none")
            self.faults.blame(seat, fault, envelope)

    def _agree(self, seat: int, envelope: Envelope) -> None:
        """A message of a seat that is certified absent doesn't count at its step, but agrees to what is before."""
        self.archive.ack(envelope.author, envelope.deal, envelope.step)
        if isinstance(envelope.body, messages.End):
            self.ends[seat] = envelope
        self._write()

    def last_words(self, seat: int) -> tuple[Place, messages.End] | None:
        """The end that a seat signs though it is absent or has left and owes none, so that a majority has agreed."""
        if self.over or seat in self.ends:
            return None
        if self.play.phase is PlayPhase.END and seat in self.play.signers and seat not in self.play.owed:
            return self.play.place, playlane.ending(self.play)
        last = next(reversed(self.past.values()), None)
        if self.play.phase is PlayPhase.ENDED and last is not None and last.state is not None and seat in last.owed:
            return last.place, playlane.ending(last.state)
        return None

    def examine(self, seat: int, evidence: list[Envelope]) -> None:
        """Look at evidence against `seat` that somebody enclosed in a vote; blames the seat only if it is proven."""
        member = self.play.members[seat]
        if member is None or any(envelope.author != member.key for envelope in evidence):
            return
        if len(evidence) == 2 and slots.is_equivocation(*evidence):
            self.faults.equivocation(seat, *evidence)
        elif len(evidence) == 1 and evidence[0].lane in ("deck", "play") and evidence[0].table == self.play.table:
            self.file(evidence[0])

    def file_vote(self, seat: int, envelope: Envelope) -> None:
        """Count a vote of `seat`; two different ones for one slot are an equivocation, and count for neither."""
        self._filing.note(envelope)
        self.counted[envelope.id] = envelope.deal
        self.faults.clash(seat, envelope)
        for old in self.ballots.count(seat, envelope, self.play):
            # It must be able to come in again: a majority that needs it may have been found elsewhere.
            self.faults.book.forget(old)
            self._filing.unnote(old.id)
            self.counted.pop(old.id, None)

    def _leading_up(self) -> list[bytes]:
        """What led to the current heads of both lanes, as far as it is in memory; the file has what comes before."""
        deck = [*self.history.attempts(), *self.deck_log, *self.deck_inbox.moves.values()]
        return [*self.archive.since(0, 0), *raws_of(deck), *raws_of(list(self.play_inbox.moves.values()))]

    def is_guilty(self, seat: int) -> ProvenFault | None:
        """The proven fault of whoever holds the seat, None if there is none."""
        member = self.play.members[seat]
        return None if member is None else self.faults.guilty.get(member.key)

    # Going on

    def run(self, now: float) -> None:
        """Advance both lanes as far as what has come in allows."""
        while self._heed_votes(now) or self._complete_deck(now) or self._complete_play(now):
            self._filing.offer(self._take_up)

    def _take_up(self, envelope: Envelope) -> bool:
        """Look again at an envelope that waits: False while its step has still not come."""
        return not self._could_count(envelope) or self._offer(envelope, own=False)

    def is_bound(self, lane: str) -> bool:
        """Whether we must not sign on in this lane, having claimed a seat absent: see `Ballots.is_bound`."""
        return self.ballots.is_bound(lane, self.play, self.deck_inbox.place, self.deck_log)

    def _heed_votes(self, now: float) -> bool:
        """Do what follows from the votes, and from what was signed on top of steps that certificates are about."""
        ruling = self._rulings.next(self.play, self.deck)
        match ruling:
            case None:
                return False
            case Drop(question, outcome):
                self._drop(question, outcome, now)
            case TakeBack(past, question, outcome):
                self._roll_back(past, question.seat, now)
                if not playlane.can_deal(self.play):
                    self._drop(question, outcome, now, past.place)
            case Restore(past, seat, move):
                self._want_again(past.place.prev)
                self._roll_back(past, seat, now)
                self.play_inbox.moves.update(past.void)
                if move is not None and past.void.get(seat) != move:
                    self.play_inbox.moves.pop(seat, None)
                    self._file_again(move)
            case Reopen(opening, state, opens):
                self._undrop(opening, state, now)
                for envelope in opens:
                    self._file_again(envelope)
        return True

    def _file_again(self, envelope: Envelope) -> None:
        """Let an envelope count that had come in and didn't, whatever else its author has signed for the slot."""
        self.faults.prefer(envelope)
        self._filing.unnote(envelope.id)
        self.file(envelope)

    def _want_again(self, head: bytes) -> None:
        """Let what was signed on this head come in again: it was in vain while a seat was certified absent there."""
        for envelope in self.faults.book.signed_on(head):
            self._filing.unnote(envelope.id)

    def _undrop(self, opening: PastStep | None, state: PlayState, now: float) -> None:
        """Return to a deal's first attempt to be opened, from a state in which seats are dropped."""
        if opening is not None:
            self._cut_off(opening)
        self._want_again(state.head)
        self.history.given_up.clear()
        self.play = playlane.undropped(state)
        self._next_step(now)

    def _roll_back(self, past: PastStep, seat: int, now: float) -> None:
        """Return to a step, without what came from `seat`; what was built on it is abandoned."""
        assert past.state is not None
        self._cut_off(past)
        self.play = past.state
        self._next_step(now)
        self.play_inbox.moves = {other: envelope for other, envelope in past.moves.items() if other != seat}
        for envelope in self.play_inbox.moves.values():
            self._filing.note(envelope)

    def _cut_off(self, past: PastStep) -> None:
        """Abandon this step and what was built on it; should that stand in the end, its messages are wanted again."""
        inbox = self.play_inbox
        for envelope in (*self.history.cut_off(past), *inbox.moves.values(), *inbox.pending.values()):
            self._filing.unnote(envelope.id)

    def _drop(self, question: Question, outcome: Outcome, now: float, last: Place | None = None) -> None:
        """Leave a seat out of the deal that is to be opened; when too few are left, a roster is due in its place.

        `last`: where the last attempt was, if too few were left already.
        """
        before, moves = self.play, self.play_inbox.moves
        for envelope in (*moves.values(), *self.play_inbox.pending.values()):
            self._filing.unnote(envelope.id)  # Should the certificate be outvoted, it is wanted again.
        self.history.given_up.add(before.attempt, question, outcome)
        self.play = playlane.drop(before, question.seat)
        self.out.tell(SeatAbsent(question.seat))
        if not playlane.can_deal(self.play):
            attempts, endings = self.history.take_attempts()
            self._record(self.play, raws_of(attempts))
            self.history.remember(PastStep(last or before.place, before.owed, moves, self.play, endings))
            self.play = playlane.without_deal(self.play)
        self._next_step(now)

    def unclosed(self, lane: str) -> Iterator[Envelope]:
        """The messages of complete steps in this lane that no majority has signed on top of yet, as far as we know."""
        if lane == "deck":
            yield from self.deck_log
            return
        for past in self.past.values():
            place = past.place
            if place.lane == "play" and not self.archive.is_written(place.deal, place.step):
                yield from (vote for ending in past.endings for vote in ending.outcome.votes)
                yield from past.moves.values()
                for seat in past.owed:
                    outcome = self.ballots.certificate(place, seat)
                    if outcome is not None:
                        yield from outcome.votes

    def _complete_deck(self, now: float) -> bool:
        deck, inbox = self.deck, self.deck_inbox
        if deck is None or not deck.owed or not all(seat in inbox.moves for seat in deck.owed):
            return False
        self.history.remember(PastStep(deck.place, deck.owed, inbox.moves, None))
        self.deck_log.extend(inbox.moves[seat] for seat in deck.owed)
        self.deck = decklane.advance(deck, inbox.moves)
        self.deck_inbox = Inbox(self.deck.place, now)
        if self.deck.phase is DeckPhase.READY and self.play.phase is PlayPhase.OPEN:
            self.play_inbox.since = now
            for seat, envelope in list(self.play_inbox.pending.items()):
                self._settle(self.play_inbox, seat, envelope, None)
        return True

    def _complete_play(self, now: float) -> bool:
        play, inbox = self.play, self.play_inbox
        owed = play.owed
        if not owed:
            return False
        missing = [seat for seat in owed if seat not in inbox.moves]
        if any(self.ballots.certificate(play.place, seat) is None for seat in missing):
            return False
        certificates = {seat: self.ballots.certificate(play.place, seat) for seat in owed}
        attempts, endings = self.history.take_attempts()
        raws = raws_of(attempts)
        if play.phase is PlayPhase.OPEN:
            raws += raws_of(self.deck_log)
        moves: dict[int, Envelope | None] = {}
        for seat in owed:
            outcome = certificates[seat]
            moves[seat] = None if outcome else inbox.moves[seat]
            raws += raws_of(outcome.votes if outcome else [inbox.moves[seat]])
            if outcome:
                self.out.tell(SeatAbsent(seat))
        self._record(play, raws)
        kept = {seat: move for seat, move in moves.items() if move is not None}
        void = {seat: inbox.moves[seat] for seat in owed if seat not in kept and seat in inbox.moves}
        self.history.remember(PastStep(play.place, play.signers, kept, play, endings, void))
        self.play = playlane.advance(play, self.deck, moves)
        telling.check_conserved(play, self.play, conserved)
        for event in telling.events_between(play, self.play, moves):
            self.out.tell(event)
        if play.phase is PlayPhase.CLOSE:
            self.closed_deals += 1
        if play.phase is PlayPhase.END:
            signed = {**self.ends, **inbox.moves}
            self.ends = {seat: envelope for seat, envelope in signed.items() if envelope.prev == play.head}
        if self.play.deal != play.deal:
            self._forget(min(self.play.deal - 1, self.open_deal))
        self._next_step(now)
        return True

    def _record(self, play: PlayState, raws: list[bytes]) -> None:
        self.archive.record(play.deal, play.step, play.head, raws, [key for _, key in play.keyed(play.roster)])

    def _next_step(self, now: float) -> None:
        self.play_inbox = Inbox(self.play.place, now)
        if self.play.roster != self._roster:
            self._roster = self.play.roster
            self.ballots.recount(self.play)
        self._follow_deck(now)
        self._write()

    def _write(self, *, everything: bool = False) -> None:
        """Have what is closed, or everything, written to the ledger file; and say so when it has its last record."""
        ended = self.play.phase is PlayPhase.ENDED
        complete = self.archive.complete
        self.out.record(self.archive.flush(self.play.here, ended=ended, everything=everything))
        if self.over and not complete:
            self.out.tell(TableEnded(str(self.play.end_reason)))

    @property
    def deciders(self) -> frozenset[bytes]:
        """The keys of which a majority has to agree before anything more is final: of the roster, if nothing waits."""
        return self.archive.deciders(self.play.here) or frozenset(key for _, key in self.play.keyed(self.play.roster))

    def settle(self) -> None:
        """The table has ended, and those who would have to agree to that are gone for good: it is over all the same."""
        assert self.play.phase is PlayPhase.ENDED
        self._write(everything=True)

    def _follow_deck(self, now: float) -> None:
        """Have the deck lane prepare what the play lane will need next; from where it was, if that changed."""
        due = playlane.deck_due(self.play)
        if due is None:
            self.deck = None
            return
        deck = self.deck
        if deck is not None and (deck.base == due.base):
            return
        self._filing.begin_deck()
        self.deck, self.deck_log = self.history.resumed(due)
        self.deck_inbox = Inbox(self.deck.place, now)

    def _forget(self, deal: int) -> None:
        self.faults.forget(deal)
        self.ballots.forget(deal)
        self._filing.forget(deal)
        self.counted = {key: counted for key, counted in self.counted.items() if counted >= deal}
