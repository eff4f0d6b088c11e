"""The vectors: the code accepts and refuses what they say, and writes them again byte for byte."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.protocol.checks import CHECKS, REFUSALS, reason_of
from tests.vectors_gen.accusations import FILES
from tests.vectors_gen.files import BOOKS, FOLDER, writers
from tests.vectors_gen.tables import TABLES

Fields = dict[str, Any]


@cache
def stored(name: str) -> Fields:
    document: Fields = json.loads((FOLDER / "vectors" / f"{name}.json").read_text())
    return document


def cases(result: str) -> list[Any]:
    return [
        pytest.param(name, test["id"], id=f"{name}-{test['id']}")
        for name in CHECKS
        for test in stored(name)["tests"]
        if test["result"] == result
    ]


def merged(name: str, number: int) -> Fields:
    test: Fields = stored(name)["tests"][number - 1]
    assert test["id"] == number
    if test["result"] == "valid":
        return test
    accepted: Fields = stored(name)["tests"][test["changes"] - 1]
    assert accepted["result"] == "valid"
    return {**accepted, **test["with"]}


@pytest.mark.parametrize(("name", "number"), cases("valid"))
def test_accepted(name: str, number: int) -> None:
    CHECKS[name](merged(name, number))


@pytest.mark.parametrize(("name", "number"), cases("invalid"))
def test_refused_for_the_reason_given(name: str, number: int) -> None:
    test = stored(name)["tests"][number - 1]
    with pytest.raises(REFUSALS) as caught:
        CHECKS[name](merged(name, number))
    assert reason_of(caught.value) == test["reason"]


@pytest.mark.parametrize("name", CHECKS)
def test_a_file_has_the_form_that_its_schema_says(name: str) -> None:
    schema = json.loads((FOLDER / "schemas" / "vectors.json").read_text())
    Draft202012Validator(schema).validate(stored(name))


@pytest.mark.parametrize("name", CHECKS)
def test_each_rejected_case_changes_something_and_each_flag_is_explained(name: str) -> None:
    document = stored(name)
    for test in document["tests"]:
        assert set(test["flags"]) <= set(document["notes"])
        if test["result"] == "invalid":
            accepted = document["tests"][test["changes"] - 1]
            assert test["with"]
            assert all(accepted[field] != value for field, value in test["with"].items())
            assert len(test["with"]) == 1 or name == "cards"


def test_there_is_a_check_for_every_file() -> None:
    assert CHECKS.keys() == BOOKS.keys()
    assert {path.stem for path in (FOLDER / "vectors").glob("*.json")} == CHECKS.keys()
    assert {path.stem for path in (FOLDER / "vectors" / "ledgers").iterdir()} == TABLES.keys()
    assert {path.stem for path in (FOLDER / "vectors" / "evidence").iterdir()} == FILES.keys()


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.long] if n == "vectors/ledgers.json" else []) for n in writers()]
)
def test_written_again_it_is_the_same(name: str) -> None:
    same = (FOLDER / name).read_bytes() == writers()[name]()
    assert same, f"{name} would be written otherwise now: run python -m tests.vectors_gen, and see why"
