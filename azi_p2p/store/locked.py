"""A secret under a passphrase, for key files. Nothing here knows what the secret is for, or how files look.

Scrypt (RFC 7914) makes a key of the passphrase, AES-256-GCM (NIST SP 800-38D) seals the secret under it and binds the
public half to it. The cost of scrypt is fixed: 32 MiB of memory, three times over, which makes guessing slow and the
right passphrase still quick. A file can't ask for more.
"""

from __future__ import annotations

import os
import unicodedata

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

SALT, NONCE, TAG = 16, 12, 16
"""Bytes."""

DOMAIN = b"azi/1 locked key"


class WrongPassphrase(Exception):
    """The passphrase doesn't open what was sealed, or somebody has changed that; nobody can tell which."""


def lock(secret: bytes, public: bytes, passphrase: str) -> bytes:
    """Seal `secret` under a passphrase, together with the public half that belongs to it: salt, nonce, ciphertext."""
    salt, nonce = os.urandom(SALT), os.urandom(NONCE)
    return salt + nonce + AESGCM(_key(passphrase, salt)).encrypt(nonce, secret, DOMAIN + public)


def unlock(sealed: bytes, public: bytes, passphrase: str) -> bytes:
    """Open what `lock` has sealed; raises WrongPassphrase."""
    salt, nonce, ciphertext = sealed[:SALT], sealed[SALT : SALT + NONCE], sealed[SALT + NONCE :]
    try:
        return AESGCM(_key(passphrase, salt)).decrypt(nonce, ciphertext, DOMAIN + public)
    except InvalidTag:
        raise WrongPassphrase from None


def _key(passphrase: str, salt: bytes) -> bytes:
    # One passphrase has one form, on whichever keyboard its accents were typed.
    plain = unicodedata.normalize("NFC", passphrase).encode("utf-8", "surrogatepass")
    return Scrypt(salt=salt, length=32, n=2**15, r=8, p=3).derive(plain)
