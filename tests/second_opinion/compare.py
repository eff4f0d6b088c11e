"""Random tables, played by the engine and by the naive game at once; they must agree at every step.

What doesn't belong here: the naive game itself.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from azi_p2p.rules import (
    Absent,
    Bid,
    BuyIn,
    Call,
    Check,
    Deal,
    Decline,
    Discard,
    Fold,
    IllegalAction,
    Leave,
    Params,
    Phase,
    Play,
    Rebuy,
    Return,
    SitOut,
    State,
    TakePot,
    Void,
    apply,
    can_take_pot,
    conserved,
    deal_seats,
    deck_of,
    is_over,
    legal_actions,
    needs_draw,
    new_table,
    owed,
)
from azi_p2p.rules.arbitration import deal_answer, option_answer
from azi_p2p.rules.params import CHOICES
from azi_p2p.rules.state import IN_DEAL
from tests.second_opinion.naive import Naive

PLAIN = {
    "call": Call,
    "check": Check,
    "fold": Fold,
    "absent": Absent,
    "leave": Leave,
    "buy_in": BuyIn,
    "decline": Decline,
    "sit_out": SitOut,
    "return": Return,
    "rebuy": Rebuy,
}
MOVES = ("bid", "discard", "play", "call", "check", "fold", "absent", "leave", "buy_in", "decline")
FITTING = {
    Phase.BUY_IN: ("buy_in", "decline"),
    Phase.DISCARD: ("discard",),
    Phase.BIDDING: ("bid", "bid", "call", "check", "fold"),
    Phase.PLAYING: ("play",),
}
"""Moves that belong to a phase; of all others the rules say no more than that they don't."""


class DisagreementError(AssertionError):
    """The two opinions differ."""


def random_params(rng: random.Random) -> Params:
    """Any combination of options; amounts small, so that seats run short often."""
    return Params.from_mapping(
        {
            **{key: rng.choice(choices) for key, choices in CHOICES.items()},
            "seats": rng.choice((2, 3, 4, 4, 5, 6)),
            "hand_size": rng.choice((3, 4)),
            "ante": rng.choice((1, 5, 10)),
            "min_bid": rng.choice((1, 7, 10, 25)),
            "start_chips": rng.choice((1, 30, 100)),
            "max_bids": rng.randint(1, 4),
            "promoted_six": rng.random() < 0.7,
            "rebuy": rng.random() < 0.5,
            "deal_limit": rng.choice((0, 0, 3, 10)),
        }
    )


