"""Another table with the same people, once one has ended: who may open it, and how the others hear of it.

What doesn't belong here: opening and joining (`table`), and asking the person (the fronts).
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from azi_p2p.net.discovery import Discovery
from azi_p2p.net.errors import NetError
from azi_p2p.net.records import Sighting
from azi_p2p.net.tablecode import TableCode
from azi_p2p.rules import Params
from azi_p2p.session.view import TableView
from azi_p2p.wire.messages import VERSION


@dataclass(frozen=True, slots=True)
class Again:
    """What a person plays next: the table of this id (32 bytes), or one to be opened (None) with these parameters.

    `code`: of the table before, if it was a private one; the next has the same. `port`: where its founder listened; the
    next does too if it can, so that an address that people have typed leads there again.
    """

    params: Params
    name: str
    table: bytes | None = None
    code: TableCode | None = None
    port: int = 0


def same_again(view: TableView, port: int = 0) -> Again:
    """The table that its founder opens for the same people: with a seat for each of those who are still there."""
    here = sum(not (seat.gone or seat.faulted) for seat in view.seats)
    return Again(dataclasses.replace(view.params, seats=max(2, here)), view.name, port=port)


def next_table(view: TableView, seen: Sighting) -> Again | None:
    """The table that was seen, if somebody of the old one has opened it and there is room; else None."""
    people = {seat.key for seat in view.seats if seat.seat != view.my_seat and not seat.faulted}
    if seen.peer not in people or seen.table == view.table or seen.version != VERSION or not seen.free:
        return None
    return Again(view.params, seen.table_name, seen.table)


@contextlib.asynccontextmanager
async def looking_out(view: TableView, offer: Callable[[Again | None], None], *, loopback: bool) -> AsyncIterator[None]:
    """Meanwhile, call `offer` with the next table of the same people, and with None when it is there no more.

    Where the network can't be looked at, nothing is offered; the lobby says why.
    """
    offered: list[Again] = []

    def renew(_: Sighting) -> None:
        found = [again for again in (next_table(view, seen) for seen in discovery.sightings) if again is not None]
        if found[:1] != offered:
            offered[:] = found[:1]
            offer(found[0] if found else None)

    discovery = Discovery(loopback=loopback, on_change=renew, on_gone=renew)
    async with contextlib.AsyncExitStack() as stack:
        with contextlib.suppress(NetError):
            await stack.enter_async_context(discovery)
        yield


async def next_of(view: TableView, seconds: float, *, loopback: bool) -> Again | None:
    """The next table of the same people, waiting so many seconds for it; None if there is none by then."""
    found: asyncio.Future[Again] = asyncio.get_running_loop().create_future()

    def take(again: Again | None) -> None:
        if again is not None and not found.done():
            found.set_result(again)

    async with looking_out(view, take, loopback=loopback):
        try:
            async with asyncio.timeout(seconds):
                return await found
        except TimeoutError:
            return None
