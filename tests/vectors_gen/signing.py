"""Vectors of what is signed and framed: signatures, envelopes, hellos, frames."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import msgpack
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from azi_p2p.crypto.group import L
from azi_p2p.crypto.identity import IdentityKey, fingerprint
from azi_p2p.net.hello import SIGNATURE_DOMAIN as HELLO_DOMAIN
from azi_p2p.net.hello import Meeting, Opening, Proof
from azi_p2p.wire import messages
from azi_p2p.wire.codec import encode
from azi_p2p.wire.envelope import NOWHERE, SIGNATURE_DOMAIN, Place, encode_payload, message_id, seal
from azi_p2p.wire.frame import EnvelopeFrame, PeerAddress, PeersFrame, PingFrame, StatusFrame, encode_frame
from tests.vectors_gen.hashing import PARAMS
from tests.vectors_gen.kit import Book, flip, some_bytes

FROZEN = Path(__file__).parent.parent / "vectors" / "ed25519-answers.json"
P = 2**255 - 19


def identity(name: str) -> IdentityKey:
    """Give the identity key of a person in these vectors."""
    return IdentityKey.from_seed(hashlib.sha256(f"azi vectors {name}".encode()).digest())


def signatures() -> Book:
    """Signatures and public keys."""
    book = Book(
        "Signatures: public key, domain, message, signature; and the key's fingerprint.",
        "protocol/identity.md",
        {
            "OtherUse": "Signed for another use, or other bytes.",
            "Malleable": "Another signature made from a good one without the key.",
            "SmallOrder": "A public key of small order (from C2SP CCTV's Ed25519 edge cases).",
            "NotCanonical": "A public key that isn't the canonical encoding of a point.",
            "WrongLength": "A key or signature of another length.",
        },
    )
    key = identity("Anna")
    domain, message = b"azi/1 envelope", b"a message"
    signature = key.sign(domain, message)
    made = book.accept(
        "a message",
        seed=key.seed.hex(),
        key=key.public.hex(),
        fingerprint=fingerprint(key.public),
        domain=domain.hex(),
        message=message.hex(),
        signature=signature.hex(),
    )
    book.accept(
        "an empty message",
        seed=key.seed.hex(),
        key=key.public.hex(),
        fingerprint=fingerprint(key.public),
        domain=b"azi/1 hello".hex(),
        message="",
        signature=key.sign(b"azi/1 hello", b"").hex(),
    )

    def spoil(comment: str, flag: str, reason: str = "bad_signature", **fields: str) -> None:
        book.reject(made, comment, flag, reason, **fields)

    spoil("another domain", "OtherUse", domain=b"azi/1 hello".hex())
    spoil("another message", "OtherUse", message=b"a massage".hex())
    spoil("the message signed without domain", "OtherUse", signature=_plain(key, message).hex())
    s = int.from_bytes(signature[32:], "little")
    spoil("S plus the order", "Malleable", signature=(signature[:32] + (s + L).to_bytes(32, "little")).hex())
    spoil("S negated", "Malleable", signature=(signature[:32] + (L - s).to_bytes(32, "little")).hex())
    spoil("a bit of R turned", "Malleable", signature=flip(signature, 0).hex())
    spoil("a byte too few", "WrongLength", signature=signature[:-1].hex())
    spoil("another's key", "OtherUse", key=identity("Ben").public.hex())
    for public in json.loads(FROZEN.read_text())["refused_keys"]:
        y = int.from_bytes(bytes.fromhex(public), "little") & (2**255 - 1)
        flag = "NotCanonical" if y >= P else "SmallOrder"
        spoil("a refused key", flag, "encoding", key=public)
    spoil("a key with y = p + 3", "NotCanonical", "encoding", key=(P + 3).to_bytes(32, "little").hex())
    spoil("a key that is no point", "NotCanonical", "encoding", key=(2).to_bytes(32, "little").hex())
    spoil("a key of 31 bytes", "WrongLength", "encoding", key=key.public[:-1].hex())
    return book


def _plain(key: IdentityKey, message: bytes) -> bytes:
    return Ed25519PrivateKey.from_private_bytes(key.seed).sign(message)


def signed(name: str, place: Place, body: messages.Body, table: bytes | None = None) -> bytes:
    """Give an envelope signed by one of the people of these vectors."""
    key = identity(name)
    payload = encode_payload(table or some_bytes("table"), key.public, place, body)
    return seal(payload, key.sign(SIGNATURE_DOMAIN, payload))


def envelope_of(name: str, payload: bytes) -> bytes:
    """Give an envelope around any payload bytes, well signed."""
    return seal(payload, identity(name).sign(SIGNATURE_DOMAIN, payload))


def envelopes() -> Book:
    """Envelopes, and every way in which bytes aren't one."""
    book = Book(
        "Envelopes as they travel: 'envelope' are all bytes, 'message_id' the hash that names the message. Unless the "
        "flag is BadSignature, the signature of a rejected one is good: it is the bytes that are refused.",
        "protocol/identity.md, Envelopes; protocol/encoding.md, MessagePack profile",
        {
            "Encoding": "Not the shortest encoding, or fields out of order.",
            "Trailing": "Bytes after the value.",
            "Type": "A value of another type than the field has; a boolean is no integer.",
            "Bounds": "A value out of its bounds.",
            "Fields": "A field too many, too few, or twice.",
            "Kind": "A kind of MessagePack value that is never used.",
            "Lane": "A message in another lane than its type's, or at a place where its type has none.",
            "Version": "Another protocol version.",
            "BadSignature": "The signature doesn't hold, or the author's key is no good.",
            "Size": "More bytes than are allowed.",
        },
    )
    place = Place("play", 3, 1, 5, some_bytes("head"))
    bid = signed("Anna", place, messages.Bid(to=30))
    good = book.accept("a bid", envelope=bid.hex(), message_id=message_id(_payload(bid)).hex(), type="bid")
    chat = signed("Ben", NOWHERE, messages.Chat(number=1, text="gg — привет"))
    book.accept("chat", envelope=chat.hex(), message_id=message_id(_payload(chat)).hex(), type="chat")
    seat = signed("Ben", NOWHERE, messages.SeatRequest(nickname="Ben", nonce=some_bytes("nonce"), params=PARAMS))
    book.accept("a request for a seat", envelope=seat.hex(), message_id=message_id(_payload(seat)).hex(), type="seat")

    def bytes_(comment: str, flag: str, raw: bytes, reason: str = "encoding") -> None:
        book.reject(good, comment, flag, reason, envelope=raw.hex())

    def payload(comment: str, flag: str, changed: bytes) -> None:
        bytes_(comment, flag, envelope_of("Anna", changed))

    plain = _payload(bid)
    payload("an integer in more bytes than it needs", "Encoding", plain.replace(b"\xa2to\x1e", b"\xa2to\xcc\x1e"))
    payload("a text with a longer header", "Encoding", plain.replace(b"\xa2to", b"\xd9\x02to"))
    payload("a map with a longer header", "Encoding", b"\xde\x00\x0a" + plain[1:])
    payload("two fields exchanged", "Encoding", _reordered(plain))
    payload("a byte after the payload", "Trailing", plain + b"\0")
    bytes_("a byte after the envelope", "Trailing", bid + b"\0")
    bytes_("the payload as a text", "Type", b"\x92\xd9" + bid[2:])
    payload("true for 1", "Type", plain.replace(b"\xa7version\x01", b"\xa7version\xc3"))
    payload("a number as text", "Type", plain.replace(b"\xa2to\x1e", b"\xa2to\xa230"))
    payload("nil for a number", "Kind", plain.replace(b"\xa2to\x1e", b"\xa2to\xc0"))
    payload("a float", "Kind", plain.replace(b"\xa2to\x1e", b"\xa2to\xcb\x40\x3e" + bytes(6)))
    payload("an extension type", "Kind", plain.replace(b"\xa2to\x1e", b"\xa2to\xd4\x01\x1e"))
    payload("a bid to 0", "Bounds", plain.replace(b"\xa2to\x1e", b"\xa2to\x00"))
    payload("a negative bid", "Bounds", plain.replace(b"\xa2to\x1e", b"\xa2to\xff"))
    payload("a bid to 2^64 - 1", "Bounds", plain.replace(b"\xa2to\x1e", b"\xa2to\xcf" + b"\xff" * 8))
    payload("a field that no bid has", "Fields", plain.replace(b"\x81\xa2to\x1e", b"\x82\xa2to\x1e\xa1x\x01"))
    payload("a body without its field", "Fields", plain.replace(b"\x81\xa2to\x1e", b"\x80"))
    payload("a field twice", "Fields", plain.replace(b"\x81\xa2to\x1e", b"\x82\xa2to\x1e\xa2to\x1e"))
    payload("version 2", "Version", plain.replace(b"\xa7version\x01", b"\xa7version\x02"))
    payload("an unknown type", "Fields", plain.replace(b"\xa3bid", b"\xa3bet"))
    payload("a bid in the deck lane", "Lane", plain.replace(b"\xa4play", b"\xa4deck"))
    payload("chat at a place", "Lane", encode_payload(some_bytes("table"), identity("Anna").public,
            Place("none", 1), messages.Chat(number=1, text="gg")))  # fmt: skip
    payload("not UTF-8", "Type", encode_payload(some_bytes("table"), identity("Anna").public, NOWHERE,
            messages.Chat(number=1, text="gg")).replace(b"\xa2gg", b"\xa2\xff\xfe"))  # fmt: skip
    payload("chat of 301 characters", "Bounds", encode_payload(some_bytes("table"), identity("Anna").public, NOWHERE,
            messages.Chat(number=1, text="g" * 301)))  # fmt: skip
    large = messages.Roster(requests=[bytes([200 + n]) * 2000 for n in range(9)])
    payload("over 16384 bytes", "Size", encode_payload(some_bytes("table"), identity("Anna").public, place, large))
    bytes_("a bit of the signature turned", "BadSignature", flip(bid, len(bid) - 1), "bad_signature")
    bytes_("a bit of the payload turned", "BadSignature", bid.replace(b"\xa2to\x1e", b"\xa2to\x1f"), "bad_signature")
    other = seal(plain, identity("Ben").sign(SIGNATURE_DOMAIN, plain))
    bytes_("signed by another", "BadSignature", other, "bad_signature")
    hello = seal(plain, identity("Anna").sign(HELLO_DOMAIN, plain))
    bytes_("signed as a hello", "BadSignature", hello, "bad_signature")
    small = plain.replace(identity("Anna").public, bytes([1]) + bytes(31))
    bytes_("an author's key of small order", "BadSignature", seal(small, bytes([1]) + bytes(63)))
    return book


