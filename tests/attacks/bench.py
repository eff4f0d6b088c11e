"""A table with one bent peer: what the attacks of this folder are made of. No tests here.

The bent peer runs the real session; what it signs is changed on its way out and signed again with its own identity
key, so that everybody else gets a message that is in order but for the one thing that the attack changes. Its
secrets are read from its own journal, as it could read them itself.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar

from azi_p2p.audit.verify import Verdict, verify_ledger
from azi_p2p.crypto.group import Scalar
from azi_p2p.crypto.identity import IdentityKey
from azi_p2p.rules import Params, conserved
from azi_p2p.session.commands import Act, Command
from azi_p2p.session.effects import Effect, RunJob
from azi_p2p.session.events import Event, FaultSeen, SeatAbsent
from azi_p2p.session.jobs import Job, JobResult, MakePlay, MakeShuffle, MakeTokens, run_job
from azi_p2p.session.lanes import Lanes
from azi_p2p.session.own import SecretRecord
from azi_p2p.session.playstate import PlayState
from azi_p2p.session.table import Table
from azi_p2p.session.view import TableView
from azi_p2p.wire.codec import decode
from azi_p2p.wire.envelope import (
    SIGNATURE_DOMAIN,
    Envelope,
    Place,
    decode_envelope,
    encode_payload,
    place_of,
    seal,
)
from azi_p2p.wire.frame import EnvelopeFrame, Frame, encode_frame
from azi_p2p.wire.messages import Body, Vote
from tests.session.harness import NAMES, Chooser, Network, Peer, make_me, seeded_rng

E = TypeVar("E", bound=Event)

Twist = Callable[[Envelope], "Body | bytes | None"]
"""What becomes of an own message: a body to sign in its place, a whole envelope, None to hold it back.

