"""Whole peers on a LAN of their own: processes in network namespaces on one switch, with no route out."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from azi_p2p.audit.verify import Verdict, verify_ledger
from azi_p2p.net.link import Timing
from tests.net.conftest import in_loop
from tests.netns import Computer, ip, lan

pytestmark = pytest.mark.netns

TABLE = "Kitchen table"


@dataclass
class Process:
    """One `azi` on one computer."""

    name: str
    child: asyncio.subprocess.Process

    async def heard(self, words: str) -> str:
        """Read its messages until one holds these words; gives that line."""
        assert self.child.stderr is not None
        lines = []
        while line := (await self.child.stderr.readline()).decode():
            lines.append(line)
            if words in line:
                return line
        raise AssertionError(f"{self.name} ended without saying {words!r}:\n{''.join(lines)}")

    async def result(self) -> dict[str, Any]:
        """Wait for its end, which must be a good one; gives what it wrote to stdout."""
        out, errors = await self.child.communicate()
        assert self.child.returncode == 0, f"{self.name} failed:\n{errors.decode()}"
        result: dict[str, Any] = json.loads(out)
        return result


@contextlib.asynccontextmanager
async def processes(folder: Path, lines: Sequence[tuple[Computer, str, list[str]]]) -> AsyncIterator[list[Process]]:
    """Run `azi` on computers, as (computer, nickname, arguments); whatever still runs at the end is ended."""
    started: list[Process] = []
    try:
        for computer, name, arguments in lines:
            own = ["--nick", name, "--profile", str(folder / name), "--out", str(folder), "--json", "--bot", "easy"]
            child = await asyncio.create_subprocess_exec(
                *computer.command([sys.executable, "-m", "azi_p2p", *arguments, *own]),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
            started.append(Process(name, child))
        yield started
    finally:
        for process in started:
            if process.child.returncode is None:
                process.child.terminate()
        for process in started:
            await process.child.communicate()


async def tables_seen_on(computer: Computer) -> list[str]:
    """The names of the tables that `azi tables` shows on a computer."""
    child = await asyncio.create_subprocess_exec(
        *computer.command([sys.executable, "-m", "azi_p2p", "tables", "--wait", "3", "--json"]),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, errors = await child.communicate()
    assert child.returncode == 0, errors.decode()
    return [table["name"] for table in json.loads(out)["tables"]]


def host(seats: int, deals: int) -> list[str]:
    return ["host", "--name", TABLE, "--seats", str(seats), "--deals", str(deals)]


def verified(results: list[dict[str, Any]]) -> list[Verdict]:
    """Verify every ledger; all must be complete and tell of the same game."""
    verdicts = [verify_ledger(Path(result["ledger"]).read_bytes()) for result in results]
    assert all(verdict.valid and verdict.complete for verdict in verdicts)
    assert len({(verdict.head, tuple(verdict.chips), verdict.deals) for verdict in verdicts}) == 1
    return verdicts


@pytest.mark.slow
@in_loop
async def test_three_computers_find_each_other_play_and_verify(tmp_path: Path) -> None:
    with lan(3) as made:
        anna, ben, katya = made.computers
        lines = [
            (anna, "Anna", host(3, 5)),
            (ben, "Ben", ["join", TABLE, "--wait", "60"]),
            (katya, "Katya", ["join", TABLE, "--wait", "60"]),
        ]
        async with processes(tmp_path, lines) as started:
            results = [await process.result() for process in started]
        for verdict in verified(results):
            assert verdict.deals >= 1
            assert sum(verdict.chips) == 3000
            assert len(verdict.seats) == 3


@pytest.mark.slow
@in_loop
async def test_address_is_enough_where_mdns_cant_work(tmp_path: Path) -> None:
    with lan(3) as made:
        anna, ben, katya = made.computers
        for number, _ in enumerate(made.computers, start=1):
            # A switch that passes no multicast on, as many a wireless one.
            port = ["-n", made.switch, "link", "set", f"port{number}", "type", "bridge_slave"]
            ip(*port, "mcast_flood", "off")
        async with processes(tmp_path, [(anna, "Anna", [*host(3, 3), "--port", "4000"])]) as first:
            await first[0].heard(":4000")
            assert await tables_seen_on(ben) == []
            lines = [(one, name, ["join", f"{anna.host}:4000"]) for one, name in ((ben, "Ben"), (katya, "Katya"))]
            async with processes(tmp_path, lines) as others:
                results = [await process.result() for process in [*first, *others]]
        verified(results)


@pytest.mark.slow
@pytest.mark.long
@in_loop
async def test_pulled_cable_is_noticed_and_the_game_goes_on_when_it_is_back(tmp_path: Path) -> None:
    with lan(3) as made:
        anna, ben, katya = made.computers
        lines = [
            (anna, "Anna", host(3, 25)),
            (ben, "Ben", ["join", TABLE, "--wait", "60"]),
            (katya, "Katya", ["join", TABLE, "--wait", "60"]),
        ]
        async with processes(tmp_path, lines) as started:
            await started[2].heard("Deal 3.")
            katya.unplug()
            # Longer than silence is borne on a link, so that all of hers are lost on both sides.
            await asyncio.sleep(Timing().silence + 2)
            katya.plug()
            results = [await process.result() for process in started]
        for verdict in verified(results):
            assert sum(verdict.chips) == 3000
            assert not verdict.faults


@pytest.mark.slow
@in_loop
async def test_table_is_found_however_late_the_network_is_there(tmp_path: Path) -> None:
    with lan(2) as made:
        anna, ben = made.computers
        async with processes(tmp_path, [(anna, "Anna", host(2, 1))]) as first:
            await first[0].heard("is open")
            ben.swallow()
            async with processes(tmp_path, [(ben, "Ben", ["join", TABLE, "--wait", "60"])]) as second:
                await second[0].heard("Looking")
                # By now the library has asked four times, and would ask no more.
                await asyncio.sleep(16)
                ben.connect()
                await second[0].heard("Found")
                results = [await process.result() for process in [*first, *second]]
        verified(results)
