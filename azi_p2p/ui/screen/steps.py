"""The steps of a table one after another, so that a person can follow what others do within a moment.

What doesn't belong here: what is shown of a step.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from azi_p2p.session.events import ActionTaken, Event, TrickWon
from azi_p2p.session.view import TableView

OTHERS_PACE = 0.7
"""Seconds for which what another seat does is shown before what comes next."""
TRICK_PACE = 1.4
"""The same for the card that completes a trick."""
MOST_WAITING = 24
"""Steps that may wait to be shown; when more come in, they are shown at once."""


@dataclass(frozen=True, slots=True)
class Step:
    """What happened in one step of the table, and the view after it."""

    events: Sequence[Event]
    view: TableView


class Steps:
    """Steps that wait to be shown. `lively`: let people follow; else everything is shown at once."""

    def __init__(self, *, lively: bool) -> None:
        self._lively = lively
        self._waiting: deque[Step] = deque()
        self._next = 0.0

    def __bool__(self) -> bool:
        return bool(self._waiting)

    @property
    def next_at(self) -> float | None:
        """When the next step is due, in monotonic seconds; None when none waits."""
        return self._next if self._waiting else None

    def add(self, events: Sequence[Event], view: TableView) -> None:
        """Let a step wait behind those that wait already."""
        self._waiting.append(Step(events, view))

    def due(self, now: float, *, hurry: bool = False) -> Iterator[Step]:
        """The steps that are to be shown now, taken out of the queue; with `hurry` all."""
        while self._waiting and (hurry or now >= self._next or len(self._waiting) > MOST_WAITING):
            step = self._waiting.popleft()
            self._next = now + self._pace(step)
            yield step

    def _pace(self, step: Step) -> float:
        if not self._lively:
            return 0.0
        if any(isinstance(event, TrickWon) for event in step.events):
            return TRICK_PACE
        others = any(isinstance(event, ActionTaken) and event.seat != step.view.my_seat for event in step.events)
        return OTHERS_PACE if others else 0.0
