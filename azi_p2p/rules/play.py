"""Cards on the table: the discard, the tricks, following suit, and what a seat must prove when it doesn't.

Hands may be hidden: then the rules can't see whether a seat follows, and `voids_owed` says what has to be
proven instead. What doesn't belong here: such proofs, and the bidding.
"""

from __future__ import annotations

from typing import Final

from azi_p2p.rules.actions import Discard, Play
from azi_p2p.rules.cards import DECK_SETS, Card, strengths
from azi_p2p.rules.errors import ErrorCode, IllegalAction
from azi_p2p.rules.options import Option, card_options
from azi_p2p.rules.outcome import azi, win
from azi_p2p.rules.state import (
    OTHERS,
    DealState,
    Phase,
    Result,
    State,
    Trick,
    check_seat,
    deal_on_turn,
    next_seat,
    open_deal,
    replace_at,
)

PLAYING: Final = Phase.PLAYING
"""Looking an enum's member up costs more than the comparison that it is for."""

POSITIONS: Final = tuple(tuple(place for place in range(4) if mask >> place & 1) for mask in range(16))
"""POSITIONS[mask]: the positions whose bits are set in a mask of held cards."""

PLAYS: Final = tuple(card_options("play", seat) for seat in range(6))
"""PLAYS[seat][position][card]: the option of playing a card."""

_new_tuple = tuple.__new__
"""Makes a `Trick` in half the time of calling the class, once for every card."""

NO_CARDS: Final[tuple[tuple[Card | None, ...], ...]] = tuple((None,) * places for places in range(7))
"""NO_CARDS[places]: the cards of a trick to which nobody has played yet."""


def begin_play(state: State, deal: DealState, leader: int) -> State:
    """Let the seat that won the lead in the bidding lead to the first trick."""
    trick = Trick(leader, NO_CARDS[len(state.chips)], None)
    return state.with_chips(PLAYING, state.chips, state.stakes, deal.with_lead(leader, trick))


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
    seat, card, position = action.seat, action.card, action.position
    deal = deal_on_turn(state, seat, PLAYING, "there is no trick to play to now")
    trick, hands, held = deal.trick, deal.hands, [*deal.held]
    hand = hands[seat]
    assert trick is not None, "in play there is a trick"
    assert hand is not None, "a live seat has a hand"
    if type(card) is str and type(position) is int and position in POSITIONS[held[seat]] and hand[position] == card:
        place = position
    else:
        place = _locate(state, deal, seat, card, position)
    leader, cards = trick.leader, [*trick.cards]
    led = cards[leader]
    if led is not None and led[1] != card[1]:
        _check_following(deal, seat, card, led[1])
    if hand[place] is None:
        hands = replace_at(hands, seat, replace_at(hand, place, card))
    held[seat] &= ~(1 << place)
    cards[seat] = card
    return _go_on(state, deal, seat, hands, tuple(held), leader, tuple(cards))


def drop_from_play(state: State, seat: int) -> State:
    """Take a seat whose turn it is out of the deal; the last one left wins at once.

    If it would have led, the next live seat clockwise leads. Cards that lie stay, tricks that it won stay won.
    """
    deal = open_deal(state)
    trick = deal.trick
    assert trick is not None, "in play there is a trick"
    deal = deal.without(seat)
    if len(deal.live) == 1:
        return win(state, deal, deal.live[0], Result.UNCONTESTED)
    if led_suit(deal) is None:
        leader = next_seat(len(state.chips), seat, deal.live)
        return state.with_deal(deal._replace(trick=trick._replace(leader=leader), to_act=leader))
    return _go_on(state, deal, seat, deal.hands, deal.held, trick.leader, trick.cards)


def led_suit(deal: DealState) -> str | None:
    """Give the suit that was led to the open trick; None if no card of it lies yet."""
    if deal.trick is None:
        return None
    card = deal.trick.cards[deal.trick.leader]
    return None if card is None else card[1]


