"""Links over real sockets and TLS on 127.0.0.1: honest ends, and everybody who sends too much, too little or junk."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import pytest

from azi_p2p.net import link as link_module
from azi_p2p.net.certificate import Certificate, certificate_digest, dialer_context
from azi_p2p.net.errors import LinkEnd, LinkError
from azi_p2p.net.hello import Hello
from azi_p2p.net.link import Link, Timing, accept, dial
from azi_p2p.wire.codec import encode
from azi_p2p.wire.frame import HEADER, MAX_FRAME, EnvelopeFrame, Frame, PingFrame, encode_frame, prefixed
from azi_p2p.wire.messages import VERSION
from tests.net.conftest import QUICK, STEADY, accepting, answering, identity, in_loop, linked


def words(number: int, size: int = 10) -> EnvelopeFrame:
    return EnvelopeFrame(envelope=number.to_bytes(4, "big") * (size // 4))


async def nothing(_: Frame) -> None:
    """Take a frame."""


@in_loop
async def test_frames_arrive_whole_and_in_order_both_ways() -> None:
    async with linked() as (anna, ben):
        assert (anna.peer, ben.peer) == (identity(2).public, identity(1).public)
        assert anna.outgoing
        assert not ben.outgoing
        sent = [words(number, size=60_000 if number % 7 == 0 else 40) for number in range(50)]
        heard: dict[str, list[Frame]] = {"anna": [], "ben": []}
        everything = asyncio.Event()

        def take(who: str, frame: Frame) -> None:
            heard[who].append(frame)
            if len(heard["anna"]) == len(heard["ben"]) == len(sent):
                everything.set()

        running = [
            asyncio.ensure_future(anna.run(lambda frame: take("anna", frame))),
            asyncio.ensure_future(ben.run(lambda frame: take("ben", frame))),
        ]
        for frame in sent:
            anna.send(encode_frame(frame))
            ben.send(encode_frame(frame))
        await everything.wait()
        anna.close(LinkEnd.CLOSED, "enough")
        ends = await asyncio.gather(*running)
        assert heard["anna"] == heard["ben"] == sent
        assert [end.code for end in ends] == ["closed", "closed"]


@in_loop
async def test_barrier_returns_when_everything_sent_before_was_taken() -> None:
    async with linked() as (anna, ben):
        heard: list[Frame] = []
        running = [asyncio.ensure_future(anna.run(heard.append)), asyncio.ensure_future(ben.run(heard.append))]
        for number in range(200):
            anna.send(encode_frame(words(number, 8000)))
        await anna.barrier()
        assert len(heard) == 200
        ben.close(LinkEnd.CLOSED, "enough")
        await asyncio.gather(*running)
        await anna.barrier()  # A link that has ended has nothing more to wait for.


@in_loop
async def test_half_open_link_is_found() -> None:
    async with linked(QUICK) as (anna, ben):
        # Ben's end stays open, but nobody serves it: his computer sleeps.
        end = await anna.run(lambda _: None)
        assert end.code == "silent"
        ben.close(LinkEnd.CLOSED, "woke up")
        await ben.run(lambda _: None)


@in_loop
async def test_links_that_ping_each_other_live_on() -> None:
    async with linked(QUICK) as (anna, ben):
        running = [asyncio.ensure_future(one.run(lambda _: None)) for one in (anna, ben)]
        for _ in range(12):  # Several times as long as silence is borne.
            await anna.barrier()
            done, _ = await asyncio.wait(running, timeout=QUICK.ping)
            assert not done
        anna.close(LinkEnd.CLOSED, "enough")
        await asyncio.gather(*running)


@in_loop
async def test_peer_that_doesnt_read_is_dropped() -> None:
    async with linked() as (anna, ben):
        async with _reading_paused(ben):
            running = asyncio.ensure_future(anna.run(lambda _: None))
            data = encode_frame(words(1, 60_000))
            for _ in range(link_module.MAX_QUEUE // len(data) + 2):
                anna.send(data)
            assert (await running).code == "not_reading"
        ben.close(LinkEnd.CLOSED, "too late")
        await ben.run(lambda _: None)


@in_loop
async def test_peer_that_takes_nothing_for_too_long_is_dropped_before_the_queue_is_full() -> None:
    async with linked(QUICK) as (anna, ben):

        async def keep_pinging() -> None:
            # Ben is heard from all the time; he only doesn't read.
            while True:
                ben._stream.write(encode_frame(PingFrame(number=1, reply=True)))
                await asyncio.sleep(QUICK.ping)

        for one in (anna, ben):
            one._stream.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 10_000)
            one._stream.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 10_000)
        async with _reading_paused(ben):
            pinging = asyncio.ensure_future(keep_pinging())
            running = asyncio.ensure_future(anna.run(lambda _: None))
            for _ in range(100):
                anna.send(encode_frame(words(1, 60_000)))
            assert (await running).code == "not_reading"
            pinging.cancel()
        ben.close(LinkEnd.CLOSED, "too late")
        await ben.run(lambda _: None)


@contextlib.asynccontextmanager
async def _reading_paused(link: Link) -> AsyncIterator[None]:
    link._stream.transport.pause_reading()
    yield
    link._stream.transport.resume_reading()


@in_loop
async def test_what_receive_raises_comes_out_of_run() -> None:
    async with linked() as (anna, ben):

        def fail(_: Frame) -> None:
            raise RuntimeError("our own fault")

        running = asyncio.ensure_future(ben.run(lambda _: None))
        ben.send(encode_frame(words(1)))
        with pytest.raises(RuntimeError, match="our own fault"):
            await anna.run(fail)
        assert (await running).code == "closed"


@in_loop
async def test_nothing_is_taken_from_a_link_that_was_closed() -> None:
    async with linked() as (anna, ben):
        heard: list[Frame] = []

        def take(frame: Frame) -> None:
            heard.append(frame)
            anna.close(LinkEnd.DROPPED, "one is enough")

        running = asyncio.ensure_future(ben.run(lambda _: None))
        for number in range(100):
            ben.send(encode_frame(words(number)))
        assert (await anna.run(take)).code == "dropped"
        assert heard == [words(0)]
        await running


# Frames that no honest peer sends, after a good hello.

HOSTILE_FRAMES = {
    "longer than allowed": HEADER.pack(MAX_FRAME + 1) + bytes(100),
    "four gigabytes": b"\xff\xff\xff\xff",
    "empty": HEADER.pack(0),
    "garbage": prefixed(b"\xc1" * 100),
    "text": b"GET / HTTP/1.1\r\n\r\n",
    "unknown kind": prefixed(encode(["gossip", {}])),
    "kind of the wrong type": prefixed(encode([1, {}])),
    "missing field": prefixed(encode(["ping", {"number": 1}])),
    "extra field": prefixed(encode(["ping", {"number": 1, "reply": False, "more": 1}])),
    "true for a number": prefixed(encode(["ping", {"number": True, "reply": False}])),
    "negative number": prefixed(encode(["ping", {"number": -1, "reply": False}])),
    "huge number": prefixed(encode(["ping", {"number": 2**64 - 1, "reply": False}])),
    "NaN": prefixed(b"\x92\xa4ping\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00"),
    "extension type": prefixed(b"\x92\xa4ping\xd4\x05\x00"),
    "timestamp": prefixed(b"\x92\xa4ping\xd6\xff\x00\x00\x00\x00"),
    "deeply nested": prefixed(b"\x91" * 1000 + b"\xc0"),
    "trailing bytes": prefixed(encode(["ping", {"number": 1, "reply": False}]) + b"\x00"),
    "duplicate keys": prefixed(b"\x92\xa4ping\x82\xa6number\x01\xa6number\x02"),
}


@pytest.mark.parametrize("name", HOSTILE_FRAMES)
def test_hostile_frames_close_the_link(name: str) -> None:
    @in_loop
    async def check() -> None:
        async with linked() as (anna, ben):
            heard: list[Frame] = []
            ben._stream.write(HOSTILE_FRAMES[name])
            end = await anna.run(heard.append)
            assert end.code == "bad_frame"
            assert not heard
            ben.close(LinkEnd.CLOSED, "")
            await ben.run(lambda _: None)

    check()


@in_loop
async def test_sender_that_drips_bytes_is_dropped() -> None:
    async with linked(QUICK) as (anna, ben):

        async def drip() -> None:
            for byte in encode_frame(words(1, 4000)):
                ben._stream.write(bytes([byte]))
                await asyncio.sleep(0.01)

        dripping = asyncio.ensure_future(drip())
        assert (await anna.run(lambda _: None)).code == "silent"
        dripping.cancel()
        ben.close(LinkEnd.CLOSED, "")
        await ben.run(lambda _: None)


# Callers and listeners that never get as far as a link.


async def refusal_of(
    handle: Callable[[socket.socket], Coroutine[Any, Any, None]], timing: Timing = STEADY
) -> LinkError:
    async with accepting(handle) as port:
        with pytest.raises(LinkError) as caught:
            await dial("127.0.0.1", port, identity(1), timing=timing)
    return caught.value


def tls_listener(talk: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]) -> Any:
    """A handler for `accepting` that speaks TLS as we do, and then whatever `talk` says."""

    async def handle(connection: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader()
        protocol = asyncio.StreamReaderProtocol(reader)
        transport, _ = await loop.connect_accepted_socket(
            lambda: protocol, connection, ssl=Certificate().listener, ssl_shutdown_timeout=0.2
        )
        writer = asyncio.StreamWriter(transport, protocol, reader, loop)
        try:
            await talk(reader, writer)
        finally:
            transport.abort()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    return handle


@in_loop
async def test_listener_that_stays_silent() -> None:
    async def silence(connection: socket.socket) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            connection.close()

    refused = await refusal_of(silence, QUICK)
    assert refused.code == "timeout"
    assert "no answer from 127.0.0.1:" in str(refused)


@in_loop
async def test_listener_that_stays_silent_after_tls() -> None:
    async def silence(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    assert (await refusal_of(tls_listener(silence), QUICK)).code == "timeout"


@in_loop
async def test_listener_that_drips_its_hello() -> None:
    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for byte in prefixed(Hello(identity(2), "listener", bytes(32)).opening()):
            writer.write(bytes([byte]))
            await asyncio.sleep(0.05)

    assert (await refusal_of(tls_listener(drip), QUICK)).code == "timeout"


@in_loop
async def test_listener_that_hangs_up() -> None:
    async def hang_up(connection: socket.socket) -> None:
        connection.close()

    refused = await refusal_of(hang_up)
    assert refused.code == "closed"
    assert "no place for us" in str(refused)


@in_loop
async def test_listener_that_isnt_azi() -> None:
    async def greet(connection: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        await loop.sock_sendall(connection, b"220 mail.example ready\r\n" * 10)
        await loop.sock_recv(connection, 1000)
        connection.close()

    refused = await refusal_of(greet)
    assert refused.code == "not_azi"
    assert "isn't Azi" in str(refused)


@pytest.mark.parametrize(
    ("bytes_sent", "code"),
    [
        (HEADER.pack(100_000), "bad_hello"),
        (HEADER.pack(600) + bytes(600), "bad_hello"),
        (prefixed(encode({"magic": "azi hello", "version": VERSION + 1})), "newer_version"),
        (prefixed(encode({"magic": "azi hello", "version": VERSION - 1})), "older_version"),
        (prefixed(encode({"magic": "chess"})), "not_azi"),
        (encode_frame(PingFrame(number=1, reply=False)), "not_azi"),
    ],
)
def test_listeners_with_a_bad_hello(bytes_sent: bytes, code: str) -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(bytes_sent)
        await reader.read()

    @in_loop
    async def check() -> None:
        assert (await refusal_of(tls_listener(talk))).code == code

    check()


@in_loop
async def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(LinkError) as caught:
        await dial("127.0.0.1", port, identity(1), timing=QUICK)
    assert caught.value.code == "unreachable"
    assert f"nobody answers at 127.0.0.1:{port}" in str(caught.value)


@in_loop
async def test_another_peer_than_the_expected_one() -> None:
    certificate = Certificate()

    async def take(call: asyncio.Transport) -> None:
        with pytest.raises(LinkError):
            await accept(call, identity(2), certificate, timing=STEADY)

    async with answering(take) as port:
        with pytest.raises(LinkError) as caught:
            await dial("127.0.0.1", port, identity(1), expected=identity(3).public, timing=STEADY)
    assert caught.value.code == "wrong_peer"


@in_loop
async def test_own_peer_at_the_other_end() -> None:
    certificate = Certificate()

    async def take(call: asyncio.Transport) -> None:
        with pytest.raises(LinkError):
            await accept(call, identity(1), certificate, timing=STEADY)

    async with answering(take) as port:
        with pytest.raises(LinkError) as caught:
            await dial("127.0.0.1", port, identity(1), timing=STEADY)
    assert caught.value.code == "own_key"


async def taken_from(call: Callable[[int], Coroutine[Any, Any, None]], timing: Timing = STEADY) -> LinkError:
    """What becomes of a hostile caller at our end."""
    certificate = Certificate()
    refused: asyncio.Future[LinkError] = asyncio.get_running_loop().create_future()

    async def take(call: asyncio.Transport) -> None:
        try:
            await accept(call, identity(2), certificate, timing=timing)
        except LinkError as error:
            refused.set_result(error)

    async with answering(take) as port:
        await call(port)
        return await refused


@in_loop
async def test_caller_that_stays_silent() -> None:
    async def call(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        assert await reader.read() == b""
        writer.close()

    assert (await taken_from(call, QUICK)).code == "timeout"


@in_loop
async def test_caller_that_speaks_no_tls() -> None:
    async def call(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\n\r\n")
        with contextlib.suppress(ConnectionError):
            await reader.read()
        writer.close()

    assert (await taken_from(call)).code in {"not_azi", "closed"}


@in_loop
async def test_caller_that_speaks_an_old_tls() -> None:
    context = dialer_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.maximum_version = ssl.TLSVersion.TLSv1_2

    async def call(port: int) -> None:
        with pytest.raises((ssl.SSLError, ConnectionError)):
            await asyncio.open_connection("127.0.0.1", port, ssl=context, server_hostname="azi")

    assert (await taken_from(call)).code in {"not_azi", "closed"}


@in_loop
async def test_caller_that_says_much_and_no_hello() -> None:
    async def call(port: int) -> None:
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", port, ssl=dialer_context(), server_hostname="azi", ssl_shutdown_timeout=0.2
        )
        writer.write(prefixed(bytes(MAX_FRAME)))
        with contextlib.suppress(ConnectionError):
            await reader.read()
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()

    assert (await taken_from(call)).code == "bad_hello"


@in_loop
async def test_man_in_the_middle_who_relays_everything_is_refused_by_both() -> None:
    """He ends TLS on both sides and passes every byte on; only his certificate isn't Ben's."""
    certificate = Certificate()
    bens_end: asyncio.Future[LinkError] = asyncio.get_running_loop().create_future()

    async def ben(call: asyncio.Transport) -> None:
        try:
            await accept(call, identity(2), certificate, timing=STEADY)
        except LinkError as error:
            bens_end.set_result(error)

    async with answering(ben) as bens_port:

        async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            there_reader, there_writer = await asyncio.open_connection(
                "127.0.0.1", bens_port, ssl=dialer_context(), server_hostname="azi", ssl_shutdown_timeout=0.2
            )
            tls = there_writer.get_extra_info("ssl_object")
            assert certificate_digest(tls.getpeercert(binary_form=True)) == certificate.digest

            async def pass_on(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
                while data := await source.read(4096):
                    target.write(data)

            with contextlib.suppress(OSError):
                await asyncio.gather(pass_on(reader, there_writer), pass_on(there_reader, writer))
            there_writer.transport.abort()

        async with accepting(tls_listener(relay)) as middle:
            with pytest.raises(LinkError) as caught:
                await dial("127.0.0.1", middle, identity(1), timing=STEADY)
            assert caught.value.code == "bad_signature"
            assert (await bens_end).code in {"bad_signature", "closed"}
