"""What the tests of the network share: identities, and links made over real sockets on 127.0.0.1."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import pytest

from azi_p2p.crypto.identity import IdentityKey
from azi_p2p.net.certificate import Certificate
from azi_p2p.net.link import Call, Link, Timing, accept, dial

QUICK = Timing(setup=1.0, ping=0.1, silence=0.5, parting=0.5)
"""Time limits short enough to wait for in a test."""

STEADY = Timing(setup=20.0, ping=0.2, silence=10.0, parting=1.0)
"""Time limits that nothing runs into, however busy the machine is."""


def identity(number: int) -> IdentityKey:
    """A fixed identity; sorted by number they come in no particular order of keys."""
    return IdentityKey.from_seed(bytes([number]) * 32)


def in_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Run a coroutine test in an event loop of its own, in debug mode, so that slow callbacks and leaks show."""

    def run(*args: Any, **kwargs: Any) -> None:
        asyncio.run(test(*args, **kwargs), debug=True)

    run.__name__ = test.__name__
    run.__doc__ = test.__doc__
    # pytest reads the wanted fixtures from the signature.
    run.__wrapped__ = test  # type: ignore[attr-defined]  # a function takes any attribute
    return run


@contextlib.asynccontextmanager
async def accepting(handle: Callable[[socket.socket], Coroutine[Any, Any, None]]) -> AsyncIterator[int]:
    """Listen on a free port of 127.0.0.1 and run `handle` for each caller; gives the port."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setblocking(False)
    tasks: list[asyncio.Task[None]] = []

    async def take() -> None:
        while True:
            connection, _ = await asyncio.get_running_loop().sock_accept(listener)
            tasks.append(asyncio.ensure_future(handle(connection)))

    tasks.append(asyncio.ensure_future(take()))
    try:
        yield int(listener.getsockname()[1])
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        listener.close()


@contextlib.asynccontextmanager
async def answering(take: Callable[[asyncio.Transport], Coroutine[Any, Any, None]]) -> AsyncIterator[int]:
    """Listen on a free port of 127.0.0.1 as a mesh does, and run `take` for each call; gives the port."""
    tasks: list[asyncio.Task[None]] = []

    def arrived(call: asyncio.Transport) -> None:
        tasks.append(asyncio.ensure_future(take(call)))

    server = await asyncio.get_running_loop().create_server(lambda: Call(arrived), "127.0.0.1", 0)
    try:
        yield int(server.sockets[0].getsockname()[1])
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@contextlib.asynccontextmanager
async def linked(timing: Timing = STEADY) -> AsyncIterator[tuple[Link, Link]]:
    """Two ends of a link, the dialler's first. Who takes them runs them."""
    certificate = Certificate()
    taken: asyncio.Future[Link] = asyncio.get_running_loop().create_future()

    async def take(call: asyncio.Transport) -> None:
        taken.set_result(await accept(call, identity(2), certificate, timing=timing))

    async with answering(take) as port:
        ours = await dial("127.0.0.1", port, identity(1), timing=timing)
        yield ours, await taken


@pytest.fixture
def certificate() -> Certificate:
    return Certificate()
