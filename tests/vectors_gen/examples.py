"""A signed example of every message, taken from the tables of the ledgers."""

from __future__ import annotations

from azi_p2p.wire import messages
from azi_p2p.wire.codec import decode_plain
from azi_p2p.wire.envelope import Envelope, decode_envelope
from tests.protocol.shapes import jsonable
from tests.vectors_gen.kit import as_json
from tests.vectors_gen.tables import TABLES, Played

PLACES = {
    "vote": "proven-fault",
    "roster": "comings-and-goings",
    "request": "comings-and-goings",
    "chat": "comings-and-goings",
    "leave": "comings-and-goings",
    "buy_in": "buy-in",
    "decline": "buy-in",
    "check": "four-cards",
    "discard": "four-cards",
    "play": "four-cards",
    "fold": "proven-fault",
}
"""The table from which each example comes; the others come from the smallest."""


def example(kind: str) -> bytes:
    """Give the example of a message type: its envelope, and what that says."""
    table = PLACES.get(kind, "two-seats")
    envelope = find(TABLES[table](), kind)
    content = {
        "type": kind,
        "from": f"vectors/ledgers/{table}.azi",
        "message_id": envelope.id.hex(),
        "envelope": envelope.raw.hex(),
        "payload": jsonable(decode_plain(envelope.payload, limit=messages.MAX_VOTE)),
        "signature": envelope.signature.hex(),
    }
    return as_json(content).encode()


def find(played: Played, kind: str) -> Envelope:
    """Give the first message of this type that was sent at a table; one that shows something, where there is one."""
    if kind == "decline":  # at that table the seat that is asked buys in; so it says the other thing
        return decode_envelope(played.signed_again(played.find("buy_in"), messages.Decline()))
    sent = [envelope for envelope in (*played.records, *played.said) if envelope.type == kind]
    for envelope in sent:
        body = envelope.body
        if getattr(body, "requests", True) and getattr(body, "void", True) and getattr(body, "evidence", True):
            return envelope
    return sent[0]
