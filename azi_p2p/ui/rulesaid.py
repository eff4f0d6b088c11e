"""What the rules say when they refuse something, in the player's language.

The rules give an English template and the facts that fill it; the catalogues hold the same sentence under a key made of
the template's words. What doesn't belong here: who is told, and refusals that aren't the rules' (`refusal`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from azi_p2p.rules import ErrorCode, IllegalAction, ParamsError
from azi_p2p.session.view import TableView
from azi_p2p.ui.failed import sentence
from azi_p2p.ui.i18n import Catalogue
from azi_p2p.ui.words import Words

TOLD_BY_CODE = frozenset(ErrorCode) - {
    ErrorCode.BAD_SCENARIO,
    ErrorCode.CHIPS_OUT_OF_RANGE,
    ErrorCode.DUPLICATE_CARD,
    ErrorCode.WRONG_PHASE,
    ErrorCode.NOT_ALLOWED,
}
"""Codes that stand for one rule each, so that it can be told with the figures of the moment (`rule.<code>`)."""


def said_key(template: str) -> str:
    """Give the key under which the catalogues hold a message of the rules, made of its English words."""
    words = re.findall(r"[a-z0-9_]+", template.lower().replace("'", ""))
    return f"arbiter.said.{'_'.join(words)}"


def said(template: str, facts: Mapping[str, object], otherwise: str, texts: Catalogue) -> str:
    """A message of the rules, without capital and full stop; `otherwise` where the catalogues don't have it."""
    key = said_key(template)
    return texts.text(key, **facts) if texts.has(key) else otherwise


def params_text(error: ParamsError, texts: Catalogue) -> str:
    """Which parameter of a table is wrong, and what it may be."""
    return said(error.template, error.facts, error.message, texts)


def rule_text(refused: IllegalAction, view: TableView | None, words: Words) -> str:
    """The rule that forbids an action, as a sentence with the figures, suits and names of this moment."""
    rules = None if view is None else view.rules
    if refused.code not in TOLD_BY_CODE or view is None or rules is None or view.my_seat is None:
        facts = {name: _fact(name, value, view, words) for name, value in refused.facts.items()}
        return sentence(said(refused.template, facts, refused.message, words.texts))
    deal, seat = rules.state.deal, view.my_seat
    led, trump, highest, own_bid = "", "", 0, 0
    if deal is not None:
        highest, own_bid = deal.highest_bid, deal.bids[seat]
        trump = words.suit(str(deal.trump)) if deal.trump else ""
        if deal.trick is not None and deal.trick.cards[deal.trick.leader] is not None:
            led = words.suit(str(deal.trick.cards[deal.trick.leader])[1])
    return words.texts.text(
        f"rule.{refused.code}",
        led=led,
        trump=trump,
        least=highest + rules.state.params.min_bid,
        most=own_bid + rules.state.chips[seat],
        bids=rules.state.params.max_bids,
        hand=words.cards(rules.hand),
        names=words.listed([words.name(view, owing) for owing in view.owed]),
    )


def _fact(name: str, value: object, view: TableView | None, words: Words) -> object:
    """Put seats, suits and states into words; everything else is told as it is."""
    if name in ("seat", "turn") and isinstance(value, int) and view is not None:
        return words.name(view, value)
    if name == "led":
        return words.suit(str(value))
    if name in ("status", "old"):
        key = f"arbiter.status.{value}"
        return words.texts.text(key) if words.texts.has(key) else value
    return value
