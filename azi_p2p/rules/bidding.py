"""The bidding: opening, calling, raising, folding; who is asked, and who wins the right to lead.

What doesn't belong here: tricks, and the payout.
"""

from __future__ import annotations

from azi_p2p.rules.actions import Bid, Call, Check, Fold
from azi_p2p.rules.errors import ErrorCode, IllegalAction
from azi_p2p.rules.options import Option, simple_option
from azi_p2p.rules.outcome import is_short, win
from azi_p2p.rules.play import begin_play
from azi_p2p.rules.state import CLOCKWISE, DealState, Phase, Result, State, check_seat, open_deal, replace_at


def begin_bidding(state: State, deal: DealState) -> State:
    """Ask the opener for its bid; with nobody who has a chip left to bid, go on to play."""
    opener = deal.opener
    assert opener is not None, "a deal with cards has an opener"
    if opener in deal.live and state.chips[opener]:
        return state._replace(phase=Phase.BIDDING, deal=deal._replace(to_act=opener))
    return _ask_next(state, deal, opener)


def bid(state: State, action: Bid) -> State:
    """Open the bidding, or raise."""
    seat, to = action.seat, action.to
    deal = _turn(state, seat)
    if type(to) is not int:
        raise IllegalAction(ErrorCode.BAD_SCENARIO, "a bid must be a whole number of chips")
    least = deal.highest_bid + state.params.min_bid
    if to < least:
        raise IllegalAction(ErrorCode.BID_TOO_LOW, "a bid must be to at least {least} here", least=least)
    more = to - deal.bids[seat]
    if more > state.chips[seat]:
        raise IllegalAction(
            ErrorCode.BID_OVER_STACK,
            "a bid must be covered by one's own chips: at most to {most} here",
            most=deal.bids[seat] + state.chips[seat],
        )
    if deal.bid_counts[seat] >= state.params.max_bids:
        raise IllegalAction(
            ErrorCode.NO_BIDS_LEFT,
            "seat {seat} has bid {count} times in this deal, and no more bids are allowed",
            seat=seat,
            count=deal.bid_counts[seat],
        )
    counts = replace_at(deal.bid_counts, seat, deal.bid_counts[seat] + 1)
    return _pay(state, deal._replace(bid_counts=counts, highest_bid=to, bidder=seat), seat, more)


def call(state: State, action: Call) -> State:
    """Match the highest bid, or put in all that is left; so too for an opener with less than `min_bid`."""
    seat = action.seat
    deal = _turn(state, seat)
    chips = state.chips[seat]
    if deal.highest_bid:
        return _pay(state, deal, seat, min(deal.highest_bid - deal.bids[seat], chips))
    if chips >= state.params.min_bid:
        raise _refused_opening(state, "there is nothing to call yet")
    return _pay(state, deal, seat, chips)


def check(state: State, action: Check) -> State:
    """Pass on the opening bid and stay in."""
    deal = _turn(state, action.seat)
    if deal.highest_bid:
        raise IllegalAction(ErrorCode.NOT_ALLOWED, "somebody has bid, so a seat calls, raises or folds")
    if state.params.opener_rule != "may_check":
        raise _refused_opening(state, "this table has no checking")
    return _ask_next(state, deal, action.seat)


def fold(state: State, action: Fold) -> State:
    """Give the hand up."""
    deal = _turn(state, action.seat)
    if not deal.highest_bid and state.params.opener_rule == "must_bid":
        raise _refused_opening(state, "")
    return drop_from_bidding(state, action.seat)


def drop_from_bidding(state: State, seat: int) -> State:
    """Take a seat whose turn it is out of the deal; the last one left wins at once."""
    deal = open_deal(state)
    deal = deal._replace(live=tuple([other for other in deal.live if other != seat]))
    if len(deal.live) == 1:
        return win(state, deal, deal.live[0], Result.UNCONTESTED)
    return _ask_next(state, deal, seat)


def bidding_options(state: State, deal: DealState, seat: int) -> tuple[Option, ...]:
    """List what the seat may do whose turn it is to bid: a bid from `min` to `max` first, fold last."""
    chips = state.chips[seat]
    params = state.params
    least = deal.highest_bid + params.min_bid
    most = deal.bids[seat] + chips
    options = []
    if least <= most and deal.bid_counts[seat] < params.max_bids:
        options.append(Option("bid", seat, least, most))
    if deal.highest_bid:
        options.append(simple_option("call", seat))
        options.append(simple_option("fold", seat))
        return tuple(options)
    if chips < params.min_bid:
        options.append(simple_option("call", seat))
    if params.opener_rule == "may_check":
        options.append(simple_option("check", seat))
    if params.opener_rule != "must_bid":
        options.append(simple_option("fold", seat))
    return tuple(options)


def _turn(state: State, seat: int) -> DealState:
    """Give the deal in which this seat may bid now, or refuse."""
    check_seat(state, seat)
    deal = state.deal
    if state.phase is not Phase.BIDDING or deal is None:
        raise IllegalAction(ErrorCode.WRONG_PHASE, "there is no bidding now")
    if deal.to_act != seat:
        raise IllegalAction(ErrorCode.NOT_YOUR_TURN, "it is seat {turn}'s turn", turn=deal.to_act)
    return deal


def _refused_opening(state: State, otherwise: str) -> IllegalAction:
    """Say what is wrong with something else than a bid from an opener."""
    if state.params.opener_rule != "must_bid":
        return IllegalAction(ErrorCode.NOT_ALLOWED, otherwise)
    deal = open_deal(state)
    seat = deal.to_act
    if seat is not None and state.chips[seat] < state.params.min_bid:
        return IllegalAction(ErrorCode.MUST_BID, "the opener has less than a bid, so it calls with all it has")
    return IllegalAction(ErrorCode.MUST_BID, "the opener must bid at least {least}", least=state.params.min_bid)


def _pay(state: State, deal: DealState, seat: int, chips: int) -> State:
    """Move chips from a seat's stack to the pot as its bid, and ask the next seat."""
    paid = state._replace(
        chips=replace_at(state.chips, seat, state.chips[seat] - chips),
        stakes=replace_at(state.stakes, seat, state.stakes[seat] + chips),
    )
    return _ask_next(paid, deal._replace(bids=replace_at(deal.bids, seat, deal.bids[seat] + chips)), seat)


def _ask_next(state: State, deal: DealState, seat: int) -> State:
    """Go on after `seat` has answered: to the next one that owes an answer, or to play."""
    for other in CLOCKWISE[len(state.chips)][seat]:
        if deal.highest_bid == 0 and other == deal.opener:
            break  # While nobody has bid, each seat is asked once, from the opener's place round.
        if other in deal.live and state.chips[other] and (deal.highest_bid == 0 or deal.bids[other] < deal.highest_bid):
            return state._replace(phase=Phase.BIDDING, deal=deal._replace(to_act=other))
    return begin_play(state, deal._replace(leader=_leader(state, deal)))


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
