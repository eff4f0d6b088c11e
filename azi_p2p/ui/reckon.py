"""The end of a deal in words: who won and why, who gets what, what stays in the pot.

What doesn't belong here: reckoning anything anew. The figures are those of the rules; here they are explained.
"""

from __future__ import annotations

from azi_p2p.rules import DealState, State
from azi_p2p.session.closing import Reckoning
from azi_p2p.session.events import DealEnded, TableClosed
from azi_p2p.session.view import TableView
from azi_p2p.ui.words import Words


def reckoning(event: DealEnded, view: TableView, words: Words) -> list[str]:
    """The sentences that explain how a deal ended; none if the view has gone on to another deal."""
    state = view.rules.state if view.rules is not None else None
    if state is None or state.deal is None or state.deal.result != event.result:
        return []
    if event.result == "azi":
        return _azi(state, words)
    if event.result == "void":
        return _void(state, state.deal, view, words)
    if event.winner is None:
        return []
    return _paid(state, state.deal, event.winner, view, words)


def _azi(state: State, words: Words) -> list[str]:
    texts = words.texts
    sentences = [texts.text("reckon.azi"), texts.text("reckon.azi_pot", pot=words.chips(state.pot))]
    option = state.params.azi_replay
    price = state.replay.price if state.replay is not None else 0
    sentences.append(
        texts.text(f"reckon.replay.{option}", ante=words.chips(state.params.ante), price=words.chips(price))
    )
    return sentences


def _void(state: State, deal: DealState, view: TableView, words: Words) -> list[str]:
    breakers = [seat for seat in deal.dealt_in if seat not in deal.live]
    names = words.listed([_name(seat, view, words) for seat in breakers])
    return [words.texts.text("reckon.void", names=names, pot=words.chips(state.pot))]


def _paid(state: State, deal: DealState, winner: int, view: TableView, words: Words) -> list[str]:
    texts = words.texts
    pot, paid = sum(deal.stakes), deal.payouts[winner]
    if deal.result == "won":
        sentences = [_about("reckon.won", winner, view, words)]
    elif deal.upcard is None:
        sentences = [_about("reckon.alone", winner, view, words)]
    else:
        sentences = [_about("reckon.uncontested", winner, view, words)]
    if paid == pot:
        sentences.append(_about("reckon.whole_pot", winner, view, words, pot=words.chips(pot)))
    elif state.params.short_payout == "matched":
        own = deal.stakes[winner]
        parts = " + ".join(str(min(stake, own)) for stake in deal.stakes if min(stake, own))
        sentences.append(
            _about("reckon.short_matched", winner, view, words, own=own, parts=parts, paid=words.chips(paid))
        )
    else:
        sentences.append(
            _about(
                "reckon.short_share",
                winner,
                view,
                words,
                pot=pot,
                own=deal.stakes[winner],
                highest=max(deal.stakes),
                paid=words.chips(paid),
            )
        )
    back = [
        texts.text("reckon.part", name=_name(seat, view, words), chips=words.chips(amount))
        for seat, amount in enumerate(deal.payouts)
        if amount and seat != winner
    ]
    if back:
        sentences.append(texts.text("reckon.back", parts=words.listed(back)))
    if view.my_seat is not None and deal.stakes[view.my_seat]:
        sentences.append(_own_result(deal.payouts[view.my_seat] - deal.stakes[view.my_seat], words))
    return sentences


def _own_result(gain: int, words: Words) -> str:
    if gain > 0:
        return words.texts.text("reckon.own_gain", chips=words.chips(gain))
    if gain < 0:
        return words.texts.text("reckon.own_loss", chips=words.chips(-gain))
    return words.texts.text("reckon.own_even")


def chips_now(view: TableView, words: Words) -> list[str]:
    """One sentence: the chips of every seat."""
    if view.rules is None:
        return []
    parts = [
        words.texts.text("reckon.part", name=_name(seat.seat, view, words), chips=view.rules.state.chips[seat.seat])
        for seat in view.seats
        if not seat.gone
    ]
    return [words.texts.text("reckon.chips", parts=", ".join(parts))]


def unconfirmed(reckoning: Reckoning | TableClosed, view: TableView, words: Words) -> str:
    """What everybody would get, or gets, where a table is closed without a majority."""
    parts = [
        words.texts.text("reckon.part", name=_name(seat.seat, view, words), chips=reckoning.chips[seat.seat])
        for seat in view.seats
        if not seat.gone
    ]
    return ", ".join(parts)


def if_closed(reckoning: Reckoning, view: TableView, words: Words) -> str:
    """What everybody would get, and who would be reckoned absent; without a full stop."""
    told = [unconfirmed(reckoning, view, words)]
    if reckoning.absent is not None:
        told.append(_about("reckon.absent", reckoning.absent, view, words))
    return ". ".join(told)


def closed(event: TableClosed | Reckoning, view: TableView, words: Words) -> list[str]:
    """That the own seat has closed the table, what everybody has by its record, and who is reckoned absent."""
    found = [words.texts.text("event.closed", seats=unconfirmed(event, view, words))]
    if event.absent is not None:
        found.append(_about("event.closed_absent", event.absent, view, words))
    return found


def standings(view: TableView, words: Words) -> list[str]:
    """The standings of a table that has ended, one line for each seat."""
    return [
        words.texts.text("reckon.place", place=place, name=_name(seat, view, words), chips=words.chips(chips))
        for place, seat, chips in view.standings
    ]


def _name(seat: int, view: TableView, words: Words) -> str:
    return words.texts.text("table.you") if seat == view.my_seat else words.name(view, seat)


def _about(key: str, seat: int, view: TableView, words: Words, **values: object) -> str:
    if seat == view.my_seat:
        return words.texts.text(f"{key}_you", **values)
    return words.texts.text(key, name=words.name(view, seat), **values)
