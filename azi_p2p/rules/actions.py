"""Actions: everything that can be done to the state of a table, one frozen class each.

A seat is the number of a place at the table, from 0. What doesn't belong here: whether an action is legal
(`apply` says that), and a user's wish (which becomes an action only once it is due).
"""

from __future__ import annotations

from dataclasses import dataclass

from azi_p2p.rules.cards import Card


@dataclass(frozen=True, slots=True)
class Bid:
    """Open the bidding, or raise, to a total of `to` chips bid in this deal (the ante not counted)."""

    seat: int
    to: int


@dataclass(frozen=True, slots=True)
class Call:
    """Match the highest bid; a seat that can't puts in all it has and is short."""

    seat: int


@dataclass(frozen=True, slots=True)
class Check:
    """Pass on the opening bid and stay in (option `may_check`)."""

    seat: int


@dataclass(frozen=True, slots=True)
class Fold:
    """Give the hand up; the stake stays in the pot."""

    seat: int


@dataclass(frozen=True, slots=True)
class Discard:
    """Put one of four cards away, face down, before the bidding.

    `card` may be None where the position is given and the card isn't known to us; `position` (0 to
    hand_size - 1) may be None where the card is known.
    """

    seat: int
    card: Card | None = None
    position: int | None = None


@dataclass(frozen=True, slots=True)
class Play:
    """Play a card to the trick; `position` (0 to hand_size - 1) is needed where the hand isn't known to us."""

    seat: int
    card: Card
    position: int | None = None


@dataclass(frozen=True, slots=True)
class Absent:
    """The seat owed a move and is reckoned absent for the deal: it folds, or declines to buy in."""

    seat: int


@dataclass(frozen=True, slots=True)
class Leave:
    """Leave the table for good: between deals, or in a deal when the seat owes a move (then it folds)."""

    seat: int


@dataclass(frozen=True, slots=True)
class BuyIn:
    """Enter the replay after an Azi for half the pot (option `buy_in`)."""

    seat: int


@dataclass(frozen=True, slots=True)
class Decline:
    """Stay out of the replay after an Azi (option `buy_in`)."""

    seat: int


@dataclass(frozen=True, slots=True)
class Join:
    """Take a free place at the table, with `start_chips`, between deals and while no pot is carried."""

    seat: int


@dataclass(frozen=True, slots=True)
class SitOut:
    """Not be dealt in from the next deal on; stakes in a carried pot stay there."""

    seat: int


@dataclass(frozen=True, slots=True)
class Return:
    """Be dealt in again after sitting out."""

    seat: int


@dataclass(frozen=True, slots=True)
class Rebuy:
    """Take `start_chips` again, with no chips left and while no pot is carried (option `rebuy`)."""

    seat: int


@dataclass(frozen=True, slots=True)
class Deal:
    """Take the antes and deal the cards.

    `hands` has one entry per place: a tuple of hand_size cards, None standing for a card that isn't known to
    us, or None in place of the hand of a seat that isn't dealt in. `upcard` is the card turned up. `draw` is
    the seat that the joint draw for the opener yields, or None where the table has a last winner.
    """

    hands: tuple[tuple[Card | None, ...] | None, ...]
    upcard: Card
    draw: int | None = None


@dataclass(frozen=True, slots=True)
class Void:
    """The deal was broken before the cards were out, by these seats (at least one)."""

    breakers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TakePot:
    """The one seat that can be dealt in takes the carried pot, whole, without play."""


@dataclass(frozen=True, slots=True)
class CloseTable:
    """Every stake in the pot returns to its owner; a deal that is open ends void."""


Action = (
    Bid
    | Call
    | Check
    | Fold
    | Discard
    | Play
    | Absent
    | Leave
    | BuyIn
    | Decline
    | Join
    | SitOut
    | Return
    | Rebuy
    | Deal
    | Void
    | TakePot
    | CloseTable
)
"""Whatever `apply` takes."""
