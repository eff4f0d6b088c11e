"""Advice in one sentence: what a strong player would do here, and what speaks for it. For practice only.

What doesn't belong here: thinking (whoever gives the advice), and doing what it says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from azi_p2p.rules import Action, Bid, BuyIn, Call, Card, Discard, Option, Play, View
from azi_p2p.ui.ask import call_text
from azi_p2p.ui.words import Words


class Advice(Protocol):
    """An action and what speaks for it, as the bots give it: chances from 0 to 1, gains in chips on average."""

    @property
    def action(self) -> Action:
        """What to do."""

    @property
    def reason(self) -> str:
        """What kind of reason: only, play, discard, buy_in, decline, stay, fold, least_loss."""

    @property
    def chance(self) -> float:
        """For a card: the chance to win the deal after it."""

    @property
    def rival(self) -> Card | None:
        """For a card: the next best."""

    @property
    def rival_chance(self) -> float:
        """The chance after that one."""

    @property
    def gain(self) -> float:
        """What it gains over the cheapest way, on average; negative where the best other way loses."""


Advise = Callable[[View, Sequence[Option]], Advice]
"""Thinks about a view and the options of its seat."""


def hint(advise: Advise, view: View, words: Words) -> str:
    """One sentence for the seat of the view, which is asked for something."""
    advice = advise(view, view.options)
    texts = words.texts
    values: dict[str, object] = {"what": _what(advice.action, view, words)}
    if advice.reason in {"play", "discard"} and advice.rival is not None:
        values["chance"] = _percent(advice.chance)
        values["other"] = _percent(advice.rival_chance)
        values["rival"] = words.card(advice.rival)
    elif advice.reason in {"stay", "fold", "buy_in", "decline"}:
        return texts.plural(f"hint.{advice.reason}", max(1, round(abs(advice.gain))), **values)
    return texts.text(f"hint.{advice.reason}", **values)


def _percent(chance: float) -> int:
    return round(100 * chance)


def _what(action: Action, view: View, words: Words) -> str:
    texts, state = words.texts, view.state
    match action:
        case Bid(to=to):
            raising = state.deal is not None and state.deal.highest_bid
            return texts.text("hint.raise" if raising else "hint.bid", to=to)
        case Call(seat=seat):
            return call_text(view, seat, texts)
        case Play(card=card):
            return texts.text("choice.play", card=words.played_card(card))
        case Discard(card=str(card)):
            return texts.text("choice.discard", card=words.played_card(card))
        case BuyIn():
            return texts.text("choice.buy_in", price=state.replay.price if state.replay is not None else 0)
        case _:
            return texts.text(f"choice.{type(action).__name__.lower()}")
