"""Catching up: what peers tell each other about where they are, and what one sends the other lacks.

A status is unsigned and a hint: it decides what is sent, never what is believed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from azi_p2p.session.allowance import Allowance, status_allowance
from azi_p2p.session.gathering import Gathering
from azi_p2p.session.lanes import Inbox, Lanes
from azi_p2p.session.playstate import PlayPhase
from azi_p2p.session.wishes import Wishes
from azi_p2p.wire.envelope import NO_HEAD, Envelope
from azi_p2p.wire.frame import StatusFrame
from azi_p2p.wire.messages import Request

PAGE = 128
"""Envelopes sent in one answer; whoever is further behind asks again when it has caught up with these."""

REPEAT_SECONDS = 3.0
"""How often a peer that waits for others tells them where it is."""


HELD_ALL = 0b111111
"""Said once the table is over, when there is no further step: its sender needs nothing more."""

ANSWER_SECONDS = 0.5
"""How soon the same question of the same peer is answered again."""


@dataclass(slots=True)
class Sync:
    """Where the linked peers are, and where we were when we last asked each of them to send us more.

    `once`: for each peer where it was when we last answered it, and the ids of undecided votes and wishes that it has
    had from us there: over one link, at one place, each is sent once.
    """

    told: dict[bytes, StatusFrame] = field(default_factory=dict)
    asked: dict[bytes, tuple[int, int]] = field(default_factory=dict)
    last_told: float = 0.0
    answered: dict[bytes, tuple[StatusFrame, float]] = field(default_factory=dict)
    allowance: Allowance = field(default_factory=status_allowance)
    once: dict[bytes, tuple[tuple[int, int], set[bytes]]] = field(default_factory=dict)

    def may_answer(self, peer: bytes, status: StatusFrame, now: float) -> bool:
        """Whether a status deserves an answer: not the same one again right after the last, nor one after another."""
        last = self.answered.get(peer)
        if last is not None and last[0] == status and now < last[1] + ANSWER_SECONDS:
            return False
        if not self.allowance.take(peer, now):
            return False
        self.answered[peer] = (status, now)
        return True

    def forget(self, peer: bytes) -> None:
        """The link to this peer is gone."""
        self.told.pop(peer, None)
        self.asked.pop(peer, None)
        self.answered.pop(peer, None)
        self.once.pop(peer, None)

    def sent(self, peer: bytes, there: tuple[int, int]) -> set[bytes]:
        """The ids of undecided votes and of wishes that this peer has had from us where it is; more can be added."""
        place, sent = self.once.get(peer, (there, set()))
        if place != there:
            sent = set()
        self.once[peer] = there, sent
        return sent

    def ahead(self, here: tuple[int, int]) -> list[bytes]:
        """The peers that are further than (deal, step) and haven't been asked from there; marks them as asked."""
        peers = [
            peer
            for peer, status in self.told.items()
            if (status.deal, status.step) > here and self.asked.get(peer) != here
        ]
        for peer in peers:
            self.asked[peer] = here
        return peers


def status_of(table: bytes, lanes: Lanes | None, *, wants_answer: bool) -> StatusFrame:
    """The status frame that says where we are."""
    if lanes is None:
        return StatusFrame(
            table=table,
            deal=0,
            step=0,
            head=NO_HEAD,
            held=0,
            deck_deal=0,
            deck_attempt=0,
            deck_step=0,
            deck_held=0,
            wants_answer=wants_answer,
        )
    play, deck = lanes.play, lanes.deck
    return StatusFrame(
        table=table,
        deal=play.deal,
        step=play.step,
        head=play.head,
        held=HELD_ALL if lanes.over else _seats_held(lanes.play_inbox),
        deck_deal=deck.deal if deck else 0,
        deck_attempt=deck.attempt if deck else 0,
        deck_step=deck.step if deck else 0,
        deck_held=_seats_held(lanes.deck_inbox),
        wants_answer=wants_answer,
    )


def _seats_held(inbox: Inbox) -> int:
    """The seats whose envelopes of the current step we hold, bit by seat."""
    return sum(1 << seat for seat in {*inbox.moves, *inbox.pending})


def answer(
    status: StatusFrame, gathering: Gathering, lanes: Lanes | None, wishes: Wishes, sent: set[bytes]
) -> Iterator[bytes]:
    """The envelopes that a peer with this status may lack, at most PAGE of them, in ledger order.

    `sent`: ids of undecided votes and of wishes that it has had already; what goes now is added.
    """
    return islice(_lacking(status, gathering, lanes, wishes, sent), PAGE)


