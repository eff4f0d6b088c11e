"""`azi play`, `azi host` and `azi join` on real terminals, with real processes, over loopback."""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from azi_p2p.audit.verify import verify_ledger
from azi_p2p.net.discovery import find_tables
from tests.e2e.terminal import Terminal, play_a_deal, running_with

pytestmark = [pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal"), pytest.mark.timeout(240)]


def test_a_script_plays_a_deal_against_three_bots(tmp_path: Path) -> None:
    profile = str(tmp_path / "eva")
    env = {"TMPDIR": str(tmp_path)}
    with Terminal("play", "--bots", "3", "--plain", "--nick", "Eva", "--profile", profile, env=env) as eva:
        eva.type("help")
        eva.expect("Type the number of a choice")
        eva.expect("The table is complete: you, ")
        eva.expect("Fair: 4 of 4 shuffles are proven, yours among\\s+them")
        eva.expect("Your hand: ")
        assert play_a_deal(eva)
        eva.expect("Chips now: you ")
        eva.expect("Deal 2")
        bots = running_with(f"{tmp_path}/azi-bots-")
        assert len(bots) == 3
        announced = {table.table_name for table in asyncio.run(find_tables(2.0, loopback=True))}
        assert "Practice" not in announced, "nobody else can join, so nobody hears of it"
        eva.type("quit")
        ledger = eva.expect(r"The record of the game is\s+(\S+\.azi)")[1]
        assert eva.wait() == 0
    assert not running_with(f"{tmp_path}/azi-bots-"), "the bots end with the player"
    lines = eva.output.split("\n")
    assert max(len(line) for line in lines if ".azi" not in line) < 80
    assert "\x1b" not in eva.output, "line mode moves no cursor"
    check = subprocess.run(
        [sys.executable, "-m", "azi_p2p", "verify", ledger, "--json"], capture_output=True, text=True, check=False
    )
    assert check.returncode == 4, check.stderr
    verdict = json.loads(check.stdout)
    assert verdict["valid"]
    assert not verdict["complete"]
    assert verdict["deals"] >= 1


def test_four_cards_in_russian(tmp_path: Path) -> None:
    with Terminal(
        "play", "--bots", "1", "--hand-size", "4", "--nick", "Катя", "--profile", str(tmp_path), "--lang", "ru"
    ) as katya:
        katya.expect("Снесите одну карту")
        katya.type("4")
        katya.expect(r"Вы\s+сносите")
        katya.type("выход")
        assert katya.wait() == 0


def test_two_people_find_each_other_and_play(tmp_path: Path) -> None:
    # Other tests may be running on this machine, and all of them see each other on loopback.
    name = f"Kitchen table {secrets.token_hex(2)}"
    with (
        Terminal("host", "--name", name, "--seats", "2", "--deals", "1", "--profile", str(tmp_path / "a")) as anna,
        Terminal("join", name.upper(), "--nick", "Ben", "--profile", str(tmp_path / "b"), "--wait", "60") as ben,
    ):
        anna.expect("Your name at the table\\?")
        anna.type("Anna")
        anna.expect(f'Your table "{name}" is open')
        ben.expect(f'Found "{name}"; sitting down')
        anna.expect(r"Ben \(\w{4}\) sits down")
        ben.type("say hello")
        for one in (anna, ben):
            one.expect("The table is complete")
            one.expect("opens? the bidding")
        ben.type("say well met")
        anna.glimpse("Ben says: well met")
        anna.press(b"\x04")
        anna.glimpse("Ctrl-D once more is a yes")
        anna.type("no")
        anna.glimpse("Not done")
        people = {"Anna": anna, "Ben": ben}
        over = False
        while not over:
            over = turn(people)
        for one in people.values():
            one.expect("The table has ended: all its deals have been played", seconds=90)
            one.expect("The record of the game is")
            assert one.wait() == 0


def test_who_is_left_alone_closes_the_table(tmp_path: Path) -> None:
    """The other one's program is killed in the middle of a deal: no majority is left, and nobody is kept for ever."""
    name = f"Kitchen table {secrets.token_hex(2)}"
    with (
        Terminal("host", "--name", name, "--seats", "2", "--deals", "1", "--profile", str(tmp_path / "a")) as anna,
        Terminal("join", name, "--nick", "Ben", "--profile", str(tmp_path / "b"), "--wait", "60") as ben,
    ):
        anna.expect("Your name at the table\\?")
        anna.type("Anna")
        anna.expect("opens? the bidding")
        anna.type("close")
        anna.expect("Enough of the others can be reached")
        ben.expect("opens? the bidding")
        ben.process.kill()
        anna.expect("you can also close it without them")
        anna.type("close")
        anna.expect("(?s)Close the table without the others.*nobody has\\s+signed")
        anna.type("yes")
        anna.expect("You have closed the table without the others")
        anna.expect("The record of the game is")
        assert anna.wait() == 0
    (ledger,) = (tmp_path / "a").rglob("*.azi")
    verdict = verify_ledger(ledger.read_bytes())
    assert verdict.valid
    assert not verdict.complete
    assert verdict.unconfirmed is not None
    assert sum(verdict.unconfirmed.chips) == 2000
    assert not list((tmp_path / "a").rglob("seat.json"))


def turn(people: dict[str, Terminal]) -> bool:
    """Let whoever is asked first answer; True when a deal has been won."""
    one = people["Anna"]
    match = one.expect(r"(?s)(Your turn[^\n]*.*?\n  1  [^\n]*\n)|(Waiting for Ben)|(wins? the deal|showing a card)")
    if match[3]:
        return True
    if match[2]:
        ben = people["Ben"]
        ben.expect(r"(?s)Your turn[^\n]*.*?\n  1  [^\n]*\n")
        ben.type("call" if re.search(r"\n  \d  call", ben.output[ben.output.rfind("Your turn") :]) else "1")
        return False
    one.type("call" if re.search(r"\n  \d  call", one.output[one.output.rfind("Your turn") :]) else "1")
    return False


def test_a_late_guest_joins_an_open_table(tmp_path: Path) -> None:
    name = f"Open {secrets.token_hex(2)}"
    with Terminal("host", "--name", name, "--seats", "3", "--nick", "Anna", "--profile", str(tmp_path / "a")) as anna:
        anna.expect("is open")
        with bot(name, "Ben", tmp_path / "b"):
            anna.expect("Seats taken: 2 of 3")
            anna.type("start")
            anna.expect(r"The table is complete: you and Ben")
            with bot(name, "Katya", tmp_path / "k"):
                ending = ""
                while "Katya is at the table now" not in anna.output:
                    ending = play_a_deal(anna)
                    anna.expect(r"Deal \d+\. All antes are in")
                assert ending
                anna.expect(r"Fair: 3 of 3 shuffles are proven, yours among\s+them")
        anna.type("quit")
        anna.expect("Stop anyway")
        anna.type("yes")
        assert anna.wait() == 0


def bot(table: str, name: str, profile: Path) -> Terminal:
    """A bot that looks for a table and sits down."""
    return Terminal("join", table, "--wait", "60", "--bot", "easy", "--nick", name, "--profile", str(profile))


def test_ctrl_c_ends_the_player_and_the_bots(tmp_path: Path) -> None:
    env = {"TMPDIR": str(tmp_path)}
    with Terminal("play", "--bots", "1", "--nick", "Eva", "--profile", str(tmp_path / "eva"), env=env) as eva:
        eva.expect("Your turn|opens the bidding")
        assert len(running_with(f"{tmp_path}/azi-bots-")) == 1
        eva.interrupt()
        assert eva.wait() == 130
    assert "Traceback" not in eva.output
    assert not running_with(f"{tmp_path}/azi-bots-")


def test_the_lobby_lists_opens_and_practises(tmp_path: Path) -> None:
    name = f"Garden {secrets.token_hex(2)}"
    with Terminal("host", "--name", name, "--nick", "Ben", "--profile", str(tmp_path / "b")) as ben:
        ben.expect("is open")
        with Terminal("--profile", str(tmp_path / "a")) as anna:
            line = rf"(\d+)  {name} \(\w{{8}}\), free seats 3 of 4, ante 10, at 127\.0\.0\.1:\d+:\s+Ben"
            anna.expect(line)
            anna.expect("Type the number")
            anna.type("77")
            anna.expect("There is no table of that number")
            # Tables of other tests come and go, so the number is read anew from the list that it is typed for. Whoever
            # looks twice within a second may see none: nobody answers that often (RFC 6762, section 6).
            number = anna.expect(rf"{line}|No tables are open")[1]
            anna.expect("Type the number")
            while number is None:
                anna.type("")
                number = anna.expect(rf"{line}|No tables are open")[1]
                anna.expect("Type the number")
            anna.type(number)
            anna.expect("Your name at the table\\?")
            anna.type("Anna")
            anna.expect(f'Found "{name}"')
            anna.expect("You sit down as Anna")
            ben.expect("Anna \\(")
            anna.type("leave")
            anna.expect("Type the number")
            anna.type("b")
            anna.expect("A practice table on this machine")
            anna.expect("Deal 1")
            anna.type("quit")
            anna.expect("Type the number")
            anna.type("q")
            assert anna.wait() == 0


def test_the_end_of_the_input_ends_practice(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "azi_p2p", "play", "--bots", "2", "--nick", "Eva", "--profile", str(tmp_path / "eva")],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LC_ALL": "C.UTF-8", "TMPDIR": str(tmp_path)},
    )
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    assert not running_with(str(tmp_path))


def test_a_bot_that_fails_before_the_game_is_told_and_nobody_waits(tmp_path: Path) -> None:
    env = {"TMPDIR": str(tmp_path)}
    arguments = ("play", "--bots", "5", "--nick", "Eva", "--profile", str(tmp_path / "eva"))
    with Terminal(*arguments, env=env) as eva:
        eva.expect("A practice table")
        # The first bot to start is killed while its interpreter is still loading, so that a seat stays empty.
        started: list[int] = []
        while not started:
            started = running_with(f"{tmp_path}/azi-bots-")
        os.kill(started[0], signal.SIGKILL)
        eva.expect("a bot, has stopped: exit code -9")
        assert eva.wait() == 1
