"""The forms of the client: a new table, practice, an address, the own name, the settings; each filled in on a page.

What doesn't belong here: the page itself (`azi_p2p.ui.screen.form`), and what is done with what was filled in.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from azi_p2p.cli.config import keep as keep_settings
from azi_p2p.cli.front import checked_code, checked_name
from azi_p2p.cli.running import CommandFailed
from azi_p2p.rules import Params
from azi_p2p.store.errors import StoreError
from azi_p2p.store.profile import MAX_NICKNAME, Profile
from azi_p2p.store.settings import CHOICES, KEYS, SWITCHES, Settings, read_settings
from azi_p2p.store.settingsfile import SETTINGS_FILE
from azi_p2p.ui.failed import what_failed
from azi_p2p.ui.i18n import Catalogue
from azi_p2p.ui.screen.form import Choice, Field, FormPage, FormWords, Number, Text, Value
from azi_p2p.ui.screen.page import Screen

LEVELS = ("easy", "normal", "hard")
PRACTICE_SECONDS = 600
"""Time for a move in practice: nobody waits."""
MOST_CHIPS = 1_000_000
"""The most that the form takes for amounts of chips; the command line takes more."""
MOST_CODE = 40
"""Signs of a code that the form takes."""


@dataclass(frozen=True, slots=True)
class Filled:
    """What was filled in for a new table. `level`: how the bots of a practice table play; `private`: with a code."""

    params: Params
    name: str = ""
    level: str = "normal"
    private: bool = False


async def fill(
    screen: Screen,
    texts: Catalogue,
    form: str,
    enter: str,
    fields: Sequence[Field],
    check: Callable[[Mapping[str, Value]], None],
    *,
    plain: bool,
    **lead: object,
) -> dict[str, Value] | None:
    """Show a form until it is taken or left; gives its values, None when it was left.

    `form` and `enter` name its texts; `check` raises CommandFailed or StoreError for values that won't do, and the form
    says so and stays.
    """
    done: asyncio.Future[dict[str, Value] | None] = asyncio.get_running_loop().create_future()

    def take(values: Mapping[str, Value]) -> str | None:
        try:
            check(values)
        except (CommandFailed, StoreError) as wrong:
            return wrong.message if isinstance(wrong, CommandFailed) else what_failed(wrong, texts)
        _settle(done, dict(values))
        return None

    foot = (
        ("Enter", texts.text(f"home.form.enter_{enter}")),
        ("↑ ↓", texts.text("home.form.move")),
        ("← →", texts.text("home.form.change")),
        ("Esc", texts.text("home.form.back")),
    )
    words = FormWords(
        title=texts.text(f"home.form.{form}_title"),
        lead=texts.text(f"home.form.{form}_lead", **lead),
        foot=foot,
        bounds=texts.text("home.form.bounds", label="{label}", low="{low}", high="{high}"),
    )
    screen.show(FormPage(texts, words, fields, take, lambda: _settle(done, None), plain=plain))
    return await done


def _settle(done: asyncio.Future[dict[str, Value] | None], values: dict[str, Value] | None) -> None:
    if not done.done():
        done.set_result(values)


async def ask_open(screen: Screen, texts: Catalogue, nickname: str, *, plain: bool) -> Filled | None:
    """Ask what table to open; None when the person goes back."""
    default = Params()
    name = texts.text("table.default_name", name=nickname)[:MAX_NICKNAME]
    who = ((False, texts.text("code.who.all")), (True, texts.text("code.who.code")))
    fields = (
        Text("name", texts.text("home.field.table_name"), MAX_NICKNAME, name),
        Number("seats", texts.text("home.field.seats"), 2, 6, 1, default.seats),
        *_table_fields(texts, default),
        Number("turn_seconds", texts.text("home.field.turn_seconds"), 5, 600, 5, default.turn_seconds),
        Choice("private", texts.text("code.field.who"), who, start=False),
    )
    values = await fill(
        screen, texts, "open", "open", fields, lambda found: _check_name(texts, found, "name"), plain=plain
    )
    if values is None:
        return None
    name, private = str(values.pop("name")), bool(values.pop("private"))
    return Filled(Params.from_mapping(values), checked_name(texts, name), private=private)


async def ask_practice(screen: Screen, texts: Catalogue, *, plain: bool) -> Filled | None:
    """Ask how to practise; None when the person goes back."""
    fields = (
        Number("bots", texts.text("home.field.bots"), 1, 5, 1, 3),
        Choice(
            "level",
            texts.text("home.field.level"),
            tuple((level, texts.text(f"home.level.{level}")) for level in LEVELS),
            "normal",
        ),
        *_table_fields(texts, Params()),
    )
    values = await fill(screen, texts, "practise", "practise", fields, _anything, plain=plain)
    if values is None:
        return None
    level, bots = str(values.pop("level")), int(values.pop("bots"))
    return Filled(Params.from_mapping({**values, "seats": bots + 1, "turn_seconds": PRACTICE_SECONDS}), level=level)


async def ask_address(screen: Screen, texts: Catalogue, *, plain: bool) -> str | None:
    """Ask for the address or name of a table; None when the person goes back, or types nothing."""
    fields = (Text("address", texts.text("home.field.address"), 60, ""),)
    values = await fill(screen, texts, "address", "join", fields, _anything, plain=plain)
    return str(values["address"]) or None if values is not None else None


async def ask_code(screen: Screen, texts: Catalogue, name: str, *, plain: bool) -> str | None:
    """Ask for the code of a private table, `name` empty if it isn't known; None when the person goes back."""
    lead = texts.text("code.ask", name=name) if name else texts.text("code.ask_any")
    fields = (Text("code", texts.text("code.field.code"), MOST_CODE, ""),)
    values = await fill(
        screen, texts, "code", "join", fields, lambda found: _check_code(texts, found), plain=plain, lead=lead
    )
    return None if values is None else str(values["code"])


