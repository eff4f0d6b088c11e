"""Streams: bodies arrive as they were sent, however they are cut up on the way; what waits is bounded."""

from __future__ import annotations

import asyncio
import tracemalloc
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from azi_p2p.net.errors import LinkEnd
from azi_p2p.net.stream import CAPACITY, Stream
from azi_p2p.wire.errors import WireError
from azi_p2p.wire.frame import HEADER, MAX_FRAME, PingFrame, encode_frame, prefixed
from tests.net.conftest import in_loop, linked


class Pipe(asyncio.Transport):
    """A transport whose other end is the test: bytes come with `bring`, as many as the stream has room for."""

    def __init__(self, stream: Stream) -> None:
        super().__init__()
        self.stream = stream
        self.waiting = b""
        self.paused = False
        self.most = 0
        stream.connection_made(self)

    def bring(self, data: bytes) -> None:
        """These bytes have come."""
        self.waiting += data
        while self.waiting and not self.paused:
            buffer = self.stream.get_buffer(-1)
            assert len(buffer), "asyncio takes an empty buffer for a fault"
            count = min(len(buffer), len(self.waiting))
            buffer[:count], self.waiting = self.waiting[:count], self.waiting[count:]
            self.stream.buffer_updated(count)
            self.most = max(self.most, len(self.stream._buffer))

    def pause_reading(self) -> None:
        assert not self.paused
        self.paused = True

    def resume_reading(self) -> None:
        assert self.paused
        self.paused = False
        asyncio.get_running_loop().call_soon(self.bring, b"")

    def is_closing(self) -> bool:
        return False


BODIES = st.lists(st.one_of(st.integers(1, 300), st.integers(4000, 4200), st.just(MAX_FRAME)), max_size=12)


@given(BODIES, st.lists(st.integers(0, 200_000), max_size=30))
def test_bodies_arrive_as_they_were_sent(sizes: list[int], cuts: list[int]) -> None:
    bodies = [bytes([number + 1]) * size for number, size in enumerate(sizes)]
    sent = b"".join(map(prefixed, bodies))

    async def check() -> None:
        pipe = Pipe(Stream())
        reading = asyncio.ensure_future(_all_of(pipe.stream))
        edges = [0, *sorted(min(cut, len(sent)) for cut in cuts), len(sent)]
        for begin, end in pairwise(edges):
            pipe.bring(sent[begin:end])
            await asyncio.sleep(0)
        for _ in range(len(sent)):
            if not pipe.waiting:
                break
            await asyncio.sleep(0)
        pipe.stream.eof_received()
        assert await reading == bodies
        assert pipe.most <= CAPACITY

    asyncio.run(check())


async def _all_of(stream: Stream) -> list[bytes]:
    """The bodies, and after them what is left of one that was cut off, if there is any."""
    bodies = []
    try:
        while True:
            bodies.append(await stream.read(MAX_FRAME))
    except asyncio.IncompleteReadError as error:
        return [*bodies, error.partial] if error.partial else bodies


@in_loop
async def test_what_nobody_reads_waits_at_the_other_side() -> None:
    pipe = Pipe(Stream())
    pipe.bring(b"".join(prefixed(bytes(100)) for _ in range(1000)))
    assert pipe.paused
    assert len(pipe.stream._buffer) <= CAPACITY
    for _ in range(1000):
        assert await pipe.stream.read(MAX_FRAME) == bytes(100)
    assert not pipe.paused


@in_loop
async def test_body_over_the_limit_is_refused_before_it_is_there() -> None:
    pipe = Pipe(Stream())
    pipe.bring(HEADER.pack(1001))
    with pytest.raises(WireError, match="1001 bytes where at most 1000"):
        await pipe.stream.read(1000)


@pytest.mark.parametrize("length", [0, MAX_FRAME + 1, 2**32 - 1])
def test_lengths_that_no_frame_has(length: int) -> None:
    async def check() -> None:
        pipe = Pipe(Stream())
        pipe.bring(HEADER.pack(length))
        with pytest.raises(WireError):
            await pipe.stream.read(MAX_FRAME)

    asyncio.run(check())


@in_loop
async def test_whoever_stops_waiting_loses_nothing() -> None:
    pipe = Pipe(Stream())
    for count in range(1, 20):
        reading = asyncio.ensure_future(pipe.stream.read(MAX_FRAME))
        await asyncio.sleep(0)
        pipe.bring(prefixed(bytes(range(20)))[count - 1 : count])
        reading.cancel()
        await asyncio.wait([reading])
    pipe.bring(prefixed(bytes(range(20)))[19:])
    assert await pipe.stream.read(MAX_FRAME) == bytes(range(20))


@in_loop
async def test_body_that_is_cut_off_at_the_end() -> None:
    pipe = Pipe(Stream())
    pipe.bring(prefixed(bytes(50)) + prefixed(bytes(50))[:30])
    pipe.stream.eof_received()
    assert await pipe.stream.read(MAX_FRAME) == bytes(50)
    with pytest.raises(asyncio.IncompleteReadError):
        await pipe.stream.read(MAX_FRAME)


@in_loop
async def test_lost_connections_end_reading_and_writing() -> None:
    pipe = Pipe(Stream())
    pipe.stream.pause_writing()
    waiting = [asyncio.ensure_future(pipe.stream.read(MAX_FRAME)), asyncio.ensure_future(pipe.stream.drain())]
    await asyncio.sleep(0)
    pipe.stream.connection_lost(BrokenPipeError("the cable"))
    for outcome in await asyncio.gather(*waiting, return_exceptions=True):
        assert isinstance(outcome, ConnectionResetError)


@in_loop
async def test_frames_are_received_without_large_pieces_of_memory() -> None:
    """Every read of asyncio's own streams over TLS sets aside 256 KB, and leaves holes in the heap."""
    async with linked() as (anna, ben):
        running = [asyncio.ensure_future(one.run(lambda _: None)) for one in (anna, ben)]
        await anna.barrier()
        tracemalloc.start()
        try:
            before, _ = tracemalloc.get_traced_memory()
            for number in range(50):
                anna.send(encode_frame(PingFrame(number=number, reply=False)))
            await anna.barrier()
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak - before < 100_000, peak - before
        anna.close(LinkEnd.CLOSED, "enough")
        await asyncio.gather(*running)
