"""What the writers of vectors share: seeded bytes, and a book of cases, accepted ones and what spoils them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Fields = dict[str, Any]


def seeded(seed: str) -> Callable[[int], bytes]:
    """Give a source of bytes that depends on the seed alone."""
    count = 0

    def draw(size: int) -> bytes:
        nonlocal count
        count += 1
        return hashlib.shake_256(f"azi vectors {seed} {count}".encode()).digest(size)

    return draw


def some_bytes(seed: str, size: int = 32) -> bytes:
    """Give bytes that look random."""
    return seeded(seed)(size)


@dataclass
class Book:
    """One file of vectors.

    An accepted case stands for itself. A rejected one names the accepted case that it changes, and holds only the
    fields that are different: the one thing that is wrong.
    """

    about: str
    see: str
    notes: dict[str, str]
    tests: list[Fields] = field(default_factory=list)

    def accept(self, comment: str, flags: tuple[str, ...] = (), **fields: object) -> int:
        """Add an accepted case; gives its id."""
        number = len(self.tests) + 1
        self._check_flags(flags)
        self.tests.append({"id": number, "comment": comment, "flags": list(flags), "result": "valid", **fields})
        return number

    def reject(self, changes: int, comment: str, flag: str, reason: str, **fields: object) -> int:
        """Add a case that must be refused; `fields` replace those of the accepted case `changes`."""
        number = len(self.tests) + 1
        self._check_flags((flag,))
        accepted = self.tests[changes - 1]
        assert accepted["result"] == "valid", "a rejected case changes an accepted one"
        assert all(accepted.get(name) != value for name, value in fields.items()), "nothing is changed"
        self.tests.append(
            {
                "id": number,
                "changes": changes,
                "comment": comment,
                "flags": [flag],
                "result": "invalid",
                "reason": reason,
                "with": dict(fields),
            }
        )
        return number

    def _check_flags(self, flags: tuple[str, ...]) -> None:
        for flag in flags:
            assert flag in self.notes, f"the flag {flag} has no note"

    def text(self) -> str:
        """Give the file's content."""
        used = {flag for test in self.tests for flag in test["flags"]}
        assert used == set(self.notes), f"notes without a case: {set(self.notes) - used}"
        return as_json({"about": self.about, "see": self.see, "version": 1, "notes": self.notes, "tests": self.tests})


def as_json(value: object, depth: int = 3) -> str:
    """Give JSON as the files have it: the outer levels in lines of their own, what is deeper in one line."""
    return _pretty(value, depth, "") + "\n"


def _pretty(value: object, depth: int, indent: str) -> str:
    if depth == 0 or not isinstance(value, dict | list) or not value:
        return json.dumps(value, ensure_ascii=False)
    inner = indent + " "
    if isinstance(value, dict):
        lines = [f"{json.dumps(key)}: {_pretty(entry, depth - 1, inner)}" for key, entry in value.items()]
        opening, closing = "{", "}"
    else:
        lines = [_pretty(entry, depth - 1, inner) for entry in value]
        opening, closing = "[", "]"
    return f"{opening}\n{inner}" + f",\n{inner}".join(lines) + f"\n{indent}{closing}"


def flip(data: bytes, at: int, bit: int = 0) -> bytes:
    """Give the data with one bit turned."""
    changed = bytearray(data)
    changed[at] ^= 1 << bit
    return bytes(changed)


def replace_part(data: bytes, at: int, part: bytes) -> bytes:
    """Give the data with `part` written over what stands at byte `at`."""
    return data[:at] + part + data[at + len(part) :]
