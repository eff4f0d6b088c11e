"""Whatever can be refused or fail has a sentence in every language, with the figures that belong to it."""

from __future__ import annotations

import ast
import importlib
import json
import pickle
import pkgutil
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

import azi_p2p
from azi_p2p.cli.bench_trouble import BenchTrouble
from azi_p2p.cli.peerfiles import PeerNews
from azi_p2p.net.errors import LinkEnd, LinkError, NetError, NetTrouble
from azi_p2p.reasons import Reason, ReasonError
from azi_p2p.rules import ErrorCode, ParamsError
from azi_p2p.session.commands import Refusal
from azi_p2p.session.events import SeatRefusal, TableRefused
from azi_p2p.store.errors import Mend, StoreError, StoreTrouble, Thing
from azi_p2p.ui.failed import sentence, what_failed
from azi_p2p.ui.i18n import LANGUAGES, Catalogue
from azi_p2p.ui.refusal import why_no_seat
from azi_p2p.ui.rulesaid import TOLD_BY_CODE

PACKAGE = Path(azi_p2p.__file__).parent

WHERE: dict[type[Reason], str] = {
    Refusal: "refused.command",
    SeatRefusal: "refused.seat",
    StoreTrouble: "trouble.store",
    Thing: "trouble.thing",
    Mend: "trouble.mend",
    NetTrouble: "trouble.net",
    LinkEnd: "trouble.link",
    PeerNews: "trouble.peer",
    BenchTrouble: "trouble.bench",
}
"""Under which key the catalogues hold the reasons of each list."""

BY_THE_CALLER: dict[type[Reason], set[str]] = {LinkEnd: {"where"}}
"""What the catalogues may tell besides what the reason's own English sentence does."""

RAISED = (Refusal, StoreTrouble, NetTrouble, LinkEnd, BenchTrouble)


def test_every_list_of_reasons_has_its_place_in_the_catalogues() -> None:
    for module in pkgutil.walk_packages(azi_p2p.__path__, "azi_p2p."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    assert set(WHERE) == set(Reason.__subclasses__())
    for reasons, key in WHERE.items():
        assert key.endswith(f".{reasons.kind}")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("reasons", WHERE)
def test_the_catalogues_tell_every_reason_and_no_other(reasons: type[Reason], language: str) -> None:
    domain, _, kind = WHERE[reasons].partition(".")
    file = PACKAGE / "ui" / "locale" / language / f"{domain}.json"
    keys = [key for key in json.loads(file.read_text(encoding="utf-8")) if key.startswith(f"{domain}.{kind}.")]
    assert keys == [f"{domain}.{kind}.{reason}" for reason in reasons]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("reasons", WHERE)
def test_a_reason_is_told_with_its_figures(reasons: type[Reason], language: str) -> None:
    texts = Catalogue(language)
    for reason in reasons:
        details = {name: f"<{name}>" for name in fields(reason.sentence)}
        more = {name: f"<{name}>" for name in BY_THE_CALLER.get(reasons, ())}
        told = texts.text(f"{WHERE[reasons]}.{reason}", **details, **more)
        assert all(figure in told for figure in details.values()), reason
        assert told.endswith(".") == told[0].isupper() == (WHERE[reasons].startswith("refused")), told


@pytest.mark.parametrize("reasons", WHERE)
def test_every_reason_is_given_somewhere(reasons: type[Reason]) -> None:
    assert set(mentioned(reasons.__name__)) == set(reasons.__members__)


@pytest.mark.parametrize("reasons", RAISED)
def test_a_reason_is_given_with_what_its_sentence_needs(reasons: type[Reason]) -> None:
    seen = 0
    for call, name in calls(reasons.__name__):
        if not any(word.arg is None for word in call.keywords):
            assert {word.arg for word in call.keywords} == fields(reasons[name].sentence), f"line {call.lineno}: {name}"
            seen += 1
    assert seen >= len(reasons) / 2


def test_files_and_the_network_are_told_with_their_parts_in_the_players_language() -> None:
    full = StoreError(
        StoreTrouble.CANT_WRITE, what=Thing.JOURNAL, path="/x/y", reason=OSError(28, "No space"), mend=Mend.MAKE_ROOM
    )
    assert str(full) == "the journal /x/y can't be written (No space): make room there and start again, nothing is lost"
    assert what_failed(full, Catalogue("af")) == (
        "die joernaal /x/y kan nie geskryf word nie (die skyf is vol): "
        "maak daar plek en begin weer, niks is verlore nie"
    )
    taken = NetError(NetTrouble.PORT_IN_USE, port=99, reason=OSError(98, "Address in use"))
    assert (
        what_failed(taken, Catalogue("ru"))
        == "порт 99 занять нельзя (уже занято): выберите другой или 0 — любой свободный"
    )
    missing = LinkError(LinkEnd.UNREACHABLE, "nobody answers at h:1: why")
    assert str(missing) == "nobody answers at h:1: why"
    assert what_failed(missing, Catalogue("en"), where="h:1").startswith("nobody answers at h:1: is the address")
    assert what_failed(OSError(13, "Permission denied", "/x"), Catalogue("af")) == "/x: dit word nie toegelaat nie"
    assert what_failed(OSError(71, "Protocol error"), Catalogue("af")) == "Protocol error"


@pytest.mark.parametrize(
    "error",
    [
        StoreError(StoreTrouble.DAMAGED_KEY, path="/x"),
        NetError(NetTrouble.NO_SUCH_PORT, port=0),
        LinkError(LinkEnd.CLOSED, "the caller has closed the connection"),
    ],
)
def test_an_error_stays_what_it_is_between_processes(error: ReasonError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.code, again.details, str(again)) == (
        type(error),
        error.code,
        error.details,
        str(error),
    )


def test_table_parameters_that_are_out_of_range_are_told_in_the_players_language() -> None:
    problem = ParamsError(
        "ante", "{key} must be a whole number from {low} to {high}, not {value}", low=1, high=9, value=0
    )
    refused = TableRefused(SeatRefusal.BAD_PARAMS, {"problem": problem})
    assert "ante must be a whole number from 1 to 9, not 0" in refused.message
    assert "(ante moet ’n heelgetal van 1 tot 9 wees, nie 0 nie)" in why_no_seat(refused, Catalogue("af"))


def test_a_rule_is_told_by_its_code_or_in_the_words_of_the_rules() -> None:
    texts = Catalogue("en")
    assert {code for code in ErrorCode if texts.has(f"rule.{code}")} == TOLD_BY_CODE


def test_a_clause_becomes_a_sentence() -> None:
    assert sentence("daar is niks om te volg nie") == "Daar is niks om te volg nie."
    assert sentence("’n bod moet ten minste 10 wees") == "’n Bod moet ten minste 10 wees."


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


def trees() -> Iterator[ast.Module]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield ast.parse(path.read_text(encoding="utf-8"))


def member(node: ast.AST, reasons: str) -> str | None:
    """The name of the member of this list of reasons that an expression names, None if it names none."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == reasons:
        return node.attr
    return None


def mentioned(reasons: str) -> Iterator[str]:
    """The members of a list of reasons that the program names somewhere."""
    for tree in trees():
        for node in ast.walk(tree):
            name = member(node, reasons)
            if name is not None:
                yield name


def calls(reasons: str) -> Iterator[tuple[ast.Call, str]]:
    """Errors that the program makes of a member of this list of reasons, with the member's name."""
    for tree in trees():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or not node.args:
                continue
            name = member(node.args[0], reasons)
            if name is not None and node.func.id.endswith(("Error", "Refused")):
                yield node, name
