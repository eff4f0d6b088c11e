"""Whatever can be refused or fail has a sentence in every language, with the figures that belong to it."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

import azi_p2p
from azi_p2p.reasons import Reason
from azi_p2p.rules import ErrorCode
from azi_p2p.session.commands import Refusal
from azi_p2p.session.events import SeatRefusal
from azi_p2p.ui.i18n import LANGUAGES, Catalogue
from azi_p2p.ui.rulesaid import TOLD_BY_CODE

PACKAGE = Path(azi_p2p.__file__).parent

WHERE: dict[type[Reason], str] = {Refusal: "refused.command", SeatRefusal: "refused.seat"}
"""Under which key the catalogues hold the reasons of each list."""


def test_every_list_of_reasons_has_its_place_in_the_catalogues() -> None:
    for module in pkgutil.walk_packages(azi_p2p.__path__, "azi_p2p."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    assert set(WHERE) == set(Reason.__subclasses__())


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("reasons", WHERE)
def test_a_reason_is_told_with_its_figures(reasons: type[Reason], language: str) -> None:
    texts = Catalogue(language)
    for reason in reasons:
        details = {name: f"<{name}>" for name in fields(reason.sentence)}
        told = texts.text(f"{WHERE[reasons]}.{reason}", **details)
        assert all(figure in told for figure in details.values()), reason


@pytest.mark.parametrize("reasons", WHERE)
def test_every_reason_is_given_somewhere_and_with_what_its_sentence_needs(reasons: type[Reason]) -> None:
    given: dict[str, set[str]] = {}
    for call, name in named(reasons.__name__):
        given.setdefault(name, set()).update(word.arg for word in call.keywords if word.arg)
    assert given.keys() == set(reasons.__members__)
    if reasons is SeatRefusal:  # an event, whose details are a mapping
        return
    for name, details in given.items():
        assert details == fields(reasons[name].sentence), name


def test_a_rule_is_told_by_its_code_or_in_the_words_of_the_rules() -> None:
    texts = Catalogue("en")
    assert {code for code in ErrorCode if texts.has(f"rule.{code}")} == TOLD_BY_CODE


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


def named(reasons: str) -> Iterator[tuple[ast.Call, str]]:
    """Calls in the program whose first argument is a member of this list of reasons, with the member's name."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Attribute):
                owner = node.args[0].value
                if isinstance(owner, ast.Name) and owner.id == reasons:
                    yield node, node.args[0].attr
