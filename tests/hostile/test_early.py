"""Before the founding: what those who only ask for a seat can make a peer keep."""

from __future__ import annotations

from azi_p2p.crypto.identity import IdentityKey
from azi_p2p.rules import Params
from azi_p2p.session.table import MAX_EARLY, MAX_EARLY_OF_ONE, Table
from azi_p2p.wire.envelope import NOWHERE, Place
from azi_p2p.wire.messages import Fold, SeatRequest
from tests.attacks.bench import sign
from tests.session.harness import Network, Peer, make_me


def waiting() -> tuple[Network, Peer]:
    """A table of six that waits for its players; its founder."""
    network = Network(8)
    me = make_me("Anna", 8)
    peer = network.add(Table.host(me, Params(seats=6), "Kitchen"), "Anna", me.identity.public, None)
    return network, peer


def moves(network: Network, founder: Peer, identity: IdentityKey, count: int) -> None:
    table = founder.table.table_id
    assert table is not None
    for number in range(count):
        place = Place("play", 1, 0, 3, number.to_bytes(32, "big"))
        network.inject(founder, sign(identity, table, place, Fold()))


def ask(network: Network, founder: Peer, identity: IdentityKey) -> None:
    table, params = founder.table.table_id, founder.table.gathering.params
    assert table is not None
    assert params is not None
    body = SeatRequest(nickname="Ben", nonce=identity.public, params=params)
    network.inject(founder, sign(identity, table, NOWHERE, body))


def test_moves_of_strangers_are_not_kept() -> None:
    network, founder = waiting()
    moves(network, founder, IdentityKey.from_seed(b"s" * 32), 10)
    assert not founder.table._early


def test_one_who_asks_for_a_seat_fills_a_part_of_the_room_and_no_more() -> None:
    network, founder = waiting()
    greedy = IdentityKey.from_seed(b"g" * 32)
    ask(network, founder, greedy)
    moves(network, founder, greedy, 3 * MAX_EARLY_OF_ONE)
    assert len(founder.table._early) == MAX_EARLY_OF_ONE
    for number in range(10):
        other = IdentityKey.from_seed(bytes([number]) * 32)
        ask(network, founder, other)
        moves(network, founder, other, MAX_EARLY_OF_ONE)
    assert len(founder.table._early) == MAX_EARLY
