"""One link: an encrypted stream to a peer whose key is proven, carrying frames both ways.

Making a link is TCP, TLS 1.3, the signed hello (`azi_p2p.net.hello`) and, at a private table, the proof of its code
(`azi_p2p.net.gate`), all within one time limit. A running link
reads frames, refuses them by their length before it reads them, writes from a bounded queue, and sends pings so that a
link whose other end is gone is found within seconds. Which peers should be linked, and what frames mean, is decided
elsewhere; a link knows only pings.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

from azi_p2p.crypto.identity import IdentityKey
from azi_p2p.net.addresses import plain_host
from azi_p2p.net.certificate import Certificate, certificate_digest, dialer_context
from azi_p2p.net.errors import LinkEnd, LinkError
from azi_p2p.net.gate import Gate
from azi_p2p.net.hello import MAX_HELLO, Hello, Role
from azi_p2p.net.stream import Stream
from azi_p2p.wire.errors import WireError
from azi_p2p.wire.frame import MAX_FRAME, Frame, PingFrame, decode_frame, encode_frame, prefixed

MAX_QUEUE = 2 * 1024 * 1024
"""Bytes that may wait to be sent on one link; who lets more pile up isn't reading. A page of answers has a tenth."""

UNIT = 4096
"""Bytes of a frame that count as one when frames are read at a measured pace."""

PACE = 1000.0
"""Units read each second from one link, in the long run; then the sender has to wait, by TCP. Six bots that play as
fast as they can send each other about half of it."""

BURST = 4096.0
"""Units that may come at once, as when somebody catches up."""

TURN = 32
"""Frames after which other links have a turn, when many have come at once."""

BATCH = 64 * 1024
"""Bytes that are handed to TLS at once, when several frames wait."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Time limits of a link, in seconds.

    `setup`: connecting, TLS and hello together; `connect`: of that, for TCP alone, since on a LAN an address either
    answers at once or leads nowhere. `ping`: between two signs of life. `silence`: a link on which no whole
    frame arrives for so long, or nothing can be written, is dead; this catches half-open links, silent sockets and
    senders that drip bytes alike. `parting`: for a clean end of TLS.
    """

    setup: float = 5.0
    connect: float = 2.5
    ping: float = 2.0
    silence: float = 8.0
    parting: float = 1.0


class Pace:
    """How fast one link is read: whoever sends without end takes a bounded part of our time, and others have turns."""

    def __init__(self) -> None:
        self._left = BURST
        self._since = time.monotonic()
        self._frames = 0

    def count(self, size: int) -> None:
        """A frame of so many bytes has come."""
        now = time.monotonic()
        self._left = min(BURST, self._left + (now - self._since) * PACE) - 1 - size / UNIT
        self._since = now
        self._frames += 1

    async def keep(self) -> None:
        """Wait for as long as the link has been read too fast."""
        if self._left < 0:
            await asyncio.sleep(-self._left / PACE)
        elif self._frames >= TURN:
            self._frames = 0
            await asyncio.sleep(0)


