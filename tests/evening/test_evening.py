"""A short evening of two real peers goes well, and what would be wrong with a long one is noticed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.evening.__main__ import main
from tests.evening.evening import Sample
from tests.evening.judging import findings


@pytest.mark.slow
@pytest.mark.long
def test_a_short_evening() -> None:
    assert main(["--peers", "2", "--deals", "20", "--every", "5"]) == 0


@pytest.mark.parametrize(
    ("memory", "ledger", "seconds", "found"),
    [
        (100, 1000, 1.0, []),
        (125, 1000, 1.0, ["peer 0 has grown"]),
        (100, 1400, 1.0, ["straight line"]),
        (100, 1000, 1.6, ["a deal took"]),
    ],
)
def test_what_grows_is_noticed(tmp_path: Path, memory: int, ledger: int, seconds: float, found: list[str]) -> None:
    def sample(number: int, memory: int, seconds: float, more: int = 0) -> Sample:
        return Sample(100 * number, seconds, (memory << 20,), (1000 * number + more,), (0,))

    samples = [sample(1, 100, 1.0), sample(2, 100, 1.0), sample(3, 100, 1.0), sample(4, memory, seconds, ledger - 1000)]
    problems = findings(samples, tmp_path, 0, 400)
    assert len(problems) == len(found)
    assert all(part in problem for part, problem in zip(found, problems, strict=True))
    assert findings(samples[:3], tmp_path, 0, 300) != []
