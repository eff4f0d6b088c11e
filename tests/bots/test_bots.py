"""Bots only ever do what the rules allow, decide quickly, and know no more than their seat."""

from __future__ import annotations

import random

import pytest

from azi_p2p.bots import LEVELS, advise, make_bot
from azi_p2p.bots.worlds import deal_world, knowledge, proven_voids
from azi_p2p.cli import options
from azi_p2p.rules import (
    Bid,
    Call,
    Card,
    Params,
    Phase,
    State,
    apply,
    conserved,
    deal_seats,
    deck_of,
    is_over,
    legal_actions,
    new_table,
    owed,
    view_for,
)
from tests.bots.arena import compare, deal_cards

TABLES = [
    Params(),
    Params(seats=6, hand_size=4),
    Params(seats=2),
    Params(seats=5, opener_rule="may_check", azi_replay="buy_in"),
    Params(seats=3, hand_size=4, opener_rule="may_fold", azi_replay="contenders", short_payout="proportional"),
    Params(seats=4, min_bid=7, ante=13, start_chips=60, max_bids=9),
]


def shuffled(state: State, rng: random.Random) -> State:
    deck = list(deck_of(state.params))
    rng.shuffle(deck)
    return apply(state, deal_cards(state, deck, rng.randrange(state.params.seats)))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("params", TABLES, ids=lambda params: f"{params.seats}x{params.hand_size}{params.azi_replay}")
def test_every_action_is_legal_until_the_table_ends_or_many_deals_are_played(level: str, params: Params) -> None:
    rng = random.Random(f"{level} {params}")
    bot = make_bot(level)
    state = new_table(params, [params.start_chips] * params.seats)
    total = conserved(state)
    for _ in range(6 if level == "hard" else 15):
        if is_over(state) or len(deal_seats(state)) < 2:
            break
        state = shuffled(state, rng)
        while state.phase is not Phase.BETWEEN:
            seat = owed(state)[-1]
            view = view_for(state, seat)
            state = apply(state, bot.choose(view, view.options, rng))
            assert conserved(state) == total


def some_views(params: Params, seed: int, deals: int) -> list[State]:
    """States in the middle of deals, reached by bots."""
    rng = random.Random(seed)
    bot = make_bot("easy")
    states = []
    for _ in range(deals):
        state = shuffled(new_table(params, [params.start_chips] * params.seats), rng)
        while state.phase in {Phase.DISCARD, Phase.BIDDING, Phase.PLAYING}:
            states.append(state)
            seat = owed(state)[0]
            view = view_for(state, seat)
            state = apply(state, bot.choose(view, view.options, rng))
    return states


@pytest.mark.parametrize("level", LEVELS)
def test_a_bot_decides_the_same_whatever_the_others_hold(level: str) -> None:
    """Only what the seat may see goes in: swapping hidden cards among the others changes nothing."""
    for number, state in enumerate(some_views(Params(seats=4), 5, 3)):
        seat = owed(state)[0]
        deal = state.deal
        assert deal is not None
        hidden = [
            (place, position)
            for place, hand in enumerate(deal.hands)
            if hand is not None and place != seat
            for position in range(3)
            if deal.held[place] >> position & 1
        ]
        cards = [deal.hands[place][position] for place, position in hidden]  # type: ignore[index]  # dealt in above
        cards.reverse()
        hands = [list(hand) if hand is not None else None for hand in deal.hands]
        for (place, position), card in zip(hidden, cards, strict=True):
            hand = hands[place]
            assert hand is not None
            hand[position] = card
        other = state._replace(deal=deal._replace(hands=tuple(tuple(hand) if hand else None for hand in hands)))
        bot = make_bot(level)
        views = view_for(state, seat), view_for(other, seat)
        chosen = [bot.choose(view, view.options, random.Random(number)) for view in views]
        assert chosen[0] == chosen[1]


def test_guessed_worlds_agree_with_what_is_known() -> None:
    rng = random.Random(3)
    for state in some_views(Params(seats=5), 11, 12):
        seat = owed(state)[0]
        known = knowledge(view_for(state, seat))
        world = deal_world(known, rng, {other: 2 for other, _ in known.others})
        dealt = [card for hand in world.values() for card in hand]
        assert len(dealt) == len(set(dealt))
        assert world[seat] == list(known.hand)
        assert state.deal is not None
        assert state.deal.upcard not in dealt
        for other, size in known.others:
            assert len(world[other]) == size
            assert not {card[1] for card in world[other]} & known.voids.get(other, frozenset())
        true_hands = {
            place: {hand[position][1] for position in range(3) if state.deal.held[place] >> position & 1}  # type: ignore[index]  # the test knows every hand
            for place, hand in enumerate(state.deal.hands)
            if hand is not None
        }
        for place, suits in proven_voids(state.deal).items():
            assert not true_hands[place] & suits


