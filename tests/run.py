"""Run all tests: makes a virtual environment beside the project, installs what is needed, runs pytest.

    python3 tests/run.py               the whole suite
    python3 tests/run.py tests/rules   a part of it; every argument goes to pytest
    python3 tests/run.py --checks      lint, types and import rules first, then the suite
    python3 tests/run.py -m long       what takes too long for every day

Needs Python 3.11 or later and the means to install packages; nothing else on this machine is changed.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "examples"))

from environment import environment, run  # noqa: E402 - the helper lies beside the example that shares it

CHECKS = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("mypy",),
    ("importlinter.cli", "lint"),
)

WHOLE_SUITE = ("-n", "3", "--dist", "worksteal", "--benchmark-disable", "--durations", "15", "-m", "not long")
"""How the whole suite is run: by three at once (many tests wait for real time more than they reckon, so two cores bear
it), without timing anything, and without what takes too long for every day."""


def main(arguments: list[str]) -> int:
    """Prepare the environment, run the checks if asked, then pytest; returns the exit code of what failed first."""
    python = environment(ROOT, extras="dev")
    if "--checks" in arguments:
        arguments = [argument for argument in arguments if argument != "--checks"]
        for check in CHECKS:
            print("$", *check, flush=True)
            code = run(ROOT, _module(python, check))
            if code:
                return code
    return run(ROOT, [str(python), "-m", "pytest", *(arguments or WHOLE_SUITE)])


def _module(python: Path, check: tuple[str, ...]) -> list[str]:
    if check[0] == "importlinter.cli":
        return [str(python.with_name("lint-imports"))]
    return [str(python), "-m", *check]


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except subprocess.CalledProcessError as error:
        sys.exit(f"run.py: {' '.join(map(str, error.cmd))} failed with exit code {error.returncode}")