async def ask_held(screen: Screen, texts: Catalogue, table: str, *, plain: bool) -> bool | None:
    """Ask what becomes of the seat that is still held at `table`: True to give it up, None if the person goes back."""
    options: tuple[tuple[Value, str], ...] = tuple((what, texts.text(f"home.held.{what}")) for what in ("back", "anew"))
    fields = (Choice("held", texts.text("home.field.held"), options, "back"),)
    values = await fill(screen, texts, "held", "ok", fields, _anything, plain=plain, name=table)
    return None if values is None else values["held"] == "anew"


async def ask_nickname(
    screen: Screen, texts: Catalogue, suggested: str, fingerprint: str, *, plain: bool
) -> str | None:
    """Ask for the own name, the first time; None when the person goes back."""
    fields = (Text("nickname", texts.text("home.field.nickname"), MAX_NICKNAME, suggested, offered=True),)
    values = await fill(
        screen,
        texts,
        "name",
        "ok",
        fields,
        lambda found: _check_name(texts, found, "nickname"),
        plain=plain,
        fingerprint=fingerprint,
    )
    return None if values is None else checked_name(texts, str(values["nickname"]))


async def ask_settings(screen: Screen, texts: Catalogue, profile: Profile, *, plain: bool) -> bool:
    """Show the settings and keep what was changed; False when the person goes back. Raises StoreError."""
    now = read_settings(profile.directory)
    switch = ((True, texts.text("settings.on")), (False, texts.text("settings.off")))
    fields: list[Field] = [Text("nickname", texts.text("home.field.nickname"), MAX_NICKNAME, profile.nickname or "")]
    fields += [
        Choice(
            key,
            texts.text(f"settings.label.{key}"),
            tuple((value, texts.text(f"settings.{key}.{value}")) for value in values),
            getattr(now, key),
        )
        for key, values in CHOICES.items()
    ]
    fields += [Choice(key, texts.text(f"settings.label.{key}"), switch, getattr(now, key)) for key in SWITCHES]

    def keep(values: Mapping[str, Value]) -> None:
        name = checked_name(texts, str(values["nickname"]))
        if name != profile.nickname:
            profile.nickname = name
        chosen = Settings(**{key: values[key] for key in KEYS})  # type: ignore[arg-type]  # the fields are made of KEYS
        keep_settings(profile.directory, chosen, texts)

    path = profile.directory / SETTINGS_FILE
    return await fill(screen, texts, "settings", "save", fields, keep, plain=plain, path=path) is not None


def _table_fields(texts: Catalogue, default: Params) -> tuple[Field, ...]:
    """The fields that every new table has."""
    hands = tuple((size, texts.text(f"home.hand.{size}")) for size in (3, 4))
    return (
        Choice("hand_size", texts.text("home.field.hand_size"), hands, default.hand_size),
        Number("ante", texts.text("home.field.ante"), 1, MOST_CHIPS, 5, default.ante),
        Number("min_bid", texts.text("home.field.min_bid"), 1, MOST_CHIPS, 5, default.min_bid),
        Number("start_chips", texts.text("home.field.start_chips"), 1, MOST_CHIPS, 100, default.start_chips),
        Number("deal_limit", texts.text("home.field.deal_limit"), 0, 100_000, 5, default.deal_limit),
    )


def _check_name(texts: Catalogue, values: Mapping[str, Value], key: str) -> None:
    checked_name(texts, str(values[key]))


def _check_code(texts: Catalogue, values: Mapping[str, Value]) -> None:
    checked_code(texts, str(values["code"]))


def _anything(values: Mapping[str, Value]) -> None:
    """Any values will do."""
    del values
