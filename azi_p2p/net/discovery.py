"""Finding tables by mDNS, and being found.

Built on `zeroconf`. Some choices that its documentation doesn't explain: all interfaces, because its default asks for
a gateway and a LAN party may have none; no probing for our name, because the key hash in it makes it ours (a newcomer
is seen in a twentieth of a second instead of more than one); a short time to live, so that a peer that was killed
without a goodbye disappears within a minute and a half. On loopback we ask by multicast from the start, for the unicast
answers that other systems would give don't arrive there. The library asks four times in its first 14 seconds and then
relies on hearing every announcement, and it keeps names for 19 minutes whatever their time to live: so we look anew
now and again, which asks once more and finds out whose records nobody answers for any longer.

What records mean and how far they are trusted is said in `records`.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable

from zeroconf import DNSQuestionType, Error, InterfaceChoice, ServiceStateChange, Zeroconf
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from azi_p2p.net.addresses import own_hosts
from azi_p2p.net.errors import NetError, NetTrouble
from azi_p2p.net.records import SERVICE_TYPE, Announcement, BadRecord, Sighting, read_record

log = logging.getLogger("azi.discovery")

TTL = 60
"""Seconds for which others may believe a record without asking again."""
RESOLVE_MS = 3000
RESOLVE_TRIES = 3
MAX_RECORDS = 256
"""Records looked at; a LAN has fewer tables, so more of them are somebody's noise."""
MAX_RESOLVING = 16
LOOK_AGAIN = 15.0
"""Seconds after which we ask anew who is there: what was lost on the way isn't announced again by itself."""
GIVEN_UP = 60.0
"""Seconds for which nobody is asked again about a record that nobody answered for, unless it is announced."""
RESCAN = 5.0
"""Seconds between two looks at our own addresses: cables and Wi-Fi come and go."""


