"""Envelopes and messages: each type comes back as it was signed; everything else is refused before it is judged."""

from __future__ import annotations

from typing import Any

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import inspect

from azi_p2p.wire import messages
from azi_p2p.wire.codec import encode
from azi_p2p.wire.envelope import NO_HEAD, NOWHERE, Place, decode_envelope, encode_payload, message_id, place_of, seal
from azi_p2p.wire.errors import WireError
from azi_p2p.wire.messages import BODIES, LANES, MAX_ENVELOPE, VERSION, Body

TABLE, AUTHOR, HEAD = bytes(range(32)), bytes(range(32, 64)), bytes(range(64, 96))
SIGNATURE = bytes(64)


def values(kind: inspect.Type) -> st.SearchStrategy[Any]:
    """Values of a field's type, within its bounds."""
    match kind:
        case inspect.BoolType():
            return st.booleans()
        case inspect.IntType(ge=low, le=high):
            return st.integers(low, high)
        case inspect.BytesType(min_length=low, max_length=high):
            return st.binary(min_size=low or 0, max_size=min(high or 200, (low or 0) + 200))
        case inspect.StrType(min_length=low, max_length=high):
            return st.text(st.characters(codec="utf-8"), min_size=low or 0, max_size=high)
        case inspect.LiteralType(values=choices):
            return st.sampled_from(choices)
        case inspect.ListType(item_type=item, min_length=low, max_length=high):
            return st.lists(values(item), min_size=low or 0, max_size=min(high or 3, (low or 0) + 3))
        case inspect.StructType(cls=struct):
            return bodies(struct)
        case _:
            raise AssertionError(f"no values for {kind}")


def bodies(kind: type[Any]) -> st.SearchStrategy[Any]:
    """Bodies of this type (or parts of them) within the bounds of its fields."""
    shape = inspect.type_info(kind)
    assert isinstance(shape, inspect.StructType)
    return st.builds(kind, **{field.name: values(field.type) for field in shape.fields})


def place_for(name: str) -> Place:
    return NOWHERE if LANES[name] == "none" else Place(LANES[name], deal=3, attempt=1, step=4, prev=HEAD)


def sealed(name: str, body: Body) -> bytes:
    return seal(encode_payload(TABLE, AUTHOR, place_for(name), body), SIGNATURE)


@pytest.mark.parametrize("name", sorted(BODIES))
def test_every_type_comes_back_as_it_was(name: str) -> None:
    @settings(derandomize=True, max_examples=25, deadline=None)
    @given(bodies(BODIES[name]))
    def check(body: Body) -> None:
        raw = sealed(name, body)
        envelope = decode_envelope(raw)
        assert (envelope.type, envelope.body, envelope.raw) == (name, body, raw)
        assert (envelope.table, envelope.author, envelope.signature) == (TABLE, AUTHOR, SIGNATURE)
        assert envelope.id == message_id(envelope.payload)
        assert place_of(envelope) == place_for(name)

    check()


FOLD = messages.Fold()


def payload(**changes: Any) -> dict[str, Any]:
    return {
        "version": VERSION,
        "table": TABLE,
        "lane": "play",
        "author": AUTHOR,
        "deal": 3,
        "attempt": 1,
        "step": 4,
        "prev": HEAD,
        "type": "fold",
        "body": {},
        **changes,
    }


def enclosed(fields: object, signature: object = SIGNATURE) -> bytes:
    return encode([encode(fields), signature])


def test_the_unchanged_payload_is_fine() -> None:
    assert decode_envelope(enclosed(payload())).body == FOLD


@pytest.mark.parametrize(
    "change",
    [
        {"version": VERSION + 1},
        {"version": True},
        {"version": -1},
        {"table": bytes(31)},
        {"table": "x" * 32},
        {"author": bytes(33)},
        {"lane": "none"},
        {"lane": "deck"},
        {"lane": "vote"},
        {"lane": "side"},
        {"deal": -1},
        {"deal": 2**31},
        {"deal": True},
        {"step": 2**64 - 1},
        {"attempt": None},
        {"prev": b""},
        {"type": "surrender"},
        {"type": "call "},
        {"type": ""},
        {"type": "x" * 17},
        {"body": {"extra": 1}},
        {"body": []},
        {"body": None},
        {"extra": 1},
    ],
    ids=str,
)
def test_payloads_that_no_honest_peer_signs(change: dict[str, Any]) -> None:
    with pytest.raises(WireError) as caught:
        decode_envelope(enclosed(payload(**change)))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("missing", sorted(payload()))
