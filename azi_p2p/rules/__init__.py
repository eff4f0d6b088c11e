"""The game of Azi: cards, parameters, state, actions, legal moves, payout, views.

Pure and deterministic, standard library only: no clock, no chance, no bytes from outside. `apply` takes a frozen
state and an action and gives the next state, or raises `IllegalAction`; cards arrive in the `Deal` action. What
doesn't belong here: cryptography, messages, screens.

A table between deals: ask `is_over`, `can_take_pot`, `deal_seats`, `needs_draw`, then apply `Deal`, `Void` or
`TakePot`. In a deal: `owed` names the seats that owe an action, `legal_actions` what they may do.
"""

from azi_p2p.rules.actions import (
    Absent,
    Action,
    Bid,
    BuyIn,
    Call,
    Check,
    CloseTable,
    Deal,
    Decline,
    Discard,
    Fold,
    Join,
    Leave,
    Play,
    Rebuy,
    Return,
    SitOut,
    TakePot,
    Void,
)
from azi_p2p.rules.between import (
    ante_owed,
    can_take_pot,
    deal_seats,
    is_over,
    needs_draw,
    opener_place,
    standings,
)
from azi_p2p.rules.cards import ALL_CARDS, RANKS, SUITS, Card, Suit, deck_of, rank_of, strengths, suit_of
from azi_p2p.rules.engine import apply, legal_actions, owed, replay, to_act
from azi_p2p.rules.errors import ErrorCode, IllegalAction, ParamsError
from azi_p2p.rules.options import Option
from azi_p2p.rules.outcome import is_short
from azi_p2p.rules.params import Params
from azi_p2p.rules.play import voids_owed
from azi_p2p.rules.state import (
    DealState,
    Phase,
    Replay,
    Result,
    SeatStatus,
    State,
    Trick,
    conserved,
    held_positions,
    new_table,
    with_hand,
)
from azi_p2p.rules.view import View, digest, view_for

__all__ = [
    "ALL_CARDS",
    "RANKS",
    "SUITS",
    "Absent",
    "Action",
    "Bid",
    "BuyIn",
    "Call",
    "Card",
    "Check",
    "CloseTable",
    "Deal",
    "DealState",
    "Decline",
    "Discard",
    "ErrorCode",
    "Fold",
    "IllegalAction",
    "Join",
    "Leave",
    "Option",
    "Params",
    "ParamsError",
    "Phase",
    "Play",
    "Rebuy",
    "Replay",
    "Result",
    "Return",
    "SeatStatus",
    "SitOut",
    "State",
    "Suit",
    "TakePot",
    "Trick",
    "View",
    "Void",
    "ante_owed",
    "apply",
    "can_take_pot",
    "conserved",
    "deal_seats",
    "deck_of",
    "digest",
    "held_positions",
    "is_over",
    "is_short",
    "legal_actions",
    "needs_draw",
    "new_table",
    "opener_place",
    "owed",
    "rank_of",
    "replay",
    "standings",
    "strengths",
    "suit_of",
    "to_act",
    "view_for",
    "voids_owed",
    "with_hand",
]
