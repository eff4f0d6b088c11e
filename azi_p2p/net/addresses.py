"""Addresses of peers: what people type, what other peers claim, and what this computer has itself."""

from __future__ import annotations

import ipaddress
from typing import NamedTuple

import ifaddr

from azi_p2p.net.errors import NetError, NetTrouble


class Address(NamedTuple):
    """Where a peer listens: `host` as a numeric address (or, typed by a person, a name), and a TCP port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_address(text: str) -> Address:
    """Read `HOST:PORT` or `[IPv6]:PORT` as typed by a person; raises NetError with the mend."""
    host, colon, port = text.strip().rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        raise NetError(NetTrouble.IPV6_WITHOUT_BRACKETS, typed=repr(text[:80]))
    if not colon or not host or len(host) > 255 or not (port.isascii() and port.isdigit() and len(port) <= 5):
        raise NetError(NetTrouble.NO_ADDRESS, typed=repr(text[:80]))
    if not 1 <= int(port) <= 65535:
        raise NetError(NetTrouble.NO_SUCH_PORT, port=port)
    return Address(host, int(port))


def claimed_address(host: str, port: int, *, loopback: bool) -> Address | None:
    """An address that another peer claims, if it may be dialled at all; None otherwise.

    Numeric addresses of single computers only: nobody makes us look up names, or send to groups. Addresses of this
    very computer count only when `loopback` says that the claim came from it.
    """
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return None
    mapped = ip.ipv4_mapped if isinstance(ip, ipaddress.IPv6Address) else None
    ip = mapped or ip
    if ip.is_multicast or ip.is_unspecified or ip.is_reserved or not 1 <= port <= 65535:
        return None
    if ip.is_loopback and not loopback:
        return None
    return Address(str(ip), port)


def plain_host(host: str) -> str:
    """A numeric address as sockets give it, with IPv4 written as IPv4."""
    return host.removeprefix("::ffff:")


def is_loopback(host: str) -> bool:
    """Whether a numeric address means this very computer."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def local_addresses() -> frozenset[str]:
    """Every address that this computer has now, IPv4 and IPv6, as numeric text without a zone."""
    return frozenset(
        str(ip.ip) if ip.is_IPv4 else without_zone(str(ip.ip[0]))
        for adapter in ifaddr.get_adapters()
        for ip in adapter.ips
    )


def without_zone(host: str) -> str:
    """A numeric address without the interface that may follow it, as in fe80::1%eth0."""
    return host.partition("%")[0]


def own_hosts(*, loopback: bool = False) -> list[str]:
    """The IPv4 addresses under which other computers may reach this one, as text, sorted.

    With `loopback`, or where there is no network at all, 127.0.0.1 alone.
    """
    if loopback:
        return ["127.0.0.1"]
    found = {
        str(ip.ip)
        for adapter in ifaddr.get_adapters()
        for ip in adapter.ips
        if ip.is_IPv4 and not is_loopback(str(ip.ip))
    }
    return sorted(found) or ["127.0.0.1"]
