"""Whole peers in one event loop, over real links and mDNS on loopback: the real table, files and endings."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import errno
import socket
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from pathlib import Path

import pytest

from azi_p2p import rules
from azi_p2p.audit.verify import verify_ledger
from azi_p2p.cli.peer import PeerOptions, PeerResult, RunningPeer, run_peer
from azi_p2p.net.addresses import Address
from azi_p2p.net.errors import LinkError, NetError
from azi_p2p.net.records import Sighting
from azi_p2p.session.commands import Act, Command, CommandRefused, Start, Wish
from azi_p2p.session.events import DealEnded, Event, LinkChanged, TableFounded
from azi_p2p.session.own import Me
from azi_p2p.session.table import Table
from azi_p2p.session.view import TableView
from azi_p2p.store.journal import Journal
from azi_p2p.store.ledgers import LedgerFile
from azi_p2p.store.profile import Profile
from azi_p2p.wire.envelope import decode_envelope
from tests.net.conftest import in_loop


class Cautious:
    """A player who does the least that the rules allow, and remembers what it saw."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.peer: RunningPeer | None = None
        self.views: list[TableView] = []
        self.changed = asyncio.Event()

    def begin(self, peer: RunningPeer) -> None:
        self.peer = peer
        self.changed.set()

    def see(self, events: Sequence[Event], view: TableView) -> Iterable[Command]:
        self.events.extend(events)
        self.views.append(view)
        self.changed.set()
        return self.decide(view)

    def decide(self, view: TableView) -> Iterable[Command]:
        if not view.legal or view.my_seat is None:
            return []
        option = view.legal[0]
        return [Act(option.action(option.min))]

    async def until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            self.changed.clear()
            await self.changed.wait()

    def saw(self, kind: type[Event]) -> bool:
        return any(isinstance(event, kind) for event in self.events)


@dataclasses.dataclass
class Seat:
    """One peer of a test: its player, and the task that runs it."""

    player: Cautious
    task: asyncio.Task[PeerResult]
    folder: Path


def sit(folder: Path, make_table: Callable[[Me], Table], player: Cautious, **options: object) -> Seat:
    async def run() -> PeerResult:
        with Profile.open(folder) as profile:
            told = PeerOptions(loopback=True, nickname=folder.name, **options)  # type: ignore[arg-type]  # by name
            return await run_peer(profile, make_table, player, told)

    return Seat(player, asyncio.ensure_future(run()), folder)


@contextlib.asynccontextmanager
async def table(
    tmp_path: Path, count: int, params: rules.Params, make_player: Callable[[], Cautious] = Cautious, **options: object
) -> AsyncIterator[list[Seat]]:
    """A table of so many peers that find each other by mDNS; whoever still sits there at the end is made to go."""
    found: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    def host(me: Me) -> Table:
        made = Table.host(me, params, "Kitchen")
        assert made.table_id is not None
        found.set_result(made.table_id)
        return made

    seats = [sit(tmp_path / "Anna", host, make_player(), **options)]
    table_id = await found
    for name in ("Ben", "Katya", "Pieter", "Anele", "Sipho")[: count - 1]:
        seats.append(sit(tmp_path / name, lambda me: Table.join(me, table_id), make_player(), **options))
    try:
        yield seats
    finally:
        for seat in seats:
            seat.task.cancel()
        await asyncio.gather(*(seat.task for seat in seats), return_exceptions=True)


def params(count: int, deals: int = 2) -> rules.Params:
    return rules.Params(seats=count, deal_limit=deals, opener_rule="must_bid")


@in_loop
async def test_table_is_played_to_its_end_and_every_ledger_verifies(tmp_path: Path) -> None:
    async with table(tmp_path, 3, params(3)) as seats:
        results = [await seat.task for seat in seats]
    assert all(result.ended for result in results)
    assert len({(result.head, result.chips, result.deals, result.standings) for result in results}) == 1
    for seat, result in zip(seats, results, strict=True):
        assert result.ledger is not None
        assert result.ledger.parent == seat.folder / "ledgers"
        verdict = verify_ledger(result.ledger.read_bytes())
        assert verdict.valid
        assert verdict.complete
        assert tuple(verdict.chips) == result.chips


@in_loop
async def test_journal_holds_every_own_envelope_and_no_secret_of_a_closed_deal(tmp_path: Path) -> None:
    async with table(tmp_path, 2, params(2, deals=3)) as seats:
        results = [await seat.task for seat in seats]
    for seat, result in zip(seats, results, strict=True):
        with Profile.open(seat.folder) as profile, Journal(profile.journals, result.table) as journal:
            signed = [decode_envelope(raw) for raw in journal.envelopes()]
            assert {envelope.author for envelope in signed} == {profile.identity.public}
            kinds = [envelope.type for envelope in signed]
            assert kinds[0] == "seat"
            assert kinds[-1] == "end"
            assert kinds.count("open") == 3
            assert len(journal.secrets()) <= 2
            assert result.ledger is not None
            ledger = result.ledger.read_bytes()
            assert all(secret not in ledger for secret in journal.secrets())


@in_loop
async def test_typed_address_does_where_mdns_is_off(tmp_path: Path) -> None:
    host = sit(tmp_path / "Anna", lambda me: Table.host(me, params(3), "Kitchen"), Cautious(), discover=False)
    await host.player.until(lambda: host.player.peer is not None)
    assert host.player.peer is not None
    [address] = host.player.peer.addresses()
    others = [sit(tmp_path / name, Table.join, Cautious(), discover=False, dial=address) for name in ("Ben", "Katya")]
    results = [await seat.task for seat in [host, *others]]
    assert len({result.head for result in results}) == 1
    assert all(result.ended for result in results)


