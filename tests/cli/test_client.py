"""The client's surroundings: what the terminal can do, the address as a code, where warnings go."""

from __future__ import annotations

import asyncio
import dataclasses
import io
import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import segno

from azi_p2p.cli import linefront
from azi_p2p.cli.front import OneCleanLine, clean_log
from azi_p2p.cli.linefront import LineFront
from azi_p2p.cli.peer import PeerResult
from azi_p2p.cli.rematch import Way
from azi_p2p.cli.screenfront import LOG_FILE, ScreenFront, drawn_code
from azi_p2p.cli.terminal import has_colours, has_screen, has_unicode
from azi_p2p.crypto.identity import IdentityKey
from azi_p2p.net.errors import NetError, NetTrouble
from azi_p2p.session.view import TableView
from azi_p2p.store.profile import Profile
from azi_p2p.ui.i18n import catalogue
from azi_p2p.ui.lines import LinePlayer
from azi_p2p.ui.screen.canvas import plain_text
from azi_p2p.ui.screen.control import TableControl
from azi_p2p.ui.screen.look import Look
from azi_p2p.ui.screen.page import Page
from azi_p2p.ui.typed import TypedLines
from tests.ui.scenes import won
from tests.ui.tables import key_of, shown

WAY = Way(IdentityKey.generate(), loopback=True)


class Stream(io.StringIO):
    """Standard input or output that is a terminal, or isn't."""

    def __init__(self, *, terminal: bool, encoding: str = "utf-8") -> None:
        super().__init__()
        self._terminal = terminal
        self._named = encoding

    def isatty(self) -> bool:
        return self._terminal

    @property
    def encoding(self) -> str:  # type: ignore[override]  # a stream in memory has none
        return self._named


@pytest.fixture(autouse=True)
def usual_log() -> Iterator[None]:
    yield
    clean_log()


@pytest.mark.parametrize(
    ("typed", "shown", "term", "screen"),
    [
        (True, True, "xterm-256color", True),
        (True, True, "linux", True),
        (True, True, "dumb", False),
        (True, True, "", sys.platform == "win32"),
        (False, True, "xterm", False),
        (True, False, "xterm", False),
    ],
)
def test_the_full_screen_needs_a_terminal_that_moves_its_cursor(
    monkeypatch: pytest.MonkeyPatch, typed: bool, shown: bool, term: str, screen: bool
) -> None:
    monkeypatch.setattr(sys, "stdin", Stream(terminal=typed))
    monkeypatch.setattr(sys, "stdout", Stream(terminal=shown))
    monkeypatch.setenv("TERM", term)
    assert has_screen() is screen


@pytest.mark.parametrize(
    ("encoding", "locale", "unicode"),
    [
        ("utf-8", "ru_RU.UTF-8", True),
        ("utf-8", "C.UTF-8", True),
        ("utf-8", "", True),
        ("utf-8", "C", False),
        ("utf-8", "POSIX", False),
        ("iso8859-1", "de_DE", False),
        ("koi8-r", "ru_RU.KOI8-R", False),
    ],
)
def test_signs_outside_of_ascii_need_utf_8(
    monkeypatch: pytest.MonkeyPatch, encoding: str, locale: str, unicode: bool
) -> None:
    monkeypatch.setattr(sys, "stdout", Stream(terminal=True, encoding=encoding))
    for name in ("LC_ALL", "LC_CTYPE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", locale)
    assert has_unicode() is unicode


def test_colours_can_be_declined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert not has_colours()
    monkeypatch.setenv("NO_COLOR", "")
    assert has_colours()


@pytest.mark.parametrize(
    "text", ["azi join 127.0.0.1:1", "azi join 192.168.100.200:65535", "azi join [fe80::1%eth0]:4"]
)
def test_the_drawn_code_has_every_module_in_its_place_and_fits_the_sheet(text: str) -> None:
    rows = drawn_code(text)
    modules = []
    for row in rows:
        modules.append([sign in "▀█" for sign in row])
        modules.append([sign in "▄█" for sign in row])
    wanted = [[bool(module) for module in row] for row in segno.make_qr(text, error="l").matrix_iter(border=2)]
    assert modules[: len(wanted)] == wanted
    assert not any(any(row) for row in modules[len(wanted) :])
    assert len(rows) <= 17
    assert max(map(len, rows)) <= 40


class Shown:
    """In place of the screen: it keeps what is shown and how often the bell rang."""

    def __init__(self) -> None:
        self.pages: list[Page] = []

    def show(self, page: Page) -> None:
        self.pages.append(page)

    def ring(self) -> None:
        """Nobody hears it."""


