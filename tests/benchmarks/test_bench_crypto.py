"""The proofs in `azi bench`: that their figures are there and make sense. How fast the machine is, no test decides."""

from __future__ import annotations

import json

import pytest

from azi_p2p.cli import bench, bench_proofs
from azi_p2p.ui.i18n import catalogue

TASKS = {
    ("shuffle", 27),
    ("prove shuffle", 27),
    ("verify shuffle", 27),
    ("read shuffle", 27),
    ("shuffle", 52),
    ("prove shuffle", 52),
    ("verify shuffle", 52),
    ("read shuffle", 52),
    ("prove tokens", 1),
    ("verify tokens", 1),
    ("prove tokens", 10),
    ("verify tokens", 10),
    ("prove void", 18),
    ("verify void", 18),
}


@pytest.fixture(autouse=True)
def few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_proofs, "ROUNDS", 2)
    every = bench.parts()
    monkeypatch.setattr(bench, "parts", lambda: every[:2])


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.run(catalogue("en"), json_out=True) == 0
    shown = capsys.readouterr()
    document = json.loads(shown.out)
    assert shown.err == ""
    assert document["rounds"] == 2
    assert document["random_deals_per_second_best_round"] >= document["random_deals_per_second"] > 0
    assert 3 < document["actions_per_random_deal"] < 60
    assert {(task["task"], task["size"]) for task in document["tasks"]} == TASKS
    for task in document["tasks"]:
        floor = sum(count * document["primitives_us"][name] for name, count in task["operations"].items())
        assert task["floor_ms"] > 0
        assert task["ms"] > 0
        assert floor > 0
    counts = {(task["task"], task["size"]): task["operations"] for task in document["tasks"]}
    assert counts["verify shuffle", 27]["mul"] == 7 * 27 + 5
    assert counts["prove shuffle", 52]["mul"] == 4 * 52 + 2


def test_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.run(catalogue("en"), json_out=False) == 0
    shown = capsys.readouterr()
    lines = shown.out.splitlines()
    assert lines[0].split() == ["what", "measured", "floor", "ratio", "should", "be", "reached"]
    rows = [line for line in lines if line.startswith("  ")]
    assert len(rows) == len(TASKS) + 1
    assert "random deals of 4" in rows[-1]
    assert all(("yes" in row) != ("NO" in row) for row in rows if "prove" in row or "verify" in row)
    assert all(len(line) <= 100 for line in lines)
    assert shown.err.splitlines() == ["1/2 proofs …", "2/2 rules …"]


@pytest.mark.slow
def test_python_costs_less_than_half_of_the_mathematics() -> None:
    """Far from what is measured (below 1.2), so that only a real mistake, not a busy machine, fails here."""
    _, figures = bench_proofs.measure(rounds=9)
    ratios = {(figure.task, figure.size): figure.ratio for figure in figures}
    assert ratios["prove shuffle", 27] < 1.5
    assert ratios["verify shuffle", 27] < 1.5