def test_payloads_with_a_field_missing(missing: str) -> None:
    rest = payload()
    del rest[missing]
    with pytest.raises(WireError):
        decode_envelope(enclosed(rest))


def test_other_version_is_said_in_words() -> None:
    with pytest.raises(WireError, match=f"protocol version {VERSION + 1}; this program speaks {VERSION}"):
        decode_envelope(enclosed(payload(version=VERSION + 1)))


@pytest.mark.parametrize(
    "raw",
    [
        encode({}),
        encode([]),
        encode([encode(payload())]),
        encode([encode(payload()), SIGNATURE, b""]),
        enclosed(payload(), bytes(63)),
        enclosed(payload(), bytes(65)),
        enclosed(payload(), "x" * 64),
        encode([b"", SIGNATURE]),
        encode([payload(), SIGNATURE]),
        enclosed(payload()) + b"\x00",
        enclosed(payload())[:-1],
        # The same values in longer bytes: an array of 16-bit length, a payload of 32-bit length.
        b"\xdc\x00\x02" + enclosed(payload())[1:],
        b"\x92\xc6" + len(encode(payload())).to_bytes(4, "big") + encode(payload()) + encode(SIGNATURE),
        # The payload's fields in another order.
        enclosed(dict(reversed(list(payload().items())))),
        # A payload with an integer in longer bytes.
        encode([encode(payload()).replace(b"\xa4deal\x03", b"\xa4deal\xcc\x03"), SIGNATURE]),
    ],
    ids=range(15),
)
def test_envelopes_in_any_other_form(raw: bytes) -> None:
    with pytest.raises(WireError):
        decode_envelope(raw)


def test_messages_outside_the_lanes_belong_nowhere() -> None:
    chat = {"lane": "none", "type": "chat", "body": {"number": 1, "text": "hello"}}
    nowhere = {"deal": 0, "attempt": 0, "step": 0, "prev": NO_HEAD}
    assert decode_envelope(enclosed(payload(**chat, **nowhere))).type == "chat"
    for key, value in {"deal": 1, "attempt": 1, "step": 1, "prev": HEAD}.items():
        with pytest.raises(WireError, match="no deal and no step"):
            decode_envelope(enclosed(payload(**chat, **{**nowhere, key: value})))


def test_only_votes_may_be_large() -> None:
    evidence = [bytes(MAX_ENVELOPE), bytes(MAX_ENVELOPE)]
    vote = messages.Vote(lane="play", seat=1, round=0, verdict="claim", move=b"", evidence=evidence)
    assert decode_envelope(sealed("vote", vote)).body == vote
    requests = messages.Roster(requests=[bytes(MAX_ENVELOPE)])
    with pytest.raises(WireError, match="over the limit"):
        decode_envelope(sealed("roster", requests))


@settings(derandomize=True, max_examples=400, deadline=None)
@given(st.sampled_from(sorted(BODIES)).flatmap(lambda name: bodies(BODIES[name])), st.data())
def test_any_changed_byte_is_refused_or_changes_what_is_signed(body: Body, data: st.DataObject) -> None:
    name = messages.TYPES[type(body)]
    raw = bytearray(sealed(name, body))
    place = data.draw(st.integers(0, len(raw) - 1))
    raw[place] ^= data.draw(st.integers(1, 255))
    try:
        envelope = decode_envelope(bytes(raw))
    except WireError:
        return
    before = decode_envelope(sealed(name, body))
    assert (envelope.payload, envelope.signature) != (before.payload, before.signature)


@settings(derandomize=True, max_examples=300)
@given(st.binary(max_size=400), st.binary(min_size=64, max_size=64))
def test_any_bytes_as_a_payload_are_refused(junk: bytes, signature: bytes) -> None:
    with pytest.raises(WireError):
        decode_envelope(msgpack.packb([junk, signature]))
    with pytest.raises(WireError):
        decode_envelope(junk)
