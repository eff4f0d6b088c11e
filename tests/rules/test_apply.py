"""`apply` with other people's actions: every field is checked, and a refusal changes nothing."""

from __future__ import annotations

import pickle
from typing import Any, cast

import pytest

from azi_p2p.rules import (
    Absent,
    Bid,
    BuyIn,
    Call,
    Card,
    Check,
    Deal,
    Decline,
    Discard,
    ErrorCode,
    Fold,
    IllegalAction,
    Join,
    Leave,
    Option,
    Play,
    Rebuy,
    Return,
    SitOut,
    State,
    Void,
    apply,
    legal_actions,
    owed,
    to_act,
    view_for,
)
from tests.rules.kit import cards, code_of, hands, play_all, table

DEAL = Deal(hands("AS KS QS", "6S 7S 9H"), Card("TH"), 0)
STATES = {
    "between": table([100, 100]),
    "discard": apply(table([100, 100], hand_size=4), Deal(hands("AS KS QS JS", "6S 7S 9H 8D"), Card("TH"), 0)),
    "bidding": apply(table([100, 100]), DEAL),
    "playing": play_all(table([100, 100]), DEAL, Bid(0, 10), Call(1)),
}
BAD_SEATS = [-1, 2, 6, 10**30, True, False, None, 0.0, "0", (0,), [0]]


@pytest.mark.parametrize("phase", STATES)
@pytest.mark.parametrize("seat", BAD_SEATS, ids=repr)
@pytest.mark.parametrize(
    "kind",
    [Call, Check, Fold, Absent, Leave, BuyIn, Decline, Join, SitOut, Return, Rebuy],
    ids=lambda kind: kind.__name__,
)
def test_seats(phase: str, seat: Any, kind: Any) -> None:
    assert code_of(STATES[phase], kind(seat)) == "bad_scenario"


@pytest.mark.parametrize("phase", STATES)
@pytest.mark.parametrize("seat", BAD_SEATS, ids=repr)
def test_seats_of_actions_with_more_than_a_seat(phase: str, seat: Any) -> None:
    for action in (Bid(seat, 10), Play(seat, Card("AS")), Discard(seat, Card("AS"))):
        assert code_of(STATES[phase], action) == "bad_scenario"


@pytest.mark.parametrize("to", [True, None, 10.0, "10", (10,)])
def test_amounts(to: Any) -> None:
    assert code_of(STATES["bidding"], Bid(0, to)) == "bad_scenario"


def test_huge_amounts() -> None:
    assert code_of(STATES["bidding"], Bid(0, 10**100)) == "bid_over_stack"
    assert code_of(STATES["bidding"], Bid(0, -(10**100))) == "bid_too_low"


@pytest.mark.parametrize("card", [None, 1, b"AS", ("A", "S"), ["AS"]])
def test_cards(card: Any) -> None:
    assert code_of(STATES["playing"], Play(0, card)) == "bad_scenario"
    if card is not None:
        assert code_of(STATES["discard"], Discard(0, card)) == "bad_scenario"


@pytest.mark.parametrize("action", [None, 3, "fold", ("fold", 0), Fold, object()])
def test_what_is_no_action(action: Any) -> None:
    with pytest.raises(IllegalAction, match="bad_scenario"):
        apply(STATES["bidding"], action)


