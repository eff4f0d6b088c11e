"""A whole deal by keys in a real terminal, and that terminal afterwards."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from tests.e2e.screen import play_a_deal
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
