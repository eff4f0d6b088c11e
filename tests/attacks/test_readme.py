"""The list of attacks in the README of this folder names tests that exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent.parent
NODES = re.compile(r"`(tests/[\w/]+\.py)::([\w:]+)`")


def listed() -> list[tuple[str, str]]:
    """(file, test) of every test that the README names, each once."""
    return sorted(set(NODES.findall((FOLDER / "README.md").read_text(encoding="utf-8"))))


def names_in(path: Path) -> set[str]:
    """The names of the tests in a module, those in classes with the class before them, as pytest writes them."""
    found: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.ClassDef):
            found.update(f"{node.name}::{inner.name}" for inner in node.body if isinstance(inner, ast.FunctionDef))
    return {name for name in found if name.rpartition("::")[2].startswith("test_")}


@pytest.mark.parametrize("file", sorted({file for file, _ in listed()}))
def test_every_test_that_it_names_exists(file: str) -> None:
    named = {test for where, test in listed() if where == file}
    assert named - names_in(ROOT / file) == set()


def test_every_attack_has_a_test() -> None:
    lines = (FOLDER / "README.md").read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if line.startswith("| ") and not line.startswith("| Attack")]
    assert len(rows) > 50
    assert [row for row in rows if not NODES.search(row)] == []


def test_no_module_of_this_folder_is_left_out() -> None:
    modules = {f"tests/attacks/{path.name}" for path in FOLDER.glob("test_*.py")} - {"tests/attacks/test_readme.py"}
    assert modules - {file for file, _ in listed()} == set()
