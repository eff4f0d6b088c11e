"""Hands that nobody but their owner knows: positions, revealed cards, and what must be proven."""

from __future__ import annotations

from typing import Any

import pytest

from azi_p2p.rules import (
    Bid,
    Call,
    Card,
    Deal,
    Discard,
    IllegalAction,
    Phase,
    Play,
    State,
    apply,
    held_positions,
    legal_actions,
    to_act,
    voids_owed,
    with_hand,
)
from tests.rules.kit import cards, code_of, play_all, table

NOTHING_KNOWN = Deal(((None,) * 3, (None,) * 3), Card("TH"), 0)


@pytest.fixture
def playing() -> State:
    """Two seats, all cards hidden, hearts are trumps, seat 0 to lead."""
    return play_all(table([100, 100]), NOTHING_KNOWN, Bid(0, 10), Call(1))


def test_a_hidden_play_needs_its_position(playing: State) -> None:
    assert code_of(playing, Play(0, Card("AS"))) == "card_not_held"
    after = apply(playing, Play(0, Card("AS"), 1))
    assert after.deal is not None
    assert after.deal.hands[0] == (None, "AS", None)
    assert held_positions(after, 0) == (0, 2)
    assert to_act(after) == 1


@pytest.mark.parametrize(
    ("card", "position"),
    [("TH", 0), ("AC", 0), ("XX", 0), ("", 0), ("AS\n", 0)],
    ids=["the upcard", "of the suit left out", "no card", "nothing", "almost a card"],
)
def test_cards_that_can_not_lie_there(playing: State, card: str, position: int) -> None:
    assert code_of(playing, Play(0, Card(card), position)) == "card_not_held"


@pytest.mark.parametrize("position", [-1, 3, 10**30, True, "0", 1.0])
def test_positions_that_do_not_exist(playing: State, position: int) -> None:
    assert code_of(playing, Play(0, Card("AS"), position)) == "bad_scenario"


@pytest.mark.parametrize("card", [None, 0, b"AS", ("A", "S"), ["AS"]])
def test_what_is_no_card(playing: State, card: Any) -> None:
    for position in (None, 0):
        assert code_of(playing, Play(0, card, position)) == "bad_scenario"
    assert code_of(apply(playing, Play(0, Card("AS"), 0)), Play(1, card, 0)) == "bad_scenario"


def test_a_card_seen_before_is_refused(playing: State) -> None:
    after = apply(playing, Play(0, Card("AS"), 1))
    assert code_of(after, Play(1, Card("AS"), 0)) == "card_not_held"


def test_a_position_played_before_is_refused(playing: State) -> None:
    after = play_all(playing, Play(0, Card("AS"), 1), Play(1, Card("6S"), 0))
    assert to_act(after) == 0
    assert code_of(after, Play(0, Card("KS"), 1)) == "card_not_held"
    assert code_of(after, Play(0, Card("AS"), 1)) == "card_not_held"
    assert code_of(after, Play(0, Card("KS"), 0)) is None


def test_my_own_card_can_not_lie_elsewhere(playing: State) -> None:
    mine = with_hand(playing, 1, cards("KS QS JS"))
    assert code_of(mine, Play(0, Card("KS"), 0)) == "card_not_held"
    assert code_of(mine, Play(0, Card("AS"), 0)) is None


def test_following_is_enforced_on_a_known_hand_only(playing: State) -> None:
    led = apply(playing, Play(0, Card("6S"), 0))
    assert code_of(led, Play(1, Card("AD"), 0)) is None
    known = with_hand(led, 1, cards("AD KS 9H"))
    assert code_of(known, Play(1, Card("AD"), 0)) == "must_follow_suit"
    assert code_of(known, Play(1, Card("AD"))) == "must_follow_suit"
    assert code_of(known, Play(1, Card("KS"), 0)) == "card_not_held"
    assert code_of(known, Play(1, Card("KS"), 1)) is None
    assert [option.card for option in legal_actions(known)] == ["KS"]
    trumping = with_hand(led, 1, cards("AD KD 9H"))
    assert code_of(trumping, Play(1, Card("AD"))) == "must_trump"
    assert code_of(trumping, Play(1, Card("9H"))) is None


def test_no_cards_are_offered_from_a_hidden_hand(playing: State) -> None:
    assert legal_actions(playing) == ()
    known = with_hand(playing, 0, cards("6S 7S 8S"))
    assert [(option.card, option.position) for option in legal_actions(known)] == [("6S", 0), ("7S", 1), ("8S", 2)]


def test_voids_owed(playing: State) -> None:
    assert voids_owed(playing, 0, Card("AS")) == (), "leading owes nothing"
    led = apply(playing, Play(0, Card("6S"), 0))
    assert voids_owed(led, 1, Card("AS")) == (), "nor does following"
    assert voids_owed(led, 1, Card("6H")) == ("S",), "trumping: no card of the led suit"
    assert voids_owed(led, 1, Card("AD")) == ("S", "H"), "else: no card of the led suit and no trump"
    trumps = apply(playing, Play(0, Card("6H"), 0))
    assert voids_owed(trumps, 1, Card("9H")) == ()
    assert voids_owed(trumps, 1, Card("AD")) == ("H",), "the led suit and the trumps are the same"


@pytest.mark.parametrize(("seat", "card"), [(2, "AS"), (-1, "AS"), (0, "AC"), (0, "??")])
def test_voids_owed_refuses_nonsense(playing: State, seat: int, card: str) -> None:
    with pytest.raises(IllegalAction):
        voids_owed(playing, seat, Card(card))


def test_voids_owed_outside_play() -> None:
    with pytest.raises(IllegalAction, match="wrong_phase"):
        voids_owed(table([100, 100]), 0, Card("AS"))


def test_hidden_discards() -> None:
    state = apply(table([100, 100], hand_size=4), Deal(((None,) * 4, (None,) * 4), Card("TH"), 0))
    assert code_of(state, Discard(0)) == "card_not_held"
    assert code_of(state, Discard(0, None, 4)) == "bad_scenario"
    assert code_of(state, Discard(0, Card("TH"), 1)) == "card_not_held"
    state = play_all(state, Discard(1, None, 3), Discard(0, None, 0), Bid(0, 10), Call(1))
    assert state.phase is Phase.PLAYING
    assert held_positions(state, 1) == (0, 1, 2)
    assert code_of(state, Play(0, Card("AS"), 0)) == "card_not_held", "the discard is gone"
    assert code_of(state, Play(0, Card("AS"), 1)) is None


def test_with_hand_refuses_what_contradicts() -> None:
    state = play_all(table([100, 100]), NOTHING_KNOWN, Bid(0, 10), Call(1), Play(0, Card("AS"), 1))
    for hand in ("KS QS JS", "KS AS", "KS AS TH", "KS AS KS", "KS AS AC"):
        with pytest.raises(IllegalAction):
            with_hand(state, 0, cards(hand))
    with pytest.raises(IllegalAction):
        with_hand(state, 5, cards("KS AS QS"))
    with pytest.raises(IllegalAction):
        with_hand(table([100, 100]), 0, cards("KS AS QS"))
    known = with_hand(state, 0, cards("KS AS QS"))
    assert held_positions(known, 0) == (0, 2)


def test_held_positions_without_a_hand() -> None:
    assert held_positions(table([100, 100]), 0) == ()
    with pytest.raises(IllegalAction):
        held_positions(table([100, 100]), 2)
