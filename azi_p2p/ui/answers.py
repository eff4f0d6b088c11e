"""What line mode tells: what happened, and answers to questions about the table, sentence by sentence.

What doesn't belong here: reading and printing (`lines`), and what the player may do (`ask`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from azi_p2p.rules import View
from azi_p2p.session.events import DealEnded, Event
from azi_p2p.session.view import Phase, TableView
from azi_p2p.ui.about import rules_lines, seat_lines
from azi_p2p.ui.proofs import Proofs
from azi_p2p.ui.reckon import chips_now
from azi_p2p.ui.tell import Teller


class Answers:
    """Keeps what may be asked for later: the proofs of the deal, and how the last one ended."""

    def __init__(self, teller: Teller) -> None:
        self.proofs = Proofs(teller.words)
        self._teller = teller
        self._texts = teller.texts
        self._words = teller.words
        self._result: list[str] = []

    def tell(self, events: Sequence[Event], view: TableView) -> list[str]:
        """The sentences for these events; `view` is the table after all of them."""
        self.proofs.add(events, view)
        told: list[str] = []
        for event in events:
            sentences = self._teller.tell([event], view)
            if isinstance(event, DealEnded):
                self._result = sentences
            told += sentences
        return told

    def about(self, name: str, view: TableView) -> Iterator[str]:
        """The answer to `proofs`, `chips`, `rules`, `result`, `hand` or `status`."""
        rules = view.rules
        if name == "rules":
            yield from seat_lines(view, self._words)
            yield from rules_lines(view, self._words)
        elif rules is None:
            yield self._texts.text("lines.not_founded")
        elif name == "proofs":
            yield from self._proven(view)
        elif name == "chips":
            yield from chips_now(view, self._words)
        elif name == "result":
            yield from self._result or [self._texts.text("lines.no_result")]
        else:
            if rules.hand:
                yield self._texts.text("event.hand", cards=self._words.cards(rules.hand))
            if name == "status":
                yield from self._status(view, rules)

    def _proven(self, view: TableView) -> Iterator[str]:
        yield from self._teller.proofs(view)
        for place, line in self.proofs.lines(view):
            yield f"  {line}" if place in {"proof", "note"} else line
        yield self._texts.text("lines.proofs")

    def _status(self, view: TableView, rules: View) -> Iterator[str]:
        texts, words, deal = self._texts, self._words, rules.state.deal
        if deal is not None and deal.upcard is not None and deal.result is None:
            yield texts.text("event.upcard", card=words.card(deal.upcard), trump=words.suit(str(deal.trump)))
            if deal.trick is not None:
                played = [
                    texts.text("lines.lies", name=words.name(view, seat), card=words.card(card))
                    for seat, card in enumerate(deal.trick.cards)
                    if card is not None
                ]
                if played:
                    yield ", ".join(played) + "."
            yield texts.text("lines.bids", pot=words.chips(rules.state.pot), highest=deal.highest_bid)
        yield from chips_now(view, words)
        if view.phase is Phase.RESUMING or not view.owed:
            # While we come back, whose turn it was when we left may be long ago.
            yield texts.text(f"phase.{view.phase}")
        elif not view.legal:
            yield self.waiting_for(view)

    def waiting_for(self, view: TableView) -> str:
        """Whom the table waits for."""
        names = self._words.listed([self._words.name(view, seat) for seat in view.owed])
        return self._texts.text("lines.waiting", names=names)
