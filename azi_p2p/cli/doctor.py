"""`azi doctor`: what is wrong with this terminal, this profile or this network, and how to mend it.

Each check gives one finding; nothing is changed, and nothing is announced to others. What doesn't belong here: anything
that a game needs to run.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import textwrap
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import ifaddr

from azi_p2p.cli.finding import gather_tables
from azi_p2p.cli.running import FAILED, FINE
from azi_p2p.cli.running import run as run_loop
from azi_p2p.cli.terminal import has_colours, has_unicode, input_is_terminal, output_is_terminal
from azi_p2p.crypto.identity import short_fingerprint
from azi_p2p.net.addresses import own_hosts
from azi_p2p.net.discovery import find_tables
from azi_p2p.net.errors import NetError
from azi_p2p.store.errors import StoreError
from azi_p2p.store.profile import KEY_FILE, profile_directory, read_identity, read_nickname
from azi_p2p.store.settings import read_settings
from azi_p2p.ui.failed import what_failed
from azi_p2p.ui.i18n import Catalogue
from azi_p2p.ui.names import LINE_WIDTH, clean_name

State = Literal["fine", "note", "wrong"]
LOCAL = "127.0.0.1"
LEAST = (80, 24)
"""Columns and rows that the table needs."""
LOOKING = 2.0
"""Seconds for which other tables are looked for."""
CONNECTING = 2.0
"""Seconds in which this computer must reach itself by its own address."""

VIRTUAL = ("docker", "br-", "veth", "virbr", "vmnet", "vboxnet", "lxc", "lxd", "podman", "cni", "vEthernet", "WSL")
"""How names of network interfaces begin that lead to no other computer."""
TUNNELS = ("tun", "tap", "wg", "ppp", "utun", "tailscale", "zt", "nordlynx", "proton")
"""The same for tunnels, which may take the traffic of the local network away."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check has found: its name, whether something is to be mended, and a sentence."""

    check: str
    state: State
    message: str


def run(texts: Catalogue, profile: Path | None, *, loopback: bool, json_out: bool) -> int:
    """Check everything and tell what was found; gives the exit code, FAILED if something is to be mended."""
    doctor = Doctor(texts)
    findings = [*doctor.terminal(), *doctor.profile(profile_directory(profile))]
    findings += run_and_gather(doctor, loopback=loopback)
    wrong = any(finding.state == "wrong" for finding in findings)
    if json_out:
        checks = [{"check": one.check, "state": one.state, "message": one.message} for one in findings]
        print(json.dumps({"fine": not wrong, "checks": checks}))
    else:
        marks = {state: texts.text(f"doctor.state.{state}") for state in ("fine", "note", "wrong")}
        margin = max(map(len, marks.values())) + 2
        for finding in findings:
            line = marks[finding.state].ljust(margin) + finding.message
            print(textwrap.fill(line, LINE_WIDTH, subsequent_indent=" " * margin, break_long_words=False))
        print(texts.text("doctor.wrong" if wrong else "doctor.fine"))
    return FAILED if wrong else FINE


def run_and_gather(doctor: Doctor, *, loopback: bool) -> list[Finding]:
    """The findings about the network, which need an event loop."""
    found: list[Finding] = []

    async def look() -> int:
        found.extend([finding async for finding in doctor.network(loopback=loopback)])
        return FINE

    run_loop(look)
    return found


class Doctor:
    """Makes the checks, and puts what they find into words."""

    def __init__(self, texts: Catalogue) -> None:
        self._texts = texts

    def _finding(self, check: str, state: State, key: str = "", **values: object) -> Finding:
        return Finding(check, state, self._texts.text(f"doctor.{key or check}", **values))

    def terminal(self) -> Iterator[Finding]:
        """Whether the full screen can be drawn here."""
        if not (input_is_terminal() and output_is_terminal()):
            yield self._finding("terminal", "note", "no_terminal")
            return
        term = os.environ.get("TERM", "")
        if term == "dumb":
            yield self._finding("terminal", "note", "dumb_terminal")
        else:
            yield self._finding("terminal", "fine", term=term or os.name)
        size = shutil.get_terminal_size()
        small = size.columns < LEAST[0] or size.lines < LEAST[1]
        yield self._finding(
            "size",
            "wrong" if small else "fine",
            "too_small" if small else "size",
            width=size.columns,
            height=size.lines,
            least_width=LEAST[0],
            least_height=LEAST[1],
        )
        unicode = has_unicode()
        yield self._finding("signs", "fine" if unicode else "note", "signs" if unicode else "no_unicode")
        if not has_colours():
            yield self._finding("colours", "note", "no_colours")

    def profile(self, folder: Path) -> Iterator[Finding]:
        """Whether there are a key and settings that can be read."""
        if not (folder / KEY_FILE).exists():
            yield self._finding("profile", "note", "no_profile", folder=folder)
            return
        try:
            identity = read_identity(folder)
            read_settings(folder)
            name = read_nickname(folder)
        except StoreError as error:
            yield self._finding("profile", "wrong", "bad_profile", problem=what_failed(error, self._texts))
            return
        yield self._finding(
            "profile", "fine", folder=folder, name=name or "-", fingerprint=short_fingerprint(identity.public)
        )

    async def network(self, *, loopback: bool) -> AsyncIterator[Finding]:
        """Whether other computers can be found and reached; with `loopback`, other programs on this one."""
        hosts = own_hosts(loopback=loopback)
        if hosts == [LOCAL] and not loopback:
            yield self._finding("network", "wrong", "no_network")
        else:
            yield self._finding("network", "fine", hosts=", ".join(hosts))
        for finding in () if loopback else self._interfaces():
            yield finding
        for host in hosts:
            yield await self._reached(host)
        yield await self._seen(loopback=loopback)

    def _interfaces(self) -> Iterator[Finding]:
        names = [adapter.nice_name for adapter in ifaddr.get_adapters() if adapter.ips]
        for kind, beginnings in (("virtual", VIRTUAL), ("tunnel", TUNNELS)):
            found = sorted({name for name in names if name.startswith(beginnings)})
            if found:
                yield self._finding(kind, "note", names=", ".join(clean_name(name, 24) for name in found))
        if in_wsl():
            yield self._finding("wsl", "note")

    async def _reached(self, host: str) -> Finding:
        """Whether a connection to an own address comes in."""
        try:
            server = await asyncio.start_server(lambda _, writer: writer.close(), host, 0)
            async with server, asyncio.timeout(CONNECTING):
                port = server.sockets[0].getsockname()[1]
                _, writer = await asyncio.open_connection(host, port)
                writer.close()
                await writer.wait_closed()
        except (OSError, TimeoutError) as error:
            return self._finding("reached", "wrong", "not_reached", host=host, reason=str(error) or "-")
        return self._finding("reached", "fine", host=host)

    async def _seen(self, *, loopback: bool) -> Finding:
        """Whether tables are announced here."""
        try:
            tables = gather_tables(await find_tables(LOOKING, loopback=loopback))
        except NetError as error:
            return Finding("tables", "wrong", what_failed(error, self._texts))
        if not tables:
            return self._finding("tables", "note", "no_tables")
        names = ", ".join(clean_name(table.name, 24) for table in tables)
        return self._finding("tables", "fine", names=names)


def in_wsl() -> bool:
    """Whether this is Linux inside of Windows, whose network is one of its own."""
    try:
        return "microsoft" in Path("/proc/version").read_text(encoding="utf-8", errors="replace").lower()
    except OSError:
        return False
