"""The bidding: opening, calling, raising, folding; who is asked, and who wins the right to lead.

What doesn't belong here: tricks, and the payout.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from azi_p2p.rules.actions import Bid, Call, Check, Fold
from azi_p2p.rules.errors import ErrorCode, IllegalAction
from azi_p2p.rules.options import Option
from azi_p2p.rules.outcome import is_short, win
from azi_p2p.rules.play import begin_play
from azi_p2p.rules.state import CLOCKWISE, OTHERS, DealState, Phase, Result, State, deal_on_turn, open_deal

NO_BIDDING: Final = "there is no bidding now"

BIDDING: Final = Phase.BIDDING
"""Looking an enum's member up costs more than the comparison that it is for."""

ANSWERS: Final = tuple((Option("call", seat), Option("fold", seat)) for seat in range(6))
"""ANSWERS[seat]: the answers to a bid, a raise aside."""

_new_tuple = tuple.__new__
"""Makes an `Option` in half the time of calling the class."""


def begin_bidding(state: State, deal: DealState) -> State:
    """Ask the opener for its bid; with nobody who has a chip left to bid, go on to play."""
    opener = deal.opener
    assert opener is not None, "a deal with cards has an opener"
    turn: int | None = opener
    if opener not in deal.live or not state.chips[opener]:
        turn = _next_turn(deal, opener, state.chips, deal.bids, 0)
        if turn is None:
            return _end(state, deal)
    return state.with_chips(BIDDING, state.chips, state.stakes, deal.with_turn(turn))


def bid(state: State, action: Bid) -> State:
    """Open the bidding, or raise."""
    seat, to = action.seat, action.to
    deal = deal_on_turn(state, seat, BIDDING, NO_BIDDING)
    if type(to) is not int:
        raise IllegalAction(ErrorCode.BAD_SCENARIO, "a bid must be a whole number of chips")
    params = state.params
    least = deal.highest_bid + params.min_bid
    if to < least:
        raise IllegalAction(ErrorCode.BID_TOO_LOW, "a bid must be to at least {least} here", least=least)
    more = to - deal.bids[seat]
    if more > state.chips[seat]:
        raise IllegalAction(
            ErrorCode.BID_OVER_STACK,
            "a bid must be covered by one's own chips: at most to {most} here",
            most=deal.bids[seat] + state.chips[seat],
        )
    counts = [*deal.bid_counts]
    count = counts[seat]
    if count >= params.max_bids:
        raise IllegalAction(
            ErrorCode.NO_BIDS_LEFT,
            "seat {seat} has bid {count} times in this deal, and no more bids are allowed",
            seat=seat,
            count=count,
        )
    counts[seat] += 1
    return _pay(state, deal, seat, more, tuple(counts), to, seat)


def call(state: State, action: Call) -> State:
    """Match the highest bid, or put in all that is left; so too for an opener with less than `min_bid`."""
    seat = action.seat
    deal = deal_on_turn(state, seat, BIDDING, NO_BIDDING)
    chips = state.chips[seat]
    highest = deal.highest_bid
    if highest:
        lacking = highest - deal.bids[seat]
        chips = lacking if lacking < chips else chips
    elif chips >= state.params.min_bid:
        raise _refused_opening(state, "there is nothing to call yet")
    return _pay(state, deal, seat, chips, deal.bid_counts, highest, deal.bidder)


def check(state: State, action: Check) -> State:
    """Pass on the opening bid and stay in."""
    deal = deal_on_turn(state, action.seat, BIDDING, NO_BIDDING)
    if deal.highest_bid:
        raise IllegalAction(ErrorCode.NOT_ALLOWED, "somebody has bid, so a seat calls, raises or folds")
    if state.params.opener_rule != "may_check":
        raise _refused_opening(state, "this table has no checking")
    turn = _next_turn(deal, action.seat, state.chips, deal.bids, 0)
    return _end(state, deal) if turn is None else state.with_deal(deal.with_turn(turn))


def fold(state: State, action: Fold) -> State:
    """Give the hand up."""
    deal = deal_on_turn(state, action.seat, BIDDING, NO_BIDDING)
    if not deal.highest_bid and state.params.opener_rule == "must_bid":
        raise _refused_opening(state, "")
    return _drop(state, deal, action.seat)


def drop_from_bidding(state: State, seat: int) -> State:
    """Take a seat whose turn it is out of the deal; the last one left wins at once."""
    return _drop(state, open_deal(state), seat)


