"""Inputs guided by coverage, by atheris (libFuzzer). A process of its own for each target: libFuzzer ends the process.

The child counts and judges like `engine` does, and leaves its report in a file. Our own mutations take part, for they
can sign what they have changed and a fuzzer of bytes can't.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.fuzz.engine import TRACED, Report, crashes, peak_memory, try_input
from tests.fuzz.targets import TARGETS, Target

LONGEST = 70_000
"""Bytes of one input; a little more than the longest frame."""

WRONG_KEPT = 20


def run(target: Target, inputs: int, seed: int) -> Report:
    """Try so many inputs in a child process, and give its report."""
    with tempfile.TemporaryDirectory(prefix="azi-fuzz-") as folder:
        found = Path(folder) / "report"
        child = subprocess.run(
            [sys.executable, "-m", "tests.fuzz.guided", target.name, str(inputs), str(seed), folder],
            capture_output=True,
            text=True,
            errors="replace",
            cwd=Path(__file__).parent.parent.parent,
            check=False,
        )
        if not found.exists():
            raise RuntimeError(f"the fuzzer of {target.name} broke off: {child.stderr[-2000:]}")
        said = json.loads(found.read_text(encoding="ascii"))
    wrong = [(bytes.fromhex(data), message) for data, message in said.pop("wrong")]
    return Report(**said, wrong=wrong)


def child(name: str, inputs: int, seed: int, folder: Path) -> None:
    """Fuzz one target, in this process, which then ends."""
    import atheris

    target = TARGETS[name]
    corpus = folder / "corpus"
    corpus.mkdir()
    seeds = (*target.seeds(), *crashes(name))
    for number, data in enumerate(seeds):
        (corpus / f"{number:05}").write_bytes(data)
    report = Report(name)
    for data in seeds:  # what is built once only is built now, and counts for no input
        try_input(target, data, report, traced=True)
    before = peak_memory()

    def look(data: bytes) -> None:
        if report.inputs >= inputs:
            return
        try_input(target, data, report, traced=report.inputs % TRACED == 0)
        if report.inputs >= inputs:
            report.grown = peak_memory() - before
            _leave(report, folder / "report")

    def mutate(data: bytes, _most: int, number: int) -> bytes:
        chance = random.Random(number)
        if data and chance.random() < 0.6:
            return target.mutation(chance, data, seeds)[:LONGEST]
        changed: bytes = atheris.Mutate(data, LONGEST)
        return changed

    atheris.instrument_all()
    # A few more runs than inputs: libFuzzer counts the seeds too, and one empty input.
    options = [f"-runs={inputs + len(seeds) + 10}", f"-seed={seed}", f"-max_len={LONGEST}", "-rss_limit_mb=0"]
    atheris.Setup([sys.argv[0], *options, "-print_final_stats=1", str(corpus)], look, custom_mutator=mutate)
    atheris.Fuzz()


def _leave(report: Report, path: Path) -> None:
    """Write the report for the parent process."""
    said: dict[str, Any] = {name: getattr(report, name) for name in Report.__slots__}
    said["wrong"] = [(data.hex(), message) for data, message in report.wrong[:WRONG_KEPT]]
    path.write_text(json.dumps(said), encoding="ascii")


if __name__ == "__main__":
    child(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
