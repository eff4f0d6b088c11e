"""Pastes without an end, with too much in them, and cut into pieces."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from azi_p2p.ui.screen.pasting import BEGIN, END, MOST_PASTED, PasteGuard


def passed(*parts: str) -> str:
    guard = PasteGuard()
    return "".join(map(guard.passed, parts))


@settings(derandomize=True)
@given(
    st.text(st.sampled_from("a1\r\x1b[20~\u0436"), max_size=40), st.lists(st.integers(1, 60), max_size=6), st.booleans()
)
def test_what_is_whole_passes_as_it_is_however_it_is_cut(text: str, cuts: list[int], again: bool) -> None:
    text = f"x{BEGIN}{text}{END}y" * (2 if again else 1)
    places = sorted({0, *(cut for cut in cuts if cut < len(text)), len(text)})
    parts = [text[start:end] for start, end in pairwise(places)]
    assert passed(*parts) == text


def test_a_paste_ends_with_control_c_from_a_hand_and_with_no_other_key() -> None:
    assert passed("q" + BEGIN + "a", "\x1b", "\r", "\x03", "\x03", "b") == f"q{BEGIN}a\x1b\r{END}\x03\x03b"
    assert passed(BEGIN, "a\x03b" + END, "\x03") == f"{BEGIN}a\x03b{END}\x03"
    assert passed(BEGIN, "ab\x03", "c") == f"{BEGIN}ab{END}\x03c"
    assert passed(BEGIN, "a" * 12 + "\x03", "c" + END) == f"{BEGIN}{'a' * 12}\x03c{END}"
    assert passed("\x03", BEGIN, "\x03\x03", "c") == f"\x03{BEGIN}{END}\x03\x03c"


@pytest.mark.parametrize("piece", [1, 7, 1024, 100_000])
def test_of_a_long_paste_the_beginning_is_handed_on(piece: int) -> None:
    text = "é" * (3 * MOST_PASTED) + END + "q"
    got = passed(BEGIN, *(text[at : at + piece] for at in range(0, len(text), piece)))
    assert got == BEGIN + "é" * MOST_PASTED + END + "q"


def test_what_comes_after_much_text_without_an_end_is_dropped_up_to_control_c() -> None:
    got = passed(BEGIN, "x" * (MOST_PASTED + 1), "1", "\r" * 20 + "\x03", "q")
    assert got == f"{BEGIN}{'x' * MOST_PASTED}{END}\x03q"