class Link:
    """A link whose both ends have proven their keys. Made by `dial` and `accept`; served by `run`.

    `peer`: key of the other end; `outgoing`: we have dialled; `host`: numeric address of the other end; `local_host`:
    numeric address at which it reaches us; `since`: monotonic seconds when the link was made.
    """

    def __init__(self, stream: Stream, peer: bytes, *, outgoing: bool, timing: Timing) -> None:
        self.peer = peer
        self.outgoing = outgoing
        self.since = time.monotonic()
        self.host = _numeric_host(stream, "peername")
        self.local_host = _numeric_host(stream, "sockname")
        self._stream = stream
        self._timing = timing
        self._queue: deque[bytes] = deque()
        self._queued = 0
        self._awake = asyncio.Event()
        self._heard = time.monotonic()
        self._end: asyncio.Future[LinkError] = asyncio.get_running_loop().create_future()
        self._pings = 0
        self._answered = 0
        self._answer = asyncio.Event()

    def send(self, data: bytes) -> None:
        """Queue the bytes of a frame. On a link that has ended they are lost; `run` tells of its end."""
        if self._end.done():
            return
        if self._queued + len(data) > MAX_QUEUE:
            self.close(LinkEnd.NOT_READING)
            return
        self._queue.append(data)
        self._queued += len(data)
        self._awake.set()

    def close(self, code: LinkEnd, told: str = "") -> None:
        """End the link soon; nothing is taken from it from now on. `run` returns this reason; `told`: see LinkError."""
        if not self._end.done():
            self._end.set_result(LinkError(code, told))

    @property
    def closing(self) -> bool:
        """Whether the link has ended or is about to."""
        return self._end.done()

    async def barrier(self) -> None:
        """Wait until the other end has taken everything that was sent on this link so far, or the link has ended."""
        number = self._ping()
        while self._answered < number and not self._end.done():
            self._answer.clear()
            waiting = asyncio.ensure_future(self._answer.wait())
            try:
                watched: list[asyncio.Future[Any]] = [waiting, self._end]
                await asyncio.wait(watched, return_when=asyncio.FIRST_COMPLETED)
            finally:
                waiting.cancel()

    async def run(self, receive: Callable[[Frame], None]) -> LinkError:
        """Serve the link until it ends, and say why it ended. `receive` gets every frame but pings, in order.

        What `receive` raises is our own fault and comes out of here.
        """
        tasks: list[asyncio.Future[None]] = [
            asyncio.ensure_future(part)
            for part in (self._read(receive), self._write(), self._keep_alive(), self._notice_silence())
        ]
        try:
            watched: list[asyncio.Future[Any]] = [*tasks, self._end]
            await asyncio.wait(watched, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            try:
                results = await asyncio.gather(*tasks, return_exceptions=True)
                for result in results:
                    if isinstance(result, LinkError) and not self._end.done():
                        self._end.set_result(result)
                self.close(LinkEnd.CLOSED, "this peer has closed the link")
                await self._part()
            finally:
                # Also where this is cancelled while it ends.
                self._stream.transport.abort()
        for result in results:
            if isinstance(result, Exception) and not isinstance(result, LinkError):
                raise result
        return self._end.result()

    async def _read(self, receive: Callable[[Frame], None]) -> None:
        pace = Pace()
        while True:
            await pace.keep()
            try:
                body = await self._stream.read(MAX_FRAME)
                self._heard = time.monotonic()
                pace.count(len(body))
                frame = decode_frame(body)
            except WireError as error:
                raise LinkError(LinkEnd.BAD_FRAME, f"the peer sent something that can't be read: {error}") from error
            except (OSError, asyncio.IncompleteReadError) as error:
                raise LinkError(LinkEnd.CLOSED) from error
            if self._end.done():
                return
            if not isinstance(frame, PingFrame):
                receive(frame)
            elif not frame.reply:
                self.send(encode_frame(PingFrame(number=frame.number, reply=True)))
            elif frame.number <= self._pings:
                self._answered = max(self._answered, frame.number)
                self._answer.set()

    async def _notice_silence(self) -> None:
        """End the link when no whole frame has come for too long."""
        while True:
            left = self._heard + self._timing.silence - time.monotonic()
            if left <= 0:
                raise LinkError(LinkEnd.SILENT)
            await asyncio.sleep(left)

    async def _write(self) -> None:
        while True:
            await self._awake.wait()
            self._awake.clear()
            while self._queue:
                self._stream.write(self._next_batch())
                if not self._stream.full:
                    continue
                try:
                    async with asyncio.timeout(self._timing.silence):
                        await self._stream.drain()
                except TimeoutError as error:
                    raise LinkError(LinkEnd.NOT_READING) from error
                except OSError as error:
                    raise LinkError(LinkEnd.CLOSED) from error

    def _next_batch(self) -> bytes:
        parts = [self._queue.popleft()]
        size = len(parts[0])
        while self._queue and size + len(self._queue[0]) <= BATCH:
            parts.append(self._queue.popleft())
            size += len(parts[-1])
        self._queued -= size
        return b"".join(parts)

    async def _keep_alive(self) -> None:
        while True:
            await asyncio.sleep(self._timing.ping)
            self._ping()

    def _ping(self) -> int:
        self._pings += 1
        self.send(encode_frame(PingFrame(number=self._pings, reply=False)))
        return self._pings

    async def _part(self) -> None:
        """Close the stream: in order after a good end, at once when the other side has broken off or misbehaved."""
        if self._end.result().code in {"dropped", "replaced", "closed"}:
            await self._stream.close(self._timing.parting)
        else:
            await self._stream.abort()


async def dial(
    host: str,
    port: int,
    identity: IdentityKey,
    *,
    expected: bytes | None = None,
    gate: Gate | None = None,
    timing: Timing | None = None,
) -> Link:
    """Make a link to the peer that listens at `host`:`port`; raises LinkError with one line for people.

    `expected`: the key that must be found there, if it is known beforehand. `gate`: of a private table.
    """
    timing = timing or Timing()
    where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    try:
        async with asyncio.timeout(timing.setup):
            transport, stream = await asyncio.get_running_loop().create_connection(
                Stream,
                sock=await _connect(host, port, timing.connect),
                ssl=dialer_context(),
                # Any name will do: it isn't checked, and the address needn't stand in the TLS greeting.
                server_hostname="azi",
                ssl_shutdown_timeout=timing.parting,
            )
            async with _closed_unless_made(stream):
                tls = transport.get_extra_info("ssl_object")
                digest = certificate_digest(tls.getpeercert(binary_form=True))
                peer = await _greet(stream, identity, "dialer", digest, gate, expected)
    except TimeoutError as error:
        told = f"no answer from {where}: is the address right, and the other computer on?"
        raise LinkError(LinkEnd.TIMEOUT, told) from error
    except ssl.SSLError as error:
        raise LinkError(LinkEnd.NOT_AZI, f"what answers at {where} isn't Azi") from error
    except (ConnectionResetError, BrokenPipeError, asyncio.IncompleteReadError) as error:
        raise LinkError(
            LinkEnd.CLOSED, f"{where} has closed the connection (the peer may have no place for us)"
        ) from error
    except socket.gaierror as error:
        raise LinkError(LinkEnd.UNKNOWN_NAME, host=repr(host)) from error
    except OSError as error:
        raise LinkError(LinkEnd.UNREACHABLE, f"nobody answers at {where}: {error.strerror or error}") from error
    return Link(stream, peer, outgoing=True, timing=timing)


async def _connect(host: str, port: int, seconds: float) -> socket.socket:
    """Make a TCP connection, with so many seconds for each address that a name has; raises OSError."""
    loop = asyncio.get_running_loop()
    last: OSError | None = None
    for family, kind, protocol, _, address in await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        connection = socket.socket(family, kind, protocol)
        try:
            connection.setblocking(False)
            async with asyncio.timeout(seconds):
                await loop.sock_connect(connection, address)
        except OSError as error:
            connection.close()
            last = error
        except BaseException:
            connection.close()
            raise
        else:
            return connection
    raise last if last is not None else OSError(f"{host!r} has no address")


class Call(asyncio.Protocol):
    """An incoming TCP connection before TLS: nothing is read from it until it is taken with `accept`.

    Made by a server's protocol factory; `arrived` is called with its transport.
    """

    def __init__(self, arrived: Callable[[asyncio.Transport], None]) -> None:
        self._arrived = arrived

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by asyncio."""
        assert isinstance(transport, asyncio.Transport)
        transport.pause_reading()
        self._arrived(transport)


async def accept(
    call: asyncio.Transport,
    identity: IdentityKey,
    certificate: Certificate,
    *,
    gate: Gate | None = None,
    timing: Timing | None = None,
) -> Link:
    """Make a link of an incoming call, which is owned from here on; raises LinkError. `gate`: of a private table."""
    timing = timing or Timing()
    stream = Stream()
    try:
        async with asyncio.timeout(timing.setup):
            transport = await asyncio.get_running_loop().start_tls(
                call, stream, certificate.listener, server_side=True, ssl_shutdown_timeout=timing.parting
            )
            if transport is None:
                raise ConnectionResetError("closed during the TLS handshake")
            stream.connection_made(transport)
            async with _closed_unless_made(stream):
                peer = await _greet(stream, identity, "listener", certificate.digest, gate, None)
    except TimeoutError as error:
        call.abort()
        raise LinkError(LinkEnd.TIMEOUT, "the caller didn't finish its hello in time") from error
    except ssl.SSLError as error:
        raise LinkError(LinkEnd.NOT_AZI, "the caller doesn't speak our TLS") from error
    except (OSError, asyncio.IncompleteReadError) as error:
        raise LinkError(LinkEnd.CLOSED, "the caller has closed the connection") from error
    return Link(stream, peer, outgoing=False, timing=timing)


async def _greet(
    stream: Stream,
    identity: IdentityKey,
    role: Role,
    certificate: bytes,
    gate: Gate | None,
    expected: bytes | None,
) -> bytes:
    """Say hello and, at a private table, prove the code; gives the other's key."""
    private = None if gate is None else gate.table() or b""
    hello = Hello(identity, role, certificate, expected=expected, private=private)

    def send(data: bytes) -> None:
        stream.write(prefixed(data))

    async def receive() -> bytes:
        return await stream.read(MAX_HELLO)

    try:
        send(hello.opening())
        send(hello.answer(await receive()))
        peer = hello.finish(await receive())
        if gate is not None:
            await gate.prove(hello, role, _numeric_host(stream, "peername"), send, receive)
    except WireError as error:
        raise LinkError(LinkEnd.BAD_HELLO, f"the peer's hello can't be read: {error}") from error
    return peer


@contextlib.asynccontextmanager
async def _closed_unless_made(stream: Stream) -> AsyncIterator[None]:
    try:
        yield
    except LinkError:
        # In order, so that the other side can still read our opening and learn which version is newer.
        await stream.close(1.0)
        raise
    except BaseException:
        await stream.abort()
        raise


def _numeric_host(stream: Stream, which: str) -> str:
    name = stream.transport.get_extra_info(which)
    return plain_host(str(name[0])) if name else ""
