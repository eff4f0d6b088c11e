"""The links of one table: who is dialled, which link stands, what is told on, and what strangers can't do."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import pytest

from azi_p2p.crypto.identity import IdentityKey
from azi_p2p.net.addresses import Address
from azi_p2p.net.certificate import dialer_context
from azi_p2p.net.contacts import Contact
from azi_p2p.net.errors import LinkEnd, LinkError, NetError
from azi_p2p.net.link import Timing, dial
from azi_p2p.net.mesh import Limits, Mesh
from azi_p2p.wire.frame import EnvelopeFrame, Frame, PeerAddress, PeersFrame
from tests.net.conftest import STEADY, identity, in_loop

PATIENCE = 20.0
"""Seconds after which what should have happened won't any more."""


@dataclass
class Peer:
    """A mesh and everything that it has told its user."""

    key: IdentityKey
    up: list[bytes] = field(default_factory=list)
    log: list[tuple[str, bytes]] = field(default_factory=list)
    heard: list[tuple[bytes, Frame]] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    mesh: Mesh = field(init=False)
    running: asyncio.Task[None] | None = None

    def link_up(self, peer: bytes) -> None:
        assert peer not in self.up, "a link came up twice"
        self.up.append(peer)
        self.log.append(("up", peer))
        self.changed.set()

    def link_down(self, peer: bytes) -> None:
        self.up.remove(peer)
        self.log.append(("down", peer))
        self.changed.set()

    def receive(self, frame: Frame, peer: bytes) -> None:
        assert peer in self.up, "a frame came on no link"
        self.heard.append((peer, frame))
        self.changed.set()

    @property
    def address(self) -> Address:
        return Address("127.0.0.1", self.mesh.port)

    async def until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            self.changed.clear()
            await self.changed.wait()

    async def stop(self) -> None:
        assert self.running is not None
        self.running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self.running
        self.mesh.close()


async def start(number: int, port: int = 0, limits: Limits | None = None, timing: Timing = STEADY) -> Peer:
    peer = Peer(identity(number))
    peer.mesh = Mesh(peer.key, peer, port=port, loopback=True, timing=timing, limits=limits)
    await peer.mesh.listen()
    peer.running = asyncio.ensure_future(peer.mesh.run())
    return peer


@contextlib.asynccontextmanager
async def peers(count: int, limits: Limits | None = None, timing: Timing = STEADY) -> AsyncIterator[list[Peer]]:
    started = [await start(number, limits=limits, timing=timing) for number in range(1, count + 1)]
    try:
        yield started
    finally:
        for peer in started:
            await peer.stop()


def words(text: bytes) -> EnvelopeFrame:
    return EnvelopeFrame(envelope=text)


@in_loop
async def test_typed_address_links_and_frames_arrive_in_order() -> None:
    async with peers(2) as (anna, ben):
        assert await anna.mesh.introduce(ben.address) == ben.key.public
        await anna.until(lambda: anna.up == [ben.key.public])
        await ben.until(lambda: ben.up == [anna.key.public])
        sent = [words(bytes([number])) for number in range(100)]
        for frame in sent:
            anna.mesh.send(frame)
        await ben.until(lambda: len(ben.heard) == 100)
        assert ben.heard == [(anna.key.public, frame) for frame in sent]


@in_loop
async def test_send_reaches_one_all_or_all_but_some() -> None:
    async with peers(3) as (anna, ben, katya):
        for other in (ben, katya):
            await anna.mesh.introduce(other.address)
        await anna.until(lambda: len(anna.up) == 2)
        anna.mesh.send(words(b"all"))
        anna.mesh.send(words(b"Ben"), to=ben.key.public)
        anna.mesh.send(words(b"not Ben"), but=frozenset({ben.key.public}))
        anna.mesh.send(words(b"nobody"), to=identity(9).public)
        assert await anna.mesh.drain(5)
        assert [frame for _, frame in ben.heard] == [words(b"all"), words(b"Ben")]
        assert [frame for _, frame in katya.heard] == [words(b"all"), words(b"not Ben")]


@in_loop
async def test_one_typed_address_is_enough_to_find_everybody() -> None:
    async with peers(5) as everybody:
        first, *others = everybody
        for other in others:
            await other.mesh.introduce(first.address)
        for peer in everybody:
            await peer.until(lambda peer=peer: len(peer.up) == 4)  # type: ignore[misc]  # bound at once


