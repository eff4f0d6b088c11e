"""What a peer is given and what it gives: how it meets the network, who holds its seat, what is left at its end.

What doesn't belong here: the peer itself (`peer`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from azi_p2p.net.records import Sighting
from azi_p2p.net.tablecode import TableCode
from azi_p2p.session.closing import Reckoning
from azi_p2p.session.commands import Command
from azi_p2p.session.events import Event
from azi_p2p.session.view import TableView
from azi_p2p.store.heldseat import HeldSeat


@dataclass(frozen=True, slots=True)
class PeerOptions:
    """How a peer meets the network. Nothing here is signed or told to others, but for the port.

    `dial`: address of a peer of the table (`HOST:PORT` as typed), needed where mDNS can't work. `port`: where to
    listen, 0 for any free one; `any_port`: and take another one where it is in use. `discover`: announce and browse by
    mDNS. `loopback`: stay on 127.0.0.1, mDNS included (several peers on one machine); by default taken from the
    environment variable AZI_LOOPBACK=1. `out`: folder for the ledger file, by default the profile's own. `nickname`:
    in place of the one in the profile's settings. `seat`: come back to this table, at which the profile holds a seat;
    `hold_seat`: keep a note of the seat, to come back to it after a crash. `code`: of a private table; then there is a
    link only to those who prove that they know it. `joining`: end with LinkError when nobody lets us in for want of
    the right code. `announce`: say by mDNS that this peer sits at the table; who only watches doesn't. `sighted`:
    peers of the table that were seen by mDNS before, to be called at once: asked again within a second, they may not
    answer.
    """

    dial: tuple[str, int] | None = None
    port: int = 0
    any_port: bool = False
    discover: bool = True
    loopback: bool = field(default_factory=lambda: os.environ.get("AZI_LOOPBACK") == "1")
    out: Path | None = None
    nickname: str | None = None
    seat: HeldSeat | None = None
    hold_seat: bool = True
    code: TableCode | None = None
    joining: bool = False
    announce: bool = True
    sighted: tuple[Sighting, ...] = ()


@dataclass(frozen=True, slots=True)
class PeerResult:
    """What is left when a peer stops. `ended`: the standings are signed; `ledger`: its file, None if never founded.

    `chips` by seat, `standings` as in the view (place, seat, chips); `head`: the ledger's last head, 32 bytes;
    `closed`: what everybody has by our own record, where the table was closed without a majority. `port`: where we
    listened; `founder`: where whoever opened the table did, as HOST:PORT, empty where we don't know it.
    """

    table: bytes
    ledger: Path | None
    ended: bool
    deals: int
    head: bytes
    chips: tuple[int, ...]
    standings: tuple[tuple[int, int, int], ...]
    closed: Reckoning | None = None
    port: int = 0
    founder: str = ""


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
