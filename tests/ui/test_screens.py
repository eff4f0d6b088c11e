"""Every scene of a table on screens of every size and language, as a terminal shows it.

The pictures stand in `screens/`, a file for each size and language; `python -m tests.ui.test_screens` writes them anew,
and what has changed is to be looked at before it is kept.
"""

from __future__ import annotations

import asyncio
import io
from pathlib import Path

import pyte
import pytest
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

from azi_p2p.ui.i18n import LANGUAGES
from azi_p2p.ui.names import cells
from azi_p2p.ui.screen.app import FullScreen
from azi_p2p.ui.screen.canvas import Row, plain_text
from azi_p2p.ui.screen.look import THEMES, Look, styles
from azi_p2p.ui.screen.tablepage import LEAST
from tests.ui.scenes import SCENES, Person

PICTURES = Path(__file__).parent / "screens"
QUIET = Look(lively=False)
PLAIN = Look(lively=False, plain=True)
FEW = ("bidding", "playing", "deal won", "azi", "gathering, founder", "table ended", "menu")
"""Scenes that are drawn in other sizes too."""

SETS: dict[str, tuple[str, Look, tuple[int, int], tuple[str, ...]]] = {
    **{f"{language}-80x24": (language, QUIET, LEAST, tuple(SCENES)) for language in LANGUAGES},
    "en-80x24-ascii": ("en", PLAIN, LEAST, FEW),
    "ru-80x24-ascii": ("ru", PLAIN, LEAST, FEW),
    "en-100x30": ("en", QUIET, (100, 30), FEW),
    "en-200x60": ("en", QUIET, (200, 60), FEW),
}
"""For each file of pictures: language, look, size, scenes."""


def drawn(name: str) -> dict[str, list[Row]]:
    """The scenes of a set, drawn."""
    language, look, size, scenes = SETS[name]
    return {scene: SCENES[scene](language, look).rows(*size) for scene in scenes}


def album(pictures: dict[str, list[Row]]) -> str:
    """Pictures one under another, as a file holds them."""
    return "\n".join(f"==== {scene}\n{plain_text(rows)}" for scene, rows in pictures.items()) + "\n"


@pytest.mark.parametrize("name", SETS)
def test_screens_look_as_they_did(name: str) -> None:
    assert album(drawn(name)) == (PICTURES / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SETS)
def test_rows_fill_the_screen_exactly(name: str) -> None:
    width, height = SETS[name][2]
    for scene, rows in drawn(name).items():
        assert len(rows) == height, scene
        for row in rows:
            assert sum(cells(text) for _, text in row) == width, scene


@pytest.mark.parametrize("size", [LEAST, (100, 30), (133, 40), (200, 60), (80, 60), (200, 24)], ids=str)
@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_fit(language: str, size: tuple[int, int]) -> None:
    for scene, make in SCENES.items():
        text = plain_text(make(language, QUIET).rows(*size))
        # The one that is meant ends a sentence and stands alone; a text that was cut ends within a word.
        assert "…" not in text.replace(" …", ""), f"{scene}: something was cut\n{text}"


@pytest.mark.parametrize("theme", THEMES)
def test_every_style_has_its_colours(theme: str) -> None:
    known = styles(Look(theme=next(one for one in THEMES if one == theme))).keys()
    used = {style for name in SETS for rows in drawn(name).values() for row in rows for style, _ in row}
    assert used <= known


@pytest.mark.parametrize("name", ["en-80x24-ascii", "ru-80x24-ascii"])
def test_ascii_screens_hold_nothing_but_ascii_and_letters(name: str) -> None:
    for scene, rows in drawn(name).items():
        strange = {char for char in plain_text(rows) if not char.isascii() and not char.isalpha()}
        assert not strange, scene


@pytest.mark.parametrize("size", [(79, 24), (80, 23), (20, 5), (3, 2), (1, 1)], ids=str)
@pytest.mark.parametrize("language", LANGUAGES)
def test_too_small_a_terminal_says_so(language: str, size: tuple[int, int]) -> None:
    person = SCENES["bidding"](language, QUIET)
    rows = person.rows(*size)
    assert len(rows) == size[1]
    if size[0] > 20:
        assert "80" in plain_text(rows)


def on_terminal(person: Person, size: tuple[int, int]) -> tuple[list[str], str]:
    """What a terminal shows of a page that comes through prompt-toolkit, and the bytes that came."""
    output = io.StringIO()

    async def show() -> None:
        with create_pipe_input() as keys:
            terminal = Vt100_Output(output, lambda: Size(size[1], size[0]), term="xterm-256color")
            screen = FullScreen(QUIET, input=keys, output=terminal, clock=lambda: person.now)
            painted = asyncio.Event()
            screen.after_drawing(painted.set)

            async def main() -> int:
                screen.show(person.page)
                await painted.wait()
                display.feed(output.getvalue())
                return 0

            await screen.run(main())

    grid = pyte.Screen(*size)
    display = pyte.Stream(grid)
    asyncio.run(show())
    return [line.rstrip() for line in grid.display], output.getvalue()


@pytest.mark.parametrize("name", ["en-80x24", "ru-80x24-ascii", "en-100x30", "en-200x60"])
def test_a_terminal_shows_what_was_drawn(name: str) -> None:
    language, look, size, _ = SETS[name]
    for scene in FEW:
        lines, sent = on_terminal(SCENES[scene](language, look), size)
        wanted = plain_text(SCENES[scene](language, look).rows(*size)).split("\n")
        assert lines == wanted, scene
        assert sent.endswith("\x1b[?25h"), "the cursor is back"
        assert "\x1b[?1049l" in sent, "the other buffer is left"


def write_pictures() -> None:
    """Draw all sets anew into `screens/`."""
    PICTURES.mkdir(exist_ok=True)
    for name in SETS:
        (PICTURES / f"{name}.txt").write_text(album(drawn(name)), encoding="utf-8")


if __name__ == "__main__":
    write_pictures()
