"""What a player may do now, numbered and in words, and what a typed line means.

A line is a number of a choice, a card, an action in words (`play AS`, `bid 40`), or an order to the program (`help`,
`say …`, `leave`). Words are understood in the player's language and in English. A legal-looking action that the rules
refuse is answered with the rule that refuses it. What doesn't belong here: printing and reading (`lines`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from azi_p2p.rules import (
    Action,
    Bid,
    BuyIn,
    Call,
    Check,
    Decline,
    Discard,
    Fold,
    IllegalAction,
    Option,
    Phase,
    Play,
    View,
    apply,
)
from azi_p2p.session.commands import Refusal
from azi_p2p.session.view import TableView
from azi_p2p.ui.i18n import Catalogue, catalogue
from azi_p2p.ui.names import cleaned
from azi_p2p.ui.refusal import command_refused
from azi_p2p.ui.rulesaid import rule_text
from azi_p2p.ui.words import Words, parse_card

ORDERS = (
    "help",
    "status",
    "hand",
    "chips",
    "proofs",
    "rules",
    "result",
    "address",
    "hint",
    "ahead",
    "again",
    "say",
    "leave",
    "close",
    "sit_out",
    "return",
    "rebuy",
    "pause",
    "resume",
    "finish",
    "start",
    "quit",
    "yes",
    "no",
)
"""What a player can tell the program, apart from actions of the game."""
ACTIONS = ("bid", "call", "check", "fold", "play", "discard", "buy_in", "decline")


@dataclass(frozen=True, slots=True)
class Choice:
    """One numbered thing that the player may do."""

    action: Action
    text: str


@dataclass(frozen=True, slots=True)
class Chosen:
    """A legal action. `confirm`: the question to ask first, because much is at stake; None: do it."""

    action: Action
    confirm: str | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """One of ORDERS, with whatever was typed after it."""

    name: str
    rest: str


@dataclass(frozen=True, slots=True)
class Wrong:
    """The line can't be carried out; the message says why, and what would do."""

    message: str


Typed = Chosen | Order | Wrong


