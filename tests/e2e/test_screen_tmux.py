"""A whole deal by keys in a real terminal, and that terminal afterwards."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from pathlib import Path

import pytest

from tests.e2e.screen import play_a_deal
from tests.e2e.terminal import running_with
from tests.e2e.tmux import MISSING, Tmux

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal as on POSIX"),
    pytest.mark.skipif(MISSING, reason="needs tmux"),
    pytest.mark.timeout(240),
]


def test_a_whole_deal_by_keys_under_tmux(tmp_path: Path) -> None:
    profile = tmp_path / "eva"
    profile.mkdir(mode=0o700)
    (profile / "settings.toml").write_text("animations = false\n", encoding="utf-8")
    game = shlex.join(
        [sys.executable, "-m", "azi_p2p", "play", "--bots", "1", "--nick", "Eva", "--profile", str(profile)]
    )
    with Tmux(
        f"{game}; echo it ended with $?; stty -a; exec cat", str(tmp_path / "s"), env={"TMPDIR": str(tmp_path)}
    ) as eva:
        eva.shows("Trump .")
        assert eva.state("alternate_on") == "1"
        assert eva.state("cursor_flag") == "0"
        assert "Chips now" in play_a_deal(eva)
        eva.press("enter")
        eva.press("?")
        eva.shows("pick a card or a choice")
        eva.press("escape")
        eva.press("q")
        eva.shows("Leave this table")
        eva.press("1", "enter")
        eva.shows("it ended with 0")
        eva.shows(r"(?m)(^|\s)icanon")
        eva.shows(r"(?m)(^|\s)echo")
        assert eva.state("alternate_on") == "0"
        assert eva.state("cursor_flag") == "1"


def test_who_stops_it_for_a_while_has_the_terminal_meanwhile_and_the_table_afterwards(tmp_path: Path) -> None:
    profile = tmp_path / "eva"
    profile.mkdir(mode=0o700)
    (profile / "settings.toml").write_text('nickname = "Eva"\nlanguage = "en"\n', encoding="utf-8")
    lobby = shlex.join([sys.executable, "-m", "azi_p2p", "--profile", str(profile)])
    with Tmux("exec sh -i", str(tmp_path / "s"), env={"TMPDIR": str(tmp_path)}) as eva:
        eva.press(lobby, "enter")
        eva.shows("open a table")
        (client,) = running_with(str(profile))
        os.kill(client, signal.SIGTSTP)
        eva.shows("(?i)stopped")
        assert eva.state("alternate_on") == "0"
        assert eva.state("cursor_flag") == "1"
        eva.press("clear; stty -a", "enter")
        eva.shows(r"(?m)(^|\s)icanon")
        eva.press("fg; echo it ended with $?", "enter")
        eva.shows("open a table")
        assert eva.state("cursor_flag") == "0"
        eva.press("?")
        eva.shows("Any key goes back")
        eva.press("x", "q")
        eva.shows("it ended with 0")
        assert eva.state("alternate_on") == "0"
