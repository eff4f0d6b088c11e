"""A LAN made of network namespaces: computers on one switch, without any route out.

The switch is a bridge in a namespace of its own, so nothing of the machine's own network is touched; every address
exists inside the namespaces only. Names are unique to each test, and everything is taken down at the end. Needs root
and iproute2 on Linux.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import pytest


def ip(*arguments: str, check: bool = True) -> str:
    """Run `ip` with these arguments; gives its output, raises CalledProcessError."""
    done = subprocess.run(["ip", *arguments], check=check, capture_output=True, text=True)
    return done.stdout


@lru_cache(maxsize=1)
def why_not() -> str | None:
    """Why no namespaces can be made here; None if they can."""
    if sys.platform != "linux":
        return "network namespaces are a Linux matter"
    if os.geteuid() != 0:
        return "making network namespaces needs root"
    if shutil.which("ip") is None:
        return "iproute2 isn't installed"
    name = f"azi-try-{secrets.token_hex(3)}"
    try:
        ip("netns", "add", name)
        try:
            ip("-n", name, "link", "add", "veth0", "type", "veth", "peer", "name", "veth1")
            ip("-n", name, "link", "add", "br0", "type", "bridge")
        finally:
            ip("netns", "del", name)
    except subprocess.CalledProcessError as error:
        return f"the system allows no network namespaces: {error.stderr.strip()}"
    return None


@dataclass
class Computer:
    """One namespace with one cable. `namespace`: its name; `host`: its IPv4 address."""

    lan: Lan
    number: int
    namespace: str
    host: str

    def command(self, arguments: Sequence[str]) -> list[str]:
        """The command line that runs `arguments` on this computer."""
        return ["ip", "netns", "exec", self.namespace, *arguments]

    def unplug(self) -> None:
        """Pull the cable, at the switch: the computer itself notices no more than with a real one."""
        ip("-n", self.lan.switch, "link", "set", f"port{self.number}", "down")

    def plug(self) -> None:
        """Put the cable back."""
        ip("-n", self.lan.switch, "link", "set", f"port{self.number}", "up")

    def move(self, last: int) -> None:
        """Give the computer another address on the same LAN, as a new DHCP lease would."""
        host = f"{self.lan.prefix}.{last}"
        ip("-n", self.namespace, "addr", "flush", "dev", "eth0", "scope", "global")
        ip("-n", self.namespace, "addr", "add", f"{host}/24", "dev", "eth0")
        self.host = host


@dataclass
class Lan:
    """A switch and the computers on it. `prefix`: first three numbers of every address."""

    switch: str
    prefix: str
    computers: list[Computer] = field(default_factory=list)


@contextlib.contextmanager
def lan(count: int) -> Iterator[Lan]:
    """Make a LAN of so many computers; skips the test where that isn't possible."""
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    tag = secrets.token_hex(3)
    made = Lan(switch=f"azi-{tag}-switch", prefix=f"10.77.{secrets.randbelow(256)}")
    try:
        ip("netns", "add", made.switch)
        ip("-n", made.switch, "link", "add", "br0", "type", "bridge", "mcast_snooping", "0")
        ip("-n", made.switch, "link", "set", "br0", "up")
        for number in range(1, count + 1):
            made.computers.append(_computer(made, tag, number))
        yield made
    finally:
        for namespace in [*(computer.namespace for computer in made.computers), made.switch]:
            # One that could not be made needs no taking down, and must not hide why.
            ip("netns", "del", namespace, check=False)


def _computer(made: Lan, tag: str, number: int) -> Computer:
    computer = Computer(made, number, f"azi-{tag}-{number}", f"{made.prefix}.{number}")
    ip("netns", "add", computer.namespace)
    try:
        port = f"port{number}"
        ip("-n", computer.namespace, "link", "add", "eth0", "type", "veth", "peer", "name", port, "netns", made.switch)
        ip("-n", made.switch, "link", "set", port, "master", "br0", "up")
        ip("-n", computer.namespace, "addr", "add", f"{computer.host}/24", "dev", "eth0")
        ip("-n", computer.namespace, "link", "set", "lo", "up")
        ip("-n", computer.namespace, "link", "set", "eth0", "up")
    except subprocess.CalledProcessError:
        ip("netns", "del", computer.namespace, check=False)
        raise
    return computer
