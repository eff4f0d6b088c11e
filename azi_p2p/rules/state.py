"""The state of one table, frozen: places, chips, pot, and the deal that is open or was the last one.

Everything is a tuple of small values, so a step shares with its predecessor whatever it doesn't change. What
doesn't belong here: the rules that lead from one state to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from operator import add, sub
from typing import Final, NamedTuple, TypeVar

from azi_p2p.rules.cards import DECK_SETS, Card, Suit
from azi_p2p.rules.errors import ErrorCode, IllegalAction, shown
from azi_p2p.rules.params import MAX_CHIPS, Params

_T = TypeVar("_T")

_new_tuple = tuple.__new__


class Phase(StrEnum):
    """What the table is doing."""

    BETWEEN = "between"
    """No deal is open; the outcome of the last one can still be read."""
    BUY_IN = "buy_in"
    """After an Azi, seats are asked in turn whether they buy into the replay."""
    DISCARD = "discard"
    BIDDING = "bidding"
    PLAYING = "playing"


class SeatStatus(StrEnum):
    """How a place at the table is taken."""

    EMPTY = "empty"
    IN = "in"
    OUT = "out"
    """Sitting out: keeps chips and stake, isn't dealt in."""
    LEFT = "left"
    """Gone for good: isn't dealt in again; what returns from the pot is still its own."""


class Result(StrEnum):
    """How a deal ended."""

    WON = "won"
    UNCONTESTED = "uncontested"
    AZI = "azi"
    VOID = "void"


class Trick(NamedTuple):
    """One trick. `cards` has an entry per place, None where no card of it lies; `winner` None while open."""

    leader: int
    cards: tuple[Card | None, ...]
    winner: int | None


class Replay(NamedTuple):
    """What an Azi leaves behind for the deal that replays it, until the pot is won."""

    live: tuple[int, ...]
    """The seats that were live at the Azi."""
    took: tuple[int, ...]
    """The seats that took a trick."""
    price: int
    """Chips to buy in: half the pot at the Azi, rounded up."""
    order: tuple[int, ...]
    """The seats without a trick in the order in which they are asked."""
    answered: int
    """How far down `order` the asking has come."""
    bought: tuple[int, ...]
    """The seats that have bought in."""


