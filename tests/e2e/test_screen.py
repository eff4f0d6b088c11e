"""The full-screen client by its keys, on real pseudo-terminals, with real processes, over loopback."""

from __future__ import annotations

import json
import os
import re
import secrets
import signal
import subprocess
import sys
import termios
import textwrap
from pathlib import Path

import pytest

from azi_p2p.ui.i18n import catalogue
from tests.e2e.screen import TURN, FullScreen, play_a_deal, step
from tests.e2e.terminal import Terminal, running_with

pytestmark = [pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal"), pytest.mark.timeout(240)]


def practice(tmp_path: Path, *more: str, bots: int = 1, language: str = "en") -> list[str]:
    """The command line of a practice table."""
    settings = tmp_path / "eva"
    settings.mkdir(mode=0o700, exist_ok=True)
    (settings / "settings.toml").write_text("animations = false\n", encoding="utf-8")
    return ["play", "--bots", str(bots), "--nick", "Eva", "--profile", str(settings), "--lang", language, *more]


def verdict(profile: Path) -> dict[str, object]:
    """What `azi verify` says of the only ledger in a profile."""
    (ledger,) = (profile / "ledgers").glob("*.azi")
    check = subprocess.run(
        [sys.executable, "-m", "azi_p2p", "verify", str(ledger), "--json"], capture_output=True, text=True, check=False
    )
    found: dict[str, object] = json.loads(check.stdout)
    return found


def test_a_whole_deal_by_keys_against_three_bots(tmp_path: Path) -> None:
    with FullScreen(*practice(tmp_path, bots=3), env={"TMPDIR": str(tmp_path)}) as eva:
        eva.shows("Trump .")
        eva.shows("Fair: 4/4 shuffles proven, yours too")
        over = play_a_deal(eva)
        assert "Chips now" in over
        eva.press("enter")
        eva.press("l")
        eva.shows("Chips now: you ")
        eva.press("page_up", "page_up", "page_up", "page_up", "page_up", "page_up")
        eva.shows("The table is complete: you, ")
        eva.press("escape")
        eva.shows_no("scroll")
        eva.press("p")
        eva.shows("Each seat mixed the masked cards")
        eva.press("escape")
        eva.shows_no("Each seat mixed")
        eva.press("q")
        eva.shows("Leave this table")
        eva.press("1", "enter")
        assert eva.wait() == 0
        assert eva.is_restored()
    assert not running_with(f"{tmp_path}/azi-bots-"), "the bots end with the player"
    assert verdict(tmp_path / "eva")["valid"]


def test_four_cards_and_a_table_that_ends(tmp_path: Path) -> None:
    with FullScreen(*practice(tmp_path, "--hand-size", "4", "--deals", "1")) as eva:
        eva.shows("Lay one card aside")
        eva.press("4")
        eva.shows("▲")
        eva.press("enter")
        play_a_deal(eva)
        leave_ended_table(eva)
        assert eva.wait() == 0
        assert eva.is_restored()


def test_no_key_acts_unseen_in_a_window_that_is_too_small(tmp_path: Path) -> None:
    with FullScreen(*practice(tmp_path), "--ante", "10") as eva:
        eva.shows(TURN)
        eva.resize(60, 20)
        eva.shows("This window has 60 by 20")
        eva.press("1", "enter", "right", "enter", "q", "1", "enter")
        eva.paste("1")
        eva.resize(80, 24)
        eva.shows(TURN)
        assert "▶1" not in eva.text
        eva.press("l")
        log = eva.shows("(?s)log ─.*")[0]
        assert not re.search(r" You (call|check|bid|play|fold|raise)", log)
        eva.press("escape")
        eva.resize(60, 20)
        eva.shows("until then no key")
        eva.press("interrupt")
        eva.press("interrupt")
        assert eva.wait() == 0
        assert eva.is_restored()


def test_a_paste_that_never_ends_leaves_control_c(tmp_path: Path) -> None:
    with FullScreen(*practice(tmp_path)) as eva:
        eva.shows(TURN)
        os.write(eva.master, b"\x1b[200~" + b"x" * 20_000)
        eva.press("1", "enter", "t")
        eva.press("interrupt")
        eva.shows("Leave this table")
        eva.press("interrupt")
        assert eva.wait() == 0
        assert eva.is_restored()


def leave_ended_table(screen: FullScreen) -> None:
    """Close the sheet about the last deal, if it is open, then the one with the standings."""
    while "Enter: leave the table" not in (before := screen.settled_text()):
        if "any key: close" in before:
            screen.press("x")  # a key that does nothing to the standings, which may have come meanwhile
        screen.change(before)
    screen.shows(r"1\. ")
    screen.press("enter")


def test_two_clients_find_each_other_by_mdns_and_play_a_deal(tmp_path: Path) -> None:
    name = f"Kitchen {secrets.token_hex(3)}"
    host = ("host", "--seats", "2", "--name", name, "--deals", "1", "--nick", "Eva", "--profile", str(tmp_path / "eva"))
    with (
        FullScreen(*host, "--lang", "en") as eva,
        FullScreen("--profile", str(tmp_path / "ben"), "--lang", "en", columns=100, rows=30) as ben,
    ):
        ben.shows("What shall the others call you")
        ben.press(*["backspace"] * 24, *"Ben", "enter")
        number = ben.shows(rf"(\d)  {name}")[1]
        ben.press(number)
        ben.shows(rf"▶ {number}  {name}")
        ben.press("enter")
        eva.shows("Trump .")
        ben.shows("Trump .")
        while not all(re.search("is over|has ended", screen.settled_text()) for screen in (eva, ben)):
            for screen in (eva, ben):
                step(screen)
        leave_ended_table(eva)
        leave_ended_table(ben)
        assert eva.wait() == 0
        ben.shows("tables? on this network|No table|Looking for tables|Azi · tables")
        ben.press("q")
        assert ben.wait() == 0
        assert eva.is_restored()
        assert ben.is_restored()
    assert verdict(tmp_path / "eva")["complete"]
    assert verdict(tmp_path / "ben")["complete"]


def to_the_standings(*screens: FullScreen) -> None:
    """Play on all of these screens until each shows how the table has ended."""
    while not all("Enter: leave the table" in screen.settled_text() for screen in screens):
        for screen in screens:
            before = screen.settled_text()
            if "any key: close" in before:
                screen.press("x")  # means nothing to the last sheet, which may come up at this moment
                screen.change(before)
            elif "Enter: leave the table" not in before:
                step(screen)


def profiles(tmp_path: Path) -> list[Path]:
    """The folders of two people who have names already, and whose screens stand still."""
    people = [tmp_path / "eva", tmp_path / "ben"]
    for folder in people:
        folder.mkdir(mode=0o700)
        (folder / "settings.toml").write_text(
            f'nickname = "{folder.name.title()}"\nanimations = false\n', encoding="utf-8"
        )
    return people


def test_the_same_people_play_on_with_one_key_each(tmp_path: Path) -> None:
    name = f"Kitchen {secrets.token_hex(3)}"
    people = profiles(tmp_path)
    host = ("host", "--seats", "2", "--name", name, "--deals", "1", "--profile", str(people[0]), "--lang", "en")
    with (
        FullScreen(*host) as eva,
        FullScreen("join", name, "--wait", "60", "--profile", str(people[1]), "--lang", "en") as ben,
    ):
        eva.shows("Trump .")
        ben.shows("Trump .")
        to_the_standings(eva, ben)
        eva.shows("r: play on")
        eva.press("r")
        ben.shows(f"Press r to play on with the same people: {name} is open")
        ben.press("r")
        for screen in (eva, ben):
            screen.shows("Trump .")
            screen.shows("deal 1 ")
        to_the_standings(eva, ben)
        eva.press("enter")
        ben.press("enter")
        assert eva.wait() == 0
        assert ben.wait() == 0
        assert eva.is_restored()
        assert ben.is_restored()
    for folder in people:
        assert len(list((folder / "ledgers").glob("*.azi"))) == 2


def test_the_same_people_play_on_where_nothing_is_announced(tmp_path: Path) -> None:
    """As where multicast doesn't get through: one has typed an address once, and types nothing for the next table."""
    people = profiles(tmp_path)
    host = ("host", "--private", "--seats", "2", "--deals", "1", "--profile", str(people[0]), "--lang", "en")
    with FullScreen(*host) as eva:
        address = eva.shows(r"127\.0\.0\.1:\d+")[0]
        with FullScreen("join", address, "--private", "--profile", str(people[1]), "--lang", "en") as ben:
            to_the_standings(eva, ben)
            ben.shows("it is offered here")
            eva.press("r")
            ben.shows("Press r to play on with the same people")
            ben.press("r")
            for screen in (eva, ben):
                screen.shows("Trump .")
            to_the_standings(eva, ben)
            eva.press("enter")
            ben.press("enter")
            assert eva.wait() == 0
            assert ben.wait() == 0
    for folder in people:
        assert len(list((folder / "ledgers").glob("*.azi"))) == 2


def test_practice_gives_hints_and_goes_on_with_one_key(tmp_path: Path) -> None:
    with FullScreen(*practice(tmp_path, "--deals", "1", bots=2)) as eva:
        eva.shows(TURN)
        eva.press("i")
        eva.shows("Hint: ")
        eva.press("escape")
        eva.shows(TURN)
        to_the_standings(eva)
        eva.press("r")
        eva.shows("Trump .")
        eva.press("q")
        eva.shows("Leave this table")
        eva.press("1", "enter")
        assert eva.wait() == 0
        assert eva.is_restored()


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)],
    ids=str,
)
def test_a_signal_ends_it_and_the_terminal_is_as_it_was(tmp_path: Path, number: signal.Signals, code: int) -> None:
    with FullScreen(*practice(tmp_path)) as eva:
        eva.shows("Trump .")
        assert not eva.is_restored()
        eva.process.send_signal(number)
        assert eva.wait() == code
        assert eva.is_restored()
        assert b"Traceback" not in eva.output