def _payload(raw: bytes) -> bytes:
    payload: bytes = msgpack.unpackb(raw)[0]
    return payload


def _reordered(payload: bytes) -> bytes:
    fields: dict[str, Any] = msgpack.unpackb(payload)
    keys = list(fields)
    keys[5], keys[4] = keys[4], keys[5]
    packed: bytes = msgpack.packb({key: fields[key] for key in keys}, use_bin_type=True)
    return packed


def hellos() -> Book:
    """Hellos: the two openings of a meeting, and both proofs."""
    book = Book(
        "Hellos: the bytes of both openings and both proofs (without frames), and the SHA-256 of the listener's "
        "certificate. 'meeting' is what the dialler signs.",
        "protocol/transport.md, Links",
        {
            "OtherMeeting": "A signature made for another meeting.",
            "Version": "Another protocol version.",
            "Role": "Both ends say that they have the same role.",
            "Encoding": "Not the one encoding of an opening.",
        },
    )
    anna, ben = identity("Anna"), identity("Ben")
    certificate = some_bytes("certificate")
    nonces = {"dialer": some_bytes("nonce of the dialler"), "listener": some_bytes("nonce of the listener")}
    openings = {
        "dialer": encode(Opening("azi hello", 1, "dialer", anna.public, nonces["dialer"])),
        "listener": encode(Opening("azi hello", 1, "listener", ben.public, nonces["listener"])),
    }

    def meeting(signer: Any, certificate: bytes = certificate, nonce: bytes = nonces["listener"]) -> bytes:
        return encode(Meeting(signer, 1, certificate, anna.public, ben.public, nonces["dialer"], nonce))

    def proof(key: IdentityKey, signed: bytes) -> str:
        return encode(Proof(key.sign(HELLO_DOMAIN, signed))).hex()

    made = book.accept(
        "Anna dials Ben",
        certificate=certificate.hex(),
        dialer_opening=openings["dialer"].hex(),
        listener_opening=openings["listener"].hex(),
        meeting=meeting("dialer").hex(),
        dialer_proof=proof(anna, meeting("dialer")),
        listener_proof=proof(ben, meeting("listener")),
    )

    def spoil(comment: str, signature: str) -> None:
        book.reject(made, comment, "OtherMeeting", "bad_signature", dialer_proof=signature)

    spoil("another certificate: somebody stands between", proof(anna, meeting("dialer", some_bytes("other"))))
    spoil("another nonce: a hello of yesterday", proof(anna, meeting("dialer", nonce=some_bytes("yesterday"))))
    spoil("the listener's role", proof(anna, meeting("listener")))
    spoil("signed by somebody else", proof(identity("Katya"), meeting("dialer")))
    second = openings["dialer"].replace(b"\xa7version\x01", b"\xa7version\x02")
    book.reject(made, "version 2", "Version", "newer_version", dialer_opening=second.hex())
    both = encode(Opening("azi hello", 1, "listener", anna.public, nonces["dialer"]))
    book.reject(made, "two listeners", "Role", "bad_hello", dialer_opening=both.hex())
    longer = openings["dialer"].replace(b"\xa7version\x01", b"\xa7version\xcc\x01")
    book.reject(made, "an integer in two bytes", "Encoding", "bad_hello", dialer_opening=longer.hex())
    return book


