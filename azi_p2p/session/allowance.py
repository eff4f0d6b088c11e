"""How much of this peer others may take up: so many at once, and so many a second after that (a token bucket).

Sans-IO: time comes in as an argument. What is counted, and what happens to who takes more, is decided where it is
counted; the figures stand here together, so that they can be judged together. An honest peer stays far below them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

MAX_KEYS = 256
"""Takers remembered; the one that took something the longest ago goes first, and by then has its allowance back."""


@dataclass(slots=True)
class Allowance:
    """At most `burst` at once, renewed by `per_second`, for each key (of an author or of a linked peer)."""

    burst: float
    per_second: float
    _left: dict[bytes, tuple[float, float]] = field(default_factory=dict)

    def take(self, key: bytes, now: float) -> bool:
        """Take one; False when nothing is left. `now`: local monotonic seconds."""
        left = self._at(key, now)
        self._left.pop(key, None)  # put back at the end: the first is the one that took the longest ago
        self._left[key] = (left - 1 if left >= 1 else left, now)
        while len(self._left) > MAX_KEYS:
            del self._left[next(iter(self._left))]
        return left >= 1

    def forget(self, key: bytes) -> None:
        """This key won't come back, or begins anew."""
        self._left.pop(key, None)

    def _at(self, key: bytes, now: float) -> float:
        left, since = self._left.get(key, (self.burst, now))
        return min(self.burst, left + max(0.0, now - since) * self.per_second)


def chat_allowance() -> Allowance:
    """Chat of one author: ten messages at once, then one each second."""
    return Allowance(10, 1)


def request_allowance() -> Allowance:
    """Requests about one's seat: twelve at once, then one each second. A person sends a few in an evening."""
    return Allowance(12, 1)


def vote_allowance() -> Allowance:
    """Votes of one author: enough for every seat in both lanes at once, then eight each second."""
    return Allowance(96, 8)


def answer_allowance() -> Allowance:
    """Own votes that others have asked for: so few that the others count all that we sign, claims of our own too."""
    return Allowance(48, 4)


def seat_allowance() -> Allowance:
    """Messages of strangers who want a seat, over one link: a full list of them at once, then two each second."""
    return Allowance(64, 2)


def status_allowance() -> Allowance:
    """Answers to questions about what somebody lacks, to one linked peer. Each may be a page of envelopes."""
    return Allowance(32, 8)


def useless_allowance() -> Allowance:
    """Frames over one link that bring nothing, before it is closed.

    Honest peers send some: what they pass on may be out of date when it comes, a whole page of it at a time.
    """
    return Allowance(1024, 64)
