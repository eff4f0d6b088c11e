"""A link is read at a measured pace, however fast the other side sends."""

from __future__ import annotations

import asyncio
import time

import pytest

from azi_p2p.net import link
from azi_p2p.net.errors import LinkEnd
from azi_p2p.net.link import BURST, TURN, Pace
from azi_p2p.wire.frame import EnvelopeFrame, encode_frame
from tests.net.conftest import in_loop, linked


@in_loop
async def test_who_sends_without_end_has_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """A burst comes at once; what goes beyond it comes at the pace (a slow one here, which no slow computer has)."""
    monkeypatch.setattr(link, "BURST", 64.0)
    monkeypatch.setattr(link, "PACE", 40.0)
    number = 64 + 60
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
        assert time.monotonic() - began >= 60 / 40 * 0.9
        anna.close(LinkEnd.CLOSED, "enough")
        await asyncio.gather(*running)


@in_loop
async def test_many_frames_at_once_leave_others_their_turn() -> None:
    """Whatever else is due is done after so many frames, though all of them are there already."""
    others: list[str] = []
    asyncio.get_running_loop().call_soon(others.append, "turn")
    pace = Pace()
    for _ in range(TURN - 1):
        pace.count(1)
        await pace.keep()
    assert not others
    pace.count(1)
    await pace.keep()
    assert others


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
