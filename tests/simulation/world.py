"""A network of sessions in virtual time: delays, lost links, partitions, peers that sleep, die, vanish, wait or lie.

Events lie in one heap, ordered by time; everything random comes from the seed. Links keep order, as TCP does; what is
under way when a link breaks is lost. A link that is cut silently (a partition) is noticed only after a while. Each peer
has a clock of its own. What must always hold is in `invariants`, what happens in `stories`.
"""

from __future__ import annotations

import hashlib
import heapq
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from azi_p2p.rules import Params
from azi_p2p.session.commands import Act
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
from azi_p2p.session.playstate import PERSONAL, PlayPhase
from azi_p2p.session.table import Table
from azi_p2p.wire.frame import HEADER, EnvelopeFrame, Frame
from azi_p2p.wire.ledgerfile import LedgerCut, ledger_records, read_ledger_header
from tests.session.harness import NAMES, make_me, memory_of, random_action
from tests.simulation.clocks import PPM, PeerClock, random_clock
from tests.simulation.invariants import Invariants, Seen
from tests.simulation.sharing import bytes_of, envelope_of, frame_of, run_job
from tests.simulation.telling import Story, where

NOTICED = 8.0
"""Seconds until a link that is cut silently is found dead."""

PACES = (0.0, 20 * PPM, 200 * PPM, 0.01)
"""How wrong the clocks of an evening run at most; one of these for each seed."""


@dataclass
class SimPeer:
    """One simulated peer. `honest`: its messages are as its program made them; `alive`: it runs.

    `journal`: records on disk; `synced`: bytes of the ledger file that a power cut would leave; `run`: how often its
    program was started again; `dies_after`: so many more effects, and the program is dead. `gone`: for good.
    `sleeps_until`: the world's time at which its machine, suspended, goes on. `wake_at`: by its own clock. `copies`:
    how many records and synced bytes its profile had at times since the founding; `outdated`: it will be started with
    one of those copies.
    """

    name: str
    table: Table
    key: bytes
    clock: PeerClock
    honest: bool = True
    alive: bool = True
    ledger: bytes = b""
    events: list[Event] = field(default_factory=list)
    seen: Seen = field(default_factory=Seen)
    think: float | None = None
    wakes: int = 0
    wake_at: float = 0.0
    journal: list[Persist] = field(default_factory=list)
    synced: int = 0
    run: int = 0
    dies_after: int | None = None
    gone: bool = False
    sleeps_until: float | None = None
    copies: list[tuple[int, int]] = field(default_factory=list)
    outdated: bool = False


Tamper = Callable[["SimPeer", "SimPeer", Frame], list[Frame]]


