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
from collections.abc import Iterable, Iterator, Sequence
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

    def swallow(self) -> None:
        """Let the switch lose everything from and to this computer, with its cable plugged in and nothing said."""
        ip("-n", self.lan.switch, "link", "set", f"port{self.number}", "nomaster")

    def connect(self, bridge: str = "br0") -> None:
        """Join the computer's cable to this part of the switch."""
        ip("-n", self.lan.switch, "link", "set", f"port{self.number}", "master", bridge)

    def move(self, last: int) -> None:
        """Give the computer another address on the same LAN, as a new DHCP lease would."""
        host = f"{self.lan.prefix}.{last}"
        ip("-n", self.namespace, "addr", "flush", "dev", "eth0", "scope", "global")
        ip("-n", self.namespace, "addr", "add", f"{host}/24", "dev", "eth0")
        self.host = host

    def change_cable(self, last: int) -> None:
        """Leave the LAN by the interface of before, which is gone then, and come back by another with its own address.

        As a laptop does that is taken from Wi-Fi to a cable.
        """
        ip("-n", self.namespace, "link", "del", "eth0")
        self.host = f"{self.lan.prefix}.{last}"
        _plug_in(self, "eth1")


@dataclass
class Lan:
    """A switch and the computers on it. `prefix`: first three numbers of every address."""

    switch: str
    prefix: str
    computers: list[Computer] = field(default_factory=list)

    def cut(self, apart: Iterable[Computer]) -> None:
        """Cut the LAN in two: these computers hear each other, and nothing of all the others."""
        for computer in apart:
            computer.connect("br1")

    def heal(self) -> None:
        """Make one LAN of it again."""
        for computer in self.computers:
            computer.connect("br0")


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
        for bridge in ("br0", "br1"):
            ip("-n", made.switch, "link", "add", bridge, "type", "bridge", "mcast_snooping", "0")
            ip("-n", made.switch, "link", "set", bridge, "up")
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
        ip("-n", computer.namespace, "link", "set", "lo", "up")
        _plug_in(computer, "eth0")
    except subprocess.CalledProcessError:
        ip("netns", "del", computer.namespace, check=False)
        raise
    return computer


def _plug_in(computer: Computer, interface: str) -> None:
    """Lay a cable from a new interface of the computer to the switch, and give it the computer's address."""
    namespace, switch, port = computer.namespace, computer.lan.switch, f"port{computer.number}"
    ip("-n", namespace, "link", "add", interface, "type", "veth", "peer", "name", port, "netns", switch)
    ip("-n", switch, "link", "set", port, "master", "br0", "up")
    ip("-n", namespace, "addr", "add", f"{computer.host}/24", "dev", interface)
    ip("-n", namespace, "link", "set", interface, "up")
