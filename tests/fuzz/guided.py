"""Inputs guided by coverage, by atheris (libFuzzer): a process of its own for each target, since libFuzzer ends it.

What the child does is in `guided_child`; here it is started, and what it leaves is read: its report, what libFuzzer
says of itself, and, where the process itself went down, the input that did it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.fuzz.engine import Guidance, Report
from tests.fuzz.guided_child import ARTIFACT, CORPUS, REPORT
from tests.fuzz.targets import Target

SAID = 2000
"""Characters of a broken child's last words that are shown."""


class BrokenOffError(RuntimeError):
    """A child ended without a report; the message says how, and what it said last."""


def run(target: Target, inputs: int, seed: int) -> Report:
    """Try so many inputs in a child process, and give its report; raises BrokenOffError."""
    with tempfile.TemporaryDirectory(prefix="azi-fuzz-") as name:
        folder = Path(name)
        (folder / CORPUS).mkdir()
        with (folder / "said").open("w", encoding="utf-8") as said:
            code = subprocess.run(
                [sys.executable, "-m", "tests.fuzz.guided_child", target.name, str(inputs), str(seed), name],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
                cwd=Path(__file__).parent.parent.parent,
                check=False,
            ).returncode
        words = (folder / "said").read_text(encoding="utf-8", errors="replace")
        fatal = [path.read_bytes() for path in sorted(folder.glob(f"{ARTIFACT}*")) if "slow-unit" not in path.name]
        if fatal:
            # An input that ends the process, or that never ends: nothing else of this child is left.
            said_last = [line for line in words.splitlines() if "ERROR" in line] or [f"exit code {code}"]
            return Report(target.name, wrong=[(data, f"the process ended: {said_last[-1]}") for data in fatal])
        if not (folder / REPORT).exists():
            last = words[-SAID:].strip() or "nothing"
            raise BrokenOffError(
                f"the fuzzer of {target.name} ended with exit code {code} and no report; it said: {last}"
            )
        left = json.loads((folder / REPORT).read_text(encoding="ascii"))
    wrong = [(bytes.fromhex(data), message) for data, message in left.pop("wrong")]
    return Report(**left, wrong=wrong, guidance=read_guidance(words))


def read_guidance(words: str) -> Guidance | None:
    """What libFuzzer has said of coverage, None where it said nothing of it.

    Its lines: `#172 INITED cov: 80 ft: 148 corp: 29/5083b ...`, the like with NEW and so on, and at the end `DONE`;
    then `stat::new_units_added: 135`.
    """
    lines = re.findall(r"^#\d+\s+(\w+)\s+cov: (\d+) ft: \d+ corp: (\d+)/", words, re.MULTILINE)
    added = re.search(r"^stat::new_units_added:\s+(\d+)", words, re.MULTILINE)
    first = next((edges for kind, edges, _ in lines if kind == "INITED"), None)
    if first is None or added is None:
        return None
    _, edges, corpus = lines[-1]
    return Guidance(int(first), int(edges), int(added[1]), int(corpus))
