"""What peers of a simulation sign that their own sessions would not."""

from __future__ import annotations

from azi_p2p.crypto.identity import IdentityKey
from azi_p2p.wire.envelope import SIGNATURE_DOMAIN, Place, encode_payload, seal
from azi_p2p.wire.messages import Body
from tests.simulation.world import SimPeer


def identity_of(peer: SimPeer) -> IdentityKey:
    """The key of a peer."""
    own = peer.table._own
    assert own is not None
    return own.me.identity


def sign(identity: IdentityKey, table: bytes, place: Place, body: Body) -> bytes:
    """An envelope with whatever in it."""
    payload = encode_payload(table, identity.public, place, body)
    return seal(payload, identity.sign(SIGNATURE_DOMAIN, payload))
