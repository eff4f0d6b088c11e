"""The tables of docs/performance.md can be written anew: the page has a place for each, and keeps its words."""

from __future__ import annotations

import pytest

from tests.benchmarks.tables import PAGE, of_bench, replaced, table

BENCH = {
    "machine": "Linux x86_64",
    "python": "3.11",
    "cores": 2,
    "load_before": [0.5, 0.25, 0.125],
    "seconds": 55.2,
    "primitives_us": {"mul": 37.04},
    "unmeasured": {"start": "interrupted"},
    "rows": [
        {
            "part": "proofs",
            "what": "verify shuffle, 27",
            "value": 8.333,
            "unit": "ms",
            "floor": 8.0,
            "ratio": 1.0417,
            "target": "ratio ≤ 1.1",
            "reached": True,
            "note": "",
        },
        {
            "part": "2 peers",
            "what": "looking",
            "value": None,
            "unit": "ms",
            "floor": None,
            "ratio": None,
            "target": None,
            "reached": None,
            "note": "no mDNS",
        },
    ],
}


@pytest.mark.parametrize("name", ["bench", "cards", "seats", "peers"])
def test_the_page_has_a_place_for_each_table(name: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    once = replaced(page, name, "| x |")
    assert f"<!-- {name} -->\n| x |\n<!-- end of {name} -->" in once
    assert replaced(once, name, "| x |") == once
    assert once.startswith("# How fast it is")
    assert once.splitlines()[-1] == page.splitlines()[-1]


def test_a_page_without_a_place_is_refused() -> None:
    with pytest.raises(ValueError, match="has no place"):
        replaced("<!-- bench --> without an end", "bench", "")


def test_what_azi_bench_says_as_markdown() -> None:
    text = of_bench(BENCH)
    assert "2 cores; load before it (1, 5, 15 minutes): 0.5 0.2 0.1; it took 55 s." in text
    assert "start: not measured: interrupted." in text
    assert "| verify shuffle, 27 | 8.33 ms | 8.00 | 1.04 | ratio ≤ 1.1 | yes |" in text
    assert "| looking | no mDNS |  |  |  |  |" in text


def test_columns_of_figures_are_to_the_right() -> None:
    assert table(("a", "b"), [(1, 2)]).splitlines() == ["| a | b |", "| --- | ---: |", "| 1 | 2 |"]