class Table:
    """One table in two opinions."""

    def __init__(self, rng: random.Random, seen: Counter[str]) -> None:
        self.rng = rng
        self.seen = seen
        self.params = random_params(rng)
        stacks = rng.choice(((0, 3, 9, 10, 11, 20), (10, 25, 40, 100), (300,), (500,), (5, 1000)))
        chips = [rng.choice(stacks) for _ in range(self.params.seats)]
        self.engine: State = new_table(self.params, chips)
        self.naive = Naive(self.params.to_mapping(), chips)
        self.log: list[str] = [f"{self.params} {chips}"]

    def play(self, deals: int) -> int:
        """Play up to so many deals, and give how many it were."""
        for played in range(deals):
            if not self.play_deal():
                return played
        return deals

    def play_deal(self) -> bool:
        """Play one deal; False where the table can't go on."""
        rng = self.rng
        if rng.random() < 0.3:
            for _ in range(rng.randint(1, 3)):
                self.wish(rng.randrange(self.params.seats), rng.choice(("sit_out", "return", "return", "rebuy")))
        while self.engine.phase is Phase.BUY_IN:
            self.move()
        self.same("over", (is_over(self.engine) is not None), self.naive.ended())
        self.same("dealt in", list(deal_seats(self.engine)), self.naive.dealt_in_next())
        if is_over(self.engine):
            return False
        if can_take_pot(self.engine):
            self.log.append("take_pot")
            self.engine = apply(self.engine, TakePot())
            self.same("take_pot", None, self.naive.take_pot())
        elif len(deal_seats(self.engine)) < 2:
            return False
        elif rng.random() < 0.05:
            seats = list(deal_seats(self.engine))
            breakers = rng.sample(seats, rng.randint(1, 2))
            self.log.append(f"void {breakers}")
            self.engine = apply(self.engine, Void(tuple(breakers)))
            self.same("void", None, self.naive.void(breakers))
        else:
            self.deal()
        self.compare()
        while self.engine.phase in IN_DEAL:
            self.move()
        assert self.engine.deal is not None
        self.seen[str(self.engine.deal.result)] += 1
        return True

    def deal(self) -> None:
        rng, params = self.rng, self.params
        deck = list(deck_of(params))
        rng.shuffle(deck)
        if rng.random() < 0.3:
            # An ace turned up comes once in nine deals; the promoted six deserves more of them.
            deck.sort(key=lambda card: card[0] == "A")
        seats = deal_seats(self.engine)
        upcard = deck.pop()
        rng.shuffle(deck)
        hands = [
            [deck.pop() for _ in range(params.hand_size)] if seat in seats else None for seat in range(params.seats)
        ]
        draw = rng.randrange(params.seats)
        self.log.append(f"deal {hands} {upcard} draw {draw}")
        dealt = tuple(None if hand is None else tuple(hand) for hand in hands)
        self.engine = apply(self.engine, Deal(dealt, upcard, draw if needs_draw(self.engine) else None))
        self.naive.start([None if hand is None else list(hand) for hand in hands], upcard, draw)

    def wish(self, seat: int, what: str) -> None:
        self.log.append(f"{seat} {what}")
        self.same("wish", self.apply(PLAIN[what](seat)), self.naive.wish(seat, what))

    def move(self) -> None:
        """Make one move: mostly a legal one, sometimes any other."""
        rng = self.rng
        seat, what, arg = self.legal_move() if rng.random() < 0.8 else self.any_move()
        self.log.append(f"{seat} {what} {arg}")
        action: Any
        if what == "bid":
            action = Bid(seat, arg)
        elif what == "play":
            action = Play(seat, arg)
        elif what == "discard":
            action = Discard(seat, arg)
        else:
            action = PLAIN[what](seat)
        code = self.apply(action)
        self.same("code", code, self.naive.do(seat, what, arg))
        self.seen[code or what] += 1
        self.compare()

    def legal_move(self) -> tuple[int, str, Any]:
        rng = self.rng
        if rng.random() < 0.02:
            return rng.choice(owed(self.engine)), rng.choice(("absent", "absent", "absent", "leave")), None
        options = legal_actions(self.engine)
        option = rng.choice(options)
        if option.do == "fold":
            # Folding is always there and ends deals before they have shown anything: it gets a second throw.
            option = rng.choice(options)
        if option.do == "bid":
            assert option.min is not None
            assert option.max is not None
            return (
                option.seat,
                "bid",
                rng.choice((option.min, option.min, option.max, rng.randint(option.min, option.max))),
            )
        return option.seat, option.do, option.card

    def any_move(self) -> tuple[int, str, Any]:
        rng = self.rng
        seat = rng.choice((*owed(self.engine), rng.randrange(self.params.seats)))
        what = rng.choice(FITTING.get(self.engine.phase, MOVES) if rng.random() < 0.8 else MOVES)
        if what == "bid":
            deal = self.engine.deal
            high = deal.highest_bid if deal else 0
            least = high + self.params.min_bid
            return seat, what, rng.choice((-1, least - 1, least, least, least, 5000))
        if what in ("play", "discard"):
            deal = self.engine.deal
            hand = deal.hands[seat] if deal else None
            return seat, what, rng.choice(hand if hand and rng.random() < 0.8 else deck_of(self.params))
        return seat, what, None

    def apply(self, action: Any) -> str | None:
        """Apply an action to the engine; the code if it is refused. A refusal changes nothing."""
        before = self.engine
        try:
            self.engine = apply(before, action)
        except IllegalAction as error:
            return str(error.code)
        grown = self.params.start_chips if isinstance(action, Rebuy) else 0
        self.same("all chips", conserved(self.engine), conserved(before) + grown)
        return None

    def compare(self) -> None:
        engine, naive = self.engine, self.naive
        self.same("chips", list(engine.chips), naive.chips)
        self.same("pot", list(engine.stakes), naive.stakes)
        self.same("phase", str(engine.phase), naive.phase())
        self.same("owing", list(owed(engine)), naive.owing())
        self.same("last winner", engine.last_winner, naive.last_winner)
        self.same("deal", deal_answer(engine), naive.deal_answer())
        legal = [option_answer(option) for option in legal_actions(engine)]
        self.same("legal", sorted(map(repr, legal)), sorted(map(repr, naive.legal())))

    def same(self, what: str, engine: object, naive: object) -> None:
        if engine != naive:
            history = "\n".join(self.log)
            raise DisagreementError(f"{what}: the engine says {engine!r}, the naive game {naive!r}, after\n{history}")


def compare(deals: int, seed: int) -> Counter[str]:
    """Compare over so many random deals; gives how often each action, refusal and result came up.

    Raises `DisagreementError` with the whole table written down.
    """
    rng = random.Random(seed)
    seen: Counter[str] = Counter()
    while deals > 0:
        deals -= max(1, Table(rng, seen).play(min(deals, 12)))
    return seen
