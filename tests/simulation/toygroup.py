"""The real proofs over a toy group, for volume: integers modulo L in place of ristretto255.

Everybody can read logarithms off such "elements", so nothing is hidden; but every algorithm, transcript and encoding
is the real one, and runs some fifty times faster. For simulations of the protocol only.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from azi_p2p.crypto import cards, group

_L = group.L

_BASE = int.from_bytes(b"any number will do but one, so a public key never looks like its secret", "little") % _L


def _read(data: bytes) -> int:
    return int.from_bytes(data, "little")


def _write(value: int) -> bytes:
    return (value % _L).to_bytes(32, "little")


_PATCHES = {
    "_mul": lambda scalar, element: _write(_read(scalar) * _read(element)),
    "_mul_base": lambda scalar: _write(_read(scalar) * _BASE),
    "_add": lambda left, right: _write(_read(left) + _read(right)),
    "_sub": lambda left, right: _write(_read(left) - _read(right)),
    "_from_hash": lambda data: _write(_read(data)),
    "_is_valid": lambda data: 0 < _read(data) < _L,
    "G": _write(_BASE),
}


def _forget() -> None:
    for function in vars(cards).values():
        clear = getattr(function, "cache_clear", None)
        if clear is not None:
            clear()


@contextmanager
def toy_group() -> Iterator[None]:
    """Use the toy group while the block runs; nothing made inside it has a meaning outside."""
    originals = {name: getattr(group, name) for name in _PATCHES}
    _forget()
    for name, patch in _PATCHES.items():
        setattr(group, name, patch)
    try:
        yield
    finally:
        for name, original in originals.items():
            setattr(group, name, original)
        _forget()
