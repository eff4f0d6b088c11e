"""Mutations that know the form of what one reader reads, so that most inputs get past its first checks.

Lengths, checksums and signatures are made anew around what was changed: nearly every byte that changes otherwise ends
at them, and the code behind is never reached. A part of the inputs is left to `mutate`, which knows no forms.
"""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Sequence
from typing import Any

import msgpack

from azi_p2p.crypto.identity import IdentityKey
from azi_p2p.net import hello as net_hello
from azi_p2p.store.journal import MAGIC
from azi_p2p.store.keyfile import LOCKED_LINE, SEALED_SIZE, key_text
from azi_p2p.wire.codec import encode
from azi_p2p.wire.evidencefile import EVIDENCE_MAGIC
from azi_p2p.wire.messages import VERSION
from tests.fuzz import corpus
from tests.fuzz.mutate import NUMBERS, SNIPPETS, changed_value, damage, envelope, packed, repack, text

HOSTS = tuple(
    bytes(host)
    for host in (
        [192, 168, 1, 20],
        [10, 0, 0, 1],
        [127, 0, 0, 1],
        [224, 0, 0, 251],
        [0, 0, 0, 0],
        [255, 255, 255, 255],
        [0xFE, 0x80, *[0] * 13, 1],
        [0xFD, *[1] * 15],
        [0xFF, 2, *[0] * 13, 0xFB],
        [0] * 10 + [255, 255, 192, 168, 1, 20],
        [1, 2, 3],
        [],
    )
)
"""Addresses as they stand in DNS records: such as can be dialled, and such as can't."""

NAMES = (
    "Katya",
    "Катя",
    "a" * 24,
    "a" * 25,
    "",
    " ",
    "\x1b[2J",
    "\u202eayta\u200bK",
    "👨\u200d👩\u200d👧",
    "Kitchen\n",
)