class DealState(NamedTuple):
    """One deal. Tuples with an entry per place are marked [place]; the others list seats in rising order.

    The fields stand in the order in which they come to rest: what a deal begins with, how it ends, the bidding, the
    play. So a step can keep the front of the tuple as it is and renew only what is behind it.
    """

    dealt_in: tuple[int, ...]
    carried: tuple[int, ...]
    """[place] Stakes that lay in the pot before this deal's antes."""
    ante: int
    """What each seat dealt in owed as ante (0 in a replay with buy-in)."""
    antes: tuple[int, ...]
    """[place] What was paid as ante."""
    opener: int | None
    """The opener's place; None in a deal without cards."""
    upcard: Card | None
    trump: Suit | None
    promoted_six: bool

    result: Result | None
    winner: int | None
    payouts: tuple[int, ...]
    """[place] Chips that the seats received when the pot was paid out."""
    stakes: tuple[int, ...]
    """[place] The pot's ledger at the end of the deal, before the payout; () while it is open."""

    bids: tuple[int, ...]
    """[place] Chips bid in this deal, calls included, the ante not."""
    bid_counts: tuple[int, ...]
    """[place] How often the seat opened or raised."""
    highest_bid: int
    """0 while nobody has bid."""
    bidder: int | None
    """The seat whose bid is the highest."""

    leader: int | None
    """The seat that won the lead in the bidding; None before play."""
    discards: tuple[int | None, ...]
    """[place] Position of the discard."""
    live: tuple[int, ...]
    """The seats that haven't folded."""
    hands: tuple[tuple[Card | None, ...] | None, ...]
    """[place] Cards as dealt, by position; None for a card that isn't known to us."""
    held: tuple[int, ...]
    """[place] Positions still in hand, as a bit mask (bit p for position p)."""
    tricks: tuple[Trick, ...]
    """The tricks that are complete."""
    trick: Trick | None
    """The trick that is being played; None before play and after a deal decided by a trick."""
    to_act: int | None
    """The seat that owes a bid or a card; None in the discard, which all owe at once."""

    @staticmethod
    def begun(
        beginning: tuple[
            tuple[int, ...], tuple[int, ...], int, tuple[int, ...], int | None, Card | None, Suit | None, bool
        ],
        hands: tuple[tuple[Card | None, ...] | None, ...],
        held: tuple[int, ...],
    ) -> DealState:
        """Give a deal with nothing bid or played yet; `beginning` is its fields from `dealt_in` to `promoted_six`.

        Naming all the fields in one call would take as long as two steps of the play.
        """
        nothing, nobody = (0,) * len(held), (None,) * len(held)
        no_outcome = (None, None, nothing, ())
        no_bids = (nothing, nothing, 0, None)
        no_play = (None, nobody, beginning[0], hands, held, (), None, None)
        return _new_tuple(DealState, beginning + no_outcome + no_bids + no_play)

    # Each of these is one slice of what stays in front, and one tuple of all that comes behind: `_replace` would take
    # four times as long, and a display with stars in it, which goes by way of a list, twice as long.

    def with_turn(self, to_act: int | None) -> DealState:
        """Give the same deal with another seat to act."""
        turn = (to_act,)
        return _new_tuple(DealState, self[:-1] + turn)

    def with_bids(
        self,
        bids: tuple[int, ...],
        bid_counts: tuple[int, ...],
        highest_bid: int,
        bidder: int | None,
        to_act: int | None,
    ) -> DealState:
        """Give the deal after a step of the bidding."""
        bidding = (bids, bid_counts, highest_bid, bidder)
        play = (None, self.discards, self.live, self.hands, self.held, (), None, to_act)
        return _new_tuple(DealState, self[:12] + bidding + play)

    def with_lead(self, leader: int, trick: Trick) -> DealState:
        """Give the deal at the end of the bidding: `leader` leads to the first trick."""
        play = (leader, self.discards, self.live, self.hands, self.held, (), trick, leader)
        return _new_tuple(DealState, self[:16] + play)

    def without(self, seat: int, to_act: int | None = None) -> DealState:
        """Give the deal after a seat has dropped out of it, and who is to act then, if it is settled already."""
        live = tuple([other for other in self.live if other != seat])
        rest = (live, self.hands, self.held, self.tricks, self.trick, to_act)
        return _new_tuple(DealState, self[:18] + rest)

    def ended(self, result: Result, winner: int | None, payouts: tuple[int, ...], stakes: tuple[int, ...]) -> DealState:
        """Give the deal with its outcome, and nobody to act."""
        outcome = (result, winner, payouts, stakes)
        nobody = (None,)
        return _new_tuple(DealState, self[:8] + outcome + self[12:-1] + nobody)

    def with_cards(
        self,
        hands: tuple[tuple[Card | None, ...] | None, ...],
        held: tuple[int, ...],
        tricks: tuple[Trick, ...],
        trick: Trick | None,
        to_act: int | None,
    ) -> DealState:
        """Give the deal after a step of the play."""
        rest = (hands, held, tricks, trick, to_act)
        return _new_tuple(DealState, self[:-5] + rest)


