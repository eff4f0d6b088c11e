"""A peer vanishes for good, without a word, in every phase: the others play on to the end, and nobody is blamed."""

from __future__ import annotations

import pytest

from azi_p2p.session.events import DealEnded, FaultSeen, SeatAbsent
from azi_p2p.session.playstate import PlayPhase
from azi_p2p.wire.envelope import Envelope
from azi_p2p.wire.messages import (
    Bid,
    Body,
    Call,
    Close,
    Commit,
    Discard,
    End,
    Open,
    Play,
    Reveal,
    Roster,
    Shuffle,
    Tokens,
)
from tests.attacks.bench import (
    Bench,
    assert_agreed,
    bench_of,
    events,
    play_of,
    run_to_end,
    seat_of,
    small,
    stay_in,
    two_stay,
)
from tests.session.harness import Peer

pytestmark = pytest.mark.usefixtures("ideal_cryptography")

PHASES: dict[str, tuple[type[Body], ...]] = {
    "commit": (Commit,),
    "reveal": (Reveal,),
    "shuffle": (Shuffle,),
    "open": (Open,),
    "tokens": (Tokens,),
    "discard": (Discard,),
    "bid": (Bid, Call),
    "play": (Play,),
    "close": (Close,),
    "roster": (Roster,),
    "end": (End,),
}


FEW = [(phase, 3, 4) for phase in PHASES] + [(phase, 4, 3) for phase in PHASES if phase != "discard"]
SIX = [(phase, 6, 4) for phase in ("shuffle", "tokens", "play")]


def hold_back(bench: Bench, leaver: Peer, kinds: tuple[type[Body], ...], silent: list[Peer]) -> None:
    """From its first message of these kinds on, nothing that the peer signs reaches anybody."""

    def twist(envelope: Envelope) -> bytes | None:
        if leaver not in silent and isinstance(envelope.body, kinds):
            silent.append(leaver)
        return None if leaver in silent else envelope.raw

    bench.bend(leaver, twist)


def vanish(bench: Bench, leavers: list[Peer], phase: str) -> None:
    """Let peers vanish at their first message of this phase, all of them at once, and the others play to the end."""
    silent: list[Peer] = []
    for leaver in leavers:
        hold_back(bench, leaver, PHASES[phase], silent)
    bench.run(lambda: len(silent) == len(leavers) or any(peer.table.ended for peer in bench.peers))
    assert len(silent) == len(leavers), "they had no such message to send"
    for leaver in leavers:
        bench.kill(leaver)
    run_to_end(bench)


def assert_nobody_blamed(bench: Bench, leavers: list[Peer]) -> None:
    """The others certify just these seats absent, blame nobody, and agree."""
    for peer in bench.others():
        assert not events(peer, FaultSeen)
        assert {event.seat for event in events(peer, SeatAbsent)} == {seat_of(leaver) for leaver in leavers}
    for verdict in assert_agreed(bench):
        assert not verdict.faults


@pytest.mark.parametrize(("phase", "count", "hand_size"), FEW + SIX)
def test_one_vanishes_at(phase: str, count: int, hand_size: int) -> None:
    bench = bench_of(count, small(count, hand_size, 2 if phase == "roster" else 1), 5, two_stay)
    bench.peers[1].chooser = stay_in
    if phase == "roster":
        bench.run(lambda: any(peer.table.lanes and play_of(peer).phase is PlayPhase.ROSTER for peer in bench.peers))
        (proposer,) = next(play_of(peer) for peer in bench.peers if play_of(peer).phase is PlayPhase.ROSTER).owed
        leaver = next(peer for peer in bench.peers if seat_of(peer) == proposer)
    else:
        leaver = bench.peers[1]
    vanish(bench, [leaver], phase)
    assert_nobody_blamed(bench, [leaver])


@pytest.mark.parametrize("phase", ["reveal", "open", "tokens", "discard"])
def test_two_of_six_vanish_at_once_at(phase: str) -> None:
    bench = bench_of(6, small(6, 4), 5, two_stay)
    leavers = [bench.peers[1], bench.peers[4]]
    vanish(bench, leavers, phase)
    assert_nobody_blamed(bench, leavers)


def test_two_of_six_vanish_one_after_the_other_in_play() -> None:
    bench = bench_of(6, small(6, 4), 5, two_stay)
    leavers = [bench.peers[1], bench.peers[4]]
    for leaver in leavers:
        leaver.chooser = stay_in
    silent: list[Peer] = []
    for leaver in leavers:
        hold_back(bench, leaver, PHASES["play"], silent)
    run_to_end(bench, *leavers)
    assert len(silent) == 2
    for leaver in leavers:
        bench.kill(leaver)
    assert_nobody_blamed(bench, leavers)


# Whoever stops where it hurts


def test_last_revealer_stops_after_seeing_what_the_others_revealed() -> None:
    """It could steer the joint key by choosing whether to reveal; all it gets is a new deck without it."""
    bench = bench_of(3, small(3), seed=6)
    leaver = bench.peers[2]
    vanish(bench, [leaver], "reveal")
    assert_nobody_blamed(bench, [leaver])
    assert all(play_of(peer).game.chips[seat_of(leaver)] == 1000 for peer in bench.others())


def test_last_sender_of_tokens_stops_after_seeing_its_hand() -> None:
    """The deal is void; the others get their antes back, the breaker leaves its ante and as much as a bid."""
    bench = bench_of(3, small(3), seed=6)
    leaver = bench.peers[2]
    vanish(bench, [leaver], "tokens")
    assert_nobody_blamed(bench, [leaver])
    for peer in bench.others():
        assert next(event.result for event in events(peer, DealEnded)) == "void"
        params, chips = play_of(peer).params, play_of(peer).game.chips
        assert chips[seat_of(leaver)] == params.start_chips - params.ante - params.min_bid


def test_two_senders_of_tokens_stop_and_both_pay() -> None:
    bench = bench_of(6, small(6), 6, two_stay)
    leavers = [bench.peers[2], bench.peers[3]]
    vanish(bench, leavers, "tokens")
    assert_nobody_blamed(bench, leavers)
    for peer in bench.others():
        chips = play_of(peer).game.chips
        assert {chips[seat_of(leaver)] for leaver in leavers} == {1000 - 10 - 10}
