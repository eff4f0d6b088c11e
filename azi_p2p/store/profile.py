"""The profile: one folder that is one player: the identity key, settings, journals and ledgers.

A profile that is open is locked: a second process with the same key would sign against the first, and the others
would take that for a fault. The lock is the operating system's, so a killed process leaves none behind.
"""

from __future__ import annotations

import contextlib
import json
import re
import tomllib
from pathlib import Path
from types import TracebackType
from typing import Self

import platformdirs

from azi_p2p.crypto.identity import IdentityKey
from azi_p2p.store.errors import Mend, StoreError, StoreTrouble, Thing, how_to_mend
from azi_p2p.store.files import make_private_folder, remove_unfinished, replace_private, verify_private_folder
from azi_p2p.store.heldseat import SEAT_FILE, SeatFile
from azi_p2p.store.keyfile import Ask, KeyFile, export_key, key_text, read_key_file, save_key
from azi_p2p.store.lock import FileLock
from azi_p2p.store.settingsfile import SETTINGS_FILE, parsed_settings, settings_text

KEY_FILE = "identity.key"
LOCK_FILE = "lock"
MAX_NICKNAME = 24
"""Characters, as the protocol allows."""

_NICKNAME_LINE = re.compile(r"^[ \t]*nickname[ \t]*=.*$", re.MULTILINE)
_FIRST_TABLE = re.compile(r"^[ \t]*\[", re.MULTILINE)


def default_directory() -> Path:
    """Where a player's files are when nothing else is said: the platform's own folder for application data."""
    return Path(platformdirs.user_data_dir("azi", appauthor=False))


def profile_directory(chosen: Path | None) -> Path:
    """The folder of the profile: as chosen with --profile, or the default one."""
    return chosen.expanduser() if chosen is not None else default_directory()


class Profile:
    """An open profile: locked for this process until `close` (also at the end of a `with`).

    `directory`: its folder; `identity`: its key; `is_new`: the key was made just now.
    """

    def __init__(self, directory: Path, identity: IdentityKey, lock: FileLock, *, is_new: bool) -> None:
        """Use `Profile.open`."""
        self.directory = directory
        self.identity = identity
        self.is_new = is_new
        self._lock = lock

    @classmethod
    def open(cls, directory: Path | None = None, ask: Ask | None = None) -> Self:
        """Open a profile, and make it with a new key if there is none; raises StoreError with the mend.

        `ask`: asks for the passphrase, if the key is locked by one.
        """
        folder = profile_directory(directory)
        _own(folder)
        lock = FileLock(folder / LOCK_FILE)
        if not _taken(lock, folder):
            raise _in_use(folder, lock, Mend.CLOSE_OR_OWN_PROFILE)
        try:
            path = folder / KEY_FILE
            # Not of the settings: they are written by whoever doesn't hold the lock, too.
            for name in (KEY_FILE, SEAT_FILE):
                remove_unfinished(folder / name)
            is_new = not path.exists()
            if is_new:
                _refuse_to_lose_a_key(folder)
                save_key(path, key_text(IdentityKey.generate()))
            return cls(folder, read_key_file(path).open(ask), lock, is_new=is_new)
        except OSError as error:
            lock.release()
            raise _cant_be_written(folder, error) from error
        except BaseException:
            lock.release()
            raise

    def close(self) -> None:
        """Unlock the profile."""
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    @property
    def nickname(self) -> str | None:
        """The nickname in the settings, None if none is set; raises StoreError when the file can't be read."""
        return read_nickname(self.directory)

    @nickname.setter
    def nickname(self, name: str) -> None:
        save_nickname(self.directory, name)

    @property
    def ledgers(self) -> Path:
        """The folder for ledger files; made when it isn't there."""
        return self._folder("ledgers")

    @property
    def journals(self) -> Path:
        """The folder for journals; made when it isn't there."""
        return self._folder("journals")

    @property
    def seat(self) -> SeatFile:
        """The note on the table at which this profile holds a seat."""
        return SeatFile(self.directory)

    def _folder(self, name: str) -> Path:
        folder = self.directory / name
        _own(folder)
        return folder


def _own(folder: Path) -> None:
    """Have a folder into which nobody else can write; raises StoreError."""
    make_private_folder(folder)
    verify_private_folder(folder)


def read_identity(directory: Path | None = None) -> KeyFile:
    """The key file of a profile, without opening it, also while it is in use; raises StoreError if there is none."""
    return read_key_file(profile_directory(directory) / KEY_FILE)


