"""Peers without a seat: the seats know how many watch, and nobody waits for them."""

from __future__ import annotations

import pytest

from azi_p2p.rules import Params
from azi_p2p.session.events import OnlookersChanged
from azi_p2p.session.table import ONLOOKERS_EVERY, Table
from tests.session.harness import Network, table_of
from tests.session.test_roster import deal_of, fold_always

pytestmark = pytest.mark.usefixtures("ideal_cryptography")


def told(network: Network, number: int) -> list[int]:
    """What this peer was told of onlookers."""
    return [event.number for event in network.peers[number].events if isinstance(event, OnlookersChanged)]


def test_seats_are_told_who_watches_and_the_table_goes_on_without_those_who_go() -> None:
    network = table_of(3, Params(seats=3, deal_limit=4, start_chips=5000), seed=36, chooser=fold_always)
    seats = network.peers[:3]
    network.run(lambda: deal_of(seats[0]) == 2)
    onlookers = [network.add(Table.watch(), f"onlooker {n}", bytes([n]) * 32, None) for n in (7, 8)]
    for onlooker in onlookers:
        for seat in seats:
            network.link(seat, onlooker)
    assert [seat.table.view().onlookers for seat in seats] == [2, 2, 2]
    for seat in seats:
        network.unlink(seat, onlookers[1])
    assert [seat.table.view().onlookers for seat in seats] == [1, 1, 1]
    network.run(lambda: all(seat.table.settled for seat in seats) and onlookers[0].table.ended)
    assert all(told(network, number)[0] == 1 for number in range(3))
    assert onlookers[0].ledger == seats[0].ledger
    view = onlookers[0].table.view()
    assert (view.my_seat, view.legal) == (None, ())


def test_strangers_who_come_and_go_all_the_time_are_not_told_all_the_time() -> None:
    network = table_of(3, Params(seats=3), seed=37, chooser=None)
    seats = network.peers[:3]
    network.run(lambda: deal_of(seats[0]) == 1)
    stranger = network.add(Table.watch(), "stranger", b"s" * 32, None)
    began = network.now
    for _ in range(300):
        network.link(seats[0], stranger)
        network.unlink(seats[0], stranger)
    assert told(network, 0) == [1]
    network.run(lambda: network.now > began + 2 * ONLOOKERS_EVERY)
    assert told(network, 0) == [1, 0], "in the end what is so is told"