def frames() -> Book:
    """Frames with their length."""
    book = Book(
        "Frames as they stand on a stream, length first.",
        "protocol/transport.md, Frames",
        {
            "Length": "A length that isn't allowed, or isn't that of the bytes.",
            "Type": "No kind of frame, or a body of another shape.",
        },
    )
    table, head, peer = some_bytes("table"), some_bytes("head"), identity("Ben").public
    for kind, frame in (
        ("envelope", EnvelopeFrame(signed("Anna", NOWHERE, messages.Chat(number=1, text="gg")))),
        ("status", StatusFrame(table, 3, 5, head, 0b101, 4, 0, 2, 0b11, True)),
        ("peers", PeersFrame([PeerAddress(peer, "192.0.2.7", 40000)])),
        ("ping", PingFrame(7, False)),
    ):
        raw = encode_frame(frame)
        made = book.accept(f"a frame of kind {kind}", frame=raw.hex(), kind=kind)
    book.reject(made, "no bytes", "Length", "encoding", frame="00000000")
    book.reject(made, "a length over 65536", "Length", "encoding", frame="00010001" + "00" * 8)
    book.reject(made, "a byte after the body", "Length", "encoding", frame=(flip(raw, 3, 0) + b"\0").hex())
    book.reject(made, "an unknown kind", "Type", "encoding", frame=raw.replace(b"ping", b"pong").hex())
    book.reject(made, "a number for a boolean", "Type", "encoding", frame=(raw[:-1] + b"\0").hex())
    return book