@in_loop
async def test_peers_that_were_seen_while_the_table_was_looked_for_are_called_without_seeing_them_again(
    tmp_path: Path,
) -> None:
    anna = sit(tmp_path / "Anna", lambda me: Table.host(me, params(2, 1), "Kitchen"), Cautious(), discover=False)
    await anna.player.until(lambda: anna.player.peer is not None)
    assert anna.player.peer is not None
    view = anna.player.peer.view()
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as deaf:
        addresses = [Address(*deaf.getsockname()), *(Address(*at) for at in anna.player.peer.addresses())]
        assert view is not None
        seen = Sighting(view.seats[0].key, "Anna", view.table, "Kitchen", 1, 2, 1, 10, b"", tuple(addresses), 0.0)
        other = dataclasses.replace(seen, peer=bytes(32), table=bytes(32), addresses=(Address("127.0.0.1", 9),))
        ben = sit(
            tmp_path / "Ben",
            lambda me: Table.join(me, view.table),
            Cautious(),
            discover=False,
            sighted=(other, seen),
        )
        results = [await seat.task for seat in (anna, ben)]
    assert all(result.ended for result in results)


@in_loop
async def test_address_where_nobody_answers_is_said_in_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    seat = sit(tmp_path / "Anna", Table.join, Cautious(), discover=False, dial=("127.0.0.1", port))
    with pytest.raises(LinkError, match=f"nobody answers at 127.0.0.1:{port}"):
        await seat.task
    Profile.open(seat.folder).close()  # It is unlocked again.


@in_loop
async def test_taken_port_is_said_in_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        seat = sit(tmp_path / "Anna", lambda me: Table.host(me, params(2), "Kitchen"), Cautious(), port=port)
        with pytest.raises(NetError, match=f"port {port} can't be used"):
            await seat.task


@in_loop
async def test_player_who_stops_leaves_a_ledger_that_is_valid_as_far_as_it_goes(tmp_path: Path) -> None:
    async with table(tmp_path, 3, params(3, deals=0)) as seats:
        ben = seats[1]
        await ben.player.until(lambda: ben.player.saw(DealEnded))
        assert ben.player.peer is not None
        ben.player.peer.stop()
        result = await ben.task
        assert not result.ended
        assert result.ledger is not None
        verdict = verify_ledger(result.ledger.read_bytes())
        assert verdict.valid
        assert not verdict.complete
        with pytest.raises(CommandRefused):
            ben.player.peer.submit(Wish("finish"))
        # The others notice that he is gone, and don't stop for it.
        anna = seats[0].player
        await anna.until(lambda: any(isinstance(event, LinkChanged) and not event.up for event in anna.events))


@in_loop
async def test_peer_keeps_its_heap_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else it would grow all evening (`python -m tests.evening`)."""
    asked: list[bool] = []
    monkeypatch.setattr("azi_p2p.cli.peer.keep_heap_whole", lambda: asked.append(True))
    seat = sit(tmp_path / "Anna", lambda me: Table.host(me, params(2), "Kitchen"), Cautious(), discover=False)
    await seat.player.until(lambda: seat.player.peer is not None)
    seat.task.cancel()
    await asyncio.gather(seat.task, return_exceptions=True)
    assert asked == [True]


@in_loop
async def test_cancelled_peer_closes_everything(tmp_path: Path) -> None:
    async with table(tmp_path, 2, params(2, deals=0)) as seats:
        ben = seats[1]
        await ben.player.until(lambda: ben.player.saw(DealEnded))
        ben.task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await ben.task
        with Profile.open(ben.folder) as profile:
            [ledger] = profile.ledgers.glob("*.azi")
            assert verify_ledger(ledger.read_bytes()).valid


@in_loop
async def test_full_disk_ends_the_peer_with_its_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = LedgerFile.append

    def append(ledger: LedgerFile, data: bytes) -> None:
        if "Ben" in str(ledger.path) and ledger.path.stat().st_size > 10_000:
            raise OSError(errno.ENOSPC, "No space left on device", str(ledger.path))
        real(ledger, data)

    monkeypatch.setattr(LedgerFile, "append", append)
    async with table(tmp_path, 2, params(2, deals=0)) as seats:
        with pytest.raises(OSError, match="No space left"):
            await seats[1].task


class Hasty(Cautious):
    """A player who returns a command that can't be carried out."""

    def decide(self, view: TableView) -> Iterable[Command]:
        return [Start()] if not view.founder else []


@in_loop
async def test_command_that_is_refused_ends_the_peer_of_who_returned_it(tmp_path: Path) -> None:
    async with table(tmp_path, 3, params(3), Hasty) as seats:
        with pytest.raises(CommandRefused, match="only the one who opened"):
            await seats[1].task


@in_loop
async def test_onlooker_follows_the_table_and_writes_the_same_ledger(tmp_path: Path) -> None:
    async with table(tmp_path, 2, params(2, deals=3)) as seats:
        anna = seats[0].player
        await anna.until(lambda: anna.saw(TableFounded))
        table_id = anna.views[-1].table
        watcher = sit(tmp_path / "Watcher", lambda _: Table.watch(table_id), Cautious())
        results = [await seat.task for seat in seats]
        seen = await watcher.task
        assert seen.ended
        assert (seen.head, seen.chips) == (results[0].head, results[0].chips)
        assert seen.ledger is not None
        assert verify_ledger(seen.ledger.read_bytes()).complete