def test_a_signal_in_the_lobby(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text('nickname = "Eva"\n', encoding="utf-8")
    tmp_path.chmod(0o700)
    with FullScreen("--profile", str(tmp_path), "--lang", "en") as eva:
        eva.shows("open a table")
        eva.process.send_signal(signal.SIGTERM)
        assert eva.wait() == 143
        assert eva.is_restored()


def test_who_was_stopped_by_force_has_the_terminal_again_afterwards(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "settings.toml").write_text('nickname = "Eva"\n', encoding="utf-8")
    with FullScreen("--profile", str(tmp_path), "--lang", "en") as eva:
        eva.shows("open a table")
        taken = termios.tcgetattr(eva.master)
        eva.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, eva.process.pid, os.WSTOPPED)
        termios.tcsetattr(eva.master, termios.TCSANOW, eva.before)
        eva.take(b"\x1b[?1049l\x1b[?25h\x1b[2J$ fg\r\n")
        eva.process.send_signal(signal.SIGCONT)
        eva.shows("open a table")
        assert "$ fg" not in eva.text
        eva.until(lambda: termios.tcgetattr(eva.master) == taken, "keys don't come one by one")
        eva.press("?")
        eva.shows("Any key goes back")
        eva.press("x", "q")
        assert eva.wait() == 0
        assert eva.is_restored()


