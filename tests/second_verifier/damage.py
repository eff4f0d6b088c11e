"""Damaged ledgers: bytes turned, records dropped, exchanged, doubled, cut; and messages changed and signed anew."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from typing import Any

from tests.second_verifier.theirs import load

theirs = load()
DAMAGES = ("turn", "drop", "exchange", "neighbours", "double", "move", "cut", "end", "lose", "extra")
EMPTY_BODIES = ("call", "check", "fold", "leave", "buy_in", "decline")


def split(data: bytes) -> tuple[bytes, list[bytes]]:
    """The header of a file, and its records without their lengths."""
    at = 12 + struct.unpack(">I", data[8:12])[0]
    header, raws = data[:at], []
    while at < len(data):
        size = struct.unpack(">I", data[at : at + 4])[0]
        raws.append(data[at + 4 : at + 4 + size])
        at += 4 + size
    return header, raws


def join(header: bytes, raws: list[bytes]) -> bytes:
    return header + b"".join(struct.pack(">I", len(raw)) + raw for raw in raws)


def damaged(data: bytes, chance: random.Random, count: int) -> Iterator[tuple[str, bytes]]:
    """Copies with one damage each, and what it is."""
    header, raws = split(data)
    for _ in range(count):
        i, j = chance.randrange(len(raws)), chance.randrange(len(raws))
        k = chance.randrange(len(data))
        kind = chance.choice(DAMAGES)
        changed = list(raws)
        whole = b""
        if kind == "turn":
            whole = data[:k] + bytes([data[k] ^ 1 << chance.randrange(8)]) + data[k + 1 :]
        elif kind == "lose":
            whole = data[:k] + data[k + chance.randint(1, 4) :]
        elif kind == "extra":
            whole = data[:k] + chance.randbytes(chance.randint(1, 4)) + data[k:]
        elif kind == "end":
            whole = data[:k]
        elif kind == "drop":
            del changed[i]
        elif kind == "exchange":
            changed[i], changed[j] = changed[j], changed[i]
        elif kind == "neighbours":
            changed[i - 1 : i + 1] = reversed(changed[i - 1 : i + 1])
        elif kind == "double":
            changed.insert(chance.choice((i, i + 1)), changed[i])
        elif kind == "move":
            changed.insert(j, changed.pop(i))
        else:
            changed = changed[:i]
        yield f"{kind} {i} {j} {k}", whole or join(header, changed)


def headers(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Copies with another header."""
    header, raws = split(data)
    params = theirs.unpack(header[12:])
    others = [
        *({**params, name: params[name] + 1} for name in ("ante", "min_bid", "start_chips", "seats", "deal_limit")),
        {**params, "promoted_six": not params["promoted_six"]},
        {**params, "rebuy": int(params["rebuy"])},
        {**params, "name": "x" * 25},
        dict(reversed(params.items())),
    ]
    for number, other in enumerate(others):
        packed = theirs.pack(other)
        yield f"header {number}", join(theirs.MAGIC + struct.pack(">I", len(packed)) + packed, raws)
    yield "magic", b"azi" + data[3:]
    yield "version", data[:7] + b"\x02" + data[8:]


def damaged_evidence(data: bytes, chance: random.Random, count: int) -> Iterator[tuple[str, bytes]]:
    """Copies of an evidence file with one damage each; also other proving envelopes, taken from what leads up."""
    params, proving, context = theirs.read_evidence(data)
    header = data[: 12 + len(params)]
    for _ in range(count):
        kind = chance.choice(("turn", "end", "drop", "exchange", "move", "other", "pair"))
        raws, proofs, k = [*proving, *context], len(proving), chance.randrange(len(data))
        i, j = chance.randrange(len(raws)), chance.randrange(len(raws))
        whole = b""
        if kind == "turn":
            whole = data[:k] + bytes([data[k] ^ 1 << chance.randrange(8)]) + data[k + 1 :]
        elif kind == "end":
            whole = data[:k]
        elif kind == "drop":
            del raws[i]
        elif kind == "exchange":
            raws[i], raws[j] = raws[j], raws[i]
        elif kind == "move":
            raws.insert(j, raws.pop(i))
        else:
            picked = [raws[i]] if kind == "other" else [raws[i], raws[j]]
            raws, proofs = [*picked, *context], len(picked)
        yield f"{kind} {i} {j} {k}", whole or join(header + bytes([proofs]), raws)


# --- Lies: a message changed by its author -------------------------------------------------------------------------


