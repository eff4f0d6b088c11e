"""Full and read-only disks, damaged and old files, two programs on one profile: one line each, and nothing is lost."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from azi_p2p.audit.verify import verify_ledger
from azi_p2p.wire.ledgerfile import MAGIC
from tests.disk.conftest import Disk, Peer, Table

slow = pytest.mark.slow

OTHER_LEDGER = Path(__file__).parents[2] / "protocol" / "vectors" / "ledgers" / "two-seats.azi"


def ledgers_of(*peers: Peer) -> list[bytes]:
    """Wait for the good ends of peers; gives their ledgers, which must be complete and tell the same."""
    results = []
    for peer in peers:
        assert peer.end() == 0, peer.lines
        results += [json.loads(line) for line in peer.lines if line.startswith("{")]
    assert len({result["head"] for result in results}) == 1
    ledgers = [Path(result["ledger"]).read_bytes() for result in results]
    for ledger in ledgers:
        verdict = verify_ledger(ledger)
        assert verdict.valid, verdict.faults
        assert verdict.complete
        assert not verdict.faults
    for peer in peers:
        assert not list(peer.profile.rglob("*.azi-evidence"))
    return ledgers


@slow
@pytest.mark.parametrize("size", ["60k", pytest.param("100k", marks=pytest.mark.long)])
def test_full_disk_in_the_middle_of_a_game(size: str, table: Table, make_disk: Callable[[str], Disk]) -> None:
    disk = make_disk(f"size={size}")
    anna, ben = table.peer("Anna"), table.peer("Ben", disk.path / "Ben")
    table.host(anna, deals=12)
    anna.until("is open")
    message = table.join(ben).refused()
    assert "the disk is full" in message
    assert "make room there" in message
    assert str(disk.path) in message
    before = {path: path.read_bytes() for path in ben.profile.rglob("*") if path.is_file()}
    assert verify_ledger(before[ben.one("ledgers/*.azi")]).valid
    assert not list(ben.profile.rglob("*.tmp"))

    disk.remount("size=16m")
    table.join(ben).until("going back to it")
    [_, ledger] = ledgers_of(anna, ben)
    assert ledger.startswith(before[ben.one("ledgers/*.azi")])


def test_no_room_for_a_profile(table: Table, make_disk: Callable[[str], Disk]) -> None:
    disk = make_disk("size=4k")
    (disk.path / "filler").write_bytes(bytes(4096))
    anna = table.peer("Anna", disk.path / "Anna")
    message = table.host(anna).refused()
    assert "the disk is full" in message
    assert "make room there" in message
    assert not (anna.profile / "identity.key").exists()
    (disk.path / "filler").unlink()
    disk.remount("size=1m")
    table.host(anna).until("is open")


@pytest.mark.parametrize(
    "known",
    [pytest.param(False, marks=pytest.mark.long, id="a new profile"), pytest.param(True, id="one that is there")],
)
def test_read_only_profile(known: bool, table: Table, make_disk: Callable[[str], Disk]) -> None:
    disk = make_disk("size=1m")
    anna = table.peer("Anna", disk.path / "Anna")
    if known:
        table.host(anna).until("is open")
        anna.kill()
    disk.remount("ro")
    message = table.host(anna).refused()
    assert "the disk can only be read" in message
    assert "--profile DIR" in message
    assert str(anna.profile) in message
    if known:
        # Whoever only looks needs no more than that.
        line = [sys.executable, "-m", "azi_p2p", "id", "--profile", str(anna.profile), "--lang", "en"]
        assert subprocess.run(line, capture_output=True, check=False).returncode == 0
    disk.remount("rw")
    table.host(anna).until("is open" if not known else "going back")


def test_folder_for_ledgers_that_is_read_only_is_said_before_anybody_sits_down(
    table: Table, make_disk: Callable[[str], Disk]
) -> None:
    disk = make_disk("size=1m")
    disk.remount("ro")
    anna = table.peer("Anna")
    anna.start("host", "--name", table.name, "--out", str(disk.path))
    message = anna.refused()
    assert str(disk.path) in message
    assert "the disk can only be read" in message


@slow
def test_torn_last_records_after_a_power_cut(table: Table) -> None:
    anna, ben = table.peer("Anna"), table.peer("Ben")
    table.host(anna, deals=8)
    anna.until("is open")
    table.join(ben).until("Deal 2.")
    ben.kill()
    # What was synced is there whatever happens; the end of what was not may be half there.
    for pattern, torn in (("journals/*.envelopes", b"\0\0\1\2half"), ("ledgers/*.azi", b"\0\0\1\2half a record")):
        with ben.one(pattern).open("ab") as file:
            file.write(torn)
    kept = ben.one("ledgers/*.azi").read_bytes()[: -len(b"\0\0\1\2half a record")]
    table.join(ben).until("going back to it")
    [_, ledger] = ledgers_of(anna, ben)
    assert ledger.startswith(kept)


@slow
def test_guest_that_is_killed_before_the_game_begins_comes_back_by_itself(table: Table) -> None:
    anna, ben, katya = (table.peer(name) for name in ("Anna", "Ben", "Katya"))
    table.host(anna, seats=3, deals=2)
    anna.until("is open")
    table.join(ben)
    ben.until_there("seat.json")
    assert ben.process is not None
    ben.process.terminate()
    ben.end()
    assert not (ben.profile / "seat.json").exists(), "whoever goes in good order holds no seat"

    table.join(ben)
    ben.until_there("seat.json")
    ben.kill()
    ben.start("join").until(f'You have a seat at the table "{table.name}": going back to it')
    table.join(katya)
    ledgers_of(anna, ben, katya)
    assert not list(table.folder.rglob("seat.json"))


@slow
def test_ledger_that_has_only_begun_is_gone_on_with(table: Table) -> None:
    anna, ben = table.peer("Anna"), table.peer("Ben")
    table.host(anna, deals=8)
    anna.until("is open")
    table.join(ben).until("Deal 2.")
    ben.kill()
    path = ben.one("ledgers/*.azi")
    path.write_bytes(path.read_bytes()[:100])
    table.join(ben).until("going back to it")
    ledgers_of(anna, ben)
    assert ben.one("ledgers/*.azi") == path


@slow
def test_ledger_of_another_table_is_left_alone(table: Table) -> None:
    anna, ben = table.peer("Anna"), table.peer("Ben")
    table.host(anna, deals=0)
    anna.until("is open")
    table.join(ben).until("Deal 2.")
    ben.kill()
    path = ben.one("ledgers/*.azi")
    other = OTHER_LEDGER.read_bytes()
    path.write_bytes(other)
    message = table.join(ben).refused()
    assert message == (
        f"the ledger {path} of the table that was left is damaged (it is that of another table): "
        "move it away to go on without it"
    )
    assert path.read_bytes() == other


@slow
def test_ledger_that_ends_in_zeros_after_a_power_cut(table: Table) -> None:
    anna, ben = table.peer("Anna"), table.peer("Ben")
    table.host(anna, deals=8)
    anna.until("is open")
    table.join(ben).until("Deal 2.")
    ben.kill()
    # The file had its new length on the disk, but the last of what it holds never got there.
    path = ben.one("ledgers/*.azi")
    kept = path.read_bytes()[:-300]
    path.write_bytes(kept + bytes(300))
    table.join(ben).until("going back to it")
    [_, ledger] = ledgers_of(anna, ben)
    assert ledger.startswith(kept)


@slow
def test_files_of_another_version(table: Table) -> None:
    anna, ben = table.peer("Anna"), table.peer("Ben")
    table.host(anna, deals=0)
    anna.until("is open")
    table.join(ben).until("Deal 2.")
    ben.kill()
    ledger, journal = ben.one("ledgers/*.azi"), ben.one("journals/*.envelopes")
    whole = ledger.read_bytes()
    ledger.write_bytes(MAGIC[:-1] + bytes([MAGIC[-1] + 1]) + whole[len(MAGIC) :])
    message = table.join(ben).refused()
    assert "version 2" in message
    assert str(ledger) in message
    assert "move it away" in message
    line = [sys.executable, "-m", "azi_p2p", "verify", str(ledger), "--lang", "en"]
    judged = subprocess.run(line, capture_output=True, check=False)
    assert judged.returncode == 3
    assert b"version 2" in judged.stdout + judged.stderr
    assert b"Traceback" not in judged.stderr

    ledger.write_bytes(whole)
    signed = journal.read_bytes()
    journal.write_bytes(signed.replace(b"azi journal 1", b"azi journal 2", 1))
    message = table.join(ben).refused()
    assert str(journal) in message
    assert "of another version" in message
    journal.write_bytes(signed)
    table.join(ben).until("Deal")
    assert ledger.read_bytes().startswith(whole)


@slow
@pytest.mark.long
def test_older_copy_of_a_profile_is_noticed_and_does_no_harm(table: Table) -> None:
    names = ("Anna", "Ben", "Katya")
    anna, ben, katya = (table.peer(name) for name in names)
    table.host(anna, seats=3, deals=12)
    anna.until("is open")
    for other in (ben, katya):
        table.join(other)
    ben.until("Deal 1.")
    ben.kill()
    old = table.folder / "old"
    shutil.copytree(ben.profile, old)
    table.join(ben).until("Deal 4.")
    ben.kill()
    shutil.rmtree(ben.profile)
    shutil.copytree(old, ben.profile)
    table.join(ben).until("older copy")
    ledgers_of(anna, ben, katya)


def test_two_programs_on_one_profile(table: Table) -> None:
    anna = table.peer("Anna")
    table.host(anna).until("is open")
    second = table.peer("Second", anna.profile)
    message = table.host(second).refused()
    assert anna.process is not None
    assert f"in use by another Azi (process {anna.process.pid})" in message
    assert "--profile DIR" in message
    assert anna.process.poll() is None
