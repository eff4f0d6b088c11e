"""What a mutant is: one defence, the text that makes it, and the tests that must notice when it is gone.

The catalogue (`tests.mutants.catalogue`) lists them; `tests.mutants.running` runs them.
"""

from __future__ import annotations

import io
import tokenize
from dataclasses import dataclass
from pathlib import Path


class Stale(Exception):  # noqa: N818 - it says what the catalogue is
    """The catalogue no longer fits the source: the text of a mutant doesn't occur exactly once."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One check taken out.

    `name`: what is no longer so, in words. `file`: path below the project. `old`: the text that is replaced, which
    must occur there exactly once; `new`: what takes its place. `claim`: what the check defends, in one line. `tests`:
    node ids for pytest, of which at least one must fail. `equivalent`: why nobody could tell this mutant from the
    program, where that is so; it isn't run then.
    """

    name: str
    file: str
    old: str
    new: str
    claim: str
    tests: tuple[str, ...] = ()
    equivalent: str = ""

    def apply(self, root: Path) -> str:
        """Give the text of the file, below `root`, with the check taken out; raises Stale."""
        text = (root / self.file).read_text(encoding="utf-8")
        times = text.count(self.old)
        if times != 1:
            raise Stale(f"{self.name}: its text occurs {times} times in {self.file}, not once:\n{self.old}")
        mutated = text.replace(self.old, self.new)
        try:
            # Not `ast.parse`: in Python 3.11 it may fail in a process in which a text nested too deep was read before.
            compile(mutated, self.file, "exec", dont_inherit=True)
        except SyntaxError as error:
            raise Stale(f"{self.name}: with its replacement {self.file} can't be read: {error}") from error
        if _tokens(mutated) == _tokens(text):
            raise Stale(f"{self.name}: its replacement changes nothing in {self.file}")
        return mutated


def _tokens(text: str) -> list[tuple[int, str]]:
    """The tokens of a program without its comments and empty lines."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [(token.type, token.string) for token in tokens if token.type not in (tokenize.COMMENT, tokenize.NL)]