@in_loop
async def test_both_dial_at_once_and_one_link_stands() -> None:
    for _ in range(10):
        async with peers(2) as (anna, ben):
            await asyncio.gather(anna.mesh.introduce(ben.address), ben.mesh.introduce(anna.address))
            # Whatever came first: in the end both stand on one link, and it carries frames both ways.
            lower, higher = sorted((anna, ben), key=lambda peer: peer.key.public)
            await lower.until(lambda lower=lower, higher=higher: lower.up == [higher.key.public])  # type: ignore[misc]
            lower.mesh.send(words(b"from the lower"))
            await higher.until(lambda higher=higher: words(b"from the lower") in [frame for _, frame in higher.heard])  # type: ignore[misc]
            higher.mesh.send(words(b"from the higher"))
            await lower.until(lambda lower=lower: words(b"from the higher") in [frame for _, frame in lower.heard])  # type: ignore[misc]
            [link] = lower.mesh._links.values()
            assert link.outgoing
            [link] = higher.mesh._links.values()
            assert not link.outgoing


@in_loop
async def test_peer_that_comes_back_is_linked_again_by_itself() -> None:
    async with peers(1) as (anna,):
        ben = await start(2)
        port = ben.mesh.port
        await anna.mesh.introduce(ben.address)
        await anna.until(lambda: anna.up == [ben.key.public])
        await ben.stop()
        await anna.until(lambda: not anna.up)
        ben = await start(2, port=port)
        await anna.until(lambda: anna.up == [ben.key.public])
        await ben.stop()
        assert [what for what, _ in anna.log][:3] == ["up", "down", "up"]


@in_loop
async def test_restarted_peer_replaces_its_old_link() -> None:
    async with peers(1) as (anna,):
        ben = await start(2)
        await ben.mesh.introduce(anna.address)
        await anna.until(lambda: anna.up == [ben.key.public])
        # The same key calls again while the old link still stands: its process was killed, say.
        again = await start(2)
        await again.mesh.introduce(anna.address)
        await anna.until(lambda: [what for what, _ in anna.log] == ["up", "down", "up"])
        anna.mesh.send(words(b"hello again"))
        await again.until(lambda: words(b"hello again") in [frame for _, frame in again.heard])
        assert not ben.heard
        await ben.stop()
        await again.stop()


@in_loop
async def test_dropped_peer_is_refused_for_a_while_and_then_taken_back() -> None:
    async with peers(2, limits=Limits(barred=0.5)) as (anna, ben):
        await ben.mesh.introduce(anna.address)
        await anna.until(lambda: anna.up == [ben.key.public])
        anna.mesh.drop(ben.key.public, "it sent nonsense")
        await anna.until(lambda: not anna.up)
        await ben.until(lambda: not ben.up)
        dropped = asyncio.get_running_loop().time()
        # Ben dials again and again by himself.
        await anna.until(lambda: anna.up == [ben.key.public])
        assert asyncio.get_running_loop().time() - dropped > 0.3


@in_loop
async def test_own_address_is_refused_in_words() -> None:
    async with peers(1) as (anna,):
        with pytest.raises(LinkError) as caught:
            await anna.mesh.introduce(anna.address)
        assert caught.value.code == "own_key"
        assert not anna.up


@in_loop
async def test_taken_port_is_said_in_one_line() -> None:
    async with peers(1) as (anna,):
        other = Mesh(identity(2), anna, port=anna.mesh.port, loopback=True)
        with pytest.raises(NetError, match=f"port {anna.mesh.port} can't be used"):
            await other.listen()


@in_loop
async def test_calls_are_capped_before_tls_and_seated_peers_still_get_out() -> None:
    async with peers(2, limits=Limits(incoming=5, per_host=5), timing=Timing(setup=5.0)) as (anna, ben):
        silent = [await asyncio.open_connection("127.0.0.1", anna.mesh.port) for _ in range(5)]
        # The sixth is hung up on at once, long before any time limit.
        with pytest.raises((ConnectionError, ssl.SSLError)):
            await asyncio.open_connection("127.0.0.1", anna.mesh.port, ssl=dialer_context(), server_hostname="azi")
        with pytest.raises(LinkError):
            await ben.mesh.introduce(anna.address)
        # A peer with a place at the table gets through all the same, by our own call.
        assert await anna.mesh.introduce(ben.address) == ben.key.public
        await anna.until(lambda: anna.up == [ben.key.public])
        # When the time of the silent ones is up, there is room again.
        for reader, writer in silent:
            assert await reader.read() == b""
            writer.close()
        katya = await start(3)
        try:
            katya.mesh.suggest(anna.key.public, [anna.address])
            await anna.until(lambda: katya.key.public in anna.up)
        finally:
            await katya.stop()


@in_loop
async def test_one_address_cant_take_all_the_room() -> None:
    async with peers(1, limits=Limits(incoming=10, per_host=3)) as (anna,):
        opened = [await asyncio.open_connection("127.0.0.1", anna.mesh.port) for _ in range(3)]
        reader, writer = await asyncio.open_connection("127.0.0.1", anna.mesh.port)
        with contextlib.suppress(ConnectionError):
            assert await reader.read() == b""
        assert anna.mesh._calls["127.0.0.1"] == 3
        for _, one in [*opened, (reader, writer)]:
            one.close()


