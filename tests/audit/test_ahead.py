"""Reading ahead of the checks gives the very verdict that checking in order gives, whatever is wrong, and how late."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from azi_p2p.audit import records
from azi_p2p.audit import verify as verifying
from azi_p2p.audit.verify import verify_file, verify_ledger
from azi_p2p.session.jobs import Checked, Job, run_job
from azi_p2p.wire.ledgerfile import LedgerCut
from tests.protocol.checks import edited

VECTORS = Path(__file__).parents[2] / "protocol" / "vectors"


class Later:
    """Checks nothing until somebody waits for it. `wrong`: numbers of checks that it says don't hold."""

    def __init__(self, wrong: tuple[int, ...] = ()) -> None:
        self.wrong = wrong
        self.given = 0
        self.waiting = 0
        self.most = 0

    def hand_over(self, job: Job) -> Callable[[], bool]:
        self.given += 1
        number = self.given
        self.waiting += 1
        self.most = max(self.most, self.waiting)

        def holds() -> bool:
            self.waiting -= 1
            return number not in self.wrong and run_job(job) == Checked(None)

        return holds


def one_of_each_kind() -> list[object]:
    """The sound ledgers of the specification, and a spoilt one for each reason."""
    tests = json.loads((VECTORS / "ledgers.json").read_text(encoding="utf-8"))["tests"]
    chosen = {test.get("reason", test["id"]): test for test in tests}.values()
    return [
        pytest.param(
            {**tests[test["changes"] - 1], **test["with"]} if "changes" in test else test, id=f"ledgers-{test['id']}"
        )
        for test in chosen
    ]


@pytest.mark.parametrize("fields", one_of_each_kind())
def test_the_verdict_is_the_same(fields: dict[str, Any]) -> None:
    data = edited((VECTORS / "ledgers" / fields["ledger"]).read_bytes(), fields["edits"])
    later = Later()
    assert verify_file(io.BytesIO(data), hand_over=later.hand_over, most=7) == verify_ledger(data)
    assert later.most <= 7


@pytest.mark.parametrize("wrong", [(1,), (9, 10), tuple(range(1, 100, 3))])
def test_whoever_says_that_proofs_do_not_hold_is_not_believed(wrong: tuple[int, ...]) -> None:
    """What was refuted is checked in its place; where too much is, everything is."""
    data = (VECTORS / "ledgers" / "two-seats.azi").read_bytes()
    assert verify_file(io.BytesIO(data), hand_over=Later(wrong).hand_over, most=5) == verify_ledger(data)


def test_what_goes_wrong_on_top_of_good_proofs_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    data = (VECTORS / "ledgers" / "two-seats.azi").read_bytes()

    def broken(_lanes: object) -> list[bytes]:
        raise AssertionError("ours")

    monkeypatch.setattr(verifying, "unfinished", broken)
    later = Later()
    with pytest.raises(AssertionError, match="ours"):
        verify_file(io.BytesIO(data), hand_over=later.hand_over, most=1000)
    assert later.given > 5
    assert later.waiting == 0


def test_a_ledger_is_never_in_memory_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """However little is read at a time, the records are the same, and so are the bytes at which they begin."""
    data = (VECTORS / "ledgers" / "two-seats.azi").read_bytes()
    told: list[int] = []
    whole = verify_file(io.BytesIO(data), told=told.append)
    monkeypatch.setattr(records, "WINDOW", 1000)
    again: list[int] = []
    assert verify_file(io.BytesIO(data), told=again.append) == whole
    assert again == told
    assert told == sorted(set(told))
    assert told[-1] == len(data)


def test_what_is_appended_meanwhile_is_not_looked_at(tmp_path: Path) -> None:
    data = (VECTORS / "ledgers" / "two-seats.azi").read_bytes()
    path = tmp_path / "table.azi"
    path.write_bytes(data[:5000])
    with path.open("rb") as file, path.open("ab", buffering=0) as more:
        book = records.Records(file)
        more.write(data[5000:])
        book.header()
        with pytest.raises(LedgerCut, match="ends inside the record"):
            list(iter(book.next, None))
    assert book.position < 5000
