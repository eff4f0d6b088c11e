"""Inputs guided by coverage, by atheris (libFuzzer): a process of its own for each target, since libFuzzer ends it.

What the child does is in `guided_child`; here it is started, and its report read.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.fuzz.engine import Report
from tests.fuzz.targets import Target


def run(target: Target, inputs: int, seed: int) -> Report:
    """Try so many inputs in a child process, and give its report."""
    with tempfile.TemporaryDirectory(prefix="azi-fuzz-") as folder:
        found = Path(folder) / "report"
        child = subprocess.run(
            [sys.executable, "-m", "tests.fuzz.guided_child", target.name, str(inputs), str(seed), folder],
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
