"""Whole tables with fixed randomness: the ledgers of the vectors, and what was said beside them.

The sessions are the real ones, joined without sockets. Frames arrive in the order in which they were sent, and what a
player does depends on seed, head and seat alone: so a change of the session that leaves its messages as they are leaves
the ledgers as they are.
"""

from __future__ import annotations

import hashlib
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

from azi_p2p import rules
from azi_p2p.crypto.identity import IdentityKey
from azi_p2p.rules import Params
from azi_p2p.session.commands import Act, Command, Say, Start, Wish
from azi_p2p.session.decklane import DeckPhase
from azi_p2p.session.effects import Effect, RunJob, Send
from azi_p2p.session.jobs import CheckPlay, CheckShuffle, CheckTokens, JobResult, run_job
from azi_p2p.session.lanes import Lanes
from azi_p2p.session.playstate import PlayPhase
from azi_p2p.session.table import Table
from azi_p2p.session.view import TableView
from azi_p2p.wire import messages
from azi_p2p.wire.envelope import SIGNATURE_DOMAIN, Envelope, Place, decode_envelope, encode_payload, place_of, seal
from azi_p2p.wire.frame import HEADER, EnvelopeFrame, Frame, decode_frame, encode_frame
from azi_p2p.wire.ledgerfile import next_record, read_ledger_header
from tests.session.harness import NAMES, Network, Peer, all_ended, make_me, play_at_random


class Recorder(Network):
    """Peers joined without sockets, who share their calculations.

    `said` keeps every envelope that was sent; envelopes of the author and type in `silenced` get lost.
    """

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.said: dict[bytes, Envelope] = {}
        self.silenced: tuple[bytes, str] | None = None
        self._checked: dict[bytes, JobResult] = {}
        self._order: deque[tuple[bytes, bytes]] = deque()

    def _deliver_one(self) -> bool:
        while self._order:
            sender, receiver = self._order.popleft()
            frames = self.wire.get((sender, receiver))
            if not frames:
                continue  # the link has been cut since, and what was under way is lost
            frame = self._record(decode_frame(frames.popleft()[HEADER.size :]))
            peer = self.of(receiver)
            if frame is not None and peer.alive:
                self._perform(peer, peer.table.receive(frame, sender, self.now))
            return True
        return False

    def _record(self, frame: Frame) -> Frame | None:
        if isinstance(frame, EnvelopeFrame):
            envelope = decode_envelope(frame.envelope)
            if (envelope.author, envelope.type) == self.silenced:
                return None
            self.said.setdefault(envelope.id, envelope)
        return frame

    def _perform(self, peer: Peer, effects: list[Effect]) -> None:
        for effect in effects:
            match effect:
                case Send(frame=frame, to=to, but=but):
                    for (sender, receiver), frames in self.wire.items():
                        if sender == peer.key and receiver not in but and to in (None, receiver):
                            frames.append(encode_frame(frame))
                            self._order.append((sender, receiver))
                case RunJob(id=number, job=CheckShuffle() | CheckTokens() | CheckPlay() as job):
                    key = hashlib.sha256(repr(job).encode()).digest()
                    if key not in self._checked:
                        self._checked[key] = run_job(job)
                    self._perform(peer, peer.table.finish_job(number, self._checked[key], self.now))
                case _:
                    super()._perform(peer, [effect])

    def lanes(self, peer: int = 0) -> Lanes | None:
        """The lanes of a peer, None before the founding."""
        return self.peers[peer].table.lanes

    def cut_off(self, peer: Peer) -> None:
        """Cut all links of a peer."""
        for other in self.peers:
            if other is not peer:
                self.unlink(other, peer)

    def prepares(self, phase: DeckPhase, attempt: int) -> bool:
        """Whether the first peer's deck lane is so far."""
        lanes = self.lanes()
        return (
            lanes is not None and lanes.deck is not None and (lanes.deck.phase, lanes.deck.attempt) == (phase, attempt)
        )

    def at(self, phase: PlayPhase, deal: int = 1, peer: int = 0) -> bool:
        """Whether a peer's play lane waits in this phase of this deal."""
        lanes = self.lanes(peer)
        return lanes is not None and lanes.play.phase is phase and lanes.play.deal == deal


