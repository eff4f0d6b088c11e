"""N sessions joined without sockets: frames travel through queues, time is a number, jobs run at once.

Deterministic: the order of delivery comes from a seeded source, and so do the choices of the players.
"""

from __future__ import annotations

import hashlib
import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from azi_p2p.crypto.identity import IdentityKey
from azi_p2p.rules import Action, Option, Params
from azi_p2p.session.commands import Act, Command
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
from azi_p2p.session.events import Event
from azi_p2p.session.jobs import run_job
from azi_p2p.session.own import EraseRecord, Me, Memory, SecretRecord
from azi_p2p.session.table import Table
from azi_p2p.session.view import TableView
from azi_p2p.wire.codec import decode
from azi_p2p.wire.envelope import decode_envelope
from azi_p2p.wire.frame import HEADER, EnvelopeFrame, Frame, decode_frame, encode_frame
from azi_p2p.wire.ledgerfile import ledger_records

NAMES = ("Anna", "Ben", "Katya", "Pieter", "Anele", "Thabo")


def seeded_rng(seed: str) -> Callable[[int], bytes]:
    """Bytes that depend on the seed alone; for tests, which must come out the same each time."""
    counter = 0

    def draw(count: int) -> bytes:
        nonlocal counter
        counter += 1
        return hashlib.shake_256(f"{seed} {counter}".encode()).digest(count)

    return draw


Chooser = Callable[[TableView, random.Random], Command | None]


def random_action(options: tuple[Option, ...], chance: random.Random) -> Action:
    """Any legal action; folding is rare, so that most deals are played out."""
    chosen = chance.choice([option for option in options if option.do != "fold"] or list(options))
    if chance.random() < 0.05 and any(option.do == "fold" for option in options):
        chosen = next(option for option in options if option.do == "fold")
    if chosen.do == "bid":
        assert chosen.min is not None
        assert chosen.max is not None
        return chosen.action(chance.randint(chosen.min, min(chosen.max, chosen.min + 40)))
    return chosen.action()


def play_at_random(view: TableView, chance: random.Random) -> Command | None:
    """A player that does anything legal as soon as it is asked."""
    return Act(random_action(view.legal, chance)) if view.legal else None


@dataclass
class Peer:
    """One session with what it has written and told."""

    name: str
    table: Table
    key: bytes
    chooser: Chooser | None = play_at_random
    ledger: bytes = b""
    journal: list[Persist] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    wake: float | None = None
    alive: bool = True
    accusations: list[Accuse] = field(default_factory=list)
    drops: list[DropLink] = field(default_factory=list)
    jobs: dict[int, RunJob] = field(default_factory=dict)


