"""Cards on the table: the discard, the tricks, following suit, and what a seat must prove when it doesn't.

Hands may be hidden: then the rules can't see whether a seat follows, and `voids_owed` says what has to be
proven instead. What doesn't belong here: such proofs, and the bidding.
"""

from __future__ import annotations

from azi_p2p.rules.actions import Discard, Play
from azi_p2p.rules.cards import DECK_SETS, Card, strengths
from azi_p2p.rules.errors import ErrorCode, IllegalAction
from azi_p2p.rules.options import Option, card_option
from azi_p2p.rules.outcome import azi, win
from azi_p2p.rules.state import (
    CLOCKWISE,
    DealState,
    Phase,
    Result,
    State,
    Trick,
    check_seat,
    next_seat,
    open_deal,
    replace_at,
)


def begin_play(state: State, deal: DealState) -> State:
    """Let the leader lead to the first trick."""
    assert deal.leader is not None, "the bidding names a leader"
    return _lead(state, deal, deal.leader)


def discard(state: State, action: Discard) -> State:
    """Put a card away, unseen by the others. Once all live seats have, the caller begins the bidding."""
    seat = action.seat
    check_seat(state, seat)
    if state.phase is not Phase.DISCARD:
        raise IllegalAction(ErrorCode.WRONG_PHASE, "there is nothing to discard now")
    deal = open_deal(state)
    if seat not in deal.live or deal.discards[seat] is not None:
        raise IllegalAction(ErrorCode.NOT_YOUR_TURN, "seat {seat} owes no discard", seat=seat)
    if action.card is None:
        position = _held_position(state, deal, seat, action.position)
    else:
        position = _locate(state, deal, seat, action.card, action.position)
    return state._replace(
        deal=deal._replace(
            held=replace_at(deal.held, seat, deal.held[seat] & ~(1 << position)),
            discards=replace_at(deal.discards, seat, position),
        )
    )


def play(state: State, action: Play) -> State:
    """Play a card to the trick; the last card of a trick decides it, and perhaps the deal."""
    seat, card = action.seat, action.card
    check_seat(state, seat)
    if state.phase is not Phase.PLAYING:
        raise IllegalAction(ErrorCode.WRONG_PHASE, "there is no trick to play to now")
    deal = open_deal(state)
    if deal.to_act != seat:
        raise IllegalAction(ErrorCode.NOT_YOUR_TURN, "it is seat {turn}'s turn", turn=deal.to_act)
    position = _locate(state, deal, seat, card, action.position)
    _check_following(deal, seat, card)
    trick, hand = deal.trick, deal.hands[seat]
    assert trick is not None, "in play there is a trick"
    assert hand is not None, "a live seat has a hand"
    hands = deal.hands if hand[position] is card else replace_at(deal.hands, seat, replace_at(hand, position, card))
    return _go_on(
        state,
        deal._replace(
            hands=hands,
            held=replace_at(deal.held, seat, deal.held[seat] & ~(1 << position)),
            trick=Trick(trick.leader, replace_at(trick.cards, seat, card), None),
        ),
        seat,
    )


def drop_from_play(state: State, seat: int) -> State:
    """Take a seat whose turn it is out of the deal; the last one left wins at once.

    If it would have led, the next live seat clockwise leads. Cards that lie stay, tricks that it won stay won.
    """
    deal = open_deal(state)
    deal = deal._replace(live=tuple([other for other in deal.live if other != seat]))
    if len(deal.live) == 1:
        return win(state, deal, deal.live[0], Result.UNCONTESTED)
    if led_suit(deal) is None:
        return _lead(state, deal, next_seat(len(state.chips), seat, deal.live))
    return _go_on(state, deal, seat)


def led_suit(deal: DealState) -> str | None:
    """Give the suit that was led to the open trick; None if no card of it lies yet."""
    if deal.trick is None:
        return None
    card = deal.trick.cards[deal.trick.leader]
    return None if card is None else card[1]


def voids_owed(state: State, seat: int, card: Card) -> tuple[str, ...]:
    """Give the suits in which a seat must be void for this play to be legal, the led one first.

    () if the card leads or follows the led suit; (led,) if it trumps; (led, trump) otherwise. It is a question
    about the suits only: whether the seat is on turn and holds the card, `apply` says. Raises `IllegalAction`
    for a seat or card that doesn't exist, and where no trick is open.
    """
    check_seat(state, seat)
    if state.phase is not Phase.PLAYING:
        raise IllegalAction(ErrorCode.WRONG_PHASE, "there is no trick to play to now")
    if card not in DECK_SETS[state.params.out_suit]:
        raise IllegalAction(ErrorCode.CARD_NOT_HELD, "that isn't a card of this deck")
    deal = open_deal(state)
    led, trump = led_suit(deal), deal.trump
    assert trump is not None, "a deal with cards has a trump suit"
    if led is None or card[1] == led:
        return ()
    return (led,) if card[1] == trump else (led, trump)


def play_options(deal: DealState, seat: int) -> tuple[Option, ...]:
    """List the known cards that the seat may play to the open trick, by position."""
    cards = _known_held(deal, seat)
    led = led_suit(deal)
    if led is not None:
        suits = [card[1] for _, card in cards]
        wanted = led if led in suits else deal.trump
        if wanted in suits:
            return tuple([card_option("play", seat, card, place) for place, card in cards if card[1] == wanted])
    return tuple([card_option("play", seat, card, place) for place, card in cards])


