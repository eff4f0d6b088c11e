"""Line mode has what the full screen has: hints, playing on, the language that is set. On real pseudo-terminals."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path

import pytest

from tests.e2e.terminal import Terminal, play_a_deal

pytestmark = [pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal"), pytest.mark.timeout(240)]


def test_practice_in_lines_gives_hints_and_goes_on_when_that_was_said(tmp_path: Path) -> None:
    arguments = ("play", "--plain", "--bots", "1", "--deals", "1", "--nick", "Eva", "--profile", str(tmp_path))
    with Terminal(*arguments) as eva:
        eva.expect("Your turn to ")
        eva.type("again")
        eva.expect("you play on at another one")
        eva.type("hint")
        eva.expect("Hint: ")
        eva.type("proofs")
        eva.expect(r"You: made by your program in \d+ ms")
        eva.expect(r"Ben: checked in \d+ ms")
        eva.type("")
        play_a_deal(eva)
        eva.expect("The record of the game is")
        eva.expect("Deal 1")
        eva.expect("Your turn to ")
        eva.type("quit")
        assert eva.wait() == 0
    assert len(list((tmp_path / "ledgers").glob("*.azi"))) == 2


def test_the_line_lobby_sets_and_speaks_the_language_of_the_profile(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "settings.toml").write_text('nickname = "Eva"\nlanguage = "af"\n', encoding="utf-8")
    with Terminal("--plain", "--profile", str(tmp_path)) as eva:
        eva.expect("Soek tafels")
        eva.expect("om te loop")
        eva.type("o language ru")
        eva.expect("ru\n")
        eva.expect("выйти")
        eva.type("o")
        eva.expect("language = ru")
        eva.expect("выйти")
        eva.type("q")
        assert eva.wait() == 0


@pytest.mark.parametrize("code", [(), ("--code", "red cat 7")], ids=["open", "private"])
def test_two_people_who_said_again_meet_at_the_next_table(tmp_path: Path, code: tuple[str, ...]) -> None:
    name = f"Kitchen {secrets.token_hex(2)}"
    host = ("host", "--plain", "--name", name, "--seats", "2", "--deals", "1", "--nick", "Anna", *code)
    join = ("join", name, "--plain", "--nick", "Ben", "--wait", "60", *code)
    with (
        Terminal(*host, "--profile", str(tmp_path / "a")) as anna,
        Terminal(*join, "--profile", str(tmp_path / "b")) as ben,
    ):
        people = {"Anna": anna, "Ben": ben}
        for one in people.values():
            one.expect("The table is complete")
            one.type("again")
            one.expect("you play on at another one")
        opens = anna.expect("(You open|Ben opens) the bidding")[1] == "You open"
        opener, other = (anna, ben) if opens else (ben, anna)
        opener.expect("Your turn to bid")
        opener.type("1")
        other.expect("Your turn to bid")
        other.type("fold")
        ben.expect("Waiting for the one who opened this table")
        ben.expect(f'Found "{name}"; sitting down')
        for one in people.values():
            one.expect("The table is complete")
            one.expect("opens? the bidding")
    assert len(list((tmp_path / "a" / "ledgers").glob("*.azi"))) == 2