def own_votes(peer: bytes, lanes: Lanes | None, sent: set[bytes]) -> Iterator[bytes]:
    """The votes that a peer has signed itself, however they have ended.

    If it is back with an older profile, it would vote otherwise in their slots. `sent`: as in `answer`.
    """
    if lanes is not None:
        for envelope in lanes.ballots.of(peer):
            yield from _once(envelope, sent)


def _lacking(
    status: StatusFrame, gathering: Gathering, lanes: Lanes | None, wishes: Wishes, sent: set[bytes]
) -> Iterator[bytes]:
    if lanes is None or status.deal == 0:
        yield from (envelope.raw for envelope in gathering.envelopes())
    if lanes is None:
        return
    if is_on_our_chain(status, lanes):
        yield from lanes.archive.since(status.deal, status.step)
    else:
        # Alone, one gets as far as the opening of the next deal: what stands between us may be in the deal before.
        yield from lanes.archive.since(status.deal - 1, 0)
    yield from _deck_lacking(status, lanes)
    here = lanes.play_inbox.place
    same = (status.deal, status.step, status.head) == (here.deal, here.step, here.prev)
    yield from _inbox_lacking(lanes.play_inbox, status.held if same else 0)
    if lanes.play.phase in (PlayPhase.END, PlayPhase.ENDED):
        for envelope in lanes.ends.values():
            yield from _once(envelope, sent)
    yield from _votes_lacking(status, lanes, sent)
    honoured = lanes.play.honoured
    for envelope in wishes.requests.values():
        if isinstance(envelope.body, Request) and envelope.body.number > honoured.get(envelope.author, 0):
            yield from _once(envelope, sent)
    for key, envelope in wishes.applications.items():
        if lanes.play.seat_of(key) is None:
            yield from _once(envelope, sent)


def _once(envelope: Envelope, sent: set[bytes]) -> Iterator[bytes]:
    if envelope.id not in sent:
        sent.add(envelope.id)
        yield envelope.raw


def is_on_our_chain(status: StatusFrame, lanes: Lanes) -> bool:
    """Whether the other waits at a head that we have passed or are at; if not, our chains part earlier.

    They do too if that deal had fewer steps for us. Of who is ahead we know nothing, and have nothing for it.
    """
    here = lanes.play_inbox.place
    if (status.deal, status.step) == (here.deal, here.step):
        return status.head == here.prev
    recorded = lanes.archive.head_at(status.deal, status.step)
    if recorded is None:
        return (status.deal, status.step) > (here.deal, here.step)
    return recorded == status.head


def _deck_lacking(status: StatusFrame, lanes: Lanes) -> Iterator[bytes]:
    here = lanes.deck_inbox.place
    theirs, ours = (status.deck_deal, status.deck_attempt), (here.deal, here.attempt)
    if lanes.deck is None or theirs > ours:
        return
    if theirs < ours:
        yield from (envelope.raw for envelope in lanes.history.attempts())
    step = status.deck_step if theirs == ours else 0
    yield from (envelope.raw for envelope in lanes.deck_log if envelope.step >= step)
    same = theirs == ours and status.deck_step == here.step
    yield from _inbox_lacking(lanes.deck_inbox, status.deck_held if same else 0)


def _inbox_lacking(inbox: Inbox, held: int) -> Iterator[bytes]:
    for envelopes in (inbox.moves, inbox.pending):
        yield from (envelope.raw for seat, envelope in envelopes.items() if not held >> seat & 1)


def _votes_lacking(status: StatusFrame, lanes: Lanes, sent: set[bytes]) -> Iterator[bytes]:
    """Votes that have decided places which the other has not gone past; else those of our round and of the newest.

    Not of the newest alone: a single liar may be the only one who votes in it. About steps that are closed, and behind
    the other, nobody need know any more.
    """
    on_our_chain = status.head in lanes.past or status.head == lanes.play.head
    for question, poll in lanes.ballots.polls.items():
        place = question.place
        behind = (place.deal, place.step) < (status.deal, status.step)
        if place.lane == "play" and behind and lanes.archive.is_written(place.deal, place.step):
            continue
        if not poll.ended:
            for number in sorted({poll.round, poll.newest}):
                for vote in poll.votes.get(number, {}).values():
                    yield from _once(vote, sent)
        if poll.outcome is None or (place.lane == "play" and behind):
            continue
        # Whoever prepares the next deck, on our chain, has opened this deal just as we have.
        opened = max(status.deal, status.deck_deal) > place.deal
        if place.lane == "play" or not (opened and on_our_chain):
            yield from (vote.raw for vote in poll.outcome.votes)