@pytest.mark.parametrize("nickname", ["5", '""', "[]", f'"{"a" * 25}"'])
def test_a_name_in_the_settings_that_can_not_be_one_is_told_in_a_line(tmp_path: Path, nickname: str) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "settings.toml").write_text(f"nickname = {nickname}\n", encoding="utf-8")
    with FullScreen("--profile", str(tmp_path), "--lang", "en", columns=200) as eva:
        assert eva.wait() == 1
        assert eva.is_restored()
        assert re.search(r"azi: the nickname in .*settings.toml can.t be one: a name has\s+1 to 24", eva.text)
        assert b"Traceback" not in eva.output


def test_a_fault_of_our_own_gives_the_terminal_back(tmp_path: Path) -> None:
    program = textwrap.dedent("""
        import asyncio
        from azi_p2p.ui.screen.app import FullScreen
        from azi_p2p.ui.screen.canvas import Canvas
        from azi_p2p.ui.screen.look import Look
        from azi_p2p.ui.screen.page import PlainPage

        class Broken(PlainPage):
            def draw(self, width, height, now):
                canvas = Canvas(width, height)
                canvas.put(0, 0, "press a key")
                return canvas

            def press(self, key):
                raise RuntimeError("our own fault")

        async def main(screen):
            screen.show(Broken())
            await asyncio.Event().wait()

        screen = FullScreen(Look())
        asyncio.run(screen.run(main(screen)))
    """)
    with FullScreen(program=("-c", program)) as broken:
        broken.shows("press a key")
        broken.press("x")
        assert broken.wait() == 1
        assert broken.is_restored()
        assert b"RuntimeError: our own fault" in broken.output


def test_the_size_may_change_at_any_moment(tmp_path: Path) -> None:
    with FullScreen(*practice(tmp_path, bots=2), columns=100, rows=30) as eva:
        eva.shows("Trump .")
        eva.resize(40, 12)
        eva.shows(r"the\s+game\s+needs")
        eva.resize(200, 60)
        eva.shows("Trump .")
        eva.shows("menu")
        eva.resize(80, 24)
        eva.shows("Trump .")
        eva.press("?")
        eva.shows("pick a card or a choice")


