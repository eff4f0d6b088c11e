"""The clocks of simulated peers: each has its own beginning and its own pace, and may jump or stand still.

A session is told local monotonic time only; no two of these agree, as on real machines.
"""

from __future__ import annotations

import random

PPM = 1e-6


class PeerClock:
    """One peer's monotonic clock against the world's time; both in seconds.

    It runs `rate` seconds for each second of the world. `jump` is what a machine that was suspended sees, whose clock
    went on meanwhile (or which was only told of it now); it never goes back, but it may be held.
    """

    def __init__(self, now: float, reading: float, rate: float) -> None:
        """At the world's time `now` the clock shows `reading`."""
        self._since = now
        self._reading = reading
        self.rate = rate

    def read(self, now: float) -> float:
        """What the clock shows at the world's time `now`, which is not before any given so far."""
        return self._reading + (now - self._since) * self.rate

    def when(self, reading: float) -> float:
        """The world's time at which it shows `reading`, unless it jumps."""
        return self._since + (reading - self._reading) / self.rate

    def jump(self, now: float, seconds: float) -> None:
        """Let it show so much more from now on."""
        self._reading, self._since = self.read(now) + seconds, now

    def hold(self, now: float, seconds: float) -> None:
        """Let it have stood still for the last `seconds` of the world's time."""
        self._reading, self._since = self._reading + (now - seconds - self._since) * self.rate, now


def random_clock(chance: random.Random, now: float, worst: float) -> PeerClock:
    """A clock that began at any time and runs wrong by up to `worst` (a part of one)."""
    return PeerClock(now, chance.uniform(0.0, 1e6), 1.0 + chance.uniform(-worst, worst))
