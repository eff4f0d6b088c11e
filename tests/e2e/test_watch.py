"""Onlookers: a table is followed live without a seat, by real processes over loopback."""

from __future__ import annotations

import json
import re
import secrets
import subprocess
import sys
from pathlib import Path

import pytest

from azi_p2p.audit.verify import verify_ledger
from tests.e2e.terminal import Terminal, play_a_deal

pytestmark = [pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal"), pytest.mark.timeout(240)]

HAND = re.compile(r"Your hand|Your turn")


def bot(folder: Path, name: str, *arguments: str) -> subprocess.Popen[str]:
    line = [*arguments, "--loopback", "--bot", "easy", "--nick", name, "--lang", "en", "--json"]
    return subprocess.Popen(
        [sys.executable, "-m", "azi_p2p", *line, "--profile", str(folder / name), "--out", str(folder / f"{name}-out")],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_an_onlooker_follows_a_table_to_its_end_and_verifies_it(tmp_path: Path) -> None:
    table = f"Kitchen table {secrets.token_hex(2)}"
    anna = bot(tmp_path, "Anna", "host", "--name", table, "--seats", "2", "--deals", "6", "--code", "red cat 7")
    ben = None
    try:
        assert anna.stderr is not None
        assert "is open" in anna.stderr.readline()
        out = tmp_path / "Eva-out"
        arguments = ["join", table, "--watch", "--profile", str(tmp_path / "Eva"), "--out", str(out), "--wait", "60"]
        with Terminal(*arguments) as eva:
            eva.expect("you watch it without a\\s+seat")
            eva.expect("is a private table. What is its code")
            eva.type("RED CAT 7")
            eva.expect("You watch: everything is checked here too")
            ben = bot(tmp_path, "Ben", "join", table, "--code", "red cat 7")
            eva.expect("The table is complete")
            eva.type("say hello")
            eva.expect("You have no seat at this table")
            eva.type("fold")
            eva.expect("You have no seat at this table")
            eva.expect("The table has ended: all its deals have been played", seconds=120)
            eva.expect("The record of the game is")
            assert eva.wait() == 0
            assert not HAND.search(eva.output)
        results = [json.loads(one.communicate(timeout=60)[0]) for one in (anna, ben)]
    finally:
        for one in (anna, ben):
            if one is not None:
                one.kill()
                one.communicate()
    (own,) = out.glob("*.azi")
    verdict = verify_ledger(own.read_bytes())
    assert verdict.valid
    assert verdict.complete
    assert not verdict.faults
    assert {result["head"] for result in results} == {verdict.head}
    assert [list(verdict.chips)] * 2 == [result["chips"] for result in results]
    assert not (tmp_path / "Eva" / "seat.json").exists()


def test_who_comes_in_the_middle_catches_up_and_the_seats_are_told(tmp_path: Path) -> None:
    table = f"Kitchen table {secrets.token_hex(2)}"
    ben = None
    with Terminal(
        "host", "--name", table, "--seats", "2", "--nick", "Anna", "--profile", str(tmp_path / "Anna")
    ) as anna:
        try:
            anna.expect("is open")
            ben = bot(tmp_path, "Ben", "join", table)
            assert play_a_deal(anna)
            anna.expect("Deal 2")
            with Terminal("join", table, "--watch", "--profile", str(tmp_path / "Eva"), "--wait", "60") as eva:
                anna.expect("Watching without a seat: 1")
                eva.expect("Deal 2", seconds=60)
                listed = json.loads(
                    subprocess.run(
                        [sys.executable, "-m", "azi_p2p", "tables", "--loopback", "--json"],
                        capture_output=True,
                        text=True,
                        check=True,
                    ).stdout
                )["tables"]
                (seen,) = [one for one in listed if one["name"] == table]
                assert {peer["name"] for peer in seen["peers"]} == {"Anna", "Ben"}
                eva.type("quit")
                assert eva.wait() == 0
            anna.expect("Watching without a seat: 0")
        finally:
            if ben is not None:
                ben.kill()
                ben.communicate()


def test_from_the_lobby_in_lines_a_private_table_is_opened_and_watched(tmp_path: Path) -> None:
    table = f"Kitchen {secrets.token_hex(3)}"
    with (
        Terminal("--plain", "--profile", str(tmp_path / "Anna")) as anna,
        Terminal("--plain", "--profile", str(tmp_path / "Eva")) as eva,
    ):
        anna.expect("p\\s+to\\s+open\\s+a\\s+private\\s+one")
        anna.type(f"p {table}")
        anna.expect("Your name at the table")
        anna.type("Anna")
        code = anna.expect(r"Only who knows the code may join: (\d{4}-\d{4})")[1]
        eva.expect("q to leave")
        eva.type(f"w {table}")
        eva.expect("is a private table. What is its code")
        eva.type(code)
        eva.expect("You watch: everything")
        eva.expect("Anna \\(\\w{4}\\) sits down")
        eva.type("quit")
        eva.expect("q to leave")
        eva.type("q")
        assert eva.wait() == 0
