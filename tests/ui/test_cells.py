"""The ground that screens are drawn on: cells, cards, styles, wrapped sentences, typed lines, keys."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prompt_toolkit.styles import Style

import azi_p2p.ui.screen
from azi_p2p.ui.names import cells, clean_chat
from azi_p2p.ui.screen.app import style_name
from azi_p2p.ui.screen.canvas import FRAMES, PLAIN_SIGNS, Canvas, plain_text
from azi_p2p.ui.screen.cards import draw_card, rank_text
from azi_p2p.ui.screen.entry import EntryLine
from azi_p2p.ui.screen.keys import TWINS, latin
from azi_p2p.ui.screen.look import DECKS, THEMES, Look, styles
from azi_p2p.ui.screen.wrap import wrapped

SOURCES = Path(azi_p2p.ui.screen.__file__).parent


def text(canvas: Canvas) -> str:
    return plain_text(canvas.rows())


@settings(derandomize=True, max_examples=300)
@given(
    st.text(max_size=30), st.integers(-2, 12), st.integers(-2, 4), st.integers(1, 10), st.none() | st.integers(0, 12)
)
def test_whatever_is_put_stays_on_the_canvas(typed: str, x: int, y: int, width: int, limit: int | None) -> None:
    canvas = Canvas(width, 3)
    canvas.put(x, y, clean_chat(typed), "strong", limit)
    for row in canvas.rows():
        assert sum(cells(run) for _, run in row) == width


def test_the_cell_behind_is_given_and_text_is_cut_at_the_edge() -> None:
    canvas = Canvas(10, 1)
    assert canvas.put(2, 0, "Eva") == 5
    assert canvas.put_right(10, 0, "x1") == 8
    assert text(canvas) == "  Eva   x1"
    canvas.put(0, 0, "0123456789abc")
    assert text(canvas) == "012345678…"


def test_wide_signs_take_two_cells_and_marks_none() -> None:
    canvas = Canvas(6, 1)
    assert canvas.put(0, 0, "王e\u0301!") == 4
    assert text(canvas) == "王e\u0301!"


def test_rows_are_runs_of_one_style() -> None:
    canvas = Canvas(6, 1)
    canvas.put(1, 0, "ab", "strong")
    assert canvas.rows() == [[("text", " "), ("strong", "ab"), ("text", "   ")]]


def test_plain_draws_one_ascii_cell_for_one_cell() -> None:
    canvas = Canvas(len(PLAIN_SIGNS), 1, plain=True)
    canvas.put(0, 0, "".join(PLAIN_SIGNS))
    assert text(canvas) == "".join(PLAIN_SIGNS.values())
    assert text(canvas).isascii()
    assert all(len(sign) == 1 for sign in PLAIN_SIGNS.values())
    assert all(sign in PLAIN_SIGNS for frame in FRAMES.values() for part in frame for sign in part)


def test_a_card_looks_like_one() -> None:
    canvas = Canvas(16, 5)
    draw_card(canvas, 0, 0, "TH", large=True)
    draw_card(canvas, 8, 1, "6S", large=False, state="won", promoted=True)
    assert text(canvas).split("\n") == ["╭─────╮", "│10   │ ╔═══╗", "│  ♥  │ ║6♠★║", "│   10│ ╚═══╝", "╰─────╯"]
    assert rank_text("AS") == "A"


@pytest.mark.parametrize("deck", DECKS)
@pytest.mark.parametrize("theme", THEMES)
def test_every_style_that_is_drawn_with_has_its_colours_in_every_theme(theme: str, deck: str) -> None:
    look = Look(theme=next(one for one in THEMES if one == theme), deck=next(one for one in DECKS if one == deck))
    known = styles(look)
    Style.from_dict({style_name(name): colours for name, colours in known.items()})
    used = set()
    for path in SOURCES.glob("*.py"):
        if path.name == "look.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                used.add(node.value)
    families = {name.partition(".")[0] for name in known}
    named = {one for one in used if re.fullmatch(r"[a-z]+\.[a-zA-Z]+(\.[a-zA-Z]+)*", one)}
    missing = {one for one in named if one.partition(".")[0] in families and one not in known}
    assert not missing


def test_without_colours_only_weight_and_reverse_are_left() -> None:
    assert not any("#" in colours for colours in styles(Look(theme="mono")).values())


def test_four_colours_tell_four_suits_apart_and_two_tell_two() -> None:
    four, two = styles(Look(deck="four")), styles(Look(deck="two"))
    assert len({four[f"face.{suit}"] for suit in "SHDC"}) == 4
    assert len({two[f"face.{suit}"] for suit in "SHDC"}) == 2


@settings(derandomize=True, max_examples=300)
@given(st.text(max_size=80), st.integers(2, 30))
def test_wrapped_lines_fit_and_lose_nothing(typed: str, width: int) -> None:
    sentence = clean_chat(typed)
    lines = wrapped(sentence, width)
    assert all(cells(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(sentence.split())


def test_a_sign_wider_than_the_line_ends_too() -> None:
    assert wrapped("王王", 1) == ["王", "王"]


def test_a_line_is_edited_where_the_cursor_stands() -> None:
    line = EntryLine("ac")
    for key in ("left", "b", "end", "d", "home", "delete", "right", "backspace"):
        assert line.press(key)
    assert (line.text, line.cursor) == ("cd", 0)
    assert not line.press("f1")
    assert not line.press("\x1b")


@settings(derandomize=True, max_examples=200)
@given(st.lists(st.text(max_size=20) | st.sampled_from(["left", "right", "backspace", "delete", "home", "end"])))
def test_whatever_is_typed_or_pasted_the_line_stays_short_and_visible(keys: list[str]) -> None:
    line = EntryLine(most=12)
    for key in keys:
        if not line.press(key):
            line.paste(key)
        assert len(line.text) <= 12
        assert 0 <= line.cursor <= len(line.text)
        assert line.text.isprintable()


def test_cyrillic_twins_are_those_of_the_keyboard() -> None:
    assert [latin(key) for key in "йцукен"] == list("qwerty")
    assert latin("Щ") == "o"
    assert latin("T") == "t"
    assert latin("page_up") == "page_up"
    assert len(set(TWINS.values())) == len(TWINS)


def test_a_wide_sign_that_is_half_written_over_leaves_no_half() -> None:
    for at in range(1, 5):
        canvas = Canvas(8, 1)
        canvas.put(0, 0, "a漢漢b")
        canvas.put(at, 0, "x")
        (row,) = canvas.rows()
        assert sum(cells(text) for _, text in row) == 8
        assert "x" in plain_text([row])
