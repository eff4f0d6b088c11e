"""Decks, and the order of the cards in a trick."""

from __future__ import annotations

import pytest

from azi_p2p.rules import ALL_CARDS, SUITS, Params, deck_of, rank_of, strengths, suit_of


def test_all_cards() -> None:
    assert len(set(ALL_CARDS)) == 36
    assert ALL_CARDS[0] == "6S"
    assert ALL_CARDS[8] == "AS"
    assert ALL_CARDS[-1] == "AC"
    assert rank_of(ALL_CARDS[4]) == "T"
    assert suit_of(ALL_CARDS[9]) == "H"


@pytest.mark.parametrize("out", SUITS)
def test_a_deck_has_27_cards_in_a_fixed_order(out: str) -> None:
    deck = deck_of(Params.from_mapping({"out_suit": out}))
    assert len(deck) == 27
    assert list(deck) == [card for card in ALL_CARDS if suit_of(card) != out]


@pytest.mark.parametrize(
    ("promoted", "order"),
    [(False, "AH KH QH JH TH 9H 8H 7H 6H AS KS QS JS TS 9S 8S 7S 6S"), (True, "6H AH KH QH JH TH 9H 8H 7H AS KS")],
)
def test_trumps_beat_the_led_suit(promoted: bool, order: str) -> None:
    strength = strengths("H", "S", promoted_six=promoted)
    numbers = [strength[card] for card in ALL_CARDS if card in order.split()]
    ranked = sorted(order.split(), key=lambda card: -strength[next(c for c in ALL_CARDS if c == card)])
    assert ranked == order.split()
    assert len(set(numbers)) == len(numbers)


def test_other_suits_win_nothing() -> None:
    strength = strengths("H", "S", promoted_six=True)
    assert {strength[card] for card in ALL_CARDS if card[1] in "DC"} == {0}


def test_trump_led_leaves_only_trumps() -> None:
    strength = strengths("H", "H", promoted_six=False)
    assert sorted(card for card in ALL_CARDS if strength[card]) == sorted(c for c in ALL_CARDS if c[1] == "H")
