"""The bytes of one link: length-prefixed bodies in, any bytes out, over a transport that may hold both up.

asyncio's own streams would do; but each read of theirs over TLS sets aside 256 KB to receive into, for the few hundred
bytes of a frame. With hundreds of frames for each deal that cut the heap into pieces, and a peer grew all evening. Here
a connection has one buffer of its own, into which TLS writes. What bodies mean, and time limits, belong to `link`.
"""

from __future__ import annotations

import asyncio
import contextlib

from azi_p2p.wire.errors import WireError
from azi_p2p.wire.frame import HEADER, MAX_FRAME, frame_length

CAPACITY = HEADER.size + MAX_FRAME
"""Bytes that wait to be read at most; then the other side has to wait, by TCP. Any body fits in."""

FIRST = 4096
"""Bytes of room to begin with: most frames of a game are smaller, and callers who never say hello cost no more."""


class Stream(asyncio.BufferedProtocol):
    """One connection. Handed to asyncio as the protocol of its transport, and used by one reader and one writer."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._buffer = bytearray(FIRST)
        self._begin = 0
        self._end = 0
        self._held_up = False
        self._arrival: asyncio.Future[None] | None = None
        self._room: asyncio.Future[None] | None = None
        self._full = False
        self._finished = False
        self._lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._error: Exception | None = None

    @property
    def transport(self) -> asyncio.Transport:
        """The transport that carries it."""
        assert self._transport is not None, "nothing is read or written before the connection is made"
        return self._transport

    # Reading

    async def read(self, limit: int) -> bytes:
        """The next body; raises WireError for one of more than `limit` bytes, as soon as its length is known.

        Raises asyncio.IncompleteReadError when the other side has finished, OSError when the connection is lost. It may
        be cancelled, and loses nothing then.
        """
        assert limit <= MAX_FRAME
        await self._wait_for(HEADER.size)
        length = frame_length(bytes(memoryview(self._buffer)[self._begin : self._begin + HEADER.size]))
        if length > limit:
            raise WireError(f"{length} bytes where at most {limit} are allowed")
        await self._wait_for(HEADER.size + length)
        begin = self._begin + HEADER.size
        body = bytes(memoryview(self._buffer)[begin : begin + length])
        self._begin = begin + length
        if self._begin == self._end:
            self._begin = self._end = 0
        self._go_on_reading()
        return body

    async def _wait_for(self, count: int) -> None:
        while self._end - self._begin < count:
            if self._finished or self._lost.done():
                if self._error is not None:
                    raise ConnectionResetError(str(self._error)) from self._error
                raise asyncio.IncompleteReadError(bytes(self._buffer[self._begin : self._end]), count)
            self._make_room(count)
            self._go_on_reading()
            self._arrival = asyncio.get_running_loop().create_future()
            try:
                await self._arrival
            finally:
                self._arrival = None

    def _make_room(self, count: int) -> None:
        """See to it that so many bytes have room from where the next body begins."""
        if self._begin + count <= len(self._buffer):
            return
        waiting = bytes(self._buffer[self._begin : self._end])
        if count > len(self._buffer):
            # Not made longer where it lies: TLS may still hold a view of it.
            self._buffer = bytearray(CAPACITY)
        self._buffer[: len(waiting)] = waiting
        self._begin, self._end = 0, len(waiting)

    def _go_on_reading(self) -> None:
        if self._held_up and self._end < len(self._buffer) and not self.transport.is_closing():
            self._held_up = False
            self.transport.resume_reading()

    # Writing

    def write(self, data: bytes) -> None:
        """Send these bytes; ask `drain` before the next."""
        self.transport.write(data)

    @property
    def full(self) -> bool:
        """Whether the other side doesn't read as fast as we write, so that `drain` would wait."""
        return self._full

    async def drain(self) -> None:
        """Wait until more may be written; raises OSError when the connection is lost."""
        while self._full and not self._lost.done():
            self._room = asyncio.get_running_loop().create_future()
            try:
                await self._room
            finally:
                self._room = None
        if self._lost.done():
            raise ConnectionResetError("the connection is lost") from self._error

    async def close(self, seconds: float) -> None:
        """End the connection in order, so that what was written arrives; by force where that takes longer."""
        self.transport.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await asyncio.shield(self._lost)
        await self.abort()

    async def abort(self) -> None:
        """End the connection at once."""
        self.transport.abort()
        await asyncio.shield(self._lost)

    # Called by asyncio

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The connection stands."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - asyncio calls it so
        """Where the next bytes go; there is always room, for reading stops when there is none."""
        return memoryview(self._buffer)[self._end :]

    def buffer_updated(self, nbytes: int) -> None:
        """So many bytes have come."""
        self._end += nbytes
        if self._end == len(self._buffer) and not self._held_up:
            self._held_up = True
            self.transport.pause_reading()
        _wake(self._arrival)

    def eof_received(self) -> None:
        """The other side has finished; the transport closes by itself."""
        self._finished = True
        _wake(self._arrival)

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is gone: closed in order if `exc` is None."""
        self._error = exc
        if not self._lost.done():
            self._lost.set_result(None)
        _wake(self._arrival)
        _wake(self._room)

    def pause_writing(self) -> None:
        """Enough waits to be sent."""
        self._full = True

    def resume_writing(self) -> None:
        """More may be written."""
        self._full = False
        _wake(self._room)


def _wake(waiting: asyncio.Future[None] | None) -> None:
    if waiting is not None and not waiting.done():
        waiting.set_result(None)