@dataclass(frozen=True)
class Played:
    """A table that has been played: its ledger, cut up, and all that was said. `seed` gives the identity keys."""

    seed: int
    ledger: bytes
    starts: tuple[int, ...]
    records: tuple[Envelope, ...]
    said: tuple[Envelope, ...]

    def find(self, kind: str, number: int = 0) -> int:
        """Give the index of the record that is the `number`-th of this type."""
        return [index for index, record in enumerate(self.records) if record.type == kind][number]

    def identity(self, author: bytes) -> IdentityKey:
        """Give the identity key of somebody at this table."""
        identities = [make_me(name, self.seed).identity for name in NAMES]
        return next(identity for identity in identities if identity.public == author)

    def signed_again(self, index: int, body: messages.Body, **place: object) -> bytes:
        """Give a record with another body (or place), well signed by its author."""
        record = self.records[index]
        return self.signed(record.author, replace(place_of(record), **place), body)  # type: ignore[arg-type]  # fields of Place

    def signed(self, author: bytes, place: Place, body: messages.Body) -> bytes:
        """Give an envelope for this table."""
        payload = encode_payload(self.records[0].table, author, place, body)
        return seal(payload, self.identity(author).sign(SIGNATURE_DOMAIN, payload))


def chance_of(view: TableView) -> random.Random:
    """Give the chance of whoever is asked: what it brings depends on the head and the seat alone."""
    return random.Random(hashlib.sha256(view.head + bytes([view.my_seat or 0])).digest())


def at_random(view: TableView, _chance: random.Random) -> Command | None:
    """A player that does anything legal."""
    return play_at_random(view, chance_of(view))


def careful(view: TableView, _chance: random.Random) -> Command | None:
    """A player that bids the least and otherwise does anything legal but fold."""
    options = [option for option in view.legal if option.do != "fold"] or list(view.legal)
    if not options:
        return None
    chosen = chance_of(view).choice(options)
    return Act(chosen.action(chosen.min) if chosen.do == "bid" else chosen.action())


def gather(count: int, params: Params, seed: int, chooser: Callable[..., Command | None] = at_random) -> Recorder:
    """Give a full mesh of peers, the first of them the founder; not run yet."""
    network = Recorder(seed)
    for name in NAMES[:count]:
        come(network, name, params if name == NAMES[0] else None, chooser)
    return network


def come(network: Recorder, name: str, params: Params | None, chooser: Callable[..., Command | None]) -> Peer:
    """Let somebody come and link to all who are there."""
    me = make_me(name, network.seed)
    table = Table.join(me) if params is None else Table.host(me, params, "Kitchen")
    peer = network.add(table, me.nickname, me.identity.public, chooser)
    for other in network.peers[:-1]:
        if other.alive:
            network.link(other, peer)
    return peer


def played(network: Recorder) -> Played:
    """Run a table to its end and give what it left, as the first peer has it that is still there."""
    network.run(lambda: all_ended(network))
    data = next(peer for peer in network.peers if peer.alive).ledger
    _, at = read_ledger_header(data)
    starts, records = [], []
    while at < len(data):
        starts.append(at)
        raw, at = next_record(data, at)
        records.append(decode_envelope(raw))
    return Played(network.seed, data, tuple(starts), tuple(records), tuple(network.said.values()))


def folds(view: TableView, chance: random.Random) -> Command | None:
    """A player that gives up where it may: deals are short, and nobody goes broke."""
    for option in view.legal:
        if option.do == "fold":
            return Act(option.action())
    return careful(view, chance)


@cache
def two_seats() -> Played:
    """Two seats, one deal."""
    return played(gather(2, Params(seats=2, deal_limit=1), 1, careful))


@cache
def four_cards() -> Played:
    """Three seats with hands of four, diamonds out, two deals; openers may check."""
    params = Params(seats=3, hand_size=4, out_suit="D", deal_limit=2, opener_rule="may_check")
    return played(gather(3, params, 8))


@cache
def absent_in_play() -> Played:
    """Of three seats one vanishes while a trick is being played; the others play on."""
    network = gather(3, Params(seats=3, deal_limit=2), 3, careful)

    def is_asked() -> bool:
        lanes = network.lanes()
        return lanes is not None and lanes.play.game.phase is rules.Phase.PLAYING and lanes.play.owed == (2,)

    network.peers[2].chooser = lambda view, chance: None if is_asked() else careful(view, chance)
    network.run(is_asked)
    network.kill(network.peers[2])
    return played(network)


@cache
def attempts() -> Played:
    """Of five seats one vanishes before it shuffles, another before it signs its ante: two attempts are given up."""
    network = gather(5, Params(seats=5, deal_limit=1), 6, careful)
    first, second = network.peers[2:4]
    network.silenced = (first.key, "shuffle")
    network.run(lambda: network.prepares(DeckPhase.COMMIT, 1))
    network.kill(first)
    network.silenced = (second.key, "open")
    network.run(lambda: network.prepares(DeckPhase.COMMIT, 2))
    network.kill(second)
    return played(network)


