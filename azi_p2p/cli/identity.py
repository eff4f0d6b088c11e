"""`azi id`: the own key: its fingerprint, and moving it to another machine.

What doesn't belong here: key files and their permissions (`azi_p2p.store`).
"""

from __future__ import annotations

import json
from pathlib import Path

from azi_p2p.cli import passphrase
from azi_p2p.cli.running import FINE, CommandFailed, tell
from azi_p2p.crypto.identity import fingerprint, short_fingerprint
from azi_p2p.store.errors import StoreError
from azi_p2p.store.keyfile import KeyFile
from azi_p2p.store.profile import (
    KEY_FILE,
    Profile,
    change_passphrase,
    export_identity,
    import_identity,
    profile_directory,
    read_identity,
    read_nickname,
)
from azi_p2p.ui.failed import what_failed
from azi_p2p.ui.i18n import Catalogue
from azi_p2p.ui.names import clean_name


def run(
    texts: Catalogue,
    profile: Path | None,
    export_to: Path | None,
    import_from: Path | None,
    *,
    new_passphrase: bool = False,
    json_out: bool,
) -> int:
    """Show the key of a profile (made if there is none), after exporting or importing it; gives the exit code.

    `new_passphrase`: first ask for a passphrase that locks the key from now on.
    """
    folder = profile_directory(profile)
    try:
        if import_from is not None:
            identity = import_identity(profile, import_from)
            tell(texts.text("own.imported", file=import_from, profile=folder))
        else:
            identity = own_key(profile)
        if new_passphrase:
            lock_key(texts, profile)
        if export_to is not None:
            export_identity(profile, export_to)
            tell(texts.text("own.exported", file=export_to))
        nickname = read_nickname(folder)
    except StoreError as error:
        raise CommandFailed(what_failed(error, texts)) from error
    except OSError as error:
        raise CommandFailed(what_failed(error, texts)) from error
    if json_out:
        print(
            json.dumps(
                {
                    "fingerprint": fingerprint(identity.public),
                    "key": identity.public.hex(),
                    "nickname": nickname,
                    "profile": str(folder),
                }
            )
        )
        return FINE
    if nickname is not None:
        print(texts.text("own.name", name=clean_name(nickname, 24)))
    print(
        texts.text(
            "own.fingerprint", fingerprint=fingerprint(identity.public), short=short_fingerprint(identity.public)
        )
    )
    print(texts.text("own.profile", profile=folder))
    return FINE


def lock_key(texts: Catalogue, profile: Path | None) -> None:
    """Ask for the passphrase that the key has, if it has one, and for a new one; raises StoreError, CommandFailed."""
    old: list[str] = []
    if read_identity(profile).locked:
        old.append(passphrase.ask(texts))
    new = passphrase.ask_new(texts)
    change_passphrase(profile, lambda: old[0], new)
    tell(texts.text("own.locked" if new else "own.unlocked"))


def own_key(profile: Path | None) -> KeyFile:
    """The key file of a profile, also while it is in use; a new profile gets one. Raises StoreError."""
    if not (profile_directory(profile) / KEY_FILE).exists():
        Profile.open(profile).close()
    return read_identity(profile)
