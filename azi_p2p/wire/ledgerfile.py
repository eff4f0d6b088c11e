"""The ledger file: a header, then every signed envelope of one table, in ledger order, byte for byte as signed.

Layout: eight bytes of magic with the file version, a frame with the table parameters, then one frame for each
envelope. A frame is a four-byte big-endian length and that many bytes. Whether the envelopes make a game is judged
elsewhere.
"""

from __future__ import annotations

import contextlib

from azi_p2p.wire.codec import decode, encode
from azi_p2p.wire.errors import WireError
from azi_p2p.wire.frame import HEADER, prefixed
from azi_p2p.wire.messages import MAX_VOTE, TableParams

MAX_RECORD = HEADER.size + MAX_VOTE
"""Bytes of the longest record, its length included."""

MAGIC = b"AZILEDG\x01"
"""Magic and version of the file form; a later form changes the last byte."""


class LedgerCut(WireError):  # noqa: N818 - it names a state of the file: it ends inside a record
    """The bytes end inside a record: the file was cut off, or is still being written."""


def ledger_header(params: TableParams) -> bytes:
    """The first bytes of the ledger of a table with these parameters."""
    return MAGIC + prefixed(encode(params))


def ledger_record(envelope: bytes) -> bytes:
    """The bytes of one envelope in the file."""
    return prefixed(envelope)


def read_ledger_header(data: bytes) -> tuple[TableParams, int]:
    """Read the header; returns the parameters and where the records begin. Raises WireError (LedgerCut if cut off)."""
    if not data.startswith(MAGIC):
        if MAGIC.startswith(data):
            raise LedgerCut("the file ends inside its header")
        if data.startswith(MAGIC[:-1]):
            raise WireError(f"a ledger of file version {data[len(MAGIC) - 1]}; this program reads version {MAGIC[-1]}")
        raise WireError("not an Azi ledger: the first bytes are others")
    body, end = next_record(data, len(MAGIC))
    return decode(body, TableParams, limit=4096), end


def next_record(data: bytes, start: int, base: int = 0) -> tuple[bytes, int]:
    """Read the record that begins at byte `start`; returns it and where the next one begins.

    `base`: at which byte of the file the data begin, where they are a part of it; only messages name it.
    Raises LedgerCut when the data end inside it, WireError when its length can't be right.
    """
    body = start + HEADER.size
    if body > len(data):
        raise LedgerCut(f"the file ends inside the record at byte {base + start}")
    (length,) = HEADER.unpack_from(data, start)
    if not 0 < length <= MAX_VOTE:
        raise WireError(f"the record at byte {base + start} would have {length} bytes; 1 to {MAX_VOTE} are allowed")
    if body + length > len(data):
        raise LedgerCut(f"the file ends inside the record at byte {base + start}")
    return data[body : body + length], body + length


def ledger_records(data: bytes, start: int = 0) -> list[bytes]:
    """The whole records from byte `start` on, in order; one that is cut off at the end is left out.

    Raises WireError when a length can't be right.
    """
    records: list[bytes] = []
    with contextlib.suppress(LedgerCut):
        while start < len(data):
            raw, start = next_record(data, start)
            records.append(raw)
    return records
