"""What a long evening must come to: memory flat, ledgers in a straight line, deals as quick as at first, all valid."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Sequence
from pathlib import Path

from azi_p2p.audit.verify import Verdict, verify_ledger
from tests.evening.evening import Sample

FLAT = 1.2
"""Memory may grow to so many times what it was after the first sample."""
STRAIGHT = 1.15
"""A stretch of the ledger may be so many times as long as the mean stretch."""
AS_QUICK = 1.5
"""The last quarter of the deals may take so many times as long as the first."""


def findings(samples: Sequence[Sample], root: Path, peers: int, deals: int) -> list[str]:
    """What isn't as it should be, a line each; `root`: where the peers' files lie."""
    return [*_growth(samples), *_ledgers(root, peers, deals)]


def _growth(samples: Sequence[Sample]) -> list[str]:
    if len(samples) < 4:
        return ["too few deals to say how anything grows: play at least four times as many as lie between two lines"]
    problems = []
    for peer, before in enumerate(samples[0].memory):
        most = max(sample.memory[peer] for sample in samples)
        if most > FLAT * before:
            problems.append(f"peer {peer} has grown from {before / 2**20:.1f} to {most / 2**20:.1f} MB")
    stretches = [later.ledgers[0] - sooner.ledgers[0] for sooner, later in itertools.pairwise(samples)]
    if max(stretches) > STRAIGHT * sum(stretches) / len(stretches):
        problems.append(f"the ledger doesn't grow in a straight line: {stretches}")
    quarter = len(samples) // 4
    first = sum(sample.seconds_a_deal for sample in samples[:quarter]) / quarter
    last = sum(sample.seconds_a_deal for sample in samples[-quarter:]) / quarter
    if last > AS_QUICK * first:
        problems.append(f"a deal took {1000 * first:.0f} ms at first and {1000 * last:.0f} ms at last")
    return problems


def _ledgers(root: Path, peers: int, deals: int) -> list[str]:
    problems = []
    paths = sorted(root.glob("*/out/*.azi"))
    if len(paths) != peers:
        problems.append(f"{len(paths)} ledgers of {peers} peers")
    ends = set()
    verdicts: dict[bytes, Verdict] = {}
    for path in paths:
        data = path.read_bytes()
        content = hashlib.sha256(data).digest()
        if content not in verdicts:
            # Six ledgers that are the same to the last byte are checked once: it takes minutes.
            verdicts[content] = verify_ledger(data)
        verdict = verdicts[content]
        ends.add((verdict.head, verdict.chips))
        if not (verdict.valid and verdict.complete and verdict.deals >= deals):
            problems.append(f"{path.name}: valid {verdict.valid}, complete {verdict.complete}, {verdict.deals} deals")
    if len(ends) > 1:
        problems.append("the ledgers end with different heads or chips")
    return problems
