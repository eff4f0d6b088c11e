"""Other people's names and words can't harm or deceive a terminal."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prompt_toolkit.utils import get_cwidth

from azi_p2p.ui.names import NAME_CELLS, cells, clean_chat, clean_name, cleaned, cut


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("Ben", "Ben"),
        ("Катя", "Катя"),
        ("Anele van der Merwe", "Anele van der M…"),
        ("O'Brien-2", "O'Brien-2"),
        ("李小龙", "李小龙"),
        ("Zoe\u0308", "Zoë"),
        ("\x1b[2J\x1b[31mBen", "[2J[31mBen"),
        ("Ben\x9b31m", "Ben31m"),
        ("Be\u202en", "Ben"),
        ("Be\u2066n\u2069", "Ben"),
        ("B\u200be\u200dn\ufeff", "Ben"),
        ("Ben\u00a0\u2003\u3000Ben", "Ben Ben"),
        ("Ben\u3164", "Ben"),
        ("\u2800\u2800", "?"),
        ("\u200b", "?"),
        ("", "?"),
        ("  Ben \r\n ", "Ben"),
        ("Ben\U000e0041", "Ben"),
        ("B" + "\u0301" * 40 + "en", "B\u0301\u0301en"),
        ("Ben\ufe0f", "Ben"),
        ("Ben \U0001f0a1", "Ben"),
        ("\ue000Ben\U0010ffff", "Ben"),
        ("\u1112\u1161\u11ab", "\ud55c"),
        ("\u1161\u11abBen\u1161", "Ben"),
        ("\u1161" * 24, "?"),
        ("Ben \U0001d360", "Ben"),
    ],
)
def test_names(raw: str, shown: str) -> None:
    assert clean_name(raw) == shown


def test_ten_kilobytes_of_name_are_cut() -> None:
    assert cells(clean_name("x" * 10_000)) == NAME_CELLS


def test_wide_letters_count_double_and_are_never_halved() -> None:
    assert cut("李小龙李小龙", 6) == "李小…"
    assert cells("李小龙") == 6


def test_a_letter_is_as_wide_as_whatever_draws_it_reckons() -> None:
    """Else every frame to the right of a Hindi or Tamil name is moved, and what stood there before stays."""
    shown = {char for code in range(0x20, 0x20000) for char in cleaned("a" + chr(code), "")}
    assert len(shown) > 50_000
    assert {char for char in shown if cells(char) != get_cwidth(char)} == set()
    assert cells(clean_name("आशा नेहा")) == 5


def test_chat_keeps_the_words_and_marks_pictures() -> None:
    assert clean_chat("well played \U0001f0a1\x07!") == "well played ?!"
    assert clean_chat("1\n2\x1b[1A") == "1 2[1A"


@settings(derandomize=True, max_examples=300)
@given(st.text(max_size=60), st.integers(2, 20))
def test_nothing_unseen_is_left_and_the_width_holds(raw: str, width: int) -> None:
    shown = clean_name(raw, width)
    assert 1 <= cells(shown) <= width
    for char in shown:
        assert unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
        assert char == " " or unicodedata.category(char) != "Zs"
    assert clean_name(shown, width) == shown
