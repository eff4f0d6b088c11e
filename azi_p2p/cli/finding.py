"""Finding a table by what a person typed: its name, the beginning of its id, an address, or nothing at all.

What doesn't belong here: mDNS itself (`azi_p2p.net.discovery`).
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass

from azi_p2p.cli.running import WRONG_USAGE, CommandFailed
from azi_p2p.crypto.identity import short_fingerprint
from azi_p2p.net.addresses import Address, is_loopback, parse_address
from azi_p2p.net.discovery import Discovery, find_tables
from azi_p2p.net.errors import NetError
from azi_p2p.net.records import Sighting
from azi_p2p.ui.failed import what_failed
from azi_p2p.ui.i18n import Catalogue
from azi_p2p.ui.names import clean_name
from azi_p2p.wire.messages import VERSION

SETTLING = 0.5
"""Seconds in which a second table that fits may still show up before the first one is taken."""
SETTLING_UNNAMED = 2.0
"""The same where no name was typed."""


@dataclass(frozen=True, slots=True)
class SeenTable:
    """A table, put together from what its peers announce. `private`: all say that it asks for a code."""

    table: bytes
    name: str
    version: int
    seats: int
    free: int
    ante: int
    peers: tuple[Sighting, ...]
    private: bool = False

    @property
    def beginning(self) -> str:
        """The beginning of the table's id: what people type to tell two tables of one name apart."""
        return self.table.hex()[:8]

    def to_json(self) -> dict[str, object]:
        """The table as `azi tables --json` writes it."""
        return {
            "id": self.table.hex(),
            "name": self.name,
            "version": self.version,
            "seats": self.seats,
            "free": self.free,
            "ante": self.ante,
            "private": self.private,
            "peers": [
                {
                    "name": peer.nickname,
                    "fingerprint": short_fingerprint(peer.peer),
                    "addresses": [str(address) for address in peer.addresses],
                }
                for peer in self.peers
            ],
        }


def gather_tables(sightings: Sequence[Sighting]) -> list[SeenTable]:
    """The tables behind these sightings, in the order in which they were first seen."""
    by_table: dict[bytes, list[Sighting]] = {}
    for sighting in sightings:
        by_table.setdefault(sighting.table, []).append(sighting)
    return [
        SeenTable(
            table=table,
            name=peers[0].table_name,
            version=peers[0].version,
            seats=peers[0].seats,
            free=min(peer.free for peer in peers),
            ante=peers[0].ante,
            peers=tuple(peers),
            # All of them: else one false record would keep people out of an open table. The links tell what is so.
            private=all(peer.private for peer in peers),
        )
        for table, peers in by_table.items()
    ]


async def look_round(texts: Catalogue, seconds: float, *, loopback: bool) -> list[SeenTable]:
    """Look at the network for so many seconds; raises CommandFailed where it can't be looked at."""
    try:
        return gather_tables(await find_tables(seconds, loopback=loopback))
    except NetError as error:
        raise CommandFailed(what_failed(error, texts)) from error


def typed_address(texts: Catalogue, typed: str | None, *, loopback: bool) -> Address | None:
    """The address that was typed, None if it was a name.

    Raises CommandFailed for an address that can't be, and with `loopback` for one that may be another computer's.
    """
    if typed is None or not (":" in typed or is_numeric(typed)):
        return None
    try:
        address = parse_address(typed)
    except NetError as error:
        raise CommandFailed(what_failed(error, texts), WRONG_USAGE) from error
    if loopback and not is_loopback(address.host) and address.host.casefold() != "localhost":
        raise CommandFailed(texts.text("find.not_loopback", address=address), WRONG_USAGE)
    return address


def is_numeric(typed: str) -> bool:
    """Whether this is the address of a computer without a port; no table is meant then."""
    try:
        ipaddress.ip_address(typed.strip())
    except ValueError:
        return False
    return True


async def find_typed_table(
    texts: Catalogue, typed: str | None, wait: float, *, loopback: bool, full_too: bool = False
) -> SeenTable:
    """The one table that fits what was typed (None: the only one with a free seat), waiting up to `wait` seconds.

    `full_too`: with nothing typed, a table without a free seat will do as well.

    Raises CommandFailed when none does, when several do, and when it speaks another version of the protocol.
    """
    changed = asyncio.Event()
    found: list[SeenTable] = []
    try:
        async with Discovery(loopback=loopback, on_change=lambda _: changed.set()) as discovery:
            try:
                async with asyncio.timeout(wait):
                    while not found:
                        await changed.wait()
                        changed.clear()
                        found = fitting(gather_tables(discovery.sightings), typed, full_too=full_too)
            except TimeoutError:
                seen = gather_tables(discovery.sightings)
                raise CommandFailed(not_found(texts, typed, seen)) from None
            await asyncio.sleep(SETTLING if typed else SETTLING_UNNAMED)
            found = fitting(gather_tables(discovery.sightings), typed, full_too=full_too) or found
    except NetError as error:
        raise CommandFailed(what_failed(error, texts)) from error
    if len(found) > 1:
        listed = ", ".join(f"{clean_name(table.name)} ({table.beginning})" for table in found)
        raise CommandFailed(texts.text("find.several", tables=listed))
    if found[0].version != VERSION:
        newer = "find.newer_version" if found[0].version > VERSION else "find.older_version"
        raise CommandFailed(texts.text(newer, name=clean_name(found[0].name), theirs=found[0].version, ours=VERSION))
    return found[0]


def fitting(tables: Sequence[SeenTable], typed: str | None, *, full_too: bool = False) -> list[SeenTable]:
    """The tables that fit a name or the beginning of an id; without one, those that have a free seat (or all)."""
    if typed is None:
        return [table for table in tables if table.free or full_too]
    wanted = typed.strip().casefold()
    by_name = [table for table in tables if wanted in {table.name.casefold(), clean_name(table.name).casefold()}]
    if by_name or len(wanted) < 4:
        return by_name
    return [table for table in tables if table.table.hex().startswith(wanted)]


def not_found(texts: Catalogue, typed: str | None, seen: Sequence[SeenTable]) -> str:
    """One line on a table that wasn't found: what was seen instead, or what may be wrong."""
    if seen:
        listed = ", ".join(f"{clean_name(table.name)} ({table.beginning})" for table in seen)
        if typed is None:
            return texts.text("find.all_full", tables=listed)
        return texts.text("find.other_tables", name=clean_name(typed, 40), tables=listed)
    return texts.text("find.nothing")
