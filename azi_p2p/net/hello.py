"""The signed hello: how two ends of an encrypted stream prove to each other which identity keys they hold.

Sans-IO: bytes in, bytes out. After the TLS handshake each side sends an opening (version, key, fresh nonce) and, once
it has the other's opening, a signature over everything that identifies this one meeting: the role of the signer, the
hash of the certificate that the listener used in this TLS handshake, both nonces, both keys and the version. The
listener's certificate is made anew by every process, so a signature that names it can't be carried over to another
TLS session: a man in the middle has a certificate of his own, and gets no further.

Neither side takes anything from the other before `established`; what follows is the link's business. At a public table
everybody with a key gets a link. Whoever belongs to a private table says so in its opening, and a link that stands
needs a proof of the table's code besides (`azi_p2p.net.codeproof`), which is bound to this hello.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from azi_p2p.crypto.errors import CryptoError
from azi_p2p.crypto.identity import IdentityKey, check_public_key, verify_signature
from azi_p2p.net.errors import LinkEnd, LinkError
from azi_p2p.wire.codec import convert, decode, decode_plain, encode
from azi_p2p.wire.errors import WireError
from azi_p2p.wire.messages import VERSION, Id

Role = Literal["dialer", "listener"]

MAX_HELLO = 512
"""Largest opening or proof in bytes; an honest one has fewer than 150."""

MAGIC: Final = "azi hello"
SIGNATURE_DOMAIN = b"azi/1 hello"
"""Domain tag of hello signatures: none of them can pass for an envelope's."""

Nonce = Annotated[bytes, Meta(min_length=32, max_length=32)]


class Opening(Struct, frozen=True, forbid_unknown_fields=True):
    """First words of either side. `magic` and `version` keep their place in all versions to come.

    `private`: only of a peer that has the code of a private table: the id of the table, empty while it isn't known yet.
    """

    magic: Literal["azi hello"]
    version: Annotated[int, Meta(ge=0, le=2**15)]
    role: Role
    key: Id
    nonce: Nonce
    private: Annotated[bytes, Meta(min_length=0, max_length=32)] | UnsetType = UNSET


class Proof(Struct, frozen=True, forbid_unknown_fields=True):
    """Second words of either side: the signature over the meeting."""

    signature: Annotated[bytes, Meta(min_length=64, max_length=64)]


class Meeting(Struct, frozen=True, forbid_unknown_fields=True):
    """What a hello signature covers; never sent, both sides put it together themselves."""

    signer: Role
    version: int
    certificate: Annotated[bytes, Meta(min_length=32, max_length=32)]
    dialer_key: Id
    listener_key: Id
    dialer_nonce: Nonce
    listener_nonce: Nonce


