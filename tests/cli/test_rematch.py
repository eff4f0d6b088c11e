"""Which table is the next one of the same people, and how they hear of it."""

from __future__ import annotations

import asyncio
import dataclasses

import pytest

from azi_p2p.cli.rematch import Again, next_of, next_table, same_again
from azi_p2p.net.addresses import Address
from azi_p2p.net.discovery import Discovery
from azi_p2p.net.records import Sighting
from azi_p2p.rules import Params
from azi_p2p.session.view import TableView
from azi_p2p.wire.messages import VERSION
from tests.net.test_discovery import announcement
from tests.ui.tables import gathering, key_of


def ended(seats: int = 4, **changes: bool) -> TableView:
    """A table of so many people that has ended; the last one is in another state."""
    view = gathering(Params(seats=seats, ante=30), seats)
    last = dataclasses.replace(view.seats[-1], **changes)  # type: ignore[arg-type]  # fields that are switches
    return dataclasses.replace(view, seats=(*view.seats[:-1], last))


def sighting(peer: bytes, **changes: object) -> Sighting:
    seen = Sighting(
        peer=peer,
        nickname="Ben",
        table=b"n" * 32,
        table_name="Next",
        version=VERSION,
        seats=4,
        free=2,
        ante=30,
        params=bytes(32),
        addresses=(Address("127.0.0.1", 4000),),
        seen=1.0,
    )
    return dataclasses.replace(seen, **changes)  # type: ignore[arg-type]  # fields of a sighting


def test_the_next_table_has_the_same_rules_and_a_seat_for_each_who_is_still_there() -> None:
    assert same_again(ended()) == Again(Params(seats=4, ante=30), "Kitchen")
    assert same_again(ended(), 4000).port == 4000, "an address that was typed leads to the next table too"
    assert same_again(ended(gone=True)).params == Params(seats=3, ante=30)
    assert same_again(ended(faulted=True)).params == Params(seats=3, ante=30)
    assert same_again(ended(away=True)).params == Params(seats=4, ante=30)
    assert same_again(ended(2, gone=True)).params.seats == 2, "a table has two seats at least"


def test_only_a_new_table_of_one_of_them_with_room_is_offered() -> None:
    view = ended()
    assert next_table(view, sighting(key_of(1))) == Again(view.params, "Next", b"n" * 32)
    for other in (
        sighting(b"stranger" * 4),
        sighting(key_of(0)),
        sighting(key_of(1), table=view.table),
        sighting(key_of(1), free=0),
        sighting(key_of(1), version=VERSION + 1),
    ):
        assert next_table(view, other) is None
    assert next_table(ended(faulted=True), sighting(key_of(3))) is None, "whoever broke the rules isn't followed"


@pytest.mark.parametrize("opened", [True, False])
def test_the_next_table_is_heard_of_by_mdns(opened: bool) -> None:
    said = announcement(1, table_name="Next")

    async def run() -> Again | None:
        view = ended()
        seats = (view.seats[0], dataclasses.replace(view.seats[1], key=said.peer), *view.seats[2:])
        async with Discovery(loopback=True) as other:
            await other.announce(said if opened else dataclasses.replace(said, peer=b"s" * 32), 41000)
            return await next_of(dataclasses.replace(view, seats=seats), 10.0 if opened else 1.0, loopback=True)

    found = asyncio.run(run())
    assert (found is not None and found.table == said.table) is opened