@pytest.fixture
def front(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScreenFront]:
    with Profile.open(tmp_path / "eva") as profile:
        front = ScreenFront(catalogue("en"), profile, Look())
        monkeypatch.setattr(front, "_screen", Shown())
        yield front


def page_text(front: ScreenFront) -> str:
    return plain_text(front.screen.pages[-1].draw(80, 24, 0.0).rows())  # type: ignore[attr-defined]  # it is Shown


def test_a_warning_is_one_clean_line_on_the_page_and_in_a_file(
    front: ScreenFront, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    front.begin_log()
    assert isinstance(front.player(bytes(32), practice=True), TableControl)
    trouble = ValueError("disk \x1b[2J full")
    logging.getLogger("azi.test").warning("something\nfailed", exc_info=trouble)
    logging.getLogger("azi.test").info("nobody needs to know")
    line = "something failed: ValueError('disk \\x1b[2J full')"
    assert line in page_text(front)
    assert (tmp_path / "eva" / LOG_FILE).read_text(encoding="utf-8") == line + "\n"
    assert capsys.readouterr() == ("", ""), "the terminal belongs to the screen"


def test_a_warning_with_a_reason_is_told_in_the_language_of_the_person() -> None:
    records = logging.getLogger("azi.test")
    record = records.makeRecord(
        "azi.test", logging.WARNING, "", 0, "%s", (NetError(NetTrouble.NO_MULTICAST, reason=OSError(19, "none")),), None
    )
    assert (
        OneCleanLine(catalogue("af")).format(record).startswith("tafels kan hier nie vanself gevind word nie (daar is")
    )
    assert OneCleanLine().format(record).startswith("tables can't be found by themselves here (none)")


def test_what_is_said_before_there_is_a_table_is_a_page_of_its_own(front: ScreenFront) -> None:
    front.say("Looking for the table …")
    assert "Looking for the table …" in page_text(front)
    front.screen.pages[-1].press("escape")  # type: ignore[attr-defined]  # it is Shown
    assert front._cancelled.is_set()


def test_who_hears_of_no_next_table_is_told_the_address_of_its_founder(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nothing(view: TableView, seconds: float, way: Way, founder: str) -> None:
        """As where mDNS doesn't get through."""

    async def run() -> None:
        monkeypatch.setattr(linefront, "typed_lines", lambda: TypedLines(io.BytesIO()))
        front = LineFront(catalogue("en"))
        player = front.player(key_of(0), practice=False)
        assert isinstance(player, LinePlayer)
        player.again, player.last_view = True, dataclasses.replace(shown(won()), founder=False)
        monkeypatch.setattr(linefront, "next_of", nothing)
        result = PeerResult(bytes(32), None, True, 1, b"", (), (), founder="192.168.1.20:41234")
        await front.part(result, practice=False, way=WAY)
        assert front.again is None

    asyncio.run(run())
    assert "azi join 192.168.1.20:41234" in " ".join(capsys.readouterr().out.split())


def test_line_mode_says_where_the_ledger_is_unless_data_is_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    result = PeerResult(bytes(32), Path("/x/game.azi"), True, 1, b"", (), ())
    asyncio.run(LineFront(catalogue("en")).part(result, practice=False, way=WAY))
    assert "/x/game.azi" in capsys.readouterr().out
    asyncio.run(LineFront(catalogue("en"), quiet=True).part(result, practice=False, way=WAY))
    out, err = capsys.readouterr()
    assert not out
    assert "/x/game.azi" in err
    asyncio.run(LineFront(catalogue("en"), quiet=True, ledger=False).part(result, practice=False, way=WAY))
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("practice", "answer"), [(True, "There is a hint only while"), (False, "does nothing here")])
def test_the_screen_gives_hints_in_practice_and_never_at_a_table_with_people(
    front: ScreenFront, practice: bool, answer: str
) -> None:
    front.player(bytes(32), practice=practice)
    front.screen.pages[-1].press("i")  # type: ignore[attr-defined]  # it is Shown
    assert answer in page_text(front)


@pytest.mark.parametrize(
    ("practice", "answer"), [(True, "There is a hint only while"), (False, "There are hints in practice only")]
)
def test_line_mode_gives_hints_in_practice_and_never_at_a_table_with_people(
    practice: bool, answer: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linefront, "typed_lines", lambda: TypedLines(io.BytesIO()))
    player = LineFront(catalogue("en")).player(bytes(32), practice=practice)
    assert isinstance(player, LinePlayer)
    player.typed("hint")
    assert answer in capsys.readouterr().out
