"""Strangers at a private table: without its code, between two who have it, and with all the time in the world.

Everything here runs over real TLS connections on 127.0.0.1. The proof alone is tested in `tests/net/test_tablecode.py`.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import cast

import pytest

from azi_p2p.crypto.identity import IdentityKey
from azi_p2p.net.addresses import Address
from azi_p2p.net.certificate import Certificate, certificate_digest, dialer_context
from azi_p2p.net.codeproof import Binding, CodeProof, Said
from azi_p2p.net.errors import LinkEnd, LinkError
from azi_p2p.net.gate import Gate
from azi_p2p.net.hello import Hello, Meeting, Role
from azi_p2p.net.link import Link, Timing, accept, dial
from azi_p2p.net.mesh import Mesh
from azi_p2p.net.tablecode import TableCode
from azi_p2p.net.tries import PER_ADDRESS
from azi_p2p.wire.codec import decode
from azi_p2p.wire.frame import HEADER, Frame, prefixed
from azi_p2p.wire.messages import VERSION
from tests.net.conftest import STEADY, answering, identity, in_loop

TABLE, OTHER_TABLE = b"T" * 32, b"O" * 32
CODE, WRONG = TableCode("4839 1275"), TableCode("4839 1276")
ANNA, BEN, EVE = identity(1), identity(2), identity(3)
ELSEWHERE = "127.0.0.9"
"""The address from which Eve calls."""


def gate(code: TableCode = CODE, table: bytes | None = TABLE) -> Gate:
    return Gate(code, lambda: table)


@dataclass
class Ben:
    """A peer that listens at the private table; `ends`: what became of each call, its link or why there is none."""

    gate: Gate | None
    timing: Timing = STEADY
    certificate: Certificate = field(default_factory=Certificate)
    ends: asyncio.Queue[Link | LinkError] = field(default_factory=asyncio.Queue)

    async def take(self, call: asyncio.Transport) -> None:
        try:
            link = await accept(call, BEN, self.certificate, gate=self.gate, timing=self.timing)
        except LinkError as error:
            self.ends.put_nowait(error)
            return
        self.ends.put_nowait(link)
        await link.run(lambda _: None)

    async def refusal(self) -> str:
        """Why there is no link to the next caller."""
        end = await self.ends.get()
        assert isinstance(end, LinkError), "a link stands"
        return end.code


async def call(port: int, own: Gate | None, key: IdentityKey = ANNA) -> str:
    """Dial; gives `linked`, or the code of the refusal."""
    try:
        link = await dial("127.0.0.1", port, key, gate=own, timing=STEADY)
    except LinkError as error:
        return error.code
    link.close(LinkEnd.DROPPED, "enough")
    await link.run(lambda _: None)
    return "linked"


@dataclass
class Line:
    """A TLS connection of somebody who does as he likes: length-prefixed messages both ways."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    def send(self, data: bytes) -> None:
        self.writer.write(prefixed(data))

    async def receive(self) -> bytes:
        (length,) = HEADER.unpack(await self.reader.readexactly(HEADER.size))
        return await self.reader.readexactly(length)

    async def greet(self, role: Role, certificate: bytes, private: bytes | None = TABLE) -> Hello:
        """Say hello as Eve, as honestly as anybody."""
        hello = Hello(EVE, role, certificate, private=private)
        self.send(hello.opening())
        self.send(hello.answer(await self.receive()))
        hello.finish(await self.receive())
        return hello


@contextlib.asynccontextmanager
async def eve_calls(port: int) -> AsyncIterator[tuple[Line, Hello]]:
    """Eve's line to a listener, after the hello."""
    reader, writer = await asyncio.open_connection(
        "127.0.0.1",
        port,
        ssl=dialer_context(),
        server_hostname="azi",
        local_addr=(ELSEWHERE, 0),
        ssl_shutdown_timeout=0.2,
    )
    try:
        line = Line(reader, writer)
        shown = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
        yield line, await line.greet("dialer", certificate_digest(shown))
    finally:
        writer.transport.abort()


