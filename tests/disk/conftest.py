"""What the tests of disks share: `azi` processes, and a small disk of the test's own."""

from __future__ import annotations

import contextlib
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import pytest

PATIENCE = 90.0
"""Seconds that anything may take on a busy machine."""


@dataclass
class Peer:
    """One `azi` process with a profile of its own, whose messages go to a file."""

    name: str
    profile: Path
    log: Path
    process: subprocess.Popen[bytes] | None = None
    begun: int = 0

    def start(self, *arguments: str) -> Peer:
        """Start it (again), as a bot in English; a bot's moves are heard in its log."""
        line = [sys.executable, "-m", "azi_p2p", *arguments, "--nick", self.name, "--profile", str(self.profile)]
        line += ["--bot", "easy", "--loopback", "--json", "--lang", "en"]
        self.begun = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                line, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={**os.environ, "PYTHONIOENCODING": "utf-8"}
            )
        return self

    @property
    def lines(self) -> list[str]:
        """What it has written since it was started last."""
        return self.log.read_bytes()[self.begun :].decode().splitlines()

    def until(self, words: str) -> None:
        """Wait until it has written these words; fails when it has ended without."""
        assert self.process is not None
        limit = time.monotonic() + PATIENCE
        while not any(words in line for line in self.lines):
            assert self.process.poll() is None, f"{self.name} has ended without {words!r}: {self.lines}"
            assert time.monotonic() < limit, f"{self.name} doesn't say {words!r}: {self.lines}"
            time.sleep(0.02)

    def until_there(self, pattern: str) -> None:
        """Wait until a file of its profile fits; fails when it has ended without."""
        assert self.process is not None
        limit = time.monotonic() + PATIENCE
        while not any(self.profile.glob(pattern)):
            assert self.process.poll() is None, f"{self.name} has ended without {pattern}: {self.lines}"
            assert time.monotonic() < limit, f"{self.name} has no {pattern}: {self.lines}"
            time.sleep(0.02)

    def end(self) -> int:
        """Wait for its end; gives the exit code."""
        assert self.process is not None
        return self.process.wait(PATIENCE)

    def kill(self) -> None:
        """Kill it as a power cut would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def refused(self) -> str:
        """Wait for its end, which must be a refusal in one line and exit code 1; gives the line."""
        assert self.end() == 1, self.lines
        assert not any("Traceback" in line for line in self.lines), self.lines
        last = [line for line in self.lines if line.startswith("azi: ")]
        assert len(last) == 1, self.lines
        assert last[0] == self.lines[-1]
        assert "Errno" not in last[0]
        return last[0].removeprefix("azi: ")

    def one(self, pattern: str) -> Path:
        """The one file of the profile whose path fits."""
        [path] = self.profile.glob(pattern)
        return path


@dataclass
class Table:
    """The peers of one test, and the name of their table."""

    folder: Path
    name: str = field(default_factory=lambda: f"Disk {secrets.token_hex(4)}")
    peers: list[Peer] = field(default_factory=list)

    def peer(self, name: str, profile: Path | None = None) -> Peer:
        """A peer that isn't started yet."""
        made = Peer(name, profile or self.folder / name, self.folder / f"{name}.log")
        self.peers.append(made)
        return made

    def host(self, peer: Peer, *, seats: int = 2, deals: int = 0) -> Peer:
        """Let a peer open the table."""
        return peer.start("host", "--name", self.name, "--seats", str(seats), "--deals", str(deals))

    def join(self, peer: Peer) -> Peer:
        """Let a peer join the table, or go back to it."""
        return peer.start("join", self.name, "--wait", "60")


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    """A table of peers, which are all gone at the end."""
    made = Table(tmp_path)
    yield made
    for peer in made.peers:
        peer.kill()


@lru_cache(maxsize=1)
def why_no_disk() -> str | None:
    """Why no disk can be mounted here; None if one can."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "mounting a small disk is for root on Linux"
    done = subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True, check=False)
    return None if done.returncode == 0 else f"nothing can be mounted: {done.stderr.decode().strip()}"


@dataclass(frozen=True)
class Disk:
    """A mounted disk of its own. `path`: where."""

    path: Path

    def remount(self, options: str) -> None:
        """Change its size (`size=1m`) or whether it can be written (`ro`, `rw`)."""
        subprocess.run(["mount", "-o", f"remount,{options}", str(self.path)], check=True, capture_output=True)


@pytest.fixture
def make_disk(tmp_path: Path) -> Iterator[Callable[[str], Disk]]:
    """Makes a small disk with such options of `mount`; skips the test where none can be."""
    with contextlib.ExitStack() as mounted:

        def make(options: str) -> Disk:
            reason = why_no_disk()
            if reason is not None:
                pytest.skip(reason)
            path = tmp_path / "disk"
            path.mkdir()
            run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)])
            # Lazily: a process that is about to end may still have a file open.
            mounted.callback(run, ["umount", "-l", str(path)])
            return Disk(path)

        yield make


def run(line: Sequence[str]) -> None:
    """Run a command of the system; raises CalledProcessError."""
    subprocess.run(line, check=True, capture_output=True)
