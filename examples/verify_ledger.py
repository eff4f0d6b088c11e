#!/usr/bin/env python3
"""A second verifier for Azi ledgers, written from `protocol/` alone.

    python3 examples/verify_ledger.py LEDGER…          check ledgers (*.azi)
    python3 examples/verify_ledger.py --json LEDGER    the same as one JSON document
    python3 examples/verify_ledger.py FILE…            judge evidence files (*.azi-evidence)
    python3 examples/verify_ledger.py --vectors DIR    reproduce and check the test vectors in DIR

It is for sceptics: one file, the standard library only, not a line shared with the program that wrote the ledger. It
has its own elliptic curve, signatures, MessagePack, proofs and rules, and follows the pages of `protocol/` in their
order; each section names its page. It is written to be read, not to be fast, though a table of four verifies in
seconds. Nothing in it handles secrets, so nothing in it needs to take constant time.

Exit codes: 0 valid and complete, or proven, 3 invalid, or nothing proven, 4 valid as far as it goes but incomplete,
2 wrong usage, 1 a file that can't be read or a vector that doesn't hold. With several files the worst counts: 3 before
1 before 4 before 0. Seats are counted from 0, as in the protocol (`azi verify` counts them from 1 in words for people).

    1  errors           5  cards and proofs     9  the table, step by step
    2  MessagePack      6  messages            10  report
    3  hashes           7  the rules           11  evidence files
    4  the curve        8  the state's digest  12  test vectors
                                               13  the command line
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import copy
import hashlib
import ipaddress
import json
import os
import struct
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

# =====================================================================================================================
# 1  Errors
# =====================================================================================================================


class BadLedgerError(Exception):
    """Something that the protocol refuses. `code` is the code of the fault (votes.md), or empty."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class CutOffError(Exception):
    """The file ends here, in good order but before the table did."""


def demand(holds: bool, message: str, code: str = "") -> None:
    """Raise BadLedgerError unless `holds`."""
    if not holds:
        raise BadLedgerError(message, code)


# =====================================================================================================================
# 2  MessagePack (encoding.md, "MessagePack profile")
# =====================================================================================================================

MAX_DEPTH, MAX_ARRAY, MAX_MAP = 8, 512, 64


def pack(value: object) -> bytes:
    """Encode a value in the one way that the profile allows; maps keep the order of their keys."""
    if isinstance(value, bool):
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, int):
        if 0 <= value < 0x80:
            return bytes([value])
        if -0x20 <= value < 0:
            return struct.pack("b", value)
        if value > 0:
            return _shortest(value, ((0xCC, ">B"), (0xCD, ">H"), (0xCE, ">I"), (0xCF, ">Q")))
        for head, form, low in ((0xD0, ">b", 1 << 7), (0xD1, ">h", 1 << 15), (0xD2, ">i", 1 << 31)):
            if value >= -low:
                return bytes([head]) + struct.pack(form, value)
        return b"\xd3" + struct.pack(">q", value)
    if isinstance(value, bytes):
        return _shortest(len(value), ((0xC4, ">B"), (0xC5, ">H"), (0xC6, ">I"))) + value
    if isinstance(value, str):
        text = value.encode()
        small = bytes([0xA0 | len(text)]) if len(text) < 32 else b""
        return (small or _shortest(len(text), ((0xD9, ">B"), (0xDA, ">H"), (0xDB, ">I")))) + text
    if isinstance(value, list):
        small = bytes([0x90 | len(value)]) if len(value) < 16 else b""
        return (small or _shortest(len(value), ((0xDC, ">H"), (0xDD, ">I")))) + b"".join(map(pack, value))
    if isinstance(value, dict):
        small = bytes([0x80 | len(value)]) if len(value) < 16 else b""
        head_bytes = small or _shortest(len(value), ((0xDE, ">H"), (0xDF, ">I")))
        return head_bytes + b"".join(pack(key) + pack(item) for key, item in value.items())
    raise TypeError(f"nothing of the protocol is encoded from a {type(value).__name__}")


def _shortest(number: int, forms: Iterable[tuple[int, str]]) -> bytes:
    for head, form in forms:
        if number < 1 << 8 * struct.calcsize(form):
            return bytes([head]) + struct.pack(form, number)
    raise ValueError("too large for MessagePack")


def unpack(data: bytes) -> Any:
    """Decode one value that fills `data`, and refuse what isn't its only encoding."""
    value, end = _unpack(data, 0, 1)
    demand(end == len(data), "bytes after the end of a MessagePack value")
    demand(pack(value) == data, "a MessagePack value isn't in its shortest form")
    return value


def _unpack(data: bytes, at: int, depth: int) -> tuple[Any, int]:
    demand(depth <= MAX_DEPTH, "MessagePack nested too deep")

    def take(count: int) -> bytes:
        nonlocal at
        demand(at + count <= len(data), "MessagePack cut off")
        at += count
        return data[at - count : at]

    def number(form: str) -> int:
        return int(struct.unpack(form, take(struct.calcsize(form)))[0])

    head = take(1)[0]
    if head < 0x80:
        return head, at
    if head >= 0xE0:
        return head - 0x100, at
    if head in (0xC2, 0xC3):
        return head == 0xC3, at
    integers = {0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q", 0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q"}
    if head in integers:
        return number(integers[head]), at
    if head in (0xC4, 0xC5, 0xC6):
        return take(number({0xC4: ">B", 0xC5: ">H", 0xC6: ">I"}[head])), at
    if 0xA0 <= head < 0xC0 or head in (0xD9, 0xDA, 0xDB):
        size = head & 0x1F if head < 0xC0 else number({0xD9: ">B", 0xDA: ">H", 0xDB: ">I"}[head])
        try:
            return take(size).decode("utf-8"), at
        except UnicodeDecodeError:
            raise BadLedgerError("a text isn't UTF-8") from None
    if 0x90 <= head < 0xA0 or head in (0xDC, 0xDD):
        size = head & 0x0F if head < 0xA0 else number({0xDC: ">H", 0xDD: ">I"}[head])
        demand(size <= MAX_ARRAY, "a MessagePack array is too long")
        items = []
        for _ in range(size):
            item, at = _unpack(data, at, depth + 1)
            items.append(item)
        return items, at
    if 0x80 <= head < 0x90 or head in (0xDE, 0xDF):
        size = head & 0x0F if head < 0x90 else number({0xDE: ">H", 0xDF: ">I"}[head])
        demand(size <= MAX_MAP, "a MessagePack map is too long")
        entries: dict[str, Any] = {}
        for _ in range(size):
            key, at = _unpack(data, at, depth + 1)
            demand(isinstance(key, str), "the key of a map isn't a text")
            demand(key not in entries, "a map has a key twice")
            entries[key], at = _unpack(data, at, depth + 1)
        return entries, at
    raise BadLedgerError(f"MessagePack type 0x{head:02x} isn't allowed")


# =====================================================================================================================
# 3  Hashes and transcripts (encoding.md, "Hashes", "Transcripts")
# =====================================================================================================================


def u64(number: int) -> bytes:
    """Eight bytes, big-endian."""
    return struct.pack(">Q", number)


def frame(data: bytes) -> bytes:
    """The bytes, with their length before them."""
    return u64(len(data)) + data


def sha256(data: bytes) -> bytes:
    """SHA-256."""
    return hashlib.sha256(data).digest()


def tagged(tag: str, *parts: bytes) -> bytes:
    """The hash H(tag, parts…) that orders the protocol."""
    return sha256(frame(b"azi/1 " + tag.encode()) + b"".join(map(frame, parts)))


def commitment(tag: bytes, *parts: bytes) -> bytes:
    """The hash commit(tag, parts…)."""
    return sha256(frame(b"azi-p2p/v1/commitment") + frame(tag) + u64(len(parts)) + b"".join(map(frame, parts)))


class Transcript:
    """The Fiat-Shamir state: all that was appended, in SHA-512."""

    def __init__(self, label: bytes) -> None:
        self.hash = hashlib.sha512(frame(b"azi-p2p/v1/transcript") + frame(label))

    def append(self, label: str, data: bytes) -> None:
        """Append labelled bytes."""
        self.hash.update(b"D" + frame(label.encode()) + frame(data))

    def append_int(self, label: str, number: int) -> None:
        """Append a labelled integer."""
        self.hash.update(b"I" + frame(label.encode()) + u64(number))

    def challenge(self, label: str) -> int:
        """Draw one scalar."""
        self.hash.update(b"C" + frame(label.encode()))
        return draw_scalar(b"azi-p2p/v1/challenge", self.hash.digest(), 0)

    def challenges(self, label: str, count: int) -> list[int]:
        """Draw `count` scalars."""
        self.hash.update(b"N" + frame(label.encode()) + u64(count))
        seed = self.hash.digest()
        return [draw_scalar(b"azi-p2p/v1/challenges", seed, i) for i in range(count)]


def draw_scalar(tag: bytes, seed: bytes, index: int) -> int:
    """The scalar draw(tag, seed, index), never zero."""
    attempt = 0
    while True:
        digest = hashlib.sha512(frame(tag) + seed + u64(index) + u64(attempt)).digest()
        scalar = int.from_bytes(digest, "little") % L
        if scalar:
            return scalar
        attempt += 1


