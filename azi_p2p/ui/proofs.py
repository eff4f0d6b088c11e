"""Each proof of a deal that this peer has checked or made: whose it is, how long it took, and what it means.

What doesn't belong here: checking anything (`azi_p2p.session` has done it), and how the list looks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from azi_p2p.rules import Play
from azi_p2p.session import events as happened
from azi_p2p.session.events import Event
from azi_p2p.session.jobs import CheckPlay, CheckShuffle, CheckTokens, Job, MakePlay, MakeShuffle, MakeTokens
from azi_p2p.session.view import TableView
from azi_p2p.ui.words import Words

Kind = Literal["shuffle", "tokens", "play"]
Place = Literal["heading", "proof", "meaning", "note"]
"""What a line of the list is."""

DEALS_KEPT = 2
"""The deal being played, and the next, whose deck is shuffled meanwhile."""


@dataclass(frozen=True, slots=True)
class Proof:
    """One proof that holds. `card`: the card that it opens, for a play; `voids`: suits proven to be missing with it."""

    kind: Kind
    seat: int
    card: str = ""
    voids: tuple[str, ...] = ()


@dataclass(slots=True)
class _Deal:
    shuffles: list[Proof] = field(default_factory=list)
    opened: list[Proof] = field(default_factory=list)
    seconds: dict[tuple[Kind, int, str], float] = field(default_factory=dict)


class Proofs:
    """The proofs of the last deals, in the order in which they were found to hold."""

    def __init__(self, words: Words) -> None:
        self._words = words
        self._deals: dict[int, _Deal] = {}

    def timed(self, job: Job, seconds: float) -> None:
        """A proof took so many seconds to make or to check."""
        where = job.context
        match job:
            case CheckShuffle() | MakeShuffle():
                key: tuple[Kind, int, str] = ("shuffle", where.seat, "")
            case CheckTokens() | MakeTokens():
                key = ("tokens", where.seat, "")
            case CheckPlay():
                key = ("play", where.seat, job.body.card)
            case MakePlay():
                key = ("play", where.seat, job.card)
        self._deal(where.deal).seconds[key] = seconds

    def add(self, events: Sequence[Event], view: TableView) -> None:
        """Take in what was found to hold; `view` is the table after it."""
        for event in events:
            match event:
                case happened.ShuffleProven():
                    # A deck that was given up begins again with its first shuffle.
                    shuffles = self._deal(event.deal).shuffles
                    shuffles[event.done - 1 :] = [Proof("shuffle", event.seat)]
                case happened.CardsDealt() if view.rules is not None and view.rules.state.deal is not None:
                    seats = view.rules.state.deal.dealt_in
                    self._deal(event.deal).opened = [Proof("tokens", seat) for seat in seats]
                case happened.ActionTaken(action=Play(card=card)) if self._deals:
                    self._deal(self._played(view)).opened.append(Proof("play", event.seat, card, event.voids))
                case _:
                    pass

    def _played(self, view: TableView) -> int:
        """The number of the deal whose cards are played: a view may have gone on to the next."""
        open_deals = [number for number, deal in self._deals.items() if deal.opened]
        return max(open_deals, default=view.deal)

    def _deal(self, number: int) -> _Deal:
        if number not in self._deals:
            self._deals[number] = _Deal()
            for old in sorted(self._deals)[:-DEALS_KEPT]:
                del self._deals[old]
        return self._deals.get(number, _Deal())

    def lines(self, view: TableView) -> Iterator[tuple[Place, str]]:
        """The list in the player's language: each proof of this deal, and what each kind of them means."""
        texts = self._words.texts
        shown = [number for number in (view.deal, view.deal + 1) if number in self._deals]
        deal = self._deals[shown[0]] if shown else _Deal()
        yield "heading", texts.text("proof.shuffles")
        yield from self._listed(deal.shuffles, deal, view)
        missing = view.proofs.shuffles_expected - view.proofs.shuffles
        if missing > 0:
            yield "note", texts.plural("proof.missing", missing)
        yield "meaning", texts.text("proof.shuffles_mean")
        tokens = [proof for proof in deal.opened if proof.kind == "tokens"]
        if not tokens and view.proofs.tokens and view.rules is not None and view.rules.state.deal is not None:
            # Checked, but not seen: this peer has come back in the middle of the deal.
            tokens = [Proof("tokens", seat) for seat in view.rules.state.deal.dealt_in]
        if not tokens:
            return
        yield "heading", texts.text("proof.tokens")
        yield from self._listed(tokens, deal, view)
        yield "meaning", texts.text("proof.tokens_mean")
        plays = [proof for proof in deal.opened if proof.kind == "play"]
        if not plays:
            return
        yield "heading", texts.text("proof.plays")
        yield from self._listed(plays, deal, view)
        yield "meaning", texts.text("proof.plays_mean")
        if any(proof.voids for proof in plays):
            yield "meaning", texts.text("proof.voids_mean")

    def _listed(self, proofs: Sequence[Proof], deal: _Deal, view: TableView) -> Iterator[tuple[Place, str]]:
        texts, words = self._words.texts, self._words
        for proof in proofs:
            mine = proof.seat == view.my_seat
            parts = [texts.text("proof.you") if mine else words.name(view, proof.seat)]
            if proof.card:
                parts.append(words.card(proof.card))
            parts += [texts.text("proof.without", suit=texts.text(f"card.of.{suit}")) for suit in proof.voids]
            seconds = deal.seconds.get((proof.kind, proof.seat, proof.card))
            if seconds is None:
                how = texts.text("proof.holds")
            else:
                how = texts.text("proof.made" if mine else "proof.checked", ms=max(1, round(1000 * seconds)))
            yield "proof", texts.text("proof.line", what=", ".join(parts), how=how)
