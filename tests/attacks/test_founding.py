"""Foundings that aren't: by somebody else, twice, with a key on two seats, over other parameters."""

from __future__ import annotations

from itertools import count

import msgspec
import msgspec.inspect
import pytest

from azi_p2p.rules import Params
from azi_p2p.rules.params import CHOICES, RANGES
from azi_p2p.session.gathering import Gathering, wire_params
from azi_p2p.session.heads import table_id
from azi_p2p.session.table import Table
from azi_p2p.wire.envelope import NOWHERE, Envelope, decode_envelope
from azi_p2p.wire.messages import Founding, SeatRequest, TableParams
from tests.attacks.bench import sign
from tests.session.harness import Network, make_me

ANNA, BEN, KATYA = (make_me(name, 9).identity for name in ("Anna", "Ben", "Katya"))
NONCE = b"n" * 32
TABLE = table_id(ANNA.public, NONCE)
PARAMS = wire_params(Params(seats=2), "Kitchen")
NAMES = {ANNA.public: "Anna", BEN.public: "Ben", KATYA.public: "Katya"}
_numbers = count()


def seat(identity: object = ANNA, params: TableParams = PARAMS, nonce: bytes | None = None) -> Envelope:
    """A signed request for a seat; the founder's own makes the table."""
    assert isinstance(identity, type(ANNA))
    if nonce is None:
        nonce = NONCE if identity is ANNA else next(_numbers).to_bytes(32, "big")
    body = SeatRequest(nickname=NAMES[identity.public], nonce=nonce, params=params)
    return decode_envelope(sign(identity, TABLE, NOWHERE, body))


def founding(*seats: Envelope, by: object = ANNA) -> Envelope:
    assert isinstance(by, type(ANNA))
    return decode_envelope(sign(by, TABLE, NOWHERE, Founding(seats=[envelope.id for envelope in seats])))


def gathered(*envelopes: Envelope) -> Gathering:
    gathering = Gathering(TABLE)
    for envelope in envelopes:
        gathering.enter(envelope)
    return gathering


A, B = seat(), seat(BEN)


def test_the_founders_own_list_founds_the_table() -> None:
    founded = gathered(A, B, founding(A, B)).found()
    assert founded is not None
    play, envelopes = founded
    assert [member.key for member in play.members if member] == [ANNA.public, BEN.public]
    assert len(envelopes) == 3


def test_list_by_somebody_else() -> None:
    """It founds nothing, and doesn't stand in the way of the founder's."""
    false = founding(A, B, by=BEN)
    assert gathered(A, B, false).found() is None
    assert gathered(A, B, false, founding(A, B)).found() is not None


def test_list_by_somebody_else_that_comes_before_the_founder_is_known() -> None:
    """Nor does it then, or whoever is linked to a liar first would never get to the table."""
    false = founding(A, B, by=BEN)
    assert gathered(false, A, B).found() is None
    assert gathered(false, A, B, founding(A, B)).found() is not None
    assert gathered(false, founding(A, B), A, B, founding(A, B)).found() is not None


def test_second_list() -> None:
    gathering = gathered(A, B, seat(KATYA), founding(A, B))
    assert gathering.enter(founding(A, seat(KATYA))) is not None
    founded = gathering.found()
    assert founded is not None
    assert [member.key for member in founded[0].members if member] == [ANNA.public, BEN.public]


def test_list_in_which_the_founder_is_not_the_first() -> None:
    assert gathered(A, B, founding(B, A)).found() is None
    assert gathered(A, B, seat(KATYA), founding(B, seat(KATYA))).found() is None


def test_list_with_a_seat_twice() -> None:
    assert gathered(A, B, founding(A, A)).found() is None


def test_list_with_more_seats_than_there_are() -> None:
    third = seat(KATYA)
    assert gathered(A, B, third, founding(A, B, third)).found() is None


def test_list_with_somebody_who_has_signed_nothing() -> None:
    assert gathered(A, B, founding(A, seat(KATYA))).found() is None


def test_seat_signed_for_other_parameters() -> None:
    """Whether it comes before the founder's or after: whoever sits down has agreed to what is played for."""
    dearer = msgspec.structs.replace(PARAMS, ante=PARAMS.ante + 1)
    other = seat(BEN, dearer)
    assert gathered(A).enter(other) is not None
    assert gathered(other, A, founding(A, other)).found() is None


def test_no_parameters_that_the_wire_allows_are_refused_by_the_rules() -> None:
    """The bounds of a `seat` message are those of the rules, so nobody can be brought to a table that can't be."""
    bounds = {field.name: field.type for field in msgspec.inspect.type_info(TableParams).fields}  # type: ignore[attr-defined]  # a struct has fields
    for name, (low, high) in RANGES.items():
        kind = bounds[name]
        assert isinstance(kind, msgspec.inspect.IntType)
        assert (kind.ge, kind.le) == (low, high), name
    for name, choices in CHOICES.items():
        kind = bounds[name]
        assert isinstance(kind, msgspec.inspect.LiteralType)
        assert set(kind.values) == set(choices), name
    assert set(bounds) == {"name", "promoted_six", "rebuy", *RANGES, *CHOICES}


def test_another_peers_list_at_a_real_table() -> None:
    """The second of three founds the table without the third, before the founder does; nobody is fooled."""
    network = Network(9)
    names = ("Anna", "Ben", "Katya")
    params = Params(seats=3)
    for number, name in enumerate(names):
        me = make_me(name, 9)
        table = Table.host(me, params, "Kitchen") if number == 0 else Table.join(me)
        peer = network.add(table, name, me.identity.public, None)
        for other in network.peers[:-1]:
            network.link(other, peer)
        if number == 1:
            network.run(lambda: len(network.peers[0].table.gathering.seats) == 2, seconds=5)
            seats = list(network.peers[0].table.gathering.seats.values())
            table_name = network.peers[0].table.table_id
            assert table_name is not None
            false = Founding(seats=[seats[1].id, seats[0].id])
            network.inject(network.peers[0], sign(BEN, table_name, NOWHERE, false), network.peers[1].key)
    network.run(lambda: all(peer.table.lanes is not None for peer in network.peers))
    for peer in network.peers:
        assert peer.table.lanes is not None
        assert [member.key for member in peer.table.lanes.play.members if member] == [p.key for p in network.peers]


@pytest.mark.parametrize("field", ["nickname", "nonce"])
def test_seat_that_makes_another_table(field: str) -> None:
    """The id of a table is a hash of the founder's key and nonce: nobody else's seat can make it."""
    body = SeatRequest(nickname="Ben" if field == "nickname" else "Anna", nonce=NONCE, params=PARAMS)
    if field == "nonce":
        body = replace_nonce(body)
    identity = BEN if field == "nickname" else ANNA
    gathering = gathered(decode_envelope(sign(identity, TABLE, NOWHERE, body)))
    assert gathering.founder is None
    assert gathering.params is None


def replace_nonce(body: SeatRequest) -> SeatRequest:
    return msgspec.structs.replace(body, nonce=b"o" * 32)
