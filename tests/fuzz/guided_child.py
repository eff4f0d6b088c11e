"""The child of `guided`: fuzzes one target under atheris, counts and judges like `engine`, and leaves a report.

Our own mutations take part, for they can sign what they have changed and a fuzzer of bytes can't. Run by `guided`:
`python -m tests.fuzz.guided_child TARGET INPUTS SEED FOLDER`.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

import atheris

with atheris.instrument_imports(include=["azi_p2p"], enable_loader_override=False):
    from tests.fuzz.engine import TRACED, Report, crashes, peak_memory, try_input
    from tests.fuzz.targets import TARGETS

LONGEST = 70_000
"""Bytes of one input; a little more than the longest frame."""

WRONG_KEPT = 20


def main(name: str, inputs: int, seed: int, folder: Path) -> None:
    """Fuzz one target, in this process, which then ends."""
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
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