@pytest.mark.parametrize(
    ("dealt", "code"),
    [
        (Deal(hands("AS KS QS"), Card("TH"), 0), "bad_scenario"),
        (Deal(hands("AS KS QS", None), Card("TH"), 0), "bad_scenario"),
        (Deal(hands("AS KS QS", "6S 7S"), Card("TH"), 0), "bad_scenario"),
        (Deal(hands("AS KS QS", "6S 7S AC"), Card("TH"), 0), "bad_scenario"),
        (Deal(hands("AS KS QS", "6S 7S 9H"), Card("TC"), 0), "bad_scenario"),
        (Deal(hands("AS KS QS", "6S 7S 9H"), cast(Card, None), 0), "bad_scenario"),
        (Deal(hands("AS KS QS", "6S 7S 9H"), cast(Card, 5), 0), "bad_scenario"),
        (Deal(hands("AS KS QS", "6S 7S 9H"), Card("TH"), None), "bad_scenario"),
        (Deal(hands("AS KS QS", "6S 7S 9H"), Card("TH"), 2), "bad_scenario"),
        (Deal(hands("AS KS QS", "6S 7S 9H"), Card("TH"), cast(int, True)), "bad_scenario"),
        (Deal(cast(Any, [cards("AS KS QS"), cards("6S 7S 9H")]), Card("TH"), 0), "bad_scenario"),
        (Deal(cast(Any, (cards("AS KS QS"), ["6S", "7S", "9H"])), Card("TH"), 0), "bad_scenario"),
        (Deal(cast(Any, (cards("AS KS QS"), (["6S"], "7S", "9H"))), Card("TH"), 0), "bad_scenario"),
        (Deal(hands("AS KS QS", "AS 7S 9H"), Card("TH"), 0), "duplicate_card"),
        (Deal(hands("AS KS QS", "6S 7S 9H"), Card("AS"), 0), "duplicate_card"),
    ],
)
def test_deals(dealt: Deal, code: str) -> None:
    assert code_of(STATES["between"], dealt) == code


def test_a_deal_with_unknown_cards_still_holds_no_card_twice() -> None:
    dealt = Deal(((Card("AS"), None, None), (None, None, Card("AS"))), Card("TH"), 0)
    assert code_of(STATES["between"], dealt) == "duplicate_card"


@pytest.mark.parametrize("breakers", [[0], None, 0, "0", ("0",), (None,)])
def test_breakers(breakers: Any) -> None:
    assert code_of(STATES["between"], Void(breakers)) == "bad_scenario"


@pytest.mark.parametrize("seat", [-1, 2, True, "0"])
def test_questions_about_seats_that_do_not_exist(seat: Any) -> None:
    for state in STATES.values():
        with pytest.raises(IllegalAction):
            legal_actions(state, seat)
        with pytest.raises(IllegalAction):
            view_for(state, seat)


def test_legal_actions_of_one_seat() -> None:
    bidding, discard = STATES["bidding"], STATES["discard"]
    assert legal_actions(bidding, 1) == ()
    assert legal_actions(bidding, 0) == legal_actions(bidding) == (Option("bid", 0, 10, 90),)
    assert {option.seat for option in legal_actions(discard)} == {0, 1}
    assert {option.seat for option in legal_actions(discard, 1)} == {1}
    assert legal_actions(STATES["between"]) == ()
    assert legal_actions(STATES["between"], 0) == ()


def test_owed_and_to_act() -> None:
    assert owed(STATES["between"]) == ()
    assert to_act(STATES["between"]) is None
    assert owed(STATES["discard"]) == (0, 1)
    assert to_act(apply(STATES["discard"], Discard(0, Card("AS")))) == 1


def test_a_bid_option_needs_an_amount() -> None:
    option = legal_actions(STATES["bidding"])[0]
    assert option.action(20) == Bid(0, 20)
    with pytest.raises(IllegalAction):
        option.action()


def test_options_become_actions() -> None:
    assert [option.action() for option in legal_actions(STATES["playing"])] == [
        Play(0, Card(card), place) for place, card in enumerate(("AS", "KS", "QS"))
    ]
    answered = apply(STATES["bidding"], Bid(0, 10))
    assert [option.action(30) for option in legal_actions(answered)] == [Bid(1, 30), Call(1), Fold(1)]


def test_a_refusal_leaves_the_state_alone() -> None:
    state = STATES["playing"]
    before = repr(state)
    with pytest.raises(IllegalAction):
        apply(state, Play(0, Card("6S")))
    assert repr(state) == before


def test_refusals_survive_a_process_boundary() -> None:
    with pytest.raises(IllegalAction) as caught:
        apply(STATES["bidding"], Bid(0, 1))
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.code, again.message) == (ErrorCode.BID_TOO_LOW, "a bid must be to at least 10 here")
    assert str(again) == "bid_too_low: a bid must be to at least 10 here"


def test_states_are_frozen() -> None:
    state: Any = STATES["playing"]
    with pytest.raises(AttributeError):
        state.chips = (1, 1)
    with pytest.raises(AttributeError):
        state.deal.to_act = 1
    assert isinstance(state, State)
