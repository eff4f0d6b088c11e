"""The command: `python -m tests.evening [--peers P] [--deals N] [--every K] [--json FILE]`.

Real peers on the loopback interface play N deals at one table; every K deals it writes down how much memory each peer
has (with its workers), how long its ledger file and its journal are, and how long a deal took. At the end every ledger
is verified. Exit code 0 only if memory stayed within a fifth of what it was after the first K deals, ledgers grew
in a straight line, and the last deals took no longer than the first, within a half (other work on the machine counts).
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from tests.evening.evening import Sample, evening
from tests.evening.judging import findings


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; gives the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.evening", description=__doc__)
    parser.add_argument("--peers", type=int, default=6, metavar="P", help="how many peers (6)")
    parser.add_argument("--deals", type=int, default=2000, metavar="N", help="how many deals (2000)")
    parser.add_argument("--every", type=int, default=100, metavar="K", help="deals between two lines (100)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was measured into this file too")
    asked = parser.parse_args(arguments)
    name = f"Evening {secrets.token_hex(3)}"
    samples: list[Sample] = []
    print(" deals  ms a deal  load   MB of a peer, least to most   KB of ledger   KB of journal")
    with tempfile.TemporaryDirectory(prefix="azi-evening-") as folder:
        for sample in evening(name, Path(folder), asked.peers, asked.deals, asked.every):
            print(line(sample), flush=True)
            samples.append(sample)
        problems = findings(samples, Path(folder), asked.peers, asked.deals)
    if asked.json is not None:
        asked.json.write_text(json.dumps([asdict(sample) for sample in samples], indent=1) + "\n")
    for problem in problems:
        print(f"NOT SO: {problem}")
    if not problems:
        print(f"all {asked.peers} ledgers are valid, complete and equal in head and chips; memory and time are flat")
    return 1 if problems else 0


def line(sample: Sample) -> str:
    """One line of the table."""
    memory = sorted(sample.memory)
    return (
        f"{sample.deals:6}  {1000 * sample.seconds_a_deal:9.0f}  {os.getloadavg()[0]:4.1f}   "
        f"{memory[0] / 2**20:13.1f} to {memory[-1] / 2**20:6.1f}   "
        f"{max(sample.ledgers) / 1024:15.0f}   {max(sample.journals) / 1024:13.0f}"
    )


if __name__ == "__main__":
    sys.exit(main())
