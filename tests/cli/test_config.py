"""Settings on the command line, and what the doctor finds."""

from __future__ import annotations

import json
from pathlib import Path

import ifaddr
import pytest

from azi_p2p.cli import config, doctor
from azi_p2p.cli.lobby import wanted_bots
from azi_p2p.cli.running import CommandFailed
from azi_p2p.store.profile import Profile, read_nickname
from azi_p2p.store.settings import KEYS, Settings, read_settings
from azi_p2p.ui.i18n import LANGUAGES, catalogue

TEXTS = catalogue("en")


def set_one(folder: Path, key: str, value: str) -> int:
    return config.run(TEXTS, folder, key, value, json_out=False)


def test_everything_that_can_be_set_is_shown_with_what_it_means(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert config.run(TEXTS, tmp_path / "new", None, None, json_out=False) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(" = ")[0] for line in lines if " = " in line] == ["nickname", *KEYS]
    assert sum(line.startswith("# ") for line in lines) == len(KEYS) + 1
    assert not (tmp_path / "new").exists(), "to look makes nothing"


def test_a_setting_is_kept_in_the_file_that_the_client_reads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "new"
    for key, value in (("language", "af"), ("bell", "false"), ("nickname", "Eva"), ("theme", "contrast")):
        assert set_one(folder, key, value) == 0
        assert capsys.readouterr().out == f"{value}\n"
    assert read_settings(folder) == Settings(language="af", bell=False, theme="contrast")
    assert read_nickname(folder) == "Eva"
    assert folder.stat().st_mode & 0o077 == 0
    config.run(TEXTS, folder, None, None, json_out=True)
    assert json.loads(capsys.readouterr().out)["bell"] is False


@pytest.mark.parametrize(
    ("key", "value", "names"),
    [
        ("colour", "red", "colour"),
        ("theme", "pink", "contrast"),
        ("bell", "yes", "true, false"),
        ("nickname", "", "1 to 24"),
        ("nickname", "a\x1b[2J", "1 to 24"),
    ],
)
def test_what_can_not_be_set_is_refused_and_nothing_is_written(
    key: str, value: str, names: str, tmp_path: Path
) -> None:
    with pytest.raises(CommandFailed, match=names) as failure:
        set_one(tmp_path / "new", key, value)
    assert failure.value.code == 2
    assert not (tmp_path / "new").exists()


def test_the_language_that_is_set_is_spoken(tmp_path: Path) -> None:
    assert config.spoken_language(TEXTS, tmp_path) is TEXTS
    set_one(tmp_path, "language", "ru")
    assert config.spoken_language(TEXTS, tmp_path).language == "ru"
    (tmp_path / "settings.toml").write_text("language = 7\n", encoding="utf-8")
    with pytest.raises(CommandFailed, match="language"):
        config.spoken_language(TEXTS, tmp_path)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_nickname_in_the_file_is_refused_with_the_words_of_the_first_start(language: str, tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text('nickname = "Eva\\u202e"\n', encoding="utf-8")
    texts = catalogue(language)
    with pytest.raises(CommandFailed) as failure:
        config.run(texts, tmp_path, None, None, json_out=False)
    assert failure.value.message.endswith(texts.text("find.bad_name", most=24))
    assert "settings.toml" in failure.value.message
    assert failure.value.code == 1


@pytest.mark.parametrize(
    ("typed", "wanted"), [("", (3, "normal")), ("2 hard", (2, "hard")), ("easy 5", (5, "easy")), ("1", (1, "normal"))]
)
def test_bots_of_the_line_lobby(typed: str, wanted: tuple[int, str]) -> None:
    assert wanted_bots(TEXTS, typed) == wanted


@pytest.mark.parametrize("typed", ["6", "0", "genius", "2 hard now"])
def test_bots_that_there_are_not(typed: str) -> None:
    with pytest.raises(CommandFailed, match="1 to 5"):
        wanted_bots(TEXTS, typed)


def test_the_doctor_finds_a_sound_profile_and_that_this_is_no_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Profile.open(tmp_path).close()
    assert doctor.run(TEXTS, tmp_path, loopback=True, json_out=True) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["fine"] is True
    states = {check["check"]: check["state"] for check in found["checks"]}
    assert states["profile"] == "fine"
    assert states["terminal"] == "note"
    assert states["network"] == "fine"
    assert states["reached"] == "fine"
    assert states["tables"] in {"fine", "note"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_doctor_names_what_is_to_be_mended(
    language: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Profile.open(tmp_path).close()
    (tmp_path / "settings.toml").write_text("bell = 7\n", encoding="utf-8")
    texts = catalogue(language)
    assert doctor.run(texts, tmp_path, loopback=True, json_out=False) == 1
    told = capsys.readouterr().out
    assert texts.text("doctor.state.wrong") in told
    assert "settings.toml" in told
    assert max(len(line) for line in told.split("\n") if str(tmp_path) not in line) < 80
    assert told.endswith(texts.text("doctor.wrong") + "\n")


def test_interfaces_that_lead_nowhere_and_tunnels_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    class Adapter:
        def __init__(self, name: str) -> None:
            self.nice_name = name
            self.ips = [name]

    names = ["lo", "wlan0", "docker0", "tun0", "br-12ab\x1b[2J"]
    monkeypatch.setattr(ifaddr, "get_adapters", lambda: [Adapter(name) for name in names])
    found = {one.check: one for one in doctor.Doctor(TEXTS)._interfaces()}
    assert found["virtual"].state == found["tunnel"].state == "note"
    assert "docker0" in found["virtual"].message
    assert "\x1b" not in found["virtual"].message
    assert "tun0" in found["tunnel"].message
    assert "wlan0" not in found["virtual"].message + found["tunnel"].message