class Network:
    """Peers joined by in-memory links. `tamper` may change or drop a frame on its way (None: dropped)."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.chance = random.Random(seed)
        self.now = 1000.0
        self.peers: list[Peer] = []
        self.wire: dict[tuple[bytes, bytes], deque[bytes]] = {}
        self.tamper: Callable[[Peer, Peer, Frame], Frame | None] | None = None

    def add(self, table: Table, name: str, key: bytes, chooser: Chooser | None = play_at_random) -> Peer:
        """Let a peer come; it is not linked to anybody yet."""
        peer = Peer(name, table, key, chooser)
        self.peers.append(peer)
        self._perform(peer, table.begin(self.now))
        return peer

    def link(self, one: Peer, other: Peer) -> None:
        """Link two peers."""
        for a, b in ((one, other), (other, one)):
            self.wire[(a.key, b.key)] = deque()
        for a, b in ((one, other), (other, one)):
            self._perform(a, a.table.link_up(b.key, self.now))

    def unlink(self, one: Peer, other: Peer) -> None:
        """Cut the link between two peers; what was under way is lost."""
        for a, b in ((one, other), (other, one)):
            if self.wire.pop((a.key, b.key), None) is not None and a.alive:
                self._perform(a, a.table.link_down(b.key, self.now))

    def kill(self, peer: Peer) -> None:
        """Let a peer vanish for good, without a word."""
        peer.alive = False
        for other in self.peers:
            if other is not peer:
                self.unlink(other, peer)

    def submit(self, peer: Peer, command: Command) -> None:
        """Give a peer a command; raises CommandRefused."""
        self._perform(peer, peer.table.submit(command, self.now))

    def inject(self, peer: Peer, raw: bytes, sender: bytes = bytes(32)) -> None:
        """Hand a peer an envelope that nobody has sent in order."""
        self._perform(peer, peer.table.receive(EnvelopeFrame(raw), sender, self.now))

    def run(self, until: Callable[[], bool], *, steps: int = 40_000, seconds: float = 36_000.0) -> None:
        """Deliver frames, let players act and time pass, until `until`; fails loudly when that never comes."""
        limit = self.now + seconds
        for _ in range(steps):
            if until():
                return
            if not self._deliver_one() and not self._act_one():
                wakes = [peer.wake for peer in self.peers if peer.alive and peer.wake is not None]
                assert wakes, f"seed {self.seed}: nothing left to do\n{self.story()}"
                self.now = max(self.now + 0.001, min(wakes))
                assert self.now < limit, f"seed {self.seed}: out of time\n{self.story()}"
                for peer in self.peers:
                    if peer.alive and peer.wake is not None and peer.wake <= self.now:
                        peer.wake = None
                        self._perform(peer, peer.table.tick(self.now))
        raise AssertionError(f"seed {self.seed}: not done after {steps} steps\n{self.story()}")

    def story(self) -> str:
        """Where everybody is, for a failing test."""
        lines = []
        for peer in self.peers:
            lanes = peer.table.lanes
            if lanes is None:
                lines.append(f"{peer.name}: not founded")
            else:
                play, deck = lanes.play, lanes.deck
                at = f"deal {play.deal}.{play.attempt} step {play.step} {play.phase} owed {play.owed}"
                below = "" if deck is None else f"; deck {deck.deal}.{deck.attempt} {deck.phase} owed {deck.owed}"
                lines.append(f"{peer.name} alive={peer.alive}: {at} head {play.head.hex()[:8]}{below}")
                lines.append(
                    f"    polls {[(q, p.round, p.outcome is not None) for q, p in lanes.ballots.polls.items()]}"
                )
                lines.append(f"    guilty {[(f.seat, f.code, f.message) for f in lanes.faults.guilty.values()]}")
        return "\n".join(lines)

    def _deliver_one(self) -> bool:
        full = sorted(link for link, frames in self.wire.items() if frames)
        if not full:
            return False
        sender_key, receiver_key = self.chance.choice(full)
        body = self.wire[(sender_key, receiver_key)].popleft()
        sender, receiver = self.of(sender_key), self.of(receiver_key)
        frame: Frame | None = decode_frame(body[HEADER.size :])
        if self.tamper is not None and frame is not None:
            frame = self.tamper(sender, receiver, frame)
        if frame is not None and receiver.alive:
            self._perform(receiver, receiver.table.receive(frame, sender_key, self.now))
        return True

    def _act_one(self) -> bool:
        for peer in self.peers:
            if not peer.alive or peer.chooser is None:
                continue
            command = peer.chooser(peer.table.view(), self.chance)
            if command is not None:
                self.submit(peer, command)
                return True
        return False

    def of(self, key: bytes) -> Peer:
        """The peer with this key."""
        return next(peer for peer in self.peers if peer.key == key)

    def _perform(self, peer: Peer, effects: list[Effect]) -> None:
        for effect in effects:
            match effect:
                case Send(frame=frame, to=to, but=but):
                    for (sender, receiver), frames in self.wire.items():
                        if sender == peer.key and receiver not in but and to in (None, receiver):
                            frames.append(encode_frame(frame))
                case SendRecorded(place=place, to=to):
                    for raw in ledger_records(peer.ledger[place.start : place.end]):
                        if (peer.key, to) in self.wire:
                            self.wire[(peer.key, to)].append(encode_frame(EnvelopeFrame(raw)))
                case RunJob(id=number, job=job):
                    self._perform(peer, peer.table.finish_job(number, run_job(job), self.now))
                case Persist():
                    peer.journal.append(effect)
                case Record(data=data):
                    peer.ledger += data
                case WakeAt(at=at):
                    peer.wake = at
                case Notify(event=event):
                    peer.events.append(event)
                case Accuse():
                    peer.accusations.append(effect)
                case DropLink():
                    peer.drops.append(effect)


def make_me(name: str, seed: int) -> Me:
    """An identity that depends on name and seed alone."""
    identity = IdentityKey.from_seed(hashlib.sha256(f"{name} {seed}".encode()).digest())
    return Me(identity, name, seeded_rng(f"{name} {seed}"))


def memory_of(journal: Sequence[Persist]) -> Memory:
    """What the journal gives back that has these records."""
    secrets: list[bytes] = []
    seen: list[bytes] = []
    for entry in journal:
        if entry.kind == "erase":
            erased = decode(entry.record, EraseRecord, limit=4096).deal
            secrets = [secret for secret in secrets if decode(secret, SecretRecord, limit=4096).deal > erased]
            seen = [raw for raw in seen if decode_envelope(raw).deal > erased]
        elif entry.kind == "seen":
            seen.append(entry.record)
        elif entry.kind == "secret":
            secrets.append(entry.record)
    return Memory([entry.record for entry in journal if entry.kind == "envelope"], secrets, seen)


def table_of(count: int, params: Params, seed: int, chooser: Chooser | None = play_at_random) -> Network:
    """A full mesh of `count` peers at one table, the first of them its founder; not yet run."""
    network = Network(seed)
    for number in range(count):
        me = make_me(NAMES[number], seed)
        table = Table.host(me, params, "Kitchen") if number == 0 else Table.join(me)
        peer = network.add(table, me.nickname, me.identity.public, chooser)
        for other in network.peers[:-1]:
            network.link(other, peer)
    return network


def all_ended(network: Network) -> bool:
    """Whether the standings are signed at every peer that is still there."""
    return all(peer.table.ended for peer in network.peers if peer.alive)
