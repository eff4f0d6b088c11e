"""What a peer says about its table by mDNS, to TXT fields and back.

Anybody on the LAN can announce anything, so what comes in is bounded and checked field by field, and even then it is
no more than a hint: the link proves who answers, and the session what the table is. Names are handed on as they came,
within their bounds; whoever shows them cleans them. How records travel is said in `discovery`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from azi_p2p.crypto.identity import fingerprint
from azi_p2p.net.addresses import Address, claimed_address
from azi_p2p.wire.messages import VERSION

SERVICE_TYPE = "_azi._tcp.local."
MAX_LABEL = 63
"""Bytes of one DNS label (RFC 1035, section 2.3.4): the instance name has to fit."""
MAX_TXT = 1024
MAX_ADDRESSES = 8


class BadRecord(ValueError):  # noqa: N818 - it says what a record is, not what went wrong here
    """A record that no honest peer announces; the message says why."""


@dataclass(frozen=True, slots=True)
class Announcement:
    """What we say about our table. `free`: seats that can still be taken; `params`: digest of the parameters.

    `private`: only who knows its code may join.
    """

    peer: bytes
    nickname: str
    table: bytes
    table_name: str
    seats: int
    free: int
    ante: int
    params: bytes
    private: bool = False

    def instance(self) -> str:
        """The name of the record, unique by the key hash in it: `Anna b3k7-…._azi._tcp.local.`"""
        tail = f" {fingerprint(self.peer)}"
        # A dot would begin another label.
        plain = "".join(
            sign for sign in self.nickname.replace(".", " ") if not unicodedata.category(sign).startswith("C")
        )
        room = MAX_LABEL - len(tail.encode())
        label = plain.encode()[:room].decode(errors="ignore").strip() + tail
        return f"{label.strip()}.{SERVICE_TYPE}"

    def host(self) -> str:
        """The host name that carries our addresses: one for each key, so that no other computer's name is touched."""
        return f"azi-{self.peer.hex()[:16]}.local."

    def fields(self) -> dict[str, str]:
        """The TXT fields; `v`, `k`, `t` and `n` keep their meaning in all versions to come."""
        return {
            "v": str(VERSION),
            "k": self.peer.hex(),
            "t": self.table.hex(),
            "n": self.table_name,
            "m": self.nickname,
            "s": str(self.seats),
            "f": str(self.free),
            "a": str(self.ante),
            "d": self.params.hex(),
            **({"c": "1"} if self.private else {}),
        }


@dataclass(frozen=True, slots=True)
class Sighting:
    """A table as one of its peers announces it. `seen`: local monotonic seconds when the record was first seen.

    With a `version` other than ours, everything but peer, table, names and addresses is 0 or empty. `private`: it is
    said that only who knows a code may join; whether that is so, the link shows.
    """

    peer: bytes
    nickname: str
    table: bytes
    table_name: str
    version: int
    seats: int
    free: int
    ante: int
    params: bytes
    addresses: tuple[Address, ...]
    seen: float
    private: bool = False


def read_record(
    fields: Mapping[bytes, bytes | None], hosts: Iterable[str], port: int | None, *, seen: float, loopback: bool
) -> Sighting:
    """Check the fields, addresses and port of a record; raises BadRecord. `loopback`: also take our own addresses."""
    size = sum(len(key) + len(value or b"") + 2 for key, value in fields.items())
    if size > MAX_TXT:
        raise BadRecord(f"{size} bytes of text; {MAX_TXT} are allowed")
    places = [claimed_address(host, port or 0, loopback=loopback) for host in list(hosts)[:MAX_ADDRESSES]]
    addresses = tuple(dict.fromkeys(place for place in places if place is not None))
    if not addresses:
        raise BadRecord("no address that could be dialled")
    version = _number(fields, b"v", 0, 2**15)
    same = version == VERSION
    seats = _number(fields, b"s", 2, 6) if same else 0
    return Sighting(
        peer=_bytes(fields, b"k", 32),
        nickname=_text(fields, b"m", 24) if same else "",
        table=_bytes(fields, b"t", 32),
        table_name=_text(fields, b"n", 24),
        version=version,
        seats=seats,
        free=_number(fields, b"f", 0, seats) if same else 0,
        ante=_number(fields, b"a", 1, 10**6) if same else 0,
        params=_bytes(fields, b"d", 32) if same else b"",
        addresses=addresses,
        seen=seen,
        private=same and b"c" in fields and _number(fields, b"c", 1, 1) == 1,
    )


def _value(fields: Mapping[bytes, bytes | None], key: bytes) -> bytes:
    value = fields.get(key)
    if value is None:
        raise BadRecord(f"the field {key.decode()} is missing")
    return value


def _number(fields: Mapping[bytes, bytes | None], key: bytes, low: int, high: int) -> int:
    digits = _value(fields, key)
    if not 1 <= len(digits) <= 7 or not digits.isdigit():
        raise BadRecord(f"the field {key.decode()} is no number")
    number = int(digits)
    if not low <= number <= high:
        raise BadRecord(f"the field {key.decode()} is {number}; {low} to {high} are possible")
    return number


def _bytes(fields: Mapping[bytes, bytes | None], key: bytes, size: int) -> bytes:
    written = _value(fields, key)
    try:
        text = written.decode("ascii")
        value = bytes.fromhex(text)
    except ValueError as error:
        raise BadRecord(f"the field {key.decode()} isn't hexadecimal") from error
    if len(value) != size or value.hex() != text:
        raise BadRecord(f"the field {key.decode()} must have {size} bytes")
    return value


def _text(fields: Mapping[bytes, bytes | None], key: bytes, longest: int) -> str:
    try:
        text = _value(fields, key).decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadRecord(f"the field {key.decode()} isn't UTF-8") from error
    if not 1 <= len(text) <= longest:
        raise BadRecord(f"the field {key.decode()} has {len(text)} characters; 1 to {longest} are allowed")
    return text
