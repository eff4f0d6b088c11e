"""What stands in words around the table: the question, the middle while no cards lie there, the keys, whose turn it is.

What doesn't belong here: seats, cards and chips (`tablemodel`).
"""

from __future__ import annotations

from azi_p2p.rules import Phase as RulesPhase
from azi_p2p.session.view import Phase, TableView
from azi_p2p.ui.ask import why_silent
from azi_p2p.ui.names import cut
from azi_p2p.ui.screen.desk import Desk
from azi_p2p.ui.screen.model import Tone, clock_text
from azi_p2p.ui.screen.shown import seconds_left, trick_on_show
from azi_p2p.ui.words import Words

BETWEEN = frozenset({Phase.RESUMING, Phase.PREPARING, Phase.OPENING, Phase.DEALING, Phase.CLOSING, Phase.WAITING})
"""Phases in which nobody is asked for anything."""


def beside_hand(view: TableView, words: Words, desk: Desk) -> str:
    """What is said beside the hand: the rule that forbids a card, the one chosen ahead, or why there is no hand."""
    texts = words.texts
    if view.my_seat is None:
        return "" if view.rules is None else texts.text("screen.watching" if desk.watching else "screen.seatless")
    if desk.ahead:
        if desk.marked is None:
            return texts.text("screen.ahead_how")
        key = "screen.ahead_meant" if desk.meant else "screen.ahead_marked"
        return texts.text(key, card=words.played_card(desk.marked))
    return next((offer.why for offer in desk.offers if offer.action is None), "")


def center(view: TableView, words: Words, desk: Desk) -> tuple[tuple[Tone, str], ...]:
    """Lines for the middle of the table, while no cards lie there."""
    texts = words.texts
    if view.phase is Phase.GATHERING:
        lines: list[tuple[Tone, str]] = [
            ("ask", texts.text("screen.seats_taken", taken=len(view.seats), places=view.params.seats))
        ]
        if not desk.private and desk.addresses:
            lines.append(("text", texts.text("screen.address")))
            lines += [("good", address) for address in desk.addresses[: 2 if desk.code else 3]]
            lines += [("ask", texts.text("code.center", code=cut(desk.code, 20)))] if desk.code else []
        return tuple(lines)
    if view.phase in {Phase.ENDED, Phase.RESUMING} or (view.phase in BETWEEN and not trick_on_show(view)[0]):
        return (("text", texts.text(f"phase.{view.phase}")),)
    return ()


def question(view: TableView | None, words: Words, desk: Desk) -> tuple[str, Tone]:
    """The line above the log: the last answer to a key, a question, or what is asked of the person now."""
    texts = words.texts
    if desk.notice is not None:
        return desk.notice[1], desk.notice[0]
    if desk.question:
        return desk.question, "ask"
    if view is None:
        return texts.text("screen.connecting_long"), "dim"
    if view.unconfirmed is not None and not desk.offers and view.phase is not Phase.ENDED:
        return texts.text("screen.alone"), "warn"
    if view.paused:
        return texts.text("screen.paused"), "warn"
    if view.phase is Phase.GATHERING:
        return texts.text("watch.gathering") if desk.watching else _gathering(view, words), "ask"
    if view.phase is Phase.ACTING and view.rules is not None:
        if desk.offers:
            key = {
                RulesPhase.BIDDING: "screen.ask_bid",
                RulesPhase.DISCARD: "screen.ask_discard",
                RulesPhase.BUY_IN: "screen.ask_buy_in",
            }.get(view.rules.state.phase, "screen.ask_play")
            return texts.text(key), "ask"
        return _waiting(view, words)
    if view.phase is Phase.PREPARING and view.proofs.shuffles_expected:
        done, total = view.proofs.shuffles, view.proofs.shuffles_expected
        return texts.text("screen.shuffling", done=done, total=total), "dim"
    return texts.text("screen.resuming" if view.phase is Phase.RESUMING else f"phase.{view.phase}"), "dim"


def _waiting(view: TableView, words: Words) -> tuple[str, Tone]:
    """Whom the table waits for, and what comes of it if that seat can't be reached."""
    awaited = [seat for seat in view.owed if seat != view.my_seat]
    if not awaited:
        return "", "dim"
    linked = {seat.seat: seat.linked for seat in view.seats}
    away = view.my_seat is not None and not any(linked.get(seat, True) for seat in awaited)
    names = words.listed([words.name(view, seat) for seat in awaited])
    return words.texts.text("screen.waiting_away" if away else "lines.waiting", names=names), "warn" if away else "dim"


def _gathering(view: TableView, words: Words) -> str:
    texts = words.texts
    if view.my_seat is None:
        return texts.text("screen.sitting_down")
    if view.founder:
        return texts.text("screen.may_start" if len(view.seats) > 1 else "screen.wait_others")
    return texts.text("screen.wait_start")


def whose_turn(view: TableView, words: Words, now: float) -> str:
    """Who is asked, and the time left; nothing while nobody is, or the clock stands."""
    if view.phase is not Phase.ACTING or not view.owed or view.paused:
        return ""
    names = [words.texts.text("table.you") if seat == view.my_seat else words.name(view, seat) for seat in view.owed]
    who = names[0] if len(names) == 1 else words.texts.plural("screen.several", len(names))
    left = seconds_left(view, now)
    return who if left is None else f"{who} {clock_text(left)}"


def foot(view: TableView | None, words: Words, desk: Desk) -> tuple[tuple[str, str], ...]:
    """The keys that do something now, most useful first."""
    if desk.entry is not None:
        keys = ["enter", "escape"]
    elif desk.question:
        keys = ["choose", "enter"]
    else:
        keys = ["choose", "enter"] if desk.offers or desk.ahead else []
        if any(offer.amount for offer in desk.offers):
            keys.append("amount")
        if desk.hints and desk.offers:
            keys.append("hint")
        if view is not None and view.phase is Phase.GATHERING and view.founder and len(view.seats) > 1:
            keys.append("start")
        talk = [] if why_silent(view) else ["talk"]
        keys += ["help", *talk, *(["log", "proofs"] if view is not None else []), "menu", "quit"]
    return tuple(_key_text(key, words) for key in keys)


FOOT_KEYS: dict[str, str] = {
    "choose": "◀▶",
    "enter": "Enter",
    "escape": "Esc",
    "amount": "▲▼",
    "start": "s",
    "hint": "i",
    "help": "?",
    "talk": "t",
    "log": "l",
    "proofs": "p",
    "menu": "m",
    "quit": "q",
}
"""What is pressed for each entry of the line of keys."""


def _key_text(key: str, words: Words) -> tuple[str, str]:
    return FOOT_KEYS[key], words.texts.text(f"screen.foot.{key}")
