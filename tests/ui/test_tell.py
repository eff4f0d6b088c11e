"""What happened, in whole sentences: every event, in every language, within the width of a plain terminal."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from azi_p2p.rules import (
    Absent,
    Action,
    Bid,
    BuyIn,
    Call,
    Card,
    Check,
    Decline,
    Discard,
    Fold,
    Leave,
    Params,
    Play,
    State,
    Void,
    apply,
)
from azi_p2p.session import events, faults
from azi_p2p.session.closing import Reckoning
from azi_p2p.session.events import ActionTaken, DealEnded, Event, TrickWon
from azi_p2p.session.view import Phase
from azi_p2p.ui.i18n import LANGUAGES, catalogue
from azi_p2p.ui.names import cells
from azi_p2p.ui.tell import Teller
from tests.ui.tables import after, dealt, gathering, key_of, shown

ANNA = ["AS KS QS", "6S 7S 9H", "8S JH 9S"]


def teller(language: str = "en", seat: int = 0) -> Teller:
    return Teller(catalogue(language), key_of(seat))


def told(one: Teller, state: State, *happened: Event, seat: int | None = 0) -> list[str]:
    return one.tell(happened, shown(state, seat))


def play(one: Teller, state: State, seat: int, card: str) -> tuple[State, list[str]]:
    """Play a card and give the sentences for it, the trick and the end of the deal."""
    action = Play(seat, Card(card))
    before = state
    state = apply(state, action)
    happened: list[Event] = [ActionTaken(seat, action)]
    assert before.deal is not None
    assert state.deal is not None
    for number in range(len(before.deal.tricks), len(state.deal.tricks)):
        winner = state.deal.tricks[number].winner
        assert winner is not None
        happened.append(TrickWon(winner, number))
    if state.deal.result:
        happened.append(DealEnded(1, state.deal.result, state.deal.winner))
    return state, told(one, state, *happened)


def test_a_deal_from_the_cards_to_the_payout() -> None:
    one, state = teller(), dealt(ANNA, "TH")
    assert told(one, state, *(events.ShuffleProven(1, seat, seat + 1, 3) for seat in range(3))) == []
    assert told(one, state, events.DealOpened(1), events.CardsDealt(1)) == [
        "Deal 1. All antes are in.",
        "Fair: 3 of 3 shuffles are proven, yours among them.",
        "Your hand: ace of spades (AS), king of spades (KS), queen of spades (QS).",
        "Turned up: ten of hearts (TH). Trump: hearts.",
        "In the pot: 30 chips.",
        "You open the bidding.",
    ]
    bidding: list[tuple[Bid | Fold | Call, str]] = [
        (Bid(0, 20), "You bid 20."),
        (Bid(1, 30), "Ben raises to 30."),
        (Fold(2), "Katya folds."),
        (Call(0), "You call 30."),
    ]
    for action, sentence in bidding:
        state = apply(state, action)
        assert told(one, state, ActionTaken(action.seat, action)) == [sentence]
    state, lines = play(one, state, 1, "9H")
    assert lines == ["Ben leads the nine of hearts (9H)."]
    state, lines = play(one, state, 0, "AS")
    assert lines == ["You play the ace of spades (AS).", "Ben takes the first trick."]
    state, lines = play(one, state, 1, "6S")
    state, lines = play(one, state, 0, "KS")
    assert lines[-1] == "You take the second trick."
    state, lines = play(one, state, 0, "QS")
    state, lines = play(one, state, 1, "7S")
    assert lines == [
        "Ben plays the seven of spades (7S).",
        "You take the third trick.",
        "You have two tricks and win the deal.",
        "You get the whole pot: 90 chips.",
        "For you this pot ends with a gain of 50 chips.",
        "Checked by you in this deal: the reveal tokens of 3 seats, proofs of a missing suit: 0. All hold.",
        "Chips now: you 1050, Ben 960, Katya 990.",
    ]


def test_a_card_that_does_not_follow_says_what_is_proven() -> None:
    one, state = teller(), after(dealt(ANNA, "TH"), Bid(0, 10), Call(1), Call(2), Play(0, Card("AS")))
    one.cards_in_trick = 1
    action = Play(1, Card("9H"))
    assert told(one, state, ActionTaken(1, action, ("S",))) == [
        "Ben plays the nine of hearts (9H).",
        "Proven: Ben holds no spades.",
    ]
    assert told(one, state, ActionTaken(2, action, ("S", "H")))[1] == "Proven: Katya holds no spades and no hearts."


def test_who_comes_back_in_the_middle_of_a_deal_is_told_of_it_as_it_was() -> None:
    """The first action that is told isn't the first of the deal; the view may be further than the action."""
    bid = after(dealt(ANNA, "TH"), Bid(0, 10))
    called = after(bid, Call(1))
    assert told(teller(), called, ActionTaken(1, Call(1))) == ["Ben calls 10."]
    raised = after(called, Bid(2, 30))
    assert told(teller(), raised, ActionTaken(1, Call(1)), ActionTaken(2, Bid(2, 30))) == [
        "Ben calls 10.",
        "Katya raises to 30.",
    ]
    assert told(teller(), raised, ActionTaken(2, Bid(2, 30))) == ["Katya raises to 30."]
    led = after(called, Call(2), Play(0, Card("AS")))
    assert told(teller(), led, ActionTaken(0, Play(0, Card("AS")))) == ["You lead the ace of spades (AS)."]
    followed = after(led, Play(1, Card("6S")))
    assert told(teller(), followed, ActionTaken(1, Play(1, Card("6S")))) == ["Ben plays the six of spades (6S)."]
    short = after(dealt(ANNA, "TH", chips=[100, 100, 40]), Bid(0, 90), Call(1), Call(2))
    assert told(teller(), short, ActionTaken(2, Call(2))) == ["Katya goes all in with 30, and can't win the lead."]


