"""From the view of a table, and what a person has open on the screen, to the frozen model that is drawn.

What doesn't belong here: keys and time (`control`), and where anything stands on the screen (`tablepage`).
"""

from __future__ import annotations

from azi_p2p.rules import DealState, SeatStatus, State
from azi_p2p.rules import Phase as RulesPhase
from azi_p2p.session.view import Phase, SeatView, TableView
from azi_p2p.ui.names import clean_name
from azi_p2p.ui.screen.desk import Desk
from azi_p2p.ui.screen.look import SUIT_SIGNS
from azi_p2p.ui.screen.model import (
    HandCard,
    Seat,
    TableModel,
    Tone,
    compact,
    grouped,
)
from azi_p2p.ui.screen.saying import beside_hand, center, foot, question, whose_turn
from azi_p2p.ui.screen.shown import deal_on_show, open_or_last, seconds_left, trick_on_show
from azi_p2p.ui.words import Words


def table_model(view: TableView | None, words: Words, desk: Desk) -> TableModel:
    """The model of the table page; `view` None (or without seats) while nothing is known of the table."""
    texts = words.texts
    if view is not None and view.phase is Phase.GATHERING and not view.seats:
        view = None  # nobody has told us yet what is played there
    asked, tone = question(view, words, desk)
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
            question=asked,
            tone=tone,
            buttons=desk.buttons,
            entry=desk.entry,
            fair="",
            fair_tone="dim",
            log=desk.log,
            foot=foot(None, words, desk),
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
    shown_upcard = deal.upcard if deal is not None and deal_on_show(view) else None
    return TableModel(
        title=_title(view, words),
        pot=_pot(view, words),
        seats=tuple(_seat(view, seats.get(number), number, words, desk.now) for number in order),
        me=None if view.my_seat is None else _seat(view, seats.get(view.my_seat), view.my_seat, words, desk.now),
        upcard=shown_upcard,
        trump="" if shown_upcard is None else _trump(deal, words),
        promoted=f"6{deal.trump}" if deal is not None and deal.promoted_six and shown_upcard else None,
        hand=_hand(view, desk),
        why=beside_hand(view, words, desk),
        center=center(view, words, desk),
        question=asked,
        tone=tone,
        buttons=desk.buttons,
        entry=desk.entry,
        fair=desk.fair[1],
        fair_tone=desk.fair[0],
        log=desk.log,
        foot=foot(view, words, desk),
        whose_turn=whose_turn(view, words, desk.now),
        my_turn=bool(desk.offers),
        panel=desk.panel,
        numbered=bool(desk.offers or desk.ahead),
    )


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


def _seat(view: TableView, seat: SeatView | None, number: int, words: Words, now: float) -> Seat:
    texts = words.texts
    if seat is None:
        return Seat(texts.text("screen.empty"), "", 0, 0, "", 0, 0, "", "dim", False, None, None, False)
    state = None if view.rules is None else view.rules.state
    deal = None if state is None or not deal_on_show(view) else state.deal
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
    if state is None or deal is None or not deal_on_show(view):
        return "", "dim"
    # Who is dealt in again has returned, whatever it has asked for meanwhile.
    wishes = view.wishes - {"return"} if state.status[number] is SeatStatus.IN else view.wishes
    if number == view.my_seat and wishes:
        return words.listed([texts.text(f"screen.wish.{wish}") for wish in sorted(wishes)]), "dim"
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
    if rules is None or deal is None or deal.result is not None or not deal_on_show(view):
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
