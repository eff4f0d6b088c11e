"""What the own seat may choose from now, as the screen offers it: buttons for bids, the own cards for play.

Every card of the hand is there, those that can't be chosen with the rule that says so. What doesn't belong here: which
of them the person has picked out (`control`), and how they look.
"""

from __future__ import annotations

from dataclasses import dataclass

from azi_p2p.rules import Action, Bid, Option, Phase, View
from azi_p2p.session.view import Phase as TablePhase
from azi_p2p.session.view import TableView
from azi_p2p.ui.ask import Wrong, bid_presets, call_text, judged
from azi_p2p.ui.i18n import Catalogue
from azi_p2p.ui.words import Words


@dataclass(frozen=True, slots=True)
class Offer:
    """One thing to choose. `action` None: it can't be chosen, and `why` says which rule forbids it. `card`: the card
    that it is about, None for a button. `amount`: the bid that can be made larger or smaller with the arrows."""

    text: str
    action: Action | None
    card: str | None = None
    why: str = ""
    amount: bool = False


def bid_option(view: TableView | None) -> Option | None:
    """The bid that the own seat may make now, with its bounds; None if it may make none."""
    return None if view is None else next((option for option in view.legal if option.do == "bid"), None)


def offers(view: TableView | None, words: Words, amount: int | None) -> tuple[Offer, ...]:
    """Everything to choose from, in order; empty when the own seat isn't asked.

    `amount`: the total that the adjustable bid stands at, None for the least.
    """
    rules = None if view is None else view.rules
    if view is None or rules is None or not view.legal or view.phase is not TablePhase.ACTING:
        return ()
    if rules.state.phase in {Phase.DISCARD, Phase.PLAYING}:
        return _cards(view, rules, words)
    texts = words.texts
    found: list[Offer] = []
    options = {option.do: option for option in view.legal}
    if "call" in options:
        found.append(Offer(_call(rules, options["call"], texts), options["call"].action()))
    if "check" in options:
        found.append(Offer(texts.text("screen.check"), options["check"].action()))
    if "bid" in options:
        found += _bids(options["bid"], rules, texts, amount)
    if "buy_in" in options:
        price = rules.state.replay.price if rules.state.replay is not None else 0
        found.append(Offer(texts.text("choice.buy_in", price=price), options["buy_in"].action()))
    if "decline" in options:
        found.append(Offer(texts.text("choice.decline"), options["decline"].action()))
    if "fold" in options:
        found.append(Offer(texts.text("choice.fold"), options["fold"].action()))
    return tuple(found)


def _cards(view: TableView, rules: View, words: Words) -> tuple[Offer, ...]:
    legal = {option.card: option for option in view.legal if option.card is not None}
    found = []
    for card in rules.hand:
        option = legal.get(card)
        if option is not None:
            found.append(Offer(words.card(card), option.action(), card))
            continue
        verdict = judged("play", card, view, words)
        found.append(Offer(words.card(card), None, card, verdict.message if isinstance(verdict, Wrong) else ""))
    return tuple(found)


def _call(rules: View, option: Option, texts: Catalogue) -> str:
    deal = rules.state.deal
    assert deal is not None, "calls are made in a deal"
    price = deal.highest_bid - deal.bids[option.seat]
    if price > rules.state.chips[option.seat] or not deal.highest_bid:
        return call_text(rules, option.seat, texts)
    return texts.text("screen.call", price=price)


def _bids(option: Option, rules: View, texts: Catalogue, amount: int | None) -> list[Offer]:
    """The adjustable bid, and the presets that are larger than the least."""
    assert option.min is not None, "a bid has bounds"
    assert option.max is not None, "a bid has bounds"
    assert rules.state.deal is not None, "bids are made in a deal"
    to = option.min if amount is None else min(option.max, max(option.min, amount))
    key = "screen.raise" if rules.state.deal.highest_bid else "screen.bid"
    found = [Offer(texts.text(key, to=to), Bid(option.seat, to), amount=True)]
    for name, preset in bid_presets(option, rules):
        if name != "least":
            found.append(Offer(texts.text(f"screen.preset_{name}", to=preset), Bid(option.seat, preset)))
    return found


def stepped(view: TableView, current: int | None, steps: int) -> int | None:
    """The adjustable bid so many smallest raises higher or lower, within its bounds; None where there is no bid."""
    option = bid_option(view)
    if option is None or option.min is None or option.max is None:
        return None
    start = option.min if current is None else current
    return min(option.max, max(option.min, start + steps * view.params.min_bid))