@contextlib.asynccontextmanager
async def eve_listens(does: Callable[[Line, Hello], Awaitable[None]]) -> AsyncIterator[int]:
    """Eve listens, says hello to whoever calls, and does something then; gives the port."""
    certificate = Certificate()

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = Line(reader, writer)
        try:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                await does(line, await line.greet("listener", certificate.digest))
        finally:
            writer.transport.abort()

    server = await asyncio.start_server(take, "127.0.0.1", 0, ssl=certificate.listener)
    try:
        yield int(server.sockets[0].getsockname()[1])
    finally:
        server.close()


# Who gets in


@in_loop
async def test_who_knows_the_code_gets_in_however_it_is_typed() -> None:
    ben = Ben(gate())
    async with answering(ben.take) as port:
        assert await call(port, gate(TableCode("48391275"))) == "linked"
        link = await ben.ends.get()
        assert isinstance(link, Link)
        assert link.peer == ANNA.public


@in_loop
async def test_who_knows_only_an_address_learns_the_table_from_the_hello() -> None:
    ben = Ben(gate())
    async with answering(ben.take) as port:
        assert await call(port, gate(table=None)) == "linked"


@pytest.mark.parametrize(
    ("ours", "theirs", "here", "there"),
    [
        (gate(WRONG), gate(), "wrong_code", "wrong_code"),
        (None, gate(), "code_needed", "no_code"),
        (gate(), None, "no_code", "code_needed"),
        (gate(table=OTHER_TABLE), gate(), "other_table", "other_table"),
        (gate(table=None), gate(table=None), "other_table", "other_table"),
    ],
    ids=["another code", "no code", "code where there is none", "another table", "no table yet"],
)
@in_loop
async def test_no_link_stands_with(ours: Gate | None, theirs: Gate | None, here: str, there: str) -> None:
    ben = Ben(theirs)
    async with answering(ben.take) as port:
        assert await call(port, ours) == here
        assert await ben.refusal() == there


# Who hasn't the code


@in_loop
async def test_somebody_between_two_who_know_the_code_passes_their_proofs_on() -> None:
    """Eve says hello to both in her own name, which anybody may, and leaves the proof to the two of them."""
    ben = Ben(gate())
    async with answering(ben.take) as bens_port:

        async def pass_on(to_anna: Line, _: Hello) -> None:
            async with eve_calls(bens_port) as (to_ben, _hello):
                to_ben.send(await to_anna.receive())
                to_anna.send(await to_ben.receive())
                to_ben.send(await to_anna.receive())
                to_anna.send(await to_ben.receive())
                await to_anna.reader.read()

        async with eve_listens(pass_on) as port:
            assert await call(port, gate()) == "wrong_code"
        assert await ben.refusal() == "wrong_code"


@in_loop
async def test_proof_of_an_earlier_meeting_said_again() -> None:
    ben = Ben(gate())
    said: list[bytes] = []
    honest = gate()

    class Recorded(Gate):
        async def prove(
            self,
            hello: Hello,
            role: Role,
            host: str,
            send: Callable[[bytes], None],
            receive: Callable[[], Awaitable[bytes]],
        ) -> None:
            def tapped(data: bytes) -> None:
                said.append(data)
                send(data)

            await honest.prove(hello, role, host, tapped, receive)

    async with answering(ben.take) as port:
        assert await call(port, Recorded(CODE, lambda: TABLE)) == "linked"
        await ben.ends.get()
        share, confirmation = said
        async with eve_calls(port) as (line, _):
            line.send(share)
            await line.receive()
            line.send(confirmation)
            assert decode(await line.receive(), Said, limit=96).step == "wrong_code"
        assert await ben.refusal() == "wrong_code"


@in_loop
async def test_everything_that_a_caller_says_sent_back_to_it() -> None:
    async def echo(line: Line, _: Hello) -> None:
        while True:
            line.send(await line.receive())

    async with eve_listens(echo) as port:
        assert await call(port, gate()) == "bad_hello"


@in_loop
async def test_the_share_of_a_listener_said_to_it_on_another_call() -> None:
    ben = Ben(gate())
    async with answering(ben.take) as port, eve_calls(port) as (one, hello), eve_calls(port) as (other, _):
        one.send(CodeProof(WRONG, "dialer", bound(hello)).share())
        bens = await one.receive()
        other.send(bens)
        assert decode(await other.receive(), Said, limit=96).step == "share"
        other.send(bens)
        assert await ben.refusal() == "bad_hello"


