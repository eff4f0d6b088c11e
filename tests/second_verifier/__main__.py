"""The whole comparison: `python -m tests.second_verifier --ledgers 50`.

Each ledger is forged from its seed, compared whole, damaged, and with single messages changed; and for each a table of
liars is forged as well. Exit code 1 if the verifiers differ anywhere; the file is then kept.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from contextlib import nullcontext
from pathlib import Path

from tests.second_verifier.collusion import LIES, lying_ledger
from tests.second_verifier.compare import disagreement, is_valid, memory
from tests.second_verifier.damage import damaged, headers, lies
from tests.second_verifier.forge import forge_ledger
from tests.second_verifier.toygroup import both_over_toy_group


def main(arguments: list[str] | None = None) -> int:
    """Compare, and print what came up."""
    parser = argparse.ArgumentParser(prog="python -m tests.second_verifier", description=__doc__)
    parser.add_argument("--ledgers", type=int, default=50, metavar="N", help="ledgers to forge (50)")
    parser.add_argument("--seed", type=int, default=1000, metavar="S", help="seed of the first (1000)")
    parser.add_argument("--damages", type=int, default=40, metavar="D", help="damaged copies of each (40)")
    parser.add_argument("--keep", type=Path, default=Path(), metavar="DIR", help="where files that differ are kept")
    parser.add_argument("--toy", action="store_true", help="over the toy group: all but the group is real, and quicker")
    asked = parser.parse_args(arguments)
    with both_over_toy_group() if asked.toy else nullcontext():
        return compare(asked)


def compare(asked: argparse.Namespace) -> int:
    """Forge, spoil and compare what is asked for; gives the exit code."""
    seen: Counter[str] = Counter()
    began = time.perf_counter()

    def check(name: str, data: bytes) -> None:
        said = disagreement(data)
        seen["valid" if is_valid(data) else "invalid"] += 1
        if said:
            seen["differ"] += 1
            path = asked.keep / f"differ-{seen['differ']}.azi"
            path.write_bytes(data)
            print(f"{name}: {said}; kept as {path}", flush=True)

    for seed in range(asked.seed, asked.seed + asked.ledgers):
        with memory():
            data, _, table = forge_ledger(seed)
            check(f"seed {seed}", data)
            chance = random.Random(seed)
            changed = lies(data, table.records.people, chance, 2 * asked.damages)
            for name, bad in [*damaged(data, chance, asked.damages), *headers(data), *changed]:
                check(f"seed {seed}, {name}", bad)
        lie = LIES[seed % len(LIES)]
        check(f"seed {seed}, {lie.__name__}", lying_ledger(lie, seed))
    seconds = time.perf_counter() - began
    print(f"{asked.ledgers} ledgers from seed {asked.seed}, {seen.total() - seen['differ']} files: ", end="")
    print(f"{seen['valid']} valid, {seen['invalid']} invalid, {seen['differ']} on which we differ ({seconds:.0f} s)")
    return 1 if seen["differ"] else 0


if __name__ == "__main__":
    sys.exit(main())
