"""The card that a person chooses while others are still to play: marked at first, then meant.

Marked, it is picked out when the turn comes; meant, it is played then, if the rules allow it. What doesn't belong here:
choosing while it is one's turn, and playing.
"""

from __future__ import annotations

from azi_p2p.rules import Card, Phase
from azi_p2p.session.view import Phase as TablePhase
from azi_p2p.session.view import TableView


class Ahead:
    """At most one card. `meant`: it is to be played as soon as that is possible."""

    def __init__(self) -> None:
        self.card: Card | None = None
        self.meant = False

    def possible(self, view: TableView | None) -> tuple[Card, ...]:
        """The cards to choose from; empty when the own seat is asked itself, or holds none in this deal."""
        if view is None or view.rules is None or view.phase is not TablePhase.ACTING or view.legal:
            return ()
        deal = view.rules.state.deal
        if deal is None or view.rules.state.phase is not Phase.PLAYING or view.my_seat not in deal.live:
            return ()
        return view.rules.hand

    def renew(self, view: TableView) -> None:
        """Forget a card that is no longer in the hand."""
        if self.card is not None and (view.rules is None or self.card not in view.rules.hand):
            self.clear()

    def clear(self) -> None:
        """Choose none."""
        self.card, self.meant = None, False

    def mean(self, card: Card) -> None:
        """This card is to be played as soon as that is possible."""
        self.card, self.meant = card, True

    def press(self, key: str, view: TableView | None) -> bool:
        """Do what a key does to the choice; False if it does nothing to it."""
        cards = self.possible(view)
        if not cards:
            return False
        if key in {"left", "right"}:
            at = cards.index(self.card) if self.card in cards else (-1 if key == "right" else 0)
            self._mark(cards[(at + (1 if key == "right" else -1)) % len(cards)])
        elif key.isascii() and key.isdecimal() and 1 <= int(key) <= len(cards):
            self._mark(cards[int(key) - 1])
        elif key == "enter" and self.card is not None:
            self.meant = True
        elif key == "escape" and self.card is not None:
            self.clear()
        else:
            return False
        return True

    def _mark(self, card: Card) -> None:
        self.card, self.meant = card, False
