"""The arbiter in words: every scenario explained in every language, mistakes in one line."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from azi_p2p.cli import arbiter
from azi_p2p.cli.referee import Referee
from azi_p2p.rules.arbitration import arbitrate
from azi_p2p.rules.scenario import ScenarioError, read_scenario
from azi_p2p.ui.i18n import LANGUAGES, catalogue
from azi_p2p.ui.rulesaid import said_key
from tests.scenarios.test_reading import MISTAKES
from tests.scenarios.test_scenarios import FOLDER, NAMES


def explained(name: str, language: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str], list[str]]:
    code = arbiter.run(str(FOLDER / f"{name}.json"), texts=catalogue(language))
    shown = capsys.readouterr()
    return code, shown.out.splitlines(), shown.err.splitlines()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_every_scenario_in_every_language(name: str, language: str, capsys: pytest.CaptureFixture[str]) -> None:
    expected = json.loads((FOLDER / f"{name}.expected.json").read_text(encoding="utf-8"))
    code, out, err = explained(name, language, capsys)
    assert code == expected["exit"]
    if code:
        assert len(err) == 1
        assert err[0].endswith(f"({expected['answer']['error']['code']})")
        return
    assert err == []
    text = "\n".join(out)
    assert "None" not in text
    assert not re.search(r"\{\w+\}", text), "a field was left unfilled"
    for amount in (chips for deal in expected["answer"]["deals"] for chips in deal["payouts"] if chips):
        assert str(amount) in text, "what is paid out is told"
    for option in expected["answer"]["legal"]:
        for key in ("min", "max", "card"):
            assert str(option.get(key, "")) in text, "what is legal is told"


def test_an_explanation_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = explained("payout-p1-short-winner", "en", capsys)
    assert code == 0
    assert out == [
        "At the table: Anna 200, Ben 200, Katya 40. Ante 10, bids from 10; clubs are left out.",
        "",
        "Deal 1",
        "Antes: Anna 10, Ben 10, Katya 10.",
        "In the pot: 30 chips.",
        "Anna holds 6S 7S 8S.",
        "Ben holds 9S TS JS.",
        "Katya holds AH KH QH.",
        "Turned up: ten of hearts (TH). Trump: hearts.",
        "Anna opens the bidding: there has been no winner yet, so the opener was drawn.",
        "Anna bids 90.",
        "Ben calls 90.",
        "Katya goes all in with 30, and can't win the lead.",
        "Short, so unable to lead first or to win more than is matched: Katya.",
        "Anna has the highest bid, 90, and leads.",
        "Trick 1: Anna 6S, Ben 9S, Katya AH. Katya takes it with AH, the highest trump.",
        "Trick 2: Katya KH, Anna 7S, Ben TS. Katya takes it with KH, the highest trump.",
        "Katya has two tricks and wins the deal.",
        "Staked: Anna 100, Ben 100, Katya 40; together 240 chips.",
        "Katya was short: a stake of 40 wins only as much from each stake, 40 + 40 + 40, together 120 chips.",
        "The rest goes back: Anna 60, Ben 60.",
        "Chips now: Anna 160, Ben 160, Katya 120.",
        "",
        "Next deal: cards for Anna, Ben and Katya; Anna opens.",
    ]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("follow-suit-high-or-low", "Rule: a card of the led suit (spades) must be played, high or low."),
        ("trump-when-void", "Rule: without a card of the led suit (spades), a trump must be played."),
        ("trump-led", "Rule: trumps are led (hearts), so a trump must be played, high or low."),
        ("bid-cap-three-bids", "Rule: Anna has bid 3 times in this deal, and that is all it may: call or fold."),
        ("short-opener-one-choice", "Rule: an opener with less than 10 calls with all it has; that is no bid."),
        ("opener-legal-choices", "Rule: the opener must bid, at least 10."),
        ("raise-no-room", "Rule: a raise would have to be to at least 70, and the chips don't cover that."),
        ("azi-buy-in-price", "Now Pieter may: buy in for 52; stay out."),
        ("six-promoted-follows", "Trick 1: Anna KH, Ben 6H. Ben takes it with 6H, the promoted six."),
        ("nobody-bids-first-not-short-leads", "Short, so unable to lead first or to win more than is matched: Anna."),
        ("absent-when-it-should-lead", "Anna leads instead, as the next seat clockwise."),
        ("table-final-standings", "2. Ben, 0 chips"),
        ("void-one-breaker", "Next deal: cards for Anna and Katya; the opener is drawn."),
    ],
)
def test_lines_that_give_the_rule(name: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = explained(name, "en", capsys)
    assert line in out


@pytest.mark.parametrize(
    ("name", "language", "line"),
    [
        (
            "follow-suit-refused",
            "en",
            "deal 1, action 4, Ben: play AH: Ben holds a card of the led suit (spades) and must play one"
            " (must_follow_suit)",
        ),
        (
            "follow-suit-refused",
            "af",
            "deel 1, handeling 4, Ben: play AH: Ben het ’n kaart van die voorgespeelde kleur (skoppens) en moet een"
            " speel (must_follow_suit)",
        ),
        (
            "follow-suit-refused",
            "ru",
            "раздача 1, действие 4, Ben: play AH: Ben: масть хода (пики) есть, её и надо положить (must_follow_suit)",
        ),
        ("duplicate-card", "en", "deal 1, hands: AS is there twice (duplicate_card)"),
        (
            "chips-out-of-range",
            "en",
            "seats[1].chips: seat 1 must have 0 to 1000000000 chips, not 1000000001 (chips_out_of_range)",
        ),
    ],
)
def test_refusals_in_one_line(name: str, language: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = explained(name, language, capsys)
    assert code == 3
    assert err == [f"{FOLDER / name}.json: {line}"]


def test_a_file_that_is_no_scenario_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "evening.json"
    file.write_text("[]", encoding="utf-8")
    assert arbiter.run(str(file), texts=catalogue("en")) == 3
    assert capsys.readouterr().err == f"{file}: must be a JSON object (bad_scenario)\n"


def test_standard_input_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"[]")))
    assert arbiter.run("-", texts=catalogue("en")) == 3
    assert capsys.readouterr().err == "standard input: must be a JSON object (bad_scenario)\n"


def test_a_refusal_tells_what_would_be_legal(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = explained("trump-when-void-refused", "en", capsys)
    assert out[-2:] == [
        "Now Ben may: play 6H AH.",
        "Rule: without a card of the led suit (spades), a trump must be played.",
    ]


def test_every_refusal_is_translated() -> None:
    """Whatever a scenario can be refused for has its sentence in the catalogues."""
    texts = [document if isinstance(document, str) else json.dumps(document) for document, *_ in MISTAKES]
    texts += [(FOLDER / f"{name}.json").read_text(encoding="utf-8") for name in NAMES]
    refusals = [error for error in map(refused, texts) if error is not None]
    assert len({error.template for error in refusals}) > 60
    english = catalogue("en")
    for error in refusals:
        assert english.has(said_key(error.template)), error.template
        for language in LANGUAGES:
            line = Referee(catalogue(language), ("Anna",) * 6).explain_error(error, None)
            assert "\n" not in line
            assert line.isprintable()


def refused(text: str) -> ScenarioError | None:
    try:
        return arbitrate(read_scenario(text)).error
    except ScenarioError as error:
        return error


def test_names_are_cleaned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario: Any = json.loads((FOLDER / "payout-p1-short-winner.json").read_text(encoding="utf-8"))
    scenario["seats"][0]["name"] = "\x1b[31mAnna\x1b]0;owned\x07\u202e"
    scenario["seats"][1]["name"] = "{name}"
    scenario["seats"][2]["name"] = "\ud800\n"
    path = tmp_path / "names.json"
    path.write_text(json.dumps(scenario), encoding="utf-8")
    assert arbiter.run(str(path), texts=catalogue("en")) == 0
    out = capsys.readouterr().out
    assert all(line.isprintable() for line in out.splitlines())
    out.encode("utf-8")
    assert "{name} calls 90." in out
