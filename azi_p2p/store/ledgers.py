"""Ledger files (`*.azi`), the signed record of one table, appended to while it is played; and evidence files.

Neither is ever written over, and nothing in them is secret: they may be copied at any time. What the bytes mean is said
in `azi_p2p.wire.ledgerfile` and `azi_p2p.wire.evidencefile`.
"""

from __future__ import annotations

import datetime
import logging
import os
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Self

from azi_p2p.store.errors import Mend, StoreError, StoreTrouble, Thing, how_to_mend, told_plainly
from azi_p2p.store.files import write_all

log = logging.getLogger("azi.store")

SUFFIX = ".azi"
EVIDENCE_SUFFIX = ".azi-evidence"
MAX_NAMES = 1000
"""Ledgers of one peer, one table and one day in a folder, before we give up to find a free name."""


class LedgerFile:
    """A ledger file that is being written. `path`: where it is."""

    def __init__(self, path: Path) -> None:
        """Create the file; raises FileExistsError, OSError. `LedgerFile.create` finds the name."""
        self.path = path
        self._file: FileIO = path.open("xb", buffering=0)

    @classmethod
    def create(cls, folder: Path, table: bytes, peer: bytes, today: datetime.date | None = None) -> Self:
        """Create the ledger of `table` (id) as kept by `peer` (key) in this folder, under a name that is free.

        The name holds the day and the beginnings of both, so the ledgers of several peers go into one folder.
        Raises StoreError when the folder can't be used.
        """
        day = (today or datetime.datetime.now().astimezone().date()).isoformat()
        stem = f"{day}-table-{table.hex()[:8]}-peer-{peer.hex()[:8]}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for number in range(1, MAX_NAMES):
                try:
                    return cls(folder / f"{stem}{'' if number == 1 else f'-{number}'}{SUFFIX}")
                except FileExistsError:
                    continue
        except OSError as error:
            mend = how_to_mend(error, Mend.OTHER_FOLDER)
            raise StoreError(StoreTrouble.NO_LEDGER_THERE, path=folder, reason=error, mend=mend) from error
        raise StoreError(StoreTrouble.TOO_MANY_LEDGERS, path=folder, count=MAX_NAMES)

    @classmethod
    def reopen(cls, path: Path, kept: int) -> Self:
        """Go on with a ledger file after a crash: its first `kept` bytes stay, what a crash left after them goes.

        Raises StoreError when it can't be written any more.
        """
        ledger = cls.__new__(cls)
        ledger.path = path
        with told_plainly(Thing.LEDGER, path):
            ledger._file = path.open("r+b", buffering=0)
            ledger._file.truncate(kept)
            ledger._file.seek(kept)
        return ledger

    def append(self, data: bytes) -> None:
        """Append bytes and hand them to the system, so that a copy made now has them.

        Raises StoreError when the disk is full; the file is as it was then.
        """
        end = self._file.tell()
        with told_plainly(Thing.LEDGER, self.path):
            try:
                write_all(self._file.fileno(), data)
            except OSError:
                self._file.truncate(end)
                self._file.seek(end)
                raise

    def read(self, start: int, end: int) -> bytes:
        """The bytes from `start` up to but not including `end`; raises OSError."""
        with self.path.open("rb") as file:
            file.seek(start)
            return file.read(end - start)

    def close(self) -> None:
        """Sync and close the file; raises StoreError."""
        if not self._file.closed:
            try:
                with told_plainly(Thing.LEDGER, self.path):
                    os.fsync(self._file.fileno())
            finally:
                self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def save_evidence(folder: Path, table: bytes, against: bytes, data: bytes) -> Path:
    """Write an evidence file against the peer with key `against`; gives its path.

    The first evidence at a table is the one that counts: where its file is there already, it stays as it is.
    Raises StoreError; there is no file then.
    """
    path = folder / f"table-{table.hex()[:8]}-against-{against.hex()[:8]}{EVIDENCE_SUFFIX}"
    with told_plainly(Thing.EVIDENCE, path):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            with path.open("xb", buffering=0) as file:
                try:
                    write_all(file.fileno(), data)
                    os.fsync(file.fileno())
                except OSError:
                    path.unlink()
                    raise
        except FileExistsError:
            log.info("evidence against this peer is there already: %s", path)
    return path
