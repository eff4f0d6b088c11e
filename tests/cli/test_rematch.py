"""Which table is the next one of the same people, and how they hear of it."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
from collections.abc import AsyncIterator, Iterable, Sequence
from pathlib import Path

import pytest

from azi_p2p.cli import rematch
from azi_p2p.cli.peer import PeerOptions, RunningPeer, run_peer
from azi_p2p.cli.rematch import Again, Way, looking_out, next_of, next_table, same_again, table_of
from azi_p2p.crypto.identity import IdentityKey
from azi_p2p.net.addresses import Address, parse_address
from azi_p2p.net.discovery import Discovery
from azi_p2p.net.errors import LinkError
from azi_p2p.net.records import Sighting
from azi_p2p.net.tablecode import TableCode
from azi_p2p.rules import Params
from azi_p2p.session.commands import Command
from azi_p2p.session.events import Event
from azi_p2p.session.table import Table
from azi_p2p.session.view import TableView
from azi_p2p.store.profile import Profile
from azi_p2p.wire.messages import VERSION
from tests.net.test_discovery import announcement
from tests.ui.tables import gathering, key_of

WAY = Way(IdentityKey.generate(), loopback=True)


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
            return await next_of(dataclasses.replace(view, seats=seats), 10.0 if opened else 1.0, WAY, "")

    found = asyncio.run(run())
    assert (found is not None and found.table == said.table) is opened


class Hosted:
    """A person who has opened a table and waits for others."""

    def __init__(self) -> None:
        self.peer: asyncio.Future[RunningPeer] = asyncio.get_running_loop().create_future()

    def begin(self, peer: RunningPeer) -> None:
        self.peer.set_result(peer)

    def see(self, events: Sequence[Event], view: TableView) -> Iterable[Command]:
        return ()


@contextlib.asynccontextmanager
async def open_table(folder: Path, code: TableCode | None = None) -> AsyncIterator[tuple[bytes, bytes, str]]:
    """A table that nobody announces; gives its founder's key, its id, and where it listens."""
    with Profile.open(folder) as profile:
        hosted = Hosted()
        options = PeerOptions(loopback=True, discover=False, nickname="Ben", code=code)
        running = asyncio.ensure_future(
            run_peer(profile, lambda me: Table.host(me, Params(), "Kitchen"), hosted, options)
        )
        peer = await hosted.peer
        ((host, port),) = peer.addresses()
        view = peer.view()
        assert view is not None
        yield profile.identity.public, view.table, f"{host}:{port}"
        peer.stop()
        await running


def founded_by(key: bytes) -> TableView:
    """A table that has ended, opened by this key; the own seat is the second."""
    view = dataclasses.replace(ended(), my_seat=1, founder=False)
    return dataclasses.replace(view, seats=(dataclasses.replace(view.seats[0], key=key), *view.seats[1:]))


@pytest.mark.parametrize("code", [None, TableCode("1234 5678")], ids=["open", "private"])
def test_where_nothing_is_announced_the_next_table_is_found_at_the_founders_address(
    tmp_path: Path, code: TableCode | None
) -> None:
    async def run() -> None:
        async with open_table(tmp_path / "ben", code) as (key, table, address):
            way = dataclasses.replace(WAY, code=code)
            found = await next_of(founded_by(key), 20.0, way, address)
            assert found == Again(founded_by(key).params, "Kitchen", table, address=address)
            same = dataclasses.replace(founded_by(key), table=table)
            assert await next_of(same, 1.0, way, address) is None, "that is the old table itself"
            assert await next_of(founded_by(key_of(3)), 1.0, way, address) is None, "somebody else listens there now"
            cheat = dataclasses.replace(founded_by(key).seats[0], faulted=True)
            barred = dataclasses.replace(founded_by(key), seats=(cheat, *founded_by(key).seats[1:]))
            assert await next_of(barred, 1.0, way, address) is None, "whoever broke the rules isn't followed"
            with pytest.raises(LinkError):
                await table_of(key, parse_address(address), Way(IdentityKey.generate(), TableCode("8765 4321"), True))

    asyncio.run(run())


def test_an_offer_is_taken_back_when_the_founder_has_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rematch, "ASK_AGAIN", 0.05)

    async def run() -> None:
        offers: asyncio.Queue[Again | None] = asyncio.Queue()
        async with open_table(tmp_path / "ben") as (key, table, address):
            around = looking_out(founded_by(key), WAY, address, offers.put_nowait)
            await around.__aenter__()
            first = await offers.get()
            assert first is not None
            assert first.table == table
        assert await offers.get() is None
        await around.__aexit__(None, None, None)

    asyncio.run(run())