def bid_presets(option: Option, view: View) -> Iterator[tuple[str, int]]:
    """Bids worth a number of their own, as (name, total): the least, about half the pot, the pot, all chips."""
    assert option.min is not None, "a bid has bounds"
    assert option.max is not None, "a bid has bounds"
    pot, step = view.state.pot, view.state.params.min_bid
    seen = set()
    for name, to in (
        ("least", option.min),
        ("half", option.min + pot // 2 // step * step),
        ("pot", option.min + pot // step * step),
        ("all", option.max),
    ):
        if option.min <= to <= option.max and to not in seen:
            seen.add(to)
            yield name, to


def choices(view: TableView, words: Words) -> list[Choice]:
    """Everything that the own seat may do now, in a fixed order; empty when it isn't asked."""
    rules, texts = view.rules, words.texts
    if rules is None or rules.state.deal is None:
        return []
    found: list[Choice] = []
    for option in view.legal:
        if option.do == "bid":
            raising = "raise" if rules.state.deal.highest_bid else "bid"
            found += [
                Choice(option.action(to), texts.text(f"choice.{raising}_{name}", to=to))
                for name, to in bid_presets(option, rules)
            ]
        elif option.card is not None:
            found.append(
                Choice(option.action(), texts.text(f"choice.{option.do}", card=words.played_card(option.card)))
            )
        elif option.do == "call":
            found.append(Choice(option.action(), call_text(rules, option.seat, texts)))
        elif option.do == "buy_in":
            price = rules.state.replay.price if rules.state.replay is not None else 0
            found.append(Choice(option.action(), texts.text("choice.buy_in", price=price)))
        else:
            found.append(Choice(option.action(), texts.text(f"choice.{option.do}")))
    return found


def call_text(view: View, seat: int, texts: Catalogue) -> str:
    """What a call costs, or that it takes all chips."""
    deal, chips = view.state.deal, view.state.chips[seat]
    assert deal is not None, "calls are made in a deal"
    price = deal.highest_bid - deal.bids[seat]
    if price > chips or not deal.highest_bid:
        return texts.text("choice.call_short", chips=chips)
    return texts.text("choice.call", price=price)


def understand(line: str, view: TableView | None, words: Words) -> Typed:
    """Say what a typed line means at this table now."""
    texts = words.texts
    line = " ".join(line.split())
    if not line:
        return Order("status", "")
    name, rest = split_command(line, texts)
    if name in ORDERS:
        return Order(name, rest)
    if view is not None and view.rules is not None and view.my_seat is None:
        return Wrong(
            command_refused(Refusal.NO_SEAT, texts)
            if name or line.isdecimal()
            else texts.text("ask.unknown", typed=shown(line))
        )
    if view is None or view.rules is None or view.my_seat is None:
        return Wrong(texts.text("ask.not_yet" if name else "ask.unknown", typed=shown(line)))
    numbered = choices(view, words)
    if line.isdecimal() and len(line) < 10:
        if 1 <= int(line) <= len(numbered):
            return with_question(numbered[int(line) - 1].action, view, texts)
        return Wrong(texts.text("ask.no_such_choice", last=len(numbered)) if numbered else why_nothing(view, words))
    if not name:
        card = parse_card(line)
        if card is None:
            return Wrong(texts.text("ask.unknown", typed=shown(line)))
        name, rest = ("discard" if view.rules.state.phase is Phase.DISCARD else "play"), line
    return judged(name, rest, view, words)


def shown(line: str) -> str:
    """A typed line as it may be repeated in a message: an arrow key types an escape sequence, too."""
    line = cleaned(line, "?")
    return line if len(line) <= 30 else line[:29] + "…"


def why_nothing(view: TableView, words: Words) -> str:
    """Why there is nothing to choose for the own seat."""
    if not view.owed:
        return words.texts.text("ask.nothing_to_do")
    return words.texts.text("rule.not_your_turn", names=words.listed([words.name(view, seat) for seat in view.owed]))


def why_silent(view: TableView | None) -> Refusal | None:
    """Why nothing can be said to the table now; None when it can."""
    if view is None or view.rules is None:
        return Refusal.NOT_STARTED
    return Refusal.NO_SEAT if view.my_seat is None else None


def split_command(line: str, texts: Catalogue) -> tuple[str, str]:
    """The action or order that a line begins with, and the rest of the line; ("", line) if it begins with none."""
    first, _, rest = line.partition(" ")
    for name in (*ACTIONS, *ORDERS):
        for source in (texts, catalogue("en")):
            for word in source.text(f"command.{name}").split(","):
                if " " in word and (line.lower() + " ").startswith(word + " "):
                    return name, line[len(word) :].strip()
                if first.lower() == word:
                    return name, rest.strip()
    return "", line


def judged(name: str, rest: str, view: TableView, words: Words) -> Typed:
    """Make the action that was named, and let the rules judge it."""
    texts, seat, rules = words.texts, view.my_seat, view.rules
    assert seat is not None, "only a seat acts"
    assert rules is not None, "only a founded table has a game"
    action: Action
    if name == "bid":
        option = next((option for option in view.legal if option.do == "bid"), None)
        amount = re.fullmatch(r"\d{1,12}", rest.replace(" ", ""))
        if amount is None:
            bounds = {"least": option.min, "most": option.max} if option else {}
            return Wrong(texts.text("ask.bid_how", **bounds) if option else texts.text("ask.bid_amount"))
        action = Bid(seat, int(amount[0]))
    elif name in {"play", "discard"}:
        card = parse_card(rest)
        if card is None:
            return Wrong(texts.text("ask.which_card", typed=shown(rest)) if rest else texts.text("ask.name_card"))
        position = own_position(rules, card)
        action = Play(seat, card, position) if name == "play" else Discard(seat, card, position)
    else:
        simple: dict[str, Action] = {
            "call": Call(seat),
            "check": Check(seat),
            "fold": Fold(seat),
            "buy_in": BuyIn(seat),
            "decline": Decline(seat),
        }
        action = simple[name]
    try:
        apply(rules.state, action)
    except IllegalAction as refused:
        return Wrong(rule_text(refused, view, words))
    return with_question(action, view, texts)


def own_position(rules: View, card: str) -> int | None:
    """Where in the own hand a card lies; None if it isn't there (then the rules refuse it)."""
    deal, seat = rules.state.deal, rules.seat
    if deal is None or seat is None:
        return None
    hand = deal.hands[seat] or ()
    return next((place for place, held in enumerate(hand) if held == card and deal.held[seat] >> place & 1), None)


def with_question(action: Action, view: TableView, texts: Catalogue) -> Chosen:
    """The action, with a question before it if it puts more than half of the own chips into the pot."""
    if isinstance(action, Bid) and view.rules is not None and view.rules.state.deal is not None:
        chips = view.rules.state.chips[action.seat]
        price = action.to - view.rules.state.deal.bids[action.seat]
        if 2 * price > chips:
            return Chosen(action, texts.text("ask.really_bid", price=price, chips=chips))
    return Chosen(action)
