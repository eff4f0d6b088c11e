"""`azi bench` but for its proofs: what it says, what it goes on without, and that real tables yield their figures."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import os
import re
import sys
from collections.abc import Iterator

import pytest

from azi_p2p.cli import bench, bench_peer, bench_peers, bench_proofs, bench_rows, bench_start, bench_verify
from azi_p2p.cli.bench import Report
from azi_p2p.cli.bench_peer import Notes, PeerTask
from azi_p2p.cli.bench_proofs import Figure
from azi_p2p.cli.bench_rows import Row
from azi_p2p.cli.bench_trouble import BenchError, BenchTrouble
from azi_p2p.cli.bench_verify import DeckFigures, VerifyFigures
from azi_p2p.cli.verify_workers import Workers
from azi_p2p.crypto.opcount import bare_operations
from azi_p2p.ui.i18n import LANGUAGES, catalogue

PART = bench_rows.PROOFS
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
    english = catalogue("en")
    what, measured, *_ = bench.cells(missing[0], english)
    assert what.endswith("(none came up)")
    assert measured == "-"


@pytest.mark.parametrize(
    ("row", "reached", "target"),
    [
        (Row(PART, PART, 14.0, target=15), True, "≤ 15 ms"),
        (Row(PART, PART, 16.0, target=15), False, "≤ 15 ms"),
        (Row(PART, PART, 9.0, "deals/s", target=10, at_least=True), False, "≥ 10 deals/s"),
        (Row(PART, PART, 99.0, floor=95.0, ratio=1.04, target=1.1, of_ratio=True), True, "ratio ≤ 1.1"),
        (Row(PART, PART, 99.0, floor=80.0, ratio=1.24, target=1.1, of_ratio=True), False, "ratio ≤ 1.1"),
        (Row(PART, PART, 5.0), None, ""),
        (Row(PART, PART, None, target=15), None, "≤ 15 ms"),
    ],
)
def test_a_row_says_whether_it_is_reached(row: Row, reached: bool | None, target: str) -> None:
    assert row.reached is reached
    assert row.target_told(catalogue("en")) == target


def test_one_part_that_fails_or_is_interrupted_keeps_no_other_from_being_measured() -> None:
    said: list[str] = []

    def interrupted(_report: Report) -> None:
        raise KeyboardInterrupt

    def failing(_report: Report) -> None:
        raise OSError("no network\nhere")

    def fine(report: Report) -> None:
        report.rows.append(Row(bench_rows.START, PART, 1.0))

    parts = [(bench_rows.PROOFS, interrupted), (bench_rows.RULES, failing), (bench_rows.START, fine)]
    report, ended = bench.measure(parts, catalogue("en"), said.append)
    assert not ended
    assert [row.part for row in report.rows] == [bench_rows.START]
    assert bench.document(report, 1.0, None)["unmeasured"] == {"proofs": "interrupted", "rules": "no network here"}
    assert any("rules: not measured: no network" in line for line in said)


def test_two_interruptions_in_a_row_end_it(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_report: Report) -> None:
        raise KeyboardInterrupt

    three = (bench_rows.PROOFS, bench_rows.RULES, bench_rows.START)
    monkeypatch.setattr(bench, "parts", lambda: [(part, interrupted) for part in three])
    assert bench.run(catalogue("ru"), json_out=True) == 130
    told = json.loads(capsys.readouterr().out)["unmeasured"]
    assert told == dict.fromkeys(("proofs", "rules", "start"), "interrupted"), "machines get English from everybody"


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
    with pytest.raises(BenchError, match="Anna: "):
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


def every_row() -> list[Row]:
    """A row of each kind that there is."""
    tasks = [*bench_proofs.shuffle_tasks(2), *{task for task, _ in bench_proofs.small_tasks()}]
    proofs = [Figure(task, 52, 1234.5, 1200.25, 1.02, {}) for task in tasks]
    nothing = bench_peers.figures(TASK, [0.0], [Notes(started=0.5, looked=1.0, founded=2.0, dealt=[(1, 3.0)])])
    tables = [bench_peers.figures(TASK, [0.0, 1.0, 1.0], notes()), nothing]
    return [
        *bench_rows.proof_rows(proofs),
        bench_rows.rules_row(12345),
        *bench_rows.verify_rows(VerifyFigures(4, 10, 1 << 20, 16, 12.34, 12.34, 98.76, 0.265)),
        *bench_rows.deck_rows(DeckFigures(6, 16, 1234.5, 1234.5, 123.4)),
        *bench_rows.start_rows({"azi --version": 75.5}, None),
        *(
            row
            for figures in tables
            for seats in (2, 6)
            for row in bench_rows.peers_rows(dataclasses.replace(figures, seats=seats))
        ),
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_of_it_is_told_in_the_players_language_and_fits_80_columns(
    language: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    report = Report(every_row(), {"primitives_us": dict.fromkeys(bare_operations(), 12.34)})
    report.unmeasured = [
        (bench_rows.START, BenchError(BenchTrouble.NO_LOBBY, seconds="20")),
        (bench_rows.CORES, BenchError(BenchTrouble.INTERRUPTED)),
        (bench_rows.RULES, OSError(28, "No space left on device")),
    ]
    bench.show(report, 61.6, [2.57, 1.0, 1.0], catalogue(language))
    shown = capsys.readouterr().out
    table, tail = shown.split(f"{bench_rows.START.told(catalogue(language))}: ")
    assert all(len(line) <= 80 for line in shown.splitlines()), "a terminal of 80 columns is enough"
    assert "\u2026" not in table, "nothing is cut off"
    assert len(tail.splitlines()) >= 5
    words = set(re.findall(r"[^\W\d_]{4,}", table + tail))
    assert words & {"shuffle", "measured", "ledgers", "peers", "floor"} == (
        {"shuffle", "measured", "ledgers", "peers", "floor"} if language == "en" else set()
    )
    assert ("12,3" in table and "12.3" not in table) == (language != "en"), "fractions are written as in the language"


def test_machines_get_english_of_every_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "ru_RU.UTF-8")
    told = json.loads(json.dumps(bench.document(Report(every_row()), 61.6, None)))["rows"]
    assert {tuple(row) for row in told} == {
        ("part", "what", "value", "unit", "floor", "ratio", "target", "of_ratio", "at_least", "note", "reached")
    }
    by_name = {row["what"]: row for row in told}
    proof = by_name["verify shuffle, 52"]
    assert (proof["part"], proof["unit"], proof["target"], proof["note"]) == ("proofs", "ms", "ratio ≤ 1.1", "")
    assert by_name["azi, until the lobby is drawn"]["note"] == "no terminal can be made here"
    assert all(row["what"].isascii() for row in told)
