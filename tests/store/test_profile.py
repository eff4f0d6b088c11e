"""Profiles: the key is made once, kept from others, locked, and moved without ever being written over."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from azi_p2p.crypto.identity import IdentityKey
from azi_p2p.store import keyfile
from azi_p2p.store.errors import StoreError
from azi_p2p.store.heldseat import HeldSeat, SeatFile
from azi_p2p.store.profile import (
    Profile,
    default_directory,
    export_identity,
    import_identity,
    read_identity,
    read_nickname,
    save_nickname,
)

posix_only = pytest.mark.skipif(os.name != "posix", reason="modes of files are a POSIX matter")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_key_is_made_once_and_kept(tmp_path: Path) -> None:
    with Profile.open(tmp_path / "anna") as profile:
        first = profile.identity.public
        assert profile.is_new
    with Profile.open(tmp_path / "anna") as profile:
        assert profile.identity.public == first
        assert not profile.is_new
    assert read_identity(tmp_path / "anna").public == first


@posix_only
def test_files_and_folders_are_for_the_owner_alone(tmp_path: Path) -> None:
    with Profile.open(tmp_path / "anna") as profile:
        assert mode(tmp_path / "anna") == 0o700
        assert mode(tmp_path / "anna" / "identity.key") == 0o600
        assert mode(profile.journals) == mode(profile.ledgers) == 0o700


@posix_only
@pytest.mark.parametrize("wide", [0o720, 0o702, 0o770, 0o777, 0o1777])
@pytest.mark.parametrize("name", ["", "journals", "ledgers"])
def test_folder_that_others_may_write_into_is_refused_with_the_mend(tmp_path: Path, name: str, wide: int) -> None:
    with Profile.open(tmp_path / "anna") as profile:
        folder = {"": profile.directory, "journals": profile.journals, "ledgers": profile.ledgers}[name]
    folder.chmod(wide)
    with (
        pytest.raises(StoreError, match=f"chmod go-w {re.escape(str(folder))} "),
        Profile.open(tmp_path / "anna") as profile,
    ):
        assert all(used.is_dir() for used in (profile.journals, profile.ledgers))
    folder.chmod(wide & ~0o022)  # as the message says; that others may look is not refused
    with Profile.open(tmp_path / "anna") as profile:
        assert all(used.is_dir() for used in (profile.journals, profile.ledgers))


@posix_only
@pytest.mark.parametrize("wide", [0o640, 0o604, 0o660, 0o644, 0o777])
def test_key_that_others_may_read_is_refused_with_the_mend(tmp_path: Path, wide: int) -> None:
    Profile.open(tmp_path).close()
    path = tmp_path / "identity.key"
    path.chmod(wide)
    with pytest.raises(StoreError, match=f"chmod 600 {path}"):
        Profile.open(tmp_path)
    path.chmod(0o600)
    Profile.open(tmp_path).close()


def test_second_opening_is_refused_in_one_line(tmp_path: Path) -> None:
    with Profile.open(tmp_path):
        with pytest.raises(StoreError) as caught:
            Profile.open(tmp_path)
        message = str(caught.value)
        assert f"process {os.getpid()}" in message
        assert "--profile DIR" in message
        assert "\n" not in message
        assert read_identity(tmp_path).public  # The key can be looked at meanwhile.
    Profile.open(tmp_path).close()


def test_second_process_is_refused_and_a_killed_one_leaves_no_lock(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from azi_p2p.store.profile import Profile\n"
        "profile = Profile.open(Path(sys.argv[1])); print('open', flush=True); sys.stdin.read()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        with pytest.raises(StoreError, match=f"in use by another Azi \\(process {process.pid}\\)"):
            Profile.open(tmp_path)
    finally:
        process.kill()
        process.communicate()
    Profile.open(tmp_path).close()


def test_a_profile_that_cannot_be_locked_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "anna" / "lock").mkdir(parents=True)
    with pytest.raises(StoreError, match=r"anna can't be written .*--profile DIR"):
        Profile.open(tmp_path / "anna")


def test_refused_profile_is_unlocked_again(tmp_path: Path) -> None:
    (tmp_path / "identity.key").write_text("not a key")
    (tmp_path / "identity.key").chmod(0o600)
    for _ in range(2):
        with pytest.raises(StoreError, match="damaged"):
            Profile.open(tmp_path)


def test_lost_key_isnt_replaced_silently(tmp_path: Path) -> None:
    with Profile.open(tmp_path) as profile:
        (profile.journals / "some.envelopes").touch()
    (tmp_path / "identity.key").unlink()
    with pytest.raises(StoreError, match=r"has journals but no identity\.key"):
        Profile.open(tmp_path)


def test_folder_that_cant_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="choose another one with --profile DIR"):
        Profile.open(tmp_path / "file" / "profile")


def test_missing_key_is_said_by_name(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"there is no key file .*identity\.key"):
        read_identity(tmp_path)


def test_default_folder_is_the_platforms_own() -> None:
    assert default_directory().name == "azi"
    assert default_directory().is_absolute()


# Moving a key


def test_exported_key_comes_in_elsewhere(tmp_path: Path) -> None:
    with Profile.open(tmp_path / "old") as profile:
        exported = export_identity(tmp_path / "old", tmp_path / "anna.key")
        assert exported.public == profile.identity.public
    imported = import_identity(tmp_path / "new", tmp_path / "anna.key")
    assert imported.public == exported.public
    with Profile.open(tmp_path / "new") as profile:
        assert profile.identity.public == exported.public
        assert not profile.is_new
    assert import_identity(tmp_path / "new", tmp_path / "anna.key").public == exported.public


@posix_only
def test_exported_key_is_private(tmp_path: Path) -> None:
    Profile.open(tmp_path / "old").close()
    export_identity(tmp_path / "old", tmp_path / "anna.key")
    assert mode(tmp_path / "anna.key") == 0o600


def test_export_and_import_never_write_over_anything(tmp_path: Path) -> None:
    for name in ("anna", "ben"):
        Profile.open(tmp_path / name).close()
    export_identity(tmp_path / "anna", tmp_path / "anna.key")
    before = (tmp_path / "anna.key").read_bytes()
    with pytest.raises(StoreError, match="exists already"):
        export_identity(tmp_path / "ben", tmp_path / "anna.key")
    assert (tmp_path / "anna.key").read_bytes() == before
    with pytest.raises(StoreError, match="has another key already"):
        import_identity(tmp_path / "ben", tmp_path / "anna.key")
    assert read_identity(tmp_path / "ben").public != read_identity(tmp_path / "anna").public


def test_import_into_an_open_profile_is_refused(tmp_path: Path) -> None:
    keyfile.export_key(tmp_path / "some.key", keyfile.key_text(IdentityKey.generate()))
    with Profile.open(tmp_path / "anna"), pytest.raises(StoreError, match="in use"):
        import_identity(tmp_path / "anna", tmp_path / "some.key")


def test_every_damage_to_a_key_file_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "some.key"
    identity = IdentityKey.from_seed(bytes(range(32)))
    text = keyfile.key_text(identity)
    assert keyfile.parse_key(text, path).public == identity.public
    assert keyfile.parse_key(text.replace("\n", "\r\n\r\n"), path).public == identity.public
    damaged = [
        "",
        text[:-10],
        text.replace("version 1", "version 2"),
        text.replace("secret", "public"),
        text.replace("secret 0001", "secret 0101"),
        text.replace("secret 00", "secret zz"),
        text.replace("secret 00", "secret "),
        text + "more lines\n",
        "\n".join(reversed(text.splitlines())),
        "secret\npublic\n",
        f"{keyfile.FIRST_LINE}\nsecret\npublic\n",
    ]
    for other in damaged:
        with pytest.raises(StoreError) as caught:
            keyfile.parse_key(other, path)
        assert identity.seed.hex() not in str(caught.value)


# Settings


def test_nickname_is_kept_beside_whatever_else_is_set(tmp_path: Path) -> None:
    with Profile.open(tmp_path) as profile:
        assert profile.nickname is None
        profile.nickname = "Анна 'Q' \"7\" \\"
        assert profile.nickname == "Анна 'Q' \"7\" \\"
        settings = tmp_path / "settings.toml"
        settings.write_text('# mine\ntheme = "dark"\nnickname = "old"  \n[keys]\nnickname = "of a key"\n', "utf-8")
        profile.nickname = "Ben"
        assert settings.read_text("utf-8") == (
            '# mine\ntheme = "dark"\nnickname = "Ben"\n[keys]\nnickname = "of a key"\n'
        )
        settings.write_text("[keys]\n", "utf-8")
        profile.nickname = "Katya"
        assert read_nickname(tmp_path) == "Katya"


@pytest.mark.parametrize("name", ["", "x" * 25, "two\nlines", "bell\a", "\x1b[31mred", "\u202eright to left"])
def test_nickname_that_cant_be(tmp_path: Path, name: str) -> None:
    with pytest.raises(StoreError, match="1 to 24 characters"):
        save_nickname(tmp_path, name)


@pytest.mark.parametrize("text", ["nickname = 7", 'nickname = ""', "nickname =", "\xff", f'nickname = "{"x" * 25}"'])
def test_settings_that_cant_be_read_are_said_by_name_and_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(StoreError, match=r"settings\.toml"):
        read_nickname(tmp_path)
    with pytest.raises(StoreError, match=r"settings\.toml"):
        save_nickname(tmp_path, "Anna")
    assert path.read_bytes() == text.encode("latin-1")


@pytest.mark.parametrize("text", ["a = " + "[" * 5000, "a = " + "9" * 5000, '"\\u001b' + "x" * 900])
def test_settings_that_break_the_reader_are_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "settings.toml").write_text(text)
    with pytest.raises(StoreError) as refused:
        read_nickname(tmp_path)
    assert str(refused.value).isprintable()
    assert (tmp_path / "settings.toml").read_text() == text


def test_settings_in_which_the_nickname_would_get_lost_are_left_alone(tmp_path: Path) -> None:
    text = 'a = """\nnickname = 1\n"""\n'
    (tmp_path / "settings.toml").write_text(text)
    with pytest.raises(StoreError, match="first line"):
        save_nickname(tmp_path, "Katya")
    assert (tmp_path / "settings.toml").read_text() == text


def test_a_held_seat_does_not_show_the_code_of_its_table(tmp_path: Path) -> None:
    seat = HeldSeat(table="ab" * 32, name="Kitchen", ledger="", nickname="Anna", code="4839-1275")
    note = SeatFile(tmp_path)
    note.write(seat)
    assert note.read() == seat
    assert note.path.stat().st_mode & 0o777 == 0o600
    assert "4839" not in repr(seat) + str(seat)


def test_folders_above_a_profile_are_private_too_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        Profile.open(tmp_path / "a" / "b" / "c").close()
    finally:
        os.umask(before)
    for folder in (tmp_path / "a", tmp_path / "a" / "b", tmp_path / "a" / "b" / "c"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "wrong",
    [
        {"port": -1},
        {"port": 65536},
        {"neighbours": [{"peer": "cd" * 32, "host": "::1", "port": 99999}]},
        {"ledger": "a\0b"},
    ],
    ids=str,
)
def test_a_note_on_a_held_seat_that_cant_be_used_is_told_before_anything_is_done(
    wrong: dict[str, object], tmp_path: Path
) -> None:
    fine: dict[str, object] = {"table": "ab" * 32, "name": "Kitchen", "ledger": "", "nickname": "Anna"}
    note = SeatFile(tmp_path)
    note.path.write_text(json.dumps(fine))
    assert note.read() is not None
    note.path.write_text(json.dumps(fine | wrong))
    with pytest.raises(StoreError, match="delete it to go on"):
        note.read()


def test_what_a_killed_process_left_half_written_is_gone_with_the_next_start(tmp_path: Path) -> None:
    Profile.open(tmp_path).close()
    key = (tmp_path / "identity.key").read_bytes()
    for name in ("identity.key", "seat.json"):
        (tmp_path / f".{name}.4711.tmp").write_bytes(key)
    with Profile.open(tmp_path) as profile:
        assert not profile.is_new
        assert not list(tmp_path.glob(".*"))
    assert (tmp_path / "identity.key").read_bytes() == key
