"""Keys that are no good, as identities: under a key of small order one signature holds for many messages.

Whoever could sit down with such a key could later show any message as its own, or deny all of them. The library alone
would take them; so each of these attacks first shows that it would have worked.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from azi_p2p.crypto import identity
from azi_p2p.rules import Params
from azi_p2p.session.effects import DropLink, Send
from azi_p2p.session.gathering import wire_params
from azi_p2p.wire.envelope import NOWHERE, SIGNATURE_DOMAIN, Envelope, Place, encode_payload, seal
from azi_p2p.wire.frame import EnvelopeFrame
from azi_p2p.wire.messages import Body, Fold, Roster, SeatRequest, TableParams
from tests.attacks.bench import Bench, assert_refused, bench_of, play_of, run_to_end
from tests.session.harness import Peer

_P = 2**255 - 19
_SMALL_Y = (0, 1, _P - 1, identity._Y_ORDER_8, _P - identity._Y_ORDER_8)

WEAK_KEYS = sorted(
    {
        (encoded | sign << 255).to_bytes(32, "little")
        for y in _SMALL_Y
        for encoded in (y, y + _P)
        for sign in (0, 1)
        if encoded < 2**255
    }
)
"""Every encoding of a point of small order, canonical or not."""

SIGNATURE = bytes([1]) + bytes(63)
"""R the neutral element, S zero: holds for a message whose hash is a multiple of the order of the key."""

Sealed = Callable[[int], bytes]
"""The payload of a message, a little different for each number."""


def library_accepts(key: bytes, payload: bytes) -> bool:
    """Whether the library alone takes SIGNATURE for the holder's under this key."""
    try:
        signed = identity._signed_bytes(SIGNATURE_DOMAIN, payload)
        Ed25519PublicKey.from_public_bytes(key).verify(SIGNATURE, signed)
    except (InvalidSignature, ValueError):
        return False
    return True


def forged(payload: Sealed, key: bytes) -> tuple[bytes, bool]:
    """An envelope that nobody's secret key has signed, and whether the library alone takes it."""
    for number in range(64):
        if library_accepts(key, payload(number)):
            return seal(payload(number), SIGNATURE), True
    return seal(payload(0), SIGNATURE), False


def seat_payload(key: bytes, table: bytes, params: TableParams) -> Sealed:
    def payload(number: int) -> bytes:
        body = SeatRequest(nickname="Nobody", nonce=number.to_bytes(32, "big"), params=params)
        return encode_payload(table, key, NOWHERE, body)

    return payload


def with_a_free_seat(deals: int = 1) -> Bench:
    """A table of four at which three sit."""
    bench = bench_of(3, Params(seats=4, hand_size=3, deal_limit=deals, turn_seconds=5), seed=61)
    bench.run(lambda: len(bench.peers[0].table.gathering.seats) == 3)
    bench.peers[0].table._started = True
    return bench


def handed_over(bench: Bench, peer: Peer, raw: bytes) -> list[DropLink]:
    """Hand the peer an envelope over a link; it must pass it on to nobody. Gives the links that it closes."""
    sender = bench.peers[-1]
    effects = peer.table.receive(EnvelopeFrame(raw), sender.key, bench.now)
    assert not any(isinstance(effect, Send) and isinstance(effect.frame, EnvelopeFrame) for effect in effects)
    return [effect for effect in effects if isinstance(effect, DropLink)]


def test_the_library_alone_would_take_them() -> None:
    """Else the tests of this module would show nothing."""
    table, params = bytes(32), wire_params(Params(seats=4), "Kitchen")
    taken = [key for key in WEAK_KEYS if forged(seat_payload(key, table, params), key)[1]]
    assert len(WEAK_KEYS) == 14
    assert len(taken) >= 8


@pytest.mark.parametrize("key", WEAK_KEYS, ids=bytes.hex)
def test_seat_for_a_key_of_small_order(key: bytes) -> None:
    """It asks for a seat before the founding: whoever passes that on is hung up on, and nobody gets the seat."""
    bench = bench_of(2, Params(seats=3, hand_size=3, deal_limit=1), seed=61)
    founder = bench.peers[0]
    gathering = founder.table.gathering
    assert gathering.table is not None
    assert gathering.params is not None
    raw, _ = forged(seat_payload(key, gathering.table, gathering.params), key)
    (drop,) = handed_over(bench, founder, raw)
    assert "public key" in drop.reason
    assert key not in gathering.seats


@pytest.mark.parametrize("key", [WEAK_KEYS[0], WEAK_KEYS[-1]], ids=bytes.hex)
def test_message_in_the_deal_by_a_key_of_small_order(key: bytes) -> None:
    bench = bench_of(3, Params(seats=3, hand_size=3, deal_limit=1), seed=61)
    bench.run(lambda: all(peer.table.lanes is not None for peer in bench.peers))
    victim = bench.peers[0]
    place, table = play_of(victim).place, play_of(victim).table
    before = play_of(victim)

    def payload(number: int) -> bytes:
        return encode_payload(
            table, key, Place("play", place.deal, place.attempt, place.step, bytes([number] * 32)), Fold()
        )

    (drop,) = handed_over(bench, victim, forged(payload, key)[0])
    assert "public key" in drop.reason
    assert play_of(victim) == before


@pytest.mark.parametrize("key", [WEAK_KEYS[1], WEAK_KEYS[4], WEAK_KEYS[-2]], ids=bytes.hex)
def test_roster_that_seats_a_key_of_small_order(key: bytes) -> None:
    """The proposer of the next roster encloses such a request: that is its own fault."""
    bench = with_a_free_seat(deals=2)
    fired: list[Envelope] = []

    def twist(envelope: Envelope) -> Body | bytes:
        if not isinstance(envelope.body, Roster) or fired:
            return envelope.raw
        fired.append(envelope)
        raw, _ = forged(seat_payload(key, envelope.table, play_of(bench.peers[0]).wire_params), key)
        return Roster(requests=[raw])

    bench.run(lambda: any(peer.table.lanes is not None and play_of(peer).phase == "close" for peer in bench.peers))
    (proposer,) = _proposers(bench)
    bench.bend(proposer, twist)
    run_to_end(bench, proposer)
    assert fired
    assert assert_refused(bench, proposer, "bad_roster") == {("bad_roster", fired[0].deal, fired[0].step)}


def _proposers(bench: Bench) -> list[Peer]:
    """Who proposes the roster after this deal."""
    peer = next(peer for peer in bench.peers if play_of(peer).phase == "close")
    seat = play_of(peer).proposers[0]
    return [other for other in bench.peers if play_of(peer).seat_of(other.key) == seat]
