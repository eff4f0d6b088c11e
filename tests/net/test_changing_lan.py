"""A computer of the LAN that is somewhere else of a sudden, or whose packets are lost without a word.

Times are measured from the change to what the peers tell; the limits asserted leave room for a busy machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from azi_p2p.net.link import Timing
from tests.net.conftest import in_loop
from tests.net.party import TABLE, Party, Told, Watched, in_time, party, verified
from tests.netns import Computer, ip, lan

pytestmark = [pytest.mark.netns, pytest.mark.slow]

PATIENCE = 60.0

RELINKED = 6.0
"""Seconds from a new address to links with everybody."""

CHANGES: dict[str, Callable[[Computer], None]] = {
    "another lease": lambda computer: computer.move(77),
    "another cable": lambda computer: computer.change_cable(77),
}


@pytest.mark.parametrize(
    "multicast", [pytest.param(True, marks=pytest.mark.long, id="mDNS"), pytest.param(False, id="no multicast")]
)
@pytest.mark.parametrize("change", CHANGES)
@in_loop
async def test_a_peer_whose_address_changes_keeps_its_seat(change: str, multicast: bool, tmp_path: Path) -> None:
    with lan(3) as made:
        if not multicast:
            for number in range(1, 4):
                ip("-n", made.switch, "link", "set", f"port{number}", "type", "bridge_slave", "mcast_flood", "off")
        typed = TABLE if multicast else f"{made.computers[0].host}:4000"
        async with party(tmp_path, made.computers, joining=typed, port=4000) as table:
            ben = table.peers[1]
            await in_time(PATIENCE, table.until(lambda: dealt_to(table, 3, deal=2)), table)
            seen = {peer.name: len(peer.told) for peer in table.peers}
            CHANGES[change](ben.computer)
            changed = time.monotonic()
            await in_time(PATIENCE, table.until(lambda: relinked(ben, seen["Ben"])), table)
            took = max(one["at"] for one in links(ben, seen["Ben"], up=True)[:2]) - changed
            deal = max(one["deal"] for one in ben.told if "deal" in one)
            await in_time(PATIENCE, table.until(lambda: dealt_to(table, 3, deal=deal + 1)), table)
            assert not any(one.get("name") == "SeatAbsent" for peer in table.peers for one in peer.told)
            for peer in table.peers:
                peer.finish()
            for peer in table.peers:
                await in_time(PATIENCE, peer.result(), table)
            verified([peer.ledger() for peer in table.peers])
            assert took < RELINKED


@in_loop
async def test_a_link_that_is_half_open_is_found_within_seconds(tmp_path: Path) -> None:
    with lan(3) as made:
        async with party(tmp_path, made.computers) as table:
            katya = table.peers[2]
            await in_time(PATIENCE, table.until(lambda: dealt_to(table, 3, deal=2)), table)
            seen = {peer.name: len(peer.told) for peer in table.peers}
            katya.computer.swallow()
            lost = time.monotonic()
            await in_time(PATIENCE, table.until(lambda: all_lost(table, katya, seen)), table)
            found = [links(peer, seen[peer.name], up=False)[0]["at"] - lost for peer in table.peers]
            katya.computer.connect()
            await in_time(PATIENCE, table.until(lambda: relinked(katya, seen["Katya"])), table)
            deal = max(one["deal"] for one in katya.told if "deal" in one)
            await in_time(PATIENCE, table.until(lambda: dealt_to(table, 3, deal=deal + 1)), table)
            for peer in table.peers:
                peer.finish()
            for peer in table.peers:
                await in_time(PATIENCE, peer.result(), table)
            verified([peer.ledger() for peer in table.peers])
            assert not table.accused()
            assert max(found) < Timing().silence + 4


def dealt_to(table: Party, here: int, *, deal: int) -> bool:
    """Whether everybody has cards of this deal or a later one, with so many at the table."""

    def dealt(told: Told) -> bool:
        return told.get("name") == "CardsDealt" and told["here"] == here and told["deal"] >= deal

    return all(peer.saw(0, dealt) for peer in table.peers)


def links(peer: Watched, since: int, *, up: bool) -> list[Told]:
    return [one for one in peer.told[since:] if one["what"] == "link" and one["up"] is up]


def relinked(peer: Watched, since: int) -> bool:
    """Whether a peer has lost both its links since then and has them again."""
    return len(links(peer, since, up=False)) >= 2 and len(links(peer, since, up=True)) >= 2


def all_lost(table: Party, gone: Watched, seen: dict[str, int]) -> bool:
    """Whether everybody knows that one is gone, and that one knows that everybody is."""
    return all(len(links(peer, seen[peer.name], up=False)) >= (2 if peer is gone else 1) for peer in table.peers)
