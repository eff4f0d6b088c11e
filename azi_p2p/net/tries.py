"""How often somebody may try the code of a private table: a short code is safe only as long as nobody tries them all.

Each try that doesn't end with the right code takes from two allowances, that of its address and one that all addresses
share; both fill up again slowly. A peer whose key has proven the code once has an allowance of its own, which no
stranger can use up: so seats come back even while somebody tries codes. Time comes in as an argument (seconds of one
monotonic clock). What doesn't belong here: how a code is proven (`codeproof`).
"""

from __future__ import annotations

from dataclasses import dataclass

MAX_PROVEN = 64
"""Keys that are remembered to have proven the code; the oldest is forgotten first."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """How many tries may come at once, and after how many seconds another one may."""

    burst: int
    seconds: float


PER_ADDRESS = Allowance(6, 60.0)
IN_ALL = Allowance(30, 60.0)
"""In twelve hours 750 codes at most: against eight digits a chance of one in 130,000."""
PROVEN = Allowance(30, 1.0)
"""Of each key that has proven the code. It knows the code: the bound is for our own time only."""


@dataclass(slots=True)
class _Bucket:
    left: float
    since: float

    def fill(self, allowance: Allowance, now: float) -> float:
        self.left = min(float(allowance.burst), self.left + (now - self.since) / allowance.seconds)
        self.since = now
        return self.left


class Tries:
    """The tries of one side of our links: those of our callers, or our own with those whom we call."""

    def __init__(
        self, per_address: Allowance = PER_ADDRESS, in_all: Allowance = IN_ALL, proven: Allowance = PROVEN
    ) -> None:
        self._per_address = per_address
        self._in_all = in_all
        self._proven = proven
        self._keys: dict[bytes, _Bucket] = {}
        self._addresses: dict[str, _Bucket] = {}
        self._all = _Bucket(in_all.burst, 0.0)

    def take(self, host: str, peer: bytes, now: float) -> bool:
        """Begin a try with `peer` (proven key) at this numeric address; False if there have been too many.

        It counts as a wrong one until `proved` is called.
        """
        known = self._keys.get(peer)
        if known is not None:
            return _take(known, self._proven, now)
        self._addresses = {
            one: bucket
            for one, bucket in self._addresses.items()
            if bucket.fill(self._per_address, now) < self._per_address.burst
        }
        own = self._addresses.setdefault(host, _Bucket(self._per_address.burst, now))
        if own.fill(self._per_address, now) < 1 or self._all.fill(self._in_all, now) < 1:
            return False
        own.left -= 1
        self._all.left -= 1
        return True

    def proved(self, host: str, peer: bytes, now: float) -> None:
        """The try that was begun with `peer` has ended with the right code: it costs nothing."""
        known = self._keys.get(peer)
        if known is not None:
            known.left = min(known.left + 1, self._proven.burst)
            return
        own = self._addresses.get(host)
        if own is not None:
            own.left = min(own.left + 1, self._per_address.burst)
        self._all.left = min(self._all.left + 1, self._in_all.burst)
        if len(self._keys) >= MAX_PROVEN:
            del self._keys[next(iter(self._keys))]
        self._keys[peer] = _Bucket(self._proven.burst, now)


def _take(bucket: _Bucket, allowance: Allowance, now: float) -> bool:
    if bucket.fill(allowance, now) < 1:
        return False
    bucket.left -= 1
    return True