@in_loop
async def test_a_caller_without_the_code_is_told_nothing_to_try_codes_on() -> None:
    ben = Ben(gate(), dataclasses.replace(STEADY, setup=1.0))
    async with answering(ben.take) as port, eve_calls(port) as (line, hello):
        line.send(CodeProof(WRONG, "dialer", bound(hello)).share())
        assert decode(await line.receive(), Said, limit=96).step == "share"
        # She waits for a confirmation; none comes before hers.
        assert await line.reader.read() == b""
        assert await ben.refusal() == "timeout"


@in_loop
async def test_who_says_that_it_has_confirmed_is_asked_for_it() -> None:
    """A listener that skips the proof, and goes on as if the link stood."""

    async def no_proof(line: Line, _: Hello) -> None:
        await line.receive()
        line.send(b"\x92\xa4ping\x82\xa6number\x01\xa5reply\xc2")
        await line.reader.read()

    async with eve_listens(no_proof) as port:
        assert await call(port, gate()) == "bad_hello"


def bound(hello: Hello, role: Role = "dialer") -> Binding:
    """What Eve's proof is bound to, by the protocol."""
    met = hello.meeting(role)
    return Binding(
        VERSION,
        hello.private_table or b"",
        met.certificate,
        met.dialer_key,
        met.listener_key,
        met.dialer_nonce,
        met.listener_nonce,
    )


# What a proof belongs to


class Met:
    """A hello that is over, of which one field was changed on one side."""

    def __init__(self, role: Role, peer: bytes, changes: dict[str, object]) -> None:
        self.established = peer
        self.private_table = cast(bytes, changes.get("private_table", TABLE))
        whole = Meeting(role, VERSION, b"c" * 32, ANNA.public, BEN.public, b"d" * 32, b"l" * 32)
        fields = {name: value for name, value in changes.items() if name != "private_table"}
        self._meeting = Meeting(**{**{name: getattr(whole, name) for name in whole.__struct_fields__}, **fields})

    def meeting(self, _: Role) -> Meeting:
        return self._meeting


async def proofs(changes: dict[str, object]) -> list[str]:
    """Let two ends prove one code, the listener having another idea of the meeting; gives what either says of it."""
    lines: dict[Role, asyncio.Queue[bytes]] = {"dialer": asyncio.Queue(), "listener": asyncio.Queue()}

    async def end(role: Role, met: Met, other: Role) -> str:
        try:
            await gate().prove(cast(Hello, met), role, "127.0.0.1", lines[other].put_nowait, lines[role].get)
        except LinkError as error:
            return error.code
        return "proven"

    return list(
        await asyncio.gather(
            end("dialer", Met("dialer", BEN.public, {}), "listener"),
            end("listener", Met("listener", ANNA.public, changes), "dialer"),
        )
    )


@in_loop
async def test_both_prove_the_code_when_they_agree_about_everything() -> None:
    assert await proofs({}) == ["proven", "proven"]


@pytest.mark.parametrize(
    "field_name",
    ["private_table", "certificate", "dialer_key", "listener_key", "dialer_nonce", "listener_nonce"],
)
@in_loop
async def test_a_proof_is_of_no_use_with_another(field_name: str) -> None:
    assert await proofs({field_name: EVE.public}) == ["wrong_code", "wrong_code"]


# All codes, one after another


async def guess(port: int, code: TableCode) -> str:
    """Eve tries a code at a listener; gives the step that answers her, `confirm` if it was the right one."""
    async with eve_calls(port) as (line, hello):
        proof = CodeProof(code, "dialer", bound(hello))
        line.send(proof.share())
        answer = await line.receive()
        if decode(answer, Said, limit=96).step != "share":
            return decode(answer, Said, limit=96).step
        proof.take(answer)
        line.send(proof.confirm())
        return decode(await line.receive(), Said, limit=96).step


