"""What was signed for a roster that has changed since: requests honoured a second time, decks and antes of attempts
that were given up. All of it is genuine, and none of it may count again.
"""

from __future__ import annotations

import random

import pytest

from azi_p2p.rules import Params, SeatStatus
from azi_p2p.session.commands import Act, Command, Wish, WishKind
from azi_p2p.session.events import FaultSeen, SeatAbsent
from azi_p2p.session.playstate import PlayPhase
from azi_p2p.session.view import TableView
from azi_p2p.wire.envelope import Envelope, decode_envelope
from azi_p2p.wire.frame import EnvelopeFrame, Frame
from azi_p2p.wire.messages import Body, Commit, Open, Roster
from tests.attacks.bench import (
    Bench,
    assert_agreed,
    assert_refused,
    bench_of,
    events,
    lanes_of,
    play_of,
    run_to_end,
    seat_of,
    stay_in,
)
from tests.session.harness import Peer

pytestmark = pytest.mark.usefixtures("ideal_cryptography")


def folding(view: TableView, chance: random.Random) -> Command | None:
    """Folds whenever it may: deals are short, and nobody goes broke."""
    for option in view.legal:
        if option.do in ("fold", "discard"):
            return Act(option.action())
    return stay_in(view, chance)


def table_of(count: int, deals: int, seed: int) -> Bench:
    """A full table of people who fold, in its first deal."""
    bench = bench_of(count, Params(seats=count, hand_size=3, deal_limit=deals, turn_seconds=5), seed, folding)
    bench.run(lambda: all(peer.table.lanes is not None for peer in bench.peers))
    bench.run(lambda: all(play_of(peer).phase is PlayPhase.ACT for peer in bench.peers))
    return bench


def status_at(bench: Bench, of: Peer) -> SeatStatus:
    watched = next(peer for peer in bench.peers if peer is not of)
    return play_of(watched).game.status[seat_of(of)]


def wish(bench: Bench, peer: Peer, kind: WishKind) -> bytes:
    """Let the peer ask for something; gives the signed request."""
    bench.submit(peer, Wish(kind))
    return peer.table._wishes.requests[(peer.key, "seat")].raw


def proposes(bench: Bench, raw: bytes, *gone: Peer) -> tuple[Peer, Envelope]:
    """Whoever proposes the next roster honours this request in it; gives the proposer, and what it was to sign."""
    fired: list[Envelope] = []

    def twist(envelope: Envelope) -> Body | bytes:
        if not isinstance(envelope.body, Roster) or fired:
            return envelope.raw
        fired.append(envelope)
        return Roster(requests=[raw])

    bench.run(lambda: all(play_of(peer).phase is PlayPhase.CLOSE for peer in bench.others(*gone)))
    watched = bench.others(*gone)[0]
    bent = next(peer for peer in bench.others(*gone) if seat_of(peer) == play_of(watched).proposers[0])
    bench.bend(bent, twist)
    run_to_end(bench, bent, *gone)
    assert len(fired) == 1
    return bent, fired[0]


def test_request_of_an_earlier_roster_honoured_again() -> None:
    """Somebody has sat out and returned; the proposer would have the seat sit out once more."""
    bench = table_of(4, deals=5, seed=71)
    victim = bench.peers[3]
    old = wish(bench, victim, "sit_out")
    bench.run(lambda: status_at(bench, victim) is SeatStatus.OUT)
    wish(bench, victim, "return")
    bench.run(lambda: status_at(bench, victim) is SeatStatus.IN)
    bent, honest = proposes(bench, old)
    assert bent is not victim
    assert assert_refused(bench, bent, "bad_roster") == {("bad_roster", honest.deal, honest.step)}
    assert all(play_of(peer).game.status[seat_of(victim)] is SeatStatus.IN for peer in bench.others(bent))


def test_seat_request_said_again_after_its_author_has_left() -> None:
    """A replayed join would seat somebody who isn't there any more, with chips to lose."""
    bench = table_of(4, deals=5, seed=72)
    leaver = bench.peers[3]
    old = leaver.table.gathering.seats[leaver.key].raw
    bench.submit(leaver, Wish("leave"))
    bench.run(lambda: status_at(bench, leaver) is SeatStatus.LEFT)
    bench.kill(leaver)
    bent, honest = proposes(bench, old)
    assert assert_refused(bench, bent, "bad_roster") == {("bad_roster", honest.deal, honest.step)}


