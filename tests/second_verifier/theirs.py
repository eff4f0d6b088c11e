"""Loads `examples/verify_ledger.py`, which is no part of any package."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "examples" / "verify_ledger.py"


def load() -> ModuleType:
    """The program as a module; always the same one."""
    name = "second_verifier_program"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, PROGRAM)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]