def discard_options(deal: DealState, seat: int) -> tuple[Option, ...]:
    """List the known cards that the seat may discard, by position."""
    return tuple([card_option("discard", seat, card, place) for place, card in _known_held(deal, seat)])


def _known_held(deal: DealState, seat: int) -> list[tuple[int, Card]]:
    """List position and card for the cards in hand that are known to us."""
    hand, held = deal.hands[seat], deal.held[seat]
    if hand is None:
        return []
    return [(place, card) for place, card in enumerate(hand) if card is not None and held >> place & 1]


def _held_position(state: State, deal: DealState, seat: int, position: int | None) -> int:
    """Give back a position at which the seat still holds a card, or refuse."""
    if position is None:
        raise IllegalAction(
            ErrorCode.CARD_NOT_HELD, "the cards of seat {seat} are hidden: say which position", seat=seat
        )
    if type(position) is not int or not 0 <= position < state.params.hand_size:
        raise IllegalAction(
            ErrorCode.BAD_SCENARIO, "the positions in a hand are 0 to {last}", last=state.params.hand_size - 1
        )
    if not deal.held[seat] >> position & 1:
        raise IllegalAction(
            ErrorCode.CARD_NOT_HELD,
            "seat {seat} holds no card at position {position} any more",
            seat=seat,
            position=position,
        )
    return position


def _locate(state: State, deal: DealState, seat: int, card: Card, position: int | None) -> int:
    """Give the position at which the seat holds this card, or may do so where the position is hidden."""
    if type(card) is not str:
        raise IllegalAction(ErrorCode.BAD_SCENARIO, "that isn't a card")
    hand, held = deal.hands[seat], deal.held[seat]
    assert hand is not None, "a seat that owes a card has a hand"
    if position is None:
        for place, known in enumerate(hand):
            if known == card and held >> place & 1:
                return place
        if any(known is None and held >> place & 1 for place, known in enumerate(hand)):
            _held_position(state, deal, seat, None)
        raise _not_held(state, seat, card)
    _held_position(state, deal, seat, position)
    known = hand[position]
    if known == card:
        return position
    if known is not None or card not in DECK_SETS[state.params.out_suit] or card == deal.upcard:
        raise _not_held(state, seat, card)
    # A hidden card can be anything that isn't known to lie or to be held somewhere else.
    if any(other is not None and card in other for other in deal.hands):
        raise _not_held(state, seat, card)
    return position


def _not_held(state: State, seat: int, card: Card) -> IllegalAction:
    if card not in DECK_SETS[state.params.out_suit]:
        return IllegalAction(ErrorCode.CARD_NOT_HELD, "that isn't a card of this deck")
    return IllegalAction(ErrorCode.CARD_NOT_HELD, "seat {seat} can't hold the {card}", seat=seat, card=card)


def _check_following(deal: DealState, seat: int, card: Card) -> None:
    """Refuse a card that doesn't follow while the seat is known to hold one that would."""
    led = led_suit(deal)
    if led is None or card[1] == led:
        return
    suits = [held[1] for _, held in _known_held(deal, seat)]
    if led in suits:
        raise IllegalAction(
            ErrorCode.MUST_FOLLOW_SUIT,
            "seat {seat} holds a card of the led suit {led} and must play one",
            seat=seat,
            led=led,
        )
    if card[1] != deal.trump and deal.trump in suits:
        raise IllegalAction(
            ErrorCode.MUST_TRUMP,
            "seat {seat} has no card of the led suit {led} but holds a trump, and must play one",
            seat=seat,
            led=led,
        )


def _lead(state: State, deal: DealState, seat: int) -> State:
    """Open a trick that `seat` leads."""
    trick = Trick(seat, (None,) * len(state.chips), None)
    return state._replace(phase=Phase.PLAYING, deal=deal._replace(trick=trick, to_act=seat))


def _go_on(state: State, deal: DealState, seat: int) -> State:
    """Go on after `seat` has played or dropped out: to the next seat of the trick, or to its end."""
    trick = deal.trick
    assert trick is not None, "in play there is a trick"
    places = len(state.chips)
    for other in CLOCKWISE[places][seat]:
        if other in deal.live and trick.cards[other] is None:
            return state._replace(deal=deal._replace(to_act=other))
    winner = _trick_winner(deal, trick)
    tricks = (*deal.tricks, Trick(trick.leader, trick.cards, winner))
    deal = deal._replace(tricks=tricks, trick=None)
    if sum(earlier.winner == winner for earlier in tricks) == 2:
        return win(state, deal, winner, Result.WON)
    if len(tricks) == 3:
        return azi(state, deal)
    return _lead(state, deal, winner if winner in deal.live else next_seat(places, winner, deal.live))


def _trick_winner(deal: DealState, trick: Trick) -> int:
    """Give the seat whose card wins: the highest trump, else the highest card of the led suit."""
    led = led_suit(deal)
    assert led is not None, "a complete trick has been led to"
    assert deal.trump is not None, "a deal with cards has a trump suit"
    strength = strengths(deal.trump, led, promoted_six=deal.promoted_six)
    return max((strength[card], seat) for seat, card in enumerate(trick.cards) if card is not None)[1]
