"""Seats that come and go between deals, wishes, pauses, and how a table ends."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Literal

import pytest

from azi_p2p.audit.verify import verify_ledger
from azi_p2p.rules import Params, SeatStatus
from azi_p2p.session.commands import Act, Command, CommandRefused, Say, Start, Wish
from azi_p2p.session.events import Said, SeatChanged, TableRefused
from azi_p2p.session.playstate import PlayPhase, PlayState
from azi_p2p.session.table import Table
from azi_p2p.session.view import Phase, TableView
from tests.session.harness import Network, Peer, all_ended, make_me, memory_of, play_at_random, table_of


def deal_of(peer: Peer) -> int:
    return peer.table.view().deal


def come_late(network: Network, name: str, *to: Peer) -> Peer:
    me = make_me(name, network.seed)
    peer = network.add(Table.join(me), me.nickname, me.identity.public)
    for other in to:
        network.link(other, peer)
    return peer


def all_valid(network: Network, *, complete: bool = True) -> None:
    ledgers = {peer.ledger for peer in network.peers if peer.alive}
    assert len(ledgers) == 1
    verdict = verify_ledger(ledgers.pop())
    assert verdict.valid, verdict.faults
    assert verdict.complete == complete
    assert not verdict.faults


def fold_always(view: TableView, chance: random.Random) -> Command | None:
    """Keeps the chips where they are: deals end at once and nobody goes broke."""
    for option in view.legal:
        if option.do in ("fold", "discard"):
            return Act(option.action())
    return play_at_random(view, chance)


def test_the_founder_starts_with_fewer_seats_and_others_join_later() -> None:
    params = Params(seats=4, deal_limit=6, start_chips=5000)
    network = table_of(2, params, seed=31, chooser=fold_always)
    anna, ben = network.peers
    network.run(lambda: len(anna.table.view().seats) == 2)
    network.submit(anna, Start())
    network.run(lambda: deal_of(anna) == 2)
    katya = come_late(network, "Katya", anna)
    network.run(lambda: katya.table.lanes is not None and katya.table.view().my_seat is not None)
    assert katya.table.view().my_seat == 2
    network.run(lambda: all_ended(network))
    game = katya.table.view().rules
    assert game is not None
    assert game.state.deal is not None
    assert 2 in game.state.deal.dealt_in
    assert any(isinstance(event, SeatChanged) and event.change == "join" for event in ben.events)
    all_valid(network)


def test_a_late_peer_linked_to_one_only_catches_up_and_follows_through_relays() -> None:
    network = table_of(3, Params(seats=3, deal_limit=5, start_chips=5000), seed=32, chooser=fold_always)
    anna = network.peers[0]
    network.run(lambda: deal_of(anna) == 3)
    onlooker = network.add(Table.watch(), "onlooker", b"o" * 32, None)
    network.link(network.peers[2], onlooker)
    network.run(lambda: all_ended(network))
    assert onlooker.ledger == anna.ledger
    assert onlooker.table.view().my_seat is None
    all_valid(network)


def test_a_chain_of_links_is_enough() -> None:
    network = table_of(4, Params(seats=4, deal_limit=2), seed=33)
    for i, one in enumerate(network.peers):
        for j, other in enumerate(network.peers):
            if j > i + 1 and i > 0:
                network.unlink(one, other)
    network.run(lambda: deal_of(network.peers[0]) == 1)
    for other in network.peers[2:]:
        network.unlink(network.peers[0], other)
    network.run(lambda: all_ended(network))
    all_valid(network)


def test_no_seat_is_free_and_the_applicant_is_told() -> None:
    network = table_of(2, Params(seats=2, deal_limit=2), seed=34)
    anna = network.peers[0]
    network.run(lambda: deal_of(anna) == 1 and anna.table.lanes is not None)
    late = come_late(network, "Katya", anna)
    network.run(lambda: all_ended(network))
    assert late.table.view().my_seat is None
    assert any(isinstance(event, TableRefused) for event in late.events)
    all_valid(network)


def test_leaving_between_deals_frees_the_seat_and_keeps_the_table_going() -> None:
    network = table_of(4, Params(seats=4, deal_limit=5, start_chips=5000), seed=35, chooser=fold_always)
    anna, ben, _, pieter = network.peers
    network.run(lambda: deal_of(anna) == 2 and anna.table.lanes is not None)
    seat = pieter.table.view().my_seat
    assert seat is not None
    network.submit(pieter, Wish("leave"))
    network.run(lambda: ben.table.view().seats[seat].gone)
    game = ben.table.view().rules
    assert game is not None
    assert game.state.status[seat] is SeatStatus.LEFT
    assert deal_of(ben) < 5
    network.kill(pieter)
    network.run(lambda: all_ended(network))
    all_valid(network)


def discard_only(view: TableView, chance: random.Random) -> Command | None:
    """Does nothing from the bidding on."""
    return fold_always(view, chance) if any(option.do == "discard" for option in view.legal) else None


@pytest.mark.parametrize("when", ["in turn", "out of turn", "before the bidding"])
@pytest.mark.parametrize("hand_size", [3, 4])
def test_leaving_in_a_deal_is_a_fold_as_soon_as_it_is_ones_turn(hand_size: Literal[3, 4], when: str) -> None:
    """Nobody waits for the end of the deal, and nobody's clock runs out; also for who must open the bidding."""
    params = Params(seats=4, hand_size=hand_size, deal_limit=3, opener_rule="must_bid", start_chips=5000)
    network = table_of(4, params, seed=37, chooser=discard_only)
    phase = PlayPhase.ACT if when != "before the bidding" else PlayPhase.TOKENS if hand_size == 3 else PlayPhase.DISCARD

    def plays(peer: Peer) -> PlayState | None:
        return None if peer.table.lanes is None else peer.table.lanes.play

    network.run(lambda: all((play := plays(peer)) is not None and play.phase is phase for peer in network.peers))
    play = plays(network.peers[0])
    assert play is not None
    if when != "before the bidding":
        assert len(play.owed) == 1
    leaver = next(peer for peer in network.peers if (play.seat_of(peer.key) in play.owed) is (when != "out of turn"))
    seat = play.seat_of(leaver.key)
    assert seat is not None
    began = network.now
    network.submit(leaver, Wish("leave"))
    for peer in network.peers:
        peer.chooser = None if peer is leaver else play_at_random
    other = next(peer for peer in network.peers if peer is not leaver)
    network.run(lambda: other.table.view().seats[seat].gone)
    assert deal_of(other) == 1
    assert network.now - began < params.turn_seconds
    network.kill(leaver)
    network.run(lambda: all_ended(network))
    all_valid(network)
    game = other.table.view().rules
    assert game is not None
    assert game.state.status[seat] is SeatStatus.LEFT


