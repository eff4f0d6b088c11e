"""`azi config`: the settings of a profile, shown and changed on the command line.

What doesn't belong here: the file that they stand in (`azi_p2p.store.settings`), and the form of the full screen.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

from azi_p2p.cli.front import checked_name
from azi_p2p.cli.running import FINE, WRONG_USAGE, CommandFailed
from azi_p2p.store.errors import StoreError
from azi_p2p.store.files import make_private_folder
from azi_p2p.store.profile import profile_directory, read_nickname, save_nickname
from azi_p2p.store.settings import CHOICES, KEYS, SWITCHES, Settings, read_settings, save_settings
from azi_p2p.store.settingsfile import SETTINGS_FILE
from azi_p2p.ui.failed import what_failed
from azi_p2p.ui.i18n import Catalogue, catalogue

NICKNAME = "nickname"
SPOKEN = {True: "true", False: "false"}


def run(texts: Catalogue, profile: Path | None, key: str | None, value: str | None, *, json_out: bool) -> int:
    """Show all settings, one of them (`key`), or set it (`value`); gives the exit code."""
    folder = profile_directory(profile)
    if key is not None and key not in (NICKNAME, *KEYS):
        known = ", ".join((NICKNAME, *KEYS))
        raise CommandFailed(texts.text("config.unknown", key=key, known=known), WRONG_USAGE)
    try:
        if key is not None and value is not None:
            _set(texts, folder, key, value)
        found = {NICKNAME: read_nickname(folder), **dataclasses.asdict(read_settings(folder))}
    except StoreError as error:
        raise CommandFailed(what_failed(error, texts)) from error
    if key is not None:
        found = {key: found[key]}
    if json_out:
        print(json.dumps(found))
    elif key is not None:
        print(said(found[key]))
    else:
        _print_all(texts, folder / SETTINGS_FILE, found)
    return FINE


def said(value: object) -> str:
    """A setting as it is typed; nothing where it isn't set."""
    return SPOKEN[value] if isinstance(value, bool) else "" if value is None else str(value)


def _print_all(texts: Catalogue, path: Path, found: dict[str, object]) -> None:
    for key, value in found.items():
        print(f"# {texts.text(f'settings.comment.{key}')}")
        print(f"{key} = {said(value)}")
    print(texts.text("config.file", path=path))


def _set(texts: Catalogue, folder: Path, key: str, value: str) -> None:
    """Keep a setting; raises CommandFailed for a value that won't do, StoreError."""
    if key == NICKNAME:
        name = checked_name(texts, value)
        make_private_folder(folder)
        save_nickname(folder, name)
        return
    allowed = ("true", "false") if key in SWITCHES else CHOICES[key]
    if value not in allowed:
        choices = ", ".join(allowed)
        raise CommandFailed(texts.text("config.bad_value", key=key, choices=choices), WRONG_USAGE)
    chosen: object = value == "true" if key in SWITCHES else value
    settings = dataclasses.replace(read_settings(folder), **{key: chosen})  # type: ignore[arg-type]  # checked above
    make_private_folder(folder)
    keep(folder, settings, texts)


def keep(folder: Path, settings: Settings, texts: Catalogue) -> None:
    """Write the settings of a profile, each with its comment; raises StoreError."""
    save_settings(folder, settings, {key: texts.text(f"settings.comment.{key}") for key in KEYS})


def spoken_language(texts: Catalogue, profile: Path | None) -> Catalogue:
    """The texts of the language that the profile has set, else those that are spoken already; raises CommandFailed."""
    try:
        language = read_settings(profile_directory(profile)).language
    except StoreError as error:
        raise CommandFailed(what_failed(error, texts)) from error
    return texts if language == "auto" else catalogue(language)
