"""From the view of a table, and what a person has open on the screen, to the frozen model that is drawn.

What doesn't belong here: keys and time (`control`), and where anything stands on the screen (`tablepage`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from azi_p2p.rules import Card, DealState, State
from azi_p2p.rules import Phase as RulesPhase
from azi_p2p.session.view import Phase, SeatView, TableView
from azi_p2p.ui.ask import why_silent
from azi_p2p.ui.names import clean_name, cut
from azi_p2p.ui.screen.choosing import Offer
from azi_p2p.ui.screen.look import SUIT_SIGNS
from azi_p2p.ui.screen.model import (
    Button,
    Entry,
    HandCard,
    LogLine,
    Panel,
    Seat,
    TableModel,
    Tone,
    clock_text,
    compact,
    grouped,
)
from azi_p2p.ui.words import Words

AMPLE = 120
"""Seconds above which a clock goes in steps of ten."""
BETWEEN = frozenset({Phase.RESUMING, Phase.PREPARING, Phase.OPENING, Phase.DEALING, Phase.CLOSING, Phase.WAITING})
"""Phases in which nobody is asked for anything."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What one person has on the screen besides the table: the choice that is picked out, a question, a line being
    typed, a panel, the log. `now` in monotonic seconds; `addresses`: where this peer listens; `code`: that others need
    to join; `watching`: no seat is wanted; `hints`: there are hints here; `ahead`: cards that can be chosen while
    others play, the one that is `marked`, and whether it is `meant` to be played."""

    now: float
    offers: tuple[Offer, ...]
    picked: int | None
    question: str
    notice: tuple[Tone, str] | None
    buttons: tuple[Button, ...]
    entry: Entry | None
    log: tuple[LogLine, ...]
    panel: Panel | None
    addresses: tuple[str, ...]
    private: bool
    code: str
    watching: bool
    hints: bool
    ahead: tuple[Card, ...]
    marked: Card | None
    meant: bool
    fair: tuple[Tone, str]


def table_model(view: TableView | None, words: Words, desk: Desk) -> TableModel:
    """The model of the table page; `view` None while nothing is known of the table yet."""
    texts = words.texts
    question, tone = _question(view, words, desk)
    if view is None:
        return TableModel(
            title="Azi",
            pot="",
            seats=(),
            me=None,
            upcard=None,
            trump="",
            promoted=None,
            hand=(),
            why="",
            center=(("ask", texts.text("screen.connecting")),),
            question=question,
            tone=tone,
            buttons=desk.buttons,
            entry=desk.entry,
            fair="",
            fair_tone="dim",
            log=desk.log,
            foot=_foot(None, words, desk),
            whose_turn="",
            my_turn=False,
            panel=desk.panel,
            numbered=False,
        )
    seats = {seat.seat: seat for seat in view.seats}
    count = max(view.params.seats, len(view.seats))
    first = view.my_seat if view.my_seat is not None else -1
    order = [seat for seat in ((first + step) % count for step in range(1, count + 1)) if seat != view.my_seat]
    deal = open_or_last(view)
    shown_upcard = deal.upcard if deal is not None and _deal_on_show(view) else None
    return TableModel(
        title=_title(view, words),
        pot=_pot(view, words),
        seats=tuple(_seat(view, seats.get(number), number, words, desk.now) for number in order),
        me=None if view.my_seat is None else _seat(view, seats.get(view.my_seat), view.my_seat, words, desk.now),
        upcard=shown_upcard,
        trump="" if shown_upcard is None else _trump(deal, words),
        promoted=f"6{deal.trump}" if deal is not None and deal.promoted_six and shown_upcard else None,
        hand=_hand(view, desk),
        why=_beside_hand(view, words, desk),
        center=_center(view, words, desk),
        question=question,
        tone=tone,
        buttons=desk.buttons,
        entry=desk.entry,
        fair=desk.fair[1],
        fair_tone=desk.fair[0],
        log=desk.log,
        foot=_foot(view, words, desk),
        whose_turn=_whose_turn(view, words, desk.now),
        my_turn=bool(desk.offers),
        panel=desk.panel,
        numbered=bool(desk.offers or desk.ahead),
    )


def _beside_hand(view: TableView, words: Words, desk: Desk) -> str:
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


def open_or_last(view: TableView) -> DealState | None:
    """The deal that is open, or the last one; None before the first."""
    return None if view.rules is None else view.rules.state.deal


def _deal_on_show(view: TableView) -> bool:
    """Whether the cards of the view's deal lie on the table; a deal that is over stays until the next is dealt."""
    return view.phase not in {Phase.GATHERING, Phase.ENDED} and open_or_last(view) is not None


