"""The signed hello: who gets through, and everybody who must not."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from azi_p2p.net.errors import LinkError
from azi_p2p.net.hello import Hello, Opening, Proof
from azi_p2p.wire.codec import decode, encode
from azi_p2p.wire.messages import VERSION
from tests.net.conftest import identity

CERTIFICATE = bytes(range(32))
OTHER_CERTIFICATE = bytes(32)
ANNA, BEN, EVE = identity(1), identity(2), identity(3)


@dataclass
class Ends:
    dialer: Hello
    listener: Hello


def ends(dialer_sees: bytes = CERTIFICATE, listener_has: bytes = CERTIFICATE) -> Ends:
    return Ends(Hello(ANNA, "dialer", dialer_sees), Hello(BEN, "listener", listener_has))


def refusal(hello: Hello, opening: bytes) -> LinkError:
    with pytest.raises(LinkError) as caught:
        hello.answer(opening)
    assert hello.established is None
    return caught.value


def test_two_honest_ends_establish_each_other() -> None:
    two = ends()
    from_dialer = two.dialer.answer(two.listener.opening())
    from_listener = two.listener.answer(two.dialer.opening())
    assert two.dialer.finish(from_listener) == BEN.public == two.dialer.established
    assert two.listener.finish(from_dialer) == ANNA.public == two.listener.established


def test_man_in_the_middle_with_his_own_certificate_is_refused_by_both() -> None:
    # He passes every byte of the hello on unchanged, but had to use another certificate towards the dialer.
    two = ends(dialer_sees=OTHER_CERTIFICATE)
    from_dialer = two.dialer.answer(two.listener.opening())
    from_listener = two.listener.answer(two.dialer.opening())
    for hello, proof in ((two.dialer, from_listener), (two.listener, from_dialer)):
        with pytest.raises(LinkError) as caught:
            hello.finish(proof)
        assert caught.value.code == "bad_signature"
        assert hello.established is None


def test_proof_of_an_earlier_meeting_is_refused() -> None:
    first, second = ends(), ends()
    opening, old_proof = first.dialer.opening(), first.dialer.answer(first.listener.opening())
    second.listener.answer(opening)
    with pytest.raises(LinkError, match="can't prove its key"):
        second.listener.finish(old_proof)


def test_own_proof_sent_back_is_refused() -> None:
    two = ends()
    own = two.listener.answer(two.dialer.opening())
    with pytest.raises(LinkError) as caught:
        two.listener.finish(own)
    assert caught.value.code == "bad_signature"


@pytest.mark.parametrize("role", ["dialer", "listener"])
def test_two_ends_of_the_same_role_are_refused(role: str) -> None:
    hello, other = (Hello(ANNA, "dialer", CERTIFICATE), Hello(BEN, "dialer", CERTIFICATE))
    if role == "listener":
        hello, other = (Hello(ANNA, "listener", CERTIFICATE), Hello(BEN, "listener", CERTIFICATE))
    assert refusal(hello, other.opening()).code == "bad_hello"


def test_proof_of_a_dialer_doesnt_serve_a_listener() -> None:
    # Eve calls Ben and Anna calls Eve: Eve hands each the other's words with the roles swapped.
    anna, ben = Hello(ANNA, "dialer", CERTIFICATE), Hello(BEN, "dialer", CERTIFICATE)
    swapped = decode(ben.opening(), Opening, limit=512)
    forged = encode(Opening("azi hello", VERSION, "listener", swapped.key, swapped.nonce))
    anna.answer(forged)
    anna_as_listener = decode(anna.opening(), Opening, limit=512)
    proof = ben.answer(encode(Opening("azi hello", VERSION, "listener", ANNA.public, anna_as_listener.nonce)))
    with pytest.raises(LinkError) as caught:
        anna.finish(proof)
    assert caught.value.code == "bad_signature"


def test_own_key_is_refused() -> None:
    assert refusal(Hello(ANNA, "dialer", CERTIFICATE), Hello(ANNA, "listener", CERTIFICATE).opening()).code == "own_key"


def test_key_of_small_order_is_refused() -> None:
    small = encode(Opening("azi hello", VERSION, "listener", bytes([1]) + bytes(31), bytes(32)))
    assert refusal(Hello(ANNA, "dialer", CERTIFICATE), small).code == "bad_key"


def test_anybody_but_the_expected_peer_is_refused() -> None:
    hello = Hello(ANNA, "dialer", CERTIFICATE, expected=EVE.public)
    assert refusal(hello, Hello(BEN, "listener", CERTIFICATE).opening()).code == "wrong_peer"


def test_other_versions_are_refused_and_it_is_said_which_is_newer() -> None:
    hello = Hello(ANNA, "dialer", CERTIFICATE)
    newer = refusal(hello, encode({"magic": "azi hello", "version": VERSION + 1, "a field of the future": 1}))
    older = refusal(hello, encode({"magic": "azi hello", "version": VERSION - 1}))
    assert (newer.code, older.code) == ("newer_version", "older_version")
    assert "update this program" in str(newer)
    assert "it should update" in str(older)


def opening_with(**changes: object) -> bytes:
    fields: dict[str, object] = {
        "magic": "azi hello",
        "version": VERSION,
        "role": "listener",
        "key": BEN.public,
        "nonce": bytes(32),
    }
    fields.update(changes)
    return encode(fields)


def test_the_unchanged_opening_is_fine() -> None:
    assert Hello(ANNA, "dialer", CERTIFICATE).answer(opening_with())


@pytest.mark.parametrize(
    ("opening", "code"),
    [
        (b"", "bad_hello"),
        (b"HTTP/1.1 400 Bad Request", "bad_hello"),
        (b"\xc1", "bad_hello"),
        (encode([]), "not_azi"),
        (opening_with(magic="another program"), "not_azi"),
        (opening_with(version=True), "bad_hello"),
        (opening_with(version="1"), "bad_hello"),
        (opening_with(role="onlooker"), "bad_hello"),
        (opening_with(key=bytes(31)), "bad_hello"),
        (opening_with(key=bytes(33)), "bad_hello"),
        (opening_with(nonce=b""), "bad_hello"),
        (opening_with(nonce="a" * 32), "bad_hello"),
        (opening_with(extra=1), "bad_hello"),
        (opening_with() + b"\x00", "bad_hello"),
        (opening_with(nonce=bytes(512)), "bad_hello"),
    ],
)
def test_openings_that_no_honest_peer_sends(opening: bytes, code: str) -> None:
    assert refusal(Hello(ANNA, "dialer", CERTIFICATE), opening).code == code


@pytest.mark.parametrize(
    "proof", [b"", encode([]), encode(Proof(bytes(64))), encode({"signature": bytes(63)}), b"\xff" * 600]
)
def test_proofs_that_prove_nothing(proof: bytes) -> None:
    two = ends()
    two.dialer.answer(two.listener.opening())
    with pytest.raises(LinkError):
        two.dialer.finish(proof)
    assert two.dialer.established is None


def test_every_changed_byte_of_a_proof_is_refused() -> None:
    for place in range(64):
        two = ends()
        two.dialer.answer(two.listener.opening())
        proof = bytearray(two.listener.answer(two.dialer.opening()))
        proof[-64 + place] ^= 1
        with pytest.raises(LinkError):
            two.dialer.finish(bytes(proof))
