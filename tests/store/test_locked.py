"""Key files under a passphrase: useless without it, movable all the same, and damage is never taken for a key."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from azi_p2p.crypto.identity import IdentityKey
from azi_p2p.store.errors import StoreError
from azi_p2p.store.keyfile import key_text, parse_key, parse_key_file
from azi_p2p.store.locked import WrongPassphrase, lock, unlock
from azi_p2p.store.profile import Profile, change_passphrase, export_identity, import_identity, read_identity

WORDS = "three blind mice"
HERE = Path("identity.key")
ANNA = IdentityKey.from_seed(bytes(range(32)))


def nobody() -> str:
    raise AssertionError("nobody is to be asked")


def test_what_is_locked_opens_with_its_passphrase_alone() -> None:
    text = key_text(ANNA, WORDS)
    assert ANNA.seed.hex() not in text
    assert parse_key(text, HERE, lambda: WORDS).seed == ANNA.seed
    with pytest.raises(StoreError, match="not the passphrase") as refused:
        parse_key(text, HERE, lambda: WORDS + "s")
    assert WORDS not in str(refused.value)
    with pytest.raises(StoreError, match="locked by a passphrase"):
        parse_key(text, HERE)


def test_the_public_half_can_be_read_without_asking() -> None:
    file = parse_key_file(key_text(ANNA, WORDS), HERE)
    assert file.locked
    assert file.public == ANNA.public
    shown = repr(parse_key_file(key_text(ANNA), HERE)) + repr(file)
    assert ANNA.seed.hex() not in shown
    assert repr(ANNA.seed) not in shown


def test_an_accent_is_the_same_however_it_was_typed() -> None:
    sealed = lock(ANNA.seed, ANNA.public, "caf\u00e9 au lait")
    assert unlock(sealed, ANNA.public, "cafe\u0301 au lait") == ANNA.seed


def test_the_same_key_is_sealed_differently_each_time() -> None:
    assert lock(ANNA.seed, ANNA.public, WORDS) != lock(ANNA.seed, ANNA.public, WORDS)


def test_no_damage_is_taken_for_a_key() -> None:
    sealed = lock(ANNA.seed, ANNA.public, WORDS)
    for place in (0, 15, 16, 27, 28, 59, 60, len(sealed) - 1):
        changed = bytearray(sealed)
        changed[place] ^= 1
        with pytest.raises(WrongPassphrase):
            unlock(bytes(changed), ANNA.public, WORDS)
    with pytest.raises(WrongPassphrase):
        unlock(sealed, IdentityKey.from_seed(bytes(32)).public, WORDS)
    text = key_text(ANNA, WORDS)
    other = IdentityKey.from_seed(bytes(32)).public.hex()
    for damaged in (text.replace("locked", "looked"), text[:-9], text.replace("secret ", "secret 00")):
        with pytest.raises(StoreError):
            parse_key_file(damaged, HERE)
    with pytest.raises(StoreError, match="not the passphrase"):
        parse_key(text.replace(ANNA.public.hex(), other), HERE, lambda: WORDS)


def test_guessing_costs_something_and_opening_little() -> None:
    sealed = lock(ANNA.seed, ANNA.public, WORDS)
    began = time.thread_time()
    unlock(sealed, ANNA.public, WORDS)
    assert 0.05 < time.thread_time() - began < 3


def test_a_profile_is_locked_changed_and_unlocked(tmp_path: Path) -> None:
    with Profile.open(tmp_path) as profile:
        first = profile.identity
    change_passphrase(tmp_path, nobody, WORDS)
    with pytest.raises(StoreError, match="locked by a passphrase"):
        Profile.open(tmp_path)
    with Profile.open(tmp_path, lambda: WORDS) as profile:
        assert profile.identity.seed == first.seed
        with pytest.raises(StoreError, match="in use"):
            change_passphrase(tmp_path, lambda: WORDS, None)
    with pytest.raises(StoreError, match="not the passphrase"):
        change_passphrase(tmp_path, lambda: "wrong words", None)
    change_passphrase(tmp_path, lambda: WORDS, "other words")
    assert read_identity(tmp_path).locked
    change_passphrase(tmp_path, lambda: "other words", None)
    with Profile.open(tmp_path, nobody) as profile:
        assert profile.identity.seed == first.seed
    left = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert left.count(first.seed.hex().encode()) == 1, "no copies lie about"


def test_a_locked_key_moves_without_being_opened(tmp_path: Path) -> None:
    with Profile.open(tmp_path / "old") as profile:
        first = profile.identity
    change_passphrase(tmp_path / "old", nobody, WORDS)
    export_identity(tmp_path / "old", tmp_path / "anna.key")
    assert first.seed.hex() not in (tmp_path / "anna.key").read_text()
    assert import_identity(tmp_path / "new", tmp_path / "anna.key").locked
    with Profile.open(tmp_path / "new", lambda: WORDS) as profile:
        assert profile.identity.seed == first.seed