class Hello:
    """One side of one hello. Call `opening`, then `answer` with the other's opening, then `finish` with its proof."""

    def __init__(
        self,
        identity: IdentityKey,
        role: Role,
        certificate: bytes,
        *,
        expected: bytes | None = None,
        private: bytes | None = None,
        rng: Callable[[int], bytes] = os.urandom,
    ) -> None:
        """`certificate`: SHA-256 of the listener's certificate (DER) as this side saw it in the TLS handshake.

        `expected`: the key that must be found at the other end, where it is known beforehand. `private`: None at a
        table without a code, else the id of the table, empty while we don't know it.
        """
        self._identity = identity
        self._role: Role = role
        self._certificate = certificate
        self._expected = expected
        self._private = private
        self._nonce = rng(32)
        self._theirs: Opening | None = None
        self.established: bytes | None = None
        """The other's identity key, once both sides have proven themselves; None before."""

    def opening(self) -> bytes:
        """The bytes of our opening."""
        private = UNSET if self._private is None else self._private
        return encode(Opening(MAGIC, VERSION, self._role, self._identity.public, self._nonce, private))

    def answer(self, data: bytes) -> bytes:
        """Take the other's opening and give the bytes of our proof; raises LinkError."""
        assert self._theirs is None, "one opening a hello"
        theirs = _decode_opening(data)
        if theirs.role == self._role:
            raise LinkError(LinkEnd.BAD_HELLO, f"both ends say that they are the {self._role}")
        if theirs.key == self._identity.public:
            raise LinkError(LinkEnd.OWN_KEY)
        try:
            check_public_key(theirs.key)
        except CryptoError as error:
            raise LinkError(LinkEnd.BAD_KEY, f"the peer's key can't be used: {error}") from error
        if self._expected is not None and theirs.key != self._expected:
            raise LinkError(LinkEnd.WRONG_PEER)
        self._check_table(_table_of(theirs))
        self._theirs = theirs
        return encode(Proof(self._identity.sign(SIGNATURE_DOMAIN, encode(self.meeting(self._role)))))

    def finish(self, data: bytes) -> bytes:
        """Take the other's proof; gives its identity key, which is thereby established. Raises LinkError."""
        theirs = self._theirs
        assert theirs is not None, "the proof comes after the opening"
        try:
            proof = decode(data, Proof, limit=MAX_HELLO)
        except WireError as error:
            raise LinkError(LinkEnd.BAD_HELLO, f"the peer's hello can't be read: {error}") from error
        try:
            verify_signature(theirs.key, SIGNATURE_DOMAIN, encode(self.meeting(theirs.role)), proof.signature)
        except CryptoError as error:
            raise LinkError(LinkEnd.BAD_SIGNATURE) from error
        self.established = theirs.key
        return theirs.key

    def meeting(self, signer: Role) -> Meeting:
        """What is signed by one side of this meeting, once the other's opening is there."""
        theirs = self._theirs
        assert theirs is not None, "the other's opening comes first"
        ours = (self._identity.public, self._nonce)
        other = (theirs.key, theirs.nonce)
        dialer, listener = (ours, other) if self._role == "dialer" else (other, ours)
        return Meeting(
            signer=signer,
            version=VERSION,
            certificate=self._certificate,
            dialer_key=dialer[0],
            listener_key=listener[0],
            dialer_nonce=dialer[1],
            listener_nonce=listener[1],
        )

    @property
    def private_table(self) -> bytes | None:
        """The private table at which both sides meet (its id), None where it is no private one."""
        theirs = self._theirs
        assert theirs is not None, "the other's opening comes first"
        return self._private or _table_of(theirs)

    def _check_table(self, theirs: bytes | None) -> None:
        """See that both sides have a code or neither has, and that it is one table; raises LinkError."""
        ours = self._private
        if ours is None and theirs is None:
            return
        if theirs is None:
            raise LinkError(LinkEnd.NO_CODE)
        if len(theirs) not in {0, 32}:
            raise LinkError(LinkEnd.BAD_HELLO, "the peer's hello names no table")
        if ours is None:
            raise LinkError(LinkEnd.CODE_NEEDED)
        if not (ours or theirs) or (ours and theirs and ours != theirs):
            raise LinkError(LinkEnd.OTHER_TABLE)


def _table_of(opening: Opening) -> bytes | None:
    return None if isinstance(opening.private, UnsetType) else opening.private


def _decode_opening(data: bytes) -> Opening:
    """Decode an opening. The version is looked at first: later versions may have other fields."""
    try:
        plain = decode_plain(data, limit=MAX_HELLO)
        if not isinstance(plain, dict) or plain.get("magic") != MAGIC:
            raise LinkError(LinkEnd.NOT_AZI)
        version = plain.get("version")
        if type(version) is int and version != VERSION:
            raise version_mismatch(version)
        opening = convert(plain, Opening)
        if encode(opening) != data:
            raise LinkError(LinkEnd.BAD_HELLO, "the peer's hello isn't in its shortest encoding")
    except WireError as error:
        raise LinkError(LinkEnd.BAD_HELLO, f"the peer's hello can't be read: {error}") from error
    return opening


def version_mismatch(theirs: int) -> LinkError:
    """The error for a peer that speaks another protocol version: which is newer, and who should update."""
    code = LinkEnd.NEWER_VERSION if theirs > VERSION else LinkEnd.OLDER_VERSION
    return LinkError(code, theirs=theirs, ours=VERSION)
