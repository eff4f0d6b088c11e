"""Random tables, keys and sizes: whatever happens and whatever is pressed, the screen is drawn whole.

The seed of a case is its parameter, so that a case that failed is run again by its name.
"""

from __future__ import annotations

import random

import pytest

from azi_p2p.rules import Bid, Card, Deal, Params, Play, State, apply, legal_actions, new_table, owed
from azi_p2p.rules import Phase as RulesPhase
from azi_p2p.rules.cards import DECKS
from azi_p2p.session import events as happened
from azi_p2p.session.commands import Act
from azi_p2p.session.view import TableView
from azi_p2p.ui.i18n import LANGUAGES
from azi_p2p.ui.names import cells
from azi_p2p.ui.screen.canvas import plain_text
from azi_p2p.ui.screen.keys import NAMED, TWINS
from azi_p2p.ui.screen.look import Look
from tests.ui.scenes import Adviser, Person
from tests.ui.tables import shown

KEYS = (*NAMED, *"0123456789?tlpmarbsqiyn xЖ", *TWINS)
SIZES = ((80, 24), (81, 25), (100, 30), (132, 43), (200, 60), (79, 24), (30, 10))


def random_params(chance: random.Random) -> Params:
    return Params(
        seats=chance.randint(2, 6),
        hand_size=chance.choice((3, 4)),
        out_suit=chance.choice(("C", "D", "H", "S")),
        ante=chance.choice((1, 10, 700, 1_000_000)),
        min_bid=chance.choice((1, 10, 700)),
        start_chips=chance.choice((5, 1000, 1_000_000_000)),
        opener_rule=chance.choice(("must_bid", "may_fold", "may_check")),
        short_payout=chance.choice(("matched", "proportional")),
        azi_replay=chance.choice(("all", "contenders", "buy_in")),
        rebuy=chance.choice((True, False)),
    )


def deal(state: State, chance: random.Random) -> State | None:
    """The next deal, None if too few can be dealt in."""
    deck = list(DECKS[state.params.out_suit])
    chance.shuffle(deck)
    size = state.params.hand_size
    hands: list[tuple[Card | None, ...] | None] = []
    for chips, stake in zip(state.chips, state.stakes, strict=True):
        cards = tuple(deck.pop() for _ in range(size))
        hands.append(cards if chips or stake else None)
    dealt_in = [seat for seat, hand in enumerate(hands) if hand is not None and state.chips[seat]]
    if len(dealt_in) < 2:
        return None
    for known in (hands, [hand if seat in dealt_in else None for seat, hand in enumerate(hands)]):
        try:
            return apply(state, Deal(tuple(known), deck[-1], chance.choice(dealt_in)))
        except ValueError:
            continue
    return None


def random_step(state: State, chance: random.Random) -> tuple[State, list[happened.Event]]:
    """One legal action of whoever owes one, and what is told of it."""
    seat = chance.choice(owed(state))
    option = chance.choice(legal_actions(state, seat))
    to = None if option.min is None or option.max is None else chance.randint(option.min, option.max)
    action = option.action(to)
    after = apply(state, action)
    events: list[happened.Event] = [happened.ActionTaken(seat, action, ("H",) if chance.random() < 0.1 else ())]
    if isinstance(action, Play) and state.deal is not None and after.deal is not None:
        for number in range(len(state.deal.tricks), len(after.deal.tricks)):
            winner = after.deal.tricks[number].winner
            assert winner is not None
            events.append(happened.TrickWon(winner, number))
    if after.phase in {RulesPhase.BETWEEN, RulesPhase.BUY_IN} and after.deal is not None and after.deal.result:
        events.append(happened.DealEnded(after.deal_number, str(after.deal.result), after.deal.winner))
    return after, events


def check(person: Person, chance: random.Random) -> None:
    """Draw in a random size: every row is full, and nothing of a number is cut."""
    width, height = chance.choice(SIZES)
    rows = person.rows(width, height)
    assert len(rows) == height
    for row in rows:
        assert sum(cells(text) for _, text in row) == width, plain_text(rows)


def steps(person: Person, state: State, chance: random.Random, seat: int | None) -> State:
    """Go one step on, press some keys, and draw."""
    if state.phase is RulesPhase.BETWEEN:
        dealt = deal(state, chance)
        if dealt is None:
            return state
        state, number = dealt, dealt.deal_number
        events: list[happened.Event] = [happened.DealOpened(number), happened.CardsDealt(number)]
    else:
        state, events = random_step(state, chance)
    view: TableView = shown(state, seat, deadline=person.now + chance.randint(0, 600))
    person.see(view, *events)
    check(person, chance)
    for _ in range(chance.randint(0, 6)):
        person.press(chance.choice(KEYS))
        check(person, chance)
    person.page.paste(chance.choice(("", "1\r2", "\x1b[2J\u202e" * 50, "漢字" * 400)))
    person.now += chance.random() * 3
    person.page.wake(person.now)
    check(person, chance)
    return state


@pytest.mark.parametrize("seed", range(24))
def test_random_tables_are_drawn_whole(seed: int) -> None:
    chance = random.Random(seed)
    params = random_params(chance)
    state = new_table(params, [params.start_chips] * params.seats)
    seat = chance.choice((0, params.seats - 1, None))
    look = Look(lively=chance.random() < 0.5, plain=chance.random() < 0.3)
    advise = Adviser() if chance.random() < 0.5 else None
    person = Person(None, [], LANGUAGES[seed % len(LANGUAGES)], look, private=advise is not None, advise=advise)
    for _ in range(60):
        state = steps(person, state, chance, seat)
    for command in person.seat.commands:
        if isinstance(command, Act) and isinstance(command.action, Bid | Play):
            assert command.action.seat == seat, "nobody acts for another seat"
