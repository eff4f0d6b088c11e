"""How long commands take to start, each as a process of its own: to its end, or to the lobby on a terminal.

What doesn't belong here: what a peer does once it runs (`bench_peers`).
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from azi_p2p.cli.bench_trouble import BenchError, BenchTrouble

COMMANDS = ("--version", "--help")
NICKNAME = "Benchmark"
"""Stands in the first line of the lobby, so that one can see when it is drawn."""

DRAWING = 20.0
"""Seconds in which the lobby must be drawn."""


def measure_commands(runs: int = 5) -> dict[str, float]:
    """Milliseconds by the clock, medians, that `azi --version` and `azi --help` take."""
    return {
        f"azi {command}": round(statistics.median(_command_ms(command) for _ in range(runs)), 1) for command in COMMANDS
    }


def _command_ms(command: str) -> float:
    began = time.perf_counter()
    arguments = [sys.executable, "-m", "azi_p2p", command]
    subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)  # noqa: S603 - our own
    return 1000 * (time.perf_counter() - began)


def measure_lobby(runs: int = 3) -> float | None:
    """Milliseconds, the median, from the start of `azi` until the lobby is drawn; None where no terminal can be made.

    Nothing leaves this machine. Raises BenchError where the lobby doesn't come.
    """
    try:
        import pty  # noqa: PLC0415 - Windows has none
    except ImportError:
        return None
    with tempfile.TemporaryDirectory(prefix="azi-bench-") as folder:
        settings = Path(folder) / "settings.toml"
        settings.write_text(f'nickname = "{NICKNAME}"\nlanguage = "en"\n', encoding="utf-8")
        os.chmod(folder, 0o700)
        times = []
        for _ in range(runs + 1):
            ours, theirs = pty.openpty()
            try:
                times.append(_lobby_ms(folder, ours, theirs))
            finally:
                os.close(ours)
    # The first one made the profile.
    return round(statistics.median(times[1:]), 1)


def _lobby_ms(folder: str, ours: int, theirs: int) -> float:
    began = time.perf_counter()
    process = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-m", "azi_p2p", "--profile", folder],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        env={**os.environ, "TERM": "xterm-256color", "LINES": "24", "COLUMNS": "80", "AZI_LOOPBACK": "1"},
    )
    os.close(theirs)
    try:
        return _until_drawn(ours, began)
    finally:
        process.terminate()
        try:
            # Read on: a process can't end while what it has written waits for a reader.
            while os.read(ours, 65536):
                pass
        except OSError:
            pass  # how a terminal says that the last program on it has gone
        process.wait()


def _until_drawn(terminal: int, began: float) -> float:
    import select  # noqa: PLC0415 - not for terminals on Windows

    drawn = b""
    while NICKNAME.encode() not in drawn:
        left = began + DRAWING - time.perf_counter()
        if left <= 0 or not select.select([terminal], [], [], left)[0]:
            raise BenchError(BenchTrouble.NO_LOBBY, seconds=f"{DRAWING:.0f}")
        drawn += os.read(terminal, 65536)
    return 1000 * (time.perf_counter() - began)
