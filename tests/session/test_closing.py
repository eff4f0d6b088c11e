"""Closing a table without a majority: who gets what, what the ledger holds, and when it may be done at all."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from azi_p2p import rules
from azi_p2p.audit.verify import verify_ledger
from azi_p2p.session.closing import reckon
from azi_p2p.session.commands import Close, CommandRefused
from azi_p2p.session.events import TableClosed
from azi_p2p.session.gathering import wire_params
from azi_p2p.session.playstate import IN_DEAL, Member, PlayPhase, PlayState, found
from azi_p2p.wire.messages import Tokens
from tests.attacks.bench import Bench, bench_of, events, play_of, run_to_end, seat_of, small, stay_in
from tests.session.harness import Peer

pytestmark = pytest.mark.usefixtures("ideal_cryptography")


def _standing(count: int) -> PlayState:
    """A founded table with nobody's keys: what `reckon` looks at of it are the phase and the game."""
    params = small(count)
    members = tuple(Member(bytes([seat]) * 32, f"Peer {seat}", bytes([seat]) * 32) for seat in range(count))
    return found(bytes(32), wire_params(params, "Kitchen"), params, bytes(32), members, bytes(32))


def at(phase: PlayPhase, count: int, seed: int) -> Bench:
    """A table in its first deal, at this phase before everybody."""
    bench = bench_of(count, small(count), seed, stay_in)
    if phase is PlayPhase.TOKENS:
        for peer in bench.peers:
            bench.bend(peer, lambda envelope: None if isinstance(envelope.body, Tokens) else envelope.raw)
    bench.run(lambda: all(peer.table.lanes and play_of(peer).phase is phase for peer in bench.peers))
    return bench


def left_alone(bench: Bench) -> Peer:
    """Everybody but one vanishes; gives that one."""
    for peer in bench.peers[1:]:
        bench.kill(peer)
    bench.run(lambda: bench.peers[0].table.view().unconfirmed is not None, seconds=60)
    return bench.peers[0]


def test_with_a_majority_nobody_closes_the_table() -> None:
    bench = at(PlayPhase.ACT, 3, 7500)
    bench.kill(bench.peers[2])
    assert bench.peers[0].table.view().unconfirmed is None
    with pytest.raises(CommandRefused, match="a majority of the table is here"):
        bench.submit(bench.peers[0], Close())
    run_to_end(bench)


@pytest.mark.parametrize("phase", [PlayPhase.TOKENS, PlayPhase.ACT])
def test_one_that_is_left_closes_the_table(phase: PlayPhase) -> None:
    """What it has reckoned is what a reader of its ledger reckons; nothing more is heard or signed."""
    bench = at(phase, 3, 7501)
    left = left_alone(bench)
    shown = left.table.view().unconfirmed
    assert shown is not None
    bench.submit(left, Close())
    (closed,) = events(left, TableClosed)
    assert closed == TableClosed(shown.chips, shown.absent)
    assert sum(closed.chips) == 3000
    verdict = verify_ledger(left.ledger)
    assert verdict.valid
    assert not verdict.complete
    assert verdict.unconfirmed == shown
    head = play_of(left).head
    bench.link(bench.peers[1], left)
    bench.peers[1].alive = True
    bench.run(lambda: not any(bench.wire.values()))
    assert play_of(left).head == head
    with pytest.raises(CommandRefused):
        bench.submit(left, Close())


def test_whoever_alone_keeps_the_others_waiting_is_reckoned_absent() -> None:
    """Two of two: one has gone, and owes the next move. The deal is the other's."""
    bench = at(PlayPhase.ACT, 2, 7502)
    (turn,) = play_of(bench.peers[0]).owed
    gone = next(peer for peer in bench.peers if seat_of(peer) == turn)
    (left,) = bench.others(gone)
    bench.kill(gone)
    game = play_of(left).game
    reckoning = reckon(play_of(left), {})
    assert reckoning.absent == turn
    assert reckoning.chips[seat_of(left)] == game.chips[seat_of(left)] + sum(game.stakes)


def test_where_the_own_move_is_due_every_stake_goes_back() -> None:
    """Nobody is reckoned absent for a move that was made: two seats owe nothing, so every stake returns."""
    bench = at(PlayPhase.TOKENS, 3, 7503)
    play = play_of(bench.peers[0])
    assert reckon(play, {0}).absent is None
    assert reckon(play, {0}).chips == (1000, 1000, 1000)


def test_who_breaks_a_deal_alone_leaves_its_stake_to_the_others() -> None:
    bench = at(PlayPhase.TOKENS, 3, 7504)
    play = play_of(bench.peers[0])
    reckoning = reckon(play, {0, 2})
    assert reckoning.absent == 1
    lost = 1000 - reckoning.chips[1]
    assert lost == play.params.ante + play.params.min_bid
    assert sorted(reckoning.chips[seat] - 1000 for seat in (0, 2)) == [lost // 2, lost - lost // 2]


@given(st.integers(0, 2**16), st.integers(2, 6), st.data())
def test_no_chips_are_made_or_lost_wherever_a_table_stands_still(seed: int, count: int, data: st.DataObject) -> None:
    """In any state of the rules in which a seat owes a move; whoever is missing."""
    chance = data.draw(st.randoms(use_true_random=False))
    params = small(count)
    state = rules.new_table(params, [data.draw(st.integers(1, 300)) for _ in range(count)])
    cards = list(rules.deck_of(params))
    chance.shuffle(cards)
    size = params.hand_size
    hands = tuple(tuple(cards[seat * size : seat * size + size]) for seat in range(count))
    state = rules.apply(state, rules.Deal(hands, cards[-1], 0))
    total = rules.conserved(state)
    play = replace(_standing(count), game=state, phase=PlayPhase.ACT)
    for _ in range(data.draw(st.integers(0, 40))):
        if play.phase not in IN_DEAL or not rules.owed(state):
            break
        option = chance.choice(rules.legal_actions(state, rules.owed(state)[0]))
        to = None if option.min is None else option.min
        state = rules.apply(state, option.action(to) if option.do == "bid" else option.action())
        inside = state.phase in (rules.Phase.DISCARD, rules.Phase.BIDDING, rules.Phase.PLAYING)
        play = replace(play, game=state, phase=PlayPhase.ACT if inside else PlayPhase.CLOSE)
    for held in ((), rules.owed(state)):
        reckoning = reckon(play, held)
        assert sum(reckoning.chips) == total
        assert min(reckoning.chips) >= 0
