"""What this package raises when files are not as they should be: one line for people, with the mend."""

from __future__ import annotations


class StoreError(Exception):
    """A profile, key, journal or ledger file can't be used as asked; the message says why and how to mend it."""
