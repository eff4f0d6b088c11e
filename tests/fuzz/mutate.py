"""Bytes into other bytes, by chance from a seed: small damage, and changes that keep a form so as to get further.

Four ways: raw bytes; text; MessagePack, taken apart and put together again with something else in it; and signed
envelopes, whose payload is changed and signed anew. What is made of these for one reader alone stands in `forms`. No
reader is called here.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Sequence
from typing import Any

import msgpack

from azi_p2p.wire.envelope import SIGNATURE_DOMAIN, seal
from tests.fuzz import corpus

Mutation = Callable[[random.Random, bytes, Sequence[bytes]], bytes]
"""Takes chance, one input, and all seeds; gives another input."""

NUMBERS = (0, 1, 2, 3, 5, 6, 7, 31, 32, 127, 128, 255, 256, 65535, 65536, 10**6, 10**6 + 1, 10**13, 2**31 - 1, 2**31)
HUGE = (2**32, 2**63, 2**64 - 1, -1, -(2**63))
ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    1.0,
    float("nan"),
    "",
    "x" * 25,
    "\x1b[2J\n\u202e\u200b",
    b"",
    bytes(31),
    bytes(32),
    bytes([255]) * 32,
    bytes(64),
    [],
    {},
    {"a": 1},
    msgpack.ExtType(5, b"x"),
    msgpack.Timestamp(1, 2),
)
SNIPPETS = (
    b"\n",
    b"\x00",
    b"\x1b[31m",
    b'"',
    b"'''",
    b"[" * 2000,
    b'{"a":' * 2000,
    b"9" * 5000,
    b"-1",
    b"1e999",
    b"NaN",
    b"null",
    b"true",
    b"\\ud800",
    "\u202e\u200b\u2028".encode(),
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"nickname = 1\n",
    b"[nickname]\n",
    b"secret",
    b"public",
    b"%",
    b"{0}",
)


def damage(chance: random.Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    """Flip, cut, double, insert, overwrite or splice, one to four times."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(changed) + 1)
        size = min(len(changed) - at, chance.choice((1, 1, 2, 4, 8, 32, 200)))
        match chance.randrange(8):
            case 0 if at < len(changed):
                changed[at] ^= 1 << chance.randrange(8)
            case 1:
                del changed[at : at + size]
            case 2:
                changed[at:at] = changed[at : at + size]
            case 3:
                changed[at:at] = chance.randbytes(size or 1)
            case 4:
                changed[at : at + size] = chance.randbytes(size)
            case 5:
                wide = struct.pack(">Q", chance.choice(NUMBERS + HUGE[:3]))
                changed[at : at + size] = wide[-chance.choice((1, 2, 4, 8)) :]
            case 6:
                other = chance.choice(seeds)
                begin = chance.randrange(len(other) + 1)
                changed[at : at + size] = other[begin : begin + chance.randint(1, 400)]
            case _:
                changed[at:at] = bytes([chance.choice((0x00, 0x81, 0x91, 0xC1, 0xC7, 0xCF, 0xDD, 0xDF, 0xFF))]) * (
                    chance.choice((1, 1, 2, 2000))
                )
    return bytes(changed)


def text(chance: random.Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    """Put strange words and signs into a text, or treat it as bytes."""
    if chance.random() < 0.4:
        return damage(chance, data, seeds)
    at = chance.randrange(len(data) + 1)
    return data[:at] + chance.choice(SNIPPETS) + data[at + chance.choice((0, 0, 1, 5)) :]


def packed(chance: random.Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    """Change a value somewhere within MessagePack, or treat it as bytes."""
    if chance.random() < 0.3:
        return damage(chance, data, seeds)
    try:
        value = msgpack.unpackb(data, strict_map_key=False)
    except (ValueError, TypeError, msgpack.UnpackException):
        return damage(chance, data, seeds)
    return repack(changed_value(chance, value))


def envelope(chance: random.Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    """Change the payload of an envelope and sign it anew, or treat it as MessagePack."""
    if chance.random() < 0.2:
        return packed(chance, data, seeds)
    try:
        payload = msgpack.unpackb(msgpack.unpackb(data)[0])
        author = payload["author"]
    except (ValueError, TypeError, LookupError, msgpack.UnpackException):
        return packed(chance, data, seeds)
    keys = corpus.identities()
    if chance.random() < 0.3:
        author = payload["author"] = chance.choice(sorted(keys))
    if chance.random() < 0.6:
        payload["body"] = changed_value(chance, payload.get("body"))
    else:
        payload = changed_value(chance, payload)
    raw = repack(payload)
    if not isinstance(author, bytes) or author not in keys:
        return seal(raw, chance.randbytes(64))
    return seal(raw, keys[author].sign(SIGNATURE_DOMAIN, raw))


def changed_value(chance: random.Random, value: Any) -> Any:
    """The same value with one thing in it changed, somewhere."""
    if isinstance(value, dict) and value and chance.random() < 0.85:
        key = chance.choice(list(value))
        match chance.randrange(12):
            case 0:
                return {k: v for k, v in value.items() if k != key}
            case 1:
                return {**value, chance.choice(("x", "\n", "z" * 300, "body", 7)): 1}
            case 2:
                return dict(reversed(value.items()))
            case _:
                return {k: changed_value(chance, v) if k == key else v for k, v in value.items()}
    if isinstance(value, list) and value and chance.random() < 0.85:
        at = chance.randrange(len(value))
        match chance.randrange(8):
            case 0:
                return value[:at] + value[at + 1 :]
            case 1:
                return value[:at] + [value[at]] * chance.choice((2, 7, 40, 600)) + value[at + 1 :]
            case _:
                return [*value[:at], changed_value(chance, value[at]), *value[at + 1 :]]
    if isinstance(value, int) and not isinstance(value, bool) and chance.random() < 0.8:
        if chance.random() < 0.4:
            return chance.randrange(8)
        return chance.choice((*NUMBERS, *HUGE, value + 1, max(value - 1, 0)))
    if isinstance(value, bytes) and value and chance.random() < 0.8:
        if chance.random() < 0.6:  # most fields of bytes have one length only
            at = chance.randrange(len(value))
            fresh = chance.choice((bytes(8), b"\xff" * 8, chance.randbytes(1), chance.randbytes(len(value))))
            return (value[:at] + fresh + value[at + len(fresh) :])[: len(value)]
        return damage(chance, value, [value])
    if isinstance(value, str) and chance.random() < 0.6:
        return chance.choice(
            (value + "x", value[:-1], value.upper(), "\u0430" * 24, "C", "6S", "claim", "ack", "finish")
        )
    deep: Any = value
    if chance.random() < 0.05:
        for _ in range(chance.choice((3, 8, 9, 300))):
            deep = [deep]
        return deep
    return chance.choice(ODD)


def repack(value: Any) -> bytes:
    """MessagePack of anything that a mutation has come up with."""
    try:
        raw: bytes = msgpack.packb(value, use_bin_type=True)
    except (ValueError, OverflowError, TypeError):
        return b"\xc1"
    return raw