def lies(data: bytes, people: dict[bytes, Any], chance: random.Random, count: int) -> Iterator[tuple[str, bytes]]:
    """Copies in which one message says something else, well signed; the file ends with it, or goes on as before."""
    header, raws = split(data)
    for _ in range(count):
        i = chance.randrange(len(raws))
        payload = theirs.unpack(theirs.unpack(raws[i])[0])
        said = change(payload, chance)
        author = people[payload["author"]]
        if chance.random() < 0.1:
            author = chance.choice(list(people.values()))
        if payload["author"] != author.key:
            payload["author"], said = author.key, f"{said}, by another"
        packed = theirs.pack(payload)
        signature = author.secret.sign(theirs.signed_bytes(b"azi/1 envelope", packed))
        rest = raws[i + 1 :] if chance.random() < 0.2 else []
        yield f"record {i}: {said}", join(header, [*raws[:i], theirs.pack([packed, signature]), *rest])


def change(payload: dict[str, Any], chance: random.Random) -> str:
    """Change one thing in a payload, and say what."""
    kind, body = payload["type"], payload["body"]
    if kind in ("bid", *EMPTY_BODIES) and chance.random() < 0.6:
        payload["type"] = chance.choice(("bid", *EMPTY_BODIES))
        payload["body"] = {"to": chance.randint(1, 60)} if payload["type"] == "bid" else {}
        return f"{kind} became {payload['type']} {payload['body']}"
    if kind == "play" and chance.random() < 0.3:
        if chance.random() < 0.5:
            body["void"] = body["void"][:-1] if body["void"] else [bytes(1152)]
        else:
            payload["type"], payload["body"] = chance.choice(("fold", "leave", "discard")), {}
            if payload["type"] == "discard":
                payload["body"] = {"position": body["position"]}
        return f"play became {payload['type']}, or has other void proofs"
    if chance.random() < 0.2:
        name = chance.choice(("deal", "attempt", "step", "prev", "table", "version", "lane"))
        old = payload[name]
        if isinstance(old, int):
            payload[name] = max(0, old + chance.choice((-1, 1)))
        else:
            payload[name] = chance.choice(("deck", "play", "vote", "none")) if name == "lane" else chance.randbytes(32)
        return f"{kind}: other {name}"
    return f"{kind}: {change_in(payload, 'body', chance)}"


def change_in(holder: Any, key: Any, chance: random.Random) -> str:
    """Change something at or below a value."""
    value = holder[key]
    if isinstance(value, dict) and value:
        return f"{key}." + change_in(value, chance.choice(list(value)), chance)
    if isinstance(value, list) and value:
        kind, i, j = chance.randrange(5), chance.randrange(len(value)), chance.randrange(len(value))
        if kind == 0:
            del value[i]
            return f"{key} without {i}"
        if kind == 1:
            value.insert(j, value[i])
            return f"{key} with {i} twice"
        if kind == 2 and i != j:
            value[i], value[j] = value[j], value[i]
            return f"{key} with {i} and {j} exchanged"
        return f"{key}[{i}]" + change_in(value, i, chance)
    if isinstance(value, bool):
        holder[key] = chance.choice((not value, int(value)))
    elif isinstance(value, int):
        holder[key] = chance.choice((value + 1, max(0, value - 1), 0, value + 10, 2 * value))
    elif isinstance(value, bytes):
        holder[key] = changed_bytes(value, chance)
    elif isinstance(value, str):
        words = ("6S", "AH", "KD", "TC", "claim", "ack", "deck", "play", "finish", "one_left", "leave", "return", "x")
        holder[key] = chance.choice(words)
    else:
        holder[key] = chance.choice(([], {}, 0, b"", "", [b"x"]))
    return f"{key} changed"


def changed_bytes(value: bytes, chance: random.Random) -> bytes:
    """Other bytes: mostly of the same length, now and then of a form that must be refused."""
    order = theirs.L.to_bytes(32, "little")
    if len(value) >= 32 and chance.random() < 0.5:
        at = 32 * chance.randrange(len(value) // 32)
        part = value[at : at + 32]
        plus = (int.from_bytes(part, "little") + theirs.L) % 2**256
        others = (bytes(32), order, b"\xff" * 32, theirs.G.data, plus.to_bytes(32, "little"), value[:32])
        return value[:at] + chance.choice(others) + value[at + 32 :]
    if not value or chance.random() < 0.1:
        return chance.choice((value[:-1], value + b"\x00", b""))
    at = chance.randrange(len(value))
    return value[:at] + bytes([value[at] ^ 1 << chance.randrange(8)]) + value[at + 1 :]
