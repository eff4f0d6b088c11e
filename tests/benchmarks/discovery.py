"""`python -m tests.benchmarks.discovery`: how soon a second process sees the table that a first one announces.

On the loopback interface, and, where root may make them, in network namespaces on a bridge. It prints milliseconds as
they come on this machine, with whatever else runs on it. No test: nothing is asserted.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence

import pytest

from tests.netns import lan

TABLE = "Kitchen"

LOOKING = """
import asyncio, json, sys, time
looked = time.monotonic()
from azi_p2p.net.discovery import Discovery
loaded = time.monotonic()

async def look():
    seen = asyncio.Event()
    def changed(sighting):
        if sighting.table_name == sys.argv[1]:
            seen.set()
    async with Discovery(loopback=sys.argv[2] == "loopback", on_change=changed):
        await asyncio.wait_for(seen.wait(), 20)
        return time.monotonic()

seen = asyncio.run(look())
print(json.dumps({"process": loaded, "seen": seen}))
"""

InPlace = Callable[[Sequence[str]], list[str]]


def measure(where: str, first: InPlace, second: InPlace, rounds: int) -> None:
    """Open a table in one place, look for it in another so many times, and print what came of it."""
    with tempfile.TemporaryDirectory() as folder:
        stays = ["--loopback"] if where == "loopback" else []
        arguments = [
            "host",
            "--bot",
            "easy",
            "--seats",
            "6",
            "--name",
            TABLE,
            "--profile",
            folder,
            "--until-eof",
            *stays,
        ]
        host = subprocess.Popen(
            first([sys.executable, "-m", "azi_p2p", *arguments]),
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        )
        assert host.stdin is not None
        assert host.stderr is not None
        try:
            host.stderr.readline()  # it says where it listens
            starts, looks = [], []
            for _ in range(rounds):
                began = time.monotonic()
                line = second([sys.executable, "-c", LOOKING, TABLE, where])
                noted = json.loads(subprocess.run(line, check=True, stdout=subprocess.PIPE).stdout)
                starts.append(1000 * (noted["seen"] - began))
                looks.append(1000 * (noted["seen"] - noted["process"]))
        finally:
            host.stdin.close()
            host.wait()
            host.stderr.close()
    for what, times in (("process started to table seen", starts), ("looking to table seen", looks)):
        print(f"{where:<9} {what:<30} n {rounds}  min {min(times):6.0f}  median {statistics.median(times):6.0f} ms")


def main() -> None:
    """Measure in both places."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    rounds: int = parser.parse_args().rounds
    measure("loopback", list, list, rounds)
    with contextlib.ExitStack() as stack:
        try:
            one, other = stack.enter_context(lan(2)).computers
        except pytest.skip.Exception as reason:
            print(f"bridge    not measured: {reason}")
            return
        measure("bridge", one.command, other.command, rounds)


if __name__ == "__main__":
    main()
