"""Catching up: what peers tell each other about where they are, and what one sends the other lacks.

A status is unsigned and a hint: it decides what is sent, never what is believed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from azi_p2p.session.gathering import Gathering
from azi_p2p.session.lanes import Lanes
from azi_p2p.session.wishes import Wishes
from azi_p2p.wire.envelope import NO_HEAD
from azi_p2p.wire.frame import StatusFrame

PAGE = 128
"""Envelopes sent in one answer; whoever is further behind asks again when it has caught up with these."""

REPEAT_SECONDS = 3.0
"""How often a peer that waits for others tells them where it is."""


ANSWER_SECONDS = 0.5
"""How soon the same question of the same peer is answered again."""


@dataclass(slots=True)
class Sync:
    """Where the linked peers are, and where we were when we last asked each of them to send us more."""

    told: dict[bytes, StatusFrame] = field(default_factory=dict)
    asked: dict[bytes, tuple[int, int]] = field(default_factory=dict)
    last_told: float = 0.0
    answered: dict[bytes, tuple[StatusFrame, float]] = field(default_factory=dict)

    def may_answer(self, peer: bytes, status: StatusFrame, now: float) -> bool:
        """Whether a status deserves an answer: the same one again, right after the last, doesn't."""
        last = self.answered.get(peer)
        if last is not None and last[0] == status and now < last[1] + ANSWER_SECONDS:
            return False
        self.answered[peer] = (status, now)
        return True

    def forget(self, peer: bytes) -> None:
        """The link to this peer is gone."""
        self.told.pop(peer, None)
        self.asked.pop(peer, None)
        self.answered.pop(peer, None)

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
            deck_deal=0,
            deck_attempt=0,
            deck_step=0,
            wants_answer=wants_answer,
        )
    play, deck = lanes.play, lanes.deck
    return StatusFrame(
        table=table,
        deal=play.deal,
        step=play.step,
        head=play.head,
        deck_deal=deck.deal if deck else 0,
        deck_attempt=deck.attempt if deck else 0,
        deck_step=deck.step if deck else 0,
        wants_answer=wants_answer,
    )


def answer(status: StatusFrame, gathering: Gathering, lanes: Lanes | None, wishes: Wishes) -> Iterator[bytes]:
    """The envelopes that a peer with this status may lack, at most PAGE of them, in ledger order."""
    return islice(_lacking(status, gathering, lanes, wishes), PAGE)


def _lacking(status: StatusFrame, gathering: Gathering, lanes: Lanes | None, wishes: Wishes) -> Iterator[bytes]:
    if lanes is None or status.deal == 0:
        yield from (envelope.raw for envelope in gathering.envelopes())
    if lanes is None:
        return
    yield from lanes.archive.since(status.deal, status.step)
    yield from (envelope.raw for envelope in lanes.given_up())
    yield from (envelope.raw for envelope in lanes.deck_log)
    for inbox in (lanes.deck_inbox, lanes.play_inbox):
        for envelopes in (inbox.moves, inbox.pending):
            yield from (envelope.raw for envelope in envelopes.values())
    for poll in lanes.polls.values():
        if poll.outcome is not None:
            yield from (vote.raw for vote in poll.outcome.votes)
        for votes in poll.votes.values():
            yield from (vote.raw for vote in votes.values())
    yield from (envelope.raw for envelope in wishes.requests.values())
    yield from (envelope.raw for key, envelope in wishes.applications.items() if lanes.play.seat_of(key) is None)