def _title(view: TableView, words: Words) -> str:
    texts, params = words.texts, view.params
    name = clean_name(view.name, 24)
    if view.rules is None or not view.rules.state.deal_number:
        return texts.text("screen.title_new", name=name, ante=grouped(params.ante), least=grouped(params.min_bid))
    number = view.rules.state.deal_number
    return texts.text("screen.title", name=name, deal=number, ante=grouped(params.ante), least=grouped(params.min_bid))


def _pot(view: TableView, words: Words) -> str:
    if view.rules is None:
        return ""
    state = view.rules.state
    carried = sum(state.carried)
    if carried:
        return words.texts.text("screen.pot_carried", pot=grouped(state.pot), carried=grouped(carried))
    return words.texts.text("screen.pot", pot=grouped(state.pot))


def trick_on_show(view: TableView) -> tuple[tuple[str | None, ...], int | None]:
    """The cards that lie on the table, by place, and who won them: the trick being played, or the one before."""
    deal = open_or_last(view)
    if deal is None or not _deal_on_show(view):
        return (), None
    if deal.trick is not None and any(deal.trick.cards):
        return deal.trick.cards, deal.trick.winner
    if deal.tricks:
        return deal.tricks[-1].cards, deal.tricks[-1].winner
    return (), None


def _seat(view: TableView, seat: SeatView | None, number: int, words: Words, now: float) -> Seat:
    texts = words.texts
    if seat is None:
        return Seat(texts.text("screen.empty"), "", 0, 0, "", 0, 0, "", "dim", False, None, None, False)
    state = None if view.rules is None else view.rules.state
    deal = None if state is None or not _deal_on_show(view) else state.deal
    cards, won_by = trick_on_show(view)
    note, tone = _note(view, seat, words)
    turn = number in view.owed and view.phase is Phase.ACTING
    in_deal = deal is not None and deal.result is None
    bid = deal.bids[number] if deal is not None and in_deal else 0
    return Seat(
        name=texts.text("screen.you") if number == view.my_seat else clean_name(seat.name),
        fingerprint=seat.fingerprint,
        chips=view.params.start_chips if state is None else state.chips[number],
        bid=bid,
        bid_text=texts.text("screen.bid_is", bid=compact(bid)),
        cards=deal.held[number].bit_count() if deal is not None and in_deal and number in deal.live else 0,
        tricks=sum(trick.winner == number for trick in deal.tricks) if deal is not None else 0,
        note=note,
        tone=tone,
        turn=turn,
        seconds=seconds_left(view, now) if turn else None,
        played=cards[number] if cards else None,
        won=won_by == number and bool(cards),
    )