def usual_answer(level: str, hand: tuple[str, str, str], bid: int) -> str:
    """What a bot does most often with a hand of which hearts are trump, asked to answer a bid, 15 times."""
    params = Params(seats=3)
    state = new_table(params, [1000] * 3)
    rest = [card for card in deck_of(params) if card not in (*hand, "JH")]
    cards = [*(Card(name) for name in hand), *rest[:6], Card("JH")]
    state = apply(state, deal_cards(state, cards, 1))
    state = apply(apply(state, Bid(1, bid)), Call(2))
    view = view_for(state, 0)
    answers = [type(make_bot(level).choose(view, view.options, random.Random(seed))).__name__ for seed in range(15)]
    return max(set(answers), key=answers.count)


@pytest.mark.parametrize("level", ["normal", "hard"])
def test_a_strong_hand_raises_a_fair_one_calls_and_a_hopeless_one_folds(level: str) -> None:
    assert usual_answer(level, ("AH", "KH", "QH"), 100) == "Bid"
    assert usual_answer(level, ("TH", "9H", "AS"), 10) != "Fold"
    assert usual_answer(level, ("6D", "7S", "8D"), 300) == "Fold"


def test_decisions_are_quick() -> None:
    """A decision may take 50 ms; the mean is checked here, for single ones depend on what else the machine does."""
    params = Params(seats=6, hand_size=4)
    _, _, timings = compare("hard", "normal", 2, params, seed=4)
    for timing in timings.values():
        assert timing.decisions > 10
        assert timing.total / timing.decisions < 0.05


@pytest.mark.long
def test_hard_clearly_beats_easy() -> None:
    mean, half, _ = compare("hard", "easy", 120, Params(), seed=20)
    assert mean - half > 0


def test_legal_lists_what_the_bot_is_asked_with() -> None:
    state = some_views(Params(), 1, 1)[0]
    seat = owed(state)[0]
    assert view_for(state, seat).options == legal_actions(state, seat)


@pytest.mark.parametrize(
    "params", TABLES[:5], ids=lambda params: f"{params.seats}x{params.hand_size}{params.azi_replay}"
)
def test_advice_is_legal_and_its_reason_fits_the_action(params: Params) -> None:
    rng = random.Random(f"advice {params}")
    reasons = set()
    for state in some_views(params, 17, 5):
        view = view_for(state, owed(state)[0])
        advice = advise(view, view.options, rng)
        reasons.add(advice.reason)
        apply(state, advice.action)
        kind = type(advice.action).__name__
        assert kind in FITTING[advice.reason], advice
        assert 0 <= advice.chance <= 1
        assert 0 <= advice.rival_chance <= 1
        if advice.reason in {"play", "discard"}:
            assert advice.rival in view.hand
        if advice.reason == "stay":
            assert advice.gain > 0
        elif advice.reason in {"fold", "least_loss"}:
            assert advice.gain <= 0
    assert len(reasons) > 2


FITTING = {
    "only": {"Play", "Discard", "Call", "Fold", "Check"},
    "play": {"Play"},
    "discard": {"Discard"},
    "stay": {"Bid", "Call"},
    "fold": {"Fold", "Check"},
    "least_loss": {"Bid", "Call"},
}


def test_the_levels_of_the_command_line_are_those_of_the_bots() -> None:
    assert options.LEVELS == LEVELS


def test_advice_on_a_strong_hand_is_to_stay_and_on_a_hopeless_one_to_fold() -> None:
    params = Params(seats=3)
    for hand, reason in ((("AH", "KH", "QH"), "stay"), (("6D", "7S", "8D"), "fold")):
        state = new_table(params, [1000] * 3)
        rest = [card for card in deck_of(params) if card not in (*hand, "JH")]
        state = apply(state, deal_cards(state, [*(Card(name) for name in hand), *rest[:6], Card("JH")], 1))
        state = apply(apply(state, Bid(1, 200)), Call(2))
        view = view_for(state, 0)
        assert {advise(view, view.options, random.Random(seed)).reason for seed in range(8)} == {reason}
