"""`azi bench` but for its proofs: what it says, what it goes on without, and that real tables yield their figures."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import os
from collections.abc import Iterator

import pytest

from azi_p2p.cli import bench, bench_peer, bench_peers, bench_rows, bench_start, bench_verify
from azi_p2p.cli.bench import Report
from azi_p2p.cli.bench_peer import Notes, PeerTask
from azi_p2p.cli.bench_rows import Row
from azi_p2p.cli.verify_workers import Workers

TASK = PeerTask("", "", "Kitchen", "", seats=3, hand_size=3, deals=2, pause=0.02, wait=5.0)


def notes() -> list[Notes]:
    """What three peers might have written down of two deals: Ben's first card took longest to reach Anna."""
    founder = Notes(started=0.5, founded=3.0, meshed=2.5, dealt=[(1, 4.0), (2, 9.25)], resident=100 << 20)
    ben = Notes(started=1.5, looked=1.5, sighted=1.75, founded=3.1, meshed=2.75, dealt=[(1, 4.5), (2, 9.0)])
    katya = Notes(started=1.5, looked=1.5, founded=3.2, meshed=2.75, dealt=[(1, 4.25), (2, 9.0)])
    ben.asked = [(1, 0, 5.0), (1, 2, 9.0)]
    katya.asked = [(1, 1, 6.0)]
    founder.taken = [(1, 1, 5.5, 0), (1, 2, 6.25, 1), (1, 3, 9.125, 0)]
    ben.taken = [(1, 1, 5.0, 0), (1, 2, 6.125, 1), (1, 3, 9.0, 0)]
    katya.taken = [(1, 1, 5.25, 0), (1, 2, 6.0, 1)]
    return [founder, ben, katya]


def test_figures_of_a_table() -> None:
    figures = bench_peers.figures(TASK, [0.0, 1.0, 1.0], notes())
    assert figures.first_deal == 1500  # founded at Anna's first, dealt at Ben's last
    assert figures.next_deals == [250]  # from Ben's last command to Anna's hand
    assert figures.moves == [500, 250]  # the third action hasn't reached Katya
    assert figures.void_moves == [250]
    assert figures.started == [500, 500, 500]
    assert figures.found == [750]
    assert figures.looked == [250]
    assert figures.meshed == 1000
    assert figures.resident == [100 << 20]


def test_what_was_not_seen_is_said() -> None:
    """No mDNS, no memory figures, no second deal: there is a row for each all the same, with the reason."""
    figures = bench_peers.figures(TASK, [0.0], [Notes(started=0.5, looked=1.0, founded=2.0, dealt=[(1, 3.0)])])
    rows = bench_rows.peers_rows(figures)
    missing = [row for row in rows if row.value is None and row.note]
    assert [row.note for row in missing] == [
        bench_rows.NONE_SEEN,
        bench_rows.NONE_SEEN,
        bench_rows.NONE_SEEN,
        bench_rows.NONE_SEEN,
        bench_rows.NO_MDNS,
        bench_rows.NO_MEMORY,
        bench_rows.NO_MEMORY,
    ]
    assert all(row.reached is None for row in missing)
    assert bench.cells(missing[0])[1] == bench_rows.NONE_SEEN


@pytest.mark.parametrize(
    ("row", "reached", "target"),
    [
        (Row("", "", 14.0, target=15), True, "≤ 15 ms"),
        (Row("", "", 16.0, target=15), False, "≤ 15 ms"),
        (Row("", "", 9.0, "deals/s", target=10, at_least=True), False, "≥ 10 deals/s"),
        (Row("", "", 99.0, floor=95.0, ratio=1.04, target=1.1, of_ratio=True), True, "ratio ≤ 1.1"),
        (Row("", "", 99.0, floor=80.0, ratio=1.24, target=1.1, of_ratio=True), False, "ratio ≤ 1.1"),
        (Row("", "", 5.0), None, ""),
        (Row("", "", None, target=15), None, "≤ 15 ms"),
    ],
)
def test_a_row_says_whether_it_is_reached(row: Row, reached: bool | None, target: str) -> None:
    assert row.reached is reached
    assert row.shown_target == target


def test_one_part_that_fails_or_is_interrupted_keeps_no_other_from_being_measured() -> None:
    said: list[str] = []

    def interrupted(_report: Report) -> None:
        raise KeyboardInterrupt

    def failing(_report: Report) -> None:
        raise OSError("no network\nhere")

    def fine(report: Report) -> None:
        report.rows.append(Row("fine", "fine", 1.0))

    report, ended = bench.measure({"a": interrupted, "b": failing, "c": fine}, said.append)
    assert not ended
    assert [row.part for row in report.rows] == ["fine"]
    assert report.unmeasured == {"a": "interrupted", "b": "no network here"}
    assert any("b: not measured: no network here" in line for line in said)


def test_two_interruptions_in_a_row_end_it(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_report: Report) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(bench, "parts", lambda: dict.fromkeys("abc", interrupted))
    assert bench.run(json_out=True) == 130
    assert json.loads(capsys.readouterr().out)["unmeasured"] == dict.fromkeys("abc", "interrupted")


def test_a_small_table_of_real_processes() -> None:
    """Two peers find each other and play one deal; whatever a loopback of this machine can show is there."""
    figures = asyncio.run(bench_peers.measure_peers(2, 1, pause=0.0))
    assert figures.first_deal > 0
    assert len(figures.moves) >= 4
    assert len(figures.started) == 2
    assert figures.meshed is not None
    for row in bench_rows.peers_rows(figures):
        assert row.value is not None or row.note
    json.dumps(dataclasses.asdict(figures))


def test_peers_that_hear_nothing_by_mdns_are_told_the_address() -> None:
    figures = asyncio.run(bench_peers.measure_peers(2, 1, pause=0.0, wait=0.0))
    assert figures.looked == []
    assert figures.first_deal > 0


def test_a_peer_that_does_not_begin_in_time_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_peers, "STARTING", 0.0)
    with pytest.raises(bench_peers.PeersError, match="Anna: "):
        asyncio.run(bench_peers.measure_peers(2, 1))


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with Workers(2) as started:
        yield started


def test_ledgers_and_decks(workers: Workers) -> None:
    bench_verify.warm(workers)
    verify = bench_verify.measure_verify(2, 1, workers)
    assert verify.deals >= 1
    assert min(verify.one_core, verify.alone, verify.all_cores) > 0
    assert 0 < verify.reading < 1
    deck = bench_verify.measure_deck(2, workers, rounds=1)
    assert min(deck.one_by_one, deck.threads, deck.processes) > 0
    assert all(row.value is not None for row in [*bench_rows.verify_rows(verify), *bench_rows.deck_rows(deck)])


def test_starts() -> None:
    commands = bench_start.measure_commands(runs=1)
    assert set(commands) == {"azi --version", "azi --help"}
    lobby = bench_start.measure_lobby(runs=1)
    assert (lobby is None) == (os.name != "posix")
    assert len(bench_rows.start_rows(commands, lobby)) == 3


def test_memory_is_in_bytes() -> None:
    resident, proportional = bench_peer.memory()
    if resident is not None:
        assert proportional is not None
        assert 1 << 20 < proportional <= resident
