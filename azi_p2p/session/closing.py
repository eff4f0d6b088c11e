"""What everybody would get if those who are left closed the table here, without a majority to agree to it.

A reckoning, not an agreement: nobody signs it, and whoever turns up with a longer chain is right. Chips are points, and
people who give up waiting want to know where they stand.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from azi_p2p import rules
from azi_p2p.session.playstate import IN_DEAL, PlayPhase, PlayState


@dataclass(frozen=True, slots=True)
class Reckoning:
    """Chips by seat, the stakes settled; `absent` is the seat that is reckoned absent, None where nobody is."""

    chips: tuple[int, ...]
    absent: int | None


def reckon(play: PlayState, held: Collection[int]) -> Reckoning:
    """Reckon a table at a standstill; `held`: the seats whose messages of the current step have come in.

    If one seat alone keeps a deal from going on, it is reckoned absent there. If that decides the deal, it is paid out
    by the rules; if not, the stake of that seat is shared among the others in the deal. All other stakes return.
    """
    missing = [seat for seat in play.owed if seat not in held] if play.phase in IN_DEAL else []
    absent = missing[0] if len(missing) == 1 else None
    game = play.game
    if absent is not None:
        tokens = play.phase is PlayPhase.TOKENS
        game = rules.apply(game, rules.Void((absent,)) if tokens else rules.Absent(absent))
    chips = [have + staked for have, staked in zip(game.chips, game.stakes, strict=True)]
    if absent is not None and game.stakes[absent]:
        _share_out(chips, game.stakes[absent], absent, _others(play, game, absent))
    return Reckoning(tuple(chips), absent)


def _others(play: PlayState, game: rules.State, absent: int) -> list[int]:
    """The seats to which a stake goes, clockwise from the one that leaves it."""
    if play.phase is PlayPhase.TOKENS:
        assert play.deck is not None
        live = play.deck.seats
    else:
        assert game.deal is not None
        live = game.deal.live
    seats = len(game.chips)
    order = [(absent + 1 + offset) % seats for offset in range(seats - 1)]
    return [seat for seat in order if seat in live]


def _share_out(chips: list[int], stake: int, giver: int, takers: list[int]) -> None:
    if not takers:
        return
    chips[giver] -= stake
    for number, seat in enumerate(takers):
        chips[seat] += stake // len(takers) + (number < stake % len(takers))
