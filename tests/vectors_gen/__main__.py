"""The command that writes the vectors, or says which of them differ."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.vectors_gen.files import FOLDER, writers


def main() -> int:
    """Write all files, or compare them; gives the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.vectors_gen", description="Write protocol/vectors.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file would change")
    parser.add_argument("--only", metavar="NAME", help="only files whose name holds NAME")
    arguments = parser.parse_args()
    different = 0
    for name, write in writers().items():
        if arguments.only and arguments.only not in name:
            continue
        path, content = FOLDER / name, write()
        if path.exists() and path.read_bytes() == content:
            continue
        different += 1
        print(f"{'differs' if arguments.check else 'written'}: {_shown(path)}", file=sys.stderr)
        if not arguments.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    return 1 if arguments.check and different else 0


def _shown(path: Path) -> str:
    return str(path.relative_to(FOLDER.parent))


if __name__ == "__main__":
    sys.exit(main())
