"""Floods, silent sockets, slow senders and garbage against a peer that plays: it plays on, and stays small.

One table of two bots, each a process of its own, plays through all of this; the attackers are strangers in this
process, on 127.0.0.1. After each attack the game has gone on, the host's memory is within 50 MB of what it was before
the first, and whoever misbehaved has been hung up on.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, count, islice

import pytest

from azi_p2p.audit.verify import verify_ledger
from azi_p2p.crypto.identity import IdentityKey
from azi_p2p.net.link import Link, dial
from azi_p2p.session.allowance import status_allowance, useless_allowance
from azi_p2p.wire import messages
from azi_p2p.wire.envelope import NOWHERE, SIGNATURE_DOMAIN, decode_envelope, encode_payload, seal
from azi_p2p.wire.frame import (
    HEADER,
    MAX_FRAME,
    EnvelopeFrame,
    Frame,
    PeerAddress,
    PeersFrame,
    PingFrame,
    StatusFrame,
    decode_frame,
    encode_frame,
)
from tests.hostile.playing import PlayingTable

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads memory use under /proc"),
    pytest.mark.timeout(300),
]

MOST = 50 * 1024 * 1024
"""Bytes by which the host may have grown."""

PATIENCE = 150.0
"""Seconds in which a flood has to be hung up on, also where the machine is busy with other things."""

_numbers = count(1)


class Attacked:
    """The table, and what its host's memory was before anything happened."""

    def __init__(self, table: PlayingTable) -> None:
        self.table = table
        self.before = table.memory()

    def is_well(self) -> None:
        """It plays on and hasn't grown."""
        grown = self.table.memory() - self.before
        assert grown < MOST, f"the host grew by {grown / 2**20:.1f} MiB"
        self.table.plays_on()


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attacked]:
    with PlayingTable(tmp_path_factory.mktemp("floods")) as table:
        yield Attacked(table)


def stranger() -> IdentityKey:
    """Another key each time: one that was hung up on is refused for a while."""
    return IdentityKey.from_seed(next(_numbers).to_bytes(32, "big"))


async def linked(port: int, identity: IdentityKey | None = None) -> Link:
    return await dial("127.0.0.1", port, identity or stranger())


async def params_of(link: Link) -> tuple[bytes, messages.TableParams]:
    """What the table is, as its founder's first words tell everybody who calls."""
    while True:
        frame = decode_frame(await link._stream.read(MAX_FRAME))
        if isinstance(frame, StatusFrame):
            link._stream.write(encode_frame(status(frame.table, 0)))
        if isinstance(frame, EnvelopeFrame):
            envelope = decode_envelope(frame.envelope)
            if isinstance(envelope.body, messages.SeatRequest):
                return envelope.table, envelope.body.params


async def abort(writer: asyncio.StreamWriter) -> None:
    """Drop our end at once."""
    writer.transport.abort()
    with contextlib.suppress(OSError):
        await writer.wait_closed()


async def hangs_up(link: Link, frames: Iterable[Frame], *, reading: bool = True) -> bool:
    """Send these without end, as fast as they are taken; whether the other side hangs up on us in the end.

    There must be no end to them: who falls silent is hung up on for that alone.
    """

    async def read() -> None:
        with contextlib.suppress(asyncio.IncompleteReadError):
            while True:
                await link._stream.read(MAX_FRAME)

    reader = asyncio.ensure_future(read()) if reading else None
    try:
        async with asyncio.timeout(PATIENCE):
            for frame in frames:
                link._stream.write(encode_frame(frame))
                await link._stream.drain()
                if reader is not None and reader.done():
                    break
                await asyncio.sleep(0)  # drain doesn't wait while there is room: the reader has its turn
    except TimeoutError:  # before OSError, of which it is one
        return False
    except OSError:
        return True
    finally:
        if reader is not None:
            reader.cancel()
        await link._stream.abort()
    return True


def signed(identity: IdentityKey, table: bytes, body: messages.Body) -> EnvelopeFrame:
    payload = encode_payload(table, identity.public, NOWHERE, body)
    return EnvelopeFrame(seal(payload, identity.sign(SIGNATURE_DOMAIN, payload)))


def status(table: bytes, step: int) -> StatusFrame:
    return StatusFrame(
        table=table,
        deal=0,
        step=step,
        head=bytes(32),
        held=0,
        deck_deal=0,
        deck_attempt=0,
        deck_step=0,
        deck_held=0,
        wants_answer=True,
    )


def chats(table: bytes, _params: messages.TableParams) -> Iterator[Frame]:
    identity = stranger()
    for number in count(1):
        yield signed(identity, table, messages.Chat(number=number, text="spam"))


def seats(table: bytes, params: messages.TableParams) -> Iterator[Frame]:
    while True:
        yield signed(stranger(), table, messages.SeatRequest(nickname="Nobody", nonce=os.urandom(32), params=params))


def questions(table: bytes, _params: messages.TableParams) -> Iterator[Frame]:
    for step in count():
        yield status(table, step % 2**31)


def other_tables(_table: bytes, params: messages.TableParams) -> Iterator[Frame]:
    for number in count():
        yield signed(stranger(), number.to_bytes(32, "big"), messages.Chat(number=1, text="elsewhere"))


