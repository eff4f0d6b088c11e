"""Both verifiers prove the same faults from the same evidence files, sound and spoilt ones."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from azi_p2p.audit.evidence import verify_evidence
from tests.second_verifier.compare import evidence_disagreement, memory
from tests.second_verifier.damage import damaged_evidence
from tests.second_verifier.test_agreement import program
from tests.second_verifier.theirs import ROOT

FILES = sorted((ROOT / "protocol" / "vectors" / "evidence").iterdir())

SLOW = ("wrong-receipt",)
"""A whole deal leads up to it."""


@pytest.mark.parametrize(
    "path", [pytest.param(p, id=p.stem, marks=[pytest.mark.long] if p.stem in SLOW else []) for p in FILES]
)
def test_evidence_proves_the_same_to_both_whole_and_damaged(path: Path) -> None:
    data = path.read_bytes()
    assert verify_evidence(data).proven
    with memory():
        files = [("whole", data), *damaged_evidence(data, random.Random(path.stem), 10)]
        assert [f"{name}: {said}" for name, bad in files if (said := evidence_disagreement(bad))] == []
    assert sum(not verify_evidence(bad).proven for _, bad in files) >= 4


def test_the_program_tells_who_and_what_and_when(tmp_path: Path) -> None:
    path = next(path for path in FILES if path.stem == "two-bids")
    cut, missing = tmp_path / "cut.azi-evidence", tmp_path / "missing.azi"
    cut.write_bytes(path.read_bytes()[:-1])
    answer = program(path)
    assert answer.returncode == 0
    assert "PROVEN: seat 2 (from 0), key " in answer.stdout
    assert "in deal 1, step 3: signed two different messages for one slot (equivocation)" in answer.stdout
    assert [program(*paths).returncode for paths in ([cut], [missing, path], [missing, cut])] == [3, 1, 3]
    told = json.loads(program("--json", path, cut).stdout)["evidence"]
    assert [one["proven"] for one in told] == [True, False]