@pytest.mark.parametrize("in_deal", [True, False])
def test_who_has_left_can_come_again(in_deal: bool) -> None:
    """By being started anew: the program that has left doesn't ask by itself. The seat is a new one, with new chips."""
    params = Params(seats=4, deal_limit=12, start_chips=5000)
    network = table_of(4, params, seed=38, chooser=fold_always)
    anna, ben, _, pieter = network.peers
    network.run(lambda: deal_of(anna) == 2 and anna.table.lanes is not None)
    if in_deal:
        network.run(
            lambda: plays(pieter).phase is PlayPhase.ACT and plays(pieter).seat_of(pieter.key) in plays(pieter).owed
        )
    seat = plays(pieter).seat_of(pieter.key)
    assert seat is not None
    network.submit(pieter, Wish("leave"))
    network.run(lambda: ben.table.view().seats[seat].gone)
    left = deal_of(ben)
    network.run(lambda: deal_of(ben) == left + 2)
    assert ben.table.view().seats[seat].gone, "it comes again only when somebody starts it again"
    network.kill(pieter)
    network.peers.remove(pieter)
    memory, rng = memory_of(pieter.journal), make_me("Pieter's next run", network.seed).rng
    again = replace(make_me("Pieter", network.seed), rng=rng, recall=lambda _: memory)
    late = network.add(Table.join(again, anna.table.table_id), "Pieter", again.identity.public, fold_always)
    for other in network.peers[:-1]:
        network.link(other, late)
    network.run(lambda: not ben.table.view().seats[seat].gone)
    assert deal_of(ben) <= left + 4
    network.run(lambda: all_ended(network))
    assert late.table.view().my_seat == seat
    assert not late.table.view().seats[seat].away
    all_valid(network)


def plays(peer: Peer) -> PlayState:
    assert peer.table.lanes is not None
    return peer.table.lanes.play


