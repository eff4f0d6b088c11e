"""The second verifier over the same toy group as the program (`tests.simulation.toygroup`), for tests of the order.

Only what stands for a group element is exchanged; its signatures, transcripts, proofs and rules are the real ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from azi_p2p.crypto import group
from tests.second_verifier.theirs import load
from tests.simulation.toygroup import toy_group

theirs = load()
_L = group.L


def _of(value: int) -> Any:
    return theirs.Element((value % _L).to_bytes(32, "little"), theirs.NEUTRAL)


def _value(item: Any) -> int:
    return int.from_bytes(item.data, "little")


def _element(data: bytes) -> Any:
    theirs.demand(len(data) == 32, "a group element isn't 32 bytes long", "bad_proof")
    theirs.demand(0 < int.from_bytes(data, "little") < _L, "a group element isn't canonical", "bad_proof")
    return theirs.Element(data, theirs.NEUTRAL)


def _combine(*terms: tuple[int, Any]) -> Any:
    return _of(sum(scalar * _value(item) for scalar, item in terms))


def _add_up(plus: Iterable[Any], minus: Iterable[Any] = ()) -> Any:
    return _of(sum(map(_value, plus)) - sum(map(_value, minus)))


@contextmanager
def both_over_toy_group() -> Iterator[None]:
    """Have the program and the second verifier use the toy group while the block runs."""
    with toy_group(), pytest.MonkeyPatch.context() as patch:
        theirs.hash_to_group.cache_clear()
        patch.setattr(theirs, "element", _element)
        patch.setattr(theirs, "ristretto_from_uniform", lambda data: _of(int.from_bytes(data, "little")))
        patch.setattr(theirs, "combine", _combine)
        patch.setattr(theirs, "add_up", _add_up)
        patch.setattr(theirs, "G", _element(group.G))
        yield
    theirs.hash_to_group.cache_clear()
