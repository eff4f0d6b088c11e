"""Vectors of the codes of private tables: what a typed code is, and proofs of one between two ends."""

from __future__ import annotations

from azi_p2p.net.codeproof import Binding, CodeProof, Said
from azi_p2p.net.tablecode import TableCode
from azi_p2p.wire.codec import decode, encode
from azi_p2p.wire.messages import VERSION
from tests.vectors_gen.kit import Book, some_bytes
from tests.vectors_gen.signing import identity

TYPED = "Рыжий кот-7"
BINDING = Binding(
    VERSION,
    some_bytes("table"),
    some_bytes("certificate"),
    identity("Anna").public,
    identity("Ben").public,
    some_bytes("nonce of the dialler"),
    some_bytes("nonce of the listener"),
)


def randomness(role: str) -> bytes:
    """Give the 64 bytes from which the secret scalar of a side is drawn."""
    return some_bytes(f"scalar of the {role}, first half") + some_bytes(f"scalar of the {role}, second half")


def codes() -> Book:
    """A proof that holds, and everything that differs from it in one thing."""
    book = Book(
        "Proofs of a table's code: the code as it was typed, and the bytes that it stands for; 'binding' is what the "
        "proof is bound to; 'dialer_random' and 'listener_random' are 64 random bytes each, big-endian, which modulo "
        "the order of the group are the secret scalars. Shares and confirmations are whole messages without frames.",
        "protocol/transport.md, Private tables",
        {
            "Code": "Another code at one end.",
            "Binding": "The ends don't agree about the meeting.",
            "Reflection": "Somebody's own words sent back.",
            "Share": "Bytes that are no share: not one encoding of a point of the right order.",
            "Form": "Not a message of the proof at this place.",
        },
    )
    anna = CodeProof(TableCode(TYPED), "dialer", BINDING, rng=lambda _: randomness("dialler"))
    ben = CodeProof(TableCode(TYPED), "listener", BINDING, rng=lambda _: randomness("listener"))
    anna.take(ben.share())
    ben.take(anna.share())
    anna.check(ben.confirm())
    made = book.accept(
        "Anna dials Ben",
        typed=TYPED,
        code=TableCode(TYPED).secret.hex(),
        binding=encode(BINDING).hex(),
        dialer_random=randomness("dialler").hex(),
        listener_random=randomness("listener").hex(),
        dialer_share=anna.share().hex(),
        listener_share=ben.share().hex(),
        dialer_confirm=anna.confirm().hex(),
        listener_confirm=ben.confirm().hex(),
    )

    def spoil(comment: str, flag: str, reason: str, **fields: object) -> None:
        book.reject(made, comment, flag, reason, **fields)

    other = CodeProof(TableCode("Рыжий кот-8"), "dialer", BINDING, rng=lambda _: randomness("dialler"))
    spoil("a share made with another code", "Code", "wrong_code", dialer_share=other.share().hex())
    other.take(ben.share())
    spoil("a confirmation by another code", "Code", "wrong_code", dialer_confirm=other.confirm().hex())
    spoil("a confirmation of zeros", "Code", "wrong_code", dialer_confirm=encode(Said("confirm", bytes(32))).hex())
    for name in BINDING.__struct_fields__[1:]:
        values = {field: getattr(BINDING, field) for field in BINDING.__struct_fields__}
        changed = Binding(**{**values, name: some_bytes("another")})
        end = CodeProof(TableCode(TYPED), "dialer", changed, rng=lambda _: randomness("dialler"))
        end.take(ben.share())
        spoil(f"the dialler means another {name}", "Binding", "wrong_code", dialer_confirm=end.confirm().hex())
    spoil("the listener's confirmation", "Reflection", "wrong_code", dialer_confirm=ben.confirm().hex())
    spoil("the listener's share", "Reflection", "bad_hello", dialer_share=ben.share().hex())
    share = decode(anna.share(), Said, limit=96).value
    negative = share[:-1] + bytes([share[-1] ^ 0x80])
    for comment, value in (
        ("the identity", b"\x01" + bytes(31)),
        ("the identity, not reduced", bytes.fromhex("ee" + "ff" * 30 + "7f")),
        ("the identity with a sign", b"\x01" + bytes(30) + b"\x80"),
        ("a point of order 2", bytes.fromhex("ec" + "ff" * 30 + "7f")),
        ("a point of order 4", bytes(32)),
        ("a point of order 8", bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")),
        ("no point", b"\x02" + bytes(31)),
        ("31 bytes", share[:-1]),
    ):
        spoil(comment, "Share", "bad_hello", dialer_share=encode(Said("share", value)).hex())
    spoil("the inverse of the share", "Share", "wrong_code", dialer_share=encode(Said("share", negative)).hex())
    spoil("a confirmation for a share", "Form", "bad_hello", dialer_share=anna.confirm().hex())
    spoil("a share for a confirmation", "Form", "bad_hello", dialer_confirm=anna.share().hex())
    spoil("a byte more", "Form", "bad_hello", dialer_confirm=anna.confirm().hex() + "00")
    return book
