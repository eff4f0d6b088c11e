"""How both ends of a link prove to each other that they know the code of a private table, without showing it.

SPAKE2 in its symmetric form over Ed25519, by the package `spake2`. Whoever listens in, or sits in between, can't try
codes against what was said; who takes part without the code has one try at it, and learns nothing but that it was
wrong. What is proven belongs to this one meeting: the key that comes of it depends on the table, both identities, the
hash of the listener's TLS certificate, and the nonces of the hello, which has gone before. Both ends then confirm that
they hold the same key, the dialer first: so a caller without the code is told nothing that it could try codes on.

Sans-IO: bytes in, bytes out. What doesn't belong here: how often it may be tried (`tries`), and the hello itself.

The library reckons with Python's integers, some 30 ms on each side, in a time that depends on the code: who runs
programs on the same computer could learn from it. It checks that what it is given is a point of the right order and
isn't the own share; but it takes anything for the length, and the identity where that is written in another way than
the shortest. Both are refused here.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Callable
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct
from spake2 import SPAKE2_Symmetric
from spake2.ed25519_basic import NotOnCurve
from spake2.spake2 import SPAKEError

from azi_p2p.net.errors import LinkEnd, LinkError
from azi_p2p.net.tablecode import TableCode
from azi_p2p.wire.codec import decode, encode
from azi_p2p.wire.errors import WireError
from azi_p2p.wire.messages import VERSION, Id

SIDE: Final = b"S"
"""With which the library begins each share of the symmetric form."""
SHARE_SIZE: Final = 32
FIELD: Final = 2**255 - 19
"""Coordinates of points are below it."""
BINDING_DOMAIN: Final = b"azi/1 code"
CONFIRM_DOMAIN: Final = b"azi/1 code confirm "

Role = Literal["dialer", "listener"]
Step = Literal["share", "confirm", "wrong_code", "too_many_tries"]


class Said(Struct, frozen=True, forbid_unknown_fields=True):
    """One message of the proof. `value`: 32 bytes of a share or a confirmation, empty when it is refused."""

    step: Step
    value: Annotated[bytes, Meta(max_length=SHARE_SIZE)]


class Binding(Struct, frozen=True, forbid_unknown_fields=True):
    """What a proof is bound to; never sent, both sides put it together themselves."""

    version: int
    table: Id
    certificate: Annotated[bytes, Meta(min_length=32, max_length=32)]
    dialer_key: Id
    listener_key: Id
    dialer_nonce: Annotated[bytes, Meta(min_length=32, max_length=32)]
    listener_nonce: Annotated[bytes, Meta(min_length=32, max_length=32)]


class CodeProof:
    """One side of one proof: send `share`, then `take` the other's share, then exchange `confirm` and `check`."""

    def __init__(
        self, code: TableCode, role: Role, binding: Binding, *, rng: Callable[[int], bytes] = os.urandom
    ) -> None:
        assert binding.version == VERSION, "both sides speak one version"
        self._role: Role = role
        self._spake = SPAKE2_Symmetric(code.secret, idSymmetric=BINDING_DOMAIN + encode(binding), entropy_f=rng)
        self._share: bytes = self._spake.start().removeprefix(SIDE)
        self._key = b""
        self.proven = False
        """Whether the other side has shown that it knows the code."""

    def __repr__(self) -> str:
        return f"CodeProof({self._role})"

    def share(self) -> bytes:
        """The bytes of our share."""
        return encode(Said("share", self._share))

    def take(self, data: bytes) -> None:
        """Take the other's share; raises LinkError when it is none, or says that it is refused."""
        share = _value(data, "share")
        try:
            if not 1 < int.from_bytes(share, "little") & (2**255 - 1) < FIELD:
                raise ValueError("not the one encoding of a point other than the identity")  # noqa: TRY301
            self._key = self._spake.finish(SIDE + share)
        except (SPAKEError, NotOnCurve, ValueError) as error:
            # Nothing of the library's own words: the code went into it.
            raise LinkError(LinkEnd.BAD_HELLO, "the peer's share of the proof of the code can't be used") from error

    def confirm(self) -> bytes:
        """The bytes that show the other side that we know the code."""
        return encode(Said("confirm", self._mac(self._role)))

    def check(self, data: bytes) -> None:
        """Take the other's confirmation; raises LinkError `wrong_code` when it doesn't know our code."""
        if not hmac.compare_digest(
            _value(data, "confirm"), self._mac("listener" if self._role == "dialer" else "dialer")
        ):
            raise LinkError(LinkEnd.WRONG_CODE)
        self.proven = True

    def _mac(self, role: Role) -> bytes:
        assert self._key, "the other's share comes first"
        return hmac.digest(self._key, CONFIRM_DOMAIN + role.encode("ascii"), hashlib.sha256)


def refusal(code: str) -> bytes:
    """What a listener answers to a caller whom it refuses: `wrong_code`, or `too_many_tries`."""
    assert code in {"wrong_code", "too_many_tries"}, "there are two reasons"
    return encode(Said("wrong_code" if code == "wrong_code" else "too_many_tries", b""))


def _value(data: bytes, step: Step) -> bytes:
    """What a message of the proof holds; raises LinkError when it is another one."""
    try:
        said = decode(data, Said, limit=96)
    except WireError as error:
        raise LinkError(LinkEnd.BAD_HELLO, f"the peer's proof of the code can't be read: {error}") from error
    if said.step == "wrong_code" and not said.value:
        raise LinkError(LinkEnd.WRONG_CODE)
    if said.step == "too_many_tries" and not said.value:
        raise LinkError(LinkEnd.TOO_MANY_TRIES)
    if said.step != step or len(said.value) != SHARE_SIZE:
        raise LinkError(LinkEnd.BAD_HELLO, "the peer's proof of the code is out of order")
    return said.value
