"""The words of the program in Afrikaans, English and Russian: catalogues, plural forms, choice of language.

A catalogue is a folder of JSON files, `locale/<language>/<domain>.json`; the key `table.won` stands in the file
`table.json`. JSON needs no build step and no library, and a domain is read only when its first text is asked for, so
that start-up pays for nothing it doesn't show. A value is a text with `{name}` fields, or, where a number matters, an
object with one text for each plural form of the language. English is complete by definition and fills in for others.

What doesn't belong here: how numbers, cards or seats are put into a sentence (`lines`), and cleaning what other people
wrote (`names`). This module imports nothing but the standard library.
"""

from __future__ import annotations

import json
import locale
import os
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from pkgutil import get_data

LANGUAGES = ("af", "en", "ru")
FALLBACK = "en"


def english_form(n: int) -> str:
    """Plural form of English and Afrikaans for a whole number (CLDR rules: one, other)."""
    return "one" if n == 1 else "other"


def russian_form(n: int) -> str:
    """Plural form of Russian for a whole number (CLDR rules: one, few, many)."""
    last, last_two = abs(n) % 10, abs(n) % 100
    if last == 1 and last_two != 11:
        return "one"
    if last in {2, 3, 4} and last_two not in {12, 13, 14}:
        return "few"
    return "many"


PLURAL_RULES: Mapping[str, tuple[Callable[[int], str], tuple[str, ...]]] = {
    "af": (english_form, ("one", "other")),
    "en": (english_form, ("one", "other")),
    "ru": (russian_form, ("one", "few", "many")),
}
"""For each language: the rule that picks a form, and all forms that a text with a number must have."""

Entry = str | dict[str, str]


@cache
def load_domain(language: str, domain: str) -> Mapping[str, Entry]:
    """Read one file of a catalogue: texts by full key. A domain that a language lacks is empty."""
    try:
        # Unlike importlib.resources, this loads next to nothing, and the first text is asked for by `azi --help`.
        source = get_data("azi_p2p.ui", f"locale/{language}/{domain}.json")
    except FileNotFoundError:
        return {}
    texts: dict[str, Entry] = json.loads(source or b"{}")
    return texts


class Catalogue:
    """The texts of one language. `language` is one of LANGUAGES."""

    def __init__(self, language: str) -> None:
        if language not in LANGUAGES:
            raise ValueError(f"language {language!r} is not one of {', '.join(LANGUAGES)}")
        self.language = language

    def text(self, key: str, /, **values: object) -> str:
        """The text under `key` with its `{name}` fields filled in. Raises KeyError for a key that doesn't exist.

        Values are put in as they are and never read as templates, so other people's names are safe here. Paths may name
        files that came from others: what can't be printed of them becomes `?`.
        """
        entry, _ = self._find(key)
        if not isinstance(entry, str):
            raise KeyError(f"{key} has plural forms: ask for it with a number")
        shown = {name: _printable(value) if isinstance(value, Path) else value for name, value in values.items()}
        return entry.format(**shown) if shown else entry

    def plural(self, key: str, n: int, /, **values: object) -> str:
        """The text under `key` in the form that the number asks for; `{n}` in it is the number."""
        entry, language = self._find(key)
        if isinstance(entry, str):
            raise KeyError(f"{key} has no plural forms")
        rule, _ = PLURAL_RULES[language]
        return entry[rule(n)].format(n=n, **values)

    def has(self, key: str, /) -> bool:
        """Whether there is a text under this key (in this language or in English)."""
        domain = key.partition(".")[0]
        return key in load_domain(self.language, domain) or key in load_domain(FALLBACK, domain)

    def _find(self, key: str) -> tuple[Entry, str]:
        domain = key.partition(".")[0]
        for language in (self.language, FALLBACK):
            entry = load_domain(language, domain).get(key)
            if entry is not None:
                return entry, language
        raise KeyError(key)


@cache
def catalogue(language: str | None = None) -> Catalogue:
    """The catalogue of a language; None: the language that the environment asks for."""
    return Catalogue(language or environment_language())


def environment_language() -> str:
    """The language of the user's environment: LC_ALL, LC_MESSAGES, LANG, else the system's own; English if unknown."""
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(variable)
        if value:
            return match_language(value) or FALLBACK
    return match_language(locale.getlocale()[0] or "") or FALLBACK


def match_language(name: str) -> str | None:
    """The language that a locale name such as `ru_RU.UTF-8` or `Russian_Russia` means; None if we don't have it."""
    start = name.strip().lower()[:2]
    return start if start in LANGUAGES else None


def _printable(path: Path) -> str:
    return "".join(sign if sign.isprintable() else "?" for sign in str(path))