@in_loop
async def test_who_tries_one_code_after_another_is_soon_not_heard_and_others_still_get_in() -> None:
    ben = Ben(gate())
    async with answering(ben.take) as port:
        assert await call(port, gate()) == "linked"
        found = [await guess(port, TableCode(f"{number:08d}")) for number in range(PER_ADDRESS.burst + 6)]
        assert found == ["wrong_code"] * PER_ADDRESS.burst + ["too_many_tries"] * 6
        assert await guess(port, CODE) == "too_many_tries"
        # From another address, and whoever was in before.
        assert await call(port, gate(), identity(4)) == "linked"
        assert await call(port, gate()) == "linked"


@in_loop
async def test_many_at_once_have_no_more_tries() -> None:
    ben = Ben(gate())
    async with answering(ben.take) as port:
        found = await asyncio.gather(*(guess(port, TableCode(f"{number:08d}")) for number in range(20)))
        assert found.count("wrong_code") == PER_ADDRESS.burst
        assert found.count("too_many_tries") == 20 - PER_ADDRESS.burst


@in_loop
async def test_who_only_says_that_it_sits_at_the_table_gets_few_confirmations_to_try_codes_on() -> None:
    confirmations: list[bytes] = []

    async def collect(line: Line, hello: Hello) -> None:
        proof = CodeProof(WRONG, "listener", bound(hello, "listener"))
        proof.take(await line.receive())
        line.send(proof.share())
        confirmations.append(await line.receive())
        line.send(proof.confirm())
        await line.reader.read()

    annas = gate()
    async with eve_listens(collect) as port:
        found = [await call(port, annas) for _ in range(PER_ADDRESS.burst + 4)]
    assert found == ["wrong_code"] * PER_ADDRESS.burst + ["too_many_tries"] * 4
    assert len(confirmations) == PER_ADDRESS.burst


# The links of a table


class Peer:
    """The links of one peer, and what it hears of them."""

    def __init__(self, key: IdentityKey, own: Gate | None) -> None:
        self.key = key
        self.refused: list[str] = []
        self.changed = asyncio.Event()
        self.mesh = Mesh(key, self, loopback=True, gate=own, refused=self._refused, timing=STEADY)

    def _refused(self, error: LinkError) -> None:
        self.refused.append(error.code)
        self.changed.set()

    def link_up(self, _: bytes) -> None:
        self.changed.set()

    def link_down(self, _: bytes) -> None:
        self.changed.set()

    def receive(self, frame: Frame, peer: bytes) -> None:
        pass

    async def until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            self.changed.clear()
            await self.changed.wait()


@contextlib.asynccontextmanager
async def running(*peers: Peer) -> AsyncIterator[None]:
    tasks = []
    for peer in peers:
        await peer.mesh.listen()
        tasks.append(asyncio.ensure_future(peer.mesh.run()))
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for peer in peers:
            peer.mesh.close()


@in_loop
async def test_all_who_know_the_code_find_each_other_and_a_stranger_finds_nobody() -> None:
    three = [Peer(identity(number), gate()) for number in (1, 2, 4)]
    eve = Peer(EVE, gate(WRONG))
    async with running(*three, eve):
        first = Address("127.0.0.1", three[0].mesh.port)
        for peer in three[1:]:
            await peer.mesh.introduce(first)
        for peer in three:
            eve.mesh.suggest(peer.key.public, [Address("127.0.0.1", peer.mesh.port)])
            peer.mesh.suggest(EVE.public, [Address("127.0.0.1", eve.mesh.port)])
        for peer in three:
            await peer.until(lambda peer=peer: len(peer.mesh.linked) == 2)  # type: ignore[misc]  # bound at once
            await peer.until(lambda peer=peer: bool(peer.refused))  # type: ignore[misc]
        await eve.until(lambda: len(eve.refused) >= 3)
        assert set(eve.refused) | {code for peer in three for code in peer.refused} <= {"wrong_code", "too_many_tries"}
        assert not eve.mesh.linked
        for peer in three:
            assert EVE.public not in peer.mesh.linked
            # Each dial is a try at the code: none is under way, and none follows soon, whatever comes up meanwhile.
            contact = peer.mesh._contacts.get(EVE.public)
            assert contact is not None
            assert not contact.dialling
            assert peer.mesh._contacts.due(asyncio.get_running_loop().time() + 30, peer.mesh.linked) == []
