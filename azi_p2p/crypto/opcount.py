"""Counting group operations: how much work a proof is, whatever the machine.

For benchmarks, which compare a proof with the time its operations take alone, and for tests, which notice
when a change adds one. Nothing here is used while a game is played.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from azi_p2p.crypto import group

_PRIMITIVES = {
    "mul": "_mul",
    "mul_base": "_mul_base",
    "add": "_add",
    "sub": "_sub",
    "from_hash": "_from_hash",
    "is_valid": "_is_valid",
}


@contextmanager
def count_operations() -> Iterator[Counter[str]]:
    """Count every primitive operation of the group while the block runs.

    Yields:
        A counter by name: `mul`, `mul_base`, `add`, `sub`, `from_hash`, `is_valid`. It counts the whole
        process, so nothing else should use the group meanwhile.
    """
    counts: Counter[str] = Counter()
    originals = {attribute: getattr(group, attribute) for attribute in _PRIMITIVES.values()}
    for name, attribute in _PRIMITIVES.items():
        setattr(group, attribute, _counting(counts, name, originals[attribute]))
    try:
        yield counts
    finally:
        for attribute, original in originals.items():
            setattr(group, attribute, original)


def bare_operations() -> dict[str, Callable[[], object]]:
    """Give each primitive as a call without arguments, on random inputs: the library alone, to be timed."""
    scalar = group.random_scalar()
    left, right = (group.hash_to_group(bytes([index])) for index in range(2))
    arguments: dict[str, tuple[bytes, ...]] = {
        "mul": (scalar, left),
        "mul_base": (scalar,),
        "add": (left, right),
        "sub": (left, right),
        "from_hash": (left + right,),
        "is_valid": (left,),
    }
    return {name: _bound(getattr(group, _PRIMITIVES[name]), given) for name, given in arguments.items()}


def _counting(counts: Counter[str], name: str, original: Callable[..., object]) -> Callable[..., object]:
    def counted(*arguments: bytes) -> object:
        counts[name] += 1
        return original(*arguments)

    return counted


def _bound(function: Callable[..., object], arguments: tuple[bytes, ...]) -> Callable[[], object]:
    return lambda: function(*arguments)
