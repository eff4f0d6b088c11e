"""Frames: what links exchange comes back as it was, and is refused by its length before it is read."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from azi_p2p.wire.codec import encode
from azi_p2p.wire.errors import WireError
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
    frame_length,
)

counts = st.integers(0, 2**31 - 1)
digests = st.binary(min_size=32, max_size=32)
hosts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=64)

frames: st.SearchStrategy[Frame] = st.one_of(
    st.builds(EnvelopeFrame, envelope=st.binary(max_size=500)),
    st.builds(
        StatusFrame,
        table=digests,
        deal=counts,
        step=counts,
        head=digests,
        held=st.integers(0, 63),
        deck_deal=counts,
        deck_attempt=counts,
        deck_step=counts,
        deck_held=st.integers(0, 63),
        wants_answer=st.booleans(),
    ),
    st.builds(
        PeersFrame,
        peers=st.lists(st.builds(PeerAddress, peer=digests, host=hosts, port=st.integers(1, 65535)), max_size=32),
    ),
    st.builds(PingFrame, number=counts, reply=st.booleans()),
)


@settings(derandomize=True, max_examples=300)
@given(frames)
def test_frames_come_back_as_they_were(frame: Frame) -> None:
    data = encode_frame(frame)
    assert frame_length(data[: HEADER.size]) == len(data) - HEADER.size
    assert decode_frame(data[HEADER.size :]) == frame


@settings(derandomize=True, max_examples=500)
@given(frames, st.data())
def test_damaged_frames_are_refused_or_other_frames(frame: Frame, data: st.DataObject) -> None:
    body = bytearray(encode_frame(frame)[HEADER.size :])
    place = data.draw(st.integers(0, len(body) - 1))
    body[place] ^= data.draw(st.integers(1, 255))
    try:
        again = decode_frame(bytes(body))
    except WireError:
        return
    assert again != frame


@settings(derandomize=True, max_examples=500)
@given(st.binary(max_size=300))
def test_any_bytes_are_a_frame_or_refused(body: bytes) -> None:
    try:
        frame = decode_frame(body)
    except WireError as error:
        assert "\n" not in str(error)  # noqa: PT017 - both outcomes are right, and both are checked
        return
    assert decode_frame(encode_frame(frame)[HEADER.size :]) == frame


@pytest.mark.parametrize("length", [0, MAX_FRAME + 1, 2**31, 2**32 - 1])
def test_lengths_that_are_refused_before_anything_is_read(length: int) -> None:
    with pytest.raises(WireError, match="1 to 65536 are allowed"):
        frame_length(HEADER.pack(length))


def test_largest_frame_passes_and_a_larger_one_cant_be_sent() -> None:
    assert frame_length(HEADER.pack(MAX_FRAME)) == MAX_FRAME
    with pytest.raises(WireError, match="over the limit"):
        encode_frame(EnvelopeFrame(envelope=bytes(MAX_FRAME)))


@pytest.mark.parametrize(
    "plain",
    [
        None,
        7,
        {},
        [],
        ["ping"],
        ["ping", {"number": 1, "reply": True}, 3],
        [b"ping", {"number": 1, "reply": True}],
        ["gossip", {}],
        ["x" * 1000, {}],
        ["ping", []],
        ["ping", {"number": 1}],
        ["ping", {"number": True, "reply": True}],
        ["ping", {"number": 1, "reply": 1}],
        ["ping", {"number": 1, "reply": True, "more": None}],
        ["envelope", {"envelope": "text"}],
        ["peers", {"peers": [{"peer": bytes(31), "host": "10.0.0.1", "port": 1}]}],
        ["peers", {"peers": [{"peer": bytes(32), "host": "", "port": 1}]}],
        ["peers", {"peers": [{"peer": bytes(32), "host": "x" * 65, "port": 1}]}],
        ["peers", {"peers": [{"peer": bytes(32), "host": "10.0.0.1", "port": 0}]}],
        ["peers", {"peers": [{"peer": bytes(32), "host": "10.0.0.1", "port": 65536}]}],
        ["peers", {"peers": [{"peer": bytes(32), "host": "10.0.0.1", "port": 1}] * 33}],
        ["status", {"table": bytes(32)}],
    ],
    ids=lambda plain: str(plain)[:60],
)
def test_frames_that_no_honest_peer_sends(plain: object) -> None:
    with pytest.raises(WireError):
        decode_frame(encode(plain))
