"""`azi demo`: separate processes find each other by mDNS on loopback, play, and every ledger is verified."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.terminal import running_with

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="looks at processes under /proc"),
    pytest.mark.timeout(300),
]


def azi(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "azi_p2p", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    )


@pytest.mark.parametrize(
    ("peers", "hand_size", "deals"),
    [
        (4, 3, 2),
        pytest.param(6, 4, 1, marks=pytest.mark.long),
        pytest.param(2, 3, 2, marks=pytest.mark.long),
        pytest.param(3, 4, 2, marks=pytest.mark.long),
    ],
)
def test_all_ledgers_verify_and_agree(tmp_path: Path, peers: int, hand_size: int, deals: int) -> None:
    run = azi(
        "demo",
        "--peers",
        str(peers),
        "--hand-size",
        str(hand_size),
        "--deals",
        str(deals),
        "--json",
        "--out",
        str(tmp_path),
    )
    assert run.returncode == 0, run.stderr
    result: dict[str, Any] = json.loads(run.stdout)
    assert result["ok"]
    assert result["agree"]
    assert len(result["peers"]) == peers
    ledgers = sorted(tmp_path.glob("*.azi"))
    assert sorted(Path(peer["ledger"]) for peer in result["peers"]) == ledgers
    first = result["peers"][0]
    for peer in result["peers"]:
        assert peer["valid"]
        assert peer["complete"]
        assert (peer["head"], peer["chips"], peer["seats"]) == (first["head"], first["chips"], first["seats"])
        assert peer["deals"] >= deals
        assert peer["checks"]["shuffles"] >= peers * deals
        assert sum(peer["chips"]) == 1000 * peers
        assert not peer["faults"]
    assert len(set(first["seats"])) == peers, "every peer has a key of its own"
    check = azi("verify", *map(str, ledgers))
    assert check.returncode == 0
    assert check.stdout.count("valid and complete") == peers
    assert not running_with(str(tmp_path))


def test_people_see_what_goes_on(tmp_path: Path) -> None:
    run = azi("demo", "--peers", "2", "--deals", "1", "--out", str(tmp_path))
    assert run.returncode == 0, run.stderr
    assert "Starting peers, each a process of its own: 2." in run.stderr
    assert "Deal 1." in run.stderr
    lines = run.stdout.splitlines()
    assert [line.split(":")[0] for line in lines[:2]] == ["Anna", "Ben"]
    assert lines[2].startswith("All 2 ledgers are valid and complete, and they agree on head and chips.")
    assert lines[3] == f"The ledgers are in {tmp_path}"


def started(tmp_path: Path) -> tuple[subprocess.Popen[str], list[int]]:
    """A demo that has begun to play, with the process ids of its peers."""
    process = subprocess.Popen(
        [sys.executable, "-m", "azi_p2p", "demo", "--peers", "3", "--deals", "1000", "--json", "--out", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    )
    assert process.stderr is not None
    while "Deal 1." not in (line := process.stderr.readline()):
        assert line, "the demo ended before its first deal"
    children = running_with(str(tmp_path))
    children.remove(process.pid)
    assert len(children) == 3
    return process, children


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_demo_and_its_peers(tmp_path: Path, number: signal.Signals, code: int) -> None:
    process, children = started(tmp_path)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == code
    assert "Traceback" not in errors
    assert not set(running_with(str(tmp_path))) & set(children)


def test_peers_end_even_when_the_demo_is_killed(tmp_path: Path) -> None:
    process, children = started(tmp_path)
    process.kill()
    process.communicate(timeout=60)
    for child in children:
        ended = os.pidfd_open(child) if child in running_with(str(tmp_path)) else None
        if ended is not None:
            import select

            ready, _, _ = select.select([ended], [], [], 60)
            os.close(ended)
            assert ready, "the end of its input ends a peer"


def test_a_peer_that_dies_fails_the_demo(tmp_path: Path) -> None:
    process, children = started(tmp_path)
    for child in children:
        os.kill(child, signal.SIGKILL)
    output, _ = process.communicate(timeout=90)
    assert process.returncode == 1
    result = json.loads(output)
    assert not result["ok"]
    assert {peer["ledger"] for peer in result["peers"]} == {None}


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    run = azi("demo", "--out", str(tmp_path / "file" / "folder"))
    assert run.returncode == 1
    assert run.stderr.startswith("azi: ")
    assert run.stderr.count("\n") == 1
