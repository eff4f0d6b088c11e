"""How cards, suits, seats and chips are called in a sentence, and how people may type a card.

What doesn't belong here: whole sentences about what happened (`tell`) and what a player may do (`ask`).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping

from azi_p2p.rules import Card
from azi_p2p.session.view import TableView
from azi_p2p.ui.i18n import Catalogue
from azi_p2p.ui.names import clean_name

RANKS_TYPED: Mapping[str, str] = {
    **{rank: rank for rank in "6789TJQKA"},
    "10": "T",
    "1": "T",
    "B": "J",
    "V": "Q",
    "В": "J",
    "Д": "Q",
    "К": "K",
    "Т": "A",
    "А": "A",
}
"""What people type for a rank, in capitals: the written form; Afrikaans boer and vrou; Russian letters
(валет, дама, король, туз). The Cyrillic Т is the ace, the Latin T the ten."""

SUITS_TYPED: Mapping[str, str] = {
    **{suit: suit for suit in "SHDC"},
    "K": "C",
    "П": "S",
    "Ч": "H",
    "Б": "D",
    "Т": "C",
    "К": "C",
    "С": "C",
    "Н": "H",
    "\u2660": "S",
    "\u2665": "H",
    "\u2666": "D",
    "\u2663": "C",
    "\u2664": "S",
    "\u2661": "H",
    "\u2662": "D",
    "\u2667": "C",
}
"""What people type for a suit, in capitals: the written form; Afrikaans klawers; Russian letters; the pictures."""


def parse_card(typed: str) -> Card | None:
    """The card that somebody typed (`as`, `10H`, `A♠`, `Тп`), or None if it is none; it may be out of the deck."""
    text = unicodedata.normalize("NFKC", typed).strip().strip("\ufe0e\ufe0f").upper()
    rank, suit = RANKS_TYPED.get(text[:-1]), SUITS_TYPED.get(text[-1:])
    return Card(rank + suit) if rank and suit and text[:-1] != "1" else None


class Words:
    """Phrases of one language for what a table holds."""

    def __init__(self, texts: Catalogue) -> None:
        self.texts = texts

    def card(self, card: str) -> str:
        """A card as the subject of a sentence, with the two letters that a player types for it."""
        return self.texts.text(
            "card.named",
            rank=self.texts.text(f"card.rank.{card[0]}"),
            suit=self.texts.text(f"card.of.{card[1]}"),
            code=card,
        )

    def played_card(self, card: str) -> str:
        """A card as the object of a sentence (somebody plays it)."""
        return self.texts.text(
            "card.named",
            rank=self.texts.text(f"card.object.{card[0]}"),
            suit=self.texts.text(f"card.of.{card[1]}"),
            code=card,
        )

    def suit(self, suit: str) -> str:
        """The name of a suit, standing alone."""
        return self.texts.text(f"card.suit.{suit}")

    def cards(self, cards: Iterable[str]) -> str:
        """Several cards, one after another."""
        return ", ".join(self.card(card) for card in cards)

    def listed(self, parts: list[str]) -> str:
        """A list in words: commas, and the language's "and" before the last."""
        if len(parts) < 2:
            return "".join(parts)
        return self.texts.text("table.and", first=", ".join(parts[:-1]), last=parts[-1])

    def chips(self, amount: int) -> str:
        """An amount of chips in words."""
        return self.texts.plural("table.chips", amount)

    def name(self, view: TableView, seat: int) -> str:
        """The name of whoever holds a seat, cleaned; the seat's number beside it if two have the same name."""
        held = {one.seat: clean_name(one.name) for one in view.seats}
        name = held.get(seat)
        if name is None:
            return self.texts.text("table.seat", seat=seat + 1)
        if sum(other == name for other in held.values()) > 1:
            return self.texts.text("table.name_and_seat", name=name, seat=seat + 1)
        return name
