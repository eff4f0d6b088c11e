"""A ledger file as it is verified: read from its beginning, record by record, without ever being in memory as a whole.

What doesn't belong here: what stands in the records.
"""

from __future__ import annotations

import os
from typing import BinaryIO

from azi_p2p.wire.ledgerfile import MAX_RECORD, next_record, read_ledger_header
from azi_p2p.wire.messages import TableParams

WINDOW = 1 << 18
"""Bytes that are read at a time."""


class Records:
    """The records of a ledger, from a file that can be rewound.

    What is appended to the file meanwhile isn't looked at. `position`: the byte at which the next record begins.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.size = file.seek(0, os.SEEK_END)
        self.rewind()

    def rewind(self) -> None:
        """Begin anew."""
        self._file.seek(0)
        self._window, self._base, self._at = b"", 0, 0

    @property
    def position(self) -> int:
        """The byte at which the next record begins."""
        return self._base + self._at

    def header(self) -> tuple[TableParams, bytes]:
        """Read the header: the parameters of the table, and the bytes as they stand there.

        Raises WireError, LedgerCut if the file ends in it.
        """
        self._fill()
        params, self._at = read_ledger_header(self._window)
        return params, self._window[: self._at]

    def next(self) -> bytes | None:
        """Read the next record, None where the file ends.

        Raises LedgerCut where the file ends inside the record, WireError where its length can't be right; the position
        is where the record begins, then.
        """
        self._fill()
        if self._at == len(self._window):
            return None
        record, self._at = next_record(self._window, self._at, self._base)
        return record

    def _fill(self) -> None:
        """Have the whole next record in the window, if the file has it."""
        while len(self._window) - self._at < MAX_RECORD:
            more = self._file.read(min(WINDOW, self.size - self._base - len(self._window)))
            if not more:
                return
            self._base += self._at
            self._window = self._window[self._at :] + more
            self._at = 0
