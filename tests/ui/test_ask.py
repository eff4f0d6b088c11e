"""What may be done, and what a typed line means: numbers, words in three languages, and the rule that forbids."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from azi_p2p.rules import Bid, BuyIn, Call, Card, Discard, Fold, Params, Play, State
from azi_p2p.ui.ask import ACTIONS, ORDERS, Chosen, Order, Typed, Wrong, choices, understand
from azi_p2p.ui.i18n import LANGUAGES, catalogue
from azi_p2p.ui.words import Words, parse_card
from tests.ui.tables import after, dealt, gathering, shown

HANDS = ["AS KS 9H", "6S 7S QH", "8S JH 9S"]


def words(language: str = "en") -> Words:
    return Words(catalogue(language))


def typed(line: str, state: State, language: str = "en", seat: int = 0) -> Typed:
    return understand(line, shown(state, seat), words(language))


@pytest.mark.parametrize(
    ("line", "card"),
    [
        ("AS", "AS"),
        ("as", "AS"),
        ("td", "TD"),
        ("10d", "TD"),
        ("A\u2660", "AS"),
        ("q\u2665", "QH"),
        ("Тп", "AS"),
        ("10ч", "TH"),
        ("вб", "JD"),
        ("дк", "QC"),
        ("КТ", "KC"),
        ("bk", "JC"),
        ("VS", "QS"),
        ("1S", None),
        ("XS", None),
        ("A", None),
        ("", None),
        ("AAS", None),
        ("S", None),
        ("5S", None),
    ],
)
def test_cards_as_people_type_them(line: str, card: str | None) -> None:
    assert parse_card(line) == card


def test_the_choices_of_an_opener_and_of_a_caller() -> None:
    state = dealt(HANDS, "TH")
    assert [choice.text for choice in choices(shown(state), words())] == [
        "bid 10 (the least)",
        "bid 20 (about half the pot more)",
        "bid 40 (about the pot more)",
        "bid 990 (all your chips)",
    ]
    state = after(state, Bid(0, 20), Bid(1, 40), Fold(2))
    assert [choice.action for choice in choices(shown(state), words())] == [
        Bid(0, 50),
        Bid(0, 90),
        Bid(0, 140),
        Bid(0, 990),
        Call(0),
        Fold(0),
    ]
    assert choices(shown(state, 1), words()) == []


def test_a_number_takes_that_choice() -> None:
    state = after(dealt(HANDS, "TH"), Bid(0, 20), Bid(1, 40), Fold(2))
    assert typed("5", state) == Chosen(Call(0))
    assert typed(" 6 ", state) == Chosen(Fold(0))
    assert typed("7", state) == Wrong("There are only the choices 1 to 6.")
    assert typed("0", state) == Wrong("There are only the choices 1 to 6.")
    assert typed("1", state, seat=1) == Wrong("It isn't your turn: the table waits for Eva.")


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("bid 50", "en"),
        ("raise 50", "en"),
        ("BID 50", "ru"),
        ("verhoog 50", "af"),
        ("bie 50", "af"),
        ("ставка 50", "ru"),
        ("поднять 50", "ru"),
    ],
)
def test_bids_in_words(line: str, language: str) -> None:
    state = after(dealt(HANDS, "TH"), Bid(0, 20), Bid(1, 40), Fold(2))
    assert typed(line, state, language) == Chosen(Bid(0, 50))


def test_a_bid_over_half_of_the_chips_asks_once() -> None:
    state = dealt(HANDS, "TH")
    assert typed("bid 495", state) == Chosen(Bid(0, 495))
    assert typed("bid 496", state) == Chosen(Bid(0, 496), "That puts in 496 of your 990 chips. Really? yes or no")


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("bid 5", "That is too little: bid 10 or more."),
        ("bid 991", "That is more than you have: you can bid up to 990."),
        ("bid", "Say how much: bid and a number from 10 to 990."),
        ("bid ten", "Say how much: bid and a number from 10 to 990."),
        ("bid 99999999999999999999", "Say how much: bid and a number from 10 to 990."),
        ("fold", "You open, so you must bid at least 10 (who has less, calls with all)."),
        ("call", "You open, so you must bid at least 10 (who has less, calls with all)."),
        ("play AS", "There is no trick to play to now."),
        ("play", "Name the card: rank and suit, for instance AS for the ace of spades."),
        ("play XX", '"XX" is no card. Write rank and suit: AS is the ace of spades, TH the ten of hearts.'),
        ("bluff", 'I don\'t understand "bluff". Type a number from the list, or help.'),
        ("\x1b[A\x1b[2J", 'I don\'t understand "[A[2J". Type a number from the list, or help.'),
        ("buy in", "Nobody is being asked to buy into a replay now."),
    ],
)
def test_what_an_opener_may_not_do_is_told_with_the_rule(line: str, answer: str) -> None:
    assert typed(line, dealt(HANDS, "TH")) == Wrong(answer)


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("7H", "You don't hold that card. Your hand: six of spades (6S), seven of spades (7S), queen of hearts (QH)."),
        ("play QH", "The led suit is spades, and you hold a card of it: you must play one."),
    ],
)
def test_illegal_cards_are_told_with_the_rule(line: str, answer: str) -> None:
    state = after(dealt(HANDS, "TH"), Bid(0, 20), Call(1), Call(2), Play(0, Card("AS")))
    assert typed(line, state, seat=1) == Wrong(answer)
    assert typed("7s", state, seat=1) == Chosen(Play(1, Card("7S"), 1))


def test_who_has_none_of_the_led_suit_must_trump() -> None:
    state = after(dealt(["AS KS 9H", "6D 7D QH", "8S JH 9S"], "TH"), Bid(0, 20), Call(1), Call(2), Play(0, Card("AS")))
    assert typed("6d", state, seat=1) == Wrong("You have no spades, but you hold a trump (hearts): you must play one.")


def test_out_of_bids_and_no_checking() -> None:
    state = after(dealt(HANDS, "TH", Params(seats=3, max_bids=1)), Bid(0, 20), Bid(1, 40), Fold(2))
    assert typed("bid 60", state) == Wrong("You have had your 1 bids in this deal: call or fold.")
    assert typed("check", state) == Wrong("Somebody has bid, so a seat calls, raises or folds.")


def test_the_discard_and_buying_in() -> None:
    state = dealt(["AS KS 9H 6D", "6S 7S QH 7D", "8S JH 9S 8D"], "TH")
    assert [choice.text for choice in choices(shown(state), words())][3] == "lay aside the six of diamonds (6D)"
    assert typed("6d", state) == Chosen(Discard(0, Card("6D"), 3))
    assert typed("lay aside 6d", state) == Chosen(Discard(0, Card("6D"), 3))
    params = Params(seats=4, azi_replay="buy_in")
    state = dealt(["AS 6D 7D", "6S AD 8D", "7S 9D AH", "8S TD 9S"], "TH", params)
    state = after(state, Bid(0, 10), Call(1), Call(2), Fold(3))
    for seat, card in [
        (0, "AS"),
        (1, "6S"),
        (2, "7S"),
        (0, "6D"),
        (1, "AD"),
        (2, "9D"),
        (1, "8D"),
        (2, "AH"),
        (0, "7D"),
    ]:
        state = after(state, Play(seat, Card(card)))
    assert [choice.text for choice in choices(shown(state, 3), words())] == ["buy in for 35", "stay out"]
    assert typed("buy in", state, seat=3) == Chosen(BuyIn(3))


@pytest.mark.parametrize(
    ("line", "order"),
    [
        ("help", Order("help", "")),
        ("?", Order("help", "")),
        ("say good luck", Order("say", "good luck")),
        ("", Order("status", "")),
        ("sit out", Order("sit_out", "")),
        ("quit", Order("quit", "")),
        ("Y", Order("yes", "")),
        ("leave", Order("leave", "")),
    ],
)
def test_orders(line: str, order: Order) -> None:
    assert typed(line, dealt(HANDS, "TH")) == order
    assert understand(line, None, words()) == order


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_means_two_things(language: str) -> None:
    """In each language, together with the English words that are always understood."""
    meanings: dict[str, str] = {}
    for name in (*ACTIONS, *ORDERS):
        for source in {language, "en"}:
            for word in catalogue(source).text(f"command.{name}").split(","):
                assert word == word.strip().lower() != ""
                assert meanings.setdefault(word, name) == name, word
                assert not word.isdecimal()
                assert parse_card(word) is None, word


def test_before_the_game_there_is_nothing_to_play() -> None:
    view = gathering(Params(), 2)
    assert understand("1", view, words()) == Wrong('I don\'t understand "1". Type a number from the list, or help.')
    assert understand("fold", view, words()) == Wrong("The game hasn't begun, so there is nothing to play yet.")
    assert understand("start", view, words()) == Order("start", "")


@settings(derandomize=True, max_examples=300)
@given(st.text(max_size=80))
def test_whatever_is_pasted_is_answered(line: str) -> None:
    for view in (None, gathering(Params(), 2), shown(dealt(HANDS, "TH")), shown(dealt(HANDS, "TH"), 1)):
        answer = understand(line, view, words("ru"))
        if isinstance(answer, Wrong):
            assert 0 < len(answer.message) < 300