class Discovery:
    """Announces our table and keeps track of others'. Use as `async with Discovery(...) as discovery`.

    On the event loop `on_change` is called with each sighting that is new or has changed, `on_gone` with each that is
    no longer announced.
    """

    def __init__(
        self,
        *,
        loopback: bool = False,
        on_change: Callable[[Sighting], None] | None = None,
        on_gone: Callable[[Sighting], None] | None = None,
    ) -> None:
        """`loopback`: stay on 127.0.0.1, so that no multicast leaves this computer."""
        self._loopback = loopback
        self._on_change = on_change
        self._on_gone = on_gone
        self._question = DNSQuestionType.QM if loopback else None
        self._zeroconf: AsyncZeroconf | None = None
        self._browser: AsyncServiceBrowser | None = None
        self._sightings: dict[str, Sighting] = {}
        self._resolving: dict[str, asyncio.Task[None]] = {}
        self._again: set[str] = set()
        self._slots = asyncio.Semaphore(MAX_RESOLVING)
        self._announced: tuple[Announcement, int] | None = None
        self._info: AsyncServiceInfo | None = None
        self._hosts: list[str] = []
        self._given_up: dict[str, float] = {}
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Discovery:
        """Start browsing; raises NetError where the system gives us no multicast."""
        self._hosts = own_hosts(loopback=self._loopback)
        alone = self._hosts == ["127.0.0.1"]
        try:
            # A list of addresses, not All, where loopback is all there is: it needs no route for multicast then.
            self._zeroconf = AsyncZeroconf(interfaces=["127.0.0.1"] if alone else InterfaceChoice.All)
            await self._zeroconf.zeroconf.async_wait_for_start()
        except (OSError, RuntimeError, Error) as error:
            await self._shut()
            raise NetError(NetTrouble.NO_MULTICAST, reason=error) from error
        except asyncio.CancelledError:
            await self._shut()
            raise
        self._browser = self._new_browser(self._zeroconf)
        self._tasks.append(asyncio.ensure_future(self._keep_looking()))
        if not self._loopback:
            self._tasks.append(asyncio.ensure_future(self._watch_interfaces()))
        return self

    async def __aexit__(self, *_: object) -> None:
        """Say goodbye to the others, and stop."""
        await self._shut()

    @property
    def sightings(self) -> list[Sighting]:
        """What is announced now, ours aside, in the order in which it was first seen. Killed peers may be among it."""
        own = self._announced[0].peer if self._announced else None
        return sorted((one for one in self._sightings.values() if one.peer != own), key=lambda one: one.seen)

    async def announce(self, announcement: Announcement, port: int) -> None:
        """Announce our table, or announce it anew where something has changed; `port`: where we listen."""
        if self._announced == (announcement, port) or self._zeroconf is None:
            return
        before, self._announced = self._announced, (announcement, port)
        old, self._info = self._info, self._service_info(announcement, port)
        if old is not None and before is not None and old.name == self._info.name:
            await self._zeroconf.async_update_service(self._info)
            return
        if old is not None:
            await self._zeroconf.async_unregister_service(old)
        await self._zeroconf.async_register_service(self._info, cooperating_responders=True)

    def _service_info(self, announcement: Announcement, port: int) -> AsyncServiceInfo:
        return AsyncServiceInfo(
            SERVICE_TYPE,
            announcement.instance(),
            port=port,
            properties=announcement.fields(),
            server=announcement.host(),
            host_ttl=TTL,
            other_ttl=TTL,
            parsed_addresses=self._hosts,
        )

    def _new_browser(self, zeroconf: AsyncZeroconf) -> AsyncServiceBrowser:
        return AsyncServiceBrowser(
            zeroconf.zeroconf, SERVICE_TYPE, handlers=[self._changed], question_type=self._question
        )

    async def _keep_looking(self) -> None:
        """Look anew, for ever: a new browser asks again, and hands us all names that the library knows."""
        while True:
            await asyncio.sleep(LOOK_AGAIN)
            await self._look_again()

    async def _look_again(self) -> None:
        if self._zeroconf is not None and self._browser is not None:
            old, self._browser = self._browser, self._new_browser(self._zeroconf)
            await old.async_cancel()

    def _changed(self, zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange) -> None:
        """Called by the browser, on the loop, for every record of our type that comes, changes or goes."""
        if service_type != SERVICE_TYPE:
            return
        if state_change is ServiceStateChange.Removed:
            self._forget(name)
        elif (info := AsyncServiceInfo(SERVICE_TYPE, name)).load_from_cache(zeroconf):
            # Honest peers send everything at once, so floods of others' half-said records don't hold them up.
            if name in self._sightings or len(self._sightings) < MAX_RECORDS:
                self._take(name, info)
        elif name in self._resolving:
            if state_change is ServiceStateChange.Updated:
                self._again.add(name)
        elif state_change is ServiceStateChange.Added and self._is_given_up(name):
            pass
        elif len(self._resolving) + len(self._sightings) < MAX_RECORDS or name in self._sightings:
            self._resolving[name] = asyncio.ensure_future(self._resolve(zeroconf, name))

    def _is_given_up(self, name: str) -> bool:
        """Whether nobody answered for this record a while ago."""
        now = time.monotonic()
        self._given_up = {one: until for one, until in self._given_up.items() if until > now}
        return name in self._given_up

    async def _resolve(self, zeroconf: Zeroconf, name: str) -> None:
        """Ask for everything about a record, and take it if it is sound; forget it if nobody answers for it."""
        async with self._slots:
            tries = RESOLVE_TRIES
            while tries:
                self._again.discard(name)
                info = AsyncServiceInfo(SERVICE_TYPE, name)
                if await info.async_request(zeroconf, RESOLVE_MS, question_type=self._question):
                    self._take(name, info)
                    tries = 0
                else:
                    tries -= 1
                    if not tries:
                        self._given_up[name] = time.monotonic() + GIVEN_UP
                        self._forget(name)
                if name in self._again:
                    tries = RESOLVE_TRIES
        # Here and not in a callback: between the two, news of this record would be lost.
        del self._resolving[name]

    def _take(self, name: str, info: AsyncServiceInfo) -> None:
        self._given_up.pop(name, None)
        known = self._sightings.get(name)
        try:
            sighting = read_record(
                info.properties,
                info.parsed_scoped_addresses(),
                info.port,
                seen=known.seen if known else time.monotonic(),
                loopback="127.0.0.1" in self._hosts,
            )
        except BadRecord as error:
            log.info("a record is ignored: %s", error)
            self._forget(name)
            return
        if sighting != known:
            self._sightings[name] = sighting
            if self._on_change is not None:
                self._on_change(sighting)

    def _forget(self, name: str) -> None:
        gone = self._sightings.pop(name, None)
        if gone is not None and self._on_gone is not None:
            self._on_gone(gone)

    async def _watch_interfaces(self) -> None:
        """Follow our own addresses: listen on new interfaces and tell the others where we are now."""
        while True:
            await asyncio.sleep(RESCAN)
            hosts = own_hosts()
            if hosts == self._hosts or self._zeroconf is None:
                continue
            self._hosts = hosts
            try:
                await self._zeroconf.async_update_interfaces(
                    ["127.0.0.1"] if hosts == ["127.0.0.1"] else InterfaceChoice.All
                )
                if self._announced is not None:
                    self._info = self._service_info(*self._announced)
                    await self._zeroconf.async_update_service(self._info)
                await self._look_again()
            except (OSError, RuntimeError, Error) as error:
                log.warning("%s", NetError(NetTrouble.CANT_ANNOUNCE, reason=error))

    async def _shut(self) -> None:
        tasks = [*self._resolving.values(), *self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._browser is not None:
            await self._browser.async_cancel()
        if self._zeroconf is not None:
            closing = asyncio.ensure_future(self._zeroconf.async_close())
            try:
                await asyncio.shield(closing)
            except asyncio.CancelledError:
                await closing  # whoever is in a hurry still must not leave sockets open behind him
                raise
        self._zeroconf = self._browser = None


async def find_tables(seconds: float, *, loopback: bool = False) -> list[Sighting]:
    """Browse for so many seconds and give what was seen, one sighting for each peer; raises NetError."""
    async with Discovery(loopback=loopback) as discovery:
        await asyncio.sleep(seconds)
        return discovery.sightings


async def find_table(matches: Callable[[Sighting], bool], seconds: float, *, loopback: bool = False) -> Sighting | None:
    """Browse until a sighting matches, for so many seconds at most; None if none did. Raises NetError."""
    found: asyncio.Future[Sighting] = asyncio.get_running_loop().create_future()

    def look(sighting: Sighting) -> None:
        if matches(sighting) and not found.done():
            found.set_result(sighting)

    async with Discovery(loopback=loopback, on_change=look):
        try:
            async with asyncio.timeout(seconds):
                return await found
        except TimeoutError:
            return None


__all__ = ["Announcement", "Discovery", "Sighting", "find_table", "find_tables"]
