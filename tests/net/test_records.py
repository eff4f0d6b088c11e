"""mDNS records: ours come back as they went out, and hostile ones are refused field by field."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from azi_p2p.net.addresses import Address
from azi_p2p.net.records import MAX_LABEL, SERVICE_TYPE, Announcement, BadRecord, read_record
from azi_p2p.wire.messages import VERSION
from tests.net.conftest import identity

ANNA = Announcement(
    peer=identity(1).public,
    nickname="Anna",
    table=bytes(range(32)),
    table_name="Kitchen table",
    seats=4,
    free=2,
    ante=10,
    params=bytes(32),
)


def as_bytes(announcement: Announcement) -> dict[bytes, bytes | None]:
    return {key.encode(): value.encode() for key, value in announcement.fields().items()}


def read(fields: dict[bytes, bytes | None], hosts: list[str] | None = None, port: int | None = 4000) -> object:
    return read_record(fields, ["10.0.0.7"] if hosts is None else hosts, port, seen=1.0, loopback=False)


names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=24)


@settings(derandomize=True, max_examples=200)
@given(names, names, st.integers(2, 6), st.integers(1, 10**6), st.binary(min_size=32, max_size=32))
@example("." * 24, "\u202e", 2, 1, bytes(32))
@example("Ж" * 24, "\x00", 6, 10**6, bytes(32))
@example("𝔛" * 24, "x", 6, 10**6, bytes(32))
def test_what_goes_out_comes_in(nickname: str, table_name: str, seats: int, ante: int, digest: bytes) -> None:
    said = dataclasses.replace(
        ANNA, nickname=nickname, table_name=table_name, seats=seats, free=seats - 1, ante=ante, params=digest
    )
    seen = read_record(as_bytes(said), ["10.0.0.7"], 4000, seen=7.0, loopback=False)
    assert seen.addresses == (Address("10.0.0.7", 4000),)
    assert (seen.version, seen.seen) == (VERSION, 7.0)
    for name in ("peer", "nickname", "table", "table_name", "seats", "free", "ante", "params"):
        assert getattr(seen, name) == getattr(said, name)
    label = said.instance().removesuffix(f".{SERVICE_TYPE}")
    assert len(label.encode()) <= MAX_LABEL
    assert "." not in label
    assert label.isprintable() or not nickname.isprintable()
    assert not any(ord(sign) < 32 for sign in label)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *[(key, None) for key in b"v k t n m s f a d".split()],
        *[(key, b"") for key in b"v k t n m s f a d".split()],
        *[(key, b"-1") for key in b"v k t s f a d".split()],
        *[(key, b"9" * 100) for key in b"v k t n m s f a d".split()],
        *[(key, "٣".encode()) for key in b"v k t s f a d".split()],
        *[(key, b"\xff\xfe") for key in b"v k t n m s f a d".split()],
        (b"k", b"00" * 31),
        (b"k", b"AA" * 32),
        (b"t", b"zz" * 32),
        (b"t", b"00 " * 32),
        (b"s", b"7"),
        (b"s", b"1"),
        (b"f", b"5"),
        (b"a", b"0"),
        (b"a", b"1000001"),
        (b"a", b"1e3"),
        (b"n", b"x" * 25),
        (b"x", b"y" * 1100),
    ],
)
def test_fields_that_no_honest_peer_announces(key: bytes, value: bytes | None) -> None:
    read(as_bytes(ANNA))
    with pytest.raises(BadRecord):
        read({**as_bytes(ANNA), key: value})


@pytest.mark.parametrize("hosts", [[], ["224.0.0.1"], ["127.0.0.1"], ["example.org"], [""]])
def test_addresses_that_lead_nowhere(hosts: list[str]) -> None:
    with pytest.raises(BadRecord):
        read(as_bytes(ANNA), hosts)
    for port in (None, 0, 65536):
        with pytest.raises(BadRecord):
            read(as_bytes(ANNA), ["10.0.0.7"], port)


def test_only_so_many_addresses_are_taken() -> None:
    seen = read_record(as_bytes(ANNA), [f"10.0.0.{number}" for number in range(1, 200)], 4000, seen=0.0, loopback=False)
    assert len(seen.addresses) == 8


def test_table_of_another_version_is_seen_as_such() -> None:
    fields = {key: value for key, value in as_bytes(ANNA).items() if key in {b"k", b"t", b"n"}}
    seen = read_record({**fields, b"v": b"2", b"later": b"?"}, ["10.0.0.7"], 4000, seen=0.0, loopback=False)
    assert (seen.version, seen.table_name, seen.seats, seen.params) == (2, "Kitchen table", 0, b"")


@settings(derandomize=True, max_examples=300)
@given(st.dictionaries(st.sampled_from([*b"v k t n m s f a d".split(), b"x"]), st.one_of(st.none(), st.binary())))
def test_any_other_fields_are_refused_or_read_and_nothing_else(changes: dict[bytes, bytes | None]) -> None:
    try:
        read({**as_bytes(ANNA), **changes})
    except BadRecord:
        return
    assert all(value is not None for key, value in changes.items() if key != b"x")
