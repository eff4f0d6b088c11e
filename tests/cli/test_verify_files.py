"""`azi verify` on several cores: the same verdict as on one, also with a worker killed; and what a terminal shows."""

from __future__ import annotations

import io
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from azi_p2p.audit.verify import verify_ledger
from azi_p2p.cli import verify, verify_files
from azi_p2p.cli.running import CommandFailed
from azi_p2p.cli.verify_files import Judging, opened_ledger, progress
from azi_p2p.cli.verify_workers import Workers, check_all, cores
from azi_p2p.session.jobs import Job
from azi_p2p.ui.i18n import Catalogue

LEDGERS = Path(__file__).parents[2] / "protocol" / "vectors" / "ledgers"


@pytest.fixture
def all_are_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify_files, "LONG", 0)


@pytest.mark.usefixtures("all_are_long")
def test_real_workers_come_to_the_same_verdict() -> None:
    """One after another by the same workers: a sound ledger, one with a proven fault, one with a spoilt proof."""
    sound = (LEDGERS / "two-seats.azi").read_bytes()
    spoilt = bytearray(sound)
    spoilt[len(sound) // 2] ^= 1
    with Judging(silent=True, workers=2) as judging:
        for data in (sound, (LEDGERS / "proven-fault.azi").read_bytes(), bytes(spoilt)):
            assert judging.verify(io.BytesIO(data), "table") == verify_ledger(data)


@pytest.mark.skipif(os.name != "posix", reason="kills a process by signal")
@pytest.mark.usefixtures("all_are_long")
def test_a_worker_that_is_killed_changes_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    data = (LEDGERS / "two-seats.azi").read_bytes()
    killed: list[int] = []
    hand_over = Workers.hand_over

    def killing(self: Workers, job: Job) -> Callable[[], bool]:
        holds = hand_over(self, job)
        # Not while the pool still starts the second one: its own thread can't bear that in each version of Python.
        started = multiprocessing.active_children()
        for child in started[: not killed and len(started) == 2]:
            assert child.pid is not None
            killed.append(child.pid)
            os.kill(child.pid, signal.SIGKILL)
        return holds

    monkeypatch.setattr(Workers, "hand_over", killing)
    with Judging(silent=True, workers=2) as judging:
        assert judging.verify(io.BytesIO(data), "table") == verify_ledger(data)
        assert judging.verify(io.BytesIO(data), "table") == verify_ledger(data)
    assert killed


def test_no_job_gives_no_answer() -> None:
    assert check_all([]) == []
    assert cores() >= 1


def test_nothing_but_the_verdict_is_written_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert verify.run(Catalogue("en"), [LEDGERS / "two-seats.azi"], json_out=False) == 0
    assert capsys.readouterr().err == ""


def test_a_progress_bar_names_the_file_and_is_no_markup(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    with progress("[red]Kitchen", 1000) as told:
        for position in (0, 500, 1000):
            told(position)
    shown = capsys.readouterr()
    assert "[red]Kitchen" in shown.err
    assert "100%" in shown.err
    assert shown.out == ""


@pytest.mark.parametrize(
    ("is_terminal", "term", "answer"), [(True, "xterm", True), (True, "dumb", False), (False, "xterm", False)]
)
def test_progress_is_for_terminals_that_can_redraw(
    monkeypatch: pytest.MonkeyPatch, is_terminal: bool, term: str, answer: bool
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal, raising=False)
    monkeypatch.setenv("TERM", term)
    assert verify_files.can_redraw() is answer


def test_what_can_be_no_ledger_by_its_size_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(verify_files, "MAX_LEDGER", 100)
    path = tmp_path / "large.azi"
    path.write_bytes(bytes(101))
    with pytest.raises(CommandFailed, match="larger than 100 bytes"), opened_ledger(Catalogue("en"), path):
        pass


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="has no named pipes")
def test_a_pipe_is_read_first(tmp_path: Path) -> None:
    path = tmp_path / "pipe.azi"
    os.mkfifo(path)
    data = (LEDGERS / "two-seats.azi").read_bytes()
    writer = threading.Thread(target=path.write_bytes, args=(data,))
    writer.start()
    with opened_ledger(Catalogue("en"), path) as file:
        assert file.read() == data
    writer.join()
