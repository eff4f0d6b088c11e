"""How seats, and what each of them has or gets, are called where a scenario is explained.

What doesn't belong here: what is said (`referee`, `legalnow`).
"""

from __future__ import annotations

from azi_p2p.ui.i18n import Catalogue
from azi_p2p.ui.names import clean_name
from azi_p2p.ui.words import Words


class Voice:
    """Speaks one language. `names` are the players' own words and are cleaned here."""

    def __init__(self, texts: Catalogue, names: tuple[str, ...]) -> None:
        self.texts = texts
        self.words = Words(texts)
        cleaned = [
            clean_name(name) if name else texts.text("table.seat", seat=seat + 1) for seat, name in enumerate(names)
        ]
        self.names = [
            texts.text("table.name_and_seat", name=name, seat=seat + 1) if cleaned.count(name) > 1 else name
            for seat, name in enumerate(cleaned)
        ]

    def of(self, key: str, seat: int, **values: object) -> str:
        """A sentence of the catalogue about a seat."""
        return self.texts.text(key, name=self.names[seat], **values)

    def amounts(self, amounts: tuple[int, ...], *, zeros: bool = False) -> str:
        """List what each seat has, pays or gets."""
        return ", ".join(
            self.texts.text("reckon.part", name=self.names[seat], chips=amount)
            for seat, amount in enumerate(amounts)
            if amount or zeros
        )

    def listed(self, seats: tuple[int, ...] | list[int]) -> str:
        """Seats in words, one after another."""
        return self.words.listed([self.names[seat] for seat in seats])
