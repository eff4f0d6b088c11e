"""Forms: what the keys do to the fields, what is refused, how it is drawn."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from azi_p2p.ui.i18n import catalogue
from azi_p2p.ui.screen.canvas import plain_text
from azi_p2p.ui.screen.form import Choice, FormPage, FormWords, Number, Text, Value

WORDS = FormWords("A form", "What it is for.", (("Enter", "done"),), "{label}: from {low} to {high}")
FIELDS = (
    Text("name", "Name", 8, "Eva"),
    Number("seats", "Seats", 2, 6, 1, 4),
    Number("ante", "Ante", 1, 1000, 5, 1),
    Choice("hand", "Hand", ((3, "three"), (4, "four")), 3),
)


class Form:
    """A form, and what came of it."""

    def __init__(self, refuse: str | None = None) -> None:
        self.taken: dict[str, Value] | None = None
        self.left = False
        self._refuse = refuse
        self.page = FormPage(catalogue("en"), WORDS, FIELDS, self._take, self._leave)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.press(key)

    def text(self, width: int = 80, height: int = 24) -> str:
        return plain_text(self.page.draw(width, height, 0.0).rows())

    def _take(self, values: Mapping[str, Value]) -> str | None:
        self.taken = dict(values)
        return self._refuse

    def _leave(self) -> None:
        self.left = True


def test_enter_takes_what_stands_there() -> None:
    form = Form()
    form.press("enter")
    assert form.taken == {"name": "Eva", "seats": 4, "ante": 1, "hand": 3}


def test_fields_are_changed_by_arrows_digits_and_letters() -> None:
    form = Form()
    form.press("backspace", "q", "down", "right", "right", "right", "down", "backspace", "2", "5", "down", "2", "enter")
    assert form.taken == {"name": "Evq", "seats": 6, "ante": 25, "hand": 4}


def test_the_arrows_count_in_round_steps_within_the_bounds() -> None:
    form = Form()
    form.press("down", "down", "right")
    assert form.page.values()["ante"] == 5
    form.press("right", "left", "left", "left")
    assert form.page.values()["ante"] == 1


@pytest.mark.parametrize("typed", ["0", "1", "7", ""])
def test_a_number_out_of_its_bounds_is_refused_where_it_stands(typed: str) -> None:
    form = Form()
    form.press("down", "backspace", *typed, "down", "enter")
    assert form.taken is None
    assert "! Seats: from 2 to 6" in form.text()
    assert form.page.at == 1
    form.press("right")
    assert "!" not in form.text()


def test_what_takes_the_form_may_refuse_it() -> None:
    form = Form("no such name")
    form.press("enter")
    assert "! No such name." in form.text()


def test_escape_leaves_and_takes_nothing() -> None:
    form = Form()
    form.press("x", "escape")
    assert form.left
    assert form.taken is None


def test_pasted_garbage_goes_nowhere_but_into_a_text_and_is_cleaned() -> None:
    form = Form()
    form.page.paste("\x1b[31m a\u202eb\n" * 100)
    form.press("down")
    form.page.paste("99")
    assert form.page.values() == {"name": "Eva[31m", "seats": 4, "ante": 1, "hand": 3}


def test_a_click_goes_to_a_field_and_then_changes_it() -> None:
    form = Form()
    rows = form.text().split("\n")
    y = next(number for number, row in enumerate(rows) if "Hand" in row)
    form.page.click(10, y)
    assert form.page.at == 3
    form.page.click(10, y)
    assert form.page.values()["hand"] == 4
    form.page.click(10, 0)
    assert form.page.at == 3


def test_the_field_in_hand_is_marked_by_more_than_colour() -> None:
    form = Form()
    form.press("up")
    assert "▶ Hand" in form.text()
    assert "◀ three ▶" in form.text()


def test_too_small_a_terminal_is_told() -> None:
    assert "60" in Form().text(40, 10)


@pytest.mark.parametrize(
    ("keys", "name"),
    [
        ((), "root"),
        (tuple("Zola"), "Zola"),
        (("backspace", "B", "o"), "Bo"),
        (("delete",), ""),
        (("left", "backspace"), "rot"),
        (("end", "Z"), "rootZ"),
        (("Z", "backspace"), ""),
    ],
)
def test_an_offered_text_gives_way_to_what_is_typed_and_stays_when_it_is_gone_into(
    keys: tuple[str, ...], name: str
) -> None:
    page = FormPage(
        catalogue("en"), WORDS, (Text("name", "Name", 8, "root", offered=True),), lambda _: None, lambda: None
    )
    assert "root" in plain_text(page.draw(80, 24, 0.0).rows())
    for key in keys:
        page.press(key)
    assert page.values() == {"name": name}


def test_what_is_pasted_takes_the_place_of_an_offered_text() -> None:
    page = FormPage(
        catalogue("en"), WORDS, (Text("name", "Name", 8, "root", offered=True),), lambda _: None, lambda: None
    )
    page.paste("Zola")
    page.paste("!")
    assert page.values() == {"name": "Zola!"}
