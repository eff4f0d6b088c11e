"""Who gets what when the pot is won.

The pot is a ledger of stakes, one per place. Whole chips, no rounding, nothing lost. What doesn't belong here:
who has won, and whether that seat is short.
"""

from __future__ import annotations

from azi_p2p.rules.params import Params
from azi_p2p.rules.state import CLOCKWISE


def payouts(params: Params, stakes: tuple[int, ...], winner: int, *, short: bool) -> tuple[int, ...]:
    """Divide the pot: chips for each place, adding up to the sum of the stakes.

    A winner who isn't short gets the whole pot. A short one gets what the table's option says.
    """
    if not short:
        whole = [0] * len(stakes)
        whole[winner] = sum(stakes)
        return tuple(whole)
    if params.short_payout == "matched":
        return matched(stakes, winner)
    return proportional(stakes, winner)


def matched(stakes: tuple[int, ...], winner: int) -> tuple[int, ...]:
    """Give a short winner, from every stake, as much as its own stake matches; the rest of each goes back."""
    own = stakes[winner]
    back = [stake - min(stake, own) for stake in stakes]
    back[winner] = sum(min(stake, own) for stake in stakes)
    return tuple(back)


def proportional(stakes: tuple[int, ...], winner: int) -> tuple[int, ...]:
    """Give a short winner the pot times its stake over the highest stake; the others share the remainder.

    The remainder goes to the other seats in proportion to their stakes, by the largest remainder; seats with
    equal remainders come clockwise from the winner.
    """
    pot = sum(stakes)
    if pot == 0:
        return (0,) * len(stakes)
    out = [0] * len(stakes)
    out[winner] = pot * stakes[winner] // max(stakes)
    rest = pot - out[winner]
    others = pot - stakes[winner]
    if rest == 0:
        return tuple(out)
    # Something remains only where another stake is higher than the winner's, so `others` isn't zero.
    order = CLOCKWISE[len(stakes)][winner][:-1]
    for seat in order:
        out[seat] = rest * stakes[seat] // others
    # Sorting is stable: equal remainders keep their clockwise order.
    by_remainder = sorted(order, key=lambda seat: -(rest * stakes[seat] % others))
    for seat in by_remainder[: pot - sum(out)]:
        out[seat] += 1
    return tuple(out)