class State(NamedTuple):
    """One table, between deals or in a deal. Tuples with an entry per place are marked [place].

    What changes most often stands last (see `DealState`).
    """

    params: Params
    status: tuple[SeatStatus, ...]
    """[place] How the place is taken."""
    last_winner: int | None
    barred: tuple[int, ...]
    """Seats that broke a deal and aren't dealt in until the pot has been won."""
    replay: Replay | None
    """Set from an Azi until the pot is won."""
    deal_number: int
    """Deals begun so far, void ones included; so the number of the open or last deal, from 1."""
    phase: Phase
    chips: tuple[int, ...]
    """[place] Chips in front of the seat, the pot not counted."""
    stakes: tuple[int, ...]
    """[place] The pot: what each seat has staked since the pot was last won."""
    deal: DealState | None
    """The open deal, or the last one; None before the first."""

    def with_deal(self, deal: DealState) -> State:
        """Give the same table with its deal a step further."""
        last = (deal,)
        return _new_tuple(State, self[:-1] + last)

    def with_chips(self, phase: Phase, chips: tuple[int, ...], stakes: tuple[int, ...], deal: DealState) -> State:
        """Give the table after chips have moved."""
        rest = (phase, chips, stakes, deal)
        return _new_tuple(State, self[:-4] + rest)

    def dealt(self, deal: DealState) -> State:
        """Give the table after the antes of a new deal have been paid."""
        chips = tuple(map(sub, self.chips, deal.antes))
        stakes = tuple(map(add, self.stakes, deal.antes))
        rest = (self.deal_number + 1, Phase.DISCARD, chips, stakes, deal)
        return _new_tuple(State, self[:5] + rest)

    def paid_out(self, winner: int, payouts: tuple[int, ...], deal: DealState) -> State:
        """Give the table after its pot has been won and paid out: whatever was carried, replayed or barred is over."""
        chips = tuple(map(add, self.chips, payouts))
        empty = (0,) * len(chips)
        settled = (self.params, self.status, winner, (), None, self.deal_number, Phase.BETWEEN, chips, empty, deal)
        return _new_tuple(State, settled)

    @property
    def pot(self) -> int:
        """Chips in the pot."""
        return sum(self.stakes)

    @property
    def carried(self) -> tuple[int, ...]:
        """[place] Stakes carried over: into the open deal, or between deals into the next one."""
        if self.deal is not None and self.phase in IN_DEAL:
            return self.deal.carried
        return self.stakes


IN_DEAL: Final = frozenset({Phase.DISCARD, Phase.BIDDING, Phase.PLAYING})
"""The phases in which a deal is open."""

CLOCKWISE: Final = tuple(
    tuple(tuple((seat + step) % seats for step in range(1, seats + 1)) for seat in range(seats)) for seats in range(7)
)
"""CLOCKWISE[seats][seat]: all seats from the one left of `seat` round to `seat` itself."""

OTHERS: Final = tuple(tuple(circle[:-1] for circle in circles) for circles in CLOCKWISE)
"""OTHERS[seats][seat]: the same without `seat` itself."""


def new_table(params: Params, chips: Sequence[int | None], last_winner: int | None = None) -> State:
    """Set up a table before its first deal.

    `chips` has an entry per place: the chips that the seat brings (0 to a thousand million), or None for an
    empty place. `last_winner` is for a table that goes on from elsewhere. Raises `ParamsError` for bad
    parameters, `IllegalAction` for chips or a winner that can't be.
    """
    params.check()
    if len(chips) != params.seats:
        raise IllegalAction(
            ErrorCode.BAD_SCENARIO,
            "the table has {seats} places, but chips are given for {given}",
            seats=params.seats,
            given=len(chips),
        )
    for seat, amount in enumerate(chips):
        if amount is None:
            continue
        if type(amount) is not int:
            raise IllegalAction(ErrorCode.BAD_SCENARIO, "the chips of seat {seat} must be a whole number", seat=seat)
        if not 0 <= amount <= MAX_CHIPS:
            raise IllegalAction(
                ErrorCode.CHIPS_OUT_OF_RANGE,
                "seat {seat} can't have {chips} chips; it may have 0 to {most}",
                seat=seat,
                chips=amount,
                most=MAX_CHIPS,
            )
    if last_winner is not None and (type(last_winner) is not int or not 0 <= last_winner < params.seats):
        raise IllegalAction(ErrorCode.BAD_SCENARIO, "the last winner isn't a seat of this table")
    zeros = (0,) * params.seats
    return State(
        params=params,
        status=tuple(SeatStatus.EMPTY if amount is None else SeatStatus.IN for amount in chips),
        last_winner=last_winner,
        barred=(),
        replay=None,
        deal_number=0,
        phase=Phase.BETWEEN,
        chips=tuple(amount or 0 for amount in chips),
        stakes=zeros,
        deal=None,
    )


def conserved(state: State) -> int:
    """Give all chips of the table, stacks and pot. Only `Join` and `Rebuy` change this figure.

    (A join adds `start_chips`; where it takes the place of a seat that left, that seat's chips go with it.)
    """
    return sum(state.chips) + sum(state.stakes)


def open_deal(state: State) -> DealState:
    """Give the deal of a state whose phase says that one is open."""
    deal = state.deal
    assert deal is not None, "the phase says that a deal is open"
    return deal


