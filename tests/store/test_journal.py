"""The journal: what was appended is there after any crash, torn ends are cut, holes are refused."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from azi_p2p.session.own import EraseRecord, SecretRecord
from azi_p2p.store import journal as journal_module
from azi_p2p.store.errors import StoreError
from azi_p2p.store.journal import Journal
from azi_p2p.wire.codec import encode

TABLE = bytes(range(32))


def secret(deal: int, x: int = 1) -> bytes:
    return encode(
        SecretRecord(table=TABLE, base=bytes(32), deal=deal, secret=x.to_bytes(32, "little"), reveal=b"reveal")
    )


def erase(deal: int) -> bytes:
    return encode(EraseRecord(table=TABLE, deal=deal))


def envelopes_file(folder: Path) -> Path:
    return folder / f"{TABLE.hex()[:32]}.envelopes"


def secrets_file(folder: Path) -> Path:
    return folder / f"{TABLE.hex()[:32]}.secrets"


def test_records_come_back_in_order_after_reopening(tmp_path: Path) -> None:
    with Journal(tmp_path, TABLE) as journal:
        journal.append([("secret", secret(1)), ("envelope", b"commit"), ("envelope", b"reveal")])
        journal.append([("envelope", b"shuffle")])
    with Journal(tmp_path, TABLE) as journal:
        assert journal.envelopes() == [b"commit", b"reveal", b"shuffle"]
        assert journal.secrets() == [secret(1)]
        journal.append([("envelope", b"open")])
        assert journal.envelopes()[-1] == b"open"


def test_tables_have_journals_of_their_own(tmp_path: Path) -> None:
    with Journal(tmp_path, TABLE) as one, Journal(tmp_path, bytes(32)) as other:
        one.append([("envelope", b"one")])
        assert other.envelopes() == []


@pytest.mark.skipif(os.name != "posix", reason="modes of files are a POSIX matter")
def test_files_are_private_and_wide_ones_refused(tmp_path: Path) -> None:
    with Journal(tmp_path, TABLE) as journal:
        journal.append([("secret", secret(1)), ("erase", erase(0))])
        for path in (envelopes_file(tmp_path), secrets_file(tmp_path)):
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
    secrets_file(tmp_path).chmod(0o644)
    with pytest.raises(StoreError, match="chmod 600"):
        Journal(tmp_path, TABLE)


def test_secrets_of_closed_deals_are_gone_from_the_disk(tmp_path: Path) -> None:
    with Journal(tmp_path, TABLE) as journal:
        journal.append([("secret", secret(deal, 1000 + deal)) for deal in (1, 2, 3)])
        journal.append([("erase", erase(2))])
        assert journal.secrets() == [secret(3, 1003)]
        everything = b"".join(path.read_bytes() for path in tmp_path.iterdir())
        assert (1003).to_bytes(32, "little") in everything
        for deal in (1, 2):
            assert (1000 + deal).to_bytes(32, "little") not in everything
        journal.append([("secret", secret(4))])
        assert journal.secrets() == [secret(3, 1003), secret(4)]
    assert {path.suffix for path in tmp_path.iterdir()} == {".envelopes", ".seen", ".secrets"}


def test_everything_is_synced_before_append_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    real = os.fsync

    def fsync(handle: int) -> None:
        synced.append(os.fstat(handle).st_ino)
        real(handle)

    with Journal(tmp_path, TABLE) as journal:
        monkeypatch.setattr(os, "fsync", fsync)
        journal.append([("secret", secret(1)), ("envelope", b"commit"), ("envelope", b"more")])
        # The secret is safe before the envelope that depends on it, and one sync does for a run of records.
        assert synced == [secrets_file(tmp_path).stat().st_ino, envelopes_file(tmp_path).stat().st_ino]
        synced.clear()
        journal.append([("envelope", b"reveal")])
        assert synced == [envelopes_file(tmp_path).stat().st_ino]


def whole(folder: Path, count: int = 5) -> bytes:
    with Journal(folder, TABLE) as journal:
        journal.append([("envelope", bytes([number]) * 10 * number) for number in range(1, count + 1)])
    return envelopes_file(folder).read_bytes()


def test_cut_off_anywhere_it_opens_with_the_whole_records_before(tmp_path: Path) -> None:
    data = whole(tmp_path)
    ends = [len(journal_module.MAGIC)]
    for number in range(1, 6):
        ends.append(ends[-1] + journal_module.HEAD.size + 10 * number)
    assert ends[-1] == len(data)
    for cut in range(len(data)):
        envelopes_file(tmp_path).write_bytes(data[:cut])
        expected = [bytes([number]) * 10 * number for number in range(1, 6) if ends[number] <= cut]
        with Journal(tmp_path, TABLE) as journal:
            assert journal.envelopes() == expected
            journal.append([("envelope", b"after the crash")])
        with Journal(tmp_path, TABLE) as journal:
            assert journal.envelopes() == [*expected, b"after the crash"]


def test_blocks_that_never_reached_the_disk_count_as_never_written(tmp_path: Path) -> None:
    data = whole(tmp_path)
    head = journal_module.HEAD.size
    for zeros in (len(data) - 50, len(data) - 50 - head, len(data) - 30):
        envelopes_file(tmp_path).write_bytes(data[:zeros] + bytes(4096))
        with Journal(tmp_path, TABLE) as journal:
            assert len(journal.envelopes()) == 4


def test_every_flipped_byte_before_the_last_record_is_refused(tmp_path: Path) -> None:
    data = whole(tmp_path)
    last = len(data) - journal_module.HEAD.size - 50
    for place in range(last):
        flipped = bytearray(data)
        flipped[place] ^= 0x40
        envelopes_file(tmp_path).write_bytes(flipped)
        with pytest.raises(StoreError) as caught:
            Journal(tmp_path, TABLE)
        assert str(envelopes_file(tmp_path)) in str(caught.value)
    envelopes_file(tmp_path).write_bytes(data)
    Journal(tmp_path, TABLE).close()


def test_full_disk_leaves_the_journal_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    full: Iterator[int]

    def write(handle: int, data: bytes) -> int:
        left = next(full)
        if left == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(handle, bytes(data)[:left])

    with Journal(tmp_path, TABLE) as journal:
        journal.append([("envelope", b"before")])
        for room in range(1, 30):
            full = iter([room, 0])
            monkeypatch.setattr(os, "write", write)
            with pytest.raises(StoreError, match=r"the journal .*can't be written \(No space left.*make room there"):
                journal.append([("envelope", b"x" * 40)])
            monkeypatch.setattr(os, "write", real)
            assert journal.envelopes() == [b"before"]
        journal.append([("envelope", b"after")])
        assert journal.envelopes() == [b"before", b"after"]


@settings(derandomize=True, max_examples=60, deadline=None)
@given(st.lists(st.one_of(st.binary(max_size=300), st.integers(min_value=0, max_value=4)), max_size=20))
def test_any_run_of_records_comes_back(tmp_path_factory: pytest.TempPathFactory, run: list[bytes | int]) -> None:
    """Numbers are secrets of that deal; every empty record closes the deals up to 2."""
    folder = tmp_path_factory.mktemp("journal")
    records: list[tuple[str, bytes]] = []
    kept: list[bytes] = []
    for item in run:
        if isinstance(item, int):
            records.append(("secret", secret(item)))
            kept.append(secret(item))
        elif item:
            records.append(("envelope", item))
        else:
            records.append(("erase", erase(2)))
            kept = [one for one in kept if one in (secret(3), secret(4))]
    with Journal(folder, TABLE) as journal:
        journal.append(records)
    with Journal(folder, TABLE) as journal:
        assert journal.envelopes() == [item for item in run if isinstance(item, bytes) and item]
        assert journal.secrets() == kept


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a process that dies at a chosen moment")
def test_a_process_that_dies_while_it_erases_leaves_no_secret_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Journal(tmp_path, TABLE) as journal:
        journal.append([("secret", secret(1, 5)), ("secret", secret(2, 77))])
    pid = os.fork()
    if pid == 0:
        monkeypatch.setattr(Path, "replace", lambda *_: os._exit(9))
        with Journal(tmp_path, TABLE) as journal:
            journal.append([("erase", erase(1))])
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9
    assert any((77).to_bytes(32, "little") in path.read_bytes() for path in tmp_path.glob(".*.tmp"))
    with Journal(tmp_path, TABLE) as journal:
        journal.append([("erase", erase(1)), ("erase", erase(2))])
    assert not any((77).to_bytes(32, "little") in path.read_bytes() for path in tmp_path.iterdir())
