"""One peer, put together: profile, table, driver, mesh and discovery, and whoever holds the seat.

Every command that sits at a table (or watches one) calls `run_peer`. This is the only place where the pure session
meets clock, disk and network; what belongs to one of those alone stands in `azi_p2p.net` and `azi_p2p.store`, and
nothing is printed here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from azi_p2p.session.commands import Command
from azi_p2p.session.events import Event
from azi_p2p.session.table import Me, Table
from azi_p2p.session.view import TableView
from azi_p2p.store.profile import Profile


@dataclass(frozen=True, slots=True)
class PeerOptions:
    """How a peer meets the network. Nothing here is signed or told to others, but for the port.

    `dial`: address of a peer of the table (`HOST:PORT` as typed), needed where mDNS can't work. `port`: where to
    listen, 0 for any free one. `discover`: announce and browse by mDNS. `loopback`: stay on 127.0.0.1, mDNS included
    (several peers on one machine); by default taken from the environment variable AZI_LOOPBACK=1. `out`: folder for
    the ledger file, by default the profile's own.
    """

    dial: tuple[str, int] | None = None
    port: int = 0
    discover: bool = True
    loopback: bool = field(default_factory=lambda: os.environ.get("AZI_LOOPBACK") == "1")
    out: Path | None = None


@dataclass(frozen=True, slots=True)
class PeerResult:
    """What is left when a peer stops. `ended`: the standings are signed; `ledger`: its file, None if never founded.

    `chips` by seat, `standings` as in the view (place, seat, chips); `head`: the ledger's last head, 32 bytes.
    """

    table: bytes
    ledger: Path | None
    ended: bool
    deals: int
    head: bytes
    chips: tuple[int, ...]
    standings: tuple[tuple[int, int, int], ...]


class RunningPeer(Protocol):
    """What a player may do with the peer that holds its seat, from the event loop."""

    def submit(self, command: Command) -> None:
        """Carry out a command; raises CommandRefused (nothing has changed then)."""

    def view(self) -> TableView | None:
        """The table as the own seat sees it now; None while the table isn't known yet."""

    def addresses(self) -> list[tuple[str, int]]:
        """Where this peer listens: what people type in elsewhere as HOST:PORT."""

    def stop(self) -> None:
        """Stop soon, whatever the state of the table: `run_peer` returns."""


class Player(Protocol):
    """Whoever holds the seat: a bot, or a person at a screen. Called on the event loop; must not block."""

    def begin(self, peer: RunningPeer) -> None:
        """Called once, before anything happens. Keep `peer` to submit commands later, whenever a person decides."""

    def see(self, events: Sequence[Event], view: TableView) -> Iterable[Command]:
        """Called after each step of the table in which something happened, with all of it and the view after it.

        The commands returned are submitted at once, one after another; a command refused then is the player's fault
        and ends the peer with its CommandRefused (to try something that may be refused, use `RunningPeer.submit`).
        """


async def run_peer(
    profile: Profile,
    make_table: Callable[[Me], Table],
    player: Player,
    options: PeerOptions | None = None,
) -> PeerResult:
    """Sit at a table (or watch one) until it ends, and leave its ledger file behind.

    `profile` is open (locked) and stays so. `make_table` gets key and nickname of the profile and gives the table:
    `lambda me: Table.host(me, params, name)`, `Table.join(me, table_id)`, `Table.join(me)` with `options.dial`, or
    `Table.watch(table_id)`. Returns when the standings are signed or after `RunningPeer.stop()`; a cancelled call
    closes everything and raises CancelledError, the ledger file is whole up to there.

    Raises OSError with a clear text when the port is taken or the disk is full, NetError when the network can't be
    used, CommandRefused when the player returned a command that is refused, and any fault of our own code as it is.
    """
    peer = _Peer(profile, make_table(Me(profile.identity, profile.nickname)), player, options or PeerOptions())
    return await peer.run()
