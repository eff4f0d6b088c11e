"""Which of the choices the person has picked out, and how large the adjustable bid stands.

Nothing is picked when a new choice comes up, so that no stray key can take one; only a card that must be played is.
What doesn't belong here: what there is to choose (`choosing`), and taking it (`control`).
"""

from __future__ import annotations

from collections.abc import Sequence

from azi_p2p.rules import Action, Bid
from azi_p2p.session.view import TableView
from azi_p2p.ui.screen.choosing import Offer, offers, stepped
from azi_p2p.ui.words import Words

LEAP = 10
"""Smallest raises that one press of page up or page down is worth."""
STEPS = {"up": 1, "down": -1, "page_up": LEAP, "page_down": -LEAP}


class Picker:
    """What is picked out of the offers of a view. `why`: why the last key picked nothing, if there is a reason."""

    def __init__(self, words: Words) -> None:
        self._words = words
        self._amount: int | None = None
        self.picked: int | None = None
        self.why = ""

    def offers(self, view: TableView | None) -> tuple[Offer, ...]:
        """What there is to choose, the adjustable bid as it stands."""
        return offers(view, self._words, self._amount)

    def action(self, view: TableView | None) -> Action | None:
        """What is picked out, None if nothing is."""
        found = self.offers(view)
        return found[self.picked].action if self.picked is not None and self.picked < len(found) else None

    def renew(self, view: TableView) -> None:
        """Something new is to be chosen: nothing is picked, but for a card that is the only one."""
        self.picked = self._amount = None
        found = self.offers(view)
        possible = [number for number, offer in enumerate(found) if offer.action is not None]
        if len(possible) == 1 and found[possible[0]].card is not None:
            self.picked = possible[0]

    def press(self, key: str, view: TableView | None) -> bool:
        """Do what a key does to the choice; False if it does nothing to it."""
        self.why = ""
        found = self.offers(view)
        if not found or view is None:
            return False
        if key in {"left", "right"}:
            self._move(found, 1 if key == "right" else -1)
        elif key.isascii() and key.isdecimal() and key != "0":
            self._pick(found, int(key) - 1)
        elif key in STEPS:
            self._step(found, view, STEPS[key])
        elif key == "escape":
            self.picked = None
        else:
            return False
        return True

    def _move(self, found: Sequence[Offer], step: int) -> None:
        possible = [number for number, offer in enumerate(found) if offer.action is not None]
        if not possible:
            return
        if self.picked not in possible:
            self.picked = possible[0 if step > 0 else -1]
        else:
            self.picked = possible[(possible.index(self.picked) + step) % len(possible)]

    def _pick(self, found: Sequence[Offer], number: int) -> None:
        if number >= len(found):
            self.why = self._words.texts.text("ask.no_such_choice", last=len(found))
        elif found[number].action is None:
            self.why = found[number].why
        else:
            self.picked = number

    def _step(self, found: Sequence[Offer], view: TableView, steps: int) -> None:
        """Make the adjustable bid larger or smaller; where there is none, do as the arrows to the sides."""
        place = next((number for number, offer in enumerate(found) if offer.amount), None)
        if place is None:
            self._move(found, -1 if steps > 0 else 1)
            return
        start = None if self.picked is None else found[self.picked].action
        # From a preset the amount goes on; from anything else the first press shows only where it stands.
        if isinstance(start, Bid):
            self._amount = stepped(view, start.to, steps)
        self.picked = place
