"""The lobby of the client by real mDNS on loopback, with a screen that draws nowhere."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from azi_p2p.cli import forms, lobbyscreen
from azi_p2p.cli.lobbyscreen import Join, NewSettings, Open, Practise, Quit, Want, in_lobby, look_of
from azi_p2p.net.discovery import Discovery
from azi_p2p.store.profile import Profile
from azi_p2p.store.settings import Settings, read_settings
from azi_p2p.ui.failed import sentence
from azi_p2p.ui.i18n import LANGUAGES, catalogue
from azi_p2p.ui.names import cells
from azi_p2p.ui.screen.canvas import plain_text
from azi_p2p.ui.screen.form import FormPage
from azi_p2p.ui.screen.lobby import LobbyPage
from azi_p2p.ui.screen.page import Page
from tests.net.test_discovery import announcement


class Screen:
    """Keeps the page that is shown, and lets a test wait for one."""

    def __init__(self) -> None:
        self.page: Page | None = None
        self.turned = asyncio.Event()

    def show(self, page: Page) -> None:
        self.page = page
        page.changed = self.turned.set
        self.turned.set()

    async def drawn(self) -> None:
        """What draws nowhere has drawn at once."""

    async def until(self, condition: Callable[[Page], bool]) -> Page:
        async with asyncio.timeout(60):
            while self.page is None or not condition(self.page):
                self.turned.clear()
                await self.turned.wait()
        return self.page

    async def lobby(self) -> LobbyPage:
        page = await self.until(lambda page: isinstance(page, LobbyPage))
        assert isinstance(page, LobbyPage)
        return page

    async def form(self) -> FormPage:
        page = await self.until(lambda page: isinstance(page, FormPage))
        assert isinstance(page, FormPage)
        return page


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.press(key)


def text(page: Page) -> str:
    return plain_text(page.draw(80, 24, 0.0).rows())


def in_a_lobby(folder: Path, person: Callable[[Screen], Coroutine[Any, Any, None]], language: str = "en") -> Want:
    """Let somebody do something in a lobby, and give what came of it."""

    async def run() -> Want:
        with Profile.open(folder) as profile:
            screen = Screen()
            lobby = asyncio.ensure_future(
                in_lobby(screen, catalogue(language), profile, "Eva", loopback=True, plain=False)
            )
            await person(screen)
            return await lobby

    return asyncio.run(run())


def test_a_table_that_is_announced_can_be_joined_and_goes_when_it_is_gone(tmp_path: Path) -> None:
    said = announcement(1, table_name="The Kitchen")

    def lists_it(page: Page) -> bool:
        return isinstance(page, LobbyPage) and any(row.table == said.table for row in page.tables)

    async def person(screen: Screen) -> None:
        async with Discovery(loopback=True) as other:
            await other.announce(said, 41000)
            page = await screen.until(lists_it)
            assert isinstance(page, LobbyPage)
            assert "The Kitchen" in text(page)
            assert "127.0.0.1:41000" in text(page)
        await screen.until(lambda page: not lists_it(page))
        async with Discovery(loopback=True) as other:
            await other.announce(said, 41000)
            await screen.until(lists_it)
            page.picked = said.table
            press(page, "enter")

    assert in_a_lobby(tmp_path, person) == Join(said.table.hex())


def test_opening_a_table_asks_for_it_and_one_can_go_back(tmp_path: Path) -> None:
    async def person(screen: Screen) -> None:
        press(await screen.lobby(), "n")
        press(await screen.form(), "escape")
        press(await screen.lobby(), "n")
        press(await screen.form(), "!", "down", "left", "down", "right", "enter")

    wanted = in_a_lobby(tmp_path, person)
    assert isinstance(wanted, Open)
    assert wanted.table.name == "Table of Eva!"
    assert (wanted.table.params.seats, wanted.table.params.hand_size) == (3, 4)


def test_a_key_that_was_meant_for_a_form_does_nothing_in_the_lobby_afterwards(tmp_path: Path) -> None:
    async def person(screen: Screen) -> None:
        page = await screen.lobby()
        press(page, "n", "q")
        press(await screen.form(), "escape")
        press(await screen.lobby(), "b")
        press(await screen.form(), "enter")

    assert isinstance(in_a_lobby(tmp_path, person), Practise)


def test_a_name_that_others_would_see_differently_isnt_taken(tmp_path: Path) -> None:
    async def person(screen: Screen) -> None:
        press(await screen.lobby(), "n")
        form = await screen.form()
        press(form, *["backspace"] * 30, "enter")
        assert "! A name has 1 to 24 characters" in text(form)
        press(form, "X", "enter")

    wanted = in_a_lobby(tmp_path, person)
    assert isinstance(wanted, Open)
    assert wanted.table.name == "X"


def test_practice(tmp_path: Path) -> None:
    async def person(screen: Screen) -> None:
        press(await screen.lobby(), "b")
        press(await screen.form(), "right", "down", "right", "enter")

    wanted = in_a_lobby(tmp_path, person)
    assert isinstance(wanted, Practise)
    assert (wanted.table.params.seats, wanted.table.level) == (5, "hard")
    assert wanted.table.params.turn_seconds == forms.PRACTICE_SECONDS


def test_an_address_is_typed_or_pasted_and_an_empty_one_is_none(tmp_path: Path) -> None:
    async def person(screen: Screen) -> None:
        press(await screen.lobby(), "a")
        press(await screen.form(), "enter")
        press(await screen.lobby(), "a")
        form = await screen.form()
        form.paste(" 192.168.1.20:41000\n")
        press(form, "enter")

    assert in_a_lobby(tmp_path, person) == Join("192.168.1.20:41000")


def test_settings_are_kept_in_the_profile(tmp_path: Path) -> None:
    async def person(screen: Screen) -> None:
        press(await screen.lobby(), "o")
        press(await screen.form(), *"Eva", "down", "3", "down", "left", "up", "up", "up", "left", "enter")

    assert in_a_lobby(tmp_path, person) == NewSettings()
    assert read_settings(tmp_path) == Settings(language="en", theme="mono", animations=False)
    with Profile.open(tmp_path) as profile:
        assert profile.nickname == "Eva"


def test_settings_that_cant_be_read_are_told_in_the_lobby(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "settings.toml").write_text('theme = "pink"\n', encoding="utf-8")

    async def person(screen: Screen) -> None:
        page = await screen.lobby()
        press(page, "o")
        await screen.until(lambda shown: "theme in" in text(shown))
        press(page, "q")

    assert in_a_lobby(tmp_path, person) == Quit()


def test_leaving(tmp_path: Path) -> None:
    async def person(screen: Screen) -> None:
        press(await screen.lobby(), "й")

    assert in_a_lobby(tmp_path, person) == Quit()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", ["n", "b", "a", "o"])
def test_every_form_fits_into_80_columns_in_every_language(tmp_path: Path, language: str, key: str) -> None:
    async def person(screen: Screen) -> None:
        press(await screen.lobby(), key)
        form = await screen.form()
        shown = text(form)
        assert max(map(cells, shown.split("\n"))) <= 80
        assert "…" not in shown
        assert shown.endswith(catalogue(language).text("home.form.back"))
        press(form, "escape")
        press(await screen.lobby(), "q")

    in_a_lobby(tmp_path, person, language)


def test_the_first_name_is_asked_for_and_the_suggestion_will_do() -> None:
    async def run() -> None:
        screen = Screen()
        asked = asyncio.ensure_future(forms.ask_nickname(screen, catalogue("en"), "eva", "k3x9-aaaa", plain=False))
        form = await screen.form()
        assert "k3x9-aaaa" in text(form)
        press(form, "enter")
        assert await asked == "eva"

    asyncio.run(run())


def test_a_look_without_colours_or_signs() -> None:
    assert look_of(Settings(theme="light"), colours=False, unicode=False).theme == "mono"
    assert look_of(Settings(), unicode=False).plain
    assert not look_of(Settings(animations=False)).lively
    assert lobbyscreen.look_of(Settings(ascii=True, deck="two")).deck == "two"


def test_a_table_is_opened_with_a_code_when_that_is_wanted(tmp_path: Path) -> None:
    async def person(screen: Screen) -> None:
        press(await screen.lobby(), "n")
        form = await screen.form()
        press(form, "up", "right")
        assert "who knows a code" in text(form)
        press(form, "enter")

    wanted = in_a_lobby(tmp_path, person)
    assert isinstance(wanted, Open)
    assert wanted.table.private


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["Kitchen", ""])
def test_a_code_is_asked_for_and_one_that_can_be_none_is_not_taken(language: str, name: str) -> None:
    texts = catalogue(language)

    async def run() -> None:
        screen = Screen()
        asked = asyncio.ensure_future(forms.ask_code(screen, texts, name, plain=False))
        form = await screen.form()
        assert name in text(form)
        assert max(map(cells, text(form).split("\n"))) <= 80
        assert "…" not in text(form)
        press(form, *"12 3", "enter")
        assert f"! {sentence(texts.text('code.bad', least=6, most=64))}"[:40] in text(form)
        press(form, *"45-6", "enter")
        assert await asked == "12 345-6"
        again = asyncio.ensure_future(forms.ask_code(screen, texts, name, plain=False))
        screen.turned.clear()
        await asyncio.sleep(0)
        press(await screen.form(), "escape")
        assert await again is None

    asyncio.run(run())
