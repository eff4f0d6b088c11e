"""Tables and deals for the tests of the rules, in few words."""

from __future__ import annotations

import random

from azi_p2p.rules import (
    Absent,
    Action,
    Bid,
    BuyIn,
    Call,
    Card,
    Check,
    Deal,
    Decline,
    Discard,
    Fold,
    IllegalAction,
    Leave,
    Params,
    Play,
    State,
    apply,
    deal_seats,
    deck_of,
    needs_draw,
    new_table,
    owed,
)


def cards(text: str) -> tuple[Card, ...]:
    """Cards from a line such as "AS KS QS"."""
    return tuple(Card(word) for word in text.split())


def hands(*texts: str | None) -> tuple[tuple[Card, ...] | None, ...]:
    """Hands from lines; None for a seat that isn't dealt in."""
    return tuple(None if text is None else cards(text) for text in texts)


def table(chips: list[int | None], **params: object) -> State:
    """A table with as many places as there are chips."""
    return new_table(Params.from_mapping({"seats": len(chips), **params}), chips)


def play_all(state: State, *actions: Action) -> State:
    """The state after all the actions."""
    for action in actions:
        state = apply(state, action)
    return state


def code_of(state: State, action: Action) -> str | None:
    """The code with which an action is refused, or None if it is legal."""
    try:
        apply(state, action)
    except IllegalAction as error:
        return str(error.code)
    return None


def random_deal(state: State, rng: random.Random) -> Deal:
    """The next deal with every card known."""
    deck = list(deck_of(state.params))
    rng.shuffle(deck)
    size = state.params.hand_size
    seats = deal_seats(state)
    dealt = tuple(
        tuple(deck.pop() for _ in range(size)) if seat in seats else None for seat in range(state.params.seats)
    )
    return Deal(dealt, deck.pop(), rng.randrange(state.params.seats) if needs_draw(state) else None)


def hidden(deal: Deal) -> Deal:
    """The same deal as somebody sees it who knows nobody's cards."""
    covered = tuple(None if hand is None else (None,) * len(hand) for hand in deal.hands)
    return Deal(covered, deal.upcard, deal.draw)


def every_action(state: State) -> list[Action]:
    """Every action of every seat in a deal that could be legal, and many that can't."""
    deal = state.deal
    high = 0 if deal is None else deal.highest_bid
    least = high + state.params.min_bid
    amounts = {-1, 0, 1, high, least - 1, least, least + 1, 10**12}
    for seat in owed(state):
        bids = 0 if deal is None else deal.bids[seat]
        amounts |= {bids + state.chips[seat], bids + state.chips[seat] + 1}
    actions: list[Action] = []
    for seat in range(state.params.seats):
        actions += [kind(seat) for kind in (Call, Check, Fold, BuyIn, Decline, Absent, Leave)]
        actions += [Bid(seat, to) for to in sorted(amounts)]
        for card in deck_of(state.params):
            actions += [Play(seat, card), Discard(seat, card)]
    return actions
