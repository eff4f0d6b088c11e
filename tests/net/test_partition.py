"""A LAN that falls apart in the middle of a deal and is whole again: six peers, each on a computer of its own.

The cut comes while one peer stands between disk and network with its message: the worst moment there is. It is made in
the switch, so that nobody is told; the peers find out by silence. Nothing is waited for by the clock but by what the
peers tell.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.net.conftest import in_loop
from tests.net.party import Party, Told, Watched, in_time, is_beginning, party, verified
from tests.netns import lan

pytestmark = pytest.mark.netns

PHASES = {
    "shuffle": "shuffle@1",
    "antes": "open@2",
    "tokens": "tokens@2",
    "bidding": "bid,call,check,fold@2",
    "play": "play@2",
    "close": "close@2",
}
"""For each phase of a deal the envelope with which a peer stands still."""

CUTS = {
    "4|2, it is with the two": (2, True),
    "4|2, it is with the four": (2, False),
    "3|3": (3, True),
    "5|1, it is alone": (1, True),
    "5|1, it is with the five": (1, False),
}
"""For each cut: how many are on the smaller side, and whether the peer that stands still is among them."""

GOING_ON = {"SeatAbsent", "DealOpened", "CardsDealt", "ReceiptSigned", "TableEnded"}
"""What only a majority can bring about."""

PATIENCE = 240.0


async def cut_and_heal(folder: Path, phase: str, few: int, *, with_it: bool, limits: float = 1) -> None:
    with lan(6) as made:
        stops = [PHASES[phase] if number % 2 else "never" for number in range(6)]
        async with party(folder, made.computers, stops, limits=limits) as table:
            stopped = await in_time(PATIENCE, table.first(table.peers, what="stopped"), table)
            others = [peer for peer in table.peers if peer is not stopped]
            small = [stopped, *others[: few - 1]] if with_it else others[:few]
            large = [peer for peer in table.peers if peer not in small]

            at_cut = {peer.name: peer.ledger() for peer in table.peers}
            made.cut(peer.computer for peer in small)
            seen = {peer.name: len(peer.told) for peer in table.peers}
            for peer in table.peers:
                peer.release()
            if len(large) > len(small):
                await in_time(PATIENCE, table.first(large, starts(large, seen), what="event", name="SeatAbsent"), table)
                still = [(peer, peer.ledger(), len(peer.told)) for peer in small]
                await in_time(PATIENCE, plays_on(table, large, seen), table)
            else:
                for side in (small, large):
                    await in_time(PATIENCE, table.first(side, starts(side, seen), type="vote", round=0), table)
                still = [(peer, peer.ledger(), len(peer.told)) for peer in table.peers]
                for side in (small, large):
                    await in_time(PATIENCE, table.first(side, starts(side, seen), type="vote", round=1), table)
            for peer, ledger, since in still:
                assert peer.ledger() == ledger, f"{peer.name} has gone on without a majority"
                assert not peer.saw(since, lambda told: told.get("name") in GOING_ON), f"{peer.name} has gone on"
            at_heal = {peer.name: peer.ledger() for peer in table.peers}

            healed = {peer.name: len(peer.told) for peer in table.peers}
            made.heal()
            await in_time(PATIENCE, all_are_back(table, healed), table)
            for peer in table.peers:
                peer.finish()
            results = await in_time(PATIENCE, asyncio.gather(*(peer.result() for peer in table.peers)), table)
        assert len({result["head"] for result in results}) == 1
        ledgers = {peer.name: peer.ledger() for peer in table.peers}
        verdict = verified(list(ledgers.values()))
        assert verdict.head == results[0]["head"]
        assert sum(verdict.chips) == 6000
        for before in (at_cut, at_heal):
            for name, ledger in before.items():
                assert ledgers[name].startswith(ledger), f"something that {name} had written was undone"
                assert all(is_beginning(ledger, other) for other in ledgers.values())
        assert not table.accused(), "nobody did anything wrong"


def starts(peers: Sequence[Watched], seen: dict[str, int]) -> list[int]:
    return [seen[peer.name] for peer in peers]


async def plays_on(table: Party, large: Sequence[Watched], seen: dict[str, int]) -> None:
    """Wait until the larger side has dealt cards without the others."""

    def dealt_without(told: Told) -> bool:
        return told.get("name") == "CardsDealt" and told["here"] == len(large)

    await table.until(lambda: all(peer.saw(seen[peer.name], dealt_without) for peer in large))


async def all_are_back(table: Party, healed: dict[str, int]) -> None:
    """Wait until cards have been dealt with everybody there."""

    def dealt_to_all(told: Told) -> bool:
        return told.get("name") == "CardsDealt" and told["here"] == len(table.peers)

    await table.until(lambda: all(peer.saw(healed[peer.name], dealt_to_all) for peer in table.peers))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("phase", "cut"),
    [("bidding", "4|2, it is with the two"), pytest.param("tokens", "3|3", marks=pytest.mark.long)],
)
@in_loop
async def test_a_lan_that_was_cut_is_one_table_again(phase: str, cut: str, tmp_path: Path) -> None:
    few, with_it = CUTS[cut]
    await cut_and_heal(tmp_path, phase, few, with_it=with_it, limits=0.4)


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("phase", PHASES)
@in_loop
async def test_every_cut_in_every_phase(phase: str, cut: str, tmp_path: Path) -> None:
    few, with_it = CUTS[cut]
    await cut_and_heal(tmp_path, phase, few, with_it=with_it)