# =====================================================================================================================
# 4  The curve: edwards25519, Ed25519 (identity.md; RFC 8032), ristretto255 (encoding.md, "Group"; RFC 9496)
# =====================================================================================================================

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
SQRT_M1 = pow(2, (P - 1) // 4, P)


class Point(NamedTuple):
    """A point of -x² + y² = 1 + d x² y² in extended coordinates: x = X/Z, y = Y/Z, x y = T/Z."""

    X: int
    Y: int
    Z: int
    T: int


NEUTRAL = Point(0, 1, 1, 0)


def add(p: Point, q: Point) -> Point:
    """The sum of two points (Hisil, Wong, Carter, Dawson 2008, section 3.1)."""
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c = 2 * D * p[3] * q[3] % P
    d = 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return Point(e * f % P, g * h % P, f * g % P, e * h % P)


def double(p: Point) -> Point:
    """Twice a point (the same paper, section 3.3)."""
    a, b, c = p[0] * p[0] % P, p[1] * p[1] % P, 2 * p[2] * p[2] % P
    h = a + b
    e = h - (p[0] + p[1]) ** 2
    g = a - b
    f = c + g
    return Point(e * f % P, g * h % P, f * g % P, e * h % P)


def negate(p: Point) -> Point:
    """The point that adds to nothing with `p`."""
    return Point(-p[0] % P, p[1], p[2], -p[3] % P)


@lru_cache(maxsize=4096)
def small_multiples(p: Point) -> list[Point]:
    """Zero to fifteen times a point."""
    multiples = [NEUTRAL, p]
    while len(multiples) < 16:
        multiples.append(add(multiples[-1], p))
    return multiples


def sum_of_products(terms: Iterable[tuple[int, Point]]) -> Point:
    """The sum of scalar times point, for scalars below 2^256; the doublings are shared by all terms (Straus)."""
    rows = [(f"{scalar:064x}", small_multiples(point)) for scalar, point in terms]
    total = NEUTRAL
    for i in range(64):
        if total is not NEUTRAL:
            total = double(double(double(double(total))))
        for digits, multiples in rows:
            digit = digits[i]
            if digit != "0":
                total = add(total, multiples[int(digit, 16)])
    return total


def square_root_of_ratio(u: int, v: int) -> tuple[bool, int]:
    """SQRT_RATIO_M1 of RFC 9496: whether u/v is a square, and the even root of u/v or else of i·u/v."""
    root = u * pow(v, 3, P) * pow(u * pow(v, 7, P), (P - 5) // 8, P) % P
    check = v * root * root % P
    is_square = check in (u % P, -u % P)
    if check in (-u % P, -u * SQRT_M1 % P):
        root = root * SQRT_M1 % P
    return is_square, even(root)


def even(x: int) -> int:
    """Of x and -x the one that RFC 9496 calls not negative."""
    return P - x if x & 1 else x


# --- Ed25519 -----------------------------------------------------------------------------------------------------

Y8 = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
SMALL_ORDER_Y = (0, 1, P - 1, Y8, P - Y8)


def ed25519_key(key: bytes) -> Point:
    """The point of a public key; refuse what identity.md, "Keys", refuses."""
    demand(len(key) == 32, "a public key isn't 32 bytes long")
    number = int.from_bytes(key, "little")
    y, sign = number & (1 << 255) - 1, number >> 255
    demand(y < P, "a public key isn't canonical")
    demand(y not in SMALL_ORDER_Y, "a public key has small order")  # Both points with x = 0 are among these.
    is_square, x = square_root_of_ratio(y * y - 1, D * y * y + 1)
    demand(is_square, "a public key is no point of the curve")
    if x & 1 != sign:
        x = P - x
    return Point(x, y, 1, x * y % P)


def ed25519_encode(p: Point) -> bytes:
    """The 32 bytes of a point as RFC 8032 writes it."""
    inverse = pow(p.Z, -1, P)
    x, y = p.X * inverse % P, p.Y * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def signed_bytes(domain: bytes, message: bytes) -> bytes:
    """What a signature is made over (identity.md, "Signatures")."""
    return frame(b"azi-p2p/v1/signature") + frame(domain) + message


def verify_ed25519(key: bytes, signature: bytes, message: bytes) -> None:
    """Refuse a signature that doesn't hold, by RFC 8032, section 5.1.7, without the cofactor."""
    point = ed25519_key(key)
    demand(len(signature) == 64, "a signature isn't 64 bytes long")
    s = int.from_bytes(signature[32:], "little")
    demand(s < L, "a signature isn't canonical")
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % L
    demand(ed25519_encode(sum_of_products([(s, BASE), (k, negate(point))])) == signature[:32], "a signature is wrong")


def fingerprint(key: bytes) -> str:
    """The form of a key that people compare."""
    text = base64.b32encode(sha256(frame(b"azi-p2p/v1/fingerprint") + key)[:15]).decode().lower()
    return "-".join(text[i : i + 4] for i in range(0, 24, 4))


# --- ristretto255 ------------------------------------------------------------------------------------------------

SQRT_AD_MINUS_ONE = 25063068953384623474111414158702152701244531502492656460079210482610430750235
INVSQRT_A_MINUS_D = 54469307008909316920995813868745141605393597292927456921205312896311721017578
ZERO_BYTES = bytes(32)


class Element(NamedTuple):
    """A group element: its canonical encoding, and a point that stands for it."""

    data: bytes
    point: Point


def ristretto_encode(p: Point) -> bytes:
    """RFC 9496, section 4.3.2."""
    u1, u2 = (p.Z + p.Y) * (p.Z - p.Y) % P, p.X * p.Y % P
    _, root = square_root_of_ratio(1, u1 * u2 * u2 % P)
    den1, den2 = root * u1 % P, root * u2 % P
    z_inverse = den1 * den2 * p.T % P
    x, y, denominator = p.X, p.Y, den2
    if p.T * z_inverse % P & 1:
        x, y, denominator = p.Y * SQRT_M1 % P, p.X * SQRT_M1 % P, den1 * INVSQRT_A_MINUS_D % P
    if x * z_inverse % P & 1:
        y = -y
    return even(denominator * (p.Z - y) % P).to_bytes(32, "little")


@lru_cache(maxsize=4096)
def element(data: bytes) -> Element:
    """A received element (RFC 9496, section 4.3.1); the identity is refused as well."""
    demand(len(data) == 32, "a group element isn't 32 bytes long", "bad_proof")
    s = int.from_bytes(data, "little")
    demand(s < P and s & 1 == 0, "a group element isn't canonical", "bad_proof")
    demand(s != 0, "a group element is the identity", "bad_proof")
    u1, u2 = (1 - s * s) % P, (1 + s * s) % P
    v = (-D * u1 * u1 - u2 * u2) % P
    is_square, root = square_root_of_ratio(1, v * u2 * u2 % P)
    den_x = root * u2 % P
    x = even(2 * s * den_x % P)
    y = u1 * root * den_x * v % P
    t = x * y % P
    demand(is_square and t & 1 == 0 and y != 0, "32 bytes are no group element", "bad_proof")
    return Element(data, Point(x, y, 1, t))


def ristretto_from_uniform(data: bytes) -> Element:
    """The element derived from 64 bytes (RFC 9496, section 4.3.4)."""
    p = add(*(_elligator(int.from_bytes(half, "little") & (1 << 255) - 1) for half in (data[:32], data[32:])))
    return Element(ristretto_encode(p), p)


def _elligator(t: int) -> Point:
    r = SQRT_M1 * t * t % P
    u = (r + 1) * (1 - D * D) % P
    v = (-1 - r * D) * (r + D) % P
    is_square, s = square_root_of_ratio(u, v)
    c = P - 1
    if not is_square:
        s, c = -even(s * t % P), r
    n = c * (r - 1) * (D - 1) ** 2 - v
    w0, w1, w2, w3 = 2 * s * v, n * SQRT_AD_MINUS_ONE, 1 - s * s, 1 + s * s
    return Point(w0 * w3 % P, w2 * w1 % P, w1 * w3 % P, w0 * w2 % P)


@cache
def hash_to_group(label: bytes) -> Element:
    """The element of a public label; nobody knows its logarithm."""
    tag = b"azi-p2p/v1/hash-to-group" + bytes([24])
    b0 = hashlib.sha512(bytes(128) + label + b"\x00\x40\x00" + tag).digest()
    return ristretto_from_uniform(hashlib.sha512(b0 + b"\x01" + tag).digest())


BASE_Y = 4 * pow(5, -1, P) % P
BASE_X = square_root_of_ratio(BASE_Y * BASE_Y - 1, D * BASE_Y * BASE_Y + 1)[1]
BASE = Point(BASE_X, BASE_Y, 1, BASE_X * BASE_Y % P)
G = Element(ristretto_encode(BASE), BASE)


def combine(*terms: tuple[int, Element]) -> Element:
    """The sum of scalar times element; scalars are taken modulo L. It may be the identity."""
    p = sum_of_products((scalar % L, item.point) for scalar, item in terms)
    return Element(ristretto_encode(p), p)


def add_up(plus: Iterable[Element], minus: Iterable[Element] = ()) -> Element:
    """The sum of some elements less the sum of others."""
    p = NEUTRAL
    for item in plus:
        p = add(p, item.point)
    for item in minus:
        p = add(p, negate(item.point))
    return Element(ristretto_encode(p), p)


def scalars(data: bytes) -> list[int]:
    """Received scalars: below L, not zero."""
    numbers = [int.from_bytes(data[i : i + 32], "little") for i in range(0, len(data), 32)]
    demand(all(0 < number < L for number in numbers), "a scalar is zero or too large", "bad_proof")
    return numbers


def elements(data: bytes) -> list[Element]:
    """Received elements, one after the other."""
    return [element(data[i : i + 32]) for i in range(0, len(data), 32)]


def joined(items: Iterable[Element]) -> bytes:
    """The encodings of elements, one after the other."""
    return b"".join(item.data for item in items)


def demand_proof(holds: bool, message: str) -> None:
    """Raise BadLedgerError with code `bad_proof` unless `holds`."""
    demand(holds, message, "bad_proof")


def no_identity(items: Iterable[Element], what: str) -> None:
    """Refuse the identity among elements."""
    demand_proof(all(item.data != ZERO_BYTES for item in items), f"{what} is the identity")


# =====================================================================================================================
# 5  Cards and proofs (deck.md, deal.md)
# =====================================================================================================================

RANKS, SUITS = "6789TJQKA", "SHDC"


def card_list(out_suit: str) -> list[str]:
    """The cards of a table in their order."""
    return [rank + suit for suit in SUITS if suit != out_suit for rank in RANKS]


def card_element(card: str) -> Element:
    """The element of a card."""
    return hash_to_group(b"card:" + card.encode())


class MaskedCard(NamedTuple):
    """A card under the joint key."""

    c1: Element
    c2: Element


Deck = list[MaskedCard]


def chain_base() -> Element:
    """The generator h."""
    return hash_to_group(b"chain-base")


def permutation_bases(count: int) -> list[Element]:
    """The generators h_1, h_2, …"""
    return [hash_to_group(b"permutation-base" + u64(i)) for i in range(count)]


def start_deck(cards: Sequence[str], joint_key: Element) -> Deck:
    """Every card masked with r = 1."""
    deck = [MaskedCard(G, add_up([card_element(card), joint_key])) for card in cards]
    no_identity((card.c2 for card in deck), "a card of the start deck")
    return deck


def read_deck(data: bytes) -> Deck:
    """A deck as it stands in a `shuffle`."""
    items = elements(data)
    return [MaskedCard(items[i], items[i + 1]) for i in range(0, len(items), 2)]


def deck_bytes(deck: Deck) -> bytes:
    """The same bytes again."""
    return b"".join(card.c1.data + card.c2.data for card in deck)


def verify_ownership(t: Transcript, key: Element, proof: bytes) -> None:
    """deck.md, "Proof of ownership": somebody knows x with key = x G. `t` holds the context."""
    demand_proof(len(proof) == 64, "a proof of ownership isn't 64 bytes long")
    c, s = scalars(proof)
    no_identity([key], "a deal key")
    t.append("proof", b"azi-p2p/v1/proof/ownership")
    t.append("key", key.data)
    a = combine((s, G), (-c, key))
    no_identity([a], "a commitment of a proof")
    t.append("commitments", a.data)
    demand_proof(t.challenge("sigma-challenge") == c, "a proof of ownership doesn't hold")


def verify_shuffle(t: Transcript, joint_key: Element, before: Deck, after: Deck, proof: bytes) -> None:
    """deck.md, "Proof of shuffle": `after` holds the cards of `before`. `t` holds the context."""
    n = len(before)
    demand_proof(len(after) == n, "the decks differ in length")
    demand_proof(len(proof) == 96 * n + 192, "a proof of shuffle has the wrong length")
    cs, chain = elements(proof[: 32 * n]), elements(proof[32 * n : 64 * n])
    k, s1, s2, s3, s4, s5, *s_primes = scalars(proof[64 * n :])
    h, hs = chain_base(), permutation_bases(n)
    no_identity([joint_key, *(part for card in before + after for part in card)], "part of a deck")

    t.append("proof", b"azi-p2p/v1/proof/shuffle")
    t.append("generators", joined([G, h, *hs]))
    t.append("joint-key", joint_key.data)
    t.append("deck", deck_bytes(before))
    t.append("shuffled", deck_bytes(after))
    t.append("permutation-commitment", joined(cs))
    us = t.challenges("weights", n)
    t.append("commitment-chain", joined(chain))
    ps = t.challenges("chain-weights", n)

    product = 1
    for u in us:
        product = product * u % L
    chain_before = [h, *chain[:-1]]
    t1 = combine((s1, G), *((-k, c) for c in cs), *((k, hi) for hi in hs))
    t2 = combine((s2, G), (-k, chain[-1]), (k * product, h))
    t3 = combine((s3, G), *zip(s_primes, hs, strict=True), *((-k * u, c) for u, c in zip(us, cs, strict=True)))
    t41, t42 = (
        combine(
            (-s4, base),
            *((s, card[part]) for s, card in zip(s_primes, after, strict=True)),
            *((-k * u, card[part]) for u, card in zip(us, before, strict=True)),
        )
        for part, base in ((0, G), (1, joint_key))
    )
    t5 = combine(
        (s5, G),
        *((p * s, c) for p, s, c in zip(ps, s_primes, chain_before, strict=True)),
        *((-k * p, c) for p, c in zip(ps, chain, strict=True)),
    )
    no_identity([t1, t2, t3, t41, t42, t5], "a commitment of a proof")
    t.append("commitments", joined([t1, t2, t3, t41, t42, t5]))
    demand_proof(t.challenge("sigma-challenge") == k, "a proof of shuffle doesn't hold")


def verify_tokens(t: Transcript, key: Element, bases: list[Element], tokens: list[Element], proof: bytes) -> None:
    """deal.md, "Proof of tokens": each token is x times its base, with the x of the key. `t` holds the context."""
    demand_proof(len(proof) == 64, "a proof of tokens isn't 64 bytes long")
    c, s = scalars(proof)
    demand_proof(0 < len(tokens) == len(bases), "tokens and bases differ in number")
    no_identity([key, *bases, *tokens], "a key, base or token")
    t.append("proof", b"azi-p2p/v1/proof/tokens")
    t.append("key", key.data)
    t.append_int("bases", len(bases))
    t.append("bases", joined(bases))
    t.append("tokens", joined(tokens))
    weights = [1, *t.challenges("weights", len(bases) - 1)]
    base = combine(*zip(weights, bases, strict=True))
    token = combine(*zip(weights, tokens, strict=True))
    a, b = combine((s, G), (-c, key)), combine((s, base), (-c, token))
    no_identity([base, token, a, b], "a commitment of a proof")
    t.append("commitments", a.data + b.data)
    demand_proof(t.challenge("sigma-challenge") == c, "a proof of tokens doesn't hold")


def verify_void(t: Transcript, key: Element, c1: Element, d: Element, allowed: list[Element], proof: bytes) -> None:
    """deal.md, "Void proof": the masked card is one of the allowed ones. `t` holds the context."""
    k = len(allowed)
    demand_proof(k > 0 and len(proof) == 64 * k, "a void proof has the wrong length")
    numbers = scalars(proof)
    no_identity([key, c1, d, *allowed], "a part of the statement of a void proof")
    t.append("proof", b"azi-p2p/v1/proof/void")
    t.append("key", key.data)
    t.append("base", c1.data)
    t.append("masked-card", d.data)
    t.append_int("allowed", k)
    t.append("allowed", joined(allowed))
    commitments = []
    for card, c, s in zip(allowed, numbers[:k], numbers[k:], strict=True):
        rest = add_up([d], [card])
        commitments += [rest, combine((s, G), (-c, key)), combine((s, c1), (-c, rest))]
    no_identity(commitments, "a commitment of a proof")
    t.append("commitments", joined(item for i, item in enumerate(commitments) if i % 3))
    demand_proof(t.challenge("sigma-challenge") == sum(numbers[:k]) % L, "a void proof doesn't hold")


def opener_draw(head: bytes, shared: bytes, dealt_in: Sequence[int]) -> int:
    """deal.md, "What the tokens open": the seat that opens while the table has had no winner."""
    bound = 256 - 256 % len(dealt_in)
    counter = 0
    while True:
        for byte in tagged("draw", head, shared, u64(counter)):
            if byte < bound:
                return dealt_in[byte % len(dealt_in)]
        counter += 1


# =====================================================================================================================
# 6  Messages: schemas and envelopes (messages.md, identity.md)
# =====================================================================================================================

Check = Callable[[object, str], None]


def integer(low: int, high: int) -> Check:
    """An integer within bounds; a boolean is none."""

    def check(value: object, name: str) -> None:
        demand(type(value) is int and low <= value <= high, f"{name} isn't an integer from {low} to {high}")

    return check


def octets(low: int, high: int | None = None) -> Check:
    """Bytes with a length within bounds, or of just one length."""

    def check(value: object, name: str) -> None:
        size = len(value) if isinstance(value, bytes) else -1
        demand(low <= size <= (low if high is None else high), f"{name} isn't a byte string of the right length")

    return check


def text(low: int, high: int) -> Check:
    """A text with so many code points."""

    def check(value: object, name: str) -> None:
        size = len(value) if isinstance(value, str) else -1
        demand(low <= size <= high, f"{name} isn't a text of {low} to {high} characters")

    return check


def choice(*words: str) -> Check:
    """One of some words."""

    def check(value: object, name: str) -> None:
        demand(isinstance(value, str) and value in words, f"{name} isn't one of: {', '.join(words)}")

    return check


def boolean(value: object, name: str) -> None:
    """True or false."""
    demand(isinstance(value, bool), f"{name} isn't a boolean")


def list_of(low: int, high: int, item: Check) -> Check:
    """A list with so many elements."""

    def check(value: object, name: str) -> None:
        if not isinstance(value, list) or not low <= len(value) <= high:
            raise BadLedgerError(f"{name} isn't a list of {low} to {high} elements")
        for entry in value:
            item(entry, f"an element of {name}")

    return check


def fields(**checks: Check) -> Check:
    """A map with just these fields in this order."""

    def check(value: object, name: str) -> None:
        if not isinstance(value, dict) or list(value) != list(checks):
            raise BadLedgerError(f"{name}: not a map of the fields {', '.join(checks) or '(none)'}, in this order")
        for key, field_check in checks.items():
            field_check(value[key], f"{name}.{key}")

    return check


COUNT = integer(0, 2**31 - 1)
SEAT = integer(0, 5)
CHIPS = integer(0, 10**13)
DIGEST = octets(32)
PROOF = octets(1, 8192)
MAX_ENVELOPE, MAX_VOTE, MAX_PARAMS = 16384, 49152, 4096

PARAMS = fields(
    name=text(1, 24),
    seats=integer(2, 6),
    hand_size=integer(3, 4),
    out_suit=choice("C", "D", "H", "S"),
    ante=integer(1, 10**6),
    min_bid=integer(1, 10**6),
    start_chips=integer(1, 10**9),
    max_bids=integer(1, 9),
    opener_rule=choice("must_bid", "may_fold", "may_check"),
    short_payout=choice("matched", "proportional"),
    azi_replay=choice("all", "contenders", "buy_in"),
    promoted_six=boolean,
    rebuy=boolean,
    deal_limit=integer(0, 100_000),
    turn_seconds=integer(5, 600),
)
WISHES = ("leave", "sit_out", "return", "rebuy", "pause", "resume", "finish")

# Type: lane, schema of the body.
MESSAGES: dict[str, tuple[str, Check]] = {
    "seat": ("none", fields(nickname=text(1, 24), nonce=octets(32), params=PARAMS)),
    "founding": ("none", fields(seats=list_of(2, 6, DIGEST))),
    "request": ("none", fields(number=COUNT, wish=choice(*WISHES))),
    "chat": ("none", fields(number=COUNT, text=text(1, 300))),
    "commit": ("deck", fields(digest=DIGEST)),
    "reveal": ("deck", fields(key=octets(32), proof=PROOF, entropy=octets(32))),
    "shuffle": ("deck", fields(deck=octets(64, 4096), proof=PROOF)),
    "roster": ("play", fields(requests=list_of(0, 24, octets(1, MAX_ENVELOPE)))),
    "open": (
        "play",
        fields(
            roster=list_of(1, 6, fields(seat=SEAT, key=octets(32), chips=CHIPS)),
            dealt_in=list_of(2, 6, SEAT),
            closing=DIGEST,
            deck=DIGEST,
        ),
    ),
    "tokens": ("play", fields(tokens=list_of(1, 32, octets(32)), proof=PROOF)),
    "discard": ("play", fields(position=integer(0, 3))),
    "bid": ("play", fields(to=integer(1, 10**12))),
    "call": ("play", fields()),
    "check": ("play", fields()),
    "fold": ("play", fields()),
    "leave": ("play", fields()),
    "play": (
        "play",
        fields(position=integer(0, 3), card=text(2, 2), token=octets(32), proof=PROOF, void=list_of(0, 4, PROOF)),
    ),
    "buy_in": ("play", fields()),
    "decline": ("play", fields()),
    "close": ("play", fields(state=DIGEST, chips=list_of(2, 6, CHIPS))),
    "end": (
        "play",
        fields(
            reason=choice("one_left", "deal_limit", "finish"),
            standings=list_of(1, 6, fields(place=integer(1, 6), seat=SEAT, chips=CHIPS)),
        ),
    ),
    "vote": (
        "vote",
        fields(
            lane=choice("deck", "play"),
            seat=SEAT,
            round=integer(0, 10**6),
            verdict=choice("claim", "ack"),
            move=octets(0, 32),
            evidence=list_of(0, 2, octets(1, MAX_ENVELOPE)),
        ),
    ),
}
PAYLOAD = fields(
    version=integer(0, 32768),
    table=DIGEST,
    lane=choice("none", "deck", "play", "vote"),
    author=octets(32),
    deal=COUNT,
    attempt=COUNT,
    step=COUNT,
    prev=DIGEST,
    type=text(1, 16),
    body=lambda value, name: demand(isinstance(value, dict), f"{name} isn't a map"),
)


class Place(NamedTuple):
    """Where a message belongs: the step that it is for, and the head before that step."""

    lane: str
    deal: int
    attempt: int
    step: int
    head: bytes


@dataclass(frozen=True)
class Envelope:
    """A message that is in order by itself."""

    id: bytes
    table: bytes
    author: bytes
    place: Place
    type: str
    body: dict[str, Any]

    @property
    def slot(self) -> tuple[object, ...] | None:
        """What its author may sign only once (order.md, "Slots")."""
        if self.place.lane == "none":
            return None
        place = (self.author, self.place.lane, self.place.deal, self.place.attempt, self.place.head)
        return (*place, *(self.body[key] for key in ("lane", "seat", "round"))) if self.type == "vote" else place


def read_envelope(data: bytes) -> Envelope:
    """Check an envelope by itself, in the order of identity.md, "Envelopes"."""
    demand(len(data) <= MAX_VOTE, "an envelope is too long")
    pair = unpack(data)
    list_of(2, 2, octets(0, MAX_VOTE))(pair, "an envelope")
    payload_bytes, signature = pair
    octets(64)(signature, "a signature")
    payload = unpack(payload_bytes)
    PAYLOAD(payload, "payload")
    demand(payload["version"] == 1, "the protocol version isn't 1")
    kind = payload["type"]
    demand(kind in MESSAGES, "there is no such type of message")
    lane, schema = MESSAGES[kind]
    demand(payload["lane"] == lane, f"a {kind} doesn't belong in lane {payload['lane']}")
    demand(kind == "vote" or len(data) <= MAX_ENVELOPE, "an envelope is too long")
    schema(payload["body"], kind)
    place = Place(lane, payload["deal"], payload["attempt"], payload["step"], payload["prev"])
    demand(lane != "none" or place == ("none", 0, 0, 0, ZERO_BYTES), f"a {kind} names a place")
    verify_ed25519(payload["author"], signature, signed_bytes(b"azi/1 envelope", payload_bytes))
    message_id = sha256(b"azi/1 message id" + payload_bytes)
    return Envelope(message_id, payload["table"], payload["author"], place, kind, payload["body"])


# =====================================================================================================================
# 7  The rules of the game (docs/rules.md; state.md, "Who is dealt in, and when a table is over")
# =====================================================================================================================
# Hands are hidden here: of a hand the rules know which positions it still holds, and which cards it has played.


@dataclass
class Trick:
    """A trick: who leads it, the card of each place, and who wins it."""

    leader: int
    cards: list[str | None]
    winner: int | None = None


@dataclass
class Replay:
    """What is remembered of an Azi until the pot is won (state.md, "Replay")."""

    live: list[int]
    trick_takers: list[int]
    price: int
    asked: list[int]
    answered: int = 0
    bought_in: list[int] = field(default_factory=list)


@dataclass
class Deal:
    """One deal, with the fields of state.md, "Deal"."""

    dealt_in: list[int]
    carried: list[int]
    ante: int
    antes: list[int]
    live: list[int]
    payouts: list[int]
    bids: list[int]
    bid_counts: list[int]
    discards: list[int | None]
    hands: list[list[str | None] | None]
    held: list[int]
    opener: int | None = None
    upcard: str | None = None
    trump: str | None = None
    promoted: bool = False
    result: str | None = None
    winner: int | None = None
    stakes: list[int] = field(default_factory=list)
    highest: int = 0
    bidder: int | None = None
    leader: int | None = None
    tricks: list[Trick] = field(default_factory=list)
    trick: Trick | None = None
    to_act: int | None = None


class Game:
    """The state of a table, and what the rules make of it."""

    def __init__(self, params: dict[str, Any]) -> None:
        self.params = params
        self.places = range(params["seats"])
        self.status = ["empty" for _ in self.places]
        self.last_winner: int | None = None
        self.barred: list[int] = []
        self.replay: Replay | None = None
        self.deal_number = 0
        self.phase = "between"
        self.chips = [0 for _ in self.places]
        self.stakes = [0 for _ in self.places]
        self.deal: Deal | None = None

    # --- Seats, between deals ----------------------------------------------------------------------------------------

    def clockwise(self, start: int) -> list[int]:
        """All places in turn, from `start` on."""
        return [(start + i) % len(self.places) for i in self.places]

    def seats(self, *statuses: str) -> list[int]:
        """The places with one of these statuses."""
        return [seat for seat in self.places if self.status[seat] in statuses]

    def take_place(self, seat: int) -> None:
        """Somebody new sits down."""
        self.status[seat], self.chips[seat] = "in", self.params["start_chips"]

    def wish(self, seat: int, wish: str) -> None:
        """What a seat may do between deals (roster.md)."""
        status = self.status[seat]
        if wish == "leave":
            self._roster_demand(status in ("in", "out"), "a seat leaves that isn't there")
            self.status[seat] = "left"
        elif wish == "sit_out":
            self._roster_demand(status == "in", "a seat sits out that isn't in")
            self.status[seat] = "out"
        elif wish == "return":
            self._roster_demand(status == "out", "a seat returns that doesn't sit out")
            self.status[seat] = "in"
        else:
            allowed = self.params["rebuy"] and status in ("in", "out") and not self.chips[seat] and not self.pot()
            self._roster_demand(bool(allowed), "a seat buys chips that mustn't")
            self.chips[seat] = self.params["start_chips"]

    def _roster_demand(self, holds: bool, message: str) -> None:
        demand(holds, message, "bad_roster")

    def next_dealt_in(self) -> list[int]:
        """Who would be dealt in now."""
        seats = [seat for seat in self.seats("in") if seat not in self.barred]
        replay, option = self.replay, self.params["azi_replay"]
        if replay is None:
            return [seat for seat in seats if self.chips[seat]]
        special = {
            "all": [],
            "contenders": [seat for seat in seats if seat in replay.live],
            "buy_in": [seat for seat in seats if seat in replay.trick_takers + replay.bought_in],
        }[option]
        return special or [seat for seat in seats if self.chips[seat] or seat in replay.live]

    def ante_due(self, dealt_in: list[int]) -> int:
        """What each seat dealt in owes."""
        if self.replay is not None and self.params["azi_replay"] == "buy_in":
            entered = self.replay.trick_takers + self.replay.bought_in
            if any(seat in entered for seat in dealt_in):
                return 0
        return int(self.params["ante"])

    def pot(self) -> int:
        """All that is staked since the pot was last won."""
        return sum(self.stakes)

    def pot_taker(self) -> int | None:
        """The one seat that takes a carried pot without cards, if there is just one."""
        dealt_in = self.next_dealt_in()
        return dealt_in[0] if self.phase == "between" and self.pot() and len(dealt_in) == 1 else None

    def over(self) -> str | None:
        """The reason for which the rules end the table, if they do."""
        if self.phase != "between" or self.pot():
            return None
        there = self.seats("in", "out")
        broke = [seat for seat in there if not self.chips[seat]]
        if len(there) - len(broke) <= 1 and not (self.params["rebuy"] and broke):
            return "one_left"
        limit = self.params["deal_limit"]
        return "deal_limit" if limit and self.deal_number >= limit else None

    def return_stakes(self) -> None:
        """A table that is closed with a carried pot: every stake returns to its owner."""
        self.chips = [chips + stake for chips, stake in zip(self.chips, self.stakes, strict=True)]
        self.stakes = [0 for _ in self.places]

    def standings(self) -> list[dict[str, int]]:
        """All seats by chips."""
        seats = sorted(self.seats("in", "out", "left"), key=lambda seat: (-self.chips[seat], seat))
        places = [1 + len([1 for other in seats if self.chips[other] > self.chips[seat]]) for seat in seats]
        return [
            {"place": place, "seat": seat, "chips": self.chips[seat]} for place, seat in zip(places, seats, strict=True)
        ]

    # --- Beginnings of deals -----------------------------------------------------------------------------------------

    def _new_deal(self, dealt_in: list[int], ante: int) -> Deal:
        zeros = [0 for _ in self.places]
        nothing = [None for _ in self.places]
        deal = Deal(
            dealt_in=list(dealt_in),
            carried=list(self.stakes),
            ante=ante,
            antes=list(zeros),
            live=list(dealt_in),
            payouts=list(zeros),
            bids=list(zeros),
            bid_counts=list(zeros),
            discards=list(nothing),
            hands=list(nothing),
            held=list(zeros),
        )
        self.deal = deal
        return deal

    def _stake(self, seat: int, amount: int) -> int:
        paid = min(amount, self.chips[seat])
        self.chips[seat] -= paid
        self.stakes[seat] += paid
        return paid

    def begin(self, dealt_in: list[int], upcard: str, drawn: int | None) -> None:
        """Antes, hands, upcard: the deal is open. `drawn` is the opener where it had to be drawn."""
        deal = self._new_deal(dealt_in, self.ante_due(dealt_in))
        self.deal_number += 1
        for seat in dealt_in:
            deal.antes[seat] = self._stake(seat, deal.ante)
            deal.hands[seat] = [None] * self.params["hand_size"]
            deal.held[seat] = (1 << self.params["hand_size"]) - 1
        if self.last_winner is None:
            deal.opener = drawn
        else:
            deal.opener = next(seat for seat in self.clockwise(self.last_winner + 1) if seat in dealt_in)
        deal.upcard, deal.trump = upcard, upcard[1]
        deal.promoted = self.params["promoted_six"] and upcard[0] == "A"
        if self.params["hand_size"] == 4:
            self.phase = "discard"
        else:
            self._begin_bidding(deal)

    def void(self, dealt_in: list[int], breakers: list[int]) -> None:
        """The deal is broken before its cards are out; each breaker pays its ante and as much as `min_bid` more."""
        deal = self._new_deal(dealt_in, self.ante_due(dealt_in))
        self.deal_number += 1
        for seat in breakers:
            deal.antes[seat] = self._stake(seat, deal.ante)
            self._stake(seat, self.params["min_bid"])
        deal.live = [seat for seat in dealt_in if seat not in breakers]
        deal.result = "void"
        deal.stakes = list(self.stakes)
        self.barred = sorted({*self.barred, *breakers})
        self.phase = "between"

    def take_pot(self, seat: int) -> None:
        """One seat alone takes a carried pot, whole."""
        deal = self._new_deal([seat], 0)
        deal.payouts[seat] = self.pot()
        self._pay(deal, seat, "uncontested")

    # --- Acts --------------------------------------------------------------------------------------------------------

    def owes(self) -> list[int]:
        """The seats that owe the rules an act now."""
        if self.phase == "buy_in":
            seat = self._next_asked()
            return [] if seat is None else [seat]
        deal = self.deal
        if self.phase == "between" or deal is None:
            return []
        if self.phase == "discard":
            return [seat for seat in deal.live if deal.discards[seat] is None]
        return [] if deal.to_act is None else [deal.to_act]

    def act(self, seat: int, do: str, to: int = 0, position: int = 0, card: str = "") -> None:
        """Do what a seat wishes, or refuse it. `do` is the type of the message, or "absent"."""
        kinds = {
            "buy_in": ("buy_in", "decline"),
            "discard": ("discard",),
            "bidding": ("bid", "call", "check", "fold"),
            "playing": ("play",),
        }.get(self.phase, ())
        demand(bool(kinds) and do in (*kinds, "leave", "absent"), f"{do} isn't possible now", "wrong_phase")
        demand(seat in self.owes(), "it is another seat's turn", "not_your_turn")
        deal = self.deal
        assert deal is not None
        if self.phase == "buy_in":
            self._answer(seat, do)
        elif do in ("fold", "leave", "absent"):
            if do == "fold":
                self._demand_fold(deal)
            if do == "leave":
                self.status[seat] = "left"
            self._drop(deal, seat)
        elif do == "discard":
            demand(deal.held[seat] >> position & 1 == 1, "the position isn't held", "card_not_held")
            deal.held[seat] ^= 1 << position
            deal.discards[seat] = position
            self._discards_done(deal)
        elif do == "play":
            self._play(deal, seat, position, card)
        else:
            self._bid(deal, seat, do, to)

    # --- Discard and bidding -----------------------------------------------------------------------------------------

    def _discards_done(self, deal: Deal) -> None:
        if all(deal.discards[seat] is not None for seat in deal.live):
            self._begin_bidding(deal)

    def _begin_bidding(self, deal: Deal) -> None:
        self.phase = "bidding"
        assert deal.opener is not None
        self._ask_from(deal, self.clockwise(deal.opener))

    def _ask_from(self, deal: Deal, seats: list[int]) -> None:
        """The first of these seats that is to be asked for a bid, or the end of the bidding."""
        for seat in seats:
            answered = deal.highest and deal.bids[seat] == deal.highest
            if seat in deal.live and self.chips[seat] and not answered:
                deal.to_act = seat
                return
        self._begin_play(deal)

    def _ask_next(self, deal: Deal, seat: int) -> None:
        following = self.clockwise(seat + 1)[:-1]
        if not deal.highest:  # While nobody has bid, each seat is asked once, from the opener's place round.
            assert deal.opener is not None
            order = self.clockwise(deal.opener)
            following = order[order.index(seat) + 1 :]
        self._ask_from(deal, following)

    def _demand_fold(self, deal: Deal) -> None:
        if not deal.highest and self.params["opener_rule"] == "must_bid":
            raise BadLedgerError("the opener mustn't fold", "must_bid")

    def _bid(self, deal: Deal, seat: int, do: str, to: int) -> None:
        rule, min_bid, chips = self.params["opener_rule"], self.params["min_bid"], self.chips[seat]
        opening = not deal.highest
        if do == "check":
            code = "must_bid" if opening and rule == "must_bid" else "not_allowed"
            demand(opening and rule == "may_check", "a check isn't allowed here", code)
        elif do == "call":
            code = "must_bid" if rule == "must_bid" else "not_allowed"
            demand(not opening or chips < min_bid, "there is nothing to call", code)
            deal.bids[seat] += self._stake(seat, chips if opening else deal.highest - deal.bids[seat])
        else:
            demand(to >= deal.highest + min_bid, "the bid is too low", "bid_too_low")
            demand(to - deal.bids[seat] <= chips, "the bid is more than the seat has", "bid_over_stack")
            demand(deal.bid_counts[seat] < self.params["max_bids"], "no bids left", "no_bids_left")
            self._stake(seat, to - deal.bids[seat])
            deal.bids[seat] = deal.highest = to
            deal.bid_counts[seat] += 1
            deal.bidder = seat
        self._ask_next(deal, seat)

    def short(self, deal: Deal, seat: int) -> bool:
        """Whether a live seat could not pay what was asked of it in the bidding."""
        bid = deal.bids[seat]
        no_bid = not self.chips[seat] and bid < self.params["min_bid"]
        return deal.antes[seat] < deal.ante or bid < deal.highest or no_bid

    # --- Play --------------------------------------------------------------------------------------------------------

    def _begin_play(self, deal: Deal) -> None:
        assert deal.opener is not None
        if deal.bidder in deal.live and not self.short(deal, deal.bidder):
            leader = deal.bidder
        else:
            live = [seat for seat in self.clockwise(deal.opener) if seat in deal.live]
            leader = next((seat for seat in live if not self.short(deal, seat)), live[0])
        self.phase = "playing"
        deal.leader = leader
        self._lead(deal, leader)

    def _lead(self, deal: Deal, leader: int) -> None:
        deal.trick = Trick(leader, [None for _ in self.places])
        deal.to_act = leader

    def _play(self, deal: Deal, seat: int, position: int, card: str) -> None:
        hand, trick = deal.hands[seat], deal.trick
        assert hand is not None
        assert trick is not None
        demand(position < len(hand), "there is no such position in a hand", "card_not_held")
        demand(deal.held[seat] >> position & 1 == 1, "the position isn't held any more", "card_not_held")
        demand(card in card_list(self.params["out_suit"]), "the card isn't in the deck", "card_not_held")
        played = [one for cards in deal.hands for one in cards or ()]
        demand(card != deal.upcard and card not in played, "the card has been seen already", "card_not_held")
        hand[position] = card
        deal.held[seat] ^= 1 << position
        trick.cards[seat] = card
        self._go_on(deal, seat)

    def strength(self, deal: Deal, card: str, led: str) -> tuple[int, int]:
        """What a card is worth in a trick; more is better."""
        rank = len(RANKS) if deal.promoted and card == f"6{deal.trump}" else RANKS.index(card[0])
        return (2 if card[1] == deal.trump else 1 if card[1] == led else 0), rank

    def _go_on(self, deal: Deal, seat: int) -> None:
        """After a seat has played or dropped out: the next in the trick, or the end of the trick."""
        trick = deal.trick
        assert trick is not None
        waiting = [other for other in self.clockwise(seat + 1) if other in deal.live and trick.cards[other] is None]
        if waiting:
            deal.to_act = waiting[0]
            return
        lead = trick.cards[trick.leader]
        assert lead is not None
        worth = {other: self.strength(deal, card, lead[1]) for other, card in enumerate(trick.cards) if card}
        winner = trick.winner = max(worth, key=lambda other: worth[other])
        deal.tricks.append(trick)
        deal.trick = None
        if [won.winner for won in deal.tricks].count(winner) == 2:
            self._win(deal, winner, "won")
        elif len(deal.tricks) == 3:
            self._azi(deal)
        else:
            self._lead(deal, next(other for other in self.clockwise(winner) if other in deal.live))

    def _drop(self, deal: Deal, seat: int) -> None:
        """A live seat folds, leaves or is absent."""
        deal.live.remove(seat)
        if len(deal.live) == 1:
            self._win(deal, deal.live[0], "uncontested")
        elif self.phase == "discard":
            self._discards_done(deal)
        elif self.phase == "bidding":
            self._ask_next(deal, seat)
        else:
            trick = deal.trick
            assert trick is not None
            if trick.leader == seat and trick.cards[seat] is None:
                trick.leader = next(other for other in self.clockwise(seat) if other in deal.live)
            self._go_on(deal, seat)

    # --- Ends of deals -----------------------------------------------------------------------------------------------

    def _win(self, deal: Deal, winner: int, result: str) -> None:
        stakes, pot = self.stakes, self.pot()
        if not self.short(deal, winner):
            deal.payouts[winner] = pot
        elif self.params["short_payout"] == "matched":
            matched = [min(stake, stakes[winner]) for stake in stakes]
            deal.payouts = [stake - part for stake, part in zip(stakes, matched, strict=True)]
            deal.payouts[winner] += sum(matched)
        else:
            deal.payouts = self._proportional(winner)
        self._pay(deal, winner, result)

    def _proportional(self, winner: int) -> list[int]:
        """The option `proportional`: the rest goes to the others by the largest remainder, ties clockwise."""
        stakes, pot = self.stakes, self.pot()
        share = pot * stakes[winner] // max(stakes) if pot else 0
        others = self.clockwise(winner)[1:]
        rest, weight = pot - share, sum(stakes[seat] for seat in others)
        payouts = [rest * stake // weight if weight else 0 for stake in stakes]
        payouts[winner] = share
        by_remainder = sorted(others, key=lambda seat: -(rest * stakes[seat] % weight) if weight else 0)
        for seat in by_remainder[: pot - sum(payouts)]:
            payouts[seat] += 1
        return payouts

    def _pay(self, deal: Deal, winner: int, result: str) -> None:
        deal.result, deal.winner, deal.to_act = result, winner, None
        deal.stakes = self.stakes
        self.stakes = [0 for _ in self.places]
        self.chips = [chips + paid for chips, paid in zip(self.chips, deal.payouts, strict=True)]
        self.last_winner, self.barred, self.replay, self.phase = winner, [], None, "between"

    def _azi(self, deal: Deal) -> None:
        deal.result, deal.to_act = "azi", None
        deal.stakes = list(self.stakes)
        takers = sorted({trick.winner for trick in deal.tricks if trick.winner is not None})
        third = deal.tricks[-1].winner
        assert third is not None
        asked = [seat for seat in self.clockwise(third + 1) if seat not in takers]
        self.replay = Replay(list(deal.live), takers, (self.pot() + 1) // 2, asked)
        self.phase = "buy_in" if self.params["azi_replay"] == "buy_in" else "between"
        self._end_asking()

    # --- Buying into a replay ----------------------------------------------------------------------------------------

    def _next_asked(self) -> int | None:
        assert self.replay is not None
        for seat in self.replay.asked[self.replay.answered :]:
            can_pay = self.chips[seat] >= self.replay.price
            if self.status[seat] == "in" and seat not in self.barred and can_pay:
                return seat
        return None

    def _end_asking(self) -> None:
        if self._next_asked() is None:
            self.phase = "between"

    def _answer(self, seat: int, do: str) -> None:
        assert self.replay is not None
        if do == "leave":
            self.status[seat] = "left"
        else:
            self.replay.answered = self.replay.asked.index(seat) + 1
        if do == "buy_in":
            self._stake(seat, self.replay.price)
            self.replay.bought_in = sorted([*self.replay.bought_in, seat])
        self._end_asking()


# =====================================================================================================================
# 8  The digest of the state (state.md)
# =====================================================================================================================


def encode_state(value: object) -> bytes:
    """The encoding `enc`, in which no two values have the same bytes."""
    if value is None:
        return b"n"
    if isinstance(value, bool):
        return b"t" if value else b"f"
    if isinstance(value, int):
        return b"i" + _with_u32(str(value).encode())
    if isinstance(value, str):
        return b"s" + _with_u32(value.encode())
    if isinstance(value, list):
        return b"l" + _with_u32(b"".join(map(encode_state, value)))
    raise TypeError(f"nothing of the state is a {type(value).__name__}")


def _with_u32(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


def trick_value(trick: Trick) -> list[object]:
    """A trick as a list."""
    return [trick.leader, list(trick.cards), trick.winner]


def deal_value(deal: Deal) -> list[object]:
    """The record of a deal as a list."""
    return [
        *(deal.dealt_in, deal.carried, deal.ante, deal.antes, deal.opener, deal.upcard, deal.trump, deal.promoted),
        *(deal.result, deal.winner, deal.payouts, deal.stakes, deal.bids, deal.bid_counts, deal.highest, deal.bidder),
        *(deal.leader, deal.discards, deal.live, deal.hands, deal.held),
        [trick_value(trick) for trick in deal.tricks],
        None if deal.trick is None else trick_value(deal.trick),
        deal.to_act,
    ]


def state_value(game: Game) -> list[object]:
    """The state as a list."""
    replay = game.replay
    return [
        [[name, value] for name, value in game.params.items() if name != "name"],
        game.status,
        game.last_winner,
        game.barred,
        replay and [replay.live, replay.trick_takers, replay.price, replay.asked, replay.answered, replay.bought_in],
        game.deal_number,
        game.phase,
        game.chips,
        game.stakes,
        game.deal and deal_value(game.deal),
    ]


def state_digest(game: Game) -> bytes:
    """The digest in a receipt."""
    return sha256(encode_state(["azi/rules/state/1", state_value(game)]))


# =====================================================================================================================
# 9  The table, step by step (ledger.md; order.md, roster.md, votes.md)
# =====================================================================================================================

MAGIC = b"AZILEDG\x01"


class Records:
    """The records of a ledger file, read one after the other."""

    def __init__(self, data: bytes, start: int) -> None:
        self.data = data
        self.offset = start  # of the record that comes next
        self.signatures = 0
        self._next: Envelope | None = None
        self._end = start

    def ended(self) -> bool:
        """Whether the file ends here, between two records."""
        return self._next is None and self._end == len(self.data)

    def peek(self) -> Envelope:
        """The next record; it stays the next."""
        if self._next is None:
            self.offset = self._end
            header = self.data[self.offset : self.offset + 4]
            if len(header) < 4:
                raise CutOffError
            size = struct.unpack(">I", header)[0]
            demand(1 <= size <= MAX_VOTE, f"a record of {size} bytes")
            if self.offset + 4 + size > len(self.data):
                raise CutOffError
            self._end = self.offset + 4 + size
            self.signatures += 1
            self._next = read_envelope(self.data[self.offset + 4 : self._end])
        return self._next

    def take(self) -> Envelope:
        """The next record."""
        envelope = self.peek()
        self._next = None
        return envelope


class Seat(NamedTuple):
    """A seat of a deck roster."""

    seat: int
    key: bytes


def proof_context(
    table_id: bytes, params_digest: bytes, place: Place, deck_roster: list[Seat], prover: int, purpose: bytes
) -> Transcript:
    """encoding.md, "The context of a proof"."""
    t = Transcript(b"azi session proof")
    t.append_int("version", 1)
    t.append("table", table_id)
    t.append("params", params_digest)
    t.append_int("seats", len(deck_roster))
    for seat, key in deck_roster:
        t.append_int("seat", seat)
        t.append("key", key)
    t.append("lane", place.lane.encode())
    t.append_int("deal", place.deal)
    t.append_int("attempt", place.attempt)
    t.append_int("step", place.step)
    t.append("head", place.head)
    t.append_int("prover", prover)
    t.append("prover key", next(key for seat, key in deck_roster if seat == prover))
    t.append("purpose", purpose)
    return t


class DeckLane:
    """The deck lane of one attempt: commitments, keys, shuffles (order.md; deck.md)."""

    def __init__(self, table: Table, deal: int, attempt: int, seats: list[Seat]) -> None:
        self.table, self.seats = table, seats
        listing = b"".join(u64(seat) + key for seat, key in seats)
        named = (table.id, table.params_digest, u64(len(seats)), listing, u64(deal), u64(attempt), table.opened)
        self.base = tagged("deck", *named)
        self.place = Place("deck", deal, attempt, 0, self.base)
        self.places: list[Place] = []  # of the steps that are complete
        self.digests: dict[int, bytes] = {}
        self.keys: dict[int, Element] = {}
        self.joint_key = G  # until the keys are known
        self.deck: Deck = []

    @property
    def ready(self) -> bool:
        """Whether all have shuffled."""
        return self.place.step == len(self.seats) + 2

    def owed(self) -> tuple[str, list[int]]:
        """The type that this step wants, and the seats that owe it."""
        step = self.place.step
        if step < 2:
            return ("commit", "reveal")[step], [seat for seat, _ in self.seats]
        return "shuffle", [] if self.ready else [self.seats[step - 2].seat]

    def judge(self, seat: int, envelope: Envelope) -> None:
        """Check a message of this step; evidence may be by a seat that owes none."""
        kind, body, place = envelope.type, envelope.body, self.place
        demand(seat in self.owed()[1], f"signed a {kind} where the seat owes none", "not_your_turn")
        demand(kind == self.owed()[0], f"{kind} where {self.owed()[0]} is owed", "wrong_type")
        if kind == "reveal":
            opened = commitment(b"azi deal key", self.base, u64(seat), pack(body))
            demand(opened == self.digests[seat], "a reveal isn't what was committed to", "bad_opening")
            at_base = place._replace(head=self.base)  # deck.md: the base head stands in for the current one
            context = self.table.context(at_base, self.seats, seat, b"ownership")
            verify_ownership(context, element(body["key"]), body["proof"])
        elif kind == "shuffle":
            demand_proof(len(body["deck"]) == 64 * len(self.deck), "a deck has the wrong length")
            context = self.table.context(place, self.seats, seat, b"shuffle")
            verify_shuffle(context, self.joint_key, self.deck, read_deck(body["deck"]), body["proof"])

    def complete(self, envelopes: dict[int, Envelope]) -> None:
        """Take the messages of a complete step, and go to the next."""
        for seat, envelope in envelopes.items():
            if envelope.type == "commit":
                self.digests[seat] = envelope.body["digest"]
            elif envelope.type == "reveal":
                self.keys[seat] = element(envelope.body["key"])
            else:
                self.deck = read_deck(envelope.body["deck"])
        if self.place.step == 1:
            self.joint_key = add_up(self.keys.values())
            no_identity([self.joint_key], "the joint key")
            self.deck = start_deck(card_list(self.table.params["out_suit"]), self.joint_key)
        self.places.append(self.place)
        head = tagged("head", self.place.head, *(envelopes[seat].id for seat in sorted(envelopes)))
        self.place = self.place._replace(step=self.place.step + 1, head=head)


Judge = Callable[[int, Envelope], None]


class Table:
    """A table, brought from its founding to its end by the records of a ledger."""

    def __init__(self, data: bytes) -> None:
        self.checks = {"signatures": 0, "shuffles": 0, "tokens": 0, "void_proofs": 0, "moves": 0}
        self.faults: list[dict[str, object]] = []
        self.founded = self.over = self.complete = False
        self.deals_closed = 0
        self.deal, self.attempt, self.step = 1, 0, 1
        self.head = self.opened = self.closed = ZERO_BYTES
        self.records = Records(data, 0)
        self.params, start = self.read_header(data)
        self.params_digest = tagged("params", pack(self.params))
        self.records = Records(data, start)
        self.game = Game(self.params)
        self.id = ZERO_BYTES
        self.keys: list[bytes | None] = [None] * self.params["seats"]
        self.away: set[int] = set()
        self.absent: set[int] = set()
        self.honoured: dict[bytes, int] = {}  # the highest number of a request, by key
        self.used_seats: set[bytes] = set()  # ids of seat messages that gave a place
        self.finishers: set[int] = set()
        self.predicted: list[Seat] = []
        self.reason = ""  # why the table ends
        self.awaited: tuple[int, Place, tuple[str, ...]] | None = None  # the seat, place and types that come next
        self.dropped: dict[int, bytes] = {}  # entries of absence of the attempts given up
        self.lane: DeckLane | None = None  # that of the deck being prepared
        self.deck: DeckLane | None = None  # that of the deck in use
        self.phase = "founding"
        self.steps: dict[bytes, list[int]] = {}  # the owed seats of steps of the play lane, by the head they build on
        self.open_cards: dict[tuple[int, int], Element] = {}  # D of a seat's position: the owner's token is missing

    def run(self) -> None:
        """Verify all records; raise CutOffError where the file stops early."""
        self.found()
        phases: dict[str, Callable[[], str | None]] = {
            "roster": self.phase_roster,
            "open": self.phase_open,
            "tokens": self.phase_tokens,
            "discard": self.phase_discard,
            "act": self.phase_act,
            "close": self.phase_close,
            "end": self.phase_end,
        }
        follow: str | None = "open"
        while follow is not None:
            chips = sum(self.game.chips) + self.game.pot()
            self.phase = phase = follow
            if phase in ("roster", "close", "end"):
                self.forget_if_all_absent()
            follow = phases[phase]()
            assert phase == "roster" or chips == sum(self.game.chips) + self.game.pot()
        self.over = True
        if not self.records.ended():
            self.records.peek()
            raise BadLedgerError("a record after the end of the table")
        self.complete = True

    # --- Founding (ledger.md, steps 1 to 4; order.md, "Founding") ----------------------------------------------------

    def read_header(self, data: bytes) -> tuple[dict[str, Any], int]:
        """The parameters of the table, and where the records begin."""
        demand(data[:8] == MAGIC, "this is no Azi ledger, or one of another version")
        demand(len(data) >= 12, "the header is cut off")
        size = struct.unpack(">I", data[8:12])[0]
        demand(size <= MAX_PARAMS and 12 + size <= len(data), "the header is cut off or too long")
        params = unpack(data[12 : 12 + size])
        PARAMS(params, "the parameters")
        return params, 12 + size

    def found(self) -> None:
        """The seat messages and the founding."""
        seats: list[Envelope] = []
        try:
            while (envelope := self.records.take()).type == "seat":
                if not seats:
                    self.id = tagged("table", envelope.author, envelope.body["nonce"])
                demand(envelope.table == self.id, "a record of another table")
                demand(pack(envelope.body["params"]) == pack(self.params), "a seat signed other parameters")
                seats.append(envelope)
                demand(len(seats) <= self.params["seats"], "more seats than places")
        except CutOffError:
            raise BadLedgerError("the file ends before the table is founded") from None
        demand(envelope.type == "founding" and envelope.table == self.id, "the founding is missing")
        demand(envelope.author == seats[0].author, "the founding isn't by the founder")
        demand(envelope.body["seats"] == [seat.id for seat in seats], "the founding lists other seat messages")
        demand(len({seat.author for seat in seats}) == len(seats), "two seats with the same key")
        for number, seat in enumerate(seats):
            self.keys[number] = seat.author
            self.used_seats.add(seat.id)
            self.game.take_place(number)
        self.head = self.opened = self.closed = tagged("founding", envelope.id, *(seat.id for seat in seats))
        self.predicted = self.listing(list(range(len(seats))))
        self.founded = True

    # --- Who is there (README.md, "Conventions"; order.md) -----------------------------------------------------------

    def waits(self) -> str:
        """What the table waits for, in words."""
        if self.over:
            return ", up to the signed result; but bytes follow that belong to no game"
        if self.awaited is None:
            return ""
        seat, place, types = self.awaited
        return f"; it stops in deal {place.deal}, where seat {seat} owes {' or '.join(types)}"

    def roster(self) -> list[int]:
        """The seats that sign and vote."""
        return [seat for seat in self.game.seats("in", "out") if seat not in self.away]

    def present(self) -> list[int]:
        """The roster without those that are certified absent."""
        return [seat for seat in self.roster() if seat not in self.absent]

    def forget_if_all_absent(self) -> None:
        """Outside a deal: where everybody was certified absent, it is as if nobody had been (order.md)."""
        if not self.present():
            self.absent = set()

    def key(self, seat: int) -> bytes:
        """The key of a seat that is taken."""
        key = self.keys[seat]
        assert key is not None
        return key

    def listing(self, seats: list[int]) -> list[Seat]:
        """Seats with their keys."""
        return [Seat(seat, self.key(seat)) for seat in seats]

    def place(self) -> Place:
        """Where the play lane stands."""
        return Place("play", self.deal, self.attempt, self.step, self.head)

    def context(self, place: Place, deck_roster: list[Seat], prover: int, purpose: bytes) -> Transcript:
        """The context of a proof at this table."""
        return proof_context(self.id, self.params_digest, place, deck_roster, prover, purpose)

    # --- Steps and certificates (ledger.md, steps 5 and 6; votes.md, "In the ledger") --------------------------------

    def peek(self, seat: int, place: Place, *types: str) -> Envelope:
        """The next record, which must be of this table; a seat owes a message of one of these types here."""
        self.awaited = seat, place, types
        envelope = self.records.peek()
        demand(envelope.table == self.id, "a record of another table")
        return envelope

    def take_message(self, seat: int, place: Place, types: tuple[str, ...], judge: Judge) -> Envelope:
        """The message that a seat owes at a place."""
        envelope = self.peek(seat, place, *types)
        demand(envelope.author == self.keys[seat], f"{envelope.type} by another than seat {seat}, who owes it here")
        demand(envelope.place == place, f"the {envelope.type} of seat {seat} is of another place")
        judge(seat, envelope)
        self.count(envelope)
        return self.records.take()

    def count(self, envelope: Envelope) -> None:
        """Count what has been checked, as the end of ledger.md says."""
        kind, body = envelope.type, envelope.body
        self.checks["moves"] += envelope.place.lane == "play"
        self.checks["shuffles"] += kind == "shuffle"
        self.checks["tokens"] += len(body["tokens"]) if kind == "tokens" else kind == "play"
        self.checks["void_proofs"] += len(body["void"]) if kind == "play" else 0

    def take_certificate(self, place: Place, seat: int, judge: Judge | None) -> bytes:
        """The votes of a majority that a seat is absent at a place; gives the entry of absence."""
        roster = self.roster()
        voters = {self.keys[voter]: voter for voter in roster}
        vote_place = place._replace(lane="vote")
        last_voter, question = -1, None
        for _ in range(len(roster) // 2 + 1):
            vote = self.peek(seat, place, "vote")
            body = vote.body
            demand(vote.type == "vote", "a certificate has too few votes")
            demand(vote.place == vote_place and body["lane"] == place.lane, "a vote about another place")
            demand(body["seat"] == seat, "a vote about another seat")
            demand(body["verdict"] == "claim", "a vote in a certificate doesn't claim absence")
            demand(question in (None, body["round"]), "votes of different rounds in a certificate")
            voter = voters.get(vote.author, -1)
            demand(voter >= 0, "a vote by somebody outside the roster")
            demand(voter > last_voter, "the votes of a certificate aren't in order")
            last_voter, question = voter, body["round"]
            self.weigh_evidence(seat, place, body["evidence"], judge)
            self.records.take()
        return self.absence_entry(place, seat)

    def absence_entry(self, place: Place, seat: int) -> bytes:
        """What stands in a head for a seat that was absent at a place."""
        named = (u64(place.deal), u64(place.attempt), u64(place.step), place.head)
        return tagged("absent", place.lane.encode(), u64(seat), *named)

    def take_step(
        self, types: tuple[str, ...], owed: list[int], judge: Judge, signers: list[int] | None = None
    ) -> dict[int, Envelope | None]:
        """A step of the play lane: of each seat its message, or None and its certificate; then the next head.

        More seats may sign than owe a message, if `signers` says so.
        """
        place = self.place()
        self.steps[self.head] = owed if signers is None else signers
        if not owed:  # order.md: such a step is never complete. Only the end of the file can follow.
            self.awaited = None
            self.records.peek()
            raise BadLedgerError("a record where nobody is left who could sign")

        def judge_type(seat: int, envelope: Envelope) -> None:
            demand(envelope.type in types, f"{envelope.type} where {' or '.join(types)} is owed", "wrong_type")
            judge(seat, envelope)

        answers: dict[int, Envelope | None] = {}
        entries: list[bytes] = []
        for seat in owed:
            if self.peek(seat, place, *types).type == "vote":
                entries.append(self.take_certificate(place, seat, judge_type))
                answers[seat] = None
            else:
                envelope = self.take_message(seat, place, types, judge_type)
                entries.append(envelope.id)
                answers[seat] = envelope
        self.absent |= {seat for seat, answer in answers.items() if answer is None}
        self.head = tagged("head", self.head, *entries)
        self.step += 1
        return answers

    def weigh_evidence(self, seat: int, place: Place, evidence: list[bytes], judge: Judge | None) -> None:
        """Report what the evidence in a vote proves. It changes nothing."""
        try:
            envelopes = [read_envelope(data) for data in evidence]
        except BadLedgerError:
            return
        if not envelopes or any((one.author, one.table) != (self.keys[seat], self.id) for one in envelopes):
            return
        first, last = envelopes[0], envelopes[-1]
        code, message = "", ""
        if first.slot is not None and first.slot == last.slot and first.id != last.id:
            code, message = "equivocation", "signed two different messages for one slot"
        elif len(envelopes) == 1 and first.place == place and judge is not None:
            try:
                judge(seat, first)
            except BadLedgerError as error:
                code, message = error.code, str(error)
        if code:
            fault = {"seat": seat, "code": code, "deal": first.place.deal, "step": first.place.step, "message": message}
            if fault not in self.faults:
                self.faults.append(fault)

    # --- Phase roster (roster.md) ------------------------------------------------------------------------------------

    def phase_roster(self) -> str:
        """The roster of the coming deal."""
        proposers = self.proposers()
        answers = self.take_step(("roster",), proposers[:1], self.judge_roster)
        answer = answers[proposers[0]]
        if answer is None:
            return "roster"
        self.apply_roster(answer)
        reason, taker = self.end_reason(), self.game.pot_taker()
        if reason is not None:
            return self.ending(reason)
        if taker is not None:
            self.game.take_pot(taker)
            self.opened = self.head
            self.predicted = self.listing(self.game.next_dealt_in())
            return "close"
        return "open"

    def proposers(self) -> list[int]:
        """The seats that propose a roster, one after the other."""
        start = 0 if self.game.last_winner is None else self.game.last_winner + 1
        return [seat for seat in self.game.clockwise(start) if seat in self.present()]

    def judge_roster(self, _seat: int, envelope: Envelope) -> None:
        """Try a roster on a copy of the table."""
        trial = copy.copy(self)
        trial.game = copy.deepcopy(self.game)
        trial.keys, trial.away, trial.absent = list(self.keys), set(self.away), set(self.absent)
        trial.honoured, trial.used_seats = dict(self.honoured), set(self.used_seats)
        trial.finishers = set(self.finishers)
        trial.apply_roster(envelope)
        dealt_in = trial.game.next_dealt_in()
        goes_on = len(dealt_in) >= 2 or trial.game.pot_taker() is not None
        demand(trial.end_reason() is not None or goes_on, "a roster without a deal or an end", "bad_roster")

    def apply_roster(self, envelope: Envelope) -> None:
        """Points 1 and 2 of roster.md, "roster"."""
        self.book_away(self.absent)
        self.absent = set()
        for data in envelope.body["requests"]:
            try:
                inner = read_envelope(data)
            except BadLedgerError as error:
                raise BadLedgerError(f"an enclosed request: {error}", "bad_roster") from None
            demand(inner.table == self.id, "an enclosed request is of another table", "bad_roster")
            if inner.type == "request":
                self.honour_request(inner)
            elif inner.type == "seat":
                self.honour_seat(inner)
            else:
                raise BadLedgerError(f"a {inner.type} among the requests of a roster", "bad_roster")

    def book_away(self, seats: Iterable[int]) -> None:
        """Seats that were certified absent sit out, and are away until they ask to return."""
        for seat in seats:
            if self.game.status[seat] == "in":
                self.game.status[seat] = "out"
            if self.game.status[seat] == "out":
                self.away.add(seat)

    def honour_request(self, request: Envelope) -> None:
        """A wish takes effect."""
        author, number, wish = request.author, request.body["number"], request.body["wish"]
        demand(author in self.keys, "a request by somebody without a place", "bad_roster")
        seat = self.keys.index(author)
        demand(number > self.honoured.get(author, 0), "a request is out of date", "bad_roster")
        demand(wish not in ("pause", "resume"), f"a roster honours {wish}", "bad_roster")
        if wish == "finish":
            self.finishers.add(seat)
        else:
            self.game.wish(seat, wish)
        if wish in ("leave", "return"):
            self.away.discard(seat)
        self.honoured[author] = number

    def honour_seat(self, message: Envelope) -> None:
        """Somebody joins."""
        game = self.game
        demand(pack(message.body["params"]) == pack(self.params), "a newcomer signed other parameters", "bad_roster")
        demand(message.id not in self.used_seats, "a seat message is used twice", "bad_roster")
        holders = [self.keys[seat] for seat in game.seats("in", "out")]
        demand(message.author not in holders, "a newcomer has a place already", "bad_roster")
        demand(not game.pot(), "a newcomer while a pot is carried", "bad_roster")
        free = game.seats("empty", "left")
        demand(bool(free), "a newcomer at a full table", "bad_roster")
        seat = free[0]
        self.keys[seat] = message.author
        self.used_seats.add(message.id)
        self.finishers.discard(seat)
        game.take_place(seat)

    def end_reason(self) -> str | None:
        """Point 3: why the table ends now, if it does."""
        there = self.roster()
        finish = "finish" if there and all(seat in self.finishers for seat in there) else None
        return self.game.over() or finish

    # --- Phase open (order.md, "The steps of the deck lane"; deal.md, "open") ----------------------------------------

    def phase_open(self) -> str:
        """The decks of all attempts, and the antes."""
        seats = self.game.next_dealt_in()
        self.attempt += 0 if self.listing(seats) == self.predicted else 1
        self.dropped = {}
        while True:
            self.lane = lane = DeckLane(self, self.deal, self.attempt, self.listing(seats))
            while not lane.ready and not self.at_votes(lane):
                kind, owing = lane.owed()
                lane.complete({seat: self.take_message(seat, lane.place, (kind,), lane.judge) for seat in owing})
            if lane.ready:
                self.deck = lane
                if not self.at_votes(lane):
                    break
            seats = self.give_up(lane, seats)
            while len(seats) < 2:
                if not self.drops_another(seats):
                    return self.back_to_roster()
                seats = self.give_up(DeckLane(self, self.deal, self.attempt, self.listing(seats)), seats)
        place = self.place()
        opens = [self.take_message(seat, place, ("open",), self.judge_open) for seat in self.may_open()]
        self.opened = self.head = tagged("head", self.head, *self.dropped_entries(), *(one.id for one in opens))
        self.step += 1
        self.predicted = lane.seats
        self.book_away(self.dropped)
        self.dropped = {}
        return "tokens"

    def at_votes(self, lane: DeckLane) -> bool:
        """Whether certificates stand where a step of the deck lane, or the antes, would begin."""
        if lane.ready:
            return self.peek(self.may_open()[0], self.place(), "open").type == "vote"
        kind, owing = lane.owed()
        return self.peek(owing[0], lane.place, kind).type == "vote"

    def may_open(self) -> list[int]:
        """The seats that owe an `open`, and that a certificate can drop."""
        return [seat for seat in self.present() if seat not in self.dropped]

    def dropped_entries(self) -> list[bytes]:
        """The entries of absence of the seats dropped so far, in their order."""
        return [self.dropped[seat] for seat in sorted(self.dropped)]

    def give_up(self, lane: DeckLane, seats: list[int]) -> list[int]:
        """The certificates that end an attempt; gives the seats that are left to be dealt in."""
        attempt, open_place = self.attempt, self.place()
        known = [*lane.places, *([] if lane.ready else [lane.place])]
        about_known, reached, last_seat = False, 0, -1
        while (vote := self.next_vote(lane, seats)) is not None and vote.place.attempt == attempt:
            seat, place = self.dropping_place(vote, open_place)
            judge = lane.judge if place == lane.place else None
            reached = max(reached, place.step if place.lane == "deck" else 0)
            about_known |= place == open_place or place in known
            demand(seat > last_seat, "certificates aren't in the order of their seats")
            self.drop(seat, place, open_place, judge, seats)
            seats = [other for other in seats if other != seat]
            last_seat = seat
        if self.attempt == attempt:  # A certificate that came late stands alone.
            in_range = vote is not None and attempt - len(self.dropped) <= vote.place.attempt < attempt
            demand(in_range, "a vote about another attempt")
            assert vote is not None
            seat, place = self.dropping_place(vote, open_place._replace(attempt=vote.place.attempt))
            self.drop(seat, place, open_place, None, seats)
            seats = [other for other in seats if other != seat]
        else:
            demand(about_known, "no certificate of an attempt is about a step that stands here")
        demand(reached >= len(lane.places), "steps of a deck lane that was given up before them")
        return seats

    def next_vote(self, lane: DeckLane, seats: list[int]) -> Envelope | None:
        """The vote that comes next, with which another certificate may begin; None if something else does."""
        awaited = (seats[0], lane.place, ("vote", "commit")) if len(seats) >= 2 else self.roster_due()
        seat, place, types = awaited
        try:
            envelope = self.peek(seat, place, *types)
        except CutOffError:
            return None  # What follows says where the file stops.
        return envelope if envelope.type == "vote" else None

    def roster_due(self) -> tuple[int, Place, tuple[str, ...]]:
        """The roster that is due when too few are left to be dealt in: who owes it, and where."""
        after = copy.copy(self)
        after.game, after.away = copy.deepcopy(self.game), set(self.away)
        after.back_to_roster()
        return after.proposers()[0], after.place(), ("roster",)

    def drops_another(self, seats: list[int]) -> bool:
        """Whether, too few being left, a certificate about one seat more that should have signed `open` comes next."""
        vote = self.next_vote(self.lane, seats) if self.lane is not None else None
        if vote is None or vote.place.deal != self.deal or vote.place.attempt >= self.attempt:
            return False
        return bool(vote.body["lane"] == "deck" or vote.place.head == self.head)

    def dropping_place(self, vote: Envelope, open_place: Place) -> tuple[int, Place]:
        """The seat and the place that a certificate is about which begins with this vote: `open`, or in a deck lane."""
        if vote.body["lane"] == "play":
            return vote.body["seat"], open_place
        place = vote.place._replace(lane="deck")
        demand(place.deal == self.deal, "a vote about another deal")
        return vote.body["seat"], place

    def drop(self, seat: int, place: Place, open_place: Place, judge: Judge | None, seats: list[int]) -> None:
        """A certificate about a seat that would have been dealt in, as `seats` still would, or would have signed."""
        demand(seat in self.may_open(), "a certificate about a seat that isn't present")
        try:
            self.take_certificate(place, seat, judge)
        except CutOffError:
            if len(seats) < 2:
                self.back_to_roster()  # That was due already, whether or not this certificate comes late.
            raise
        self.dropped[seat] = self.absence_entry(open_place._replace(attempt=0), seat)
        self.attempt += 1

    def back_to_roster(self) -> str:
        """Fewer than two seats are left to be dealt in."""
        self.head = tagged("head", self.head, *self.dropped_entries())
        if self.may_open():  # If everybody was certified absent, it is as if nobody had been.
            self.book_away(self.dropped)
        self.dropped = {}
        self.step += 1
        return "roster"

    def opening(self) -> dict[str, object]:
        """The signed ante as it must be."""
        lane = self.current_deck()
        return {
            "roster": [{"seat": one, "key": self.key(one), "chips": self.game.chips[one]} for one in self.may_open()],
            "dealt_in": [seat for seat, _ in lane.seats],
            "closing": self.closed,
            "deck": lane.place.head,
        }

    def judge_open(self, _seat: int, envelope: Envelope) -> None:
        """The signed ante."""
        demand(envelope.type == "open", f"a {envelope.type} where an open is owed", "wrong_type")
        demand(envelope.body == self.opening(), "an open doesn't say what holds", "wrong_opening")

    # --- Phase tokens (deal.md) --------------------------------------------------------------------------------------

    def bases(self, seat: int) -> list[Element]:
        """What a seat makes tokens of: C1 of the hands of the others and of the upcard, and Q where a draw is due."""
        lane, size = self.current_deck(), self.params["hand_size"]
        seats = [one for one, _ in lane.seats]
        own = seats.index(seat)
        bases = [card.c1 for i, card in enumerate(lane.deck[: len(seats) * size + 1]) if i // size != own]
        if self.game.last_winner is None:
            bases.append(hash_to_group(b"azi opener draw" + self.opened))
        return bases

    def current_deck(self) -> DeckLane:
        """The deck in use."""
        assert self.deck is not None
        return self.deck

    def judge_tokens(self, seat: int, envelope: Envelope) -> None:
        """Number, elements, proof."""
        lane, bases, body = self.current_deck(), self.bases(seat), envelope.body
        demand(len(body["tokens"]) == len(bases), "the number of tokens is wrong", "wrong_count")
        context = self.context(envelope.place, lane.seats, seat, b"tokens")
        verify_tokens(context, lane.keys[seat], bases, [element(token) for token in body["tokens"]], body["proof"])

    def phase_tokens(self) -> str:
        """The tokens of all; the deal begins, or is void."""
        lane, size = self.current_deck(), self.params["hand_size"]
        seats = [seat for seat, _ in lane.seats]
        answers = self.take_step(("tokens",), seats, self.judge_tokens)
        tokens = {
            seat: [element(token) for token in answer.body["tokens"]]
            for seat, answer in answers.items()
            if answer is not None
        }
        if not tokens:  # Everybody had lost everybody: nobody broke the deal.
            return "close"
        if len(tokens) < len(seats):
            self.game.void(seats, [seat for seat in seats if seat not in tokens])
            return "close"
        # Put each seat's tokens beside the cards that they belong to; its own hand is left out.
        by_card: list[list[Element]] = [[] for _ in range(len(seats) * size + 1)]
        for index, seat in enumerate(seats):
            others = [cards for i, cards in enumerate(by_card) if i // size != index]
            for cards, token in zip(others, tokens[seat], strict=False):  # The draw has no card.
                cards.append(token)
        rests = [add_up([card.c2], taken) for card, taken in zip(lane.deck, by_card, strict=False)]
        self.open_cards = {(seats[i // size], i % size): rest for i, rest in enumerate(rests[:-1])}
        names = {card_element(card).data: card for card in card_list(self.params["out_suit"])}
        upcard = names.get(rests[-1].data)
        demand(upcard is not None, "the upcard is no card of the deck")
        assert upcard is not None
        drawn = None
        if self.game.last_winner is None:
            shared = add_up(tokens[seat][-1] for seat in seats)
            drawn = opener_draw(self.opened, shared.data, seats)
        self.game.begin(seats, upcard, drawn)
        return self.next_phase(after_close=False)

    # --- Phases discard and act (deal.md, "Acts", "play") ------------------------------------------------------------

    def phase_discard(self) -> str:
        """One card of each hand of four; the actions take effect in the order of the seats."""
        answers = self.take_step(("discard", "leave"), self.game.owes(), lambda _seat, _envelope: None)
        for seat, answer in answers.items():
            if self.game.phase == "discard":  # Else an action of a seat before has ended the deal.
                self.do(self.game, seat, answer)
        return self.next_phase(after_close=False)

    def phase_act(self) -> str:
        """One act of the seat that the rules name."""
        seat, buying_in = self.game.owes()[0], self.game.phase == "buy_in"
        types = ("bid", "call", "check", "fold", "play", "buy_in", "decline", "leave")
        answer = self.take_step(types, [seat], self.judge_act)[seat]
        self.do(self.game, seat, answer)
        return self.next_phase(after_close=buying_in)

    def do(self, game: Game, seat: int, answer: Envelope | None) -> None:
        """Hand an act, or an absence, to the rules."""
        body: dict[str, Any] = {} if answer is None else answer.body
        kind = "absent" if answer is None else answer.type
        game.act(seat, kind, body.get("to", 0), body.get("position", 0), body.get("card", ""))

    def judge_act(self, seat: int, envelope: Envelope) -> None:
        """An act by the rules; a card by its proofs as well."""
        self.do(copy.deepcopy(self.game), seat, envelope)
        if envelope.type == "play":
            self.judge_play(seat, envelope)

    def judge_play(self, seat: int, envelope: Envelope) -> None:
        """deal.md, "play": the number of void proofs, the token, the card, the void proofs."""
        lane, body, deal = self.current_deck(), envelope.body, self.game.deal
        assert deal is not None
        assert deal.trick is not None
        lead = deal.trick.cards[deal.trick.leader]
        suit, position = body["card"][1], body["position"]
        ruled_out: set[str | None] = set()
        if lead is not None and suit != lead[1]:
            ruled_out = {lead[1]} if suit == deal.trump else {lead[1], deal.trump}
        held = [one for one in range(self.params["hand_size"]) if deal.held[seat] >> one & 1 and one != position]
        owed = held if ruled_out else []
        demand(len(body["void"]) == len(owed), "the number of void proofs is wrong", "void_proof_missing")

        key, token = lane.keys[seat], element(body["token"])
        context = self.context(envelope.place, lane.seats, seat, b"play")
        verify_tokens(context, key, [self.masked(seat, position).c1], [token], body["proof"])
        card = add_up([self.open_cards[seat, position]], [token])
        demand(card.data == card_element(body["card"]).data, "the token opens another card", "card_not_held")

        cards = card_list(self.params["out_suit"])
        allowed = [card_element(one) for one in cards if one[1] not in ruled_out]
        for one, proof in zip(owed, body["void"], strict=True):
            context = self.context(envelope.place, lane.seats, seat, b"void" + bytes([one]))
            verify_void(context, key, self.masked(seat, one).c1, self.open_cards[seat, one], allowed, proof)

    def masked(self, seat: int, position: int) -> MaskedCard:
        """The masked card at a position of a hand."""
        lane = self.current_deck()
        index = next(i for i, one in enumerate(lane.seats) if one.seat == seat)
        return lane.deck[index * int(self.params["hand_size"]) + position]

    def next_phase(self, after_close: bool) -> str:
        """What follows what (order.md), by the phase of the game."""
        phase = self.game.phase
        if phase in ("discard", "bidding", "playing"):
            return "discard" if phase == "discard" else "act"
        if not after_close:
            return "close"
        if phase == "buy_in":
            return "act"
        if self.game.over() == "deal_limit":
            return self.ending("deal_limit")
        self.deal, self.attempt, self.step = self.deal + 1, 0, 0
        return "roster"

    def judge_step(self, seat: int, envelope: Envelope) -> None:
        """A message of the step that is under way, judged by itself."""
        judges: dict[str, tuple[tuple[str, ...], Judge]] = {
            "roster": (("roster",), self.judge_roster),
            "open": (("open",), self.judge_open),
            "tokens": (("tokens",), self.judge_tokens),
            "discard": (("discard", "leave"), self.judge_act),
            "act": (("bid", "call", "check", "fold", "leave", "play", "buy_in", "decline"), self.judge_act),
            "close": (("close",), self.judge_close),
            "end": (("end",), self.judge_end),
        }
        types, judge = judges[self.phase]
        demand(envelope.type in types, f"{envelope.type} where {' or '.join(types)} is owed", "wrong_type")
        judge(seat, envelope)

    # --- Phases close and end (deal.md, "close"; roster.md, "end") ---------------------------------------------------

    def phase_close(self) -> str:
        """The receipt."""
        self.take_step(("close",), self.present(), self.judge_close)
        self.closed = self.head
        self.deals_closed += 1
        return self.next_phase(after_close=True)

    def receipt(self) -> dict[str, object]:
        """Digest and chips as they must be."""
        return {"state": state_digest(self.game), "chips": self.game.chips}

    def judge_close(self, _seat: int, envelope: Envelope) -> None:
        """Digest and chips."""
        demand(envelope.body == self.receipt(), "a receipt doesn't say what holds", "wrong_receipt")

    def ending(self, reason: str) -> str:
        """The table ends; stakes of a carried pot return."""
        self.reason = reason
        self.game.return_stakes()
        return "end"

    def phase_end(self) -> None:
        """The standings. Who has signed them doesn't enter the head; where nobody is there, nobody need."""
        head = self.head
        if self.present():
            taken = [seat for seat, key in enumerate(self.keys) if key is not None]
            self.take_step(("end",), self.present(), self.judge_end, taken)
            self.head = tagged("head", head)

    def last_words(self) -> dict[str, object]:
        """Reason and standings as they must be."""
        return {"reason": self.reason, "standings": self.game.standings()}

    def judge_end(self, _seat: int, envelope: Envelope) -> None:
        """Reason and standings."""
        demand(envelope.body == self.last_words(), "an end doesn't say what holds", "wrong_standings")


# =====================================================================================================================
# 10  Report (ledger.md, "Verdict")
# =====================================================================================================================

VALID, FAILED, USAGE, INVALID, INCOMPLETE = 0, 1, 2, 3, 4


@dataclass
class Report:
    """What is to be said of a ledger."""

    code: int
    message: str
    table: Table | None
    reason: str = ""

    def as_json(self) -> dict[str, object]:
        """The shape of `azi verify --json`."""
        table = self.table
        return {
            "valid": self.code != INVALID,
            "complete": self.code == VALID,
            "deals": table.deals_closed if table else 0,
            "seats": [key.hex() if key else None for key in table.keys] if table else [],
            "head": (table.head if table else b"").hex(),
            "chips": table.game.chips if table else [],
            "checks": table.checks if table else {},
            "faults": [*self.invalid(), *(table.faults if table else [])],
        }

    def invalid(self) -> list[dict[str, object]]:
        """What makes the file invalid, as a fault of nobody."""
        if self.code != INVALID:
            return []
        return [{"seat": None, "code": self.reason, "deal": None, "step": None, "message": self.message}]

    def lines(self, name: str) -> list[str]:
        """The same for people."""
        lines = [f"{name}: {self.message}"]
        if self.table and self.code != INVALID:
            counts = ", ".join(f"{count} {what.replace('_', ' ')}" for what, count in self.table.checks.items())
            lines.append(f"  checked: {counts}; last head {self.table.head.hex()}")
            for seat, key in enumerate(self.table.keys):
                if key:
                    lines.append(f"  seat {seat}: {self.table.game.chips[seat]} chips, key {fingerprint(key)}")
        if self.table:
            for fault in self.table.faults:
                place = f"deal {fault['deal']}, step {fault['step']}"
                lines.append(f"  fault: seat {fault['seat']}, {place}: {fault['message']} ({fault['code']})")
        return lines


def verify(data: bytes) -> Report:
    """Verify the bytes of a ledger file."""
    table: Table | None = None
    try:
        table = Table(data)
        table.run()
    except CutOffError:
        assert table is not None
        message = f"valid as far as it goes, but incomplete; deals closed: {table.deals_closed}{table.waits()}"
        report = Report(INCOMPLETE, message, table)
    except BadLedgerError as error:
        offset = table.records.offset if table else 0
        report = Report(INVALID, f"INVALID at byte {offset}: {error}", table, error.code or "bad_ledger")
    else:
        report = Report(VALID, f"valid and complete; deals closed: {table.deals_closed}", table)
    if table:
        table.checks["signatures"] += table.records.signatures
    return report


def stop(message: str, code: int) -> NoReturn:
    """End with a line about what went wrong."""
    print(f"verify_ledger: {message}", file=sys.stderr)
    raise SystemExit(code)


# =====================================================================================================================
# 11  Evidence files (votes.md, "The evidence file")
# =====================================================================================================================

EVIDENCE_MAGIC = b"AZIEVID\x01"


class Heard(Records):
    """What led up to a fault, as messages that came in: each is taken where a step wants it."""

    def __init__(self, messages: list[Envelope]) -> None:
        super().__init__(b"", 0)
        self.messages = messages
        self.table: Table | None = None

    def ended(self) -> bool:
        """Whether everything has been taken."""
        return self._next is None and not self.messages

    def peek(self) -> Envelope:
        """The message that the table awaits; or a vote, if that comes next."""
        if self._next is None:
            found = self.find()
            if found is None:
                raise CutOffError
            self._next = found
            self.messages.remove(found)
        return self._next

    def find(self) -> Envelope | None:
        """The message that is awaited; one that breaks a rule counts nowhere, so it isn't."""
        table = self.table
        assert table is not None
        if table.awaited is None:
            return next(iter(self.messages), None) if table.phase == "founding" else None
        seat, place, types = table.awaited
        if "vote" not in types and (types != ("roster",) or table.phase == "roster"):  # else only votes are looked for
            judge = table.lane.judge if table.lane and place.lane == "deck" else table.judge_step
            for one in self.sent(seat, place, types):
                if holds(judge, seat, one):
                    return one
                self.messages.remove(one)
        return next((one for one in self.messages if one.type == "vote" and one.body["verdict"] == "claim"), None)

    def sent(self, seat: int, place: Place, types: tuple[str, ...]) -> list[Envelope]:
        """What a seat has sent at a place."""
        assert self.table is not None
        key = self.table.keys[seat]
        return [one for one in self.messages if (one.place, one.author) == (place, key) and one.type in types]


def holds(judge: Judge, seat: int, envelope: Envelope) -> bool:
    """Whether a message breaks no rule."""
    try:
        judge(seat, envelope)
    except BadLedgerError:
        return False
    return True


class HeardTable(Table):
    """A table brought as far as what has been heard allows."""

    def __init__(self, params: bytes, messages: list[Envelope]) -> None:
        super().__init__(MAGIC + struct.pack(">I", len(params)) + params)
        self.records = self.heard = Heard(messages)
        self.heard.table = self

    def knows(self, place: Place) -> bool:
        """Whether a message or a vote names a step that has been heard of."""
        lanes = [self.lane, self.deck, self.deck_lane()]
        decks = [one for lane in lanes if lane is not None for one in [*lane.places, lane.place]]
        return place.head in self.steps or place.head == self.head or place in decks

    def deck_lane(self) -> DeckLane | None:
        """The deck lane in preparation, as far as it has been heard."""
        if self.phase == "open":
            return self.lane
        if self.phase in ("founding", "end"):
            return None
        between = self.phase == "roster"
        deal, attempt = (self.deal, self.attempt) if between else (self.deal + 1, 0)
        lane = DeckLane(self, deal, attempt, self.predicted)
        while not lane.ready:
            kind, owing = lane.owed()
            sent = {
                seat: [one for one in self.heard.sent(seat, lane.place, (kind,)) if holds(lane.judge, seat, one)]
                for seat in owing
            }
            if not all(sent.values()):
                break
            lane.complete({seat: good[0] for seat, good in sent.items()})
        return lane


class Fault(NamedTuple):
    """What an evidence file proves."""

    code: str
    seat: int
    key: bytes
    deal: int
    step: int
    message: str

    def as_json(self) -> dict[str, object]:
        """The fields that are compared with other programs."""
        return {**self._asdict(), "key": self.key.hex(), "proven": True}


def verify_evidence(data: bytes) -> Fault:
    """The fault that an evidence file proves; BadLedgerError if it proves none."""
    params, proving, context = read_evidence(data)
    evidence = [read_envelope(raw) for raw in proving]
    heard = []
    for raw in context:
        try:
            heard.append(read_envelope(raw))
        except BadLedgerError:
            continue  # A message that isn't in order by itself is no message.
    heard = list({one.id: one for one in heard}.values())  # The same message twice is one.
    table = HeardTable(params, heard)
    with contextlib.suppress(CutOffError):  # It goes as far as the writer of the file had got.
        table.run()
    first, last = evidence[0], evidence[-1]
    demand(table.founded and {one.table for one in evidence} == {table.id}, "it speaks of another table")
    demand(first.author in table.keys, "its author has no seat")
    seat = table.keys.index(first.author)
    code, message = broken_rule(table, seat, evidence)
    return Fault(code, seat, first.author, last.place.deal, last.place.step, message)


def read_evidence(data: bytes) -> tuple[bytes, list[bytes], list[bytes]]:
    """The parameters, the proving envelopes, and what leads up to them."""
    demand(data[:8] == EVIDENCE_MAGIC, "this is no evidence file, or one of another version")
    at = 8
    records: list[bytes] = []
    count = 0
    while at < len(data):
        demand(at + 4 <= len(data), "the file ends inside a length")
        (size,) = struct.unpack(">I", data[at : at + 4])
        demand(1 <= size <= (MAX_VOTE if records else MAX_PARAMS), f"a record of {size} bytes")
        demand(at + 4 + size <= len(data), "the file ends inside a record")
        records.append(data[at + 4 : at + 4 + size])
        at += 4 + size
        if len(records) == 1:
            count = data[at] if at < len(data) else 0
            demand(count in (1, 2), "neither one nor two proving envelopes")
            at += 1
    demand(count > 0 and len(records) > count, "the file ends before the evidence does")
    return records[0], records[1 : 1 + count], records[1 + count :]


def broken_rule(table: HeardTable, seat: int, evidence: list[Envelope]) -> tuple[str, str]:
    """Code and words of the rule that these messages of a seat break at their place; BadLedgerError if they don't."""
    first, last = evidence[0], evidence[-1]
    if len(evidence) == 2:
        same = first.slot is not None and first.slot == last.slot and first.author == last.author
        demand(same and first.id != last.id, "two messages that may both be honest")
        lane = first.body["lane"] if first.type == "vote" else first.place.lane
        demand(table.knows(first.place._replace(lane=lane)), "messages at a head that isn't known")
        return "equivocation", "signed two different messages for one slot"
    if first.place.lane == "play":
        demand(table.phase != "open" or not table.dropped, "its author may know of another attempt")
        head, place, judge = table.head, table.place(), table.judge_step
        steps = table.steps if table.phase != "open" else {**table.steps, head: table.may_open()}
    else:
        lane = table.deck_lane()
        demand(first.place.lane == "deck" and lane is not None, "a message that is in no lane")
        assert lane is not None
        head, place, judge = lane.place.head, lane.place, lane.judge
        steps = {} if lane.ready else {head: lane.owed()[1]}
    demand(first.place.head in steps, "a message at a head that isn't known")
    if first.place.head != head:  # A step that is over: nothing counts there any more but who owed something.
        demand(seat not in steps[first.place.head], "a message that may have been owed")
        return "not_your_turn", "signed a message where the seat owed none"
    demand(first.place.attempt == place.attempt, "a message of another attempt")
    if first.place != place:
        return "wrong_place", "named a head together with another deal or step"
    if seat not in steps[head]:
        return "not_your_turn", "signed a message where the seat owes none"
    try:
        judge(seat, first)
    except BadLedgerError as error:
        return error.code, str(error)
    raise BadLedgerError("a message that breaks no rule")


# =====================================================================================================================
# 12  Test vectors (protocol/vectors/*.json)
# =====================================================================================================================
# A case that is valid must hold. A case that isn't is a valid one (`changes`) `with` other fields, and must be refused.

Fields = dict[str, Any]
DEFAULT_PARAMS: dict[str, Any] = {
    "seats": 4,
    "hand_size": 3,
    "out_suit": "C",
    "ante": 10,
    "min_bid": 10,
    "start_chips": 1000,
    "max_bids": 3,
    "opener_rule": "must_bid",
    "short_payout": "matched",
    "azi_replay": "all",
    "promoted_six": True,
    "rebuy": False,
    "deal_limit": 0,
    "turn_seconds": 60,
}


class Scenario:
    """Plays a scenario of `protocol/scenarios` by the rules of section 7; its form is taken to be right."""

    def __init__(self, scenario: Fields) -> None:
        self.scenario, seats = scenario, scenario["seats"]
        self.game = Game({**DEFAULT_PARAMS, **scenario.get("params", {}), "seats": len(seats)})
        for place, seat in enumerate(seats):
            self.game.take_place(place)
            self.game.chips[place] = seat["chips"]
        self.game.last_winner = scenario.get("last_winner")
        draws = scenario.get("opener_draw", 0)
        self.draws: list[int] = list(draws) if isinstance(draws, list) else [draws]
        self.at: tuple[int, int | None] = (0, None)  # deal and action that are being played

    def play(self) -> Iterator[Deal | None]:
        """Play; gives after each deal its record, or nothing for one that waits for seats to buy in."""
        game = self.game
        for number, deal in enumerate(self.scenario["deals"]):
            self.at = number, None
            for wish in deal.get("before", ()):
                demand(wish["do"] in ("rebuy", "sit_out", "return"), "no wish of a scenario", "bad_scenario")
                try:
                    game.wish(wish["seat"], wish["do"])
                except BadLedgerError as error:
                    raise BadLedgerError(str(error), "not_allowed") from None
            actions = list(enumerate(deal.get("actions", ())))
            while actions and game.phase == "buy_in":
                self.act(deal["hands"], *actions.pop(0))
            if game.phase == "buy_in":
                yield None
                return
            taker = game.pot_taker()
            if taker is not None:
                game.take_pot(taker)
            elif deal["hands"] is None:
                game.void(game.next_dealt_in(), sorted(action["seat"] for _, action in actions))
                actions = []
            else:
                game.begin(game.next_dealt_in(), deal["upcard"], self.draw())
            for index, action in actions:
                self.act(deal["hands"], index, action)
            yield game.deal

    def draw(self) -> int | None:
        """The opener, where one must be drawn; who isn't dealt in passes it on."""
        if self.game.last_winner is not None:
            return None
        seat = self.draws.pop(0) if len(self.draws) > 1 else self.draws[0]
        dealt_in = self.game.next_dealt_in()
        return next(one for one in self.game.clockwise(seat) if one in dealt_in)

    def act(self, hands: Any, index: int, action: Fields) -> None:
        """One action, with the checks that need open hands."""
        self.at = self.at[0], index
        game, deal, seat, card = self.game, self.game.deal, action["seat"], action.get("card", "")
        phase = {"playing": "play"}.get(game.phase, game.phase)
        position = 0
        if card and action["do"] == phase and deal is not None:
            demand(seat in game.owes(), "it is another seat's turn", "not_your_turn")
            held = {one: i for i, one in enumerate(hands[seat]) if deal.held[seat] >> i & 1}
            demand(card in held, "the card isn't held", "card_not_held")
            position = held[card]
            lead = deal.trick.cards[deal.trick.leader] if deal.trick else None
            if lead is not None and card[1] != lead[1]:
                suits = {one[1] for one in held}
                demand(lead[1] not in suits, "the suit led must be followed", "must_follow_suit")
                demand(card[1] == deal.trump or deal.trump not in suits, "a trump must be played", "must_trump")
        game.act(seat, action["do"], action.get("to", 0), position, card)


def unhex(text_: str) -> bytes:
    """Bytes from hexadecimal."""
    return bytes.fromhex(text_)


def vector_context(context: Fields) -> Transcript:
    """The context of a proof, from a vector."""
    place = Place(context["lane"], context["deal"], context["attempt"], context["step"], unhex(context["head"]))
    seats = [Seat(seat, unhex(key)) for seat, key in context["roster"]]
    table = (unhex(context["table"]), unhex(context["params"]))
    return proof_context(*table, place, seats, context["seat"], unhex(context["purpose"]))


def _hash_to_group(case: Fields) -> bool:
    return hash_to_group(unhex(case["label"])).data == unhex(case["element"])


def _hashes(case: Fields) -> bool:
    return tagged(case["tag"], *map(unhex, case["parts"])) == unhex(case["hash"])


def _commitments(case: Fields) -> bool:
    parts = (unhex(case["base"]), u64(case["seat"]), unhex(case["reveal"]))
    return commitment(b"azi deal key", *parts) == unhex(case["digest"])


def _transcripts(case: Fields) -> bool:
    t = Transcript(case["label"].encode())
    for operation, label, *rest in case["operations"]:
        if operation == "append":
            t.append(label, unhex(rest[0]))
        elif operation == "append_int":
            t.append_int(label, rest[0])
        elif operation == "challenge":
            if t.challenge(label).to_bytes(32, "little").hex() != rest[0]:
                return False
        elif [one.to_bytes(32, "little").hex() for one in t.challenges(label, rest[0])] != rest[1]:
            return False
    return True


def _contexts(case: Fields) -> bool:
    return vector_context(case["context"]).challenge("c").to_bytes(32, "little") == unhex(case["challenge"])


def _cards(case: Fields) -> bool:
    names = card_list(case["out_suit"])
    return names == case["names"] and joined(map(card_element, names)) == unhex(case["elements"])


def _generators(case: Fields) -> bool:
    return (chain_base().data, joined(permutation_bases(case["n"]))) == (unhex(case["h"]), unhex(case["bases"]))


def _scalars(case: Fields) -> bool:
    data = unhex(case["scalar"])
    return len(data) == 32 and scalars(data) == [int(case["value"])]


def _elements(case: Fields) -> bool:
    item = element(unhex(case["element"]))
    return ristretto_encode(item.point) == item.data


def _masking(case: Fields) -> bool:
    secrets = [int.from_bytes(unhex(one), "little") for one in case["secrets"]]
    keys, r = [combine((x, G)) for x in secrets], int.from_bytes(unhex(case["r"]), "little")
    joint = add_up(keys)
    start = start_deck(case["names"], joint)
    card = start[case["index"]]
    masked = MaskedCard(combine((1, card.c1), (r, G)), combine((1, card.c2), (r, joint)))
    tokens = [combine((x, masked.c1)) for x in secrets]
    found = {
        "keys": [key.data.hex() for key in keys],
        "joint": joint.data.hex(),
        "start": deck_bytes(start).hex(),
        "masked": deck_bytes([masked]).hex(),
        "tokens": [token.data.hex() for token in tokens],
    }
    left = add_up([masked.c2], tokens)
    return found == {name: case[name] for name in found} and left.data == card_element(case["card"]).data


def _ownership(case: Fields) -> bool:
    verify_ownership(vector_context(case["context"]), element(unhex(case["key"])), unhex(case["proof"]))
    return True


def _shuffle(case: Fields) -> bool:
    decks = read_deck(unhex(case["deck"])), read_deck(unhex(case["shuffled"]))
    joint_key = element(unhex(case["key"]))
    verify_shuffle(vector_context(case["context"]), joint_key, *decks, unhex(case["proof"]))
    return bool(len(decks[0]) == case["cards"])


def _dleq(case: Fields) -> bool:
    key, bases, tokens = (elements(unhex(case[name])) for name in ("key", "bases", "tokens"))
    verify_tokens(vector_context(case["context"]), key[0], bases, tokens, unhex(case["proof"]))
    return True


def _void(case: Fields) -> bool:
    key, c1, d = (element(unhex(case[name])) for name in ("key", "c1", "d"))
    allowed = [card_element(card) for card in case["allowed"]]
    verify_void(vector_context(case["context"]), key, c1, d, allowed, unhex(case["proof"]))
    return True


def _draw(case: Fields) -> bool:
    return bool(opener_draw(unhex(case["head"]), unhex(case["shared"]), case["seats"]) == case["seat"])


def _signatures(case: Fields) -> bool:
    key, signature = unhex(case["key"]), unhex(case["signature"])
    verify_ed25519(key, signature, signed_bytes(unhex(case["domain"]), unhex(case["message"])))
    return bool(fingerprint(key) == case["fingerprint"])


def _envelopes(case: Fields) -> bool:
    envelope = read_envelope(unhex(case["envelope"]))
    return (envelope.id.hex(), envelope.type) == (case["message_id"], case["type"])


# Frames and hellos (transport.md) are no part of a ledger; here they are checked for their vectors only.
KEY_FIELD = octets(32)
FRAMES = {
    "envelope": fields(envelope=octets(1, MAX_VOTE)),
    "status": fields(
        **{"table": DIGEST, "deal": COUNT, "step": COUNT, "head": DIGEST, "held": integer(0, 63)},
        **{"deck_deal": COUNT, "deck_attempt": COUNT, "deck_step": COUNT, "deck_held": integer(0, 63)},
        wants_answer=boolean,
    ),
    "peers": fields(peers=list_of(0, 32, fields(peer=KEY_FIELD, host=text(1, 64), port=integer(1, 65535)))),
    "ping": fields(number=COUNT, reply=boolean),
}
OPENING = fields(
    magic=choice("azi hello"),
    version=integer(1, 1),
    role=choice("dialer", "listener"),
    key=KEY_FIELD,
    nonce=octets(32),
)
HELLO_PROOF = fields(signature=octets(64))


def _frames(case: Fields) -> bool:
    data = unhex(case["frame"])
    demand(1 <= int.from_bytes(data[:4], "big") == len(data) - 4 <= 65536, "a frame has the wrong length")
    pair = unpack(data[4:])
    demand(isinstance(pair, list) and len(pair) == 2 and pair[0] in FRAMES, "no kind of frame")
    FRAMES[pair[0]](pair[1], "a frame")
    return bool(pair[0] == case["kind"])


def _hello(case: Fields) -> bool:
    openings = {}
    for role in ("dialer", "listener"):
        openings[role] = unpack(unhex(case[f"{role}_opening"]))
        OPENING(openings[role], "an opening")
        demand(openings[role]["role"] == role, "both ends have the same role")
    for role, opening in openings.items():
        meeting = {"signer": role, "version": 1, "certificate": unhex(case["certificate"])}
        meeting |= {f"{one}_{what}": openings[one][what] for what in ("key", "nonce") for one in openings}
        proof = unpack(unhex(case[f"{role}_proof"]))
        HELLO_PROOF(proof, "a proof")
        verify_ed25519(opening["key"], proof["signature"], signed_bytes(b"azi/1 hello", pack(meeting)))
        if role == "dialer" and pack(meeting) != unhex(case["meeting"]):
            return False
    return True


def _digests(case: Fields, folder: Path) -> bool:
    scenario = json.loads((folder.parent / "scenarios" / f"{case['scenario']}.json").read_text())
    played = Scenario(scenario)
    for _ in played.play():
        pass
    state = state_value(played.game)
    encoding = encode_state(["azi/rules/state/1", state])
    found = {"digest": sha256(encoding).hex(), "state": state, "encoding": encoding.hex()}
    return all(case[name] == value for name, value in found.items() if name in case)


def _ledgers(case: Fields, folder: Path) -> bool:
    report = verify(edited(folder / "ledgers" / case["ledger"], case["edits"]))
    demand(report.code != INVALID, report.message)
    table = report.table
    assert table is not None
    keys = [None if key is None else key.hex() for key in table.keys]
    found = (report.code == VALID, table.deals_closed, table.head.hex(), table.game.chips, [key for key in keys if key])
    return found == (case["complete"], case["deals"], case["head"], case["chips"], [key for key in case["keys"] if key])


def _records(case: Fields) -> bool:
    """A record of mDNS: no part of a ledger either."""
    data, at, said = unhex(case["txt"]), 0, dict[bytes, bytes | None]()
    demand(len(data) <= 1024, "too much text")
    while at < len(data):
        key, sign, value = data[at + 1 : at + 1 + data[at]].partition(b"=")
        said.setdefault(key, value if sign else None)
        at += 1 + data[at]

    def value_of(key: str, form: str, low: int, high: int) -> str:
        value = said.get(key.encode())
        demand(value is not None, f"{key} is missing")
        assert value is not None
        try:
            written = value.decode("utf-8")
        except UnicodeDecodeError:
            raise BadLedgerError(f"{key} isn't UTF-8") from None
        signs = {"number": "0123456789", "hex": "0123456789abcdef", "text": written}[form]
        demand(set(written) <= set(signs), f"{key} has other signs")
        demand(form == "number" or low <= len(written) <= high, f"{key} is too long or too short")
        demand(form != "number" or (1 <= len(written) <= 7 and low <= int(written) <= high), f"{key} is out of range")
        return written

    version = int(value_of("v", "number", 0, 2**15))
    shown: Fields = {
        "version": version,
        "peer": value_of("k", "hex", 64, 64),
        "table": value_of("t", "hex", 64, 64),
        "table_name": value_of("n", "text", 1, 24),
        **{"nickname": "", "seats": 0, "free": 0, "ante": 0, "params": ""},
        "addresses": [],
    }
    if version == 1:
        shown["nickname"] = value_of("m", "text", 1, 24)
        shown["seats"] = int(value_of("s", "number", 2, 6))
        shown["free"] = int(value_of("f", "number", 0, shown["seats"]))
        shown["ante"] = int(value_of("a", "number", 1, 10**6))
        shown["params"] = value_of("d", "hex", 64, 64)
        if b"c" in said:
            shown["private"] = value_of("c", "number", 1, 1) == "1"
    for host in case["addresses"][:8]:
        try:
            found = ipaddress.ip_address(host)
        except ValueError:
            continue
        address = getattr(found, "ipv4_mapped", None) or found
        barred = address.is_multicast or address.is_unspecified or address.is_reserved
        entry = [str(address), case["port"]]
        if not barred and (case["loopback"] or not address.is_loopback) and entry not in shown["addresses"]:
            shown["addresses"].append(entry)
    demand(bool(shown["addresses"]) and 1 <= case["port"] <= 65535, "no address that could be dialled")
    return bool(shown == case["shown"])


def _evidence(case: Fields, folder: Path) -> bool:
    fault = verify_evidence(edited(folder / "evidence" / case["file"], case["edits"])).as_json()
    return all(fault[name] == case[name] for name in ("code", "seat", "key", "deal", "step"))


def edited(path: Path, edits: list[Fields]) -> bytes:
    """A file with the edits of a case made; their places are those of the file as it is."""
    whole, data, at = path.read_bytes(), b"", 0
    for edit in edits:
        data += whole[at : edit["at"]] + unhex(edit["insert"])
        at = edit["at"] + edit["remove"]
    return data + whole[at:]


ALONE: dict[str, Callable[[Fields], bool]] = {
    "cards": _cards,
    "commitments": _commitments,
    "contexts": _contexts,
    "dleq": _dleq,
    "draw": _draw,
    "elements": _elements,
    "envelopes": _envelopes,
    "frames": _frames,
    "generators": _generators,
    "hash-to-group": _hash_to_group,
    "hashes": _hashes,
    "hello": _hello,
    "masking": _masking,
    "ownership": _ownership,
    "records": _records,
    "scalars": _scalars,
    "shuffle": _shuffle,
    "signatures": _signatures,
    "transcripts": _transcripts,
    "void": _void,
}
WITH_FILES: dict[str, Callable[[Fields, Path], bool]] = {
    "digests": _digests,
    "evidence": _evidence,
    "ledgers": _ledgers,
}


def vector_failures(path: Path) -> tuple[int, list[str]]:
    """How many cases a file of vectors has, and which of them aren't as they should be."""
    name, cases = path.stem, json.loads(path.read_text())["tests"]
    by_id = {case["id"]: case for case in cases}
    failures = []
    for case in cases:
        values = {**by_id[case["changes"]], **case["with"]} if "changes" in case else case
        try:
            holds = WITH_FILES[name](values, path.parent) if name in WITH_FILES else ALONE[name](values)
            reason = "" if holds else "another value"
        except BadLedgerError as error:
            reason = str(error)
        if (not reason) != (case["result"] == "valid"):
            failures.append(f"{path.name}: case {case['id']} ({case['comment']}): {reason or 'was not refused'}")
    return len(cases), failures


NOT_OF_GAMES = {"codes": "how peers of a private table come to a link, of which no game file holds anything"}
"""Vectors that are nothing to a reader of games."""


def check_vectors(folder: Path) -> int:
    """Check all vectors in a folder and print how they fare; gives the exit code."""
    code = 0
    paths = sorted(folder.glob("*.json"))
    if not paths:
        stop(f"there are no vectors in {folder}", USAGE)
    for path in paths:
        if path.stem in NOT_OF_GAMES:
            print(f"{path.name}: left out, it is about {NOT_OF_GAMES[path.stem]}")
            continue
        if path.stem not in {**ALONE, **WITH_FILES}:
            count, failures = 0, [f"{path.name}: this program has no check for these vectors"]
        else:
            count, failures = vector_failures(path)
        print(f"{path.name}: {count} cases, {len(failures) or 'none'} not as they should be")
        print("".join(f"  {failure}\n" for failure in failures), end="")
        code = 1 if failures else code
    return code


# =====================================================================================================================
# 13  The command line
# =====================================================================================================================


def main(arguments: list[str] | None = None) -> int:
    """Read the command line, verify, print, and give the exit code."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ledgers", nargs="*", metavar="LEDGER", type=Path)
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout and nothing else")
    parser.add_argument("--vectors", metavar="DIR", type=Path, help="check the test vectors in this folder instead")
    options = parser.parse_args(arguments)
    if options.vectors:
        return check_vectors(options.vectors)
    if not options.ledgers:
        stop("name a ledger, or --vectors DIR", USAGE)
    return check_files(options.ledgers, as_json=options.json)


MAX_FILE = 512 * 1024 * 1024
"""Bytes of a file that is looked at; a ledger of a long evening has a few million."""


def check_files(paths: list[Path], *, as_json: bool) -> int:
    """Judge ledgers and evidence files, and print what they are; a file that can't be read keeps no other from it."""
    codes: set[int] = set()
    ledgers: list[Fields] = []
    evidence: list[Fields] = []
    for path in paths:
        try:
            with path.open("rb") as file:
                data = file.read(len(MAGIC))
                if data in (MAGIC, EVIDENCE_MAGIC):  # Of any other file there is nothing more to be read.
                    data += file.read(MAX_FILE + 1 - len(data))
                size = max(len(data), os.fstat(file.fileno()).st_size)
            refusal = f"is larger than {MAX_FILE} bytes, so it is no game file" if size > MAX_FILE else ""
        except OSError as error:
            refusal = f"can't be read: {error.strerror}"
        if refusal:
            print(f"verify_ledger: {shown(path)} {refusal}", file=sys.stderr)
            codes.add(FAILED)
            continue
        if data.startswith(EVIDENCE_MAGIC):
            code, line, answer = judged_evidence(path, data)
            codes.add(code)
            evidence.append(answer)
            lines = [line]
        else:
            report = verify(data)
            codes.add(report.code)
            ledgers.append({"file": str(path), **report.as_json()})
            lines = report.lines(shown(path))
        if not as_json:
            print("\n".join(lines))
    if as_json and len(paths) == 1 and ledgers:
        print(json.dumps({name: value for name, value in ledgers[0].items() if name != "file"}, indent=2))
    elif as_json and (ledgers or evidence):
        kinds = {"ledgers": ledgers, "evidence": evidence}
        print(json.dumps({kind: found for kind, found in kinds.items() if found}, indent=2))
    return next(code for code in (INVALID, FAILED, INCOMPLETE, VALID) if code in codes)


def shown(path: Path) -> str:
    """The name of a file without what could move the cursor, or can't be written."""
    return "".join(sign if sign.isprintable() else "?" for sign in str(path))


def judged_evidence(path: Path, data: bytes) -> tuple[int, str, Fields]:
    """The verdict on an evidence file: exit code, a line, and JSON."""
    name = shown(path)
    try:
        fault = verify_evidence(data)
    except BadLedgerError as error:
        return INVALID, f"{name}: proves nothing: {error}", {"file": str(path), "proven": False, "message": str(error)}
    who, when = f"seat {fault.seat} (from 0), key {fingerprint(fault.key)}", f"in deal {fault.deal}, step {fault.step}"
    line = f"{name}: PROVEN: {who}, {when}: {fault.message} ({fault.code})"
    return VALID, line, {"file": str(path), **fault.as_json()}


def run() -> int:
    """As `main`; where nobody reads the answer, or it can't be written, that is no traceback."""
    try:
        code = main()
        sys.stdout.flush()
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            print(f"verify_ledger: {error.filename or 'the answer'}: {error.strerror}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    return code


if __name__ == "__main__":
    sys.exit(run())
