"""`azi verify` on evidence files: one readable paragraph, documented exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from azi_p2p.cli import verify
from azi_p2p.ui.i18n import LANGUAGES, Catalogue
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
