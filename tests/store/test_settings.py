"""The settings: read with defaults, written with comments, never over what somebody else wrote."""

from __future__ import annotations

import dataclasses
import os
import sys
from pathlib import Path

import pytest

from azi_p2p.store.errors import StoreError
from azi_p2p.store.profile import read_nickname, save_nickname
from azi_p2p.store.settings import KEYS, Settings, read_settings, save_settings

COMMENTS = {key: f"What {key} does." for key in KEYS}


def written(folder: Path) -> str:
    return (folder / "settings.toml").read_text(encoding="utf-8")


def test_without_a_file_everything_has_its_default(tmp_path: Path) -> None:
    assert read_settings(tmp_path) == Settings()


def test_what_is_saved_is_read_again_and_every_line_has_its_comment(tmp_path: Path) -> None:
    chosen = Settings("ru", "contrast", "two", ascii=True, bell=False, mouse=True, animations=False)
    save_settings(tmp_path, chosen, COMMENTS)
    assert read_settings(tmp_path) == chosen
    lines = written(tmp_path).splitlines()
    for key in KEYS:
        at = next(number for number, line in enumerate(lines) if line.startswith(f"{key} = "))
        assert lines[at - 1] == f"# What {key} does."


@pytest.mark.skipif(sys.platform == "win32", reason="needs pipes and devices among the files")
def test_a_pipe_or_a_device_in_place_of_the_settings_is_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    os.mkfifo(path)
    with pytest.raises(StoreError, match="no file of text"):
        read_settings(tmp_path)
    path.unlink()
    path.symlink_to("/dev/zero")
    with pytest.raises(StoreError, match="no file of text"):
        read_nickname(tmp_path)


def test_settings_with_a_byte_order_mark_are_read_and_written(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_bytes(b'\xef\xbb\xbfnickname = "Eva"\ntheme = "light"\n')
    assert read_settings(tmp_path) == Settings(theme="light")
    assert read_nickname(tmp_path) == "Eva"
    save_nickname(tmp_path, "Ben")
    save_settings(tmp_path, Settings(theme="mono"), COMMENTS)
    assert read_nickname(tmp_path) == "Ben"
    assert read_settings(tmp_path) == Settings(theme="mono")


@pytest.mark.parametrize("name", ["a\\u001b[2J", "Eva\\u202e", "a\\nb", "\\u200b"])
def test_a_nickname_that_nobody_could_type_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text(f'nickname = "{name}"\n', encoding="utf-8")
    with pytest.raises(StoreError, match="a name has 1 to 24 characters"):
        read_nickname(tmp_path)


def test_the_nickname_and_what_people_wrote_stay(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text(
        '# mine\nnickname = "Eva"  # as ever\ntheme = "light" # for the sun\n\n[other]\nkey = 1\n', encoding="utf-8"
    )
    save_settings(tmp_path, dataclasses.replace(read_settings(tmp_path), deck="two"), COMMENTS)
    save_settings(tmp_path, dataclasses.replace(read_settings(tmp_path), theme="mono"), COMMENTS)
    text = written(tmp_path)
    assert read_nickname(tmp_path) == "Eva"
    assert read_settings(tmp_path) == Settings(theme="mono", deck="two")
    assert '# mine\nnickname = "Eva"  # as ever\ntheme = "mono" # for the sun\n' in text
    assert text.endswith("[other]\nkey = 1\n")
    assert text.count("What deck does.") == 1


def test_the_nickname_can_be_changed_beside_the_settings(tmp_path: Path) -> None:
    save_settings(tmp_path, Settings(language="af"), COMMENTS)
    save_nickname(tmp_path, "Anele")
    assert read_nickname(tmp_path) == "Anele"
    assert read_settings(tmp_path) == Settings(language="af")


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ('theme = "pink"', "theme .* must be one of dark, light, contrast, mono"),
        ("language = 1", "language .* must be one of auto"),
        ('bell = "yes"', "bell .* must be true or false"),
        ("deck = [", "can't be read"),
        ("theme = {}", "theme .* must be one of"),
        ("#" * 70_000, "larger than 65536 bytes"),
    ],
)
def test_what_cant_be_is_named_and_not_written_over(tmp_path: Path, text: str, wrong: str) -> None:
    (tmp_path / "settings.toml").write_text(text, encoding="utf-8")
    with pytest.raises(StoreError, match=wrong):
        read_settings(tmp_path)
    with pytest.raises(StoreError, match=wrong):
        save_settings(tmp_path, Settings(), COMMENTS)
    assert written(tmp_path) == text
