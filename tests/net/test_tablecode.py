"""Codes of private tables, the proof of them without a network, and how often they may be tried."""

from __future__ import annotations

import re
import traceback

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from azi_p2p.net.codeproof import Binding, CodeProof, Said, refusal
from azi_p2p.net.errors import LinkError
from azi_p2p.net.gate import Gate
from azi_p2p.net.tablecode import LEAST, MOST, BadCode, TableCode, fresh_code
from azi_p2p.net.tries import IN_ALL, MAX_PROVEN, PER_ADDRESS, PROVEN, Tries
from azi_p2p.wire.codec import decode, encode
from azi_p2p.wire.messages import VERSION
from tests.net.conftest import identity

ANNA, BEN = identity(1).public, identity(2).public
BINDING = Binding(VERSION, b"t" * 32, b"c" * 32, ANNA, BEN, b"d" * 32, b"l" * 32)
CODE = TableCode("river lamp 7")


@pytest.mark.parametrize(
    "typed", ["River Lamp 7", "river-lamp-7", "  riverlamp7\t", "RIVER—LAMP 7", "ｒｉｖｅｒlamp７"]
)
def test_capitals_spaces_and_dashes_make_no_difference(typed: str) -> None:
    assert TableCode(typed) == CODE
    assert TableCode(typed).secret == b"riverlamp7"
    assert hash(TableCode(typed)) == hash(CODE)


def test_other_codes_are_others() -> None:
    assert TableCode("river lamp 8") != CODE
    assert CODE != "river lamp 7"
    assert TableCode("МАШИНА 12").secret == "машина12".encode()


@pytest.mark.parametrize("typed", ["", "12345", "1 2-3 4-5", "a" * (MOST + 1), "ab\x1bcdef", "abc\u202edef", "------"])
def test_codes_that_are_none(typed: str) -> None:
    with pytest.raises(BadCode, match=f"^a code has {LEAST} to {MOST} letters or digits$"):
        TableCode(typed)


def test_a_code_that_is_drawn_has_eight_digits_and_is_another_each_time() -> None:
    drawn = [fresh_code() for _ in range(50)]
    assert all(re.fullmatch(r"\d{4}-\d{4}", code.shown) and re.fullmatch(rb"\d{8}", code.secret) for code in drawn)
    assert len(set(drawn)) > 45


def test_a_code_is_in_no_repr_and_no_traceback() -> None:
    gate, proof = Gate(CODE, lambda: None), CodeProof(CODE, "dialer", BINDING)
    said = [repr(CODE), repr(gate), repr(proof), str(CODE), f"{CODE}"]
    try:
        proof.take(encode(Said("share", bytes(32))))
    except LinkError as error:
        said += traceback.TracebackException.from_exception(error, capture_locals=True).format()
    try:
        TableCode("abc")
    except BadCode as error:
        said += traceback.format_exception(error)
    assert len(said) > 7
    everything = "".join(said)
    assert "river" not in everything
    assert CODE.secret.hex() not in everything


def meet(dialer: CodeProof, listener: CodeProof) -> tuple[str, str]:
    """Let two ends prove the code to each other; gives what either says of the other: its error, or `proven`."""
    dialer.take(listener.share())
    listener.take(dialer.share())
    found: list[str] = []
    for one, other in ((listener, dialer), (dialer, listener)):
        try:
            one.check(other.confirm())
        except LinkError as error:
            found.append(error.code)
        else:
            found.append("proven")
        assert one.proven == (found[-1] == "proven")
    return found[0], found[1]


def test_both_who_know_the_code_prove_it() -> None:
    same = TableCode("River-lamp 7")
    assert meet(CodeProof(CODE, "dialer", BINDING), CodeProof(same, "listener", BINDING)) == ("proven", "proven")


def test_with_another_code_neither_does() -> None:
    other = TableCode("river lamp 8")
    found = meet(CodeProof(CODE, "dialer", BINDING), CodeProof(other, "listener", BINDING))
    assert found == ("wrong_code", "wrong_code")


def test_own_share_sent_back_is_refused() -> None:
    proof = CodeProof(CODE, "dialer", BINDING)
    with pytest.raises(LinkError) as caught:
        proof.take(proof.share())
    assert caught.value.code == "bad_hello"


def test_own_confirmation_sent_back_proves_nothing() -> None:
    dialer, listener = CodeProof(CODE, "dialer", BINDING), CodeProof(CODE, "listener", BINDING)
    dialer.take(listener.share())
    with pytest.raises(LinkError) as caught:
        dialer.check(dialer.confirm())
    assert caught.value.code == "wrong_code"


