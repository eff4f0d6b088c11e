"""The bots that a table can have, by level: what each of them asks of its cards and of the pot.

`easy` looks at its own hand only and bids on a whim. `normal` samples the unseen cards for its chance to take two
tricks and weighs it against the pot. `hard` samples more, reads the others' bids, and sizes its own by what the
others are likely to do. What doesn't belong here: whether an action is legal (the rules say so, through the options).
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from azi_p2p.bots.bidding import Outlook, Prospect, expectations
from azi_p2p.bots.odds import Chance, card_chances, discard_chances
from azi_p2p.bots.strength import expected_tricks
from azi_p2p.rules import Action, Card, DealState, Option, State, View

LEVELS = ("easy", "normal", "hard")
"""From the weakest to the strongest."""

BOLD = Outlook(folding=0.5, caution=1.0)
"""How the strongest bot looks at the others."""

ADVISED_WORLDS = 300
"""Samples for one piece of advice, so that the same question gets the same answer nearly always."""


Reason = Literal["only", "play", "discard", "buy_in", "decline", "stay", "fold", "least_loss"]
"""What speaks for an action: nothing else can be done; a card; the pot to come; what it gains; what it saves."""


@dataclass(frozen=True, slots=True)
class Advice:
    """An action, and what speaks for it.

    For a card: `chance` to win the deal after it (0 to 1), and `rival`, the card that would be next best, with its own.
    For a bid, a call or a fold: `gain`, what the best way to stay in gains over folding, in chips on average, less what
    caution takes off; for buying in, what an even share of the pot to come is worth more than its price.
    """

    action: Action
    reason: Reason
    chance: float = 0.0
    rival: Card | None = None
    rival_chance: float = 0.0
    gain: float = 0.0


class Bot(Protocol):
    """A player that is asked for one action at a time."""

    def choose(self, view: View, legal: Sequence[Option], rng: random.Random) -> Action:
        """Choose an action among the options (at least one); `view` is what the seat may see."""


def make_bot(level: str) -> Bot:
    """The bot of a level; raises ValueError for a level that doesn't exist."""
    if level == "easy":
        return EasyBot()
    if level == "normal":
        return SamplingBot(50, Outlook(folding=0.0, caution=1.0), reads_bids=False)
    if level == "hard":
        return SamplingBot(120, BOLD, reads_bids=True)
    raise ValueError(f"there is no bot {level!r}; there are {', '.join(LEVELS)}")


def advise(view: View, legal: Sequence[Option], rng: random.Random) -> Advice:
    """What the strongest bot would do, and why: it looks at more worlds than it does at a table."""
    return SamplingBot(ADVISED_WORLDS, BOLD, reads_bids=True).advise(view, legal, rng)


def option_named(legal: Sequence[Option], do: str) -> Option | None:
    """The option of that name, None if the rules don't offer it."""
    return next((option for option in legal if option.do == do), None)


def bid_action(option: Option, to: int) -> Action:
    """Bid `to`, or as near to it as the option allows."""
    assert option.min is not None, "a bid has bounds"
    assert option.max is not None, "a bid has bounds"
    return option.action(max(option.min, min(to, option.max)))


def cheapest(legal: Sequence[Option]) -> Action:
    """The action that costs least and stays in if that is free: check, else call or the least bid when there is
    nothing cheaper, else fold."""
    for do in ("check", "fold", "decline"):
        option = option_named(legal, do)
        if option is not None:
            return option.action()
    option = legal[0]
    return bid_action(option, 0) if option.do == "bid" else option.action()


def opened_deal(state: State) -> DealState:
    """The deal of a state in which somebody owes an action."""
    assert state.deal is not None, "there is a deal to think about"
    return state.deal


class EasyBot:
    """Looks at its own cards, calls too often, and plays its highest card or its lowest."""

    def choose(self, view: View, legal: Sequence[Option], rng: random.Random) -> Action:
        """Choose by a rough guess at the own hand, and a whim."""
        if legal[0].do in {"play", "discard"}:
            return self._card(view, legal, rng)
        if legal[0].do == "buy_in":
            return legal[rng.random() < 0.7].action()
        deal = opened_deal(view.state)
        tricks = expected_tricks(view.hand, str(deal.trump), promoted_six=deal.promoted_six) + rng.uniform(-0.5, 0.5)
        bid, call = option_named(legal, "bid"), option_named(legal, "call")
        if bid is not None and tricks > 1.4 + 0.3 * bool(deal.highest_bid):
            least = bid.min or 0
            return bid_action(bid, least + rng.randrange(3) * view.state.params.min_bid)
        if call is not None and (tricks > 0.8 or option_named(legal, "fold") is None):
            return call.action()
        return cheapest(legal)

    def _card(self, view: View, legal: Sequence[Option], rng: random.Random) -> Action:
        deal = opened_deal(view.state)

        def worth(option: Option) -> float:
            assert option.card is not None, "cards are chosen here"
            return expected_tricks([option.card], str(deal.trump), promoted_six=deal.promoted_six)

        ranked = sorted(legal, key=worth)
        if legal[0].do == "discard" or rng.random() < 0.35:
            return ranked[0].action()
        return ranked[-1].action()