def test_pasted_garbage_acts_nowhere_and_is_said_only_when_it_is_sent(tmp_path: Path) -> None:
    with FullScreen(*practice(tmp_path)) as eva:
        eva.shows("Trump .")
        eva.paste("1\rq\r1\r" * 200 + "\x1b[2J")
        eva.press("t")
        eva.shows("Say:")
        eva.paste("hello\x1b]0;x\x07 \u202etable\n")
        eva.shows("Say: hello")
        eva.press("enter")
        eva.shows("You say: hello")
        assert eva.process.poll() is None


def test_line_mode_by_option_and_on_a_dumb_terminal(tmp_path: Path) -> None:
    with Terminal(*practice(tmp_path), env={"TERM": "dumb"}) as eva:
        eva.expect("Type help at any time")
        eva.type("quit")
        assert eva.wait() == 0
    with Terminal(*practice(tmp_path), "--plain", env={"TERM": "xterm"}) as eva:
        eva.expect("Type help at any time")
        eva.type("quit")
        assert eva.wait() == 0


def test_without_colours_nothing_is_coloured(tmp_path: Path) -> None:
    with FullScreen(*practice(tmp_path), env={"NO_COLOR": "1"}) as eva:
        eva.shows("Trump .")
        assert b"38;5" not in eva.output
        assert b"38;2" not in eva.output
        assert b"48;5" not in eva.output


def test_from_the_lobby_to_practice_and_back_and_into_another_language(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "settings.toml").write_text('nickname = "Eva"\nlanguage = "en"\n', encoding="utf-8")
    with FullScreen("--profile", str(tmp_path), env={"LC_ALL": "af_ZA.UTF-8", "PYTHONUTF8": "1"}) as eva:
        eva.shows("tables on this network")
        eva.press("и")
        eva.shows("Bots sit down")
        eva.press("left", "left", "enter")
        eva.shows("Trump .")
        eva.press("й")
        eva.shows("Leave this table")
        eva.press("1", "enter")
        eva.shows("tables on this network")
        eva.press("o")
        eva.shows("where you can edit")
        eva.press("down", "4", "enter")
        eva.shows("столы в этой сети")
        eva.press("q")
        assert eva.wait() == 0
        assert eva.is_restored()
    assert 'language = "ru"' in (tmp_path / "settings.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("language", ["af", "en", "ru"])
def test_ascii_draws_letters_and_ascii_only(tmp_path: Path, language: str) -> None:
    with FullScreen(*practice(tmp_path, "--ascii", language=language)) as eva:
        eva.shows(r"[A-Z]|\d")
        eva.shows(r"\|(A|K|Q|J|10|9|8|7|6)[ ^*]")
        eva.shows(catalogue(language).text("screen.foot.help"))
        odd = {sign for sign in eva.text if not (sign.isascii() or sign.isalpha())}
        assert not odd


@pytest.mark.long
def test_twenty_deals_by_keys_to_the_end_of_the_table(tmp_path: Path) -> None:
    with FullScreen(*practice(tmp_path, "--deals", "20", bots=2)) as eva:
        while "Enter: leave the table" not in (before := eva.settled_text()):
            if "any key: close" in before:
                eva.press("x")
                eva.change(before)
            else:
                step(eva)
        leave_ended_table(eva)
        assert eva.wait() == 0
        assert eva.is_restored()
    found = verdict(tmp_path / "eva")
    assert found["complete"]
    assert isinstance(found["deals"], int)
    assert found["deals"] >= 20


def test_who_is_killed_comes_back_to_the_seat_by_starting_azi_again(tmp_path: Path) -> None:
    name = f"Kitchen {secrets.token_hex(3)}"
    people = profiles(tmp_path)
    host = ("host", "--seats", "2", "--name", name, "--turn-seconds", "600", "--profile", str(people[0]))
    with FullScreen(*host, "--lang", "en") as eva:
        with FullScreen("join", name, "--wait", "60", "--profile", str(people[1]), "--lang", "en") as ben:
            ben.shows("Trump .")
            eva.shows("Trump .")
            ben.process.kill()
            ben.process.wait()
        eva.shows("out of reach")
        with FullScreen("--profile", str(people[1]), "--lang", "en") as ben:
            ben.shows("Trump .")
            eva.shows_no(r"│ out of reach")
            while not all(re.search("Deal 1 is over", screen.settled_text()) for screen in (eva, ben)):
                for screen in (eva, ben):
                    step(screen)


def test_a_terminal_that_is_closed_ends_the_game_and_its_bots(tmp_path: Path) -> None:
    with FullScreen(*practice(tmp_path, bots=2), env={"TMPDIR": str(tmp_path)}) as eva:
        eva.shows("Trump .")
        assert running_with(f"{tmp_path}/azi-bots-")
        eva.hang_up()
        assert eva.process.wait(60) in {1, 129}
    assert not running_with(f"{tmp_path}/azi-bots-")
