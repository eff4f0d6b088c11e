"""Whole peers that are watched (`tests.net.watched`), each a process on a computer of a LAN of the test's own.

What doesn't belong here: what is expected of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from azi_p2p.audit.verify import Verdict, verify_ledger
from azi_p2p.wire.envelope import decode_envelope
from azi_p2p.wire.ledgerfile import ledger_records, read_ledger_header
from tests.net.watched import FINISH, NEVER
from tests.netns import Computer

NAMES = ("Anna", "Ben", "Katya", "Pieter", "Anele", "Sipho")
TABLE = "Kitchen table"
TURN_SECONDS = 10
"""What a bot has for a move: far more than it needs, and soon over where it is cut off."""
SHORTEST_TURN = 5

Told = dict[str, Any]


@dataclass
class Watched:
    """One peer. `told`: everything that it has told so far; `lines`: what it has said to people."""

    name: str
    computer: Computer
    out: Path
    child: asyncio.subprocess.Process
    changed: asyncio.Condition
    told: list[Told] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    async def listen(self) -> None:
        """Read what it says, until its end."""
        assert self.child.stderr is not None
        while line := (await self.child.stderr.readline()).decode():
            async with self.changed:
                if line.startswith("@"):
                    self.told.append(json.loads(line[1:]))
                else:
                    self.lines.append(line.rstrip())
                self.changed.notify_all()
        await self.child.wait()
        async with self.changed:
            self.changed.notify_all()

    def saw(self, since: int, condition: Callable[[Told], bool]) -> bool:
        """Whether anything told from number `since` on fulfils the condition."""
        return any(condition(one) for one in self.told[since:])

    def find(self, since: int = 0, **wanted: object) -> Told | None:
        """The first thing told, from number `since` on, that has all these fields; None if there is none."""
        return next((one for one in self.told[since:] if wanted.items() <= one.items()), None)

    def release(self) -> None:
        """Let it go on where it stands still, or wherever it would."""
        self._write(b"")

    def finish(self) -> None:
        """Let it ask for the end of the table; that comes when all who are there have asked."""
        self._write(FINISH)

    def _write(self, line: bytes) -> None:
        assert self.child.stdin is not None
        self.child.stdin.write(line + b"\n")

    def ledger(self) -> bytes:
        """Its ledger file as it is now; empty while there is none."""
        files = sorted(self.out.glob("*.azi"))
        return files[0].read_bytes() if files else b""

    async def result(self) -> dict[str, Any]:
        """Wait for its end, which must be a good one; gives what it wrote to stdout."""
        assert self.child.stdout is not None
        out = await self.child.stdout.read()
        await self.child.wait()
        assert self.child.returncode == 0, f"{self.name} failed:\n" + "\n".join(self.lines[-20:])
        result: dict[str, Any] = json.loads(out)
        return result


class Party:
    """The peers of one table; `until` waits for what any of them tells."""

    def __init__(self, folder: Path, changed: asyncio.Condition) -> None:
        self.folder = folder
        self.peers: list[Watched] = []
        self._changed = changed

    def accused(self) -> list[Path]:
        """The evidence files that the peers have written."""
        return list(self.folder.rglob("*.azi-evidence"))

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until something that was told makes this true; fails when a peer ends before."""
        async with self._changed:
            while not condition():
                ended = [peer for peer in self.peers if peer.child.returncode is not None]
                assert not ended, f"{ended[0].name} has ended:\n" + "\n".join(ended[0].lines[-20:])
                await self._changed.wait()

    async def first(self, peers: Sequence[Watched], since: Sequence[int] | None = None, **wanted: object) -> Watched:
        """Wait until one of these peers tells something with these fields; gives the peer."""
        begin = since or [0] * len(peers)

        def told() -> list[Watched]:
            return [one for one, start in zip(peers, begin, strict=True) if one.find(start, **wanted)]

        await self.until(lambda: bool(told()))
        return told()[0]


@contextlib.asynccontextmanager
async def party(
    folder: Path,
    computers: Sequence[Computer],
    stops: Sequence[str] = (),
    *,
    deals: int = 0,
    joining: str = TABLE,
    port: int = 0,
    limits: float = 1,
) -> AsyncIterator[Party]:
    """Let a table be opened on the first computer and joined on the others; all are ended at the end.

    `deals`: after which it ends, 0 for no limit. `stops`: for each peer where it stands still, by default nowhere.
    `joining`: what the others type, once the first one listens (on `port`). `limits`: by which the time limits are
    multiplied.
    """
    changed = asyncio.Condition()
    made = Party(folder, changed)
    listeners: list[asyncio.Task[None]] = []
    try:
        for number, computer in enumerate(computers):
            name = NAMES[number]
            opening = ["host", "--name", TABLE, "--seats", str(len(computers)), "--deals", str(deals)]
            opening += ["--turn-seconds", str(max(SHORTEST_TURN, round(TURN_SECONDS * limits))), "--port", str(port)]
            line = opening if number == 0 else ["join", joining, "--wait", "60"]
            line += ["--nick", name, "--profile", str(folder / name), "--out", str(folder / f"{name}-ledger")]
            line += ["--json", "--lang", "en", "--bot", "easy"]
            stop = stops[number] if stops else NEVER
            child = await asyncio.create_subprocess_exec(
                *computer.command([sys.executable, "-m", "tests.net.watched", stop, str(limits), *line]),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env={**os.environ, "PYTHONIOENCODING": "utf-8"},
            )
            peer = Watched(name, computer, folder / f"{name}-ledger", child, changed)
            made.peers.append(peer)
            listeners.append(asyncio.ensure_future(peer.listen()))
            if number == 0:
                await made.until(lambda: bool(made.peers[0].lines))
        yield made
    finally:
        for peer in made.peers:
            if peer.child.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    peer.child.kill()
        await asyncio.gather(*(peer.child.wait() for peer in made.peers), *listeners)


async def in_time(seconds: float, waited: Awaitable[Any], party: Party) -> Any:
    """Wait for something, with a limit; past it, fails with what the peers have said."""
    try:
        async with asyncio.timeout(seconds):
            return await waited
    except TimeoutError:
        said = "\n".join(f"--- {peer.name}: {peer.told[-6:]}\n" + "\n".join(peer.lines[-5:]) for peer in party.peers)
        raise AssertionError(f"not within {seconds:.0f} s\n{said}") from None


def without_votes(ledger: bytes) -> list[bytes]:
    """The records of a ledger file but its votes: which majority has signed a certificate may differ between peers."""
    _, start = read_ledger_header(ledger)
    return [raw for raw in ledger_records(ledger, start) if decode_envelope(raw).type != "vote"]


def is_beginning(part: bytes, whole: bytes) -> bool:
    """Whether what one ledger file tells is the beginning of what another tells."""
    if not part:
        return True
    begun = without_votes(part)
    return without_votes(whole)[: len(begun)] == begun


def verified(ledgers: Sequence[bytes]) -> Verdict:
    """Verify ledgers of one table; all must be complete, blame nobody, and tell the same. Gives what they tell."""
    assert all(without_votes(ledger) == without_votes(ledgers[0]) for ledger in ledgers)
    # Where they differ at all it is in who has signed a certificate; equal bytes needn't be judged again.
    verdicts = [verify_ledger(ledger) for ledger in set(ledgers)]
    for verdict in verdicts:
        assert verdict.valid, verdict.faults
        assert verdict.complete
        assert not verdict.faults
    assert len({(verdict.head, tuple(verdict.chips), verdict.deals) for verdict in verdicts}) == 1
    return verdicts[0]
