"""Asking for the passphrase of a key: at the terminal without showing it, or from a file descriptor for scripts.

Never from the command line, which everybody on the computer can read, nor from the environment, which is passed on to
children. What a passphrase does is decided in `azi_p2p.store`.
"""

from __future__ import annotations

import getpass
import os

from azi_p2p.cli.running import CommandFailed
from azi_p2p.cli.terminal import input_is_terminal
from azi_p2p.ui.i18n import Catalogue

VARIABLE = "AZI_PASSPHRASE_FD"
"""Names an open file descriptor. Each line of it answers one question for a passphrase."""

SHORTEST, LONGEST = 8, 1024
"""Characters of a new passphrase; bytes of one that is read."""


def ask(texts: Catalogue) -> str:
    """The passphrase that the key is locked by; raises CommandFailed when there is nobody to ask."""
    return _answer(texts, texts.text("own.ask_passphrase"))


def ask_new(texts: Catalogue) -> str | None:
    """A new passphrase, typed twice at a terminal; None to have none. Raises CommandFailed."""
    new = _answer(texts, texts.text("own.ask_new_passphrase"))
    if not new:
        return None
    if len(new) < SHORTEST:
        raise CommandFailed(texts.text("own.short_passphrase", least=SHORTEST))
    if VARIABLE not in os.environ and _answer(texts, texts.text("own.ask_again")) != new:
        raise CommandFailed(texts.text("own.passphrases_differ"))
    return new


def _answer(texts: Catalogue, question: str) -> str:
    number = os.environ.get(VARIABLE)
    if number is not None:
        return _line_of(texts, number)
    if not input_is_terminal():
        raise CommandFailed(texts.text("own.nobody_to_ask", variable=VARIABLE))
    try:
        return getpass.getpass(question)
    except EOFError:
        raise CommandFailed(texts.text("own.nobody_to_ask", variable=VARIABLE)) from None


def _line_of(texts: Catalogue, number: str) -> str:
    """The next line of a file descriptor, and not a byte more: what follows may be meant for others."""
    line = b""
    try:
        handle = int(number)
        while (byte := os.read(handle, 1)) not in (b"", b"\n") and len(line) < LONGEST:
            line += byte
        return line.removesuffix(b"\r").decode("utf-8")
    except (OSError, ValueError, OverflowError):
        raise CommandFailed(texts.text("own.bad_passphrase_fd", variable=VARIABLE)) from None
