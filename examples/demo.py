"""The main job in one command: four real peers find each other, play ten deals, and every ledger is verified.

    python3 examples/demo.py [options of `azi demo`]

Makes its own virtual environment beside the project and installs what it needs.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from environment import environment, run

ROOT = Path(__file__).resolve().parent.parent


if __name__ == "__main__":
    try:
        sys.exit(run(ROOT, [str(environment(ROOT)), "-m", "azi_p2p", "demo", *sys.argv[1:]]))
    except subprocess.CalledProcessError as error:
        sys.exit(f"demo.py: {' '.join(map(str, error.cmd))} failed with exit code {error.returncode}")