def frame(chance: random.Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    """Change the envelope within a frame body, or the frame around it."""
    try:
        kind, body = msgpack.unpackb(data)
        enclosed = body["envelope"] if kind == "envelope" else None
    except (ValueError, TypeError, LookupError, msgpack.UnpackException):
        enclosed = None
    if not isinstance(enclosed, bytes) or chance.random() < 0.1:
        return packed(chance, data, seeds)
    return repack(["envelope", {"envelope": envelope(chance, enclosed, [enclosed])}])


def frame_body(chance: random.Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    """Change what a frame carries and leave its kind, or change the frame in any way."""
    if chance.random() < 0.4:
        return frame(chance, data, seeds)
    try:
        kind, body = msgpack.unpackb(data)
    except (ValueError, TypeError, msgpack.UnpackException):
        return frame(chance, data, seeds)
    return repack([kind, changed_value(chance, body)])


def hello(chance: random.Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    """Change one of the two messages of a hello, or the opening with a proof that fits; the lengths are right."""
    if chance.random() < 0.15:
        return damage(chance, data, seeds)
    parts = _hello_parts(data) or _hello_parts(seeds[0])
    if chance.random() < 0.25:
        which = chance.randrange(2)
        parts[which] = packed(chance, parts[which], parts)
    else:
        opening: Any = _opening(parts[0]) or _opening(_hello_parts(seeds[0])[0])
        opening["key"] = chance.choice(sorted(corpus.identities()))
        opening["nonce"] = chance.choice((chance.randbytes(32), bytes(32), b"\xff" * 32))
        if chance.random() < 0.4:
            opening = changed_value(chance, opening)
        parts = [repack(opening), hello_proof(opening)]
    return b"".join(struct.pack(">H", len(part) % 65536) + part for part in parts)


def hello_proof(opening: Any) -> bytes:
    """The proof that belongs to this opening, as far as there is one: signed by its key, for the listener here."""
    keys = corpus.identities()
    if not isinstance(opening, dict):
        return encode(net_hello.Proof(bytes(64)))
    listener = next(iter(keys))
    key, nonce = opening.get("key"), opening.get("nonce")
    if not isinstance(key, bytes) or key not in keys or not isinstance(nonce, bytes):
        return encode(net_hello.Proof(bytes(64)))
    meeting = net_hello.Meeting("dialer", VERSION, bytes(32), key, listener, nonce, bytes(32))
    return encode(net_hello.Proof(keys[key].sign(net_hello.SIGNATURE_DOMAIN, encode(meeting))))


def _hello_parts(data: bytes) -> list[bytes]:
    """The two messages of a hello; empty if the bytes end before them."""
    if len(data) < 4:
        return []
    (size,) = struct.unpack_from(">H", data)
    return [data[2 : 2 + size], data[4 + size :]]


def _opening(data: bytes) -> dict[str, Any]:
    """The fields of an opening; empty where these bytes are none."""
    try:
        found = msgpack.unpackb(data)
    except (ValueError, TypeError, msgpack.UnpackException):
        return {}
    return found if isinstance(found, dict) and all(isinstance(key, str) for key in found) else {}


def record(chance: random.Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    """Change a TXT field, the address or the port of a record; each field keeps its right length."""
    if chance.random() < 0.2 or len(data) < 3:
        return damage(chance, data, seeds)
    port, size = struct.unpack_from(">HB", data)
    host, rest = data[3 : 3 + size], data[3 + size :]
    fields = []
    while rest:
        fields.append(rest[1 : 1 + rest[0]])
        rest = rest[1 + rest[0] :]
    match chance.randrange(8):
        case 0:
            port = chance.choice((0, 1, 4000, 65535))
        case 1:
            host = chance.choice(HOSTS)
        case 2 if fields:
            fields.insert(chance.randrange(len(fields)), chance.choice(fields))
        case 3 if fields:
            del fields[chance.randrange(len(fields))]
        case 4:
            chance.shuffle(fields)
        case _:
            at = chance.randrange(len(fields) + 1)
            name = fields[at].split(b"=")[0] if at < len(fields) else b"x"
            fields[at : at + 1] = [name + b"=" + _field_value(chance, name)]
    text_data = b"".join(bytes([len(pair[:255])]) + pair[:255] for pair in fields)
    return struct.pack(">HB", port, len(host)) + host + text_data


def _field_value(chance: random.Random, name: bytes) -> bytes:
    """What may stand in a TXT field of this name, mostly; now and then what may not."""
    if chance.random() < 0.3:
        return damage(chance, chance.choice(SNIPPETS)[:200], SNIPPETS)
    if name in (b"k", b"t", b"d"):
        written = chance.randbytes(chance.choice((32, 32, 32, 31, 33))).hex()
        return (written.upper() if chance.random() < 0.1 else written).encode()
    if name in (b"n", b"m"):
        return chance.choice(NAMES).encode()
    return str(chance.choice((*NUMBERS, chance.randrange(8)))).encode()


def packet(chance: random.Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    """A DNS packet of a changed record, its parts in any order, or damaged."""
    if chance.random() < 0.3:
        return damage(chance, data, seeds)
    changed = record(chance, chance.choice(corpus.records()), corpus.records())
    if len(changed) < 3 or changed[2] not in (4, 16) or len(changed) < 3 + changed[2]:
        return damage(chance, data, seeds)
    answers = corpus.answers(changed)
    match chance.randrange(4):
        case 0:
            chance.shuffle(answers)
        case 1:
            answers.remove(chance.choice(answers))
        case 2:
            answers.insert(chance.randrange(len(answers)), chance.choice(answers))
        case _:
            pass
    built = corpus.packet_of(answers)
    return damage(chance, built, seeds) if chance.random() < 0.2 else built


def key_file(chance: random.Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    """Another sound key, locked or not, its lines written with other spaces; or a damaged file."""
    if chance.random() < 0.4:
        return text(chance, data, seeds)
    written = key_text(IdentityKey.from_seed(chance.randbytes(32)))
    if chance.random() < 0.4:
        sealed = chance.randbytes(SEALED_SIZE + chance.choice((0, 0, 0, 0, 1, -1)))
        written = f"{LOCKED_LINE}\nsecret {sealed.hex()}\npublic {chance.randbytes(32).hex()}\n"
    lines = written.split("\n")
    for _ in range(chance.randrange(3)):
        at = chance.randrange(len(lines))
        match chance.randrange(6):
            case 0:
                lines[at] = f"  {lines[at]}\t\r"
            case 1:
                lines.insert(at, chance.choice(("", "\x0b", "\x85", "\u2028")))
            case 2:
                lines[at] = lines[at].upper()
            case 3:
                lines[at] += chance.choice((" more", "0", " 00", "\u00a0"))
            case 4:
                lines[at] = lines[at].replace(" ", chance.choice(("\t", "  ", "\u3000")))
            case _:
                other = chance.randrange(len(lines))
                lines[at], lines[other] = lines[other], lines[at]
    return "\n".join(lines).encode()


def json_text(chance: random.Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    """Change a value somewhere within JSON, or treat it as text."""
    if chance.random() < 0.4:
        return text(chance, data, seeds)
    try:
        value = changed_value(chance, json.loads(data))
        return json.dumps(value, default=repr, ensure_ascii=chance.random() < 0.5).encode(errors="surrogatepass")
    except (ValueError, RecursionError, TypeError):
        return text(chance, data, seeds)


def journal(chance: random.Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    """Change the records of a journal and write their checksums anew; or damage it, or cut its end as a crash does."""
    if len(data) > 60 and chance.random() < 0.2:
        return data[: chance.randrange(30, len(data))] + bytes(chance.choice((0, 0, 1, 12, 500)))
    (size,) = struct.unpack_from(">I", data.ljust(4, b"\0"))
    files = [data[4 : 4 + size], data[4 + size :]]
    which = chance.randrange(2)
    if chance.random() < 0.25 or not files[which].startswith(MAGIC):
        return damage(chance, data, seeds)
    found = _journaled(files[which])
    at = chance.randrange(len(found) + 1)
    match chance.randrange(5):
        case 0:
            del found[at : at + 1]
        case 1:
            found.insert(at, chance.choice((b"", b"x", bytes(70_000), *found[:1])))
        case 2:
            chance.shuffle(found)
        case _ if at < len(found):
            found[at] = packed(chance, found[at], found)
        case _:
            pass
    files[which] = MAGIC + b"".join(map(corpus.journaled, found))
    return struct.pack(">I", len(files[0])) + files[0] + files[1]


def _journaled(file: bytes) -> list[bytes]:
    """The contents of the records of a journal file, as far as they go."""
    found, at = list[bytes](), len(MAGIC)
    while at + 12 <= len(file):
        (length,) = struct.unpack_from(">I", file, at)
        found.append(file[at + 12 : at + 12 + length])
        at += 12 + length
    return found


def records(chance: random.Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    """Drop, double, swap or change a length-prefixed record of a file (its first eight bytes are no record).

    In an evidence file a byte stands after the first record; mostly it stays as it is.
    """
    if chance.random() < 0.25:
        return damage(chance, data, seeds)
    parts, at, count = list[bytes](), 8, b""
    while at + 4 <= len(data):
        (length,) = struct.unpack_from(">I", data, at)
        parts.append(data[at + 4 : at + 4 + length])
        at += 4 + length
        if len(parts) == 1 and data.startswith(EVIDENCE_MAGIC):
            count = data[at : at + 1]
            at += 1
    if len(parts) < 2:
        return damage(chance, data, seeds)
    which, other = chance.randrange(len(parts)), chance.randrange(len(parts))
    if count and chance.random() < 0.4:
        which = 1  # what is to be proven; all else leads up to it
    match chance.randrange(6):
        case 0:
            del parts[which]
        case 1:
            parts.insert(other, parts[which])
        case 2:
            parts[which], parts[other] = parts[other], parts[which]
        case 3:
            parts = parts[: which + 1]
        case _:
            parts[which] = envelope(chance, parts[which], parts)
    if count and chance.random() < 0.1:
        count = chance.randbytes(1)
    first, *rest = [struct.pack(">I", len(part)) + part for part in parts]
    return data[:8] + first + count + b"".join(rest)
