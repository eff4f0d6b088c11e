"""The catalogues: complete in every language, no text unused, plural forms right."""

from __future__ import annotations

import ast
import json
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

import azi_p2p
from azi_p2p.ui.i18n import LANGUAGES, PLURAL_RULES, Catalogue, Entry, catalogue, environment_language, match_language

PACKAGE = Path(azi_p2p.__file__).parent
LOCALE = PACKAGE / "ui" / "locale"


def entries(language: str) -> dict[str, Entry]:
    """Every text of a language, by key."""
    found: dict[str, Entry] = {}
    for path in sorted((LOCALE / language).glob("*.json")):
        texts: dict[str, Entry] = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=no_duplicates)
        for key in texts:
            assert key.startswith(path.stem + "."), f"{key} doesn't belong in {path.name}"
        found |= texts
    return found


def no_duplicates(pairs: list[tuple[str, Entry]]) -> dict[str, Entry]:
    assert len({key for key, _ in pairs}) == len(pairs), "a key stands twice"
    return dict(pairs)


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def forms(entry: Entry) -> list[str]:
    return [entry] if isinstance(entry, str) else list(entry.values())


def sources() -> Iterator[ast.Module]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield ast.parse(path.read_text(encoding="utf-8"))


def pattern(node: ast.JoinedStr) -> str:
    """The keys that an f-string can make, as a regular expression."""
    parts = [re.escape(str(part.value)) if isinstance(part, ast.Constant) else r"[^.\s]+" for part in node.values]
    return "".join(parts)


def asked() -> tuple[set[str], set[str], set[str]]:
    """Keys that the program asks for: by literals in calls, all its string literals, and patterns of f-strings."""
    called: set[str] = set()
    literals: set[str] = set()
    patterns: set[str] = set()
    for tree in sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                literals.add(node.value)
            elif isinstance(node, ast.JoinedStr):
                patterns.add(pattern(node))
            elif isinstance(node, ast.Call):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                first = node.args[0] if node.args else None
                if name in {"text", "plural", "_"} and isinstance(first, ast.Constant) and isinstance(first.value, str):
                    called.add(first.value)
    return called, literals, patterns


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_texts_as_english(language: str) -> None:
    assert entries(language).keys() == entries("en").keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_have_the_fields_and_plural_forms_that_they_need(language: str) -> None:
    english = entries("en")
    for key, entry in entries(language).items():
        assert isinstance(entry, str) == isinstance(english[key], str), key
        wanted = set().union(*(fields(text) for text in forms(english[key])))
        for text in forms(entry):
            assert fields(text) - {"n"} == wanted - {"n"}, f"{language} {key}: {text}"
            assert text.strip(), f"{language} {key} is empty"
        if not isinstance(entry, str):
            assert tuple(entry) == PLURAL_RULES[language][1], f"{language} {key}: other plural forms are needed"


def test_the_program_asks_for_no_text_that_is_missing() -> None:
    english = entries("en")
    domains = {path.stem for path in (LOCALE / "en").glob("*.json")}
    called, literals, _ = asked()
    missing = {key for key in called if key.partition(".")[0] in domains and key not in english}
    looks_like_key = re.compile(r"[a-z]+(\.[A-Za-z0-9_]+)+")
    missing |= {
        key
        for key in literals
        if looks_like_key.fullmatch(key)
        and key.partition(".")[0] in domains
        and key not in english
        and not key.endswith((".json", ".py", ".toml", "_"))  # files, and beginnings of keys made up in f-strings
    }
    assert not missing


def test_a_sentence_about_a_seat_has_a_form_for_oneself() -> None:
    english = entries("en")
    bases: set[str] = set()
    for tree in sources():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name == "_about":
                first = node.args[0]
                if isinstance(first, ast.JoinedStr):
                    bases |= {key.removesuffix("_you") for key in english if re.fullmatch(pattern(first), key)}
                elif isinstance(first, ast.Constant):
                    bases.add(str(first.value))
    assert len(bases) > 20
    assert {base for base in bases if base not in english or f"{base}_you" not in english} == set()


def test_no_text_is_unused() -> None:
    _, literals, patterns = asked()
    domains = tuple(re.escape(path.stem + ".") for path in (LOCALE / "en").glob("*.json"))
    expressions = [re.compile(one) for one in patterns if one.startswith(domains)]
    unused = {
        key
        for key in entries("en")
        if key.removesuffix("_you") not in literals
        and not any(one.fullmatch(key.removesuffix("_you")) for one in expressions)
    }
    assert not unused


@pytest.mark.parametrize(
    ("n", "form"),
    [
        (0, "many"),
        (1, "one"),
        (2, "few"),
        (4, "few"),
        (5, "many"),
        (11, "many"),
        (12, "many"),
        (14, "many"),
        (21, "one"),
        (22, "few"),
        (25, "many"),
        (111, "many"),
        (121, "one"),
    ],
)
def test_russian_plural_forms(n: int, form: str) -> None:
    assert PLURAL_RULES["ru"][0](n) == form


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("ru_RU.UTF-8", "ru"),
        ("af_ZA", "af"),
        ("Russian_Russia", "ru"),
        ("en_GB.UTF-8", "en"),
        ("de_DE", None),
        ("C", None),
        ("", None),
    ],
)
def test_locale_names(name: str, language: str | None) -> None:
    assert match_language(name) == language


def test_the_environment_chooses_in_the_usual_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "ru_RU.UTF-8")
    monkeypatch.setenv("LC_MESSAGES", "af_ZA.UTF-8")
    monkeypatch.delenv("LC_ALL", raising=False)
    assert environment_language() == "af"
    monkeypatch.setenv("LC_ALL", "C")
    assert environment_language() == "en"


def test_values_are_never_read_as_templates() -> None:
    hostile = "{key.__class__}"
    assert hostile in Catalogue("en").text("event.said", name=hostile, text="{0}")


def test_a_missing_key_is_our_own_fault() -> None:
    with pytest.raises(KeyError):
        catalogue("en").text("table.no_such_text")


def test_names_of_files_move_no_cursor_and_make_no_lines() -> None:
    path = Path("a\x1b[31m\nPROVEN: Anna\u202e\udcff.azi")
    said = catalogue("en").text("verify.unreadable", path=path, reason="why")
    assert said.isprintable()
    assert "a?[31m?PROVEN: Anna??.azi" in said