A twist that gives the envelope's own body or bytes leaves it as it is.
"""

Split = Callable[[Envelope, Peer], "Body | bytes | None"]
"""Likewise, for one receiver; must give the same for the same."""


def stay_in(view: TableView, chance: random.Random) -> Command | None:
    """A player that bids the least or calls, never folds, and plays any legal card: every deal is played out."""
    if not view.legal:
        return None
    wanted = [option for option in view.legal if option.do not in ("fold", "leave", "bid", "check")]
    option = chance.choice(wanted or [option for option in view.legal if option.do == "bid"] or list(view.legal))
    return Act(option.action(option.min) if option.do == "bid" and option.min is not None else option.action())


def two_stay(view: TableView, chance: random.Random) -> Command | None:
    """Like `stay_in`, but whoever is asked once two others have bid or called folds: so no deal ends in an Azi."""
    deal = None if view.rules is None else view.rules.state.deal
    folds = [option for option in view.legal if option.do == "fold"]
    if deal is not None and folds and sum(1 for seat in deal.live if deal.bids[seat]) >= 2:
        return Act(folds[0].action())
    return stay_in(view, chance)


_RESULTS: dict[bytes, JobResult] = {}
"""What jobs of this process have come to. Most tables here begin alike, and mathematics gives the same twice."""


def result_of(job: Job) -> JobResult:
    """The result of a job, computed once for the same inputs.

    A job that makes something draws from bytes that depend on its inputs alone, so that it is a pure function too.
    """
    key = hashlib.sha256(repr(job).encode()).digest()
    if key not in _RESULTS:
        if isinstance(job, MakeShuffle | MakeTokens | MakePlay):
            job = replace(job, rng=seeded_rng(key.hex()))
        _RESULTS[key] = run_job(job)
    return _RESULTS[key]


class Bench(Network):
    """A full mesh whose peers share one calculator, and of whose peers some may be bent."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._twists: dict[bytes, Twist] = {}
        self._splits: dict[bytes, Split] = {}
        self._forged: set[bytes] = set()
        self._twisted: dict[bytes, bytes | None] = {}
        self.tamper = self._bend

    def _perform(self, peer: Peer, effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, RunJob):
                self._perform(peer, peer.table.finish_job(effect.id, result_of(effect.job), self.now))
            else:
                super()._perform(peer, [effect])

    def split(self, peer: Peer, split: Split) -> None:
        """Let `peer` send different messages to different peers, from now on."""
        self._splits[peer.key] = split

    def bend(self, peer: Peer, twist: Twist) -> None:
        """Change what `peer` signs, from now on, on its way to everybody else."""
        self._twists[peer.key] = twist

    def unbend(self, *peers: Peer) -> None:
        """Let these peers' messages go out as they are, from now on, those held back so far too when asked for."""
        for peer in peers:
            self._twists.pop(peer.key, None)

    def _bend(self, sender: Peer, receiver: Peer, frame: Frame) -> Frame | None:
        if not isinstance(frame, EnvelopeFrame) or not (sender.key in self._twists or sender.key in self._splits):
            return frame
        envelope = decode_envelope(frame.envelope)
        if envelope.author != sender.key or envelope.id in self._forged:
            return frame
        if isinstance(envelope.body, Vote) and envelope.body.seat == play_of(sender).seat_of(sender.key):
            return None  # it would tell of the message that it has not sent
        split, twist = self._splits.get(sender.key), self._twists.get(sender.key)
        if split is not None:
            body = split(envelope, receiver)
            raw = body if isinstance(body, bytes) else None
            if isinstance(body, Body):
                raw = sign(self.identity(sender), envelope.table, place_of(envelope), body)
            return None if raw is None else EnvelopeFrame(raw)
        assert twist is not None
        if envelope.id not in self._twisted:
            changed = twist(envelope)
            self._twisted[envelope.id] = (
                sign(self.identity(sender), envelope.table, place_of(envelope), changed)
                if isinstance(changed, Body)
                else changed
            )
        raw = self._twisted[envelope.id]
        return None if raw is None else EnvelopeFrame(raw)

    def hush(self, *peers: Peer) -> None:
        """Hold back the votes of these peers' own sessions, so that they can vote as the attack has it."""
        for peer in peers:
            self.bend(peer, lambda envelope: None if isinstance(envelope.body, Vote) else envelope.raw)

    def identity(self, peer: Peer) -> IdentityKey:
        """The identity key of a peer of this bench."""
        return make_me(peer.name, self.seed).identity

    def forge(self, peer: Peer, place: Place, body: Body) -> bytes:
        """An envelope signed by `peer` as its session never would."""
        table = peer.table.table_id
        assert table is not None
        return sign(self.identity(peer), table, place, body)

    def broadcast(self, sender: Peer, raw: bytes, to: Iterable[Peer] | None = None) -> None:
        """Put an envelope on the links of `sender`: to everybody, or to `to`. No twist changes it."""
        self._forged.add(decode_envelope(raw).id)
        receivers = [peer.key for peer in (self.peers if to is None else to)]
        for (source, target), frames in self.wire.items():
            if source == sender.key and target in receivers:
                frames.append(encode_frame(EnvelopeFrame(raw)))

    def others(self, *bent: Peer) -> list[Peer]:
        """The peers that are neither bent nor gone."""
        return [peer for peer in self.peers if peer.alive and peer not in bent]


def sign(identity: IdentityKey, table: bytes, place: Place, body: Body) -> bytes:
    """An envelope with any content, signed by this identity."""
    payload = encode_payload(table, identity.public, place, body)
    return seal(payload, identity.sign(SIGNATURE_DOMAIN, payload))


def resign(envelope: Envelope, identity: IdentityKey, **changed: object) -> bytes:
    """The same message with some fields of its payload changed, signed again."""
    place = replace(place_of(envelope), **{k: v for k, v in changed.items() if k != "table"})  # type: ignore[arg-type]  # fields of Place
    table = changed.get("table", envelope.table)
    assert isinstance(table, bytes)
    return sign(identity, table, place, envelope.body)


