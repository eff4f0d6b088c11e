"""A real table of two bots, each a process of its own, that plays on and on: what floods are let loose on. No tests."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

from azi_p2p.store.profile import Profile, change_passphrase

PATIENCE = 60.0
"""Seconds to wait for something to happen; a busy machine takes its time."""


class PlayingTable:
    """Host and guest, as `azi host` and `azi join`. Use in a `with`: both are ended at its end."""

    def __init__(self, folder: Path, passphrase: str | None = None) -> None:
        """`folder`: for both profiles. `passphrase`: lock their keys by it."""
        self._folder = folder
        self._passphrase = passphrase
        self._lines: list[str] = []
        self._news = threading.Condition()
        self.processes: list[subprocess.Popen[str]] = []
        self._readers: list[threading.Thread] = []
        self.port = 0

    def __enter__(self) -> Self:
        options = ["--seats", "2", "--deals", "100000", "--start-chips", "1000000000", "--opener-rule", "must_bid"]
        self.host = self._start("host", "--name", "Kitchen", *options, "--nick", "Anna")
        self.port = int(self._wait_for(r"127\.0\.0\.1:(\d+)")[1])
        self._start("join", f"127.0.0.1:{self.port}", "--nick", "Ben")
        self.plays_on()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for reader in self._readers:
            reader.join(20)
        for process in self.processes:
            for pipe in (process.stdin, process.stderr):
                if pipe is not None:
                    pipe.close()

    def plays_on(self) -> None:
        """Wait until two more deals have begun."""
        last = self.deals
        with self._news:
            assert self._news.wait_for(lambda: self._deals() >= last + 2, PATIENCE), self._story()

    @property
    def deals(self) -> int:
        """Deals begun so far."""
        with self._news:
            return self._deals()

    def memory(self) -> int:
        """The host's memory (VmRSS) in bytes."""
        status = Path(f"/proc/{self.host.pid}/status").read_text(encoding="ascii")
        return int(status.split("VmRSS:")[1].split()[0]) * 1024

    def ledgers(self) -> list[bytes]:
        """What the host has written so far."""
        return [path.read_bytes() for path in sorted((self._folder / "host" / "ledgers").glob("*.azi"))]

    def _deals(self) -> int:
        return sum(line.startswith("Deal ") for line in self._lines)

    def _story(self) -> str:
        return "\n".join(self._lines[-30:])

    def _start(self, command: str, *arguments: str) -> subprocess.Popen[str]:
        profile = str(self._folder / command)
        common = ("--bot", "easy", "--loopback", "--until-eof", "--profile", profile, "--lang", "en")
        lines, environment = None, {**os.environ, "LC_ALL": "C.UTF-8"}
        if self._passphrase is not None:
            Profile.open(self._folder / command).close()
            change_passphrase(self._folder / command, str, self._passphrase)
            lines, writing = os.pipe()
            os.write(writing, f"{self._passphrase}\n".encode())
            os.close(writing)
            environment["AZI_PASSPHRASE_FD"] = str(lines)
        process = subprocess.Popen(
            [sys.executable, "-m", "azi_p2p", command, *arguments, *common],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            pass_fds=[] if lines is None else [lines],
        )
        if lines is not None:
            os.close(lines)
        self.processes.append(process)
        reader = threading.Thread(target=self._read if command == "host" else _drain, args=(process,), daemon=True)
        reader.start()
        self._readers.append(reader)
        return process

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stderr is not None
        for line in process.stderr:
            with self._news:
                self._lines.append(line.rstrip())
                self._news.notify_all()

    def _wait_for(self, pattern: str) -> re.Match[str]:
        found: list[re.Match[str]] = []

        def look() -> bool:
            found.extend(match for line in self._lines if (match := re.search(pattern, line)))
            return bool(found)

        with self._news:
            assert self._news.wait_for(look, PATIENCE), self._story()
        return found[0]


def _drain(process: subprocess.Popen[str]) -> None:
    assert process.stderr is not None
    for _ in process.stderr:
        pass
