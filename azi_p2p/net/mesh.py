"""The links of one table: whom to dial, whose calls to take, and which of two links to the same peer stands.

Addresses come from people, from mDNS and from linked peers; all are hints, and a link proves who is at the other end.
Linked peers tell each other where the others listen, so that one typed address is enough to find everybody; that the
graph is connected is enough, since envelopes are passed on.

What frames mean is the session's business: the mesh hands up links that come and go, and frames.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from azi_p2p.crypto.identity import IdentityKey, fingerprint
from azi_p2p.net.addresses import Address, claimed_address, is_loopback, local_addresses, plain_host, without_zone
from azi_p2p.net.certificate import Certificate
from azi_p2p.net.contacts import Contact, Contacts
from azi_p2p.net.errors import LinkEnd, LinkError, NetError, NetTrouble
from azi_p2p.net.gate import REFUSALS, Gate
from azi_p2p.net.link import Call, Link, Timing, accept, dial
from azi_p2p.wire.frame import Frame, PeerAddress, PeersFrame, encode_frame

log = logging.getLogger("azi.net")

MAX_TOLD = 32
"""Addresses in one frame, as the wire allows."""

ADDRESS_CHECK = 1.0
"""Seconds between two looks at our own addresses, so that a link over one that we have lost isn't waited for."""

REFUSED_DELAY = 60.0
"""Seconds after which a peer that didn't let us in is dialled again: each time is a try at the code."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of this peer others may take up.

    `incoming`: calls taken at a time, linked or not, counted before TLS (a silent one costs some 300 KiB); calls that
    we make ourselves don't count, so a crowd of strangers can't keep seated peers apart. `per_host`: of these, from
    one address. `dials`: calls that we make at the same time. `barred`: seconds for which a dropped peer is refused.
    """

    incoming: int = 48
    per_host: int = 16
    dials: int = 4
    barred: float = 10.0


class MeshUser(Protocol):
    """Whoever is told what happens on the links. Called on the event loop, one after another."""

    def link_up(self, peer: bytes) -> None:
        """There is a link to this peer now (key, 32 bytes)."""

    def link_down(self, peer: bytes) -> None:
        """The link to this peer is gone."""

    def receive(self, frame: Frame, peer: bytes) -> None:
        """A frame came from this linked peer."""


