"""The beginning of a deal: antes and cards; a deal that is broken before its cards; a pot taken without one.

What doesn't belong here: shuffling. Cards arrive as inputs.
"""

from __future__ import annotations

from azi_p2p.rules.actions import Deal, TakePot, Void
from azi_p2p.rules.between import ante_owed, can_take_pot, deal_seats, is_over
from azi_p2p.rules.bidding import begin_bidding
from azi_p2p.rules.cards import Card, suit_of
from azi_p2p.rules.errors import ErrorCode, IllegalAction
from azi_p2p.rules.outcome import win
from azi_p2p.rules.state import DealState, Phase, Result, State, check_cards, check_seat, next_seat


def deal(state: State, action: Deal) -> State:
    """Take the antes and deal the cards; what follows is the discard, or the bidding."""
    params = state.params
    seats = _seats_of_next_deal(state)
    hands = _checked_hands(state, seats, action)
    opened = _beginning(state, seats, ante_owed(state), _opener(state, seats, action.draw), action.upcard, hands)
    dealt = state.dealt(opened)
    return dealt if params.hand_size == 4 else begin_bidding(dealt, opened)


def void(state: State, action: Void) -> State:
    """Book a deal that was broken before the cards were out.

    Each breaker leaves in the pot its ante, and as much as `min_bid` more, as far as its chips go; it isn't
    dealt in until that pot has been won. The others get their ante back, so nothing moves for them.
    """
    seats = _seats_of_next_deal(state)
    breakers = action.breakers
    if type(breakers) is not tuple or not breakers:
        raise IllegalAction(ErrorCode.BAD_SCENARIO, "a deal is void only if somebody broke it")
    for seat in breakers:
        check_seat(state, seat)
        if seat not in seats:
            raise IllegalAction(
                ErrorCode.NOT_YOUR_TURN, "seat {seat} isn't dealt in, so it can't break the deal", seat=seat
            )
    if len(set(breakers)) != len(breakers):
        raise IllegalAction(ErrorCode.NOT_YOUR_TURN, "a seat can break a deal only once")
    started = _beginning(state, seats, ante_owed(state))
    price = started.ante + state.params.min_bid
    lost = tuple([min(price, state.chips[seat]) if seat in breakers else 0 for seat in range(len(state.chips))])
    stakes = tuple(map(int.__add__, state.stakes, lost))
    return state._replace(
        deal_number=state.deal_number + 1,
        chips=tuple(map(int.__sub__, state.chips, lost)),
        stakes=stakes,
        barred=tuple(sorted((*state.barred, *breakers))),
        deal=started._replace(
            antes=tuple([min(started.ante, amount) for amount in lost]),
            live=tuple([seat for seat in seats if seat not in breakers]),
            result=Result.VOID,
            stakes=stakes,
        ),
    )


def take_pot(state: State, _action: TakePot) -> State:
    """Give the carried pot, whole, to the one seat that can be dealt in. It pays no ante, no deal is used up."""
    if state.phase is not Phase.BETWEEN:
        raise IllegalAction(ErrorCode.WRONG_PHASE, "the pot can be taken between deals only")
    if not can_take_pot(state):
        raise IllegalAction(ErrorCode.NOT_ALLOWED, "no carried pot waits for a single seat")
    seats = deal_seats(state)
    return win(state, _beginning(state, seats, 0), seats[0], Result.UNCONTESTED, whole=True)


def _seats_of_next_deal(state: State) -> tuple[int, ...]:
    if state.phase is not Phase.BETWEEN:
        raise IllegalAction(ErrorCode.WRONG_PHASE, "the deal before isn't over yet")
    if state.params.deal_limit and is_over(state) == "deal_limit":
        raise IllegalAction(
            ErrorCode.NOT_ALLOWED,
            "the table has ended: its {limit} deals have been played",
            limit=state.params.deal_limit,
        )
    seats = deal_seats(state)
    if len(seats) < 2:
        raise IllegalAction(ErrorCode.NOT_ALLOWED, "a deal needs two seats that can be dealt in")
    return seats


def _checked_hands(state: State, seats: tuple[int, ...], action: Deal) -> tuple[tuple[Card | None, ...] | None, ...]:
    """Give the hands as dealt, or refuse what this table can't have dealt."""
    params = state.params
    hands, size = action.hands, params.hand_size
    if type(hands) is not tuple or len(hands) != params.seats:
        raise IllegalAction(
            ErrorCode.BAD_SCENARIO, "there must be one entry of hands for each of {seats} seats", seats=params.seats
        )
    for seat, hand in enumerate(hands):
        if hand is None:
            if seat in seats:
                raise IllegalAction(ErrorCode.BAD_SCENARIO, "seat {seat} is dealt in, so it needs a hand", seat=seat)
        elif seat not in seats:
            raise IllegalAction(ErrorCode.BAD_SCENARIO, "seat {seat} isn't dealt in, so it has no hand", seat=seat)
        elif type(hand) is not tuple or len(hand) != size:
            raise IllegalAction(
                ErrorCode.BAD_SCENARIO, "the hand of seat {seat} must have {size} cards", seat=seat, size=size
            )
    if action.upcard is None:
        raise IllegalAction(ErrorCode.BAD_SCENARIO, "the upcard must be known")
    check_cards(params, hands, action.upcard)
    return hands


def _opener(state: State, seats: tuple[int, ...], draw: int | None) -> int:
    if state.last_winner is not None:
        return next_seat(len(state.chips), state.last_winner, seats)
    if draw is None:
        raise IllegalAction(ErrorCode.BAD_SCENARIO, "there has been no winner yet, so the opener must be drawn")
    check_seat(state, draw)
    # A drawn seat that isn't dealt in passes it on clockwise.
    return draw if draw in seats else next_seat(len(state.chips), draw, seats)


def _beginning(
    state: State,
    seats: tuple[int, ...],
    owed: int,
    opener: int | None = None,
    upcard: Card | None = None,
    hands: tuple[tuple[Card | None, ...] | None, ...] | None = None,
) -> DealState:
    """Give a deal as it stands once the antes are in, with its cards if there are any."""
    params, stacks = state.params, state.chips
    antes = tuple([0 if seat not in seats else owed if stack > owed else stack for seat, stack in enumerate(stacks)])
    trump = None if upcard is None else suit_of(upcard)
    promoted_six = params.promoted_six and upcard is not None and upcard[0] == "A"
    places, full = len(stacks), (1 << params.hand_size) - 1
    if hands is None:
        hands, held = (None,) * places, (0,) * places
    else:
        held = tuple([0 if hand is None else full for hand in hands])
    return DealState.begun((seats, state.stakes, owed, antes, opener, upcard, trump, promoted_six), hands, held)
