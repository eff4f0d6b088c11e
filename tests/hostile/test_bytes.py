"""Bytes that only one reader could be brought to take: frames with texts for numbers or bytes, and one byte too many.

Everything else that the codec refuses is in `tests/wire`.
"""

from __future__ import annotations

import msgpack
import pytest

from azi_p2p.wire.codec import decode_plain
from azi_p2p.wire.errors import WireError
from azi_p2p.wire.frame import PingFrame, decode_frame, encode_frame


def ping(number: object, reply: object) -> bytes:
    packed: bytes = msgpack.packb(["ping", {"number": number, "reply": reply}], use_bin_type=True)
    return packed


def test_the_frame_that_is_bent_below_is_good() -> None:
    assert decode_frame(ping(1, False)) == PingFrame(number=1, reply=False)
    assert encode_frame(PingFrame(number=1, reply=False))[4:] == ping(1, False)


@pytest.mark.parametrize(
    ("number", "reply"),
    [("1", False), (True, False), (1.0, False), (None, False), (b"1", False), (1, 0), (1, 1), (1, "false"), (1, None)],
)
def test_frame_with_something_like_it(number: object, reply: object) -> None:
    with pytest.raises(WireError):
        decode_frame(ping(number, reply))


def test_frame_with_a_text_for_bytes() -> None:
    """Base64 of an envelope is no envelope."""
    packed: bytes = msgpack.packb(["envelope", {"envelope": "AAAA"}], use_bin_type=True)
    with pytest.raises(WireError):
        decode_frame(packed)


def test_one_byte_more_than_the_limit() -> None:
    """Of small things, each of which would pass: not even looked at."""
    data: bytes = msgpack.packb([[0] * 100 for _ in range(10)])
    assert decode_plain(data, limit=len(data)) == [[0] * 100] * 10
    with pytest.raises(WireError, match="at most"):
        decode_plain(data, limit=len(data) - 1)
