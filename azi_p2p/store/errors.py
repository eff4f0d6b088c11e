"""What this package raises when files are not as they should be: one line for people, with the mend."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator
from pathlib import Path

from azi_p2p.reasons import Reason, ReasonError

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
"""There is no room: on the disk, in what one may use of it, in the size that a file may have."""

FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}


class Thing(Reason, kind="thing"):
    """What couldn't be used, as the beginning of a sentence says it."""

    JOURNAL = "journal", "the journal"
    LEDGER = "ledger", "the ledger"
    EVIDENCE = "evidence", "the evidence"
    NOTE = "note", "the note"
    KEY_FILE = "key_file", "the key file"
    PROFILE = "profile", "the profile"
    SETTINGS = "settings", "the settings"


class Mend(Reason, kind="mend"):
    """What a player can do about it, as the end of a sentence says it."""

    MAKE_ROOM = "make_room", "make room there and start again, nothing is lost"
    ALLOW_WRITING = (
        "allow_writing",
        "allow writing there and start again, or choose another profile with --profile DIR",
    )
    ALLOW_READING = "allow_reading", "allow reading it and start again"
    SEE_TO_DISK = "see_to_disk", "see to that disk and start again"
    OTHER_FOLDER = "other_folder", "choose another folder"
    OTHER_PROFILE = "other_profile", "choose another one with --profile DIR"
    OTHER_FILE = "other_file", "choose another place or name"
    CLOSE_OR_OWN_PROFILE = "close_or_own_profile", "close that one, or give this one its own with --profile DIR"
    CLOSE_FIRST = "close_first", "close that one first"


class StoreTrouble(Reason, kind="store"):
    """What is wrong with files: what, where, and how to mend it."""

    CANT_WRITE = "cant_write", "{what} {path} can't be written ({reason}): {mend}"
    CANT_READ = "cant_read", "{what} {path} can't be read ({reason}): {mend}"
    CANT_MAKE_FOLDER = "cant_make_folder", "the folder {path} can't be made ({reason}): {mend}"
    OPEN_TO_OTHERS = (
        "open_to_others",
        "others may read {what} {path} (mode {mode}): run  chmod 600 {path}  and try again",
    )
    FOLDER_OPEN_TO_OTHERS = (
        "folder_open_to_others",
        "others may change what is in the folder {path} (mode {mode}): run  chmod go-w {path}  and try again",
    )
    IN_USE = "in_use", "the profile {path} is in use by another Azi: {mend}"
    IN_USE_BY = "in_use_by", "the profile {path} is in use by another Azi (process {process}): {mend}"
    LOST_KEY = (
        "lost_key",
        "the profile {path} has journals but no {file}: import the key with azi id --import FILE, "
        "or start afresh with --profile DIR",
    )
    OTHER_KEY = (
        "other_key",
        "the profile {path} has another key already, and nothing is overwritten: import into a new profile with "
        "--profile DIR",
    )
    NO_KEY_FILE = "no_key_file", "there is no key file {path}: name one that was made with azi id --export"
    KEY_FILE_IS_FOLDER = "key_file_is_folder", "{path} is a folder: name the key file itself"
    NOT_A_KEY_FILE = (
        "not_a_key_file",
        "{path} is no Azi key file, or it is damaged: restore it from a copy made with azi id --export",
    )
    DAMAGED_KEY = "damaged_key", "the key in {path} is damaged: restore it from a copy made with azi id --export"
    KEY_LOCKED = "key_locked", "the key in {path} is locked by a passphrase, and there is nobody to ask for it"
    WRONG_PASSPHRASE = "wrong_passphrase", "that is not the passphrase of {path}: try again"
    FILE_EXISTS = "file_exists", "{path} exists already: choose another name, nothing is overwritten"
    NOT_A_JOURNAL = (
        "not_a_journal",
        "the journal {path} isn't one, or of another version: move it away to start afresh",
    )
    DAMAGED_JOURNAL = (
        "damaged_journal",
        "the journal {path} is damaged at byte {at}: without it this key could sign the same move twice, so play on "
        "with another profile (--profile DIR) or restore the file",
    )
    DAMAGED_NOTE = (
        "damaged_note",
        "the note {path} on the table that was left is damaged ({problem}): delete it to go on without coming back to "
        "that table",
    )
    DAMAGED_LEDGER = (
        "damaged_ledger",
        "the ledger {path} of the table that was left is damaged ({problem}): move it away to go on without it",
    )
    NO_LEDGER_THERE = "no_ledger_there", "no ledger can be written in {path} ({reason}): {mend}"
    TOO_MANY_LEDGERS = (
        "too_many_ledgers",
        "{path} has {count} ledgers of this table already: choose another folder",
    )
    NICKNAME_LENGTH = "nickname_length", "a nickname has 1 to {most} characters that can be printed"
    BAD_NICKNAME = (
        "bad_nickname",
        "the nickname in {path} can't be one: a name has 1 to {most} characters: letters, digits, ordinary punctuation",
    )
    NICKNAME_BY_HAND = (
        "nickname_by_hand",
        "the nickname can't be set in {path} as it is written: write  {line}  into its first line",
    )
    BAD_SWITCH = "bad_switch", "the setting {key} in {path} must be true or false"
    BAD_CHOICE = "bad_choice", "the setting {key} in {path} must be one of {choices}"
    BAD_SETTINGS = "bad_settings", "the settings {path} can't be read: {problem}"
    SETTINGS_NO_FILE = "settings_no_file", "the settings {path} are no file of text: put one there, or remove it"
    LARGE_SETTINGS = "large_settings", "the settings {path} are larger than {most} bytes: make them shorter"
    SETTINGS_BY_HAND = (
        "settings_by_hand",
        "the settings can't be written into {path} as it stands: mend or remove it",
    )


class StoreError(ReasonError):
    """A profile, key, journal or ledger file can't be used as asked; the reason says why and how to mend it."""

    def __init__(self, code: StoreTrouble, /, **details: object) -> None:
        super().__init__(code, **details)


@contextlib.contextmanager
def told_plainly(what: Thing, path: Path) -> Iterator[None]:
    """Turn an OSError of writing `what` at `path` into a StoreError with the mend."""
    try:
        yield
    except OSError as error:
        raise StoreError(
            StoreTrouble.CANT_WRITE, what=what, path=path, reason=error, mend=how_to_mend(error)
        ) from error


def how_to_mend(error: OSError, otherwise: Mend = Mend.SEE_TO_DISK) -> Mend:
    """What a player can do about a file that couldn't be written; `otherwise`: where it is neither room nor rights."""
    if error.errno in FULL:
        return Mend.MAKE_ROOM
    return Mend.ALLOW_WRITING if error.errno in FORBIDDEN else otherwise


def cant_read(what: Thing, path: Path, error: OSError) -> StoreError:
    """The error for a file that is there but can't be read."""
    mend = Mend.ALLOW_READING if error.errno in FORBIDDEN else Mend.SEE_TO_DISK
    return StoreError(StoreTrouble.CANT_READ, what=what, path=path, reason=error, mend=mend)
