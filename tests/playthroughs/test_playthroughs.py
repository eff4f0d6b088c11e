"""The golden records are what the rules make of these games today."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.playthroughs.record import PLAYTHROUGHS, record

FOLDER = Path(__file__).parent


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_record(name: str) -> None:
    assert record(PLAYTHROUGHS[name]) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def test_every_record_has_its_playthrough() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(PLAYTHROUGHS)


def test_the_records_show_every_kind_of_end() -> None:
    text = "".join((FOLDER / f"{name}.txt").read_text(encoding="utf-8") for name in PLAYTHROUGHS)
    for end in ("Result: won", "Result: uncontested", "Result: azi", "Result: void", "buy_in", "absent", "leave"):
        assert end in text, end