def export_identity(directory: Path | None, file: Path) -> KeyFile:
    """Write a profile's key to a new file, to be imported elsewhere; raises StoreError if the file exists.

    A key that is locked by a passphrase stays so.
    """
    key = read_identity(directory)
    export_key(file, key.text)
    return key


def import_identity(directory: Path | None, file: Path) -> KeyFile:
    """Make the key in `file` the key of a profile that has none yet (or has the same); raises StoreError otherwise."""
    key = read_key_file(file)
    folder = profile_directory(directory)
    _own(folder)
    with contextlib.closing(_taken_lock(folder)):
        path = folder / KEY_FILE
        if path.exists():
            if read_key_file(path).public == key.public:
                return key
            raise StoreError(StoreTrouble.OTHER_KEY, path=folder)
        save_key(path, key.text)
    return key


def change_passphrase(directory: Path | None, ask: Ask, passphrase: str | None) -> KeyFile:
    """Lock a profile's key by another passphrase, or by none; `ask` asks for the one that it has. Raises StoreError."""
    folder = profile_directory(directory)
    with contextlib.closing(_taken_lock(folder)):
        path = folder / KEY_FILE
        identity = read_key_file(path).open(ask)
        save_key(path, key_text(identity, passphrase))
        return read_key_file(path)


def _taken_lock(folder: Path) -> FileLock:
    lock = FileLock(folder / LOCK_FILE)
    if not lock.take():
        raise _in_use(folder, lock, Mend.CLOSE_FIRST)
    return lock


def _in_use(folder: Path, lock: FileLock, mend: Mend) -> StoreError:
    process = lock.holder()
    if process is None:
        return StoreError(StoreTrouble.IN_USE, path=folder, mend=mend)
    return StoreError(StoreTrouble.IN_USE_BY, path=folder, process=process, mend=mend)


def read_nickname(directory: Path) -> str | None:
    """The nickname in a profile's settings, None if there is none; raises StoreError."""
    path = directory / SETTINGS_FILE
    name = parsed_settings(path).get("nickname")
    if name is None:
        return None
    if not isinstance(name, str) or not 1 <= len(name) <= MAX_NICKNAME or not name.isprintable():
        raise StoreError(StoreTrouble.BAD_NICKNAME, path=path, most=MAX_NICKNAME)
    return name


def save_nickname(directory: Path, name: str) -> None:
    """Set the nickname in a profile's settings; whatever else stands there is kept. Raises StoreError."""
    if not 1 <= len(name) <= MAX_NICKNAME or not name.isprintable():
        raise StoreError(StoreTrouble.NICKNAME_LENGTH, most=MAX_NICKNAME)
    path = directory / SETTINGS_FILE
    read_nickname(directory)  # A file that can't be read isn't written over.
    text = settings_text(path)
    # A JSON string is a TOML string too, as long as every character can be printed.
    line = f"nickname = {json.dumps(name, ensure_ascii=False)}"
    table = _FIRST_TABLE.search(text)
    top, rest = (text[: table.start()], text[table.start() :]) if table else (text, "")
    top, found = _NICKNAME_LINE.subn(lambda _: line, top, count=1)
    if not found:
        top = f"{line}\n{top}"
    changed = top + rest
    try:
        understood = tomllib.loads(changed).get("nickname") == name
    except (ValueError, RecursionError):
        understood = False
    if not understood:
        raise StoreError(StoreTrouble.NICKNAME_BY_HAND, path=path, line=line)
    replace_private(path, changed.encode())


def _taken(lock: FileLock, folder: Path) -> bool:
    """Take a profile's lock; False if another process has it. Raises StoreError where no lock can be had at all."""
    try:
        return lock.take()
    except OSError as error:
        raise _cant_be_written(folder, error) from error


def _cant_be_written(folder: Path, error: OSError) -> StoreError:
    mend = how_to_mend(error, Mend.OTHER_PROFILE)
    return StoreError(StoreTrouble.CANT_WRITE, what=Thing.PROFILE, path=folder, reason=error, mend=mend)


def _refuse_to_lose_a_key(folder: Path) -> None:
    """A profile with journals but no key has lost it: making a new one silently would hide that."""
    if any((folder / "journals").glob("*")):
        raise StoreError(StoreTrouble.LOST_KEY, path=folder, file=KEY_FILE)


__all__ = [
    "Profile",
    "change_passphrase",
    "default_directory",
    "export_identity",
    "import_identity",
    "profile_directory",
    "read_identity",
    "read_nickname",
    "save_nickname",
]