def bidding_options(state: State, deal: DealState, seat: int) -> tuple[Option, ...]:
    """List what the seat may do whose turn it is to bid: a bid from `min` to `max` first, fold last."""
    params, chips, highest = state.params, state.chips[seat], deal.highest_bid
    least = highest + params.min_bid
    most = deal.bids[seat] + chips
    answers = ANSWERS[seat] if highest else _first_answers(seat, params.opener_rule, chips < params.min_bid)
    if least <= most and deal.bid_counts[seat] < params.max_bids:
        bids = (_new_tuple(Option, ("bid", seat, least, most, None, None)),)
        return bids + answers
    return answers


@cache
def _first_answers(seat: int, opener_rule: str, short: bool) -> tuple[Option, ...]:
    """List what else than a bid is open while nobody has bid, to a seat with less than an opening bid (`short`)."""
    names = {"must_bid": (), "may_fold": ("fold",), "may_check": ("check", "fold")}[opener_rule]
    return tuple([Option(name, seat) for name in (("call", *names) if short else names)])


def _refused_opening(state: State, otherwise: str) -> IllegalAction:
    """Say what is wrong with something else than a bid from an opener."""
    if state.params.opener_rule != "must_bid":
        return IllegalAction(ErrorCode.NOT_ALLOWED, otherwise)
    deal = open_deal(state)
    seat = deal.to_act
    if seat is not None and state.chips[seat] < state.params.min_bid:
        return IllegalAction(ErrorCode.MUST_BID, "the opener has less than a bid, so it calls with all it has")
    return IllegalAction(ErrorCode.MUST_BID, "the opener must bid at least {least}", least=state.params.min_bid)


def _pay(
    state: State, deal: DealState, seat: int, amount: int, counts: tuple[int, ...], highest: int, bidder: int | None
) -> State:
    """Move a seat's bid or call from its stack to the pot, and ask the next seat."""
    chips, stakes, bids = [*state.chips], [*state.stakes], [*deal.bids]
    chips[seat] -= amount
    stakes[seat] += amount
    bids[seat] += amount
    turn = _next_turn(deal, seat, chips, bids, highest)
    bidden = deal.with_bids(tuple(bids), counts, highest, bidder, turn)
    paid = state.with_chips(BIDDING, tuple(chips), tuple(stakes), bidden)
    return paid if turn is not None else _end(paid, bidden)


def _drop(state: State, deal: DealState, seat: int) -> State:
    """Take a seat out of the deal, and ask the next one; the last one left wins at once."""
    dropped = deal.without(seat, _next_turn(deal, seat, state.chips, deal.bids, deal.highest_bid))
    live = dropped.live
    if len(live) == 1:
        return win(state, dropped, live[0], Result.UNCONTESTED)
    return _end(state, dropped) if dropped.to_act is None else state.with_deal(dropped)


def _next_turn(deal: DealState, seat: int, chips: Sequence[int], bids: Sequence[int], highest: int) -> int | None:
    """Give the next seat that owes an answer after `seat` has given its own or dropped out; None if none does.

    While nobody has bid, each seat is asked once, from the opener's place round; then as long as its bids are below
    the highest. A seat without chips isn't asked.
    """
    live = deal.live
    if highest:
        for other in OTHERS[len(chips)][seat]:
            if bids[other] < highest and other in live and chips[other]:
                return other
        return None
    for other in OTHERS[len(chips)][seat]:
        if other == deal.opener:
            return None
        if other in live and chips[other]:
            return other
    return None


def _end(state: State, deal: DealState) -> State:
    """End the bidding: somebody leads."""
    return begin_play(state, deal, _leader(state, deal))


def _leader(state: State, deal: DealState) -> int:
    """Give the seat that leads: the highest bidder; if nobody has bid, the first from the opener's place.

    A seat that isn't short comes before one that is. (The highest bidder is never short, and never out: it
    owes nothing until it is raised.)
    """
    if deal.bidder is not None:
        return deal.bidder
    assert deal.opener is not None, "a deal with cards has an opener"
    places = len(state.chips)
    from_opener = (deal.opener, *CLOCKWISE[places][deal.opener][:-1])
    live = [seat for seat in from_opener if seat in deal.live]
    return next((seat for seat in live if not is_short(state, deal, seat)), live[0])
