"""Discovery by real mDNS on the loopback interface: no packet leaves this computer."""

from __future__ import annotations

import asyncio
import dataclasses
import secrets
import sys
from collections.abc import Callable

import pytest
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

from azi_p2p.net import discovery
from azi_p2p.net.discovery import Discovery, find_table, find_tables
from azi_p2p.net.records import SERVICE_TYPE, Announcement, Sighting
from tests.net.conftest import identity, in_loop


def announcement(number: int, **changes: object) -> Announcement:
    """A table of a peer; the id is fresh, so that other tests on this machine don't get in the way."""
    made = Announcement(
        peer=identity(number).public,
        nickname=f"Player {number}",
        table=secrets.token_bytes(32),
        table_name="Kitchen",
        seats=4,
        free=3,
        ante=10,
        params=bytes(32),
    )
    return dataclasses.replace(made, **changes)  # type: ignore[arg-type]  # fields by name


class Eyes:
    """Waits for sightings."""

    def __init__(self) -> None:
        self.seen: list[Sighting] = []
        self.gone: list[Sighting] = []
        self.changed = asyncio.Event()

    def look(self, sighting: Sighting) -> None:
        self.seen.append(sighting)
        self.changed.set()

    def miss(self, sighting: Sighting) -> None:
        self.gone.append(sighting)
        self.changed.set()

    async def until(self, condition: Callable[[Sighting], bool]) -> Sighting:
        while True:
            for sighting in self.seen:
                if condition(sighting):
                    return sighting
            self.changed.clear()
            await self.changed.wait()


@in_loop
async def test_two_find_each_other() -> None:
    eyes = [Eyes(), Eyes()]
    said = [announcement(1), announcement(2)]
    async with (
        Discovery(loopback=True, on_change=eyes[0].look) as anna,
        Discovery(loopback=True, on_change=eyes[1].look) as ben,
    ):
        await anna.announce(said[0], 4001)
        await ben.announce(said[1], 4002)
        bens_view = await eyes[1].until(lambda one: one.table == said[0].table)
        annas_view = await eyes[0].until(lambda one: one.table == said[1].table)
        assert (bens_view.nickname, bens_view.free, str(bens_view.addresses[0])) == ("Player 1", 3, "127.0.0.1:4001")
        assert (annas_view.nickname, str(annas_view.addresses[0])) == ("Player 2", "127.0.0.1:4002")
        assert said[1].peer in [one.peer for one in anna.sightings]
        assert said[0].peer not in [one.peer for one in anna.sightings], "our own record is no sighting"


@in_loop
async def test_changes_are_told_and_a_goodbye_is_heard() -> None:
    eyes = Eyes()
    said = announcement(3)
    async with Discovery(loopback=True, on_change=eyes.look, on_gone=eyes.miss) as watcher:
        async with Discovery(loopback=True) as host:
            await host.announce(said, 4003)
            await eyes.until(lambda one: one.table == said.table and one.free == 3)
            await host.announce(dataclasses.replace(said, free=0), 4003)
            await eyes.until(lambda one: one.table == said.table and one.free == 0)
            # Another nickname is another record; the first one goes.
            await host.announce(dataclasses.replace(said, nickname="Renamed. Twice"), 4003)
            await eyes.until(lambda one: one.table == said.table and one.nickname == "Renamed. Twice")
        while not any(one.nickname == "Renamed. Twice" for one in eyes.gone):
            await eyes.changed.wait()
            eyes.changed.clear()
        assert said.table not in [one.table for one in watcher.sightings]


@in_loop
async def test_find_table_waits_for_the_one_wanted() -> None:
    said = announcement(4)
    async with Discovery(loopback=True) as host:
        looking = asyncio.ensure_future(find_table(lambda one: one.table == said.table, 20, loopback=True))
        await host.announce(said, 4004)
        found = await looking
        assert found is not None
        assert found.peer == said.peer
        assert said.table in [one.table for one in await find_tables(1.0, loopback=True)]
    assert await find_table(lambda one: one.table == bytes(32), 0.2, loopback=True) is None


@in_loop
async def test_hostile_records_are_passed_over() -> None:
    eyes = Eyes()
    honest = announcement(5)
    zeroconf = AsyncZeroconf(interfaces=["127.0.0.1"])
    try:
        for number, fields in enumerate(
            [
                {},
                {**honest.fields(), "n": "x" * 200},
                {**honest.fields(), "k": "00"},
                {**honest.fields(), "s": "99"},
                {**honest.fields(), "v": "NaN"},
            ]
        ):
            info = AsyncServiceInfo(
                SERVICE_TYPE,
                f"hostile {number}.{SERVICE_TYPE}",
                port=4005,
                properties=fields,
                server=f"hostile-{number}.local.",
                parsed_addresses=["127.0.0.1"],
            )
            await zeroconf.async_register_service(info, cooperating_responders=True)
        async with Discovery(loopback=True, on_change=eyes.look) as watcher, Discovery(loopback=True) as host:
            await host.announce(honest, 4006)
            await eyes.until(lambda one: one.table == honest.table)
            while watcher._resolving:
                await asyncio.wait(list(watcher._resolving.values()))
            mine = [one for one in eyes.seen if one.table == honest.table]
            assert {one.addresses[0].port for one in mine} == {4006}
    finally:
        await zeroconf.async_close()


SHORT_LIVED = """
import asyncio, sys
from azi_p2p.net import discovery
from tests.net.test_discovery import announcement
discovery.TTL = 3
async def main():
    async with discovery.Discovery(loopback=True) as host:
        await host.announce(announcement(6, table=bytes.fromhex(sys.argv[1])), 4007)
        await asyncio.Event().wait()
asyncio.run(main())
"""


@in_loop
async def test_a_peer_that_was_killed_disappears_and_is_seen_again_when_it_is_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(discovery, "LOOK_AGAIN", 0.5)
    monkeypatch.setattr(discovery, "RESOLVE_MS", 300)
    table = secrets.token_bytes(32)
    eyes = Eyes()
    async with Discovery(loopback=True, on_change=eyes.look, on_gone=eyes.miss):
        for _ in range(2):
            host = await asyncio.create_subprocess_exec(sys.executable, "-c", SHORT_LIVED, table.hex())
            try:
                await eyes.until(lambda one: one.table == table)
            finally:
                host.kill()
                await host.wait()
            while not any(one.table == table for one in eyes.gone):
                eyes.changed.clear()
                await eyes.changed.wait()
            eyes.seen.clear()
            eyes.gone.clear()
