"""Plays the evening: starts the peers, follows the deals by what one of them says, and looks at all of them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO

NAMES = ("Anna", "Ben", "Katya", "Pieter", "Anele", "Sipho")
PLENTY = 100_000_000
"""Chips to start with: nobody may run out of them in an evening."""

_DEAL = re.compile(rb"^Deal (\d+)\b")
_OVER = b"The table has ended"


@dataclass(frozen=True, slots=True)
class Sample:
    """What the peers were like once so many `deals` were over.

    `seconds_a_deal`: mean since the sample before; `memory`: bytes resident of each peer, its workers counted;
    `ledgers`, `journals`: bytes of each peer's files.
    """

    deals: int
    seconds_a_deal: float
    memory: tuple[int, ...]
    ledgers: tuple[int, ...]
    journals: tuple[int, ...]


def evening(table: str, root: Path, peers: int, deals: int, every: int) -> Iterator[Sample]:
    """Play `deals` deals with that many peers, whose files go to `root`; gives a sample after every `every` deals.

    Raises RuntimeError when a peer ends with another exit code than 0.
    """
    names = NAMES[:peers]
    with ExitStack() as open_things:
        logs = [open_things.enter_context((root / f"{name}.log").open("wb")) for name in names[1:]]
        first = _start(_arguments(table, root, names[0], peers, deals), subprocess.PIPE)
        children = [first]
        open_things.callback(_end, children)
        children += [
            _start(_arguments(table, root, name, None, deals), log) for name, log in zip(names[1:], logs, strict=True)
        ]
        assert first.stdout is not None
        since, seen = 0.0, 0
        for line in first.stdout:
            found = _DEAL.match(line)
            if found is None and not line.startswith(_OVER):
                continue
            # A deal that begins tells that the one before is over.
            now, over = time.monotonic(), deals if found is None else int(found[1]) - 1
            if over and (over - seen) >= every:
                yield Sample(over, (now - since) / (over - seen), *_look(root, names, children))
            if not over or (over - seen) >= every:
                since, seen = now, over
        codes = [child.wait(60) for child in children]
        if any(codes):
            raise RuntimeError(f"peers ended with exit codes {codes}: {_last_words(root)}")


def _arguments(table: str, root: Path, name: str, seats: int | None, deals: int) -> list[str]:
    own = ["--bot", "easy", "--loopback", "--lang", "en", "--nick", name, "--profile", str(root / name)]
    own += ["--out", str(root / name / "out")]
    if seats is None:
        return ["join", table, "--wait", "60", *own]
    return [
        *("host", "--name", table, "--seats", str(seats), "--deals", str(deals), "--start-chips", str(PLENTY)),
        *own,
    ]


def _start(arguments: list[str], messages: IO[bytes] | int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "azi_p2p", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=messages,
        stderr=subprocess.STDOUT,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )


def _end(children: list[subprocess.Popen[bytes]]) -> None:
    for child in children:
        child.kill()
        child.wait()
        if child.stdout is not None:
            child.stdout.close()


def _look(
    root: Path, names: tuple[str, ...], children: list[subprocess.Popen[bytes]]
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    memory = tuple(_resident(child.pid) for child in children)
    ledgers = tuple(_size(root / name / "out", "*.azi") for name in names)
    journals = tuple(_size(root / name / "journals", "*") for name in names)
    return memory, ledgers, journals


def _resident(pid: int) -> int:
    """Bytes resident of a process and of all its children."""
    total = 0
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            total += 1024 * int(line.split()[1])
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            total += _resident(int(child))
    return total


def _size(folder: Path, pattern: str) -> int:
    return sum(path.stat().st_size for path in folder.glob(pattern) if path.is_file())


def _last_words(root: Path) -> str:
    return "\n".join(f"{path.name}: {path.read_text()[-300:]}" for path in sorted(root.glob("*.log")))
