"""Envelopes: signed payloads, and what names them.

`Envelope = [payload, signature]` in MessagePack. The signature covers a domain tag and the payload bytes as sent;
nobody encodes anything again to verify. This module decodes and names; who may sign what is the session's business.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from azi_p2p.wire.codec import convert, decode_plain, encode
from azi_p2p.wire.errors import WireError
from azi_p2p.wire.messages import (
    BODIES,
    LANES,
    MAX_ENVELOPE,
    MAX_VOTE,
    TYPES,
    VERSION,
    Body,
    Count,
    Digest,
    Id,
    Lane,
)

SIGNATURE_DOMAIN = b"azi/1 envelope"
"""Domain tag under which payloads are signed."""

NO_HEAD = bytes(32)
"""`prev` of messages outside the lanes."""


class Payload(Struct, frozen=True, forbid_unknown_fields=True):
    """A message with everything that says where it belongs; `body` is still a plain map."""

    version: Annotated[int, Meta(ge=0, le=2**15)]
    table: Digest
    lane: Lane
    author: Id
    deal: Count
    attempt: Count
    step: Count
    prev: Digest
    type: Annotated[str, Meta(min_length=1, max_length=16)]
    body: dict[str, object]


class _Envelope(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    payload: Annotated[bytes, Meta(min_length=1)]
    signature: Annotated[bytes, Meta(min_length=64, max_length=64)]


@dataclass(frozen=True, slots=True)
class Envelope:
    """A decoded envelope. `raw`: its bytes as sent; `id`: hash of its payload; `body`: its typed body."""

    raw: bytes
    payload: bytes
    signature: bytes
    id: bytes
    table: bytes
    lane: Lane
    author: bytes
    deal: int
    attempt: int
    step: int
    prev: bytes
    type: str
    body: Body


@dataclass(frozen=True, slots=True)
class Place:
    """Where a message belongs: lane, deal, attempt, step, and the head it builds on."""

    lane: Lane
    deal: int = 0
    attempt: int = 0
    step: int = 0
    prev: bytes = NO_HEAD


NOWHERE = Place("none")
"""The place of messages that belong to no lane."""


def message_id(payload: bytes) -> bytes:
    """The id (32 bytes) of the message with these payload bytes."""
    return hashlib.sha256(b"azi/1 message id" + payload).digest()


def encode_payload(table: bytes, author: bytes, place: Place, body: Body) -> bytes:
    """The payload bytes of a message, ready to be signed under SIGNATURE_DOMAIN."""
    return encode(
        Payload(
            version=VERSION,
            table=table,
            lane=place.lane,
            author=author,
            deal=place.deal,
            attempt=place.attempt,
            step=place.step,
            prev=place.prev,
            type=TYPES[type(body)],
            body=msgspec.to_builtins(body, builtin_types=(bytes,)),
        )
    )


def seal(payload: bytes, signature: bytes) -> bytes:
    """The envelope bytes of a signed payload."""
    return encode([payload, signature])


@lru_cache(maxsize=64)
def decode_envelope(raw: bytes) -> Envelope:
    """Decode an envelope strictly; raises WireError. The signature is not checked here.

    The last ones are remembered: at a table of six, four of five envelopes come in that have just come over another
    link.
    """
    outer = convert(decode_plain(raw, limit=MAX_VOTE), _Envelope)
    if seal(outer.payload, outer.signature) != raw:
        raise WireError("the envelope is not in its shortest encoding")
    plain = decode_plain(outer.payload, limit=MAX_VOTE)
    if isinstance(plain, dict) and plain.get("version") != VERSION:
        raise WireError(f"protocol version {repr(plain.get('version'))[:20]}; this program speaks {VERSION}")
    head = convert(plain, Payload)
    kind = BODIES.get(head.type)
    if kind is None:
        raise WireError(f"unknown message type {head.type!r}")
    if LANES[head.type] != head.lane:
        raise WireError(f"a {head.type} message doesn't belong in lane {head.lane!r}")
    if head.type != "vote" and len(raw) > MAX_ENVELOPE:
        raise WireError(f"an envelope of {len(raw)} bytes is over the limit of {MAX_ENVELOPE}")
    body = convert(head.body, kind)
    place = Place(head.lane, head.deal, head.attempt, head.step, head.prev)
    if encode_payload(head.table, head.author, place, body) != outer.payload:
        raise WireError("the payload is not in its shortest encoding, or its fields are out of order")
    if head.lane == "none" and place != NOWHERE:
        raise WireError(f"a {head.type} message belongs to no deal and no step")
    return Envelope(
        raw=raw,
        payload=outer.payload,
        signature=outer.signature,
        id=message_id(outer.payload),
        table=head.table,
        lane=head.lane,
        author=head.author,
        deal=head.deal,
        attempt=head.attempt,
        step=head.step,
        prev=head.prev,
        type=head.type,
        body=body,
    )


def place_of(envelope: Envelope) -> Place:
    """The place that an envelope names."""
    return Place(envelope.lane, envelope.deal, envelope.attempt, envelope.step, envelope.prev)