class SamplingBot:
    """Weighs the chance to win the deal, by sampling, against what it costs to stay in."""

    def __init__(self, worlds: int, outlook: Outlook, *, reads_bids: bool) -> None:
        """`worlds`: samples for a decision at a table of four. `reads_bids`: takes those who bid for better hands."""
        self.worlds = worlds
        self.outlook = outlook
        self.reads_bids = reads_bids

    def choose(self, view: View, legal: Sequence[Option], rng: random.Random) -> Action:
        """Choose the option with the best expectation; samples differ each time, so nobody reads it like a book."""
        return self.advise(view, legal, rng).action

    def advise(self, view: View, legal: Sequence[Option], rng: random.Random) -> Advice:
        """The option with the best expectation, and what speaks for it."""
        if len(legal) == 1 and legal[0].do != "bid":
            return Advice(legal[0].action(), "only")
        if legal[0].do in {"play", "discard"}:
            return self._card(view, legal, rng)
        if legal[0].do == "buy_in":
            return self._buy_in(view, legal)
        return self._bid(view, legal, rng)

    def _samples(self, view: View) -> int:
        """Fewer worlds where more seats are to be dealt and played for, so that a decision takes about as long."""
        return self.worlds * 4 // max(4, len(opened_deal(view.state).live))

    def _picky(self, view: View) -> Mapping[int, int]:
        """How choosy the others are taken to be: who has bid or called has looked at its cards."""
        if not self.reads_bids:
            return {}
        deal = opened_deal(view.state)
        return {
            seat: 1 + (deal.bids[seat] > 0) + (deal.bid_counts[seat] > 1 or seat == deal.bidder != deal.opener)
            for seat in deal.live
        }

    def _card(self, view: View, legal: Sequence[Option], rng: random.Random) -> Advice:
        """The card to play or to lay aside, by the chance to win the deal after it."""
        cards = [option.card for option in legal if option.card is not None]
        if legal[0].do == "play":
            chances = card_chances(view, cards, rng, self._samples(view), self._picky(view))
            share = azi_share(view)
        else:
            chances, share = discard_chances(view, cards, rng, self._samples(view)), 0.0
        ranked = sorted(cards, key=lambda card: worth(chances[card], share), reverse=True)
        best = next(option for option in legal if option.card == ranked[0])
        return Advice(
            best.action(),
            "play" if legal[0].do == "play" else "discard",
            chance=chances[ranked[0]].win,
            rival=ranked[1],
            rival_chance=chances[ranked[1]].win,
        )

    def _buy_in(self, view: View, legal: Sequence[Option]) -> Advice:
        """Buy in where an even share of the pot to come is worth the price."""
        state = view.state
        replay = state.replay
        buy, decline = option_named(legal, "buy_in"), option_named(legal, "decline")
        if replay is None or buy is None or decline is None:
            return Advice(cheapest(legal), "only")
        players = len(replay.took) + len(replay.bought) + 1
        gain = (state.pot + replay.price) / players - replay.price
        return Advice((buy if gain > 0 else decline).action(), "buy_in" if gain > 0 else "decline", gain=gain)

    def _bid(self, view: View, legal: Sequence[Option], rng: random.Random) -> Advice:
        """Fold, call, or bid: whatever is worth most, all of it tried in the same guessed worlds."""
        bid, call, fold = (option_named(legal, do) for do in ("bid", "call", "fold"))
        ways: dict[Prospect, Action] = {}
        if call is not None:
            ways[Prospect(opened_deal(view.state).highest_bid, raising=False)] = call.action()
        if bid is not None:
            for to in bid_sizes(view.state, bid):
                ways[Prospect(to, raising=True)] = bid_action(bid, to)
        worth = expectations(view, list(ways), rng, self._samples(view), self._picky(view), self.outlook)
        best = max(worth, key=lambda way: worth[way])
        free = fold is None and option_named(legal, "check") is None
        if worth[best] > 0 or free:
            return Advice(ways[best], "stay" if worth[best] > 0 else "least_loss", gain=worth[best])
        return Advice(cheapest(legal), "fold", gain=worth[best])


def bid_sizes(state: State, option: Option) -> list[int]:
    """The bids that a bot thinks about: the least, and a half and a whole pot more."""
    assert option.min is not None, "a bid has bounds"
    assert option.max is not None, "a bid has bounds"
    step = state.params.min_bid
    sizes = (option.min, option.min + state.pot // 2 // step * step, option.min + state.pot // step * step)
    return sorted({min(size, option.max) for size in sizes})


def azi_share(view: View) -> float:
    """What an Azi is worth to the seat, as a part of a win: an even share of the pot that is carried over."""
    deal = opened_deal(view.state)
    return 1 / len(deal.live) if view.state.params.azi_replay == "contenders" else 1 / len(deal.dealt_in)


def worth(chances: Chance, share: float) -> float:
    """A chance to win, with what an Azi is worth added to it."""
    return chances.win + share * chances.azi
