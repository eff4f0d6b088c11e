"""How a player wants the client to look and sound: settings.toml in the profile, with a comment above each line.

People may edit the file by hand: what they write there is kept, and a value that can't be is named. The nickname stands
in the same file (`profile`). What doesn't belong here: what the settings do.
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from azi_p2p.store.errors import StoreError, StoreTrouble
from azi_p2p.store.files import replace_private
from azi_p2p.store.settingsfile import SETTINGS_FILE, parsed_settings, settings_text

CHOICES: Mapping[str, tuple[str, ...]] = {
    "language": ("auto", "af", "en", "ru"),
    "theme": ("dark", "light", "contrast", "mono"),
    "deck": ("four", "two"),
}
"""Settings that are one of several words, the default first."""
SWITCHES = ("ascii", "bell", "mouse", "animations")
"""Settings that are true or false."""
KEYS = (*CHOICES, *SWITCHES)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set, with its default.

    `language`: auto is that of the system; `deck`: colours of the suits; `ascii`: no signs outside of ASCII;
    `animations`: pauses between what others do.
    """

    language: str = "auto"
    theme: str = "dark"
    deck: str = "four"
    ascii: bool = False
    bell: bool = True
    mouse: bool = False
    animations: bool = True


def read_settings(directory: Path) -> Settings:
    """The settings of a profile, defaults where nothing is set; raises StoreError naming what can't be."""
    path = directory / SETTINGS_FILE
    found = parsed_settings(path)
    values = {key: found[key] for key in KEYS if key in found}
    for key, value in values.items():
        if key in SWITCHES and not isinstance(value, bool):
            raise StoreError(StoreTrouble.BAD_SWITCH, key=key, path=path)
        if key in CHOICES and value not in CHOICES[key]:
            raise StoreError(StoreTrouble.BAD_CHOICE, key=key, path=path, choices=", ".join(CHOICES[key]))
    return dataclasses.replace(Settings(), **values)


def save_settings(directory: Path, settings: Settings, comments: Mapping[str, str]) -> None:
    """Write the settings; whatever else stands in the file, comments too, is kept. Raises StoreError.

    `comments`: for each key the line to stand above it where it is written for the first time.
    """
    # Loaded here alone: reading needs none of it, and every start reads.
    import tomlkit  # noqa: PLC0415
    from tomlkit.exceptions import TOMLKitError  # noqa: PLC0415

    read_settings(directory)  # A file that can't be read isn't written over.
    path = directory / SETTINGS_FILE
    document = tomlkit.parse(settings_text(path))
    fresh = tomlkit.document()
    for key in KEYS:
        value = getattr(settings, key)
        if key in document:
            document[key] = value
        else:
            fresh.add(tomlkit.comment(comments[key]))
            fresh.add(key, value)
    # What is new stands first: behind a table of somebody's own it would belong to that table.
    text = tomlkit.dumps(fresh) + tomlkit.dumps(document)
    try:
        written = tomllib.loads(text)
    except (ValueError, RecursionError, TOMLKitError) as error:
        raise StoreError(StoreTrouble.SETTINGS_BY_HAND, path=path) from error
    assert all(written.get(key) == getattr(settings, key) for key in KEYS), "what was set is what is read again"
    replace_private(path, text.encode())
