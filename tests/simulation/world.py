"""A network of sessions in virtual time: delays, lost links, partitions, peers that vanish, wait or lie.

Events lie in one heap, ordered by time; everything random comes from the seed. Links keep order, as TCP does; what is
under way when a link breaks is lost. A link that is cut silently (a partition) is noticed only after a while.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from azi_p2p.rules import Params, conserved
from azi_p2p.session.effects import (
    Accuse,
    DropLink,
    Effect,
    Notify,
    Persist,
    Record,
    RunJob,
    Send,
    SendRecorded,
    WakeAt,
)
from azi_p2p.session.events import Event, FaultSeen
from azi_p2p.session.jobs import run_job
from azi_p2p.session.playstate import PlayPhase
from azi_p2p.session.slots import slot_of
from azi_p2p.session.table import Table
from azi_p2p.wire.envelope import decode_envelope
from azi_p2p.wire.frame import HEADER, EnvelopeFrame, Frame, decode_frame, encode_frame
from azi_p2p.wire.ledgerfile import LedgerCut, ledger_records, read_ledger_header
from azi_p2p.wire.messages import Vote
from tests.session.harness import NAMES, make_me, memory_of, random_action

NOTICED = 8.0
"""Seconds until a link that is cut silently is found dead."""


@dataclass
class SimPeer:
    """One simulated peer. `honest`: its messages are as its program made them; `alive`: it runs.

    `journal`: records on disk; `synced`: bytes of the ledger file that a power cut would leave; `run`: how often its
    program was started again; `dies_after`: so many more effects, and the program is dead. `gone`: for good.
    """

    name: str
    table: Table
    key: bytes
    honest: bool = True
    alive: bool = True
    ledger: bytes = b""
    events: list[Event] = field(default_factory=list)
    signed: dict[object, bytes] = field(default_factory=dict)
    think: float | None = None
    wakes: int = 0
    journal: list[Persist] = field(default_factory=list)
    synced: int = 0
    run: int = 0
    dies_after: int | None = None
    gone: bool = False


Tamper = Callable[["SimPeer", "SimPeer", Frame], list[Frame]]


class World:
    """All peers, all links, one clock."""

    def __init__(self, seed: int, params: Params, count: int) -> None:
        self.seed = seed
        self.params = params
        self.chance = random.Random(seed)
        self.now = 0.0
        self.peers: list[SimPeer] = []
        self.links: dict[tuple[bytes, bytes], int] = {}
        self.cut: set[frozenset[bytes]] = set()
        self.story: list[str] = []
        self.tamper: Tamper | None = None
        self.slow: dict[bytes, float] = {}
        self.thinks = (0.2, 4.0)
        self._heap: list[tuple[float, int, Callable[[], None]]] = []
        self._order = 0
        self._epoch = 0
        self._last: dict[tuple[bytes, bytes], float] = {}
        self.closed: dict[tuple[int, int], tuple[bytes, ...]] = {}
        for number in range(count):
            me = make_me(NAMES[number], seed)
            table = Table.host(me, params, "Simulated") if number == 0 else Table.join(me)
            self.peers.append(SimPeer(me.nickname, table, me.identity.public))
        for peer in self.peers:
            self._do(peer, peer.table.begin(self.now))
        for i, one in enumerate(self.peers):
            for other in self.peers[i + 1 :]:
                self.connect(one, other)

    # The clock

    def at(self, time: float, what: Callable[[], None]) -> None:
        """Have something happen at a time."""
        self._order += 1
        heapq.heappush(self._heap, (max(time, self.now), self._order, what))

    def after(self, seconds: float, what: Callable[[], None]) -> None:
        """Have something happen after some seconds."""
        self.at(self.now + seconds, what)

    def run(self, until: Callable[[], bool], *, seconds: float, steps: int = 60_000) -> bool:
        """Let things happen until `until`; False when the time is over first."""
        end = self.now + seconds
        for _ in range(steps):
            if until():
                return True
            if not self._heap or self._heap[0][0] > end:
                return until()
            self.now, _, what = heapq.heappop(self._heap)
            what()
        raise AssertionError("the simulation takes too many steps")

    def tell(self, text: str) -> None:
        """Note a line of the story."""
        self.story.append(f"{self.now:9.3f}  {text}")

    # Links

    def connect(self, one: SimPeer, other: SimPeer) -> None:
        """Link two peers, if both are there, nothing cuts them off, and they aren't linked."""
        if not (one.alive and other.alive) or frozenset((one.key, other.key)) in self.cut:
            return
        if (one.key, other.key) in self.links:
            return
        self._epoch += 1
        for a, b in ((one, other), (other, one)):
            self.links[(a.key, b.key)] = self._epoch
        for a, b in ((one, other), (other, one)):
            self._do(a, a.table.link_up(b.key, self.now))

    def disconnect(self, one: SimPeer, other: SimPeer) -> None:
        """Break the link between two peers; what is under way is lost."""
        for a, b in ((one, other), (other, one)):
            if self.links.pop((a.key, b.key), None) is not None and a.alive:
                self._do(a, a.table.link_down(b.key, self.now))

    def cut_off(self, one: SimPeer, other: SimPeer) -> None:
        """Cut two peers off from each other, without either noticing at first."""
        self.cut.add(frozenset((one.key, other.key)))
        self.after(NOTICED, lambda: self._notice(one, other))

    def _notice(self, one: SimPeer, other: SimPeer) -> None:
        if frozenset((one.key, other.key)) in self.cut:
            self.disconnect(one, other)

    def heal(self) -> None:
        """Let everybody reach everybody again; links come back within seconds."""
        for pair in self.cut:
            # What was sent into the cut is lost, so a link that survived it in name is a new one.
            one, other = (self.of(key) for key in pair)
            self.disconnect(one, other)
        self.cut.clear()
        for i, one in enumerate(self.peers):
            for other in self.peers[i + 1 :]:
                self.after(self.chance.uniform(0.0, 4.0), lambda a=one, b=other: self.connect(a, b))  # type: ignore[misc]

    def vanish(self, peer: SimPeer) -> None:
        """Let a peer be gone for good, without a word."""
        peer.alive, peer.gone = False, True
        for other in self.peers:
            if other is not peer:
                self.after(self.chance.choice((0.0, NOTICED)), lambda o=other: self.disconnect(o, peer))  # type: ignore[misc]

    def of(self, key: bytes) -> SimPeer:
        """The peer with this key."""
        return next(peer for peer in self.peers if peer.key == key)

    def crash(self, peer: SimPeer) -> None:
        """Let a peer's program die, at once or in the middle of what it does next, and come back later."""
        peer.dies_after = self.chance.choice((0, 0, 1, 2, 3, 5))
        if peer.dies_after == 0:
            self._die(peer)

    def _die(self, peer: SimPeer) -> None:
        peer.dies_after = None
        if not peer.alive:
            return
        peer.alive = False
        self.tell(f"{peer.name} dies at {self._phase_of(peer)}")
        for other in self.peers:
            if other is not peer:
                self.after(self.chance.choice((0.0, 0.1, NOTICED)), lambda o=other: self._lose(o, peer))  # type: ignore[misc]
        self.after(self.chance.choice((0.5, 3.0, 9.0, 30.0, 90.0)), lambda: self._revive(peer))

    def _lose(self, other: SimPeer, peer: SimPeer) -> None:
        if not peer.alive:
            self.disconnect(other, peer)

    def _revive(self, peer: SimPeer) -> None:
        """Start a peer's program again, with what its disk holds: all of the journal, most of the ledger file."""
        if peer.gone:
            return
        for other in self.peers:
            self.disconnect(other, peer)
        peer.run += 1
        me = make_me(peer.name, self.seed)
        memory = memory_of(peer.journal)
        rng = make_me(f"{peer.name} run {peer.run}", self.seed).rng
        me = replace(me, rng=rng, recall=lambda _: memory)
        known = peer.table.table_id
        kept = peer.ledger[: self.chance.randint(peer.synced, len(peer.ledger))]
        peer.table = Table.join(me, known)
        peer.alive = True
        peer.think = None
        peer.wakes += 1
        restored = peer.table.restore(records_of(kept), self.now) if kept else b""
        assert kept.startswith(restored), f"{peer.name} doesn't write its ledger as it was"
        peer.ledger = restored
        peer.synced = len(restored)
        self.tell(f"{peer.name} is back with {len(restored)} of {len(kept)} bytes of its ledger")
        self._do(peer, peer.table.begin(self.now))
        for other in self.peers:
            if other is not peer:
                self.after(self.chance.uniform(0.0, 2.0), lambda o=other: self.connect(o, peer))  # type: ignore[misc]

    # Effects

    def _do(self, peer: SimPeer, effects: list[Effect]) -> None:
        for effect in effects:
            if peer.dies_after is not None:
                peer.dies_after -= 1
                if peer.dies_after <= 0:
                    self._die(peer)
            if not peer.alive:
                return
            match effect:
                case Send(frame=frame, to=to, but=but):
                    for sender, receiver in list(self.links):
                        if sender == peer.key and receiver not in but and to in (None, receiver):
                            self._send(peer, self.of(receiver), frame)
                case SendRecorded(place=place, to=to):
                    for raw in ledger_records(peer.ledger[place.start : place.end]):
                        if (peer.key, to) in self.links:
                            self._send(peer, self.of(to), EnvelopeFrame(raw))
                case RunJob(id=number, job=job):
                    self._run_job(peer, number, job)
                case Persist(kind=kind, record=record):
                    peer.journal.append(effect)
                    if kind == "envelope" and peer.honest:
                        self._check_slot(peer, record)
                case Record(data=data):
                    peer.ledger += data
                    if self.chance.random() < 0.3:
                        peer.synced = len(peer.ledger)
                case WakeAt(at=at):
                    self._wake(peer, at)
                case Notify(event=event):
                    self._hear(peer, event)
                case Accuse():
                    pass
                case DropLink(reason=reason):
                    raise AssertionError(f"{peer.name} drops a link: {reason}")
        if peer.alive:
            self._check(peer)
            self._let_think(peer)

    def _send(self, sender: SimPeer, receiver: SimPeer, frame: Frame) -> None:
        frames = [frame] if self.tamper is None else self.tamper(sender, receiver, frame)
        for one in frames:
            link = (sender.key, receiver.key)
            epoch = self.links[link]
            delay = self.chance.uniform(0.001, 0.05) + self.slow.get(sender.key, 0.0)
            time = max(self._last.get(link, 0.0), self.now + delay)
            self._last[link] = time
            data = encode_frame(one)
            self.at(time, lambda e=epoch, d=data: self._arrive(sender, receiver, e, d))  # type: ignore[misc]

    def _arrive(self, sender: SimPeer, receiver: SimPeer, epoch: int, data: bytes) -> None:
        pair = (sender.key, receiver.key)
        if self.links.get(pair) != epoch or not receiver.alive or frozenset(pair) in self.cut:
            return
        frame = decode_frame(data[HEADER.size :])
        self._do(receiver, receiver.table.receive(frame, sender.key, self.now))

    def inject(self, sender: SimPeer, receiver: SimPeer, raw: bytes) -> None:
        """Let a (bent) peer send one peer an envelope of its choice."""
        if (sender.key, receiver.key) in self.links:
            self._send(sender, receiver, EnvelopeFrame(raw))

    def _run_job(self, peer: SimPeer, number: int, job: Any) -> None:
        result = run_job(job)
        run = peer.run

        def done() -> None:
            if peer.alive and peer.run == run:
                self._do(peer, peer.table.finish_job(number, result, self.now))

        self.after(self.chance.uniform(0.001, 0.06), done)

    def _wake(self, peer: SimPeer, at: float) -> None:
        peer.wakes += 1
        newest = peer.wakes

        def wake() -> None:
            if peer.alive and peer.wakes == newest:
                self._do(peer, peer.table.tick(self.now))

        self.at(at, wake)

    # Players

    def _let_think(self, peer: SimPeer) -> None:
        if peer.think is not None or not peer.table.view().legal:
            return
        peer.think = self.now + self.chance.uniform(*self.thinks)

        run = peer.run

        def act() -> None:
            if peer.run != run:
                return
            peer.think = None
            view = peer.table.view()
            if not peer.alive or not view.legal:
                return
            self.act(peer, random_action(view.legal, self.chance))

        self.at(peer.think, act)

    def act(self, peer: SimPeer, action: Any) -> None:
        """Let the person at a peer act; bent peers override this."""
        from azi_p2p.session.commands import Act

        self._do(peer, peer.table.submit(Act(action), self.now))

    # What must always hold

    def _hear(self, peer: SimPeer, event: Event) -> None:
        peer.events.append(event)
        if isinstance(event, FaultSeen) and peer.honest:
            lanes = peer.table.lanes
            assert lanes is not None
            member = lanes.play.members[event.seat]
            assert member is not None
            self.tell(f"{peer.name} sees a fault of {member.name}: {event.code} {event.message}")
            assert not self.of(member.key).honest, f"{peer.name} blames honest {member.name}: {event.message}"

    def _check_slot(self, peer: SimPeer, raw: bytes) -> None:
        envelope = decode_envelope(raw)
        slot = slot_of(envelope)
        if slot is not None:
            assert peer.signed.setdefault(slot, envelope.id) == envelope.id, f"{peer.name} signs twice for {slot}"

    def _check(self, peer: SimPeer) -> None:
        lanes = peer.table.lanes
        if lanes is None or not peer.honest:
            return
        play = lanes.play
        if not self.params.rebuy:
            seated = sum(member is not None for member in play.members)
            assert conserved(play.game) == seated * self.params.start_chips, "chips were made or lost"
        for step in lanes.archive.steps[: lanes.archive.written]:
            place = (step.deal, step.step)
            if place not in self.closed:
                self.closed[place] = play.table, step.head
            assert self.closed[place] == (play.table, step.head), f"{peer.name} closed another step at {place}"

    # How it goes on and ends

    def honest(self) -> list[SimPeer]:
        """The peers that are there and honest."""
        return [peer for peer in self.peers if peer.alive and peer.honest]

    def all_ended(self) -> bool:
        """Whether the standings are signed at every honest peer that is there."""
        return all(peer.alive and peer.table.ended for peer in self.peers if peer.honest and not peer.gone)

    def where(self) -> str:
        """Where everybody is."""
        lines = []
        for peer in self.peers:
            lanes = peer.table.lanes
            if lanes is None:
                lines.append(f"{peer.name}: not founded")
                continue
            play, deck = lanes.play, lanes.deck
            below = "" if deck is None else f"; deck {deck.deal}.{deck.attempt} {deck.phase} owed {deck.owed}"
            lines.append(
                f"{peer.name} alive={peer.alive} honest={peer.honest} deal {play.deal}.{play.attempt} step {play.step}"
                f" {play.phase} owed {play.owed} roster {play.roster} away {sorted(play.away)}"
                f" absent {sorted(play.absent)} head {play.head.hex()[:6]}{below}"
            )
            for question, poll in lanes.ballots.polls.items():
                said = {
                    number: {seat: vote.body.verdict for seat, vote in votes.items() if isinstance(vote.body, Vote)}
                    for number, votes in poll.votes.items()
                }
                lines.append(
                    f"    poll {question.place.lane} {question.place.deal}.{question.place.attempt}"
                    f" step {question.place.step} {question.place.prev.hex()[:6]} seat {question.seat}"
                    f" round {poll.round} outcome {poll.outcome and (poll.outcome.round, poll.outcome.move)}"
                    f" votes {said}"
                )
        return "\n".join(lines)

    def phase(self) -> PlayPhase | None:
        """What the first honest peer waits for."""
        here = self.honest()
        return self._phase_of(here[0]) if here else None

    def _phase_of(self, peer: SimPeer) -> PlayPhase | None:
        lanes = peer.table.lanes
        return None if lanes is None else lanes.play.phase


def records_of(ledger: bytes) -> list[bytes]:
    """The whole records of a ledger, whose end may be torn."""
    try:
        _, start = read_ledger_header(ledger)
    except LedgerCut:
        return []
    return ledger_records(ledger, start)
