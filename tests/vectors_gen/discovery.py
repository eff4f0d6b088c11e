"""Vectors of what peers announce by mDNS: records that a browser shows, and records that it must ignore."""

from __future__ import annotations

from dataclasses import replace

from zeroconf import ServiceInfo

from azi_p2p.net.records import SERVICE_TYPE, Announcement, Sighting, read_record
from azi_p2p.session.heads import params_digest
from tests.vectors_gen.hashing import PARAMS
from tests.vectors_gen.kit import Book, Fields, some_bytes
from tests.vectors_gen.signing import identity

ANNOUNCED = Announcement(
    peer=identity("Anna").public,
    nickname="Anna",
    table=some_bytes("table"),
    table_name="Кухня",
    seats=4,
    free=2,
    ante=10,
    params=params_digest(PARAMS),
)


def text_data(entries: list[tuple[bytes, bytes | None]]) -> bytes:
    """Give the bytes of a TXT record: strings `key=value`, each with its length before it in one byte."""
    strings = [key if value is None else key + b"=" + value for key, value in entries]
    return b"".join(bytes([len(one)]) + one for one in strings)


def entries_of(announced: Announcement) -> list[tuple[bytes, bytes | None]]:
    """Give the fields of an announcement as they stand in its TXT record."""
    return [(key.encode(), value.encode()) for key, value in announced.fields().items()]


def seen(txt: bytes, addresses: list[str], port: int, *, loopback: bool) -> Sighting:
    """Read a record as the browser does."""
    info = ServiceInfo(SERVICE_TYPE, f"a.{SERVICE_TYPE}", port=port, properties=txt)
    return read_record(info.properties, addresses, port, seen=0.0, loopback=loopback)


def shown(sighting: Sighting) -> Fields:
    """Give what a record says, as the vectors write it."""
    return {
        "version": sighting.version,
        "peer": sighting.peer.hex(),
        "table": sighting.table.hex(),
        "table_name": sighting.table_name,
        "nickname": sighting.nickname,
        "seats": sighting.seats,
        "free": sighting.free,
        "ante": sighting.ante,
        "params": sighting.params.hex(),
        "addresses": [[address.host, address.port] for address in sighting.addresses],
        **({"private": True} if sighting.private else {}),
    }


