"""Another table with the same people, once one has ended: who may open it, and how the others hear of it.

What doesn't belong here: opening and joining (`table`), and asking the person (the fronts).
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from azi_p2p.crypto.identity import IdentityKey
from azi_p2p.net.addresses import Address, parse_address
from azi_p2p.net.discovery import Discovery
from azi_p2p.net.errors import LinkEnd, LinkError, NetError
from azi_p2p.net.gate import Gate
from azi_p2p.net.link import dial
from azi_p2p.net.records import Sighting
from azi_p2p.net.tablecode import TableCode
from azi_p2p.rules import Params
from azi_p2p.session.view import TableView
from azi_p2p.wire.frame import Frame, StatusFrame
from azi_p2p.wire.messages import VERSION

log = logging.getLogger("azi.rematch")

ASK_AGAIN = 2.0
"""Seconds after which the founder of the old table is asked again."""

BEGUN_AGAIN = 30.0
"""The same when its next table has begun already: whoever asks is counted among those who watch."""

ANSWER = 3.0
"""Seconds in which a peer that was reached says at which table it sits."""


@dataclass(frozen=True, slots=True)
class Again:
    """What a person plays next: the table of this id (32 bytes), or one to be opened (None) with these parameters.

    `address`: where the table was found, HOST:PORT, empty where it is to be looked for by mDNS. `code`: of the table
    before, if it was a private one; the next has the same. `port`: where its founder listened; the next does too if it
    can, so that an address that people have typed leads there again.
    """

    params: Params
    name: str
    table: bytes | None = None
    code: TableCode | None = None
    port: int = 0
    address: str = ""


@dataclass(frozen=True, slots=True)
class Way:
    """How somebody reaches the people of a table that has ended: own key, the code of the table if it was private, and
    whether nothing is to leave this machine."""

    identity: IdentityKey
    code: TableCode | None = None
    loopback: bool = False


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
async def looking_out(
    view: TableView, way: Way, founder: str, offer: Callable[[Again | None], None]
) -> AsyncIterator[None]:
    """Meanwhile, call `offer` with the next table of the same people, and with None when it is there no more.

    `founder`: where whoever opened the old table listened, HOST:PORT, empty if unknown; it is asked there, so that the
    next table is found without multicast too. Where the network can't be looked at, the lobby says why.
    """
    offered: Again | None = None
    heard: dict[str, Again] = {}

    def renew() -> None:
        nonlocal offered
        found = next(iter(heard.values()), None)
        if found != offered:
            offered = found
            offer(found)

    def take(source: str, again: Again | None) -> None:
        heard.pop(source, None)
        heard.update({} if again is None else {source: again})
        renew()

    def seen(_: Sighting) -> None:
        found = (next_table(view, sighting) for sighting in discovery.sightings)
        take("seen", next((again for again in found if again is not None), None))

    discovery = Discovery(loopback=way.loopback, on_change=seen, on_gone=seen)
    async with contextlib.AsyncExitStack() as stack:
        with contextlib.suppress(NetError):
            await stack.enter_async_context(discovery)
        if founder and view.seats and not view.seats[0].faulted:
            asking = asyncio.ensure_future(_asking(view, way, founder, lambda again: take("asked", again)))
            stack.push_async_callback(_ended, asking)
        yield


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait({task})
    if not task.cancelled():
        task.result()  # it asks without end: this raises what went wrong


async def _asking(view: TableView, way: Way, founder: str, take: Callable[[Again | None], None]) -> None:
    """Ask the founder of the old table for its next one, now and again until cancelled."""
    address = parse_address(founder)
    while True:
        try:
            said = await table_of(view.seats[0].key, address, way)
        except LinkError as error:
            log.info("nothing of a next table at %s (%s): %s", address, error.code, error)
            said = None
        pause = ASK_AGAIN
        if said is None or said.table == view.table:
            take(None)
        elif said.deal:
            take(None)
            pause = BEGUN_AGAIN
        else:
            take(Again(view.params, view.name, said.table, address=founder))
        await asyncio.sleep(pause)


async def table_of(peer: bytes, address: Address, way: Way) -> StatusFrame | None:
    """What this peer says of the table at which it sits; None where it sits at none that it would tell of.

    Raises LinkError when it isn't reached there.
    """
    gate = None if way.code is None else Gate(way.code, lambda: None)
    link = await dial(address.host, address.port, way.identity, expected=peer, gate=gate)
    said: list[StatusFrame] = []

    def hear(frame: Frame) -> None:
        if isinstance(frame, StatusFrame):
            said.append(frame)
            link.close(LinkEnd.CLOSED)

    timer = asyncio.get_running_loop().call_later(ANSWER, link.close, LinkEnd.CLOSED)
    try:
        await link.run(hear)
    finally:
        timer.cancel()
    return said[0] if said else None


async def next_of(view: TableView, seconds: float, way: Way, founder: str) -> Again | None:
    """The next table of the same people, waiting so many seconds for it; None if there is none by then."""
    found: asyncio.Future[Again] = asyncio.get_running_loop().create_future()

    def take(again: Again | None) -> None:
        if again is not None and not found.done():
            found.set_result(again)

    async with looking_out(view, way, founder, take):
        try:
            async with asyncio.timeout(seconds):
                return await found
        except TimeoutError:
            return None
