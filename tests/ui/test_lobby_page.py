"""The lobby: tables as they come and go, what the keys want, every language in 80 columns."""

from __future__ import annotations

import dataclasses

import pytest

from azi_p2p.store.errors import StoreError, StoreTrouble
from azi_p2p.ui.failed import sentence, what_failed
from azi_p2p.ui.i18n import LANGUAGES, catalogue
from azi_p2p.ui.names import cells
from azi_p2p.ui.screen.canvas import plain_text
from azi_p2p.ui.screen.keys import NAMED
from azi_p2p.ui.screen.lobby import FOOT, FRESH, LobbyPage, TableRow

NOW = 10_000.0
KITCHEN = TableRow(b"K" * 32, "Kitchen", 4, 2, 10, (("Ben", "b3k7"),), "192.168.1.20:41000", NOW - 130, fits=True)
GARDEN = TableRow(b"G" * 32, "Garden", 6, 0, 100, (("Katya", "q9tn"),), "192.168.1.21:41000", NOW - 3, fits=True)
STRANGE = TableRow(b"S" * 32, "Strange", 0, 0, 0, (("Zed", "zzzz"),), "192.168.1.22:41000", NOW, fits=False)


class Lobby:
    """A lobby, and what was wanted in it."""

    def __init__(self, *tables: TableRow, language: str = "en", began: float = NOW - 60, plain: bool = False) -> None:
        self.wanted: list[str] = []
        self.now = began
        self.page = LobbyPage(
            catalogue(language),
            ("Eva", "k3x9"),
            ["192.168.1.5"],
            lambda table: self.wanted.append(table.name),
            self.wanted.append,
            lambda: self.now,
            watch=lambda table: self.wanted.append(f"watch {table.name}"),
            plain=plain,
        )
        self.page.tables = tables
        self.now = NOW

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.press(key)

    def text(self, width: int = 80, height: int = 24) -> str:
        return plain_text(self.page.draw(width, height, NOW).rows())


def test_a_table_is_shown_with_everything_that_counts() -> None:
    text = Lobby(KITCHEN).text()
    assert "1 table\n" in text
    assert "1  Kitchen" in text
    assert "free 2 of 4 · ante 10 · here for 2 min" in text
    assert "Ben b3k7" in text
    assert "192.168.1.20:41000" in text
    assert "This computer: 192.168.1.5" in text
    assert "Eva k3x9" in text


def test_digit_or_arrows_and_enter_join() -> None:
    lobby = Lobby(KITCHEN, GARDEN)
    lobby.press("2", "enter", "up", "enter", "down", " ")
    assert lobby.wanted == ["Garden", "Kitchen", "Garden"]


@pytest.mark.parametrize("key", ["w", "W", "ц"])
def test_a_table_can_be_watched_a_full_one_too(key: str) -> None:
    lobby = Lobby(KITCHEN, GARDEN, STRANGE)
    lobby.press(key)
    assert not lobby.wanted
    lobby.press("2", key, "3", key)
    assert lobby.wanted == ["watch Garden"]


def test_one_table_needs_no_picking_but_several_do() -> None:
    one = Lobby(KITCHEN)
    one.press("enter")
    assert one.wanted == ["Kitchen"]
    two = Lobby(KITCHEN, GARDEN)
    two.press("enter")
    assert not two.wanted
    assert "! Pick out a table first" in two.text()


def test_the_only_table_is_picked_and_not_joined_by_an_enter_that_was_on_its_way() -> None:
    fresh = dataclasses.replace(KITCHEN, seen=NOW - FRESH + 0.1)
    for lobby in (Lobby(fresh), Lobby(KITCHEN, began=NOW)):
        lobby.press("enter")
        assert not lobby.wanted
        assert "▶ 1  Kitchen" in lobby.text()
        lobby.press("enter")
        assert lobby.wanted == ["Kitchen"]
    chosen = Lobby(fresh)
    chosen.press("1", "enter")
    assert chosen.wanted == ["Kitchen"]


def test_what_was_picked_stays_picked_when_the_list_changes_and_isnt_joined_once_it_has_gone() -> None:
    lobby = Lobby(KITCHEN, GARDEN)
    lobby.press("2")
    lobby.page.tables = (GARDEN, KITCHEN)
    assert "▶ 1  Garden" in lobby.text()
    lobby.page.tables = (KITCHEN, STRANGE)
    lobby.press("enter")
    assert not lobby.wanted


def test_another_version_isnt_joined_and_the_reason_is_told() -> None:
    lobby = Lobby(STRANGE)
    lobby.press("1", "enter")
    assert not lobby.wanted
    assert "all need the same version" in lobby.text()


@pytest.mark.parametrize(
    ("keys", "wanted"),
    [("nт", "open"), ("bи", "practise"), ("aф", "address"), ("oщ", "settings"), ("qй", "quit")],
)
def test_letters_and_their_cyrillic_twins(keys: str, wanted: str) -> None:
    lobby = Lobby()
    lobby.press(*keys, keys[1].upper())
    assert lobby.wanted == [wanted] * 3


def test_every_key_that_the_last_row_names_does_something() -> None:
    for key, _ in FOOT:
        lobby = Lobby(KITCHEN)
        lobby.press(key.lower())
        assert lobby.wanted or lobby.page.help, key


