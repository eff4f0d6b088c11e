"""One peer of the measured table, a process of its own: it plays at random, and writes down what happened when.

Run as `python -m azi_p2p.cli.bench_peer`, with a task in JSON as its argument. On stdout it writes one line of JSON as
soon as it listens, and another when the table has ended. Times are of the system's monotonic clock, which all
processes of a machine share. What doesn't belong here: what comes of these times (`bench_peers`).
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import random
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from azi_p2p.cli.bench_table import random_action
from azi_p2p.cli.peer import PeerOptions, RunningPeer, run_peer
from azi_p2p.cli.running import FAILED, FINE, run
from azi_p2p.cli.table import Beginning
from azi_p2p.net.addresses import parse_address
from azi_p2p.net.discovery import Discovery
from azi_p2p.net.errors import NetError
from azi_p2p.net.records import Sighting
from azi_p2p.rules import Params
from azi_p2p.session.commands import Act, Command
from azi_p2p.session.events import ActionTaken, CardsDealt, Event, TableFounded
from azi_p2p.session.own import Me
from azi_p2p.session.table import Table
from azi_p2p.session.view import TableView
from azi_p2p.store.profile import Profile
from azi_p2p.ui.typed import typed_lines


@dataclass(frozen=True, slots=True)
class PeerTask:
    """What a measured peer is to do.

    `table`: the name of the table; `address`: where its founder listens, empty for the founder itself; `seats` and
    `deals` are the founder's to know; `pause`: seconds before it acts when it is its turn; `wait`: seconds in which
    it looks for the table by mDNS, before it calls the address.
    """

    folder: str
    nickname: str
    table: str
    address: str
    seats: int
    hand_size: int
    deals: int
    pause: float
    wait: float


@dataclass(slots=True)
class Notes:
    """What a peer has written down; times in seconds of the monotonic clock.

    `started`: when the modules were loaded; `looked` and `sighted`: when it began to look for the table, and saw it
    (None where mDNS showed nothing); `meshed`: when it was linked to everybody; `dealt`: the deal, and when its hand
    was there; `asked`: own actions: deal, number of the action in the deal, when it was commanded; `taken`: actions of
    all seats, validated: deal, number, when, how many suits were proven void. Memory is in bytes.
    """

    started: float
    looked: float | None = None
    sighted: float | None = None
    founded: float | None = None
    meshed: float | None = None
    dealt: list[tuple[int, float]] = dataclasses.field(default_factory=list)
    asked: list[tuple[int, int, float]] = dataclasses.field(default_factory=list)
    taken: list[tuple[int, int, float, int]] = dataclasses.field(default_factory=list)
    resident: int | None = None
    proportional: int | None = None


class NotingPlayer:
    """Plays at random, after a pause, and writes down when what happened."""

    def __init__(self, task: PeerTask, notes: Notes) -> None:
        self._task = task
        self._notes = notes
        self._chance = random.Random(task.nickname)  # noqa: S311 - who plays which card, in a measurement
        self._peer: RunningPeer | None = None
        self._actions = 0
        self._due: tuple[int, int] | None = None

    def begin(self, peer: RunningPeer) -> None:
        """See Player."""
        self._peer = peer

    def see(self, events: Sequence[Event], view: TableView) -> Iterable[Command]:
        """See Player."""
        now, notes = time.monotonic(), self._notes
        if (
            notes.meshed is None
            and len(view.seats) == view.params.seats
            and all(seat.linked for seat in view.seats if seat.seat != view.my_seat)
        ):
            notes.meshed = now
        for event in events:
            if isinstance(event, TableFounded):
                notes.founded = now
            elif isinstance(event, CardsDealt):
                notes.dealt.append((event.deal, now))
                self._actions = 0
            elif isinstance(event, ActionTaken):
                self._actions += 1
                notes.taken.append((view.deal, self._actions, now, len(event.voids)))
        turn = (view.deal, self._actions)
        if view.legal and self._due != turn:
            self._due = turn
            asyncio.get_running_loop().call_later(self._task.pause, self._act, turn)
        return ()

    def _act(self, turn: tuple[int, int]) -> None:
        assert self._peer is not None
        view = self._peer.view()
        if view is None or not view.legal or self._due != turn:
            return
        self._notes.asked.append((*turn, time.monotonic()))
        self._peer.submit(Act(random_action(view.legal, self._chance)))


def memory() -> tuple[int | None, int | None]:
    """Bytes of this process that are in memory: resident, and proportional (what is shared counts by shares).

    None where the system doesn't tell.
    """
    try:
        lines = Path("/proc/self/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return None, None
    sizes = {name: int(rest.split()[0]) * 1024 for name, _, rest in (line.partition(":") for line in lines[1:])}
    return sizes.get("Rss"), sizes.get("Pss")


async def sighted(task: PeerTask, notes: Notes) -> Sighting | None:
    """Look for the table as a person's program does; gives a peer of it, None where mDNS shows none in time."""
    seen: asyncio.Future[Sighting] = asyncio.get_running_loop().create_future()
    notes.looked = time.monotonic()

    def look() -> None:
        for sighting in discovery.sightings:
            if sighting.table_name == task.table and not seen.done():
                notes.sighted = time.monotonic()
                seen.set_result(sighting)

    try:
        async with Discovery(loopback=True, on_change=lambda _: look()) as discovery:
            return await asyncio.wait_for(seen, task.wait)
    except (TimeoutError, NetError):
        return None


async def play(task: PeerTask, notes: Notes) -> int:
    """Play at the table to its end, or until the standard input does; gives the exit code."""
    seen = await sighted(task, notes) if task.address else None
    dial = None if seen is not None or not task.address else parse_address(task.address)
    options = PeerOptions(
        dial=None if dial is None else (dial.host, dial.port),
        loopback=True,
        nickname=task.nickname,
        hold_seat=False,
        sighted=() if seen is None else (seen,),
    )
    params = Params.from_mapping(
        {
            "seats": task.seats,
            "hand_size": task.hand_size,
            "deal_limit": task.deals,
            "start_chips": 1_000_000,
        }
    )

    def make_table(me: Me) -> Table:
        if task.address:
            return Table.join(me, None if seen is None else seen.table)
        return Table.host(me, params, task.table)

    def opened(peer: RunningPeer) -> None:
        print(json.dumps([f"{host}:{port}" for host, port in peer.addresses()]), flush=True)

    with Profile.open(Path(task.folder)) as profile:
        player = Beginning(NotingPlayer(task, notes), opened, typed_lines())
        result = await run_peer(profile, make_table, player, options)
    # A person's program has the screen in memory as well. It is loaded only now, so that it delays nothing.
    import azi_p2p.cli.client  # noqa: F401, PLC0415 - loaded for its size

    notes.resident, notes.proportional = memory()
    print(json.dumps({"ended": result.ended, **dataclasses.asdict(notes)}), flush=True)
    return FINE if result.ended else FAILED


def main() -> None:
    """Do the task that stands in the first argument."""
    notes = Notes(started=time.monotonic())
    task = PeerTask(**json.loads(sys.argv[1]))
    sys.exit(run(lambda: play(task, notes)))


if __name__ == "__main__":
    main()