class Mesh:
    """The links of this peer. `listen`, then `run` until cancelled; everything else from the event loop meanwhile."""

    def __init__(
        self,
        identity: IdentityKey,
        user: MeshUser,
        *,
        port: int = 0,
        loopback: bool = False,
        gate: Gate | None = None,
        refused: Callable[[LinkError], None] = lambda _: None,
        timing: Timing | None = None,
        limits: Limits | None = None,
    ) -> None:
        """`port`: 0 for any free one. `loopback`: listen on 127.0.0.1 only. `gate`: of a private table.

        `refused` is called when a peer that was dialled by itself is reached, and no link stands for want of the right
        code, with one of REFUSALS.
        """
        self._identity = identity
        self._user = user
        self._loopback = loopback
        self._gate = gate
        self._refused = refused
        self._timing = timing or Timing()
        self._limits = limits or Limits()
        self._certificate = Certificate()
        self._listener: socket.socket | None = None
        self._links: dict[bytes, Link] = {}
        self._contacts = Contacts(identity.public)
        self._barred: dict[bytes, float] = {}
        self._calls: Counter[str] = Counter()
        self._listening: dict[bytes, PeerAddress] = {}
        self._dials = asyncio.Semaphore(self._limits.dials)
        self._running = asyncio.Event()
        self._news = asyncio.Event()
        self._linked = asyncio.Event()
        self._tasks: asyncio.TaskGroup | None = None
        self.port = port

    async def listen(self) -> int:
        """Take the port; gives its number. Raises NetError when it can't be had."""
        try:
            self._listener = _listening_socket(self.port, loopback=self._loopback)
        except OSError as error:
            raise NetError(NetTrouble.PORT_IN_USE, port=self.port, reason=error) from error
        self.port = int(self._listener.getsockname()[1])
        return self.port

    def close(self) -> None:
        """Give the port back; needed only when `run` was never called, or not begun."""
        if self._listener is not None:
            self._listener.close()

    async def run(self) -> None:
        """Take calls and keep links until cancelled. A fault of our own code comes out as an exception group."""
        assert self._listener is not None, "listen first"
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: Call(self._called), sock=self._listener, start_serving=False)
        try:
            await server.start_serving()
            async with asyncio.TaskGroup() as tasks:
                self._tasks = tasks
                self._running.set()
                if not self._loopback:
                    tasks.create_task(self._watch_addresses())
                try:
                    await self._make_calls(tasks)
                finally:
                    self._tasks = None
        finally:
            server.close()

    @property
    def linked(self) -> frozenset[bytes]:
        """Keys of the peers that are linked now."""
        return frozenset(self._links)

    def reached(self) -> dict[bytes, Address]:
        """For each peer that is linked, the address at which it listens, as far as we know it."""
        return {peer: address for peer in self._links if (address := self._contacts.address_of(peer)) is not None}

    def suggest(self, peer: bytes, addresses: Iterable[Address]) -> None:
        """Dial this peer at these addresses, now and whenever its link is gone."""
        if self._contacts.suggest(peer, addresses, time.monotonic()):
            self._news.set()

    async def introduce(self, address: Address) -> bytes:
        """Dial an address that a person has typed, once; gives the peer's key. Raises LinkError when it fails.

        The address is kept, and dialled again when the link is lost.
        """
        await self._running.wait()
        link = await dial(address.host, address.port, self._identity, gate=self._gate, timing=self._timing)
        self.suggest(link.peer, [address])
        self._contacts.reached(link.peer, address)
        if self._tasks is None:
            link.close(LinkEnd.CLOSED, "this peer stops")
            await link.run(lambda _: None)
        else:
            self._tasks.create_task(self._serve(link))
        return link.peer

    def send(self, frame: Frame, to: bytes | None = None, but: frozenset[bytes] = frozenset()) -> None:
        """Send a frame to one linked peer, or to all of them except `but`. Peers that aren't linked miss it."""
        data = encode_frame(frame)
        for link in list(self._links.values()):
            if link.peer not in but and to in (None, link.peer):
                link.send(data)

    def drop(self, peer: bytes, reason: str) -> None:
        """Close the link to this peer and refuse it for a while."""
        now = time.monotonic()
        self._barred = {key: until for key, until in self._barred.items() if until > now}
        self._barred[peer] = now + self._limits.barred
        link = self._links.get(peer)
        if link is not None:
            link.close(LinkEnd.DROPPED, reason)

    async def drain(self, seconds: float) -> bool:
        """Wait until every linked peer has taken all that was sent to it; False when some haven't in that time."""
        barriers = [asyncio.ensure_future(link.barrier()) for link in self._links.values()]
        if not barriers:
            return True
        _, late = await asyncio.wait(barriers, timeout=seconds)
        for barrier in late:
            barrier.cancel()
        return not late

    async def wait_for_link(self) -> None:
        """Wait until the next link comes up."""
        self._linked.clear()
        await self._linked.wait()

    def _called(self, call: asyncio.Transport) -> None:
        """Somebody calls: take it if there is room, before any TLS. Called by the server, on the loop."""
        host = plain_host(str((call.get_extra_info("peername") or ("",))[0]))
        if self._calls.total() >= self._limits.incoming or self._calls[host] >= self._limits.per_host:
            log.info("call from %s refused: there are too many", host)
            call.abort()
            return
        if self._tasks is None:
            call.abort()  # We are stopping.
            return
        self._calls[host] += 1
        task = self._tasks.create_task(self._take_call(call))
        task.add_done_callback(partial(self._call_over, host, call))

    def _call_over(self, host: str, call: asyncio.Transport, _task: asyncio.Task[None]) -> None:
        self._calls[host] -= 1
        if self._calls[host] <= 0:
            del self._calls[host]
        call.abort()  # It still stands if the task was cancelled before it began.

    async def _take_call(self, call: asyncio.Transport) -> None:
        try:
            link = await accept(call, self._identity, self._certificate, gate=self._gate, timing=self._timing)
        except LinkError as error:
            log.info("a call came to nothing (%s): %s", error.code, error)
            return
        self._contacts.reached(link.peer, None)
        await self._serve(link)

    async def _make_calls(self, tasks: asyncio.TaskGroup) -> None:
        """Dial whoever is due, for ever."""
        while True:
            self._news.clear()
            now = time.monotonic()
            for contact in self._contacts.due(now, self._links.keys()):
                tasks.create_task(self._call(contact))
            due = self._contacts.next_due(self._links.keys())
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(None if due is None else max(due - now, 0.05)):
                    await self._news.wait()

    async def _watch_addresses(self) -> None:
        """Follow our own addresses: what was linked over one that is gone is dead, and a new one leads to others."""
        known = local_addresses()
        while True:
            await asyncio.sleep(ADDRESS_CHECK)
            before, known = known, local_addresses()
            for link in list(self._links.values()):
                if without_zone(link.local_host) not in known:
                    link.close(LinkEnd.ADDRESS_GONE)
            if known - before:
                self._contacts.hurry(time.monotonic())
                self._news.set()

    async def _call(self, contact: Contact) -> None:
        """Try the addresses of one contact and serve the link that comes of it."""
        link = None
        refusal: LinkError | None = None
        async with self._dials:
            for address in contact.addresses:
                if contact.peer in self._links:
                    self._contacts.reached(contact.peer, None)
                    return
                try:
                    link = await dial(
                        address.host,
                        address.port,
                        self._identity,
                        expected=contact.peer,
                        gate=self._gate,
                        timing=self._timing,
                    )
                except LinkError as error:
                    log.info("no link to %s (%s): %s", address, error.code, error)
                    if error.code in {LinkEnd.OWN_KEY, LinkEnd.WRONG_PEER}:
                        self._contacts.forget(contact, address)
                    if error.code in REFUSALS:
                        refusal = error
                        break
                else:
                    self._contacts.reached(contact.peer, address)
                    break
        if link is not None:
            await self._serve(link)
        else:
            if refusal is not None:
                contact.not_before = time.monotonic() + REFUSED_DELAY
            self._contacts.failed(contact, time.monotonic())
            if refusal is not None:
                self._refused(refusal)
            self._news.set()

    async def _serve(self, link: Link) -> None:
        """Serve a link for as long as it lasts, if it may stand beside those that there are."""
        if not self._admit(link):
            await link.run(lambda _: None)
            return
        self._links[link.peer] = link
        self._linked.set()
        self._contacts.hurry(time.monotonic())
        self._news.set()
        log.info("linked to %s at %s", fingerprint(link.peer), link.host)
        self._tell_addresses(link)
        self._user.link_up(link.peer)
        try:
            end = await link.run(partial(self._receive, link))
            log.info("link to %s ended (%s): %s", fingerprint(link.peer), end.code, end)
        finally:
            if self._links.get(link.peer) is link:
                self._gone(link)

    def _admit(self, link: Link) -> bool:
        """Decide about a new link; where another one has to give way to it, close that."""
        if self._barred.get(link.peer, 0.0) > time.monotonic():
            link.close(LinkEnd.DROPPED, "this peer was dropped a moment ago")
            return False
        old = self._links.get(link.peer)
        if old is None:
            return True
        # Both ends see the same two links and have to agree which one stands: the one that the lower key started.
        # A second link from the same side means that this side has lost the first; so does one that was begun when the
        # first had long been made, for nobody dials a peer that it is linked to.
        starter = self._identity.public if link.outgoing else link.peer
        at_once = link.since - old.since < 2 * self._timing.setup
        if at_once and link.outgoing != old.outgoing and starter != min(self._identity.public, link.peer):
            link.close(LinkEnd.REPLACED, "there is a link already, and it stands")
            return False
        old.close(LinkEnd.REPLACED)
        self._gone(old)
        return True

    def _gone(self, link: Link) -> None:
        del self._links[link.peer]
        self._listening.pop(link.peer, None)
        now = time.monotonic()
        self._contacts.lost(link.peer, now, lasted=now - link.since, not_before=self._barred.get(link.peer, 0.0))
        self._news.set()
        self._user.link_down(link.peer)

    def _receive(self, link: Link, frame: Frame) -> None:
        if isinstance(frame, PeersFrame):
            self._hear_addresses(link, frame)
        else:
            self._user.receive(frame, link.peer)

    def _tell_addresses(self, link: Link) -> None:
        """Tell a new neighbour where we listen, and where our other neighbours do."""
        known = [PeerAddress(peer=self._identity.public, host=link.local_host, port=self.port)]
        known += [entry for peer, entry in self._listening.items() if peer != link.peer and _useful(entry, link)]
        link.send(encode_frame(PeersFrame(peers=known[:MAX_TOLD])))

    def _hear_addresses(self, link: Link, frame: PeersFrame) -> None:
        """Take a neighbour's word for where it listens itself, and its hints about others."""
        for entry in frame.peers:
            # A neighbour's own address is the one from which it speaks to us, whatever it believes of itself.
            host = link.host if entry.peer == link.peer else entry.host
            address = claimed_address(host, entry.port, loopback=is_loopback(link.host))
            if address is None or entry.peer == self._identity.public:
                continue
            self.suggest(entry.peer, [address])
            if entry.peer == link.peer:
                self._pass_on(PeerAddress(peer=link.peer, host=address.host, port=address.port))

    def _pass_on(self, entry: PeerAddress) -> None:
        """Tell the others where a neighbour listens, once for each address of it."""
        if self._listening.get(entry.peer) == entry:
            return
        self._listening[entry.peer] = entry
        data = encode_frame(PeersFrame(peers=[entry]))
        for link in self._links.values():
            if link.peer != entry.peer and _useful(entry, link):
                link.send(data)


def _useful(entry: PeerAddress, link: Link) -> bool:
    """Whether an address means anything to the peer at the other end: loopback is another computer there."""
    return is_loopback(link.host) or not is_loopback(entry.host)


def _listening_socket(port: int, *, loopback: bool) -> socket.socket:
    """A listening socket, non-blocking: on 127.0.0.1, or on all addresses, IPv6 too where the system has it."""
    if loopback:
        listener = socket.create_server(("127.0.0.1", port))
    else:
        try:
            listener = socket.create_server(("", port), family=socket.AF_INET6, dualstack_ipv6=True)
        except (OSError, ValueError):
            listener = socket.create_server(("", port))
    listener.setblocking(False)
    return listener
