"""Reading on while proofs are being checked: each is taken to hold, and looked at later.

The messages of a ledger are a chain, but whether a proof holds depends on nothing but what it is about. So an onlooker
may be told at once that it does, while somebody else checks it. If it doesn't, all that was read on top of it means
nothing, and the ledger is read anew, that check being made in its place. What doesn't belong here: who checks (threads,
processes, other machines).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection

from azi_p2p.session.jobs import Checked, Job, JobResult, run_job

HandOver = Callable[[Job], Callable[[], bool]]
"""Has a check made by somebody; what it gives waits until that is done, and says whether the proofs hold."""


class Refuted(Exception):  # noqa: N818 - it says what has happened; never leaves this package
    """A check that was taken to hold doesn't: that with this number, in the order of the ledger."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Ahead:
    """Runs the checks of one reading of a ledger.

    `doubtful`: numbers of checks that are made in their place, because they are known not to hold. `most`: so many may
    be under way at a time. While one is being waited for, `waiting` others are.
    """

    def __init__(self, hand_over: HandOver, doubtful: Collection[int], most: int) -> None:
        self._hand_over = hand_over
        self._doubtful = doubtful
        self._most = most
        self._begun = 0
        self._under_way: deque[tuple[int, Callable[[], bool]]] = deque()

    def check(self, job: Job) -> JobResult:
        """Take the job's check to hold. Raises Refuted where an earlier one turns out not to."""
        self._begun += 1
        if self._begun in self._doubtful:
            return run_job(job)
        if len(self._under_way) >= self._most:
            self._wait_for_first()
        self._under_way.append((self._begun, self._hand_over(job)))
        return Checked(None)

    def confirm(self) -> None:
        """Wait for all checks; raises Refuted for the first that doesn't hold."""
        while self._under_way:
            self._wait_for_first()

    def _wait_for_first(self) -> None:
        number, holds = self._under_way.popleft()
        if not holds():
            raise Refuted(number)
