"""Random tables through whole sessions, by Hypothesis: what must hold at every step, whatever happens."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import HealthCheck, assume, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from azi_p2p.rules import (
    Absent,
    Action,
    Bid,
    BuyIn,
    Call,
    Check,
    Decline,
    Discard,
    Fold,
    IllegalAction,
    Join,
    Leave,
    Params,
    Phase,
    Play,
    Rebuy,
    Return,
    SeatStatus,
    SitOut,
    State,
    TakePot,
    Void,
    apply,
    can_take_pot,
    conserved,
    deal_seats,
    deck_of,
    digest,
    held_positions,
    is_over,
    legal_actions,
    new_table,
    owed,
    standings,
    view_for,
    with_hand,
)
from azi_p2p.rules.params import CHOICES
from azi_p2p.rules.state import IN_DEAL
from tests.rules.kit import code_of, every_action, hidden, random_deal

PARAMS = st.fixed_dictionaries(
    {
        **{key: st.sampled_from(choices) for key, choices in CHOICES.items()},
        "seats": st.sampled_from((4, 3, 5, 6, 2)),
        "hand_size": st.sampled_from((3, 4)),
        "ante": st.sampled_from((1, 10, 25)),
        "min_bid": st.sampled_from((1, 10)),
        "start_chips": st.sampled_from((5, 100)),
        "max_bids": st.integers(1, 3),
        "promoted_six": st.booleans(),
        "rebuy": st.booleans(),
        "deal_limit": st.sampled_from((0, 6)),
    }
)

SEEDS = st.integers(0, 2**32)
STACKS = st.one_of(st.integers(0, 60), st.sampled_from((0, 10, 100, 500)), st.integers(20, 60), st.none())


class Tables(RuleBasedStateMachine):
    """One table in three views: all cards known; none; and for each seat its own."""

    @initialize(params=PARAMS, chips=st.lists(STACKS, min_size=6, max_size=6))
    def set_up(self, params: dict[str, Any], chips: list[int | None]) -> None:
        self.params = Params.from_mapping(params)
        self.stacks = chips[: self.params.seats]
        self.full = new_table(self.params, self.stacks)
        self.blind = self.full
        self.own = [self.full] * self.params.seats
        self.total = conserved(self.full)
        self.actions: list[Action] = []
        self.steps_of_deal = 0

    def do(self, action: Action, blind: Action | None = None) -> None:
        """Make an action in every view; `blind` is the same action as those write it who can't see the cards."""
        blind = action if blind is None else blind
        self.full = apply(self.full, action)
        self.blind = apply(self.blind, blind)
        self.own = [apply(own, blind) for own in self.own]
        self.actions.append(action)
        self.steps_of_deal += not isinstance(action, SitOut | Return | Rebuy | Join)
        if isinstance(action, Rebuy):
            self.total += self.params.start_chips

    def between(self) -> bool:
        return self.full.phase is Phase.BETWEEN

    def in_deal(self) -> bool:
        return self.full.phase is not Phase.BETWEEN

    @precondition(between)
    @rule(seed=SEEDS)
    def deal(self, seed: int) -> None:
        self.deal_by(random.Random(seed))

    @precondition(between)
    @rule(seed=SEEDS, deals=st.integers(1, 6))
    def several_deals(self, seed: int, deals: int) -> None:
        """Whole deals, so that sessions get further than a search for short examples would take them."""
        chance = random.Random(seed)
        for _ in range(deals):
            if is_over(self.full) is None:
                self.deal_by(chance)
                self.finish_by(chance)

    def deal_by(self, chance: random.Random) -> None:
        if is_over(self.full) is not None:
            return
        if len(deal_seats(self.full)) < 2:
            if can_take_pot(self.full):
                self.do(TakePot())
            return
        dealt = random_deal(self.full, chance)
        self.steps_of_deal = 0
        self.do(dealt, hidden(dealt))
        for seat, hand in enumerate(dealt.hands):
            if hand is not None:
                known = [card for card in hand if card is not None]
                self.own[seat] = with_hand(self.own[seat], seat, known)
        everywhere = [card for hand in dealt.hands for card in hand or ()] + [dealt.upcard]
        assert len(set(everywhere)) == len(everywhere)
        assert set(everywhere) <= set(deck_of(self.params))

    @precondition(between)
    @rule(data=st.data())
    def void(self, data: st.DataObject) -> None:
        seats = deal_seats(self.full)
        assume(is_over(self.full) is None and len(seats) >= 2)
        self.steps_of_deal = 0
        breakers = data.draw(st.lists(st.sampled_from(seats), min_size=1, max_size=2, unique=True))
        self.do(Void(tuple(breakers)))
        assert not set(breakers) & set(deal_seats(self.full))

    @rule(data=st.data(), kind=st.sampled_from((SitOut, Return, Return, Rebuy, Rebuy, Join, Join, Leave)))
    def wish(self, data: st.DataObject, kind: Any) -> None:
        seat = data.draw(st.integers(0, self.params.seats - 1))
        gone = self.full.chips[seat]
        try:
            self.do(kind(seat))
        except IllegalAction:
            return
        if kind is Join:
            self.total += self.params.start_chips - gone

    @precondition(in_deal)
    @rule(seed=SEEDS)
    def move(self, seed: int) -> None:
        self.move_by(random.Random(seed))

    @precondition(in_deal)
    @rule(seed=SEEDS)
    def finish_the_deal(self, seed: int) -> None:
        self.finish_by(random.Random(seed))

    def finish_by(self, chance: random.Random) -> None:
        while self.in_deal():
            self.move_by(chance)
            self.chips_are_conserved()
            self.all_peers_agree()
            self.deals_end()

    def move_by(self, chance: random.Random) -> None:
        options = legal_actions(self.full)
        option = chance.choice(options)
        if option.do == "fold":
            option = chance.choice(options)
        amount = None
        if option.do == "bid":
            assert option.min is not None
            assert option.max is not None
            assert option.min <= option.max
            amount = chance.choice((option.min, min(option.min + 7, option.max), option.max))
        action = option.action(amount)
        blind = Discard(action.seat, None, action.position) if isinstance(action, Discard) else action
        self.do(action, blind)

    @precondition(in_deal)
    @rule(data=st.data(), kind=st.sampled_from((Absent, Absent, Leave)))
    def drop(self, data: st.DataObject, kind: Any) -> None:
        self.do(kind(data.draw(st.sampled_from(owed(self.full)))))

    @precondition(in_deal)
    @rule()
    def what_is_legal(self) -> None:
        """Exactly what is listed is accepted; all else is refused with a code, and nothing changes."""
        options = legal_actions(self.full)
        plain = {(option.do, option.seat, option.card) for option in options}
        ranges = {option.seat: (option.min or 0, option.max or 0) for option in options if option.do == "bid"}
        names = {Call: "call", Check: "check", Fold: "fold", BuyIn: "buy_in", Decline: "decline"}
        before = repr(self.full)
        for action in every_action(self.full):
            match action:
                case Bid(seat, to):
                    low, high = ranges.get(seat, (1, 0))
                    legal = low <= to <= high
                case Play(seat, card) | Discard(seat, card):
                    legal = (type(action).__name__.lower(), seat, card) in plain
                case Absent(seat) | Leave(seat):
                    legal = seat in owed(self.full)
                case Call(seat) | Check(seat) | Fold(seat) | BuyIn(seat) | Decline(seat):
                    legal = (names[type(action)], seat, None) in plain
                case _:
                    raise AssertionError(action)
            assert (code_of(self.full, action) is None) == legal, action
        assert repr(self.full) == before

    @invariant()
    def chips_are_conserved(self) -> None:
        if not hasattr(self, "full"):
            return
        state = self.full
        assert conserved(state) == self.total
        assert min(state.chips) >= 0
        assert min(state.stakes) >= 0
        deal = state.deal
        if deal is not None and deal.result is not None and deal.winner is not None:
            assert sum(deal.payouts) == sum(deal.stakes)
        if state.phase in IN_DEAL and deal is not None:
            staked = [sum(amounts) for amounts in zip(deal.carried, deal.antes, deal.bids, strict=True)]
            assert staked == list(state.stakes)

    @invariant()
    def all_peers_agree(self) -> None:
        if not hasattr(self, "full"):
            return
        one = digest(self.full)
        assert len(one) == 32
        assert digest(self.blind) == one
        assert {digest(own) for own in self.own} == {one}
        assert {owed(state) for state in (self.blind, *self.own)} == {owed(self.full)}

    @invariant()
    def views_show_no_more_than_they_may(self) -> None:
        if not hasattr(self, "full"):
            return
        for seat in (None, *range(self.params.seats)):
            view = view_for(self.full, seat)
            source = self.blind if seat is None else self.own[seat]
            assert view == view_for(source, seat), "a view is made of what its seat knows anyway"
            assert hidden_cards(self.full, seat).isdisjoint(words_in(view))

    @invariant()
    def deals_end(self) -> None:
        if not hasattr(self, "full"):
            return
        # A discard, three cards and one drop a seat; max_bids bids a seat, each answered by all the others; before it
        # the answers about buying in, and the cards.
        seats = self.params.seats
        if self.in_deal():
            assert self.steps_of_deal <= 6 * seats + (seats * self.params.max_bids + 1) * seats + 1
            assert owed(self.full), "an open deal waits for somebody"

    @invariant()
    def standings_hold_everybody(self) -> None:
        if not hasattr(self, "full"):
            return
        listed = standings(self.full)
        assert sorted(seat for _, seat, _ in listed) == [
            seat for seat, status in enumerate(self.full.status) if status is not SeatStatus.EMPTY
        ]
        assert [chips for *_, chips in listed] == sorted((chips for *_, chips in listed), reverse=True)
        for place, _, chips in listed:
            assert place == 1 + sum(1 for *_, more in listed if more > chips)

    def teardown(self) -> None:
        if hasattr(self, "full"):
            state = new_table(self.params, self.stacks)
            for action in self.actions:
                state = apply(state, action)
            assert state == self.full
            assert digest(state) == digest(self.full)


def hidden_cards(state: State, seat: int | None) -> set[str]:
    """The cards that a seat must not see: in other hands, or discarded by others."""
    deal = state.deal
    if deal is None:
        return set()
    found = set()
    for place, hand in enumerate(deal.hands):
        if hand is not None and place != seat:
            covered = {*held_positions(state, place), deal.discards[place]}
            found |= {str(card) for position, card in enumerate(hand) if position in covered}
    return found


def words_in(value: object) -> set[str]:
    """All strings anywhere in a value."""
    if isinstance(value, str):
        return {value}
    if isinstance(value, tuple):
        return set().union(*(words_in(part) for part in value))
    return set()


TestTables = Tables.TestCase
TestTables.settings = settings(
    max_examples=80,
    stateful_step_count=25,
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