class World:
    """All peers, all links, one time.

    What stories may set: `slow`: seconds that a peer takes longer to send anything; `lag`: that a link takes longer;
    `thinks`: how long people think, from and to; `waits`: instead, how long this one does now; `tamper`: what comes of
    a frame; `after_event`: called when a peer has done all that followed from one event.
    """

    def __init__(self, seed: int, params: Params, count: int) -> None:
        self.seed = seed
        self.params = params
        self.chance = random.Random(seed)
        self.now = 0.0
        self.peers: list[SimPeer] = []
        self.links: dict[bytes, dict[bytes, int]] = {}
        self.cut: dict[frozenset[bytes], tuple[SimPeer, SimPeer]] = {}
        self.story = Story()
        self.tamper: Tamper | None = None
        self.slow: dict[bytes, float] = {}
        self.thinks = (0.2, 4.0)
        self.waits: Callable[[SimPeer], float] | None = None
        self.lag: dict[tuple[bytes, bytes], float] = {}
        self.after_event: Callable[[SimPeer], None] | None = None
        self.trace = hashlib.sha256()
        self.pace = self.chance.choice(PACES)
        self._busy = self.chance.choice((5.0, 20.0, 40.0)) * params.deal_limit
        self.invariants = Invariants(conserving=not params.rebuy)
        self._heap: list[tuple[float, int, Callable[[], None]]] = []
        self._order = 0
        self._epoch = 0
        self._last: dict[tuple[bytes, bytes], float] = {}
        self._of: dict[bytes, SimPeer] = {}
        self._seen_on_wire: set[bytes] = set()
        for number in range(count):
            me = make_me(NAMES[number], seed)
            table = Table.host(me, params, "Simulated") if number == 0 else Table.join(me)
            clock = random_clock(self.chance, self.now, self.pace)
            peer = SimPeer(me.nickname, table, me.identity.public, clock)
            self.peers.append(peer)
            self._of[peer.key] = peer
            self.links[peer.key] = {}
        self._honest = frozenset(self._of)
        self.tell(f"clocks run wrong by up to {self.pace / PPM:.0f} millionths")
        for peer in self.peers:
            self._do(peer, peer.table.begin(self.clock_of(peer)))
        for i, one in enumerate(self.peers):
            for other in self.peers[i + 1 :]:
                self.connect(one, other)

    # Time

    def at(self, time: float, what: Callable[[], None]) -> None:
        """Have something happen at a time."""
        self._order += 1
        heapq.heappush(self._heap, (max(time, self.now), self._order, what))

    def after(self, seconds: float, what: Callable[[], None]) -> None:
        """Have something happen after some seconds."""
        self.at(self.now + seconds, what)

    def run(self, until: Callable[[], bool], *, seconds: float, steps: int = 120_000) -> bool:
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

    def soon(self) -> float:
        """A time at which something may happen to a table that is still being played at, most likely."""
        return self.chance.uniform(0.0, self._busy)

    def tell(self, text: str) -> None:
        """Note a line of the story."""
        self.story.add(self.now, text)

    def clock_of(self, peer: SimPeer) -> float:
        """What the clock of a peer shows now."""
        return peer.clock.read(self.now)

    def jump(self, peer: SimPeer, seconds: float) -> None:
        """Let the clock of a peer show more all at once."""
        self.tell(f"the clock of {peer.name} jumps by {seconds:.1f} s")
        peer.clock.jump(self.now, seconds)
        self._wake(peer, peer.wake_at)

    def suspend(self, peer: SimPeer, seconds: float, *, counted: bool) -> None:
        """Suspend the machine of a peer: nothing happens there. `counted`: its clock goes on meanwhile."""
        if not peer.alive or peer.sleeps_until is not None:
            return
        self.tell(f"{peer.name} is suspended for {seconds:.1f} s{'' if counted else ', and its clock too'}")
        peer.sleeps_until = self.now + seconds
        run = peer.run

        def resume() -> None:
            if peer.run != run or not peer.alive:
                return
            peer.sleeps_until = None
            if not counted:
                peer.clock.hold(self.now, seconds)
            self._wake(peer, peer.wake_at)
            for other in self.peers:
                if other is not peer:
                    self.after(self.chance.uniform(0.0, 2.0), lambda o=other: self.connect(o, peer))  # type: ignore[misc]

        # Before everything that has waited for it.
        self.at(peer.sleeps_until, resume)
        for other in self.peers:
            if other is not peer and seconds > NOTICED:
                self.after(NOTICED, lambda o=other: self.disconnect(o, peer))  # type: ignore[misc]

    def _with(self, peer: SimPeer, what: Callable[[], None]) -> None:
        """Have something done at a peer: now, or as soon as it goes on."""
        if peer.sleeps_until is None:
            what()
        else:
            self.at(peer.sleeps_until, lambda: self._with(peer, what))

    # Links

    def connect(self, one: SimPeer, other: SimPeer) -> None:
        """Link two peers, if both are there, nothing cuts them off, and they aren't linked."""
        if not (one.alive and other.alive) or frozenset((one.key, other.key)) in self.cut:
            return
        if other.key in self.links[one.key] or one.sleeps_until is not None or other.sleeps_until is not None:
            return
        self._epoch += 1
        for a, b in ((one, other), (other, one)):
            self.links[a.key][b.key] = self._epoch
        for a, b in ((one, other), (other, one)):
            self._do(a, a.table.link_up(b.key, self.clock_of(a)))

    def disconnect(self, one: SimPeer, other: SimPeer) -> None:
        """Break the link between two peers; what is under way is lost."""
        for a, b in ((one, other), (other, one)):
            if self.links[a.key].pop(b.key, None) is not None and a.alive:
                self._with(a, lambda a=a, b=b, run=a.run: self._down(a, b, run))  # type: ignore[misc]

    def _down(self, peer: SimPeer, other: SimPeer, run: int) -> None:
        if peer.alive and peer.run == run:
            self._do(peer, peer.table.link_down(other.key, self.clock_of(peer)))

    def cut_off(self, one: SimPeer, other: SimPeer) -> None:
        """Cut two peers off from each other, without either noticing at first."""
        self.cut[frozenset((one.key, other.key))] = (one, other)
        self.after(NOTICED, lambda: self._notice(one, other))

    def _notice(self, one: SimPeer, other: SimPeer) -> None:
        if frozenset((one.key, other.key)) in self.cut:
            self.disconnect(one, other)

    def heal(self) -> None:
        """Let everybody reach everybody again; links come back within seconds."""
        cut, self.cut = self.cut, {}
        for one, other in cut.values():
            # What was sent into the cut is lost, so a link that survived it in name is a new one.
            self.disconnect(one, other)
        for i, one in enumerate(self.peers):
            for other in self.peers[i + 1 :]:
                self.after(self.chance.uniform(0.0, 4.0), lambda a=one, b=other: self.connect(a, b))  # type: ignore[misc]

    def vanish(self, peer: SimPeer) -> None:
        """Let a peer be gone for good, without a word."""
        peer.alive, peer.gone, peer.sleeps_until = False, True, None
        for other in self.peers:
            if other is not peer:
                self.after(self.chance.choice((0.0, NOTICED)), lambda o=other: self.disconnect(o, peer))  # type: ignore[misc]

    def of(self, key: bytes) -> SimPeer:
        """The peer with this key."""
        return self._of[key]

    def bend(self, peer: SimPeer) -> None:
        """Let a peer not be honest from now on."""
        peer.honest = False
        self._honest -= {peer.key}
        self.tell(f"{peer.name} is not honest")

    def crash(self, peer: SimPeer, *, outdated: bool = False, back: float | None = None) -> None:
        """Let a peer's program die, at once or in the middle of what it does next, and come back later.

        `outdated`: somebody puts an older copy of its profile in its place meanwhile. `back`: it dies at once, and is
        started again after so many seconds.
        """
        peer.outdated = outdated and bool(peer.copies)
        peer.dies_after = 0 if back is not None else self.chance.choice((0, 0, 1, 2, 3, 5))
        if peer.dies_after == 0:
            self._die(peer, back)

    def _die(self, peer: SimPeer, back: float | None = None) -> None:
        peer.dies_after = None
        if not peer.alive:
            return
        peer.alive, peer.sleeps_until = False, None
        self.tell(f"{peer.name} dies at {self._phase_of(peer)}")
        for other in self.peers:
            if other is not peer:
                self.after(self.chance.choice((0.0, 0.1, NOTICED)), lambda o=other: self._lose(o, peer))  # type: ignore[misc]
        back = self.chance.choice((0.5, 3.0, 9.0, 30.0, 90.0)) if back is None else back
        self.after(back, lambda: self._revive(peer))

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
        if peer.outdated:
            records, length = self.chance.choice(peer.copies)
            self.tell(f"the profile of {peer.name} is a copy: {records} of {len(peer.journal)} records")
            # Nobody can tell it what had reached nobody; to sign it anew harms nobody either.
            missing = [envelope_of(entry.record) for entry in peer.journal[records:] if entry.kind == "envelope"]
            others = [other.table.lanes for other in self.peers if other is not peer]
            unheard = [e.id for e in missing if not any(lanes is not None and lanes.knows(e.id) for lanes in others)]
            peer.seen.unsign(unheard)
            del peer.journal[records:]
            peer.ledger, peer.synced, peer.outdated = peer.ledger[:length], length, False
        me = make_me(peer.name, self.seed)
        memory = memory_of(peer.journal)
        rng = make_me(f"{peer.name} run {peer.run}", self.seed).rng
        me = replace(me, rng=rng, recall=lambda _: memory)
        known = peer.table.table_id
        kept = peer.ledger[: self.chance.randint(peer.synced, len(peer.ledger))]
        peer.table = Table.join(me, known)
        peer.alive, peer.sleeps_until, peer.think = True, None, None
        peer.clock = random_clock(self.chance, self.now, self.pace)
        peer.seen.again()
        peer.wakes += 1
        restored = peer.table.restore(records_of(kept), self.clock_of(peer)) if kept else b""
        assert kept.startswith(restored), f"{peer.name} doesn't write its ledger as it was"
        peer.ledger = restored
        peer.synced = len(restored)
        self.tell(f"{peer.name} is back with {len(restored)} of {len(kept)} bytes of its ledger")
        self._do(peer, peer.table.begin(self.clock_of(peer)))
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
                    self._trace(peer, b"send", bytes_of(frame))
                    for receiver in list(self.links[peer.key]):
                        if receiver not in but and to in (None, receiver):
                            self._send(peer, self.of(receiver), frame)
                case SendRecorded(place=place, to=to):
                    for raw in ledger_records(peer.ledger[place.start : place.end]):
                        if to in self.links[peer.key]:
                            self._send(peer, self.of(to), EnvelopeFrame(raw))
                case RunJob(id=number, job=job):
                    self._run_job(peer, number, job)
                case Persist(kind=kind, record=record):
                    self._trace(peer, kind.encode(), record)
                    peer.journal.append(effect)
                    if kind == "envelope":
                        self.invariants.publishes(envelope_of(record))
                    if kind == "envelope" and peer.honest:
                        self.invariants.signs(peer.name, peer.seen, envelope_of(record))
                    elif kind == "secret" and peer.honest:
                        self.invariants.keeps_secret(peer.seen, record)
                case Record(data=data):
                    self._trace(peer, b"record", data)
                    peer.ledger += data
                    if self.chance.random() < 0.3:
                        peer.synced = len(peer.ledger)
                case WakeAt(at=at):
                    self._wake(peer, at)
                case Notify(event=event):
                    self._hear(peer, event)
                case Accuse(key=key):
                    accused = self.of(key)
                    assert not (peer.honest and accused.honest), f"{peer.name} accuses honest {accused.name}"
                case DropLink(reason=reason):
                    raise AssertionError(f"{peer.name} drops a link: {reason}")
        if peer.alive and peer.honest and peer.table.lanes is not None:
            self.invariants.check(peer.name, peer.seen, peer.table.lanes, self._honest)
        if peer.alive:
            self._let_think(peer)
            copy = (len(peer.journal), peer.synced)
            if peer.table.lanes is not None and (not peer.copies or peer.copies[-1] != copy):
                peer.copies.append(copy)
        if self.after_event is not None:
            self.after_event(peer)

    def _trace(self, peer: SimPeer, kind: bytes, data: bytes) -> None:
        self.trace.update(b"%f %s %s %d " % (self.now, peer.key, kind, len(data)) + data)

    def _send(self, sender: SimPeer, receiver: SimPeer, frame: Frame) -> None:
        frames = [frame] if self.tamper is None else self.tamper(sender, receiver, frame)
        for one in frames:
            data = bytes_of(one)
            self._overhear(sender, one, data)
            link = (sender.key, receiver.key)
            epoch = self.links[sender.key][receiver.key]
            delay = self.chance.uniform(0.001, 0.05) + self.slow.get(sender.key, 0.0) + self.lag.get(link, 0.0)
            time = max(self._last.get(link, 0.0), self.now + delay)
            self._last[link] = time
            self.at(time, lambda e=epoch, d=data: self._arrive(sender, receiver, e, d))  # type: ignore[misc]

    def _overhear(self, sender: SimPeer, frame: Frame, data: bytes) -> None:
        """Look at what goes over the wire, at each different frame once."""
        if data in self._seen_on_wire:
            return
        self._seen_on_wire.add(data)
        if sender.honest:
            self.invariants.sends(sender.name, sender.seen, data)
        if isinstance(frame, EnvelopeFrame):
            self.invariants.publishes(envelope_of(frame.envelope))

    def _arrive(self, sender: SimPeer, receiver: SimPeer, epoch: int, data: bytes) -> None:
        if receiver.sleeps_until is not None:
            # It lies in the socket; if the link is found dead meanwhile, it is lost.
            self.at(receiver.sleeps_until, lambda: self._arrive(sender, receiver, epoch, data))
            return
        if self.links[sender.key].get(receiver.key) != epoch or not receiver.alive:
            return
        if self.cut and frozenset((sender.key, receiver.key)) in self.cut:
            return
        frame = frame_of(data[HEADER.size :])
        self._do(receiver, receiver.table.receive(frame, sender.key, self.clock_of(receiver)))

    def inject(self, sender: SimPeer, receiver: SimPeer, raw: bytes) -> None:
        """Let a (bent) peer send one peer an envelope of its choice."""
        if receiver.key in self.links[sender.key]:
            self._send(sender, receiver, EnvelopeFrame(raw))

    def _run_job(self, peer: SimPeer, number: int, job: Any) -> None:
        result = run_job(job)
        run = peer.run

        def done() -> None:
            if peer.alive and peer.run == run:
                self._do(peer, peer.table.finish_job(number, result, self.clock_of(peer)))

        self.after(self.chance.uniform(0.001, 0.06), lambda: self._with(peer, done))

    def _wake(self, peer: SimPeer, at: float) -> None:
        peer.wakes += 1
        peer.wake_at = at
        newest = peer.wakes

        def wake() -> None:
            if peer.alive and peer.wakes == newest:
                # Rounding must not make it a moment too early by its own clock.
                self._do(peer, peer.table.tick(max(at, self.clock_of(peer))))

        self.at(peer.clock.when(at), lambda: self._with(peer, wake))

    # Players

    def _let_think(self, peer: SimPeer) -> None:
        lanes = peer.table.lanes
        if peer.think is not None or lanes is None or lanes.play.phase not in PERSONAL:
            return
        if lanes.play.seat_of(peer.key) not in lanes.play.owed:
            return
        view = peer.table.view()
        if not view.legal:
            return
        if peer.honest and view.my_seat is not None and view.rules is not None:
            self.invariants.sees(peer.name, lanes, view.my_seat, view.rules.state)
        thinks = self.chance.uniform(*self.thinks) if self.waits is None else self.waits(peer)
        peer.think = self.now + thinks
        run = peer.run

        def act() -> None:
            if peer.run != run:
                return
            peer.think = None
            view = peer.table.view()
            if not peer.alive or not view.legal:
                return
            self.act(peer, random_action(view.legal, self.chance))

        self.at(peer.think, lambda: self._with(peer, act))

    def act(self, peer: SimPeer, action: Any) -> None:
        """Let the person at a peer act."""
        self._do(peer, peer.table.submit(Act(action), self.clock_of(peer)))

    # What must always hold

    def _hear(self, peer: SimPeer, event: Event) -> None:
        self._trace(peer, b"event", type(event).__name__.encode())
        peer.events.append(event)
        if not peer.honest:
            return
        lanes = peer.table.lanes
        if lanes is not None:
            self.story.event(self.now, peer.name, lanes.play, event)
        if isinstance(event, FaultSeen):
            assert lanes is not None
            member = lanes.play.members[event.seat]
            assert member is not None
            assert not self.of(member.key).honest, f"{peer.name} blames honest {member.name}: {event.message}"

    # How it goes on and ends

    def honest(self) -> list[SimPeer]:
        """The peers that are there and honest."""
        return [peer for peer in self.peers if peer.alive and peer.honest]

    def all_ended(self) -> bool:
        """Whether the standings are signed at every honest peer that is there."""
        return all(peer.alive and peer.table.ended for peer in self.peers if peer.honest and not peer.gone)

    def where(self) -> str:
        """Where everybody is."""
        return "\n".join(where(peer.name, peer.table.lanes, peer.alive, peer.honest) for peer in self.peers)

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