@pytest.mark.parametrize(
    "value",
    [
        bytes(32),  # no point: y = 0 has order 4
        b"\x01" + bytes(31),  # the identity
        bytes.fromhex("ec" + "ff" * 30 + "7f"),  # order 2
        bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),  # order 8
        b"\x02" + bytes(31),  # not on the curve
        bytes.fromhex("ee" + "ff" * 30 + "7f"),  # the identity, not reduced
        b"\x01" + bytes(30) + b"\x80",  # the identity, with a sign
        bytes.fromhex("ff" * 32),
        b"",
        bytes(31),
    ],
)
def test_shares_that_are_none(value: bytes) -> None:
    with pytest.raises(LinkError) as caught:
        CodeProof(CODE, "listener", BINDING).take(encode(Said("share", value)))
    assert caught.value.code == "bad_hello"


def test_words_out_of_order() -> None:
    dialer, listener = CodeProof(CODE, "dialer", BINDING), CodeProof(CODE, "listener", BINDING)
    listener.take(dialer.share())
    for data in (b"", b"\xc0", dialer.share(), encode(Said("wrong_code", bytes(32)))):
        with pytest.raises(LinkError) as caught:
            listener.check(data)
        assert caught.value.code == "bad_hello"
        assert not listener.proven


@pytest.mark.parametrize("code", ["wrong_code", "too_many_tries"])
def test_a_refusal_is_told_as_such(code: str) -> None:
    with pytest.raises(LinkError) as caught:
        CodeProof(CODE, "dialer", BINDING).take(refusal(code))
    assert caught.value.code == code


@settings(derandomize=True, max_examples=60, deadline=None)
@given(st.binary(max_size=120))
def test_any_bytes_are_no_share(data: bytes) -> None:
    with pytest.raises(LinkError):
        CodeProof(CODE, "listener", BINDING).take(data)


def test_shares_are_drawn_anew_and_say_nothing() -> None:
    shares = {decode(CodeProof(CODE, "dialer", BINDING).share(), Said, limit=96).value for _ in range(5)}
    assert len(shares) == 5


# How often


def test_one_address_has_few_tries_and_gets_another_one_after_a_minute() -> None:
    tries = Tries()
    assert [tries.take("10.0.0.9", ANNA, 0.0) for _ in range(PER_ADDRESS.burst + 2)] == [True] * 6 + [False] * 2
    assert tries.take("10.0.0.8", ANNA, 0.0)
    assert not tries.take("10.0.0.9", ANNA, 59.0)
    assert tries.take("10.0.0.9", ANNA, 60.5)
    assert not tries.take("10.0.0.9", ANNA, 61.0)


def test_many_addresses_together_have_few_tries_too() -> None:
    tries = Tries()
    taken = [tries.take(f"10.0.{number}.1", ANNA, 0.0) for number in range(200)]
    assert sum(taken) == IN_ALL.burst
    a_day = sum(tries.take(f"10.1.{number}.1", ANNA, number * 10.0) for number in range(8640))
    assert a_day <= 24 * 60


def test_another_key_from_the_same_address_changes_nothing() -> None:
    tries = Tries()
    assert sum(tries.take("10.0.0.9", bytes([number]) * 32, 0.0) for number in range(50)) == PER_ADDRESS.burst


def test_right_codes_cost_nothing() -> None:
    tries = Tries()
    for number in range(500):
        key = number.to_bytes(32, "big")
        assert tries.take("10.0.0.9", key, 0.0)
        tries.proved("10.0.0.9", key, 0.0)


def test_who_has_proven_the_code_comes_back_while_somebody_tries_codes() -> None:
    tries = Tries()
    assert tries.take("10.0.0.2", BEN, 0.0)
    tries.proved("10.0.0.2", BEN, 0.0)
    for number in range(300):
        tries.take(f"10.0.{number % 250}.{number // 250}", ANNA, 1.0)
        tries.take("10.0.0.2", ANNA, 1.0)
    assert not tries.take("10.0.0.2", ANNA, 1.0)
    assert sum(tries.take("10.0.0.2", BEN, 1.0) for _ in range(100)) == PROVEN.burst
    assert tries.take("10.0.0.2", BEN, 3.0)


def test_what_is_remembered_is_bounded() -> None:
    tries = Tries()
    for number in range(1000):
        key = number.to_bytes(32, "big")
        if tries.take(f"10.0.{number % 250}.{number // 250}", key, 0.0):
            tries.proved(f"10.0.{number % 250}.{number // 250}", key, 0.0)
    for number in range(1000):
        tries.take(f"10.1.{number % 250}.{number // 250}", ANNA, 0.0)
    assert len(tries._keys) == MAX_PROVEN
    assert len(tries._addresses) <= IN_ALL.burst + 1