def test_sitting_out_and_returning() -> None:
    network = table_of(3, Params(seats=3, deal_limit=8, start_chips=5000), seed=36, chooser=fold_always)
    anna, _, katya = network.peers
    network.run(lambda: deal_of(anna) == 1 and katya.table.lanes is not None)

    def is_away() -> bool:
        view = katya.table.view()
        assert view.my_seat is not None
        return view.seats[view.my_seat].away

    network.submit(katya, Wish("sit_out"))
    network.run(is_away)
    network.submit(katya, Wish("return"))
    network.run(lambda: not is_away())
    network.run(lambda: all_ended(network))
    all_valid(network)


def test_the_table_ends_when_all_want_to_finish() -> None:
    network = table_of(3, Params(seats=3, start_chips=5000), seed=37, chooser=fold_always)
    network.run(lambda: deal_of(network.peers[0]) == 2 and network.peers[0].table.lanes is not None)
    for peer in network.peers:
        network.submit(peer, Wish("finish"))
    network.run(lambda: all_ended(network))
    assert network.peers[0].table.view().phase is Phase.ENDED
    all_valid(network)


def test_a_broke_player_rebuys() -> None:
    def reckless(view: TableView, chance: random.Random) -> Command | None:
        game = view.rules
        seat = view.my_seat
        if game is not None and seat is not None and game.state.chips[seat] == 0 and not view.legal:
            between = game.state.phase == "between" and not game.state.pot
            if between and "rebuy" not in view.wishes:
                return Wish("rebuy")
        bids = [option for option in view.legal if option.do == "bid"]
        if bids and bids[0].max is not None:
            return Act(bids[0].action(bids[0].max))
        calls = [option for option in view.legal if option.do == "call"]
        return Act(calls[0].action()) if calls else play_at_random(view, chance)

    params = Params(seats=3, deal_limit=8, start_chips=60, rebuy=True)
    network = table_of(3, params, seed=38, chooser=reckless)
    network.run(lambda: all_ended(network))
    changes = [event.change for event in network.peers[0].events if isinstance(event, SeatChanged)]
    assert "rebuy" in changes
    all_valid(network)


def test_all_present_stop_the_clock_and_any_one_starts_it() -> None:
    network = table_of(3, Params(seats=3, turn_seconds=5, deal_limit=2), seed=39, chooser=None)
    anna, ben, katya = network.peers
    network.run(lambda: anna.table.view().deadline is not None and bool(anna.table.view().owed))
    for peer in (anna, ben):
        network.submit(peer, Wish("pause"))
    assert not anna.table.view().paused
    network.submit(katya, Wish("pause"))
    network.run(lambda: all(peer.table.view().paused for peer in network.peers))
    assert anna.table.view().deadline is None
    start = network.now
    network.run(lambda: network.now > start + 300)
    assert not any(seat.absent for seat in anna.table.view().seats)
    network.submit(ben, Wish("resume"))
    network.run(lambda: not katya.table.view().paused and katya.table.view().deadline is not None)
    for peer in network.peers:
        peer.chooser = play_at_random
    network.run(lambda: all_ended(network))
    all_valid(network)


def test_chat_reaches_everybody_and_stays_out_of_the_ledger() -> None:
    network = table_of(3, Params(seats=3, deal_limit=1), seed=40)
    network.run(lambda: network.peers[2].table.lanes is not None)
    network.submit(network.peers[2], Say("Sterkte almal!"))
    network.run(lambda: all_ended(network))
    for peer in network.peers:
        assert [event.text for event in peer.events if isinstance(event, Said)] == ["Sterkte almal!"]
    assert b"Sterkte" not in network.peers[0].ledger
    with pytest.raises(CommandRefused):
        network.submit(network.peers[0], Say("x" * 301))


def test_azi_with_buy_in_asks_before_the_next_roster() -> None:
    params = Params(seats=6, azi_replay="buy_in", deal_limit=5)
    network = table_of(6, params, seed=41)
    asked: set[PlayPhase] = set()

    def watch() -> bool:
        for peer in network.peers:
            lanes = peer.table.lanes
            if lanes is not None and lanes.play.game.phase == "buy_in":
                asked.add(lanes.play.phase)
        return all_ended(network)

    network.run(watch)
    assert PlayPhase.ACT in asked, "seed 41 has no Azi any more: choose another"
    all_valid(network)
