"""Which deal and which trick are on the screen, and how long the clock of a turn still runs.

What doesn't belong here: how they are drawn.
"""

from __future__ import annotations

import math

from azi_p2p.rules import DealState
from azi_p2p.session.view import Phase, TableView

AMPLE = 120
"""Seconds above which a clock goes in steps of ten."""


def open_or_last(view: TableView) -> DealState | None:
    """The deal that is open, or the last one; None before the first."""
    return None if view.rules is None else view.rules.state.deal


def deal_on_show(view: TableView) -> bool:
    """Whether the cards of the view's deal lie on the table; a deal that is over stays until the next is dealt."""
    return view.phase not in {Phase.GATHERING, Phase.ENDED} and open_or_last(view) is not None


def trick_on_show(view: TableView) -> tuple[tuple[str | None, ...], int | None]:
    """The cards that lie on the table, by place, and who won them: the trick being played, or the one before."""
    deal = open_or_last(view)
    if deal is None or not deal_on_show(view):
        return (), None
    if deal.trick is not None and any(deal.trick.cards):
        return deal.trick.cards, deal.trick.winner
    if deal.tricks:
        return deal.tricks[-1].cards, deal.tricks[-1].winner
    return (), None


def seconds_left(view: TableView, now: float) -> int | None:
    """Whole seconds until the time of those who owe something is up; None when no clock runs.

    While there is more than enough time, in tens: nobody needs the seconds, and nothing has to be drawn for them.
    """
    if view.deadline is None:
        return None
    left = max(0, math.ceil(view.deadline - now))
    return left if left <= AMPLE else -(-left // 10) * 10


def next_tick(view: TableView, now: float) -> float | None:
    """When `seconds_left` will be another number, in monotonic seconds; None when it won't."""
    left = seconds_left(view, now)
    if not left or view.deadline is None:
        return None
    return view.deadline - left + (1 if left <= AMPLE else 10)
