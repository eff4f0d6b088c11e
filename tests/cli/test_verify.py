"""`azi verify` on evidence files: one readable paragraph, documented exit codes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from azi_p2p.cli import verify
from azi_p2p.cli.running import CommandFailed
from azi_p2p.ui.i18n import LANGUAGES, Catalogue, load_domain
from azi_p2p.wire import messages
from tests.audit.test_evidence import accused, cheat


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


def test_who_and_what_and_when_are_told_to_players(evidence: Path, capsys: pytest.CaptureFixture[str]) -> None:
    verify.run(Catalogue("en"), [evidence], json_out=False)
    line = capsys.readouterr().out
    assert "Ben (seat 2, key " in line
    assert "in deal 1, at step 3: a bid was higher than the player's own chips." in line
    assert line.count("bid_over_stack") == 1


def test_each_file_is_judged_as_what_it_is(evidence: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ledger = LEDGERS / "two-seats.azi"
    assert verify.run(Catalogue("en"), [evidence, ledger], json_out=False) == 0
    told = capsys.readouterr().out
    assert "PROVEN" in told
    assert f"{ledger}: valid and complete" in told
    assert verify.run(Catalogue("en"), [evidence, ledger], json_out=True) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [len(answer[kind]) for kind in ("ledgers", "evidence")] == [1, 1]


@pytest.mark.parametrize("data", [b"", b"# Azi\n", b"AZILEDG\x01\x00"], ids=["empty", "text", "header cut"])
def test_what_is_no_ledger_gets_one_clear_line(data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "file.azi"
    path.write_bytes(data)
    assert verify.run(Catalogue("en"), [path], json_out=False) == 3
    told = capsys.readouterr().out
    assert told.startswith(f"{path}: INVALID, it holds no game: ")
    assert told.count("\n") == 1


def test_a_missing_file_keeps_no_other_from_being_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad, missing = LEDGERS / "two-seats.azi", tmp_path / "bad.azi", tmp_path / "missing.azi"
    bad.write_bytes(good.read_bytes()[:-1] + b"\x00")
    assert verify.run(Catalogue("en"), [missing, good], json_out=False) == 1
    told = capsys.readouterr()
    assert f"{good}: valid and complete" in told.out
    assert told.err == f"azi: {missing} can't be read: No such file or directory\n"
    assert verify.run(Catalogue("en"), [missing, bad, good], json_out=False) == 3
    assert verify.run(Catalogue("en"), [missing, good], json_out=True) == 1
    assert [one["file"] for one in json.loads(capsys.readouterr().out.splitlines()[-1])["ledgers"]] == [str(good)]
    with pytest.raises(CommandFailed):
        verify.run(Catalogue("en"), [missing], json_out=False)