@in_loop
async def test_hostile_hints_lead_nowhere() -> None:
    hosts = [
        "224.0.0.251",
        "::ffff:224.0.0.251",
        "ff02::1",
        "0.0.0.0",
        "::",
        "255.255.255.255",
        "240.0.0.1",
        "example.org",
        "127.0.0.1; reboot",
    ]
    async with peers(2) as (anna, eve), asyncio.timeout(PATIENCE):
        await eve.mesh.introduce(anna.address)
        await anna.until(lambda: anna.up == [eve.key.public])
        await eve.until(lambda: eve.up == [anna.key.public])
        strangers = {host: identity(number).public for number, host in enumerate(hosts, 10)}
        eve.mesh.send(PeersFrame(peers=[PeerAddress(peer=key, host=host, port=9) for host, key in strangers.items()]))
        eve.mesh.send(PeersFrame(peers=[PeerAddress(peer=anna.key.public, host="127.0.0.1", port=9)]))
        possible = identity(9).public
        eve.mesh.send(PeersFrame(peers=[PeerAddress(peer=possible, host="127.0.0.1", port=9)]))
        assert await eve.mesh.drain(PATIENCE)
        contacts = anna.mesh._contacts
        assert contacts.get(possible) is not None, "hints are heard at all"
        assert [host for host, key in strangers.items() if contacts.get(key) is not None] == []
        assert contacts.get(anna.key.public) is None
        assert anna.up == [eve.key.public]


@in_loop
async def test_own_address_under_anothers_name_is_found_out_and_forgotten() -> None:
    async with peers(2) as (anna, eve), asyncio.timeout(PATIENCE):
        await eve.mesh.introduce(anna.address)
        await anna.until(lambda: anna.up == [eve.key.public])
        await eve.until(lambda: eve.up == [anna.key.public])
        stranger, contacts = identity(9).public, anna.mesh._contacts
        failed = contacts.failed

        def watch(contact: Contact, now: float) -> None:
            failed(contact, now)
            anna.changed.set()

        contacts.failed = watch  # type: ignore[method-assign]  # to look over its shoulder
        eve.mesh.send(PeersFrame(peers=[PeerAddress(peer=stranger, host="127.0.0.1", port=anna.mesh.port)]))
        await anna.until(lambda: (contact := contacts.get(stranger)) is not None and contact.failures > 0)
        contact = contacts.get(stranger)
        assert contact is not None
        assert not contact.addresses
        assert anna.up == [eve.key.public]


@in_loop
async def test_fault_in_what_we_do_with_a_frame_ends_the_mesh() -> None:
    async with peers(2) as (anna, ben):
        await anna.mesh.introduce(ben.address)
        await ben.until(lambda: bool(ben.up))

        def fail(frame: Frame, peer: bytes) -> None:
            raise RuntimeError("our own fault")

        anna.receive = fail  # type: ignore[method-assign]  # this once
        ben.mesh.send(words(b"anything"))
        assert anna.running is not None
        with pytest.raises(ExceptionGroup) as caught:
            await anna.running
        assert caught.group_contains(RuntimeError, match="our own fault")
        anna.running = asyncio.ensure_future(asyncio.sleep(0))


@in_loop
async def test_a_peer_that_has_lost_its_link_need_not_wait_until_the_other_side_notices() -> None:
    async with peers(2) as (anna, ben):
        low, high = sorted((anna, ben), key=lambda peer: peer.key.public)
        await low.mesh.introduce(high.address)
        await low.until(lambda: low.up == [high.key.public])
        # As if made long ago: whoever dials now can't have begun before it stood.
        low.mesh._links[high.key.public].since -= 3 * STEADY.setup
        link = await dial("127.0.0.1", low.mesh.port, high.key, expected=low.key.public, timing=STEADY)
        serving = asyncio.ensure_future(link.run(lambda _: None))
        try:
            await low.until(lambda: [what for what, _ in low.log] == ["up", "down", "up"])
            assert not low.mesh._links[high.key.public].outgoing
            assert not link.closing
        finally:
            link.close(LinkEnd.CLOSED, "the test is over")
            await serving


@in_loop
async def test_of_two_links_made_at_once_the_one_of_the_lower_key_stands() -> None:
    async with peers(2) as (anna, ben):
        low, high = sorted((anna, ben), key=lambda peer: peer.key.public)
        await low.mesh.introduce(high.address)
        await low.until(lambda: low.up == [high.key.public])
        link = await dial("127.0.0.1", low.mesh.port, high.key, expected=low.key.public, timing=STEADY)
        assert (await link.run(lambda _: None)).code == "closed"
        assert [what for what, _ in low.log] == ["up"]
        assert low.mesh._links[high.key.public].outgoing
