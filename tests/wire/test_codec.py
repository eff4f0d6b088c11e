"""The codec: one encoding for each value, and everything that no honest peer sends is refused with a reason."""

from __future__ import annotations

import struct
from typing import Annotated, Any

import msgpack
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from azi_p2p.wire.codec import MAX_DEPTH, decode, decode_plain, encode
from azi_p2p.wire.errors import WireError

LIMIT = 1000


class Sample(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A struct with one field of each kind that messages have."""

    number: Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
    flag: bool
    words: Annotated[str, msgspec.Meta(max_length=20)]
    data: Annotated[bytes, msgspec.Meta(max_length=40)]
    items: Annotated[list[int], msgspec.Meta(max_length=5)]


GOOD = Sample(number=7, flag=True, words="привет", data=b"\x00\xff", items=[1, 2])

plain_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(max_size=20) | st.binary(max_size=40),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=8), inner, max_size=5),
    max_leaves=12,
)


def depth(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(depth, value), default=0)
    return 0


@settings(derandomize=True, max_examples=300)
@given(plain_values)
def test_plain_values_come_back_as_they_were(value: object) -> None:
    data = encode(value)
    if depth(value) > MAX_DEPTH or len(data) > LIMIT:
        with pytest.raises(WireError):
            decode_plain(data, limit=LIMIT)
    else:
        again = decode_plain(data, limit=LIMIT)
        assert again == value
        assert encode(again) == data


@settings(derandomize=True, max_examples=300)
@given(
    st.integers(0, 2**31 - 1),
    st.booleans(),
    st.text(st.characters(codec="utf-8"), max_size=20),
    st.binary(max_size=40),
    st.lists(st.integers(-(2**63), 2**63 - 1), max_size=5),
)
def test_structs_come_back_as_they_were(number: int, flag: bool, words: str, data: bytes, items: list[int]) -> None:
    value = Sample(number=number, flag=flag, words=words, data=data, items=items)
    assert decode(encode(value), Sample, limit=LIMIT) == value


@settings(derandomize=True, max_examples=1000)
@given(st.binary(max_size=200))
def test_any_bytes_are_refused_or_the_one_encoding_of_a_value(data: bytes) -> None:
    try:
        value = decode_plain(data, limit=LIMIT)
    except WireError:
        return
    # Plain values may have longer encodings; typed ones don't, as `decode` demands equal bytes.
    assert decode_plain(encode(value), limit=LIMIT) == value


@settings(derandomize=True, max_examples=500)
@given(st.data())
def test_changed_bytes_are_refused_or_another_value(data: st.DataObject) -> None:
    good = encode(GOOD)
    changed = bytearray(good)
    for _ in range(data.draw(st.integers(1, 3))):
        changed[data.draw(st.integers(0, len(good) - 1))] = data.draw(st.integers(0, 255))
    try:
        value = decode(bytes(changed), Sample, limit=LIMIT)
    except WireError:
        return
    assert (value == GOOD) == (bytes(changed) == good)


def fields(**changes: Any) -> dict[str, Any]:
    return {"number": 7, "flag": True, "words": "привет", "data": b"\x00\xff", "items": [1, 2], **changes}


def refused(data: bytes, kind: type[Any] = Sample) -> str:
    with pytest.raises(WireError) as caught:
        decode(data, kind, limit=LIMIT)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 200
    return message


def test_the_unchanged_sample_is_fine() -> None:
    assert decode(msgpack.packb(fields()), Sample, limit=LIMIT) == GOOD


@pytest.mark.parametrize(
    "change",
    [
        {"number": True},
        {"number": False},
        {"number": 7.0},
        {"number": "7"},
        {"number": None},
        {"number": -1},
        {"number": 2**31},
        {"number": 2**64 - 1},
        {"flag": 1},
        {"flag": None},
        {"words": b"bytes"},
        {"words": "x" * 21},
        {"words": 7},
        {"data": "text"},
        {"data": b"x" * 41},
        {"data": None},
        {"items": {}},
        {"items": [True]},
        {"items": [1] * 6},
        {"items": ["1"]},
        {"items": None},
        {"more": 1},
    ],
    ids=str,
)
def test_wrong_types_and_ranges(change: dict[str, Any]) -> None:
    refused(msgpack.packb(fields(**change)))


@pytest.mark.parametrize("missing", list(fields()))
def test_missing_fields(missing: str) -> None:
    rest = fields()
    del rest[missing]
    refused(msgpack.packb(rest))


def test_fields_out_of_order_or_twice() -> None:
    turned = dict(reversed(list(fields().items())))
    assert "order" in refused(msgpack.packb(turned))
    twice = b"\x86" + msgpack.packb(fields())[1:] + msgpack.packb("number") + msgpack.packb(7)
    assert "twice" in refused(twice)


@pytest.mark.parametrize(
    "longer",
    [
        b"\xcc\x07",
        b"\xcd\x00\x07",
        b"\xce\x00\x00\x00\x07",
        b"\xcf\x00\x00\x00\x00\x00\x00\x00\x07",
        b"\xd0\x07",
        b"\xd1\x00\x07",
        b"\xd2\x00\x00\x00\x07",
        b"\xd3\x00\x00\x00\x00\x00\x00\x00\x07",
    ],
)
def test_longer_encodings_of_a_number(longer: bytes) -> None:
    class One(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
        number: int

    assert decode(b"\x81\xa6number\x07", One, limit=LIMIT) == One(7)
    assert "shortest" in refused(b"\x81\xa6number" + longer, One)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc1",
        b"\x81",
        b"\xdb\xff\xff\xff\xff",
        b"\xc6\xff\xff\xff\xff",
        b"\xdd\xff\xff\xff\xff",
        b"\xdf\xff\xff\xff\xff",
        b"\xc9\xff\xff\xff\xff\x00",
        b"\xca" + struct.pack(">f", 1.0),
        b"\xcb" + struct.pack(">d", float("nan")),
        b"\xcb" + struct.pack(">d", float("inf")),
        b"\xd4\x01\x00",
        b"\xd6\xff\x00\x00\x00\x00",
        b"\xd7\xff" + bytes(8),
        b"\xc7\x0c\xff" + bytes(12),
        b"\xa2\xff\xfe",
        b"\xa3\xed\xa0\x80",
        b"\x81\x01\x02",
        b"\x81\xc4\x01a\x02",
        b"\x81\xc0\x01",
        b"\x82\xa1a\x01\xa1a\x02",
        b"\x07\x07",
        b"\xc0" * 2,
        b"\x91" * (MAX_DEPTH + 1) + b"\x07",
        b"\x91" * 5000 + b"\x07",
        b"\x81\xa1a" * 300 + b"\x07",
        bytes(LIMIT + 1),
    ],
    ids=lambda data: data[:8].hex() or "empty",
)
def test_bytes_that_this_protocol_never_has(data: bytes) -> None:
    with pytest.raises(WireError) as caught:
        decode_plain(data, limit=LIMIT)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_many_small_things_are_bounded() -> None:
    with pytest.raises(WireError):
        decode_plain(msgpack.packb([0] * 513), limit=10_000)
    with pytest.raises(WireError):
        decode_plain(msgpack.packb({str(key): 0 for key in range(65)}), limit=10_000)
