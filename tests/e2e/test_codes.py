"""Private tables on real terminals, with real processes, over loopback: the right code, a wrong one, and none."""

from __future__ import annotations

import json
import re
import secrets
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.screen import FullScreen
from tests.e2e.terminal import Terminal

pytestmark = [pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal"), pytest.mark.timeout(240)]


def azi(*arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "azi_p2p", *arguments],
        input=typed,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def bot(name: str, *arguments: str) -> list[str]:
    """The arguments of a bot that joins."""
    return ["join", "--loopback", "--bot", "easy", "--nick", name, "--lang", "en", *arguments]


def test_only_who_knows_the_code_sits_down_and_comes_back_after_a_kill(tmp_path: Path) -> None:
    table = f"Kitchen table {secrets.token_hex(2)}"
    with Terminal(
        "host", "--name", table, "--seats", "2", "--code", "--nick", "Anna", "--profile", str(tmp_path / "a")
    ) as anna:
        code = anna.expect(r"Only who knows the code may join: (\d{4}-\d{4})")[1]
        listed = json.loads(azi("tables", "--loopback", "--json").stdout)["tables"]
        (seen,) = [one for one in listed if one["name"] == table]
        assert seen["private"]
        address = seen["peers"][0]["addresses"][0]
        assert re.search(rf"{table} \(.*\[code\]", azi("tables", "--loopback", "--lang", "en").stdout)

        for where in (table, address):
            stranger = azi(*bot("Eve", "--profile", str(tmp_path / "e"), where))
            assert stranger.returncode == 1
            assert "this table is private" in stranger.stderr.splitlines()[-1]
            wrong = azi(*bot("Eve", "--profile", str(tmp_path / "e"), "--code", "1111 1111", where))
            assert wrong.returncode == 1
            assert "the code is wrong" in wrong.stderr.splitlines()[-1]
            assert "1111" not in wrong.stderr

        anna.type("address")
        anna.expect(f"Only who knows the code may join: {code}")
        with Terminal("join", table, "--nick", "Ben", "--profile", str(tmp_path / "b"), "--wait", "60") as ben:
            ben.expect("is a private table. What is its code")
            ben.type(code.replace("-", " "))
            ben.expect("opens? the bidding")
            anna.expect("opens? the bidding")
            ben.process.kill()
        note = tmp_path / "b" / "seat.json"
        assert code.replace("-", " ") in note.read_text()
        assert stat.S_IMODE(note.stat().st_mode) == 0o600
        with Terminal("join", "--profile", str(tmp_path / "b")) as ben:
            ben.expect(f'You have a seat at the table "{table}"'.replace(" ", r"\s+"))
            ben.expect("Your hand")
        for folder in ("a", "b"):
            for path in (tmp_path / folder).rglob("*"):
                if path.is_file() and path.name != "seat.json":
                    data = path.read_bytes()
                    assert code.encode() not in data, path
                    assert code.replace("-", "").encode() not in data, path


def test_a_code_is_read_from_the_input_so_that_it_is_no_argument(tmp_path: Path) -> None:
    table = f"Kitchen table {secrets.token_hex(2)}"
    arguments = ["host", "--name", table, "--seats", "2", "--code", "-", "--nick", "Anna", "--deals", "1"]
    with Terminal(*arguments, "--profile", str(tmp_path / "a")) as anna:
        anna.expect("What is the code of the table")
        anna.type("Рыжий кот")
        anna.expect("Only who knows the code may join: Рыжий кот")
        short = azi(*bot("Ben", "--profile", str(tmp_path / "b"), "--code", "-", table), typed="abc\n")
        assert short.returncode == 2
        assert "a code has 6 to 64 letters or digits" in short.stderr.splitlines()[-1]
        ben = subprocess.Popen(
            [sys.executable, "-m", "azi_p2p", *bot("Ben", "--profile", str(tmp_path / "b"), "--code", "-", table)],
            stdin=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        try:
            assert ben.stdin is not None
            ben.stdin.write("рыжий-КОТ\n")
            ben.stdin.flush()
            anna.expect("opens? the bidding")
            command = Path(f"/proc/{ben.pid}/cmdline")
            if command.exists():
                assert "кот".encode() not in command.read_bytes().lower()
        finally:
            ben.kill()
            ben.communicate()


def test_a_code_at_a_table_without_one(tmp_path: Path) -> None:
    table = f"Kitchen table {secrets.token_hex(2)}"
    with Terminal("host", "--name", table, "--nick", "Anna", "--profile", str(tmp_path / "a")) as anna:
        anna.expect("is open")
        caught = azi(*bot("Ben", "--profile", str(tmp_path / "b"), "--code", "4839 1275", table))
        assert caught.returncode == 1
        assert "this table has no code" in caught.stderr.splitlines()[-1]


def test_a_private_table_on_the_screen_with_a_wrong_code_the_right_one_and_an_onlooker(tmp_path: Path) -> None:
    table = f"Kitchen {secrets.token_hex(3)}"
    host = ("host", "--seats", "2", "--name", table, "--code", "--nick", "Eva", "--profile", str(tmp_path / "eva"))
    with (
        FullScreen(*host, "--lang", "en") as eva,
        FullScreen("--profile", str(tmp_path / "ben"), "--lang", "en", columns=100, rows=30) as ben,
    ):
        code = eva.shows(r"code (\d{4}-\d{4})")[1]
        ben.shows("What shall the others call you")
        ben.press(*["backspace"] * 24, *"Ben", "enter")
        number = ben.shows(rf"(\d)  {table} +code · free 1 of 2")[1]
        ben.press(number, "enter")
        ben.shows(f'"{table}" is a private table')
        wrong = "11112222" if code != "1111-2222" else "33334444"
        ben.press(*wrong, "enter")
        ben.shows("The code is wrong: ask those at the")
        ben.shows("Enter: leave the table")
        ben.press("enter")
        number = ben.shows(rf"(\d)  {table}")[1]
        ben.press(number, "enter")
        ben.shows("Code")
        ben.press(*code, "enter")
        eva.shows("Trump .")
        ben.shows("Trump .")
        watch = ("join", table, "--watch", "--code", code, "--profile", str(tmp_path / "anele"), "--lang", "en")
        with FullScreen(*watch) as anele:
            anele.shows("Trump .")
            anele.shows("Waiting for (Eva|Ben)")
            eva.press("l")
            eva.shows("Watching without a seat: 1")
            anele.press("q")
            anele.shows("Leave this table")
            anele.press("1", "enter")
            assert anele.wait() == 0
            assert anele.is_restored()


def test_who_types_only_an_address_is_asked_when_the_table_says_that_it_is_private(tmp_path: Path) -> None:
    table = f"Kitchen table {secrets.token_hex(2)}"
    host = ["host", "--name", table, "--seats", "2", "--code", "Rooi kat 7", "--nick", "Anna"]
    with Terminal(*host, "--profile", str(tmp_path / "a")) as anna:
        address = anna.expect(r"by\s+address:\s+(127\.0\.0\.1:\d+)")[1]
        with Terminal("join", address, "--nick", "Ben", "--profile", str(tmp_path / "b")) as ben:
            ben.expect("What is the code of the table")
            ben.type("ROOIKAT7")
            ben.expect("opens? the bidding")
            anna.expect("opens? the bidding")
