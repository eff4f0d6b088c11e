"""The library behind the group: it leaves nothing behind on the disk."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps a loaded library busy")
def test_it_leaves_no_temporary_file(tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", "import azi_p2p.crypto.group"], check=True, env=environment)
    assert list(tmp_path.iterdir()) == []
