"""Take one defence of the session out, in this process only, and play seeds: some must fail.

`python -m tests.simulation.without NAME` and the options of `python -m tests.simulation`. The defences are those of
`tests.mutants` whose files are in the session; nothing on disk is changed.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from types import CodeType, ModuleType

from tests.mutants.catalogue import MUTANTS
from tests.mutants.mutant import Mutant
from tests.mutants.running import ROOT


class _Without(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Loads one module with a defence taken out, all others as they are."""

    def __init__(self, mutant: Mutant) -> None:
        self._text = mutant.apply(ROOT)
        self.name = mutant.file.removesuffix(".py").replace("/", ".")

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        return importlib.util.spec_from_loader(fullname, self) if fullname == self.name else None

    def get_source(self, fullname: str) -> str:
        return self._text

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._text, f"{self.name} without a defence", "exec", dont_inherit=True)


def main() -> int:
    """Take the defence out and run the simulation; its exit code."""
    mutant = next((mutant for mutant in MUTANTS if mutant.name == sys.argv[1]), None)
    if mutant is None or not mutant.file.startswith("azi_p2p/session/"):
        print(f"no defence of the session is called {sys.argv[1]!r}")
        return 2
    finder = _Without(mutant)
    if finder.name in sys.modules:
        raise RuntimeError(f"{finder.name} is loaded already")
    sys.meta_path.insert(0, finder)
    del sys.argv[1]
    from tests.simulation.__main__ import main as simulate

    return simulate()


if __name__ == "__main__":
    sys.exit(main())
