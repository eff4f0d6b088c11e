"""One table of three real peers; one of them is killed at a chosen write and started again.

All must come to the end, with ledgers that verify and agree, and nobody may hold evidence against anybody.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from azi_p2p.audit.verify import verify_ledger

PATIENCE = 150.0
"""Seconds that a table may take."""

NAMES = ("Anna", "Ben", "Katya")


@dataclass(frozen=True, slots=True)
class Evening:
    """How it went. `killed`: whether the victim came to the chosen write; `writes`: how many it made in its last run.

    `problem`: None if all was well.
    """

    chosen: int
    killed: bool
    writes: int
    absences: int
    problem: str | None


def play(victim: int, chosen: int, hand_size: int, deals: int) -> Evening:
    """Play one table; the peer number `victim` (0: the founder) dies at its write number `chosen` (0: never)."""
    with tempfile.TemporaryDirectory(prefix="azi-killing-") as folder:
        root = Path(folder)
        lines = arguments(root, hand_size, deals)
        children = [start(["-m", "azi_p2p", *line], root / f"{n}.log") for n, line in enumerate(lines) if n != victim]
        dying = start(["-m", "tests.killing.child", str(chosen), *lines[victim]], root / "victim.log")
        try:
            killed = dying.wait(PATIENCE) == -signal.SIGKILL
            if killed:
                dying = start(["-m", "tests.killing.child", "0", *lines[victim]], root / "victim.log")
            for child in (dying, *children):
                child.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            return Evening(chosen, False, 0, 0, f"not done after {PATIENCE:.0f} s\n{logs(root)}")
        finally:
            for child in (dying, *children):
                child.kill()
                child.wait()
        texts = "".join(path.read_text() for path in root.glob("*.log"))
        counted = re.findall(r"writes: (\d+)", texts)
        problem = judge(root, killed, [child.returncode for child in (dying, *children)])
        absences = texts.count("absent")
        return Evening(chosen, killed, int(counted[-1]) if counted else 0, absences, problem)


def arguments(root: Path, hand_size: int, deals: int) -> list[list[str]]:
    """The command line of each peer."""
    table = f"Kill {secrets.token_hex(3)}"
    common = ["--bot", "easy", "--loopback", "--json", "--lang", "en", "--out", str(root / "ledgers")]
    lines = []
    for number, name in enumerate(NAMES):
        own = ["--nick", name, "--profile", str(root / name), *common]
        opening = ["host", "--name", table, "--seats", "3", "--hand-size", str(hand_size), "--deals", str(deals)]
        lines.append([*(opening if number == 0 else ["join", table, "--wait", "60"]), *own])
    return lines


def start(line: Sequence[str], log: Path) -> subprocess.Popen[bytes]:
    """Start a Python process whose messages go to a file."""
    with log.open("ab") as file:
        return subprocess.Popen(
            [sys.executable, *line],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        )


def judge(root: Path, killed: bool, codes: Sequence[int]) -> str | None:
    """What is wrong with what the peers have left, None if nothing is."""
    if any(codes):
        return f"exit codes {list(codes)}\n{logs(root)}"
    if list(root.rglob("*.azi-evidence")):
        return f"somebody is blamed\n{logs(root)}"
    results = [
        json.loads(line) for path in root.glob("*.log") for line in path.read_text().splitlines() if line[:1] == "{"
    ]
    heads = {result["head"] for result in results}
    if len(results) != len(NAMES) or len(heads) != 1:
        return f"{len(results)} results with heads {heads}\n{logs(root)}"
    for result in results:
        verdict = verify_ledger(Path(result["ledger"]).read_bytes())
        if not (verdict.valid and verdict.complete):
            return f"{result['ledger']}: valid {verdict.valid}, complete {verdict.complete}, {verdict.faults}"
    if killed and len(list(root.rglob("*.azi"))) > len(NAMES) + 1:
        return "the peer that was killed has begun more than one other ledger"
    return None


def logs(root: Path) -> str:
    """What all peers have said."""
    return "\n".join(f"--- {path.name}\n{path.read_text()[-1500:]}" for path in sorted(root.glob("*.log")))
