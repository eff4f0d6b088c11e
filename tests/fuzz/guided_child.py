"""The child of `guided`: fuzzes one target under atheris, counts and judges like `engine`, and leaves a report.

Our own mutations take part, for they can sign what they have changed and a fuzzer of bytes can't. Run by `guided`:
`python -m tests.fuzz.guided_child TARGET INPUTS SEED FOLDER`.
"""

from __future__ import annotations

import json
import random
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

CORPUS, REPORT, ARTIFACT = "corpus", "report", "artifact-"
"""Names in the child's folder: its seeds, what it leaves at its end, and what begins the name of a fatal input."""

LONGEST = 70_000
"""Bytes of one input; a little more than the longest frame."""

LARGE, KEPT_LARGE = 8192, 0.1
"""Bytes from which on an input is seldom built on, and how often it is: large ones cost the time of many."""

SLOWER = 8
"""How many times longer than else an input may take: code that reports its coverage is slow."""

WRONG_KEPT = 20

OWN, FROM_SEEDS = 0.8, 0.5
"""How often a mutation is ours, and how often it then begins with a seed.

The decoder is compiled, so to libFuzzer all message types look the same, and it would soon build on one of them only.
"""

OPTIONS = (
    # One or two changes at a time: with five, libFuzzer's default, little is left of any form.
    "-mutate_depth=2",
    # Else large inputs that were taken give way to small ones that were refused at the same place.
    "-reduce_inputs=0",
    "-keep_seed=1",
    f"-max_len={LONGEST}",
    # Time and memory are judged here, for each input; these are for what never comes back.
    "-timeout=120",
    "-rss_limit_mb=4096",
    "-print_final_stats=1",
)


def main(name: str, inputs: int, seed: int, folder: Path) -> None:
    """Fuzz one target, in this process, which then ends."""
    import atheris  # here, since others read the names above where it isn't installed

    with atheris.instrument_imports(include=["azi_p2p", "tomllib"], enable_loader_override=False):
        from tests.fuzz.engine import TRACED, crashes, peak_memory, try_given, try_input
        from tests.fuzz.mutate import SNIPPETS
        from tests.fuzz.targets import TARGETS

    target = replace(TARGETS[name], seconds=TARGETS[name].seconds * SLOWER)
    seeds = target.seeds()
    given = (*seeds, *crashes(name))
    for number, data in enumerate(given):
        (folder / CORPUS / f"{number:05}").write_bytes(data)
    words = ["".join(rf"\x{sign:02x}" for sign in word) for word in SNIPPETS if len(word) < 60]
    (folder / "words").write_text("\n".join(f'"{word}"' for word in words), encoding="ascii")
    report = try_given(target)
    before = peak_memory()
    # libFuzzer begins with one empty input and with what is given: they count for no input of the run.
    to_come = 1 + len(given)
    is_done = False

    def look(data: bytes) -> None:
        nonlocal to_come, is_done
        if is_done:
            return
        try_input(target, data, report, traced=report.inputs % TRACED == 0)
        if to_come:
            to_come -= 1
            if not to_come:
                report.inputs = report.taken = 0
        elif report.inputs >= inputs:
            report.grown = peak_memory() - before
            _leave(report, folder / REPORT)
            is_done = True

    def mutate(data: bytes, _most: int, number: int) -> bytes:
        chance = random.Random(number)
        if len(data) > LARGE and chance.random() >= KEPT_LARGE:
            data = chance.choice(seeds)
        if chance.random() >= OWN:
            changed: bytes = atheris.Mutate(data, LONGEST)
            return changed
        base = chance.choice(seeds) if not data or chance.random() < FROM_SEEDS else data
        return target.mutation(chance, base, seeds)[:LONGEST]

    # Some more runs than inputs, should libFuzzer leave out any that is given; they are over at once.
    runs = [f"-runs={inputs + 2 * len(given) + 10}", f"-seed={seed}"]
    places = [f"-dict={folder / 'words'}", f"-artifact_prefix={folder / ARTIFACT}", str(folder / CORPUS)]
    atheris.Setup([sys.argv[0], *OPTIONS, *runs, *places], look, custom_mutator=mutate)
    atheris.Fuzz()


def _leave(report: Any, path: Path) -> None:
    """Write the report for the parent process."""
    said = {name: getattr(report, name) for name in report.__slots__ if name != "guidance"}
    said["wrong"] = [(data.hex(), message) for data, message in report.wrong[:WRONG_KEPT]]
    path.write_text(json.dumps(said), encoding="ascii")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
