"""What all peers of a simulation reckon alike, reckoned once.

Each message is decoded, its signature verified and its proofs checked by every peer with the same outcome. In one
process the outcome can be kept: by the bytes, key and context that went in, so nothing is taken for right that a peer
would have refused. What decoding and signatures refuse is reckoned each time. What follows from a frozen state alone,
and is asked for after every event, is kept with the state.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import lru_cache
from types import FunctionType
from typing import Any, cast

from azi_p2p.crypto.identity import verify_signature
from azi_p2p.session import own
from azi_p2p.session.decklane import DeckState
from azi_p2p.session.jobs import CheckPlay, CheckShuffle, CheckTokens, Job, JobResult
from azi_p2p.session.jobs import run_job as really_run_job
from azi_p2p.session.playstate import PlayState
from azi_p2p.wire.codec import encode
from azi_p2p.wire.envelope import decode_envelope
from azi_p2p.wire.frame import decode_frame, encode_frame

_KEPT = 1 << 13

envelope_of = lru_cache(maxsize=_KEPT)(decode_envelope)
"""`decode_envelope`, remembered."""

frame_of = lru_cache(maxsize=_KEPT)(decode_frame)
"""`decode_frame`, remembered."""

bytes_of = lru_cache(maxsize=_KEPT)(encode_frame)
"""`encode_frame`, remembered."""

_verify = lru_cache(maxsize=_KEPT)(verify_signature)
_checked: dict[tuple[object, ...], JobResult] = {}


def run_job(job: Job) -> JobResult:
    """`run_job` of the session; the outcome of a check is remembered."""
    if not isinstance(job, CheckShuffle | CheckTokens | CheckPlay):
        return really_run_job(job)
    key = _key_of(job)
    result = _checked.get(key)
    if result is None:
        result = _checked[key] = really_run_job(job)
    return result


def _key_of(job: CheckShuffle | CheckTokens | CheckPlay) -> tuple[object, ...]:
    """All that goes into a check."""
    values: list[object] = [type(job)]
    for item in fields(job):
        value = getattr(job, item.name)
        if item.name == "body":
            value = encode(value)
        elif item.name == "held":
            value = tuple(sorted(value.items()))
        values.append(value)
    return tuple(values)


def forget() -> None:
    """Forget everything: another group is in use, or another evening begins."""
    for cached in (envelope_of, frame_of, bytes_of, _verify):
        cached.cache_clear()
    _checked.clear()


class _Remembered:
    """A property of frozen objects, reckoned once for each."""

    def __init__(self, original: property) -> None:
        self._reckon = cast("Callable[[object], object]", original.fget)
        self.known: dict[int, tuple[object, object]] = {}

    def __get__(self, state: object, owner: type) -> object:
        # The entry holds the object, so that no other gets its id.
        entry = self.known.get(id(state))
        if entry is None:
            entry = self.known[id(state)] = (state, self._reckon(state))
        return entry[1]


_PROPERTIES = (
    *((PlayState, name) for name in ("roster", "present", "owed", "place", "here")),
    *((DeckState, name) for name in ("seats", "owed", "place")),
)

_SHARED: dict[Callable[..., Any], Callable[..., Any]] = {
    decode_envelope: envelope_of,
    verify_signature: _verify,
    really_run_job: run_job,
}


def _places() -> Iterator[tuple[object, str, object]]:
    """Where sessions and verifiers look these functions up, and what is to stand there."""
    for name, module in sorted(sys.modules.items()):
        # What a peer signs itself it decodes anew, so that it can tell it from what it had signed before.
        if name.startswith("azi_p2p.") and module is not own:
            for at, value in vars(module).items():
                if isinstance(value, FunctionType) and value in _SHARED:
                    yield module, at, _SHARED[value]
    for owner, at in _PROPERTIES:
        yield owner, at, _Remembered(vars(owner)[at])


@contextmanager
def shared_work() -> Iterator[None]:
    """Have sessions and verifiers share their work while the block runs."""
    shared = list(_places())
    originals = [(owner, name, vars(owner)[name]) for owner, name, _ in shared]
    forget()
    for owner, name, function in shared:
        setattr(owner, name, function)
    try:
        yield
    finally:
        for owner, name, original in originals:
            setattr(owner, name, original)
        forget()
