"""The journal: what this peer has signed, and the secrets of deals in play, on disk before anything depends on it.

A peer that comes back after a crash must never sign a second, different message where it has signed before, and
needs its deal keys to go on. So every own envelope and every deal secret is synced to disk before it is used.

Three files for each table, all of mode 0600. Own envelopes are only ever appended. Secrets have a file of their own,
which is written anew without them when their deal has closed: it holds two deals at most, so that is cheap, while a
single file would have to be copied whole after each deal. (What a disk really wipes is beyond any program's reach.) The
third file holds, for as long, the envelopes of others on which own ones build.

A file is a line of magic, then records: length and checksum of the length, checksum of the content, content. A record
that a crash cut off at the very end counts as never written; it wasn't synced, so nothing has been sent on its
strength. Damage anywhere else is an error: a journal with holes can't protect against signing twice.
"""

from __future__ import annotations

import contextlib
import os
import struct
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from azi_p2p.session.own import EraseRecord, SecretRecord
from azi_p2p.store.errors import StoreError, StoreTrouble, Thing, told_plainly
from azi_p2p.store.files import (
    create_private,
    remove_unfinished,
    replace_private,
    sync_directory,
    verify_private,
    write_all,
)
from azi_p2p.wire.codec import decode
from azi_p2p.wire.envelope import decode_envelope

ENVELOPE, SEEN, SECRET, ERASE = "envelope", "seen", "secret", "erase"

MAGIC = b"azi journal 1\n"
HEAD = struct.Struct(">III")
"""Length of the content, CRC-32 of the four length bytes, CRC-32 of the content."""

MAX_RECORD = 1 << 20


class Journal:
    """The open journal of one table. One process at a time: the lock on the profile sees to that."""

    def __init__(self, directory: Path, table: bytes) -> None:
        """Open or create the journal of `table` (id, 32 bytes) in this folder; raises StoreError."""
        name = table.hex()[:32]
        with contextlib.ExitStack() as opened:
            files = []
            for kind in ("envelopes", "seen", "secrets"):
                remove_unfinished(directory / f"{name}.{kind}")
                file = _RecordFile(directory / f"{name}.{kind}")
                opened.callback(file.close)
                files.append(file)
            opened.pop_all()
        self._envelopes, self._seen, self._secrets = files

    def append(self, records: Iterable[tuple[str, bytes]]) -> None:
        """Append (kind, record) pairs, in order, and sync them to disk before returning; raises StoreError.

        Kinds are `envelope`, `seen`, `secret` and `erase`, as in `azi_p2p.session.effects.Persist`.
        """
        for kind, record in records:
            if kind == ENVELOPE:
                self._envelopes.write(record)
            elif kind == SEEN:
                self._seen.write(record)
            elif kind == SECRET:
                self._secrets.write(record)
            else:
                assert kind == ERASE, f"unknown kind of record {kind!r}"
                self._erase(record)
        # An envelope on disk without the secret behind it, or without what it builds on, couldn't be followed up.
        self._secrets.sync()
        self._seen.sync()
        self._envelopes.sync()

    def envelopes(self) -> list[bytes]:
        """Every envelope that this peer has signed at the table, in order."""
        return list(self._envelopes.records())

    def seen(self) -> list[bytes]:
        """The envelopes of others, in deals that have not closed, on which own ones build; in order."""
        return list(self._seen.records())

    def secrets(self) -> list[bytes]:
        """The secrets of deals that have not closed, in order."""
        return list(self._secrets.records())

    def close(self) -> None:
        """Close the files."""
        self._envelopes.close()
        self._seen.close()
        self._secrets.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _erase(self, record: bytes) -> None:
        erase = decode(record, EraseRecord, limit=MAX_RECORD)
        kept = [
            secret
            for secret in self._secrets.records()
            if decode(secret, SecretRecord, limit=MAX_RECORD).deal > erase.deal
        ]
        self._secrets.replace(kept)
        self._seen.replace([raw for raw in self._seen.records() if decode_envelope(raw).deal > erase.deal])


class _RecordFile:
    """One append-only file of checked records."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._unsynced = False
        with told_plainly(Thing.JOURNAL, path):
            try:
                self._handle = create_private(path)
            except FileExistsError:
                verify_private(path, Thing.JOURNAL)
                self._handle = os.open(path, os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0))
            try:
                self._cut_torn_end()
            except BaseException:
                os.close(self._handle)
                raise

    def write(self, record: bytes) -> None:
        """Append a record; it is safe after `sync`. When the disk is full, what was written of it is taken back."""
        assert len(record) <= MAX_RECORD
        end = os.fstat(self._handle).st_size
        self._unsynced = True
        with told_plainly(Thing.JOURNAL, self._path):
            try:
                write_all(self._handle, _framed(record))
            except OSError:
                os.ftruncate(self._handle, end)
                raise

    def sync(self) -> None:
        """Sync what was written since the last time."""
        if self._unsynced:
            with told_plainly(Thing.JOURNAL, self._path):
                os.fsync(self._handle)
            self._unsynced = False

    def records(self) -> Iterator[bytes]:
        """All whole records; raises StoreError if any but the last is damaged."""
        return (record for record, _ in _read_records(self._path))

    def replace(self, records: Iterable[bytes]) -> None:
        """Put these records in place of all that there are, all or nothing, synced."""
        with told_plainly(Thing.JOURNAL, self._path):
            replace_private(self._path, MAGIC + b"".join(_framed(record) for record in records))
        os.close(self._handle)
        self._handle = os.open(self._path, os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0))
        self._unsynced = False

    def close(self) -> None:
        os.close(self._handle)

    def _restart(self) -> None:
        write_all(self._handle, MAGIC)
        os.fsync(self._handle)
        sync_directory(self._path.parent)

    def _cut_torn_end(self) -> None:
        """Cut off a record that a crash left unfinished, so that new ones can follow."""
        if os.fstat(self._handle).st_size < len(MAGIC) and MAGIC.startswith(self._path.read_bytes()):
            os.ftruncate(self._handle, 0)
            self._restart()
            return
        end = max((end for _, end in _read_records(self._path)), default=len(MAGIC))
        if end < os.fstat(self._handle).st_size:
            os.ftruncate(self._handle, end)
            os.fsync(self._handle)


def _framed(record: bytes) -> bytes:
    length = struct.pack(">I", len(record))
    return HEAD.pack(len(record), zlib.crc32(length), zlib.crc32(record)) + record


def _read_records(path: Path) -> Iterator[tuple[bytes, int]]:
    """Give each record and where it ends. A torn end is passed over; other damage raises StoreError."""
    data = path.read_bytes()
    if not data.startswith(MAGIC):
        raise StoreError(StoreTrouble.NOT_A_JOURNAL, path=path)
    at = len(MAGIC)
    while at < len(data):
        begin = at + HEAD.size
        if begin > len(data) or not (any(data[at:begin]) or any(data[begin:])):
            return  # Cut off in the head; or the file had grown already, but nothing had reached the disk.
        length, length_check, check = HEAD.unpack_from(data, at)
        if zlib.crc32(data[at : at + 4]) != length_check:
            raise _damaged(path, at)
        end = begin + length
        if end > len(data):
            return
        record = data[begin:end]
        if zlib.crc32(record) != check:
            if end == len(data) or not any(data[end:]):
                return  # The last one, cut off within a block of the disk.
            raise _damaged(path, at)
        yield record, end
        at = end


def _damaged(path: Path, at: int) -> StoreError:
    return StoreError(StoreTrouble.DAMAGED_JOURNAL, path=path, at=at)