class Memory:
    """Everything that was ever on the way, and somebody who says it again."""

    def __init__(self, bench: Bench, speaker: Peer) -> None:
        self.bench, self.speaker = bench, speaker
        self.said: dict[bytes, Envelope] = {}
        self.again: set[tuple[bytes, int, int]] = set()
        tamper = bench.tamper
        assert tamper is not None

        def listen(sender: Peer, receiver: Peer, frame: Frame) -> Frame | None:
            if isinstance(frame, EnvelopeFrame):
                envelope = decode_envelope(frame.envelope)
                self.said.setdefault(envelope.id, envelope)
            return tamper(sender, receiver, frame)

        bench.tamper = listen

    def repeat(self) -> None:
        """Say what belongs to attempts of this deal that were given up, once for each attempt."""
        for peer in self.bench.others(self.speaker):
            play = play_of(peer)
            if (peer.key, play.deal, play.attempt) in self.again or play.attempt == 0:
                continue
            self.again.add((peer.key, play.deal, play.attempt))
            for old in list(self.said.values()):
                if old.lane in ("deck", "play") and old.deal == play.deal and old.attempt < play.attempt:
                    self.bench.inject(peer, old.raw, self.speaker.key)

    def of(self, kind: type[Body], deal: int) -> set[tuple[bytes, int]]:
        """(author, attempt) of the messages of this type in a deal."""
        return {(e.author, e.attempt) for e in self.said.values() if isinstance(e.body, kind) and e.deal == deal}


def hold_back_ante(bench: Bench, peer: Peer, deal: int) -> None:
    """Nobody gets this peer's ante for the first attempt at this deal."""

    def twist(envelope: Envelope) -> bytes | None:
        held = isinstance(envelope.body, Open) and (envelope.deal, envelope.attempt) == (deal, 0)
        return None if held else envelope.raw

    bench.bend(peer, twist)


def test_deck_of_an_attempt_given_up_after_the_roster_changed_and_changed_back() -> None:
    """One of two is certified absent at the ante and returns: the same two, the same deal, and yet another deck.

    Their commitments, reveals and shuffles for the first deck are said again by the third, who sits out. Were they to
    count, everybody who was to shuffle would know what to expect.
    """
    bench = table_of(3, deals=4, seed=73)
    _, slow, speaker = bench.peers
    wish(bench, speaker, "sit_out")
    bench.run(lambda: status_at(bench, speaker) is SeatStatus.OUT)
    deal = play_of(speaker).deal + 1
    hold_back_ante(bench, slow, deal)
    memory = Memory(bench, speaker)
    decks: set[bytes] = set()
    rosters: set[tuple[tuple[int, bytes], ...]] = set()

    def watch() -> bool:
        memory.repeat()
        for peer in bench.peers:
            deck = lanes_of(peer).deck
            if deck is not None and deck.deal == deal:
                decks.add(deck.base)
                rosters.add(deck.roster)
        return all(peer.table.ended for peer in bench.peers)

    bench.run(watch)
    assert len(rosters) == 1, "the roster has changed back"
    assert len(decks) == 2, "and the deck is another"
    assert {attempt for _, attempt in memory.of(Commit, deal)} == {0, 1}
    assert memory.again
    assert_only_absent(bench, slow)


def test_antes_of_an_attempt_given_up_said_again_in_the_next() -> None:
    """An ante is signed on the same head in each attempt; those of the first don't count in the second."""
    bench = table_of(4, deals=2, seed=74)
    slow, speaker = bench.peers[1], bench.peers[2]
    hold_back_ante(bench, slow, 2)
    memory = Memory(bench, speaker)

    def watch() -> bool:
        memory.repeat()
        return all(peer.table.ended for peer in bench.peers)

    bench.run(watch)
    assert {attempt for _, attempt in memory.of(Open, 2)} == {0, 1}
    assert memory.again
    assert_only_absent(bench, slow)


def assert_only_absent(bench: Bench, slow: Peer) -> None:
    """The slow one was absent, nobody is blamed for anything, and all agree."""
    for peer in bench.others():
        assert not events(peer, FaultSeen), events(peer, FaultSeen)[0]
        assert {event.seat for event in events(peer, SeatAbsent)} == {seat_of(slow)}
    for verdict in assert_agreed(bench):
        assert not verdict.faults