@pytest.mark.parametrize(
    ("make", "least"),
    [
        (chats, useless_allowance().burst),
        (seats, useless_allowance().burst),
        # Whoever doesn't read the answers as fast as they come is hung up on for that.
        (questions, status_allowance().burst),
        (other_tables, useless_allowance().burst),
    ],
)
def test_floods_are_hung_up_on(
    attacked: Attacked, make: Callable[[bytes, messages.TableParams], Iterator[Frame]], least: float
) -> None:
    """Not at the first word, though: an honest peer may be out of date."""
    sent = 0

    async def attack() -> bool:
        asking = await linked(attacked.table.port)
        frames = make(*await params_of(asking))
        await asking._stream.abort()
        # Signed beforehand: a busy machine might not sign them faster than a patient peer puts up with.
        ready = list(islice(frames, round(2 * useless_allowance().burst)))

        def counted() -> Iterator[Frame]:
            nonlocal sent
            for frame in chain(ready, frames):
                sent += 1
                yield frame

        return await hangs_up(await linked(attacked.table.port), counted())

    assert asyncio.run(attack())
    assert sent >= least
    attacked.is_well()


def test_pings_and_addresses_without_end_take_nothing_away(attacked: Attacked) -> None:
    """They are cheap, so nobody is hung up on for them; they are read at a measured pace, and little is kept."""

    def frames() -> Iterator[Frame]:
        for number in range(2500):
            yield PingFrame(number=number, reply=False)
            peers = [
                PeerAddress(peer=os.urandom(32), host=f"127.0.{number % 256}.{at + 1}", port=9) for at in range(32)
            ]
            if number % 10 == 0:
                yield PeersFrame(peers=peers)

    async def attack() -> None:
        link = await linked(attacked.table.port)
        for frame in frames():
            link._stream.write(encode_frame(frame))
            await link._stream.drain()
        await link._stream.abort()

    asyncio.run(attack())
    attacked.is_well()


def test_a_crowd_that_asks_and_never_reads(attacked: Attacked) -> None:
    async def one() -> bool:
        link = await linked(attacked.table.port)
        table, params = await params_of(link)
        return await hangs_up(link, questions(table, params), reading=False)

    async def attack() -> list[bool | BaseException]:
        return await asyncio.gather(*(one() for _ in range(6)), return_exceptions=True)

    ends = asyncio.run(attack())
    assert all(end is True for end in ends), ends
    attacked.is_well()


def test_silent_sockets_garbage_and_slow_senders(attacked: Attacked) -> None:
    """None of them is served for longer than ten seconds, and calls beyond sixteen from one address not at all."""
    port = attacked.table.port

    async def silent() -> bool:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        return await _ends(reader, writer)

    async def garbage(data: bytes) -> bool:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(data)
        return await _ends(reader, writer)

    async def slow() -> bool:
        """A frame that never gets whole."""
        link = await linked(port)
        link._stream.write(HEADER.pack(60_000))
        dripping = asyncio.ensure_future(_drip(link))
        try:
            return await _link_ends(link)
        finally:
            dripping.cancel()

    async def huge(length: int) -> bool:
        link = await linked(port)
        link._stream.write(HEADER.pack(length))
        return await _link_ends(link)

    async def attack() -> list[bool | BaseException]:
        slow_ones = [asyncio.ensure_future(slow()) for _ in range(2)]
        large_ones = [asyncio.ensure_future(huge(length)) for length in (0, 65537, 2**31, 2**32 - 1)]
        ends = await asyncio.gather(*large_ones, return_exceptions=True)
        bytes_of_all_kinds = [b"\x16\x03\x01\x00\x05hello", b"GET / HTTP/1.1\r\n\r\n", os.urandom(5000), b"\x00"]
        ends += await asyncio.gather(*(garbage(data) for data in bytes_of_all_kinds), return_exceptions=True)
        ends += await asyncio.gather(*(silent() for _ in range(80)), return_exceptions=True)
        return ends + await asyncio.gather(*slow_ones, return_exceptions=True)

    ends = asyncio.run(attack())
    assert all(end is True for end in ends), [end for end in ends if end is not True]
    attacked.is_well()


async def _drip(link: Link) -> None:
    while True:
        link._stream.write(b"x")
        await asyncio.sleep(0.5)


async def _link_ends(link: Link) -> bool:
    """Whether the other side hangs up within a while."""
    try:
        async with asyncio.timeout(30):
            while True:
                await link._stream.read(MAX_FRAME)
    except (ConnectionError, asyncio.IncompleteReadError):
        return True
    except TimeoutError:
        return False
    finally:
        await link._stream.abort()


async def _ends(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Whether the other side hangs up within a while."""
    try:
        async with asyncio.timeout(30):
            while await reader.read(65536):
                pass
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    finally:
        await abort(writer)
    return True


def test_the_ledger_of_it_all_is_good(attacked: Attacked) -> None:
    """Last in this file: the game that was played through all of this holds."""
    (ledger,) = attacked.table.ledgers()
    verdict = verify_ledger(ledger)
    assert verdict.valid
    assert not verdict.faults
    assert verdict.deals >= 10
