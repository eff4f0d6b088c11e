"""The gate of a private table: what both ends of a link say after the hello, so that only who knows the code gets in.

The dialer sends its share, then the listener, the dialer its confirmation, then the listener. A try is counted at the
listener before it answers with a share, and at the dialer before it confirms: those are the moments in which somebody
without the code would learn whether he has guessed right. What doesn't belong here: the proof itself (`codeproof`) and
the counting (`tries`).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from azi_p2p.crypto.identity import fingerprint
from azi_p2p.net.errors import LinkEnd, LinkError
from azi_p2p.net.hello import Hello, Role
from azi_p2p.net.tablecode import TableCode
from azi_p2p.net.tries import Tries

if TYPE_CHECKING:
    from azi_p2p.net.codeproof import CodeProof

log = logging.getLogger("azi.net")

REFUSALS = frozenset(
    {
        LinkEnd.WRONG_CODE,
        LinkEnd.CODE_NEEDED,
        LinkEnd.NO_CODE,
        LinkEnd.TOO_MANY_TRIES,
        LinkEnd.OTHER_TABLE,
    }
)
"""Reasons of LinkErrors that tell that there is a peer, but not the right code on both sides."""

Send = Callable[[bytes], None]
Receive = Callable[[], Awaitable[bytes]]


@dataclass(frozen=True, slots=True)
class Gate:
    """What a peer of a private table asks for on each of its links.

    `table`: gives the table's id, None while it isn't known yet. `callers`: tries of those who call; `called`: ours
    with those whom we call, for they may be strangers who only say that they sit at the table.
    """

    code: TableCode
    table: Callable[[], bytes | None]
    callers: Tries = field(default_factory=Tries)
    called: Tries = field(default_factory=Tries)

    async def prove(self, hello: Hello, role: Role, host: str, send: Send, receive: Receive) -> None:
        """Prove the code to the other side, and have it proven; raises LinkError (see REFUSALS).

        `hello`: established; `host`: numeric address of the other end. The messages go over `send` and `receive`.
        """
        # What reckons with codes takes a while to load, and most tables have none.
        from azi_p2p.net.codeproof import Binding, CodeProof, refusal  # noqa: PLC0415

        peer, table, meeting = hello.established, hello.private_table, hello.meeting(role)
        assert peer is not None, "the hello goes before"
        assert table, "both openings have been compared"
        binding = Binding(
            version=meeting.version,
            table=table,
            certificate=meeting.certificate,
            dialer_key=meeting.dialer_key,
            listener_key=meeting.listener_key,
            dialer_nonce=meeting.dialer_nonce,
            listener_nonce=meeting.listener_nonce,
        )
        if role == "dialer":
            await self._dialer(CodeProof(self.code, role, binding), host, peer, send, receive)
            return
        share = await receive()
        if not self.callers.take(host, peer, time.monotonic()):
            send(refusal("too_many_tries"))
            raise LinkError(LinkEnd.TOO_MANY_TRIES, f"too many wrong codes from {host}, or in all")
        proof = CodeProof(self.code, role, binding)
        proof.take(share)
        send(proof.share())
        try:
            proof.check(await receive())
        except LinkError as error:
            if error.code is LinkEnd.WRONG_CODE:
                log.info("a wrong code from %s (%s)", host, fingerprint(peer))
                send(refusal("wrong_code"))
            raise
        send(proof.confirm())
        self.callers.proved(host, peer, time.monotonic())

    async def _dialer(self, proof: CodeProof, host: str, peer: bytes, send: Send, receive: Receive) -> None:
        send(proof.share())
        proof.take(await receive())
        if not self.called.take(host, peer, time.monotonic()):
            raise LinkError(LinkEnd.TOO_MANY_TRIES, f"too many peers at {host}, or in all, didn't know the code")
        send(proof.confirm())
        proof.check(await receive())
        self.called.proved(host, peer, time.monotonic())