def held_positions(state: State, seat: int) -> tuple[int, ...]:
    """Give the positions of the cards that the seat still holds: neither played nor discarded.

    () for a seat that isn't dealt in, and before the first deal. Raises `IllegalAction` for a seat that
    doesn't exist.
    """
    check_seat(state, seat)
    if state.deal is None:
        return ()
    mask = state.deal.held[seat]
    return tuple(position for position in range(state.params.hand_size) if mask >> position & 1)


def with_hand(state: State, seat: int, cards: Sequence[Card]) -> State:
    """Fill in the cards of a seat, by position, in one's private copy of the state.

    `cards` has hand_size cards. The public part of the state, and so its digest, doesn't change. Raises
    `IllegalAction` if they contradict what is known already.
    """
    check_seat(state, seat)
    deal = state.deal
    known = None if deal is None else deal.hands[seat]
    if deal is None or known is None:
        raise IllegalAction(ErrorCode.CARD_NOT_HELD, "seat {seat} isn't dealt in", seat=seat)
    hand = tuple(cards)
    if len(hand) != state.params.hand_size:
        raise IllegalAction(ErrorCode.BAD_SCENARIO, "a hand has {size} cards", size=state.params.hand_size)
    for old, new in zip(known, hand, strict=True):
        if old is not None and old != new:
            raise IllegalAction(ErrorCode.CARD_NOT_HELD, "{old} lies where {new} was named", old=old, new=new)
    hands = replace_at(deal.hands, seat, hand)
    check_cards(state.params, hands, deal.upcard)
    return state._replace(deal=deal._replace(hands=hands))


def check_cards(params: Params, hands: Sequence[Sequence[Card | None] | None], upcard: Card | None) -> None:
    """Raise `IllegalAction` unless all known cards are in the deck and no two of them are the same."""
    deck = DECK_SETS[params.out_suit]
    cards: list[Card | None] = []
    for hand in hands:
        if hand is not None:
            cards += hand
    cards.append(upcard)
    try:
        seen = set(cards)
    except TypeError:  # somebody's list or object where a card should be
        raise IllegalAction(ErrorCode.BAD_SCENARIO, "a hand holds something that isn't a card") from None
    if None in seen:
        cards = [card for card in cards if card is not None]
        seen.remove(None)
    if not seen <= deck:
        wrong = next(card for card in cards if card not in deck)
        raise IllegalAction(ErrorCode.BAD_SCENARIO, "{card} isn't a card of this deck", card=shown(wrong))
    if len(seen) != len(cards):
        twice = next(card for card in cards if cards.count(card) > 1)
        raise IllegalAction(ErrorCode.DUPLICATE_CARD, "{card} is there twice", card=twice)


def check_seat(state: State, seat: object) -> None:
    """Raise `IllegalAction` unless `seat` is the number of a place at this table."""
    if type(seat) is not int or not 0 <= seat < len(state.chips):
        last = len(state.chips) - 1
        raise IllegalAction(ErrorCode.BAD_SCENARIO, "there is no such seat; seats are 0 to {last}", last=last)


def deal_on_turn(state: State, seat: int, phase: Phase, otherwise: str) -> DealState:
    """Give the deal in which this seat may act now in this phase.

    Raises `IllegalAction`: with `otherwise` as its message in another phase, or that it is another seat's turn.
    """
    deal = state.deal
    if state.phase is phase and deal is not None and deal.to_act == seat and type(seat) is int:
        return deal
    check_seat(state, seat)
    if state.phase is not phase or deal is None:
        raise IllegalAction(ErrorCode.WRONG_PHASE, otherwise)
    raise IllegalAction(ErrorCode.NOT_YOUR_TURN, "it is seat {turn}'s turn", turn=deal.to_act)


def replace_at(values: tuple[_T, ...], index: int, value: _T) -> tuple[_T, ...]:
    """Give the tuple with one entry replaced."""
    changed = [*values]
    changed[index] = value
    return tuple(changed)


def next_seat(seats: int, start: int, among: Sequence[int]) -> int:
    """Give the first seat clockwise after `start` that is one of `among` (at least one; `start` comes last)."""
    for seat in CLOCKWISE[seats][start]:
        if seat in among:
            return seat
    raise ValueError("there is no next seat among none")
