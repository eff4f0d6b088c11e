"""`python -m tests.benchmarks.ledgers`: how verifying grows with the length of a ledger: time, deals a second, memory.

    python -m tests.benchmarks.ledgers make 4 1000 long.azi     # real proofs, played in one process
    python -m tests.benchmarks.ledgers verify long.azi          # with all cores, then in one process

No test: nothing is asserted but that the ledger is sound.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from pathlib import Path

from azi_p2p.cli.bench_table import BenchTable
from azi_p2p.cli.verify_files import Judging
from azi_p2p.cli.verify_workers import cores
from azi_p2p.rules import Params


def make(seats: int, deals: int, path: Path) -> None:
    """Write the ledger of a table that was played at random; what its peers make is real, and trusted by the others."""
    with path.open("wb") as file:
        for piece in BenchTable(Params(seats=seats, deal_limit=deals, start_chips=10**6), seed=1).play():
            file.write(piece)
    print(f"{path}: {path.stat().st_size} bytes")


def verify(path: Path, workers: int) -> None:
    """Verify it in this process, with so many workers, and say what that took."""
    began = time.perf_counter()
    with path.open("rb") as file, Judging(silent=True, workers=workers) as judging:
        verdict = judging.verify(file, path.name)
    seconds = time.perf_counter() - began
    assert verdict.complete, verdict.faults
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    work = own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime
    print(
        f"workers {workers}: {verdict.deals} deals in {seconds:.1f} s: {verdict.deals / seconds:.1f} a second;"
        f" processor {1000 * work / verdict.deals:.0f} ms a deal;"
        f" at most {own.ru_maxrss >> 10} MiB resident, a worker {others.ru_maxrss >> 10} MiB"
    )


def main() -> None:
    """Make a ledger, or verify one in processes of their own, so that each says what it took itself."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("make", "verify", "once"))
    parser.add_argument("rest", nargs="+")
    options = parser.parse_args()
    if options.what == "make":
        seats, deals, path = options.rest
        make(int(seats), int(deals), Path(path))
    elif options.what == "once":
        path, workers = options.rest
        verify(Path(path), int(workers))
    else:
        for workers in dict.fromkeys((cores(), 1)):
            command = ["-m", "tests.benchmarks.ledgers", "once", options.rest[0], str(workers)]
            subprocess.run([sys.executable, *command], check=True)


if __name__ == "__main__":
    main()
