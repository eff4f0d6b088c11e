"""`python -m tests.e2e.screen_times`: how long the client takes to start and to answer a key, and what it uses idle.

Real processes on pseudo-terminals, over loopback. It prints milliseconds as they come on this machine, with whatever
else runs on it; the processor times depend less on that. What doesn't belong here: asserting anything.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.e2e.screen import FullScreen

TICK = 1000 / os.sysconf("SC_CLK_TCK")
"""Milliseconds in a unit of the processor times in /proc."""


def processor_ms(pid: int) -> float:
    """Processor time that a process has used so far, all its threads together."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK


def spread(values: list[float]) -> str:
    """Least, median and 95th of a hundred."""
    ordered = sorted(values)
    return f"min {ordered[0]:.0f}, median {statistics.median(ordered):.0f}, p95 {ordered[int(0.95 * len(ordered))]:.0f}"


def profile(folder: Path) -> Path:
    """A profile with a name and a key."""
    folder.mkdir(mode=0o700)
    (folder / "settings.toml").write_text('nickname = "Eva"\nlanguage = "en"\n', encoding="utf-8")
    azi("id", "--profile", str(folder))
    return folder


def azi(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "azi_p2p", *arguments], check=True, stdout=subprocess.DEVNULL)


def of_command(runs: int, *arguments: str) -> None:
    """Time and processor time of a command that ends by itself."""
    walls, works = [], []
    for _ in range(runs):
        before, began = os.times(), time.perf_counter()
        azi(*arguments)
        walls.append(1000 * (time.perf_counter() - began))
        after = os.times()
        works.append(
            1000 * (after.children_user + after.children_system - before.children_user - before.children_system)
        )
    print(f"azi {' '.join(arguments)}: {spread(walls)} ms; processor {spread(works)} ms")


def of_lobby(runs: int, folder: Path) -> None:
    """From the start of the process to the lobby on the screen."""
    walls, works = [], []
    for _ in range(runs):
        began = time.perf_counter()
        with FullScreen("--profile", str(folder)) as lobby:
            lobby.shows("open a table")
            walls.append(1000 * (time.perf_counter() - began))
            works.append(processor_ms(lobby.process.pid))
    print(f"lobby drawn: {spread(walls)} ms; processor {spread(works)} ms")


def of_keys(screen: FullScreen, seconds: float) -> list[float]:
    """Milliseconds from a key to what it changes on the screen, for so long: help is opened and closed."""
    times = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for key, shows in (("?", "pick a card or a choice"), ("x", "")):
            began = time.perf_counter()
            screen.press(key)
            if shows:
                screen.shows(shows)
            else:
                screen.shows_no("pick a card or a choice")
            times.append(1000 * (time.perf_counter() - began))
    return times


def of_table(folder: Path, bots: int) -> None:
    """At a practice table: keys while decks are shuffled and proven, keys at rest, and the processor at rest."""
    with FullScreen("play", "--bots", str(bots), "--deals", "1", "--profile", str(folder)) as table:
        table.shows("Seats taken|shuffle|Trump")
        # The bots start, every seat shuffles and proves, and this one checks: all within the next seconds.
        busy = of_keys(table, 3.0)
        table.shows("Trump .", 60)
        before = processor_ms(table.process.pid)
        print(f"key to screen, bots starting and shuffling: {spread(busy)} ms ({len(busy)} keys)")
        quiet = of_keys(table, 3.0)
        print(f"key to screen, cards dealt: {spread(quiet)} ms ({len(quiet)} keys)")
        before, began = processor_ms(table.process.pid), time.perf_counter()
        while time.perf_counter() - began < 10.0:
            table.change(table.settled_text())
        used, passed = processor_ms(table.process.pid) - before, 1000 * (time.perf_counter() - began)
        print(f"idle at the table: {100 * used / passed:.2f} % of a processor, over {passed / 1000:.0f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description="Times of the client.")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--bots", type=int, default=3)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = profile(Path(name) / "eva")
        for arguments in (("--version",), ("--help",), ("play", "--help")):
            of_command(wanted.runs, *arguments)
        of_lobby(wanted.runs, folder)
        of_table(folder, wanted.bots)
    print(f"load of the machine meanwhile: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
