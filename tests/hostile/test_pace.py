"""A link is read at a measured pace, however fast the other side sends."""

from __future__ import annotations

import asyncio
import time

from azi_p2p.net.link import BURST, PACE, Pace
from azi_p2p.wire.frame import EnvelopeFrame, encode_frame
from tests.net.conftest import in_loop, linked


@in_loop
async def test_who_sends_without_end_has_to_wait() -> None:
    """A burst comes at once; what goes beyond it comes at the pace."""
    number = round(BURST) + 500
    async with linked() as (anna, ben):
        everything = asyncio.Event()
        heard = 0

        def take(_frame: object) -> None:
            nonlocal heard
            heard += 1
            if heard == number:
                everything.set()

        running = [asyncio.ensure_future(anna.run(take)), asyncio.ensure_future(ben.run(take))]
        began = time.monotonic()
        frame = encode_frame(EnvelopeFrame(envelope=b"x"))
        for _ in range(number):
            anna.send(frame)
        await everything.wait()
        assert time.monotonic() - began >= 500 / PACE * 0.9
        anna.close("closed", "enough")
        await asyncio.gather(*running)


@in_loop
async def test_large_frames_count_for_more() -> None:
    pace = Pace()
    for _ in range(round(BURST) // 17):
        pace.count(64 * 1024)
    began = time.monotonic()
    for _ in range(3):
        pace.count(64 * 1024)
    await pace.keep()
    assert time.monotonic() - began >= 0.02