def records() -> Book:
    """Records, and every reason to ignore one."""
    book = Book(
        "What a peer announces by mDNS: 'txt' is the data of the TXT record, 'addresses' and 'port' come from the "
        "A, AAAA and SRV records; 'loopback' says that the browser is on loopback itself. 'shown' is what is taken "
        "from it. A rejected record is ignored.",
        "protocol/transport.md, Finding tables: mDNS",
        {
            "Addresses": "What may be dialled, and what not.",
            "OtherVersion": "A record of another protocol version: shown, but only what all versions have.",
            "Unknown": "Fields that this version doesn't know, or that come twice: they change nothing.",
            "Private": "A table that says that it asks for a code.",
            "Missing": "A field that must be there isn't.",
            "Bounds": "A value out of its bounds.",
            "Form": "A value that isn't written as it must be.",
            "Size": "More bytes than are allowed.",
        },
    )
    plain = entries_of(ANNOUNCED)
    hosts = ["192.168.1.20"]

    def accept(
        comment: str,
        *flags: str,
        entries: list[tuple[bytes, bytes | None]] = plain,
        addresses: list[str] = hosts,
        loopback: bool = False,
    ) -> int:
        txt = text_data(entries)
        fields: Fields = {"txt": txt.hex(), "addresses": addresses, "port": 4000, "loopback": loopback}
        return book.accept(comment, flags, **fields, shown=shown(seen(txt, addresses, 4000, loopback=loopback)))

    whole = accept("a table with two free seats")
    accept("nobody can join any more", entries=entries_of(replace(ANNOUNCED, free=0)))
    accept("names of 24 signs", entries=entries_of(replace(ANNOUNCED, nickname="я" * 24, table_name="x" * 24)))
    accept("the greatest ante", entries=entries_of(replace(ANNOUNCED, ante=10**6)))
    accept("two addresses, one of them twice, and one to be passed over", "Addresses",
           addresses=["192.168.1.20", "224.0.0.251", "fe80::1", "192.168.1.20"])  # fmt: skip
    accept("an IPv4 address written as IPv6", "Addresses", addresses=["::ffff:192.168.1.20"])
    accept("loopback, where the browser is on loopback too", "Addresses", addresses=["127.0.0.1"], loopback=True)
    newer = [(b"v", b"2"), *plain[1:4], (b"s", b"many")]
    accept("a newer version that means something else by the other fields", "OtherVersion", entries=newer)
    accept("a newer version without the other fields", "OtherVersion", entries=[(b"v", b"2"), *plain[1:4]])
    accept("a field more", "Unknown", entries=[*plain, (b"x", b"1")])
    accept("a field without a value more", "Unknown", entries=[*plain, (b"x", None)])
    accept("a field a second time, with another value: the first one counts", "Unknown", entries=[*plain, (b"f", b"4")])

    def spoil(comment: str, flag: str, **fields: object) -> None:
        book.reject(whole, comment, flag, "bad_record", **fields)

    def spoil_text(comment: str, flag: str, key: bytes, value: bytes | None) -> None:
        changed = [(name, value if name == key else old) for name, old in plain]
        spoil(comment, flag, txt=text_data(changed).hex())

    for key, _ in plain:
        rest = [entry for entry in plain if entry[0] != key]
        spoil(f"without {key.decode()}", "Missing", txt=text_data(rest).hex())
    spoil("no text at all", "Missing", txt=text_data([(b"", None)]).hex())
    spoil_text("seats without a value", "Missing", b"s", None)
    for comment, key, value in (
        ("one seat", b"s", b"1"),
        ("seven seats", b"s", b"7"),
        ("more free seats than seats", b"f", b"5"),
        ("an ante of 0", b"a", b"0"),
        ("an ante over a million", b"a", b"1000001"),
        ("a table without a name", b"n", b""),
        ("a table name of 25 signs", b"n", ("я" * 25).encode()),
        ("no nickname", b"m", b""),
        ("a nickname of 25 signs", b"m", b"x" * 25),
        ("a key of 31 bytes", b"k", ANNOUNCED.peer[:-1].hex().encode()),
        ("a table id of 33 bytes", b"t", (ANNOUNCED.table + b"\0").hex().encode()),
        ("an empty parameter digest", b"d", b""),
        ("a version over 32768", b"v", b"32769"),
    ):
        spoil_text(comment, "Bounds", key, value)
    for comment, key, value in (
        ("a number with a sign", b"f", b"+2"),
        ("a number with a space before it", b"f", b" 2"),
        ("a number in Arabic digits", b"f", "٢".encode()),
        ("a number that is none", b"s", b"four"),
        ("an empty number", b"a", b""),
        ("a number of eight digits", b"a", b"00000010"),
        ("a key in capitals", b"k", ANNOUNCED.peer.hex().upper().encode()),
        ("a table id with spaces", b"t", ANNOUNCED.table.hex(" ").encode()),
        ("a parameter digest that isn't hexadecimal", b"d", b"g" * 64),
        ("a name that isn't UTF-8", b"n", b"\xff\xfe"),
        ("a nickname that isn't UTF-8", b"m", b"\xed\xa0\x80"),
    ):
        spoil_text(comment, "Form", key, value)
    spoil("1,025 bytes of text", "Size", txt=text_data([*plain, *padding(plain, 1025)]).hex())
    for comment, addresses in (
        ("no address", []),
        ("a name for an address", ["kitchen.local"]),
        ("a group", ["224.0.0.251"]),
        ("an IPv6 group", ["ff02::fb"]),
        ("the unspecified address", ["0.0.0.0"]),
        ("a reserved address", ["240.0.0.1"]),
        ("loopback", ["127.0.0.1"]),
        ("IPv6 loopback", ["::1"]),
        ("loopback written as IPv6", ["::ffff:127.0.0.1"]),
    ):
        spoil(comment, "Addresses", addresses=addresses)
    spoil("port 0", "Addresses", port=0)
    accept("a private table", "Private", entries=entries_of(replace(ANNOUNCED, private=True)))
    for mark in (b"0", b"2", b"yes", b"", None):
        spoil(f"a mark of a private table that is {mark!r}", "Private", txt=text_data([*plain, (b"c", mark)]).hex())
    return book


def padding(entries: list[tuple[bytes, bytes | None]], size: int) -> list[tuple[bytes, bytes | None]]:
    """Give unknown fields that make a record's text so many bytes long, lengths and signs of equality counted."""
    left = size - len(text_data(entries))
    fill: list[tuple[bytes, bytes | None]] = []
    while left:
        part = min(left, 200) if left - min(left, 200) != 1 else left - 2
        fill.append((b"x%d" % len(fill), b"." * (part - 4)))
        left -= part
    return fill