def test_a_short_winner_is_explained() -> None:
    state = dealt(["6D 7D 8D", "9D TD JD", "AS KS QS"], "TH", chips=[100, 100, 40])
    state = after(state, Bid(0, 90), Call(1), Call(2))
    one = teller()
    one.highest = 90
    assert told(one, state, ActionTaken(2, Call(2))) == ["Katya goes all in with 30, and can't win the lead."]
    for card in ("6D", "9D", "AS", "TD", "KS", "7D"):
        assert state.deal is not None
        seat = state.deal.to_act
        assert seat is not None
        state, lines = play(one, state, seat, card)
    assert state.deal is not None
    assert state.deal.result == "won"
    state = after(dealt(["6D 7D 8D", "9S TS JD", "AH KH QH"], "TH", chips=[100, 100, 40]), Bid(0, 90), Call(1), Call(2))
    for card in ("6D", "JD", "AH", "KH", "7D"):
        assert state.deal is not None
        seat = state.deal.to_act
        assert seat is not None
        state, lines = play(one, state, seat, card)
    state, lines = play(one, state, 1, "9S")
    assert "Katya has two tricks and wins the deal." in lines
    assert (
        "Katya was short: a stake of 40 wins only as much from each stake, 40 + 40 + 40, together 120 chips." in lines
    )
    assert "The rest goes back: you 60 chips and Ben 60 chips." in lines
    assert "For you this pot ends with a loss of 40 chips." in lines


@pytest.mark.parametrize(
    ("replay", "sentence"),
    [
        ("all", "everybody with chips is dealt in and pays a new ante of 10 chips."),
        ("contenders", "by those who were still in; the new ante is 10 chips."),
        ("buy_in", "others may enter for 30 chips."),
    ],
)
def test_an_azi_is_told_with_what_comes_next(replay: str, sentence: str) -> None:
    params = Params(seats=3, azi_replay=replay)  # type: ignore[arg-type]  # the parameters of this test
    state = dealt(["AS 6D 7D", "6S AD 8D", "7S 9D AH"], "TH", params)
    state = after(state, Bid(0, 10), Call(1), Call(2))
    one = teller()
    for seat, card in [(0, "AS"), (1, "6S"), (2, "7S"), (0, "6D"), (1, "AD"), (2, "9D"), (1, "8D"), (2, "AH")]:
        state, lines = play(one, state, seat, card)
    state, lines = play(one, state, 0, "7D")
    assert lines[2] == "Azi! The three tricks went to three seats, so nobody wins the deal."
    assert lines[3] == "The pot stays: 60 chips."
    assert lines[4].endswith(sentence)


def test_an_uncontested_pot_and_a_void_deal() -> None:
    state = after(dealt(ANNA, "TH"), Bid(0, 20), Fold(1), Fold(2))
    lines = told(teller(), state, DealEnded(1, "uncontested", 0))
    assert lines[0] == "All others are out: you win without showing a card."
    from azi_p2p.rules import new_table

    state = apply(new_table(Params(seats=3), [100, 100, 100]), Void((1,)))
    lines = told(teller(), state, DealEnded(1, "void", None))
    assert lines[0].startswith("The deal is broken off, by Ben, before the cards were out.")


