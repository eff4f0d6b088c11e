"""One peer, put together: profile, table, driver, mesh and discovery, and whoever holds the seat.

Every command that sits at a table (or watches one) calls `run_peer`. This is the only place where the pure session
meets clock, disk and network; what belongs to one of those alone stands in `azi_p2p.net` and `azi_p2p.store`, and
nothing is printed here.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from azi_p2p.cli.heap import keep_heap_whole
from azi_p2p.cli.peerfiles import PeerFiles
from azi_p2p.cli.peering import PeerOptions, PeerResult, Player, RunningPeer
from azi_p2p.crypto.identity import short_fingerprint
from azi_p2p.net.addresses import Address, claimed_address, own_hosts
from azi_p2p.net.discovery import Announcement, Discovery, Sighting
from azi_p2p.net.driver import Driver, Outlets, Timekeeper
from azi_p2p.net.errors import LinkError, NetError
from azi_p2p.net.gate import Gate
from azi_p2p.net.mesh import Mesh
from azi_p2p.session.commands import Command
from azi_p2p.session.events import Event, SeatTaken, TableFounded
from azi_p2p.session.gathering import wire_params
from azi_p2p.session.heads import params_digest
from azi_p2p.session.own import Me, Memory
from azi_p2p.session.table import Table
from azi_p2p.session.view import TableView
from azi_p2p.store.heldseat import HeldSeat
from azi_p2p.store.journal import Journal
from azi_p2p.store.profile import Profile
from azi_p2p.wire.frame import Frame

log = logging.getLogger("azi.peer")

CALL_AGAIN = 5.0
"""Seconds after which a peer that has come back calls the others again, until one answers."""

SETTLING = 2.0
"""Seconds for which another peer may still let us in, after one has said that our code is wrong: it may be a liar."""

PARTING = 5.0
"""Seconds that a peer whose table has ended stays, at most, for those who lack something of the end."""


async def run_peer(
    profile: Profile,
    make_table: Callable[[Me], Table],
    player: Player,
    options: PeerOptions | None = None,
    timekeeper: Timekeeper | None = None,
) -> PeerResult:
    """Sit at a table (or watch one) until it ends, and leave its ledger file behind.

    `profile` is open (locked) and stays so. `make_table` gets key and nickname of the profile and gives the table:
    `lambda me: Table.host(me, params, name)`, `Table.join(me, table_id)`, `Table.join(me)` with `options.dial`, or
    `Table.watch(table_id)`. `timekeeper` is told how long each proof took to make or to check. Returns when the
    standings are signed or after `RunningPeer.stop()`; a cancelled call closes everything and raises
    CancelledError, the ledger file is whole up to there.

    Raises OSError with a clear text when the port is taken or the disk is full, NetError when the network can't be
    used, LinkError when nobody lets us in, CommandRefused when the player returned a command that is refused, and any
    fault of our own code as it is.
    """
    keep_heap_whole()
    options = options or PeerOptions()
    nickname = options.nickname or profile.nickname or f"Guest {short_fingerprint(profile.identity.public)}"
    peer = _Peer(
        profile,
        make_table(Me(profile.identity, nickname, recall=partial(recalled, profile))),
        nickname,
        player,
        options,
        timekeeper,
    )
    try:
        return await peer.run()
    except BaseExceptionGroup as group:
        # The network's tasks run in a group; what went wrong in one of them is what there is to tell.
        raise _first_of(group) from group


def recalled(profile: Profile, table: bytes) -> Memory:
    """What the profile's journal holds of this table; raises StoreError, OSError when it can't be read."""
    with Journal(profile.journals, table) as journal:
        return Memory(journal.envelopes(), journal.secrets(), journal.seen())


class _Peer:
    """The parts of one peer, and what passes between them. Implements RunningPeer and MeshUser."""

    def __init__(
        self,
        profile: Profile,
        table: Table,
        nickname: str,
        player: Player,
        options: PeerOptions,
        timekeeper: Timekeeper | None,
    ) -> None:
        self._profile = profile
        self._table = table
        self._nickname = nickname
        self._player = player
        self._options = options
        self._stopped = asyncio.Event()
        self._retell = asyncio.Event()
        self._files = PeerFiles(profile, table, options, nickname)
        self._discovery: Discovery | None = None
        self._announced: tuple[object, ...] = ()
        self._founder = ""
        self._refusal: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        gate = None if options.code is None else Gate(options.code, lambda: table.table_id)
        self._mesh = Mesh(
            profile.identity, self, port=self._port(), loopback=options.loopback, gate=gate, refused=self._refused
        )
        files = self._files
        outlets = Outlets(files.persist, self._record, self._mesh.send, self._mesh.drop, files.recorded, files.accuse)
        self._driver = Driver(table, outlets, self._watch, timekeeper=timekeeper)

    async def run(self) -> PeerResult:
        """Run all parts until the table has ended or the player stops."""
        async with contextlib.AsyncExitStack() as stack:
            stack.callback(self._files.close)
            stack.callback(self._mesh.close)
            await self._listen()
            if self._files.restore(time.monotonic()):
                self._hold_seat()
            await self._discover(stack)
            self._player.begin(self)
            # In this order: the driver has begun when the first link comes up.
            tasks = [
                asyncio.ensure_future(part)
                for part in (self._driver.run(), self._mesh.run(), self._announce(), self._attend(), self._refusal)
            ]
            try:
                done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
            finally:
                self._driver.stop()
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                self._files.forget_unfounded()
        return self._result()

    async def _listen(self) -> None:
        """Take the port: that of the time before a crash, if it is still free."""
        try:
            await self._mesh.listen()
        except NetError:
            if not self._options.any_port and (self._options.seat is None or self._options.port):
                raise
            self._mesh.port = 0
            await self._mesh.listen()

    def _port(self) -> int:
        held = self._options.seat
        return self._options.port or (0 if held is None else held.port)

    def submit(self, command: Command) -> None:
        """See RunningPeer."""
        self._driver.submit(command)

    def view(self) -> TableView | None:
        """See RunningPeer."""
        return self._table.view() if self._table.table_id is not None else None

    def addresses(self) -> list[tuple[str, int]]:
        """See RunningPeer."""
        return [(host, self._mesh.port) for host in own_hosts(loopback=self._options.loopback)]

    def stop(self) -> None:
        """See RunningPeer."""
        self._stopped.set()

    def link_up(self, peer: bytes) -> None:
        """See MeshUser."""
        self._driver.link_up(peer)
        self._hold_seat()

    def link_down(self, peer: bytes) -> None:
        """See MeshUser."""
        self._driver.link_down(peer)

    def _refused(self, error: LinkError) -> None:
        """A peer was reached that has another code, or none: unless others let us in soon, that is our end."""
        if self._options.joining and self._table.lanes is None:
            asyncio.get_running_loop().call_later(SETTLING, self._give_up, error)

    def _give_up(self, error: LinkError) -> None:
        if not (self._mesh.linked or self._refusal.done() or self._table.lanes is not None):
            self._refusal.set_exception(error)

    def receive(self, frame: Frame, peer: bytes) -> None:
        """See MeshUser."""
        self._driver.receive(frame, peer)

    async def _attend(self) -> None:
        """See the table through: call the peers that are known, wait for the end, and part from the others."""
        for sighting in self._options.sighted:
            self._sighted(sighting)
        if self._options.dial is not None:
            await self._mesh.introduce(Address(*self._options.dial))
        elif self._options.seat is not None:
            self._call_neighbours(self._options.seat)
        waits = [asyncio.ensure_future(event.wait()) for event in (self._driver.ended, self._stopped)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PARTING):
                await self._part()

    def _call_neighbours(self, held: HeldSeat) -> None:
        """Dial the others where they were, now and again until the first of them answers: they may be slower."""
        if self._mesh.linked or not self._driver.running:
            return
        for neighbour in held.neighbours:
            address = claimed_address(neighbour.host, neighbour.port, loopback=self._options.loopback)
            if address is not None and len(neighbour.peer) == 64:
                self._mesh.suggest(bytes.fromhex(neighbour.peer), [address])
        asyncio.get_running_loop().call_later(CALL_AGAIN, self._call_neighbours, held)

    async def _part(self) -> None:
        """Leave only when everybody has taken what we sent and, if the table has ended, has said that it knows.

        A seat without a link at this moment may come back for it, also if it was certified absent.
        """
        if self._driver.ended.is_set():
            missing = self._seats_concerned() - self._mesh.linked
            while missing:
                await self._mesh.wait_for_link()
                missing -= self._mesh.linked
            await self._driver.settled.wait()
        await self._mesh.drain(PARTING)

    def _seats_concerned(self) -> set[bytes]:
        own = self._profile.identity.public
        seats = self._table.view().seats
        return {seat.key for seat in seats if seat.key != own and not (seat.gone or seat.faulted)}

    async def _discover(self, stack: contextlib.AsyncExitStack) -> None:
        """Start mDNS where it is wanted. Where it can't work, addresses typed by hand still do."""
        if not self._options.discover:
            return
        try:
            self._discovery = await stack.enter_async_context(
                Discovery(loopback=self._options.loopback, on_change=self._sighted)
            )
        except NetError as error:
            log.warning("%s", error)

    async def _announce(self) -> None:
        """Announce our table, and again whenever what we say about it has changed."""
        while True:
            await self._retell.wait()
            self._retell.clear()
            if self._discovery is not None and self._options.announce:
                await self._discovery.announce(self._announcement(self._table.view()), self._mesh.port)

    def _announcement(self, view: TableView) -> Announcement:
        taken = _taken(view)
        return Announcement(
            peer=self._profile.identity.public,
            nickname=self._nickname,
            table=view.table,
            table_name=view.name,
            seats=view.params.seats,
            free=max(0, view.params.seats - taken),
            ante=view.params.ante,
            params=params_digest(wire_params(view.params, view.name)),
            private=self._options.code is not None,
        )

    def _sighted(self, sighting: Sighting) -> None:
        if sighting.table == self._table.table_id:
            self._mesh.suggest(sighting.peer, sighting.addresses)

    def _watch(self, events: Sequence[Event], view: TableView) -> Iterable[Command]:
        """Called by the driver after each step in which something happened."""
        if self._discovery is not None:
            # The table may have become known just now, after its peers were seen.
            for sighting in self._discovery.sightings:
                self._sighted(sighting)
        announced = (view.table, view.name, view.params, _taken(view))
        news = announced != self._announced
        if news:
            self._announced = announced
            self._retell.set()
        founder = self._mesh.reached().get(view.seats[0].key) if view.seats else None
        if founder is not None:
            self._founder = str(founder)
        own = self._profile.identity.public
        if any(isinstance(event, SeatTaken) and event.key == own for event in events):
            self._files.asked_for_seat()
        if news or any(isinstance(event, SeatTaken | TableFounded) for event in events):
            self._hold_seat()
        if self._table.ended or self._table.closed or self._has_left(view):
            self._files.give_up_seat()
        if self._table.closed:
            self._stopped.set()
        return self._player.see(events, view)

    def _has_left(self, view: TableView) -> bool:
        # Whoever leaves may sit down again, on another place.
        own = [seat for seat in view.seats if seat.key == self._profile.identity.public]
        return bool(own) and all(seat.gone for seat in own)

    def _record(self, data: bytes) -> None:
        if self._files.begin_ledger():
            # Noted before there is anything in it: killed in between, we go on with this file, not beside it.
            self._hold_seat()
        self._files.record(data)

    def _hold_seat(self) -> None:
        self._files.hold_seat(self._mesh.port, self._mesh.reached())

    def _result(self) -> PeerResult:
        view = self.view()
        return PeerResult(
            table=self._table.table_id or b"",
            ledger=self._files.ledger,
            ended=self._table.ended,
            deals=view.deal if view is not None else 0,
            head=view.head if view is not None else b"",
            chips=view.rules.state.chips if view is not None and view.rules is not None else (),
            standings=view.standings if view is not None else (),
            closed=self._table.reckoning,
            port=self._mesh.port,
            founder=self._founder,
        )


def _taken(view: TableView) -> int:
    """How many seats somebody holds, as far as the view shows."""
    return sum(not seat.gone for seat in view.seats)


def _first_of(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first single exception in a group, however deep."""
    first = group.exceptions[0]
    return _first_of(first) if isinstance(first, BaseExceptionGroup) else first


__all__ = ["PeerOptions", "PeerResult", "Player", "RunningPeer", "recalled", "run_peer"]
