"""Playing a guessed world to its end, quickly: every seat takes a trick as cheaply as it can, or saves its cards.

What doesn't belong here: choosing worlds (`worlds`), and deciding by the outcome (`bot`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from azi_p2p.bots.worlds import World
from azi_p2p.rules import SUITS, Card, DealState, strengths

AZI = -1
"""Outcome of a deal that nobody wins."""


@dataclass(slots=True)
class Table:
    """A deal in the middle of play, made for speed: it changes as it is played.

    `order` are the live seats clockwise; `won` the tricks of every seat; `trick` the cards of the open trick.
    """

    order: list[int]
    hands: World
    won: dict[int, int]
    leader: int
    trick: dict[int, Card]
    played: int
    trump: str
    by_led: Mapping[str, Mapping[Card, int]]


def strength_tables(trump: str, *, promoted_six: bool) -> Mapping[str, Mapping[Card, int]]:
    """For each suit that may be led, the strength of every card (plain dictionaries, looked up very often)."""
    return {led: dict(strengths(trump, led, promoted_six=promoted_six)) for led in SUITS}


def table_for(deal: DealState, world: World, by_led: Mapping[str, Mapping[Card, int]], leader: int) -> Table:
    """Set a guessed world up for play from where the deal stands; `leader` leads if no trick is open yet."""
    assert deal.trump is not None, "the deal has cards"
    won: dict[int, int] = {}
    for done in deal.tricks:
        if done.winner is not None:
            won[done.winner] = won.get(done.winner, 0) + 1
    trick = {}
    if deal.trick is not None:
        leader = deal.trick.leader
        trick = {seat: card for seat, card in enumerate(deal.trick.cards) if card is not None}
    return Table(
        order=[seat for seat in deal.live if seat in world],
        hands={seat: list(cards) for seat, cards in world.items()},
        won=won,
        leader=leader,
        trick=trick,
        played=len(deal.tricks),
        trump=deal.trump,
        by_led=by_led,
    )


def play_out(table: Table, first: Card | None = None) -> int:
    """Play to the end and give the winner's seat, or AZI. `first`: what the seat on turn plays now."""
    while True:
        order = table.order
        start = next((place for place, seat in enumerate(order) if seat >= table.leader), 0)
        for seat in (*order[start:], *order[:start]):
            if seat in table.trick:
                continue
            hand = table.hands[seat]
            card = first if first is not None else choose_quickly(hand, table)
            first = None
            hand.remove(card)
            table.trick[seat] = card
            if len(table.trick) == 1:
                table.leader = seat
        winner = trick_winner(table)
        table.won[winner] = table.won.get(winner, 0) + 1
        table.played += 1
        if table.won[winner] == 2:
            return winner
        if table.played == 3:
            return AZI
        table.leader = winner
        table.trick = {}


def trick_winner(table: Table) -> int:
    """The seat whose card wins the complete trick."""
    strength = table.by_led[table.trick[table.leader][1]]
    return max(table.trick, key=lambda seat: strength[table.trick[seat]])


def playable(hand: Sequence[Card], led: str, trump: str) -> list[Card]:
    """The cards that follow: the led suit, else trumps, else any."""
    return [card for card in hand if card[1] == led] or [card for card in hand if card[1] == trump] or list(hand)


def choose_quickly(hand: Sequence[Card], table: Table) -> Card:
    """A plain player's card: the strongest as a lead; else the weakest that takes the trick, or the weakest of all."""
    if len(hand) == 1:
        return hand[0]
    own = table.by_led[table.trump]
    if not table.trick:
        # As a lead, a high plain card is worth about as much as a low trump.
        return max(hand, key=lambda card: own[card] or table.by_led[card[1]][card] + 14)
    strength = table.by_led[table.trick[table.leader][1]]
    legal = playable(hand, table.trick[table.leader][1], table.trump)
    best = max(strength[card] for card in table.trick.values())
    taking = [card for card in legal if strength[card] > best]
    if taking:
        return min(taking, key=lambda card: strength[card])
    return min(legal, key=lambda card: own[card] or table.by_led[card[1]][card])
