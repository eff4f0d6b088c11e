"""Where a scenario stands: whose turn it is, what is legal and by which rule, or what comes next at the table.

What doesn't belong here: what has happened so far (`referee`), and the rules (`rules`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from azi_p2p.cli.voice import Voice
from azi_p2p.rules import (
    DealState,
    Option,
    Phase,
    State,
    Trick,
    deal_seats,
    is_over,
    legal_actions,
    opener_place,
    owed,
    standings,
)
from azi_p2p.rules.arbitration import Arbitration


class LegalNow:
    """Tells in the words of `voice`."""

    def __init__(self, voice: Voice) -> None:
        self.voice = voice
        self.texts, self.words, self.names = voice.texts, voice.words, voice.names

    def tell(self, arbitration: Arbitration) -> Iterator[str]:
        """Whose turn it is, what that seat may do, and the rule behind it; between deals, what comes next."""
        state = arbitration.state
        if not arbitration.is_open:
            yield from self._next(state)
            return
        deal = state.deal
        if state.phase is Phase.PLAYING and deal is not None and deal.trick is not None and any(deal.trick.cards):
            yield self.texts.text("arbiter.open_trick", cards=laid(deal.trick, self.names))
        for seat in owed(state):
            options = legal_actions(state, seat)
            yield self.voice.of("arbiter.turn", seat, choices="; ".join(self._choices(state, options)))
        yield from self._rules(state)

    def _choices(self, state: State, options: tuple[Option, ...]) -> Iterator[str]:
        cards = [str(option.card) for option in options if option.card is not None]
        if cards:
            yield self.texts.text(f"arbiter.may.{options[0].do}", cards=" ".join(cards))
            return
        deal = state.deal
        for option in options:
            values: dict[str, object] = {"min": option.min, "max": option.max}
            name = option.do
            if option.do == "bid" and deal is not None and deal.highest_bid:
                name = "raise"
            elif option.do == "call" and deal is not None:
                need = deal.highest_bid - deal.bids[option.seat]
                chips = state.chips[option.seat]
                name = "call_all" if not deal.highest_bid or need > chips else "call"
                values = {"price": min(need, chips) if deal.highest_bid else chips}
            elif option.do == "buy_in" and state.replay is not None:
                values = {"price": state.replay.price}
            yield self.texts.text(f"arbiter.may.{name}", **values)

    def _rules(self, state: State) -> Iterator[str]:
        """The rule behind what is legal now."""
        deal, seats = state.deal, owed(state)
        if state.phase is Phase.BUY_IN:
            yield self.texts.text("arbiter.by_rule.buy_in")
        elif state.phase is Phase.DISCARD:
            yield self.texts.text("arbiter.by_rule.discard")
        elif state.phase is Phase.BIDDING and deal is not None:
            yield from self._bidding_rule(state, deal, seats[0])
        elif state.phase is Phase.PLAYING and deal is not None and deal.trick is not None:
            led = deal.trick.cards[deal.trick.leader]
            suits = {str(option.card)[1] for option in legal_actions(state)}
            if led is None:
                rule = "lead"
            elif suits == {led[1]}:
                rule = "trump_led" if led[1] == deal.trump else "follow"
            elif suits == {deal.trump}:
                rule = "trump"
            else:
                rule = "any"
            suit = "" if led is None else self.words.suit(led[1])
            yield self.texts.text(f"arbiter.by_rule.{rule}", suit=suit)

    def _bidding_rule(self, state: State, deal: DealState, seat: int) -> Iterator[str]:
        params = state.params
        if deal.highest_bid == 0:
            if state.chips[seat] < params.min_bid:
                yield self.texts.text("arbiter.by_rule.short_opener", least=params.min_bid)
            else:
                yield self.texts.text(f"arbiter.by_rule.{params.opener_rule}", least=params.min_bid)
        elif deal.bid_counts[seat] >= params.max_bids:
            yield self.voice.of("arbiter.by_rule.no_bids_left", seat, bids=deal.bid_counts[seat])
        elif deal.bids[seat] + state.chips[seat] < deal.highest_bid + params.min_bid:
            yield self.texts.text("arbiter.by_rule.no_room", least=deal.highest_bid + params.min_bid)
        else:
            yield self.texts.text("arbiter.by_rule.raise", step=params.min_bid)

    def _next(self, state: State) -> Iterator[str]:
        """What comes next at a table between deals."""
        over = is_over(state)
        if over is not None:
            yield self.texts.text(f"event.ended.{over}")
            for place, seat, chips in standings(state):
                yield self.texts.text("reckon.place", place=place, name=self.names[seat], chips=self.words.chips(chips))
            return
        seats = deal_seats(state)
        if len(seats) < 2:
            yield self.texts.text("arbiter.waits" if not (seats and state.pot) else "arbiter.waits_pot")
            return
        opener = opener_place(state)
        if opener is None:
            yield self.texts.text("arbiter.next_drawn", names=self.voice.listed(seats))
        else:
            yield self.texts.text("arbiter.next", names=self.voice.listed(seats), opener=self.names[opener])


def laid(trick: Trick, names: Sequence[str]) -> str:
    """List the cards of a trick in the order in which they were played; `names` by seat."""
    seats = len(trick.cards)
    order = [(trick.leader + step) % seats for step in range(seats)]
    return ", ".join(f"{names[seat]} {trick.cards[seat]}" for seat in order if trick.cards[seat])
