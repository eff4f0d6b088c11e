"""The file that holds an identity key: one form for the profile and for moving a key to another computer.

Three lines of text, so that it survives mail and copying by hand: what it is, the secret, and the public key as a
check. Who has the file is this identity, unless it is locked by a passphrase: then the secret in it is sealed
(`locked`), and it can be moved but not used without. It is written with mode 0600 and refused when others may read it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from azi_p2p.crypto.identity import IdentityKey
from azi_p2p.store.errors import Mend, StoreError, StoreTrouble, Thing, cant_read, how_to_mend
from azi_p2p.store.files import create_private, replace_private, sync_directory, verify_private, write_all
from azi_p2p.store.locked import NONCE, SALT, TAG, WrongPassphrase, lock, unlock

FIRST_LINE = "azi identity key, version 1: keep it secret"
LOCKED_LINE = "azi identity key, version 1, locked by a passphrase: keep it secret"
MAX_SIZE = 1024
SEALED_SIZE = SALT + NONCE + 32 + TAG

Ask = Callable[[], str]
"""Asks for the passphrase of a key file."""


@dataclass(frozen=True, slots=True)
class KeyFile:
    """A key file that has been read. `public`: the public key; `text`: the whole file; `where`: for messages."""

    where: Path
    public: bytes
    text: str = field(repr=False)
    _secret: bytes = field(repr=False)

    @property
    def locked(self) -> bool:
        """Whether a passphrase is needed to use it."""
        return len(self._secret) == SEALED_SIZE

    def open(self, ask: Ask | None) -> IdentityKey:
        """The key in it; raises StoreError when the passphrase is wrong, or there is nobody to ask for it."""
        if not self.locked:
            return IdentityKey.from_seed(self._secret)
        if ask is None:
            raise StoreError(StoreTrouble.KEY_LOCKED, path=self.where)
        try:
            identity = IdentityKey.from_seed(unlock(self._secret, self.public, ask()))
        except WrongPassphrase:
            raise StoreError(StoreTrouble.WRONG_PASSPHRASE, path=self.where) from None
        assert identity.public == self.public, "what was sealed was sealed with the public key that belongs to it"
        return identity


def key_text(identity: IdentityKey, passphrase: str | None = None) -> str:
    """The text of the key file, locked if there is a passphrase."""
    if passphrase is None:
        return f"{FIRST_LINE}\nsecret {identity.seed.hex()}\npublic {identity.public.hex()}\n"
    sealed = lock(identity.seed, identity.public, passphrase)
    return f"{LOCKED_LINE}\nsecret {sealed.hex()}\npublic {identity.public.hex()}\n"


def parse_key_file(text: str, where: Path) -> KeyFile:
    """Read the text of a key file; raises StoreError that names the file. The secret is never part of the message."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    words = [line.split() for line in lines[1:]]
    first = lines[0] if lines else ""
    if first not in (FIRST_LINE, LOCKED_LINE) or [word[0] for word in words] != ["secret", "public"]:
        raise StoreError(StoreTrouble.NOT_A_KEY_FILE, path=where)
    try:
        secret, public = (bytes.fromhex(word[1]) for word in words)
    except (ValueError, IndexError):
        secret = public = b""
    if first == LOCKED_LINE:
        sound = len(secret) == SEALED_SIZE and len(public) == 32
    else:
        sound = len(secret) == 32 and IdentityKey.from_seed(secret).public == public
    if not sound:
        raise StoreError(StoreTrouble.DAMAGED_KEY, path=where)
    return KeyFile(where, public, text, secret)


def parse_key(text: str, where: Path, ask: Ask | None = None) -> IdentityKey:
    """Read the text of a key file and open it; raises StoreError that names the file."""
    return parse_key_file(text, where).open(ask)


def read_key_file(path: Path) -> KeyFile:
    """Read a key file; raises StoreError if it is missing, damaged, or open to others."""
    if path.is_dir():
        raise StoreError(StoreTrouble.KEY_FILE_IS_FOLDER, path=path)
    try:
        verify_private(path, Thing.KEY_FILE)
        with path.open("rb") as file:
            raw = file.read(MAX_SIZE)
    except FileNotFoundError as error:
        raise StoreError(StoreTrouble.NO_KEY_FILE, path=path) from error
    except OSError as error:
        raise cant_read(Thing.KEY_FILE, path, error) from error
    return parse_key_file(raw.decode("utf-8", "replace"), path)


def save_key(path: Path, text: str) -> None:
    """Write the key file of a profile, all or nothing. The caller has made sure that no other key gets lost."""
    replace_private(path, text.encode())


def export_key(path: Path, text: str) -> None:
    """Write a new key file for another computer; raises StoreError if the file exists."""
    try:
        handle = create_private(path)
    except FileExistsError as error:
        raise StoreError(StoreTrouble.FILE_EXISTS, path=path) from error
    except OSError as error:
        mend = how_to_mend(error, Mend.OTHER_FILE)
        raise StoreError(StoreTrouble.CANT_WRITE, what=Thing.KEY_FILE, path=path, reason=error, mend=mend) from error
    try:
        write_all(handle, text.encode())
        os.fsync(handle)
    finally:
        os.close(handle)
    sync_directory(path.parent)