def test_shuffles_are_counted_for_their_own_deal() -> None:
    """The next deck is prepared while a deal is played, and a deck that is given up begins anew."""
    one, state = teller(), dealt(ANNA, "TH")
    told(one, state, *(events.ShuffleProven(1, seat, done, 3) for done, seat in [(1, 0), (2, 1), (1, 2), (2, 1)]))
    told(one, state, events.ShuffleProven(2, 0, 1, 3))
    assert one.proofs(shown(state)) == ["Fair: 2 of 3 shuffles are proven."]
    assert told(one, state, events.CardsDealt(1))[0] == "Fair: 2 of 3 shuffles are proven."


def test_who_comes_too_late_waits_for_a_seat() -> None:
    view = gathering(Params(seats=2), 3)
    happened = [events.SeatTaken(2, "Katya", key_of(2))]
    assert teller().tell(happened, view) == ["Katya (fp2) would like a seat, but all are taken."]
    assert teller(seat=2).tell(happened, view) == ["All seats are taken; you wait for one as Katya."]


def test_the_promoted_six_is_said_aloud() -> None:
    state = dealt(["6H KS QS", "6S 7S 9H"], "AH")
    lines = told(teller(), state, events.CardsDealt(1))
    assert "An ace was turned, so the highest card of this deal is the six of hearts (6H)." in lines


def test_other_peoples_names_and_words_are_cleaned() -> None:
    state = dealt(ANNA, "TH")
    names = ("Eva", "B\x1b[2Jen\u202e", "Eva")
    view = shown(state, 0, names)
    lines = teller().tell([events.Said(1, "hi\x1b[31m\n\u200bthere"), events.SeatAbsent(2)], view)
    assert lines == ["B[2Jen says: hi[31m there", "Eva in seat 3 counts as absent in this deal."]


def all_events(state: State) -> list[Event]:
    """At least one event of every kind that there is, about oneself and about another."""
    actions: list[Action] = [
        action
        for seat in (0, 1)
        for action in (
            Bid(seat, 20),
            Call(seat),
            Check(seat),
            Fold(seat),
            Leave(seat),
            BuyIn(seat),
            Decline(seat),
            Discard(seat, None, 0),
            Absent(seat),
            Play(seat, Card("AS")),
        )
    ]
    wishes = ("leave", "sit_out", "return", "rebuy", "pause", "resume", "finish")
    changes: tuple[events.Change, ...] = get_args(events.Change)
    return [
        events.SeatTaken(0, "Eva", key_of(0)),
        events.SeatTaken(1, "Ben", key_of(1)),
        events.TableFounded(bytes(32)),
        events.ShuffleProven(1, 0, 1, 3),
        events.DealOpened(1),
        events.CardsDealt(1),
        *(ActionTaken(action.seat, action, ("S", "H")) for action in actions if not isinstance(action, Void)),  # type: ignore[union-attr]  # all of these have a seat
        *(TrickWon(seat, number) for seat in (0, 1) for number in range(3)),
        events.TurnBegan((0,), None),
        events.ReceiptSigned(1),
        *(events.WishHeard(seat, wish) for seat in (0, 1) for wish in wishes),
        *(events.SeatChanged(seat, change) for seat in (0, 1) for change in changes),
        events.LinkChanged(1, up=False),
        events.OnlookersChanged(1),
        events.LinkChanged(1, up=True),
        *(events.AbsenceClaimed(seat, 0) for seat in (0, 1)),
        *(events.SeatAbsent(seat) for seat in (0, 1)),
        *(events.FaultSeen(seat, "bad_shuffle", "the proof doesn't hold", 1, 4, ()) for seat in (0, 1)),
        events.Said(1, "hello"),
        events.ProfileOutdated(),
        *(events.TableRefused(code, {"problem": "x"}) for code in events.SeatRefusal),
        events.TableClosed((1000,) * 3, None),
        events.TableClosed((1000,) * 3, 1),
        *(events.TableEnded(reason) for reason in ("one_left", "deal_limit", "finish")),
    ]


def test_a_hand_whose_key_is_lost_is_not_told_as_an_empty_one() -> None:
    """An older copy of the profile was put back in the middle of the deal."""
    view = shown(dealt(["AS KS QS", "6S 7S 9H"], "AH"), 0)
    assert view.rules is not None
    assert any("Your hand" in line for line in teller().tell([events.CardsDealt(1)], view))
    state = view.rules.state
    assert state.deal is not None
    hidden = state._replace(deal=state.deal._replace(hands=(None, None)))
    blind = replace(view, rules=view.rules._replace(state=hidden))
    lines = teller().tell([events.CardsDealt(1)], blind)
    assert lines
    assert not any("Your hand" in line or "dealt in" in line for line in lines)