def bench_of(
    count: int, params: Params, seed: int, chooser: Chooser | None = stay_in, nonce: str | None = None
) -> Bench:
    """A full mesh of `count` peers at one table, the first of them its founder; not yet run.

    `nonce`: the same people with other randomness.
    """
    bench = Bench(seed)
    for number in range(count):
        me = make_me(NAMES[number], seed)
        if nonce is not None:
            me = replace(me, rng=seeded_rng(f"{me.nickname} {nonce}"))
        table = Table.host(me, params, "Kitchen") if number == 0 else Table.join(me)
        peer = bench.add(table, me.nickname, me.identity.public, chooser)
        for other in bench.peers[:-1]:
            bench.link(other, peer)
    return bench


def small(count: int, hand_size: int = 3, deals: int = 1) -> Params:
    """Parameters for a short table, at which nobody is asked to buy in."""
    return Params(seats=count, hand_size=hand_size, deal_limit=deals, turn_seconds=5)


# Looking into a peer


def lanes_of(peer: Peer) -> Lanes:
    """The lanes of a founded table."""
    lanes = peer.table.lanes
    assert lanes is not None
    return lanes


def play_of(peer: Peer) -> PlayState:
    """The state of the play lane at a peer."""
    return lanes_of(peer).play


def seat_of(peer: Peer) -> int:
    """The seat of a peer."""
    seat = play_of(peer).seat_of(peer.key)
    assert seat is not None
    return seat


def secrets_of(peer: Peer) -> dict[bytes, Scalar]:
    """All deal secrets that a peer has ever journaled, by the base of their deck."""
    records = [decode(entry.record, SecretRecord, limit=4096) for entry in peer.journal if entry.kind == "secret"]
    return {record.base: Scalar(record.secret) for record in records}


def faults_of(peer: Peer) -> set[tuple[int, str, int, int]]:
    """(seat, code, deal, step) of all faults that a peer has seen."""
    return {(f.seat, f.code, f.deal, f.step) for f in events(peer, FaultSeen)}


def events(peer: Peer, kind: type[E]) -> list[E]:
    """The events of one kind that a peer has told."""
    return [event for event in peer.events if isinstance(event, kind)]


# What every attack must come to


def run_to_end(bench: Bench, *bent: Peer, seconds: float = 36_000.0) -> None:
    """Let the others play to the signed standings."""
    bench.run(lambda: all(peer.table.ended for peer in bench.others(*bent)), seconds=seconds)


def assert_agreed(bench: Bench, *bent: Peer) -> list[Verdict]:
    """The others agree on everything, no chips are lost, and each ledger is valid and complete; their verdicts."""
    others = bench.others(*bent)
    assert len({play_of(peer).head for peer in others}) == 1, bench.story()
    assert len({play_of(peer).game.chips for peer in others}) == 1
    for peer in others:
        assert not peer.drops, peer.drops
        taken = [member for member in play_of(peer).members if member is not None]
        assert conserved(play_of(peer).game) == 1000 * len(taken)
    verdicts = {peer.ledger: verify_ledger(peer.ledger) for peer in others}
    for verdict in verdicts.values():
        assert verdict.valid, verdict.faults
        assert verdict.complete
        assert verdict.head == play_of(others[0]).head.hex()
        assert verdict.chips == play_of(others[0]).game.chips
    return list(verdicts.values())


def assert_refused(bench: Bench, bent: Peer, *codes: str) -> set[tuple[str, int, int]]:
    """The others blame the bent seat, and nobody else, for exactly this at one step; it is absent; they play on.

    Returns what they blame it for: code, deal, step.
    """
    others, seat = bench.others(bent), seat_of(bent)
    seen = [faults_of(peer) for peer in others]
    assert all(faults == seen[0] for faults in seen), seen
    assert {(fault[0], fault[1]) for fault in seen[0]} == {(seat, code) for code in codes}, seen[0]
    for peer in others:
        absent = {event.seat for event in events(peer, SeatAbsent)}
        assert absent == {seat}, (peer.name, absent)
    for verdict in assert_agreed(bench, bent):
        assert {(f.seat, f.code, f.deal, f.step) for f in verdict.faults} == seen[0], verdict.faults
    return {fault[1:] for fault in seen[0]}
