"""Ledger files: appended to, readable at once, never written over."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from azi_p2p.store.errors import StoreError
from azi_p2p.store.ledgers import LedgerFile

DAY = datetime.date(2026, 7, 4)
TABLE, ANNA, BEN = b"\xab" * 32, b"\x01" * 32, b"\x02" * 32


def test_what_is_appended_can_be_copied_at_once(tmp_path: Path) -> None:
    with LedgerFile.create(tmp_path, TABLE, ANNA, DAY) as ledger:
        ledger.append(b"header")
        ledger.append(b", record")
        assert ledger.path.read_bytes() == b"header, record"


def test_peers_share_a_folder_and_nothing_is_written_over(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    paths = []
    for peer in (ANNA, BEN, ANNA, ANNA):
        with LedgerFile.create(folder, TABLE, peer, DAY) as ledger:
            ledger.append(peer)
            paths.append(ledger.path)
    assert [path.name for path in paths] == [
        "2026-07-04-table-abababab-peer-01010101.azi",
        "2026-07-04-table-abababab-peer-02020202.azi",
        "2026-07-04-table-abababab-peer-01010101-2.azi",
        "2026-07-04-table-abababab-peer-01010101-3.azi",
    ]
    assert [path.read_bytes() for path in paths] == [ANNA, BEN, ANNA, ANNA]


def test_folder_that_cant_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="choose another folder"):
        LedgerFile.create(tmp_path / "file" / "ledgers", TABLE, ANNA)


def test_closing_twice_does_no_harm(tmp_path: Path) -> None:
    ledger = LedgerFile.create(tmp_path, TABLE, ANNA)
    ledger.close()
    ledger.close()
