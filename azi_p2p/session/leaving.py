"""Leaving the table in the middle of a deal: the wish is kept until the seat owes a move, and is that move then.

Out of turn the rules refuse it, and a request that a roster honours would wait for the end of the deal, while the
others wait for somebody who has gone. Who has folded, or isn't dealt in, asks by such a request at once.
"""

from __future__ import annotations

from azi_p2p import rules
from azi_p2p.session.playstate import PERSONAL, PlayPhase, PlayState

_IN_DEAL = PERSONAL | {PlayPhase.OPEN, PlayPhase.TOKENS}


def will_act(play: PlayState, seat: int) -> bool:
    """Whether a seat has, as far as one can know, still to make a move in the deal that is open or being opened."""
    if play.phase not in _IN_DEAL or seat not in play.present:
        return False
    deal = play.game.deal
    return play.phase not in PERSONAL or (deal is not None and seat in deal.live)


def can_leave_now(play: PlayState, seat: int) -> bool:
    """Whether leaving is a move that the seat may make at the current step."""
    if play.phase not in PERSONAL or seat not in play.owed:
        return False
    try:
        rules.apply(play.game, rules.Leave(seat))
    except rules.IllegalAction:
        return False
    return True
