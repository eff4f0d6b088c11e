"""What strangers may do at the door: how many they may be, how long their words, and whom they may pass for."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from azi_p2p.crypto.identity import IdentityKey
from azi_p2p.net.addresses import Address
from azi_p2p.net.certificate import dialer_context
from azi_p2p.net.contacts import Contact
from azi_p2p.net.errors import LinkError
from azi_p2p.net.hello import MAX_HELLO, Hello
from azi_p2p.net.mesh import Limits
from azi_p2p.wire.frame import HEADER, PeerAddress, PeersFrame
from tests.net.conftest import identity, in_loop
from tests.net.test_link import taken_from
from tests.net.test_mesh import peers

PATIENCE = 20.0
"""Seconds after which what should have happened won't any more."""


@in_loop
async def test_one_call_more_than_are_taken_from_all_addresses_together() -> None:
    async with peers(1, limits=Limits(incoming=3, per_host=16)) as (anna,):
        opened = [await asyncio.open_connection("127.0.0.1", anna.mesh.port) for _ in range(3)]
        reader, writer = await asyncio.open_connection("127.0.0.1", anna.mesh.port)
        async with asyncio.timeout(PATIENCE):
            with contextlib.suppress(ConnectionError):
                assert await reader.read() == b""
        assert anna.mesh._calls.total() == 3
        for _, one in [*opened, (reader, writer)]:
            one.close()


@in_loop
async def test_a_peer_that_was_hung_up_on_is_not_taken_at_once() -> None:
    async with peers(2, limits=Limits(barred=600.0)) as (anna, ben), asyncio.timeout(PATIENCE):
        await ben.mesh.introduce(anna.address)
        await anna.until(lambda: anna.up == [ben.key.public])
        await ben.until(lambda: ben.up == [anna.key.public])
        anna.mesh.drop(ben.key.public, "it sent nonsense")
        await anna.until(lambda: not anna.up)
        await ben.until(lambda: not ben.up)
        ben.log.clear()
        with contextlib.suppress(LinkError):
            await ben.mesh.introduce(anna.address)
            await ben.until(lambda: ("down", anna.key.public) in ben.log)
        assert anna.log == [("up", ben.key.public), ("down", ben.key.public)]


@in_loop
async def test_hint_that_leads_to_another_peer() -> None:
    """Eve says that a stranger listens where Ben does. Anna looks, finds that it isn't so, and makes no link of it."""
    async with peers(3) as (anna, ben, eve), asyncio.timeout(PATIENCE):
        stranger = identity(10).public
        forgotten: list[Address] = []
        forget = anna.mesh._contacts.forget

        def watch(contact: Contact, address: Address) -> None:
            forgotten.append(address)
            forget(contact, address)
            anna.changed.set()

        anna.mesh._contacts.forget = watch  # type: ignore[method-assign]  # to look over its shoulder
        await eve.mesh.introduce(anna.address)
        await anna.until(lambda: anna.up == [eve.key.public])
        await eve.until(lambda: eve.up == [anna.key.public])
        eve.mesh.send(PeersFrame(peers=[PeerAddress(peer=stranger, host="127.0.0.1", port=ben.mesh.port)]))
        await anna.until(lambda: bool(forgotten))
        assert forgotten == [ben.address]
        assert anna.up == [eve.key.public]
        assert not ben.up


@in_loop
async def test_hello_is_refused_by_its_length_before_any_of_it_has_come() -> None:
    async def call(port: int) -> None:
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", port, ssl=dialer_context(), server_hostname="azi", ssl_shutdown_timeout=0.2
        )
        writer.write(HEADER.pack(MAX_HELLO + 1))
        with contextlib.suppress(ConnectionError):
            await reader.read()
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()

    assert (await taken_from(call)).code == "bad_hello"


def test_hello_in_another_encoding() -> None:
    """The same values in one byte more: whoever signs it says the same, but nobody honest writes it so."""
    listener = Hello(IdentityKey.from_seed(b"b" * 32), "listener", bytes(32))
    opening = Hello(IdentityKey.from_seed(b"a" * 32), "dialer", bytes(32)).opening()
    longer = opening.replace(b"version\x01", b"version\xcc\x01")
    assert len(longer) == len(opening) + 1
    with pytest.raises(LinkError) as caught:
        listener.answer(longer)
    assert caught.value.code == "bad_hello"
    listener.answer(opening)
