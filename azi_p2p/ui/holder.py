"""The peer that holds a person's seat, as the screen and the line mode use it, and what can be wished for.

What doesn't belong here: the peer itself, which the command line makes.
"""

from __future__ import annotations

from typing import Protocol

from azi_p2p.session.commands import Command, WishKind
from azi_p2p.session.view import Phase, TableView

WISHES: dict[str, WishKind] = {
    "leave": "leave",
    "sit_out": "sit_out",
    "return": "return",
    "rebuy": "rebuy",
    "pause": "pause",
    "resume": "resume",
    "finish": "finish",
}
"""Words of the menu and of line mode that stand for wishes of the own seat."""


def has_left(view: TableView) -> bool:
    """Whether the own seat has left the table, now or in an earlier run: who asks for it again may get it again."""
    return view.my_seat is not None and any(seat.seat == view.my_seat and seat.gone for seat in view.seats)


def nobody_waits(view: TableView | None) -> bool:
    """Whether nobody at this table waits for this person: nothing is played, or the person has no seat there."""
    if view is None or view.phase in {Phase.GATHERING, Phase.ENDED}:
        return True
    return view.phase is not Phase.RESUMING and (view.my_seat is None or has_left(view))


class SeatHolder(Protocol):
    """The peer that holds the seat, as far as a person uses it."""

    def submit(self, command: Command) -> None:
        """Carry out a command; raises CommandRefused."""

    def view(self) -> TableView | None:
        """The table as the own seat sees it now; None while it isn't known yet."""

    def addresses(self) -> list[tuple[str, int]]:
        """Where it listens."""

    def stop(self) -> None:
        """Stop soon."""
