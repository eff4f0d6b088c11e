"""`azi verify`: what it says of ledgers and evidence files, in words for players, and its documented exit codes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from azi_p2p.audit.evidence import verify_evidence
from azi_p2p.audit.verify import verify_ledger
from azi_p2p.cli import verify
from azi_p2p.cli.running import CommandFailed
from azi_p2p.ui.i18n import LANGUAGES, Catalogue, load_domain
from azi_p2p.wire import messages
from tests.audit.test_evidence import accused, cheat
from tests.protocol.checks import edited


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> Path:
    network, bent = cheat(messages.Bid(to=10**9))
    path = tmp_path_factory.mktemp("evidence") / "table.azi-evidence"
    path.write_bytes(accused(network, bent)[0])
    return path


@pytest.mark.parametrize("language", LANGUAGES)
def test_evidence_is_told_in_one_paragraph(evidence: Path, language: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify.run(Catalogue(language), [evidence], json_out=False) == 0
    line = capsys.readouterr().out
    assert line.count("\n") == 1
    assert "Ben" in line
    assert "bid_over_stack" in line


def test_evidence_as_json(evidence: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify.run(Catalogue("en"), [evidence], json_out=True) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["evidence"][0]["proven"] is True
    assert document["evidence"][0]["name"] == "Ben"


def test_what_proves_nothing_exits_with_3(evidence: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cut = tmp_path / "cut.azi-evidence"
    cut.write_bytes(evidence.read_bytes()[:900])
    assert verify.run(Catalogue("en"), [cut], json_out=False) == 3
    assert "proves nothing" in capsys.readouterr().out


LEDGERS = Path(__file__).parents[2] / "protocol" / "vectors" / "ledgers"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fault_of_the_specification_has_words_for_players(language: str) -> None:
    table = (
        (LEDGERS.parents[1] / "votes.md").read_text(encoding="utf-8").partition("Codes:")[2].partition("\n\nA fault")
    )
    rows = [line.split("|")[1] for line in table[0].splitlines() if line.startswith("| `")]
    codes = [code for row in rows for code in re.findall(r"`([a-z_]+)`", row)]
    assert len(codes) > 18
    texts = load_domain(language, "verify")
    assert [code for code in codes if f"verify.breach.{code}" not in texts] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_can_be_signed_has_a_name_for_players(language: str) -> None:
    texts = load_domain(language, "verify")
    assert [kind for kind in messages.BODIES if f"verify.signed.{kind}" not in texts] == []


def test_who_and_what_and_when_are_told_to_players(evidence: Path, capsys: pytest.CaptureFixture[str]) -> None:
    verify.run(Catalogue("en"), [evidence], json_out=False)
    line = capsys.readouterr().out
    assert "Ben (seat 2, key " in line
    assert "in deal 1, at step 3: a bid was higher than the player's own chips. What was signed: bid. (" in line
    assert line.count("bid_over_stack") == 1


def test_each_file_is_judged_as_what_it_is(evidence: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ledger = LEDGERS / "two-seats.azi"
    assert verify.run(Catalogue("en"), [evidence, ledger], json_out=False) == 0
    told = capsys.readouterr().out
    assert "PROVEN" in told
    assert f"{ledger}: valid and complete: 1 deal" in told
    assert verify.run(Catalogue("en"), [evidence, ledger], json_out=True) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [len(answer[kind]) for kind in ("ledgers", "evidence")] == [1, 1]


def spoilt(book: str) -> list[object]:
    """Rejected vectors of a book, for ledgers one of each reason."""
    tests = json.loads((LEDGERS.parent / f"{book}.json").read_text(encoding="utf-8"))["tests"]
    wrong = [test for test in tests if test["result"] == "invalid"]
    chosen = list({test["reason"]: test for test in wrong}.values()) if book == "ledgers" else wrong
    return [
        pytest.param({**tests[test["changes"] - 1], **test["with"]}, id=f"{book}-{test['id']}-{test['reason']}")
        for test in chosen
    ]


@pytest.mark.parametrize("fields", spoilt("ledgers") + spoilt("evidence"))
def test_whatever_is_wrong_is_told_in_the_words_of_players(fields: dict[str, Any]) -> None:
    """One paragraph says what is wrong; what only programmers understand stands in brackets behind it."""
    path = Path("file")
    is_ledger = "ledger" in fields
    source = LEDGERS / fields["ledger"] if is_ledger else LEDGERS.parent / "evidence" / fields["file"]
    data = edited(source.read_bytes(), fields["edits"])
    if is_ledger:
        verdict = verify_ledger(data)
        assert verify.exit_code([(path, verdict)], [], []) == 3
        paragraphs = [verify.verdict_lines(Catalogue(language), path, verdict) for language in LANGUAGES]
        more = 0 if verdict.faults[0].code in verify.NO_LEDGER else 2
    else:
        proof = verify_evidence(data)
        assert verify.exit_code([], [(path, proof)], []) == 3
        paragraphs = [[verify.evidence_line(Catalogue(language), path, proof)] for language in LANGUAGES]
        more = 0
    for first, *rest in paragraphs:
        assert len(rest) == more
        plain = re.sub(r" \((?:In the words of the|In die woorde van die|Словами) .*?\.\)$", "", first)
        assert plain != first, "the protocol's own words are there, too"
        assert not re.search(r"byte|record|[a-z]_[a-z]|None|\?|seat 0", plain)


def test_who_broke_the_rules_in_a_bad_ledger_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Anna's card, which she doesn't hold, is well signed by her: the ledger can't have taken it."""
    tests = json.loads((LEDGERS.parent / "ledgers.json").read_text(encoding="utf-8"))["tests"]
    test = next(test for test in tests if test.get("reason") == "card_not_held")
    path = tmp_path / "bad.azi"
    good = LEDGERS / tests[test["changes"] - 1]["ledger"]
    path.write_bytes(edited(good.read_bytes(), test["with"]["edits"]))
    assert verify.run(Catalogue("en"), [path], json_out=False) == 3
    first, chips, checks = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{path}: INVALID: in deal 1, at step 6, Anna (seat 1, key ")
    assert "signed what breaks the rules (a card was played that wasn't in the hand)" in first
    assert first.endswith("(In the words of the protocol: the card at that position is not AD; card_not_held.)")
    assert chips == "  Chips at that point: Anna 970, Ben 970."
    assert checks.startswith("  Checked: 16 signatures, 2 shuffles, ")


def test_a_good_ledger_is_told_in_whole_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    path = LEDGERS / "proven-fault.azi"
    assert verify.run(Catalogue("en"), [path], json_out=False) == 0
    first, chips, keys, head, checks, fault = capsys.readouterr().out.splitlines()
    assert first == (
        f"{path}: valid and complete: 1 deal, up to the signed result. "
        "Every signature, shuffle, card and payment was checked, and all hold."
    )
    assert chips == "  Chips at the end: Anna 990, Ben 970, Katya 1040."
    for seat, who in enumerate(("Anna", "Ben", "Katya"), start=1):
        assert re.search(rf"{who} \(seat {seat}, key ([a-z2-7]{{4}}-){{5}}[a-z2-7]{{4}}\)", keys)
    assert re.fullmatch(
        r"  Check value: [0-9a-f]{64} \(every true copy that ends at the same place has the same\)\.", head
    )
    assert "1 proof of a missing suit, 17 moves." in checks
    assert fault.startswith("  Anna (seat 1, key ")
    assert "broke the rules in deal 1, at step 3: a bid was due, and something else was done." in fault


def test_a_ledger_that_stops_early_says_so_and_exits_with_4(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cut.azi"
    path.write_bytes((LEDGERS / "two-seats.azi").read_bytes()[:-300])
    assert verify.run(Catalogue("en"), [path], json_out=False) == 4
    first, chips, *_ = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{path}: valid as far as it goes, but incomplete: ")
    assert "Finished deals: 1." in first
    assert chips == "  Chips at that point: Anna 1030, Ben 970."


@pytest.mark.parametrize("data", [b"", b"# Azi\n", b"AZILEDG\x01\x00"], ids=["empty", "text", "header cut"])
def test_what_is_no_ledger_gets_one_clear_line(data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "file.azi"
    path.write_bytes(data)
    assert verify.run(Catalogue("en"), [path], json_out=False) == 3
    told = capsys.readouterr().out
    assert told.startswith(f"{path}: INVALID, it holds no game: ")
    assert told.count("\n") == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_follows_a_signed_result_is_not_told_as_a_game_that_stops(
    language: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, texts = tmp_path / "longer.azi", Catalogue(language)
    path.write_bytes((LEDGERS / "two-seats.azi").read_bytes() + b"\x00")
    assert verify.run(texts, [path], json_out=False) == 4
    told = capsys.readouterr().out.splitlines()
    assert told[0] == texts.text("verify.added_to", path=path, deals=1)
    assert told[1] == "  " + texts.text("verify.seats_at_end", seats="Anna 1030, Ben 970")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_folder_is_answered_with_what_to_name_instead(language: str, tmp_path: Path) -> None:
    texts = Catalogue(language)
    with pytest.raises(CommandFailed) as failure:
        verify.run(texts, [tmp_path], json_out=False)
    assert failure.value.message == texts.text("verify.folder", path=tmp_path, files=tmp_path / "*.azi")
    (tmp_path / "ledgers").mkdir()
    with pytest.raises(CommandFailed) as failure:
        verify.run(texts, [tmp_path], json_out=False)
    assert str(tmp_path / "ledgers" / "*.azi") in failure.value.message


def test_a_missing_file_keeps_no_other_from_being_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad, missing = LEDGERS / "two-seats.azi", tmp_path / "bad.azi", tmp_path / "missing.azi"
    bad.write_bytes(good.read_bytes()[:-1] + b"\x00")
    assert verify.run(Catalogue("en"), [missing, good], json_out=False) == 1
    told = capsys.readouterr()
    assert f"{good}: valid and complete" in told.out
    assert told.err == f"azi: {missing} can't be read: there is no such file or folder\n"
    assert verify.run(Catalogue("en"), [missing, bad, good], json_out=False) == 3
    assert verify.run(Catalogue("en"), [missing, good], json_out=True) == 1
    assert [one["file"] for one in json.loads(capsys.readouterr().out.splitlines()[-1])["ledgers"]] == [str(good)]
    with pytest.raises(CommandFailed):
        verify.run(Catalogue("en"), [missing], json_out=False)