@pytest.mark.parametrize("language", LANGUAGES)
def test_nobody_found_after_a_while_says_what_may_be_wrong_and_what_works_anyway(language: str) -> None:
    early = Lobby(language=language, began=NOW - 1)
    assert early.page.next_wake(NOW) == NOW + 4
    late = Lobby(language=language)
    assert "mDNS" in late.text()
    assert "Docker" in late.text()
    assert "mDNS" not in early.text()
    assert late.page.next_wake(NOW) is None


def test_a_network_that_cant_be_looked_at_is_told() -> None:
    lobby = Lobby()
    lobby.page.problem = "tables can't be found by themselves here"
    assert "! Tables can't be found" in lobby.text()


@pytest.mark.parametrize("language", LANGUAGES)
def test_why_something_failed_is_told_to_its_end(language: str) -> None:
    lobby = Lobby(KITCHEN, GARDEN, language=language)
    damaged = StoreError(StoreTrouble.DAMAGED_JOURNAL, path="/home/eva/.local/share/azi/journals/ab12", at=1234)
    lobby.page.message = what_failed(damaged, catalogue(language))
    told = " ".join(lobby.text().split())
    assert sentence(lobby.page.message) in told


def test_ages_are_renewed_by_the_minute() -> None:
    assert Lobby(KITCHEN, GARDEN).page.next_wake(NOW) == NOW + 50


def many() -> list[TableRow]:
    """More tables than there are rows."""
    return [
        TableRow(bytes([n]) * 32, f"Table {n}", 4, 1, 10, (("Ben", "b3k7"),), "1.2.3.4:5", NOW, fits=True)
        for n in range(30)
    ]


def test_more_tables_than_rows_can_all_be_reached() -> None:
    lobby = Lobby(*many())
    for number in range(30):
        lobby.press("down")
        assert f"▶ {number + 1}  Table {number}" in lobby.text()
    lobby.press("enter")
    assert lobby.wanted == ["Table 29"]


def test_hostile_names_dont_reach_the_screen() -> None:
    row = TableRow(
        b"H" * 32, "\x1b[2J\u202eX" * 9, 4, 1, 10, (("\x07\u200bBen\n", "b3k7"),), "1.2.3.4:5", NOW, fits=True
    )
    text = Lobby(row).text()
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "Ben b3k7" in text


def test_help_and_pasted_text_and_unknown_keys_want_nothing() -> None:
    lobby = Lobby(KITCHEN)
    lobby.press("?")
    assert "settings: name, language" in lobby.text()
    lobby.press("q")
    assert not lobby.wanted, "a key closes the help and does nothing else"
    lobby.page.paste("q\nq\n")
    assert "Pasted text was ignored" in lobby.text()
    for key in ("y", "9", *(set(NAMED) - {"enter", "escape", "interrupt", "f1"})):
        lobby.press(key)
    assert not lobby.wanted


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", [(80, 24), (100, 30), (200, 60)])
def test_nothing_is_cut_in_any_language(language: str, size: tuple[int, int]) -> None:
    for lobby in (Lobby(language=language), Lobby(KITCHEN, GARDEN, STRANGE, language=language)):
        for keys in ("", "?", "w"):
            lobby.press(*keys)
            text = lobby.text(*size)
            rows = text.split("\n")
            assert len(rows) == size[1]
            assert max(map(cells, rows)) <= size[0]
            assert "…" not in text.replace(catalogue(language).text("home.looking"), "")
            assert rows[-1].endswith(catalogue(language).text("home.foot.quit")), "the last row has room for all keys"


def test_ascii_draws_no_other_sign() -> None:
    assert Lobby(KITCHEN, GARDEN, plain=True).text().isascii()


def test_a_click_picks_and_a_second_one_joins() -> None:
    lobby = Lobby(KITCHEN, GARDEN)
    y = next(number for number, row in enumerate(lobby.text().split("\n")) if "Garden" in row)
    lobby.page.click(5, y)
    assert "▶ 2  Garden" in lobby.text()
    lobby.page.click(5, y + 1)
    assert lobby.wanted == ["Garden"]
    lobby.page.click(5, 0)
    lobby.page.click(5, 20)
    assert lobby.wanted == ["Garden"]


def test_a_click_picks_what_stands_there_in_a_long_list() -> None:
    lobby = Lobby(*many())
    lobby.press(*["down"] * 20)
    rows = lobby.text().split("\n")
    lobby.page.click(5, next(number for number, row in enumerate(rows) if "Table 17" in row))
    assert "▶ 18  Table 17" in lobby.text()
    lobby.page.click(5, len(rows) - 1)
    assert "▶ 18  Table 17" in lobby.text(), "no table stands in the row of keys"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_private_table_is_marked(language: str) -> None:
    mark = catalogue(language).text("code.mark")
    private = dataclasses.replace(KITCHEN, private=True, name="W" * 24, seen=NOW - 599 * 60)
    text = Lobby(private, GARDEN, language=language).text()
    row, other = (next(line for line in text.split("\n") if name in line) for name in ("W" * 24, "Garden"))
    assert f" {mark} · " in row
    assert mark not in other
    assert cells(row) <= 80
    assert "W" * 24 in row
