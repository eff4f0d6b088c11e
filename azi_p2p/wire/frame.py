"""Frames: length-prefixed bytes on a stream, and the unsigned values that links exchange in them.

A frame is a four-byte big-endian length and that many bytes of MessagePack `[kind, body]`. What matters is signed
and travels as an envelope inside a frame; the other kinds only help two links to catch up with each other.
"""

from __future__ import annotations

import struct
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from azi_p2p.wire.codec import convert, decode_plain, encode
from azi_p2p.wire.errors import WireError
from azi_p2p.wire.messages import Count, Digest, Id

MAX_FRAME = 64 * 1024
"""Largest frame body in bytes; a longer one is refused by its length, before it is read."""

HEADER = struct.Struct(">I")

SeatBits = Annotated[int, Meta(ge=0, le=63)]

Port = Annotated[int, Meta(ge=1, le=65535)]


class EnvelopeFrame(Struct, frozen=True, forbid_unknown_fields=True):
    """One signed envelope, byte for byte."""

    envelope: Annotated[bytes, Meta(max_length=MAX_FRAME - 64)]


class StatusFrame(Struct, frozen=True, forbid_unknown_fields=True):
    """Where the sender is, so that the other side can send what it lacks.

    `deal`, `step`, `head`: the step of the play lane that the sender is waiting in (deal 0: not founded yet).
    `held`: the seats whose envelopes of that step it holds, bit by seat. `deck_deal`, `deck_attempt`, `deck_step`,
    `deck_held`: likewise of the deck lane. `wants_answer`: the sender asks for the other's status in return.
    """

    table: Digest
    deal: Count
    step: Count
    head: Digest
    held: SeatBits
    deck_deal: Count
    deck_attempt: Count
    deck_step: Count
    deck_held: SeatBits
    wants_answer: bool


class PeerAddress(Struct, frozen=True, forbid_unknown_fields=True):
    """Where a peer listens, as its neighbour knows it: a hint, checked by the handshake when it is dialled."""

    peer: Id
    host: Annotated[str, Meta(min_length=1, max_length=64)]
    port: Port


class PeersFrame(Struct, frozen=True, forbid_unknown_fields=True):
    """Addresses of peers of the same table that the sender knows of."""

    peers: Annotated[list[PeerAddress], Meta(max_length=32)]


class PingFrame(Struct, frozen=True, forbid_unknown_fields=True):
    """A sign of life; `reply` marks the answer."""

    number: Count
    reply: bool


Frame = EnvelopeFrame | StatusFrame | PeersFrame | PingFrame

KINDS: dict[str, type[Frame]] = {
    "envelope": EnvelopeFrame,
    "status": StatusFrame,
    "peers": PeersFrame,
    "ping": PingFrame,
}
NAMES = {kind: name for name, kind in KINDS.items()}


def encode_frame(frame: Frame) -> bytes:
    """Encode a frame with its length prefix; raises WireError if it is too large to send."""
    return prefixed(encode([NAMES[type(frame)], msgspec.to_builtins(frame, builtin_types=(bytes,))]))


def decode_frame(body: bytes) -> Frame:
    """Decode a frame's body (without the length prefix); raises WireError."""
    plain = decode_plain(body, limit=MAX_FRAME)
    if not (isinstance(plain, list) and len(plain) == 2 and isinstance(plain[0], str)):
        raise WireError("a frame is a pair of kind and body")
    kind = KINDS.get(plain[0])
    if kind is None:
        raise WireError(f"unknown kind of frame {plain[0][:20]!r}")
    return convert(plain[1], kind)


def prefixed(body: bytes) -> bytes:
    """Put the length before a frame body; raises WireError when it is longer than MAX_FRAME."""
    if len(body) > MAX_FRAME:
        raise WireError(f"a frame of {len(body)} bytes is over the limit of {MAX_FRAME}")
    return HEADER.pack(len(body)) + body


def frame_length(header: bytes) -> int:
    """Read a length prefix (4 bytes) and check it against the limit; raises WireError."""
    (length,) = HEADER.unpack(header)
    if not 0 < length <= MAX_FRAME:
        raise WireError(f"a frame of {length} bytes; 1 to {MAX_FRAME} are allowed")
    return int(length)
