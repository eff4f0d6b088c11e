"""Make the project's own virtual environment, once, and install the project into it.

Shared by the two commands of the README. Nothing outside `.venv` in the project's folder is changed.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import venv
from pathlib import Path


def environment(root: Path, extras: str = "") -> Path:
    """Give the Python of `.venv` under `root`, with the project (and `extras`) installed; slow only the first time.

    Ends the program with one line when Python is too old or can't make virtual environments. Raises
    CalledProcessError when installing fails.
    """
    if sys.version_info < (3, 11):  # noqa: UP036 - this file runs under whatever Python the user has
        sys.exit(f"Azi needs Python 3.11 or later; this is {sys.version.split()[0]}. Run it with a newer python3.")
    folder = root / ".venv"
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not python.exists():
        print(f"Making a virtual environment in {folder} …", file=sys.stderr, flush=True)
        try:
            venv.create(folder, with_pip=True)
        except (subprocess.CalledProcessError, ImportError):
            sys.exit(
                "This Python can't make virtual environments. On Debian and Ubuntu: install the package python3-venv."
            )
    stamp = folder / f".installed-{extras or 'base'}"
    wanted = hashlib.sha256((root / "pyproject.toml").read_bytes()).hexdigest()
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        print("Installing what Azi needs (once) …", file=sys.stderr, flush=True)
        target = f"{root}[{extras}]" if extras else str(root)
        subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--editable", target],
            check=True,
        )
        stamp.write_text(wanted, encoding="utf-8")
    return python


def run(root: Path, command: list[str]) -> int:
    """Run a command in the project's folder and give its exit code; Ctrl-C ends both."""
    try:
        return subprocess.run(command, cwd=root, check=False).returncode
    except KeyboardInterrupt:
        return 130