def voids_owed(state: State, seat: int, card: Card) -> tuple[str, ...]:
    """Give the suits in which a seat must be void for this play to be legal, the led one first.

    () if the card leads or follows the led suit; (led,) if it trumps; (led, trump) otherwise, only once if trumps are
    led. It is a question about the suits only: whether the seat is on turn and holds the card, `apply` says. Raises
    `IllegalAction` for a seat or card that doesn't exist, and where no trick is open.
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
    return (led,) if trump in (led, card[1]) else (led, trump)


def play_options(deal: DealState, seat: int) -> tuple[Option, ...]:
    """List the known cards that the seat may play to the open trick, by position."""
    hand, trump, trick = deal.hands[seat], deal.trump, deal.trick
    if hand is None or trick is None:
        return ()
    lead, table, places = trick.cards[trick.leader], PLAYS[seat], POSITIONS[deal.held[seat]]
    led = "" if lead is None else lead[1]
    following, trumping, others = [], [], []
    for place in places:
        card = hand[place]
        if card is None:
            continue
        suit = card[1]
        if suit == led:
            following.append(table[place][card])
        elif suit == trump and led:
            trumping.append(table[place][card])
        else:
            others.append(table[place][card])
    return tuple(following or trumping or others)


def discard_options(deal: DealState, seat: int) -> tuple[Option, ...]:
    """List the known cards that the seat may discard, by position."""
    table = card_options("discard", seat)
    return tuple([table[place][card] for place, card in _known_held(deal, seat)])


def _known_held(deal: DealState, seat: int) -> list[tuple[int, Card]]:
    """List position and card for the cards in hand that are known to us."""
    hand = deal.hands[seat]
    if hand is None:
        return []
    return [(place, card) for place in POSITIONS[deal.held[seat]] if (card := hand[place]) is not None]


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
    hand = deal.hands[seat]
    assert hand is not None, "a seat that owes a card has a hand"
    if position is None:
        places = POSITIONS[deal.held[seat]]
        for place in places:
            if hand[place] == card:
                return place
        if any(hand[place] is None for place in places):
            _held_position(state, deal, seat, None)
        raise _not_held(state, seat, card)
    _held_position(state, deal, seat, position)
    if hand[position] == card:
        return position
    if hand[position] is not None or card not in DECK_SETS[state.params.out_suit] or card == deal.upcard:
        raise _not_held(state, seat, card)
    # A hidden card can be anything that isn't known to lie or to be held somewhere else.
    if any(other is not None and card in other for other in deal.hands):
        raise _not_held(state, seat, card)
    return position


def _not_held(state: State, seat: int, card: Card) -> IllegalAction:
    if card not in DECK_SETS[state.params.out_suit]:
        return IllegalAction(ErrorCode.CARD_NOT_HELD, "that isn't a card of this deck")
    return IllegalAction(ErrorCode.CARD_NOT_HELD, "seat {seat} can't hold the {card}", seat=seat, card=card)


def _check_following(deal: DealState, seat: int, card: Card, led: str) -> None:
    """Refuse a card of another suit than the led one while the seat is known to hold one that would follow."""
    trump, trumps = deal.trump, False
    for _, held in _known_held(deal, seat):
        suit = held[1]
        if suit == led:
            raise IllegalAction(
                ErrorCode.MUST_FOLLOW_SUIT,
                "seat {seat} holds a card of the led suit {led} and must play one",
                seat=seat,
                led=led,
            )
        trumps = trumps or suit == trump
    if trumps and card[1] != trump:
        raise IllegalAction(
            ErrorCode.MUST_TRUMP,
            "seat {seat} has no card of the led suit {led} but holds a trump, and must play one",
            seat=seat,
            led=led,
        )


def _go_on(
    state: State,
    deal: DealState,
    seat: int,
    hands: tuple[tuple[Card | None, ...] | None, ...],
    held: tuple[int, ...],
    leader: int,
    cards: tuple[Card | None, ...],
) -> State:
    """Go on after `seat` has played or dropped out: to the next seat of the trick, or to its end."""
    places = len(cards)
    live = deal.live
    for other in OTHERS[places][seat]:
        if cards[other] is None and other in live:
            trick = _new_tuple(Trick, (leader, cards, None))
            return state.with_deal(deal.with_cards(hands, held, deal.tricks, trick, other))
    winner = _trick_winner(deal, leader, cards)
    complete = (_new_tuple(Trick, (leader, cards, winner)),)
    before = deal.tricks
    tricks = before + complete
    for earlier in before:
        if earlier.winner == winner:
            return win(state, deal.with_cards(hands, held, tricks, None, None), winner, Result.WON)
    if len(tricks) == 3:
        return azi(state, deal.with_cards(hands, held, tricks, None, None))
    leads = winner if winner in live else next_seat(places, winner, live)
    trick = _new_tuple(Trick, (leads, NO_CARDS[places], None))
    return state.with_deal(deal.with_cards(hands, held, tricks, trick, leads))


def _trick_winner(deal: DealState, leader: int, cards: tuple[Card | None, ...]) -> int:
    """Give the seat whose card wins: the highest trump, else the highest card of the led suit."""
    led = cards[leader]
    assert led is not None, "a complete trick has been led to"
    assert deal.trump is not None, "a deal with cards has a trump suit"
    strength = strengths(deal.trump, led[1], promoted_six=deal.promoted_six)
    best = leader
    highest = strength[led]
    for seat, card in enumerate(cards):
        if card is not None and strength[card] > highest:
            best, highest = seat, strength[card]
    return best
