"""How somebody sits at a table, and the profile that they sit with.

What doesn't belong here: the table itself, and whoever holds the seat (`table`).
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from azi_p2p.cli import passphrase
from azi_p2p.cli.running import CommandFailed
from azi_p2p.net.tablecode import TableCode
from azi_p2p.store.errors import StoreError
from azi_p2p.store.profile import Profile
from azi_p2p.ui.failed import what_failed
from azi_p2p.ui.i18n import Catalogue


@dataclass(frozen=True, slots=True)
class Sitting:
    """How somebody sits at a table: the options that `host` and `join` share, as typed.

    `any_port`: another one will do where `port` is in use. `bot`: level of the bot that holds the seat, None for a
    person. `private`: not announced, reachable from this
    machine alone, as for practice. `anew`: a seat that the profile holds elsewhere is given up. `code`: of a private
    table; `ask_code`: there is one, and it is to be asked for. `watch`: follow the table without a seat.
    """

    bot: str | None = None
    nick: str | None = None
    port: int = 0
    any_port: bool = False
    loopback: bool = False
    out: Path | None = None
    json_out: bool = False
    until_eof: bool = False
    profile: Path | None = None
    private: bool = False
    anew: bool = False
    code: TableCode | None = None
    ask_code: bool = False
    watch: bool = False

    @property
    def stays_here(self) -> bool:
        """Whether nothing is to leave this machine: by an option, or by the environment (AZI_LOOPBACK=1)."""
        return self.loopback or self.private or os.environ.get("AZI_LOOPBACK") == "1"


def opened_profile(
    texts: Catalogue, sitting: Sitting, known: Profile | None = None
) -> contextlib.AbstractContextManager[Profile]:
    """The profile to play with, open, its passphrase asked for if it has one; raises CommandFailed with the mend.

    One that is `known`, for it is open already, stays open afterwards.
    """
    if known is not None:
        return contextlib.nullcontext(known)
    try:
        return Profile.open(sitting.profile, partial(passphrase.ask, texts))
    except StoreError as error:
        raise CommandFailed(what_failed(error, texts)) from error
