"""A peer signs two different messages for one slot, and shows each to a part of the table.

Nobody may go on for long on half a table: both halves find out, roll back to the step in question, hold both
signatures as evidence, and play on without the peer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from azi_p2p.crypto.masking import encode_deck
from azi_p2p.crypto.shuffle import prove_shuffle, shuffle
from azi_p2p.session.events import FaultSeen, SeatAbsent
from azi_p2p.session.jobs import DECK
from azi_p2p.session.playstate import PlayPhase
from azi_p2p.wire.envelope import Envelope
from azi_p2p.wire.messages import (
    Bid,
    Body,
    Call,
    Commit,
    Discard,
    Fold,
    Reveal,
    Shuffle,
)
from tests.attacks.bench import (
    Bench,
    assert_agreed,
    bench_of,
    events,
    faults_of,
    lanes_of,
    play_of,
    run_to_end,
    seat_of,
    small,
)
from tests.session.harness import Peer, seeded_rng

Second = Callable[[Bench, Peer, Envelope], "Body | None"]
"""The second message for the slot of an honest one; None when it can't be had here."""


@dataclass
class TwoFaced:
    """Shows the honest message to some peers, another to the rest; for one slot only."""

    bench: Bench
    bent: Peer
    kinds: tuple[type[Body], ...]
    second: Second
    to: list[Peer]
    chosen: Envelope | None = None
    body: Body | None = None

    def __call__(self, envelope: Envelope, receiver: Peer) -> Body | bytes:
        if self.chosen is None and isinstance(envelope.body, self.kinds):
            self.body = self.second(self.bench, self.bent, envelope)
            if self.body is not None:
                self.chosen = envelope
        if self.chosen is not None and envelope.id == self.chosen.id and receiver in self.to:
            assert self.body is not None
            return self.body
        return envelope.raw


def other_deck(bench: Bench, bent: Peer, envelope: Envelope) -> Body | None:
    """A second shuffle of the same deck, as well proven as the first."""
    deck = next((d for peer in bench.peers if (d := lanes_of(peer).deck) and d.head == envelope.prev), None)
    if deck is None:
        return None
    assert deck.joint is not None
    rng = seeded_rng("the other deck")
    after, witness = shuffle(deck.deck, deck.joint, rng)
    context = deck.context(seat_of(bent)).transcript(DECK)
    proof = prove_shuffle(deck.deck, after, witness, deck.joint, context, rng)
    return Shuffle(deck=encode_deck(after), proof=proof.to_bytes())


SECONDS: dict[str, tuple[tuple[type[Body], ...], Second]] = {
    "commitments": ((Commit,), lambda bench, bent, envelope: Commit(digest=b"d" * 32)),
    "shuffles": ((Shuffle,), other_deck),
    "answers in the bidding": ((Bid, Call), lambda bench, bent, envelope: Fold()),
    "discards": (
        (Discard,),
        lambda bench, bent, envelope: (
            Discard(position=(envelope.body.position + 1) % 4) if isinstance(envelope.body, Discard) else None
        ),
    ),
}


@pytest.mark.parametrize("attack", SECONDS)
@pytest.mark.parametrize("shown", [1, pytest.param(2, marks=pytest.mark.long)])
def test_two(attack: str, shown: int) -> None:
    bench = bench_of(4, small(4, 4 if attack == "discards" else 3), seed=11)
    bent = bench.peers[1]
    kinds, second = SECONDS[attack]
    two_faced = TwoFaced(bench, bent, kinds, second, bench.others(bent)[:shown])
    bench.split(bent, two_faced)
    run_to_end(bench, bent, seconds=3_600)
    assert two_faced.chosen is not None
    assert_found_out(bench, bent, two_faced.chosen)


def test_equivocation_by_a_seat_that_is_already_at_fault_in_the_other_lane() -> None:
    """Its fault in the next deck acts only at the next `open`; until then it plays on, and may not split the table."""
    bench = bench_of(4, small(4, deals=2), seed=11)
    bent = bench.peers[1]
    bench.run(lambda: all(peer.table.lanes and play_of(peer).phase is PlayPhase.ACT for peer in bench.peers))
    deck = lanes_of(bent).deck
    assert deck is not None
    others = bench.others(bent)
    bench.broadcast(bent, bench.forge(bent, deck.place, Reveal(key=b"k" * 32, proof=b"p", entropy=b"e" * 32)))
    two_faced = TwoFaced(bench, bent, (Bid, Call), lambda *_: Bid(to=100), others[:2])
    bench.split(bent, two_faced)
    bench.run(lambda: all(faults_of(peer) for peer in others))
    assert two_faced.chosen is None, "the fault in the deck lane must be known first"
    run_to_end(bench, bent)
    assert two_faced.chosen is not None
    for peer in others:
        codes = {fault.code for fault in events(peer, FaultSeen)}
        assert codes in ({"wrong_type", "equivocation"}, {"not_your_turn", "equivocation"})
        assert {fault.seat for fault in events(peer, FaultSeen)} == {seat_of(bent)}
    assert_agreed(bench, bent)


def assert_found_out(bench: Bench, bent: Peer, first: Envelope) -> None:
    """All the others hold both signatures, blame the right seat and nobody else, and agree; the ledger shows it."""
    seat = seat_of(bent)
    for peer in bench.others(bent):
        faults = events(peer, FaultSeen)
        assert faults, f"{peer.name} has not found out"
        assert {(fault.seat, fault.code) for fault in faults} == {(seat, "equivocation")}
        assert all(len(fault.evidence) == 2 for fault in faults)
        assert (first.deal, first.step) in {(fault.deal, fault.step) for fault in faults}
        assert {event.seat for event in events(peer, SeatAbsent)} == {seat}
    for verdict in assert_agreed(bench, bent):
        assert (seat, "equivocation", first.deal, first.step) in {
            (fault.seat, fault.code, fault.deal, fault.step) for fault in verdict.faults
        }
