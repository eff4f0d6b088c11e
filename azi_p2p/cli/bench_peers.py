"""A whole table as people have it, measured: peers as processes of their own, over TLS on the loopback interface.

They find each other by mDNS; where that shows nothing, they are told the address. What doesn't belong here: what each
of them does (`bench_peer`), and how the figures are shown (`bench`).
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import os
import secrets
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from azi_p2p.cli.bench_peer import Notes, PeerTask
from azi_p2p.cli.bench_trouble import BenchError, BenchTrouble
from azi_p2p.cli.children import Child, stop_children

NAMES = ("Anna", "Ben", "Katya", "Pieter", "Anele", "Sipho")
STARTING = 30.0
"""Seconds in which the first peer must be there."""


@dataclass(frozen=True, slots=True)
class PeersFigures:
    """What was measured at a table of so many seats, in milliseconds; what couldn't be measured is empty.

    `first_deal`: from the table's founding to the hand at the last peer. `next_deals`: for each further deal, from
    the command for the last card of the deal before to the hand at the last peer. `moves`: from each command to the
    action's being validated at the last of the other peers; `void_moves`: those with void proofs among them.
    `started`: from the start of a process until its modules are loaded. `found`: from the start of a peer's process to
    the table in its list; `looked`: from its beginning to look. `meshed`: from the moment when the last of them had
    found the table until everybody is linked to everybody. `resident` and `proportional`: bytes of each peer's process.
    """

    seats: int
    deals: int
    pause_ms: float
    first_deal: float
    next_deals: list[float]
    moves: list[float]
    void_moves: list[float]
    started: list[float]
    found: list[float]
    looked: list[float]
    meshed: float | None
    resident: list[int]
    proportional: list[int]


async def measure_peers(
    seats: int, deals: int, *, hand_size: int = 3, pause: float = 0.05, wait: float = 5.0
) -> PeersFigures:
    """Play one table with so many processes, and measure it.

    `pause`: seconds that a seat thinks before it acts; `wait`: seconds in which peers look for the table by mDNS.
    Raises BenchError where the table doesn't come about or isn't played to its end, OSError where no process can be
    started.
    """
    table = f"Bench {secrets.token_hex(3)}"
    children: list[Child] = []
    begun: list[float] = []
    with tempfile.TemporaryDirectory(prefix="azi-bench-") as folder:
        task = PeerTask("", "", table, "", seats, hand_size, deals, pause, wait)

        async def start(number: int, address: str) -> None:
            own = dataclasses.replace(
                task, folder=str(Path(folder) / NAMES[number]), nickname=NAMES[number], address=address
            )
            begun.append(time.monotonic())
            children.append(await _started(own))
            if number:
                children[-1].begin_reading()

        try:
            await start(0, "")
            address = await _address(children[0])
            for number in range(1, seats):
                await start(number, address)
            notes = [await _notes(child) for child in children]
        finally:
            await stop_children(children)
    return figures(task, begun, notes)


async def _started(task: PeerTask) -> Child:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "azi_p2p.cli.bench_peer",
        json.dumps(dataclasses.asdict(task)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        # Ctrl-C is ours to handle: the peers are told by the end of their input.
        start_new_session=os.name == "posix",
    )
    return Child(task.nickname, process, None)


async def _address(child: Child) -> str:
    """Where the first peer listens, as it says in its first line."""
    assert child.process.stdout is not None
    line = b""
    with contextlib.suppress(TimeoutError):
        line = await asyncio.wait_for(child.process.stdout.readline(), STARTING)
    child.begin_reading()
    try:
        return str(json.loads(line)[0])
    except ValueError:
        await stop_children([child])
        raise BenchError(BenchTrouble.PEER_FAILED, name=child.name, said=child.last_message) from None


async def _notes(child: Child) -> Notes:
    """What a peer has written down; waits for its end."""
    lines = (await child.output()).splitlines()
    try:
        noted: dict[str, Any] = json.loads(lines[-1])
        ended = noted.pop("ended")
        notes = Notes(**noted)
    except (ValueError, IndexError, TypeError, AttributeError):
        raise BenchError(BenchTrouble.PEER_FAILED, name=child.name, said=child.last_message) from None
    if not ended:
        raise BenchError(BenchTrouble.NO_END, name=child.name)
    return notes


def figures(task: PeerTask, begun: Sequence[float], notes: Sequence[Notes]) -> PeersFigures:
    """Put together what the peers have written down; `begun`: when the process of each was started."""
    dealt: dict[int, list[float]] = defaultdict(list)
    asked: dict[tuple[int, int], tuple[int, float]] = {}
    for peer, noted in enumerate(notes):
        for deal, at in noted.dealt:
            dealt[deal].append(at)
        for deal, number, at in noted.asked:
            asked[deal, number] = (peer, at)
    taken: dict[tuple[int, int], list[float]] = defaultdict(list)
    voids: set[tuple[int, int]] = set()
    for peer, noted in enumerate(notes):
        for deal, number, at, void in noted.taken:
            # The first action of a deal follows the actions of none.
            place = (deal, number - 1)
            if place in asked and asked[place][0] != peer:
                taken[place].append(at)
                if void:
                    voids.add(place)
    moves = {place: max(seen) - asked[place][1] for place, seen in taken.items() if len(seen) == len(notes) - 1}
    last = {deal: max(at for (of, _), (_, at) in asked.items() if of == deal) for deal, _ in asked}
    founded = [noted.founded for noted in notes if noted.founded is not None]
    found = [(noted.sighted, noted.looked, start) for noted, start in zip(notes, begun, strict=True) if noted.sighted]
    linked = [noted.meshed for noted in notes if noted.meshed is not None]
    joined = [noted.sighted or noted.looked for noted in notes if noted.sighted or noted.looked]
    whole = len(notes) == len(linked) and joined
    return PeersFigures(
        seats=task.seats,
        deals=task.deals,
        pause_ms=task.pause * 1000,
        first_deal=_ms(max(dealt[1]) - min(founded)),
        next_deals=[_ms(max(dealt[deal + 1]) - at) for deal, at in sorted(last.items()) if deal + 1 in dealt],
        moves=[_ms(spent) for spent in moves.values()],
        void_moves=[_ms(spent) for place, spent in moves.items() if place in voids],
        started=[_ms(noted.started - start) for noted, start in zip(notes, begun, strict=True)],
        found=[_ms(seen - start) for seen, _, start in found if seen],
        looked=[_ms(seen - looked) for seen, looked, _ in found if seen and looked],
        meshed=_ms(max(linked) - max(at for at in joined if at)) if whole else None,
        resident=[noted.resident for noted in notes if noted.resident is not None],
        proportional=[noted.proportional for noted in notes if noted.proportional is not None],
    )


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 2)


def quantile(values: Iterable[float], share: float) -> float:
    """The value below which that share of the values lies (by rank; at least one value)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def main() -> None:
    """`python -m azi_p2p.cli.bench_peers SEATS DEALS [HAND_SIZE]`: measure one table, and print the figures as JSON."""
    seats, deals, hand_size = (int(word) for word in [*sys.argv[1:], "3"][:3])
    measured = asyncio.run(measure_peers(seats, deals, hand_size=hand_size))
    for name, value in dataclasses.asdict(measured).items():
        if isinstance(value, list) and value:
            print(
                f"{name:<13} n {len(value):>3}  min {min(value):>12.1f}  median {statistics.median(value):>12.1f}"
                f"  p99 {quantile(value, 0.99):>12.1f}"
            )
        else:
            print(f"{name:<13} {value}")


if __name__ == "__main__":
    main()