@cache
def back_to_roster() -> Played:
    """Of three seats dealt in, two sitting out beside them, two vanish before the antes; one of them comes back.

    The deck that it comes back to has the seats of one that was given up.
    """
    network = gather(5, Params(seats=5, deal_limit=3, start_chips=5000), 3, folds)
    network.run(lambda: network.at(PlayPhase.ACT))
    for peer in network.peers[3:]:
        network.submit(peer, Wish("sit_out"))
    network.run(lambda: network.at(PlayPhase.ACT, 2))
    network.run(lambda: network.at(PlayPhase.OPEN, 3))
    gone, back = network.peers[1:3]
    network.cut_off(gone)
    network.run(lambda: network.prepares(DeckPhase.COMMIT, 1))
    network.silenced = (back.key, "open")
    network.run(lambda: network.prepares(DeckPhase.READY, 1))
    network.cut_off(back)
    network.run(lambda: network.at(PlayPhase.ROSTER, 3))
    network.silenced = None
    for other in network.peers:
        if other not in (gone, back):
            network.link(other, back)
    network.run(lambda: network.at(PlayPhase.ACT, 3))
    network.kill(gone)
    return played(network)


@cache
def void_deal() -> Played:
    """A deal broken before the cards; then one seat sits out, and the other takes the pot without cards."""
    network = gather(3, Params(seats=3), 5, careful)
    network.silenced = (network.peers[2].key, "tokens")
    network.run(lambda: all(network.at(PlayPhase.TOKENS, peer=peer) for peer in range(2)))
    network.submit(network.peers[1], Wish("sit_out"))
    network.run(lambda: network.at(PlayPhase.CLOSE))
    network.kill(network.peers[2])
    network.run(lambda: (lanes := network.lanes()) is not None and lanes.play.deal == 3)
    network.submit(network.peers[1], Wish("return"))
    network.run(lambda: network.at(PlayPhase.ACT, 3))
    for peer in network.peers[:2]:
        network.submit(peer, Wish("finish"))
    return played(network)


@cache
def comings_and_goings() -> Played:
    """Two start; one joins, talks, sits out and returns; another leaves in a deal; the rest finish."""
    network = gather(2, Params(seats=3, start_chips=5000), 6, careful)
    anna, ben = network.peers
    network.run(lambda: len(anna.table.view().seats) == 2)
    network.submit(anna, Start())
    network.run(lambda: network.at(PlayPhase.ACT))
    katya = come(network, NAMES[2], None, careful)
    network.run(lambda: katya.table.view().my_seat is not None and network.at(PlayPhase.ACT, 2))
    network.submit(katya, Say("gg"))
    network.submit(katya, Wish("sit_out"))
    network.run(lambda: network.at(PlayPhase.ACT, 3))
    network.submit(katya, Wish("return"))
    network.run(lambda: network.at(PlayPhase.ACT, 4))

    def leaves(view: TableView, _chance: random.Random) -> Command | None:
        return Act(rules.Leave(1)) if view.legal and view.my_seat == 1 else None

    ben.chooser = leaves
    network.run(lambda: network.at(PlayPhase.ACT, 5))
    for peer in (anna, katya):
        network.submit(peer, Wish("finish"))
    return played(network)


@cache
def buy_in() -> Played:
    """An Azi, after which the seat without a trick is asked whether it buys into the replay, and does."""
    return played(gather(4, Params(seats=4, azi_replay="buy_in", deal_limit=1, start_chips=5000), 17, careful))


@cache
def proven_fault() -> Played:
    """The opener folds where it must bid: the others certify its absence, with the evidence."""
    network = gather(3, Params(seats=3, deal_limit=1), 7, careful)
    for peer in network.peers:
        peer.chooser = None
    network.run(lambda: all(network.at(PlayPhase.ACT, peer=peer) for peer in range(3)))
    lanes = network.lanes()
    assert lanes is not None
    (opener,) = lanes.play.owed
    cheat = network.peers[opener]
    payload = encode_payload(lanes.play.table, cheat.key, lanes.play.place, messages.Fold())
    raw = seal(payload, make_me(cheat.name, network.seed).identity.sign(SIGNATURE_DOMAIN, payload))
    others = [peer for peer in network.peers if peer is not cheat]
    network.kill(cheat)
    for peer in others:
        peer.chooser = careful
        network.inject(peer, raw, cheat.key)
    return played(network)


TABLES: dict[str, Callable[[], Played]] = {
    "two-seats": two_seats,
    "four-cards": four_cards,
    "absent-in-play": absent_in_play,
    "attempts": attempts,
    "back-to-roster": back_to_roster,
    "void-deal": void_deal,
    "comings-and-goings": comings_and_goings,
    "buy-in": buy_in,
    "proven-fault": proven_fault,
}
"""The tables, by the name of their ledger."""