def test_links_that_go_down_are_told_until_the_table_has_ended() -> None:
    view = shown(dealt(["AS KS QS", "6S 7S 9H"], "AH"), 0)
    assert teller().tell([events.LinkChanged(1, up=False)], view) != []
    ended = replace(view, phase=Phase.ENDED)
    assert teller().tell([events.LinkChanged(1, up=False)], ended) == []
    left = replace(view, seats=(view.seats[0], replace(view.seats[1], gone=True)))
    assert teller().tell([events.LinkChanged(1, up=False)], left) == [], "who has left has no seat that stays"


def test_onlookers_are_counted_for_those_who_play() -> None:
    state = dealt(["AS KS QS", "6S 7S 9H"], "AH")
    assert told(teller(), state, events.OnlookersChanged(1)) == ["Watching without a seat: 1."]
    assert told(Teller(catalogue("en"), None), state, events.OnlookersChanged(0), seat=None) == []


@pytest.mark.parametrize(
    ("absent", "said"),
    [
        (0, "The table was waiting for you, so you are reckoned absent."),
        (1, "Ben kept the others waiting, and is reckoned absent."),
    ],
)
def test_closing_says_who_is_reckoned_absent(absent: int, said: str) -> None:
    view = shown(dealt(["AS KS QS", "6S 7S 9H"], "AH"), 0)
    assert said in " ".join(teller().tell([events.TableClosed((1000, 1000), absent)], view))


def test_that_a_majority_is_out_of_reach_is_told_once_with_what_can_be_done() -> None:
    view = shown(dealt(["AS KS QS", "6S 7S 9H"], "AH"), 0)
    alone = replace(view, unconfirmed=Reckoning((990, 1010), None))
    one = teller()
    assert len(one.tell([events.LinkChanged(1, up=False)], view)) == 1
    _, offered = one.tell([events.LinkChanged(1, up=False)], alone)
    assert "close it without them" in offered
    assert len(one.tell([events.LinkChanged(1, up=False)], alone)) == 1
    one.tell([events.LinkChanged(1, up=True)], view)
    assert len(one.tell([events.LinkChanged(1, up=False)], alone)) == 2


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("seat", [0, None])
def test_every_event_can_be_told_in_every_language(language: str, seat: int | None) -> None:
    state = dealt(["AS KS QS 6D", "6S 7S 9H 7D", "8S JH 9S 8D"], "AH")
    one = teller(language)
    view = shown(state, seat, standings=((1, 1, 1200), (2, 0, 800), (2, 2, 800)))
    kinds = set()
    for event in all_events(state):
        kinds.add(type(event))
        for sentence in one.tell([event], view):
            assert sentence
            assert "{" not in sentence
            assert cells(max(sentence.split(), key=cells)) < 80
    assert kinds | {DealEnded} == set(events.Event.__args__)


def test_before_the_founding_there_is_nothing_to_reckon() -> None:
    view = gathering(Params(), 2)
    assert teller().tell([events.CardsDealt(1), DealEnded(1, "won", 0)], view) == []


def test_every_breach_that_can_be_proven_has_a_sentence_of_its_own() -> None:
    package = Path(faults.__file__).parent
    sources = "".join(path.read_text(encoding="utf-8") for path in package.glob("*.py"))
    codes = {faults.EQUIVOCATION, *re.findall(r'\bFault\(\s*"([a-z_]+)"', sources)}
    assert len(codes) > 10
    for language in LANGUAGES:
        for code in codes:
            fault = events.FaultSeen(1, code, "in the words of the protocol", 1, 4, ())
            (sentence,) = teller(language).tell([fault], shown(dealt(["AS KS 9H", "6S 7S QH"], "TD")))
            assert "in the words" not in sentence


def test_a_breach_of_another_version_is_told_as_it_is_without_what_could_harm() -> None:
    fault = events.FaultSeen(1, "bad_weather", "rain\x1b[2J", 1, 4, ())
    (sentence,) = teller("en").tell([fault], shown(dealt(["AS KS 9H", "6S 7S QH"], "TD")))
    assert "rain" in sentence
    assert "bad_weather" in sentence
    assert "\x1b" not in sentence
