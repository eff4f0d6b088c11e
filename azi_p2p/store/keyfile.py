"""The file that holds an identity key: one form for the profile and for moving a key to another computer.

Three lines of text, so that it survives mail and copying by hand: what it is, the secret, and the public key as a
check. Who has the file is this identity; it is written with mode 0600 and refused when others may read it.
"""

from __future__ import annotations

import os
from pathlib import Path

from azi_p2p.crypto.identity import IdentityKey
from azi_p2p.store.errors import StoreError
from azi_p2p.store.files import create_private, replace_private, sync_directory, verify_private, write_all

FIRST_LINE = "azi identity key, version 1: keep it secret"
MAX_SIZE = 1024


def key_text(identity: IdentityKey) -> str:
    """The text of the key file."""
    return f"{FIRST_LINE}\nsecret {identity.seed.hex()}\npublic {identity.public.hex()}\n"


def parse_key(text: str, where: Path) -> IdentityKey:
    """Read the text of a key file; raises StoreError that names the file. The secret is never part of the message."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    words = [line.split() for line in lines[1:]]
    if not lines or lines[0] != FIRST_LINE or [word[0] for word in words] != ["secret", "public"]:
        raise StoreError(
            f"{where} is no Azi key file, or it is damaged: restore it from a copy made with azi id --export"
        )
    try:
        seed, public = (bytes.fromhex(word[1]) for word in words)
    except (ValueError, IndexError):
        seed = public = b""
    if len(seed) != 32 or IdentityKey.from_seed(seed).public != public:
        raise StoreError(f"the key in {where} is damaged: restore it from a copy made with azi id --export")
    return IdentityKey.from_seed(seed)


def read_key(path: Path) -> IdentityKey:
    """Read a key file; raises StoreError if it is missing, damaged, or open to others."""
    try:
        verify_private(path, "the key file")
        with path.open("rb") as file:
            raw = file.read(MAX_SIZE)
    except FileNotFoundError as error:
        raise StoreError(f"there is no key file {path}") from error
    except OSError as error:
        raise StoreError(f"the key file {path} can't be read ({error.strerror})") from error
    return parse_key(raw.decode("utf-8", "replace"), path)


def save_key(path: Path, identity: IdentityKey) -> None:
    """Write the key file of a profile, all or nothing. The caller has made sure that there is none."""
    replace_private(path, key_text(identity).encode())


def export_key(path: Path, identity: IdentityKey) -> None:
    """Write a new key file for another computer; raises StoreError if the file exists."""
    try:
        handle = create_private(path)
    except FileExistsError as error:
        raise StoreError(f"{path} exists already: choose another name, nothing is overwritten") from error
    except OSError as error:
        raise StoreError(f"{path} can't be written ({error.strerror})") from error
    try:
        write_all(handle, key_text(identity).encode())
        os.fsync(handle)
    finally:
        os.close(handle)
    sync_directory(path.parent)
