"""What this package raises when the network or a peer doesn't do what it should: one line for people each."""

from __future__ import annotations


class NetError(Exception):
    """The network can't be used as asked; the message says what is wrong and how to mend it."""


class LinkError(NetError):
    """A link can't be made, or has ended. `code` is a short machine word, stable across versions.

    Codes: `unreachable` (nobody answers there), `timeout`, `not_azi` (no TLS, or other bytes than ours), `closed`,
    `own_key`, `bad_key`, `newer_version`, `older_version`, `bad_hello`, `bad_signature`, `wrong_peer`, `bad_frame`,
    `silent`, `not_reading`, `dropped`, `replaced`; with codes of tables, `code_needed` (we have none), `no_code` (there
    is none), `wrong_code`, `too_many_tries`, `other_table`.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
