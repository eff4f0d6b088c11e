"""The evidence file: one proven fault, with everything that is needed to judge it, in a file that stands alone.

Layout: eight bytes of magic with the file version, a frame with the table parameters, one byte with the number of
envelopes of the evidence (1 or 2), those envelopes as frames, then the envelopes that lead up to the head which the
evidence names, as frames in the order in which they are to be read. A frame is a four-byte big-endian length and that
many bytes. Whether it proves anything is judged elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence

from azi_p2p.wire.codec import decode, encode
from azi_p2p.wire.errors import WireError
from azi_p2p.wire.frame import prefixed
from azi_p2p.wire.ledgerfile import next_record
from azi_p2p.wire.messages import TableParams

EVIDENCE_MAGIC = b"AZIEVID\x01"
"""Magic and version of the file form."""


def write_evidence(params: TableParams, evidence: Sequence[bytes], context: Sequence[bytes]) -> bytes:
    """The bytes of an evidence file: the envelopes that prove the fault, and those on which they are judged."""
    assert 1 <= len(evidence) <= 2
    parts = [EVIDENCE_MAGIC, prefixed(encode(params)), bytes([len(evidence)])]
    parts += [prefixed(raw) for raw in (*evidence, *context)]
    return b"".join(parts)


def read_evidence(data: bytes) -> tuple[TableParams, list[bytes], list[bytes]]:
    """Read an evidence file: parameters, evidence, context. Raises WireError when it isn't one, or was cut off."""
    if not data.startswith(EVIDENCE_MAGIC):
        raise WireError("not an Azi evidence file: the first bytes are others")
    body, at = next_record(data, len(EVIDENCE_MAGIC))
    params = decode(body, TableParams, limit=4096)
    if at >= len(data) or data[at] not in (1, 2):
        raise WireError(f"the byte at {at} must be the number of proving messages, 1 or 2")
    count, at = data[at], at + 1
    records: list[bytes] = []
    while at < len(data):
        raw, at = next_record(data, at)
        records.append(raw)
    if len(records) < count:
        raise WireError("the file ends before the evidence does")
    return params, records[:count], records[count:]
