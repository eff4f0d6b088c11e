"""`azi demo`: peers as separate processes find each other by mDNS, play, and every ledger is verified.

The children are told the name of a table and nothing of each other: no address is passed. All of it stays on the
loopback interface. What doesn't belong here: how a peer plays, and how a ledger is judged.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from azi_p2p.audit.verify import Verdict, verify_ledger
from azi_p2p.cli.children import Child, start_child, stop_children
from azi_p2p.cli.running import FAILED, FINE, INCOMPLETE, INVALID, CommandFailed, run, tell
from azi_p2p.ui.failed import what_failed
from azi_p2p.ui.i18n import Catalogue

NAMES = ("Anna", "Ben", "Katya", "Pieter", "Anele", "Sipho")
FINDING_SECONDS = 60
"""Seconds that a child looks for the table: on a slow machine, starting six processes takes a while."""


@dataclass(frozen=True, slots=True)
class PeerReport:
    """One peer of the demo: what it said of itself, and what its ledger says."""

    name: str
    ledger: Path | None
    verdict: Verdict | None
    problem: str | None

    def to_json(self) -> dict[str, object]:
        """The report as `azi demo --json` writes it."""
        return {
            "name": self.name,
            "ledger": None if self.ledger is None else str(self.ledger),
            "problem": self.problem,
            **({} if self.verdict is None else self.verdict.to_json()),
        }


def run_demo(texts: Catalogue, peers: int, deals: int, hand_size: int, out: Path | None, *, json_out: bool) -> int:
    """Run the demo; gives the exit code: 0 only if every ledger is valid and complete and all agree."""
    folder = ledger_folder(texts, out)
    return run(lambda: demo(texts, peers, deals, hand_size, folder, json_out=json_out))


def ledger_folder(texts: Catalogue, out: Path | None) -> Path:
    """The folder for the ledgers: the given one, made if need be, or a new one. Raises CommandFailed."""
    try:
        if out is None:
            return Path(tempfile.mkdtemp(prefix="azi-demo-"))
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandFailed(what_failed(error, texts)) from error
    return out.resolve()


async def demo(texts: Catalogue, peers: int, deals: int, hand_size: int, folder: Path, *, json_out: bool) -> int:
    """Start the peers, wait for them, judge what they leave."""
    begun = time.monotonic()
    tell(texts.text("demo.begin", peers=peers, deals=deals))
    with tempfile.TemporaryDirectory(prefix="azi-profiles-") as profiles:
        children: list[Child] = []
        try:
            for number, arguments in enumerate(child_arguments(peers, deals, hand_size, folder, Path(profiles))):
                name = NAMES[number]
                # One voice is enough for people to follow; the others are kept for when something goes wrong.
                children.append(await start_child(name, arguments, tell if number == 0 else None))
            outputs = await finished(children)
        finally:
            await stop_children(children)
    seconds = time.monotonic() - begun
    tell(texts.text("demo.verifying", seconds=round(seconds, 1)))
    reports = [await asyncio.to_thread(judged, child, output) for child, output in zip(children, outputs, strict=True)]
    agree = agreeing(reports)
    code = demo_exit_code(reports, agree=agree)
    if json_out:
        print(
            json.dumps(
                {
                    "ok": code == FINE,
                    "peers": [report.to_json() for report in reports],
                    "agree": agree,
                    "folder": str(folder),
                    "seconds": round(seconds, 3),
                }
            )
        )
        return code
    for report in reports:
        print(report_line(texts, report))
    print(texts.text("demo.agree" if code == FINE else "demo.failed", peers=peers, seconds=round(seconds, 1)))
    print(texts.text("demo.folder", folder=folder))
    return code


def child_arguments(peers: int, deals: int, hand_size: int, folder: Path, profiles: Path) -> list[list[str]]:
    """The command line of every child: the first opens a table, the others look for its name."""
    table = f"Demo {secrets.token_hex(3)}"
    common = ["--bot", "normal", "--loopback", "--until-eof", "--json", "--out", str(folder)]
    lines = []
    for number, name in enumerate(NAMES[:peers]):
        own = ["--nick", name, "--profile", str(profiles / name.lower()), *common]
        if number == 0:
            lines.append(
                [
                    "host",
                    "--name",
                    table,
                    "--seats",
                    str(peers),
                    "--hand-size",
                    str(hand_size),
                    "--deals",
                    str(deals),
                    *own,
                ]
            )
        else:
            lines.append(["join", table, "--wait", str(FINDING_SECONDS), *own])
    return lines


async def finished(children: Sequence[Child]) -> list[str]:
    """Wait for all children and give what each wrote to stdout; when one fails, the others needn't be waited for."""
    waits = [asyncio.ensure_future(child.output()) for child in children]
    try:
        pending = set(waits)
        while pending:
            done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            if any(children[waits.index(wait)].process.returncode != 0 for wait in done) and pending:
                await asyncio.wait(pending, timeout=10)
                break
        return [wait.result() if wait.done() else "" for wait in waits]
    finally:
        for wait in waits:
            wait.cancel()


def judged(child: Child, output: str) -> PeerReport:
    """Verify the ledger that a child says it has left."""
    try:
        path = Path(json.loads(output)["ledger"])
        verdict = verify_ledger(path.read_bytes())
    except (ValueError, TypeError, KeyError, OSError):
        return PeerReport(child.name, None, None, child.last_message)
    problem = None if child.process.returncode == 0 else child.last_message
    return PeerReport(child.name, path, verdict, problem)


def agreeing(reports: Sequence[PeerReport]) -> bool:
    """Whether all ledgers end with the same head, chips and number of deals."""
    ends = {
        None if report.verdict is None else (report.verdict.head, report.verdict.chips, report.verdict.deals)
        for report in reports
    }
    return len(ends) == 1 and None not in ends


def demo_exit_code(reports: Sequence[PeerReport], *, agree: bool) -> int:
    """3 for an invalid ledger, 1 where a peer failed or they don't agree, 4 for an incomplete ledger, else 0."""
    verdicts = [report.verdict for report in reports if report.verdict is not None]
    if not all(verdict.valid for verdict in verdicts):
        return INVALID
    if not agree or any(report.problem is not None for report in reports):
        return FAILED
    return FINE if all(verdict.complete for verdict in verdicts) else INCOMPLETE


def report_line(texts: Catalogue, report: PeerReport) -> str:
    """What became of one peer, in one line."""
    verdict = report.verdict
    if verdict is None:
        return texts.text("demo.no_ledger", name=report.name, problem=report.problem)
    if report.problem is not None:
        return texts.text("demo.peer_failed", name=report.name, problem=report.problem)
    key = "demo.peer_valid" if verdict.valid and verdict.complete else "demo.peer_incomplete"
    return texts.text(
        key if verdict.valid else "demo.peer_invalid",
        name=report.name,
        deals=verdict.deals,
        head=verdict.head[:16],
        chips=" ".join(map(str, verdict.chips)),
    )