def seconds_left(view: TableView, now: float) -> int | None:
    """Whole seconds until the time of those who owe something is up; None when no clock runs.

    While there is more than enough time, in tens: nobody needs the seconds, and nothing has to be drawn for them.
    """
    if view.deadline is None:
        return None
    left = max(0, math.ceil(view.deadline - now))
    return left if left <= AMPLE else -(-left // 10) * 10


def next_tick(view: TableView, now: float) -> float | None:
    """When `seconds_left` will be another number, in monotonic seconds; None when it won't."""
    left = seconds_left(view, now)
    if not left or view.deadline is None:
        return None
    return view.deadline - left + (1 if left <= AMPLE else 10)


def _note(view: TableView, seat: SeatView, words: Words) -> tuple[str, Tone]:
    """The state of a seat in a word or two; what is amiss comes first."""
    texts, number = words.texts, seat.seat
    state = None if view.rules is None else view.rules.state
    for applies, key, tone in (
        (seat.faulted, "screen.note.faulted", "bad"),
        (seat.gone, "screen.note.gone", "dim"),
        (seat.absent, "screen.note.absent", "warn"),
        (not seat.linked and view.phase is not Phase.ENDED, "screen.note.away", "warn"),
        (view.phase is Phase.GATHERING and number >= view.params.seats, "screen.note.waits", "dim"),
        (seat.away, "screen.note.out", "dim"),
    ):
        if applies:
            return texts.text(key), tone  # type: ignore[return-value]  # the tones stand in the line above
    deal = None if state is None else state.deal
    if state is None or deal is None or not _deal_on_show(view):
        return "", "dim"
    if number == view.my_seat and view.wishes:
        return words.listed([texts.text(f"screen.wish.{wish}") for wish in sorted(view.wishes)]), "dim"
    if number in view.finish_wishes:
        return texts.text("screen.note.finish"), "dim"
    return _note_in_deal(state, deal, number, words)


def _note_in_deal(state: State, deal: DealState, number: int, words: Words) -> tuple[str, Tone]:
    texts = words.texts
    if deal.result is not None:
        paid = deal.payouts[number] if deal.payouts else 0
        if deal.winner == number:
            return texts.text("screen.note.wins", chips=grouped(paid)), "good"
        return (texts.text("screen.note.back", chips=grouped(paid)) if paid else "", "dim")
    if number not in deal.dealt_in:
        return texts.text("screen.note.no_cards"), "dim"
    if number not in deal.live:
        return texts.text("screen.note.folded"), "dim"
    short = not state.chips[number] and (deal.bids[number] < deal.highest_bid or not deal.highest_bid)
    if short:
        return texts.text("screen.note.short"), "warn"
    if state.phase is RulesPhase.BIDDING and deal.bidder == number:
        return texts.text("screen.note.highest"), "text"
    if state.phase is RulesPhase.BIDDING and deal.bidder is None and deal.opener == number:
        return texts.text("screen.note.opens"), "text"
    if state.phase is RulesPhase.PLAYING:
        leader = deal.trick.leader if deal.trick is not None else deal.leader
        if leader == number:
            return texts.text("screen.note.leads"), "text"
    if state.phase is RulesPhase.DISCARD and deal.discards[number] is not None:
        return texts.text("screen.note.discarded"), "dim"
    return "", "text"


def _trump(deal: DealState | None, words: Words) -> str:
    if deal is None or deal.trump is None:
        return ""
    sign, name = SUIT_SIGNS[deal.trump], words.suit(deal.trump)
    if deal.promoted_six:
        return words.texts.text("screen.trump_six", sign=sign, suit=name)
    return words.texts.text("screen.trump", sign=sign, suit=name)


def _hand(view: TableView, desk: Desk) -> tuple[HandCard, ...]:
    rules, deal = view.rules, open_or_last(view)
    if rules is None or deal is None or deal.result is not None or not _deal_on_show(view):
        return ()
    six = f"6{deal.trump}" if deal.promoted_six else ""
    choice = {offer.card: (number, offer) for number, offer in enumerate(desk.offers) if offer.card is not None}
    found = []
    for card in rules.hand:
        number, offer = choice.get(card, (None, None))
        picked = number is not None and number == desk.picked
        marked = bool(desk.ahead) and card == desk.marked
        off = offer is not None and offer.action is None
        found.append(HandCard(card, off, picked or marked, card == six, marked and desk.meant))
    return tuple(found)


def _center(view: TableView, words: Words, desk: Desk) -> tuple[tuple[Tone, str], ...]:
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


def _question(view: TableView | None, words: Words, desk: Desk) -> tuple[str, Tone]:
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


def _whose_turn(view: TableView, words: Words, now: float) -> str:
    if view.phase is not Phase.ACTING or not view.owed or view.paused:
        return ""
    names = [words.texts.text("table.you") if seat == view.my_seat else words.name(view, seat) for seat in view.owed]
    who = names[0] if len(names) == 1 else words.texts.plural("screen.several", len(names))
    left = seconds_left(view, now)
    return who if left is None else f"{who} {clock_text(left)}"


def _foot(view: TableView | None, words: Words, desk: Desk) -> tuple[tuple[str, str], ...]:
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
