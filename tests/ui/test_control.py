"""What the keys of the table page do, with a table of the rules alone behind it."""

from __future__ import annotations

import dataclasses

import pytest

from azi_p2p.rules import Bid, Call, Card, Discard, Fold, Params, Play, view_for
from azi_p2p.session import events as happened
from azi_p2p.session.closing import Reckoning
from azi_p2p.session.commands import Act, Close, CommandRefused, Refusal, Say, Start, Wish
from azi_p2p.session.view import Phase, TableView
from azi_p2p.ui.i18n import LANGUAGES, catalogue
from azi_p2p.ui.names import cells
from azi_p2p.ui.screen.canvas import plain_text
from azi_p2p.ui.screen.keys import TWINS
from azi_p2p.ui.screen.look import Look
from azi_p2p.ui.screen.picking import LEAP
from azi_p2p.ui.screen.shelf import BROKEN_INTO, RESULT_SECONDS, STARTLED
from azi_p2p.ui.screen.steps import MOST_WAITING, OTHERS_PACE, TRICK_PACE
from tests.ui.scenes import NOW, SCENES, Adviser, Person, bidding, ended_deal, led, trick_won, won
from tests.ui.tables import after, dealt, gathering, shown, without_me

QUIET = Look(lively=False)


def text(person: Person) -> str:
    return plain_text(person.rows())


def at(scene: str, language: str = "en") -> Person:
    return SCENES[scene](language, QUIET)


def bidder(language: str = "en") -> Person:
    view, events = bidding()
    return Person(view, events, language)


@pytest.mark.parametrize(
    "keys", [("1", "enter"), ("right", "enter"), ("left", "left", "left", "left", "left", "left", "enter")]
)
def test_a_choice_is_picked_with_digits_or_arrows_and_taken_with_enter(keys: tuple[str, ...]) -> None:
    person = bidder()
    person.press(*keys)
    assert person.seat.commands == [Act(Call(0))]


@pytest.mark.parametrize(
    "key",
    ["enter", "escape", "1", "6", "left", "right", "up", "down", "page_up", "tab", " ", "x", "f1", "q", "interrupt"],
)
def test_no_single_key_costs_chips_or_the_hand(key: str) -> None:
    person = bidder()
    person.press(key)
    assert person.seat.commands == []
    assert not person.seat.stopped


def test_the_amount_moves_by_the_smallest_raise_between_its_bounds() -> None:
    person = bidder()
    person.press("up")  # shows where it stands
    person.press("up", "up", "enter")
    assert person.seat.commands == [Act(Bid(0, 90))]
    person = bidder()
    person.press("2", "down", "down", "enter")
    assert person.seat.commands == [Act(Bid(0, 70))]
    person = bidder()
    person.press("2", "page_up", "enter")
    assert person.seat.commands == [Act(Bid(0, 70 + 10 * LEAP))]
    person = bidder()
    person.press("3", "up", "enter")
    assert person.seat.commands == [Act(Bid(0, 150))], "the arrows go on from a preset"


def test_a_bid_can_be_typed_and_a_wrong_one_says_why() -> None:
    person = bidder()
    person.press("b", *"1a2б0", "enter")
    assert person.seat.commands == [Act(Bid(0, 120))]
    person = bidder()
    person.press("b", *"65", "enter")
    assert person.seat.commands == []
    assert "That is too little: bid 70 or more." in text(person)
    person.press("b", *"991", "enter")
    assert "you can bid up to 990" in text(person)


@pytest.mark.parametrize(("language", "yes", "no"), [("en", "y", "n"), ("af", "j", "n"), ("ru", "д", "н")])
def test_a_bid_over_half_the_stack_asks_once(language: str, yes: str, no: str) -> None:
    person = bidder(language)
    person.press("5", "enter", "enter", "enter")
    assert person.seat.commands == [], "a held Enter answers nothing"
    person.press(no)
    assert person.seat.commands == []
    person.press("enter", yes)
    assert person.seat.commands == [Act(Bid(0, 990))]
    person = bidder(language)
    person.press("5", "enter", "1", "enter")
    assert person.seat.commands == [Act(Bid(0, 990))]
    person = bidder(language)
    person.press("5", "enter", "2", "enter", "escape")
    assert person.seat.commands == []


def test_only_legal_cards_can_be_picked_and_the_others_say_why() -> None:
    person = Person(shown(led()))
    person.press("1")
    assert "The led suit is hearts, and you hold a card of it" in text(person)
    person.press("left", "right", "right", "enter")
    assert person.seat.commands == [Act(Play(0, person_card(person, 2), 2))]


def person_card(person: Person, place: int) -> Card:
    view = person.seat.shown
    assert view is not None
    assert view.rules is not None
    return view.rules.hand[place]


def test_a_card_is_laid_aside_by_its_digit() -> None:
    person = Person(shown(dealt(["AS KS 9H 6D", "6S 7S QH 8D"], "TH", draw=1)))
    person.press("4", "enter")
    (command,) = person.seat.commands
    assert isinstance(command, Act)
    assert isinstance(command.action, Discard)
    assert command.action.position == 3


def test_nothing_is_asked_while_the_proofs_of_the_own_action_are_made() -> None:
    view, _ = bidding()
    person = Person(view)
    person.press("1")
    person.seat.shown = dataclasses.replace(view, legal=())
    person.press("enter", "1", "enter", "6", "enter")
    assert person.seat.commands == [Act(Call(0))]


@pytest.mark.parametrize(
    ("latin", "sign"),
    [("?", "Follow|Bid, call"), ("t", "Say:"), ("l", "log ─"), ("p", "Shuffles"), ("m", "menu ─"), ("a", "azi join")],
)
def test_every_letter_has_its_cyrillic_twin(latin: str, sign: str) -> None:
    twins = [cyrillic for cyrillic, twin in TWINS.items() if twin == latin]
    assert twins
    for key in (latin, latin.upper(), *twins):
        person = bidder()
        person.press(key)
        assert any(part in text(person) for part in sign.split("|")), key


def test_the_menu_works_with_arrows_and_enter_alone_and_is_opened_by_a_digit() -> None:
    for way in (("m",), ("0",), ("tab",)):
        person = bidder()
        person.press(*way, "up", "up", "up", "enter")
        assert person.seat.commands == [Wish("finish")], way
        assert "Noted" in text(person)
    person = bidder()
    person.press("m", "7", "enter")
    assert person.seat.commands == [Wish("sit_out")]
    person = bidder()
    person.press("m", "up", "up", "enter")
    assert "Give up your seat for good?" in text(person)
    person.press("y")
    assert person.seat.commands == [Wish("leave")]


def test_a_table_without_a_majority_is_closed_from_the_menu_after_a_question() -> None:
    person = bidder()
    person.press("m")
    assert "without the others" not in text(person)
    person.press("esc")
    view = person.seat.view()
    assert view is not None
    person.see(dataclasses.replace(view, unconfirmed=Reckoning((900, 1100, *[1000] * (len(view.seats) - 2)), 1)))
    person.press("m", "up", "up", "enter")
    assert "Close the table without the others?" in text(person)
    assert "900" in text(person)
    assert "Ben is reckoned absent." in text(person)
    person.press("y")
    assert person.seat.commands == [Close()]


def test_what_is_said_goes_to_the_table_and_commands_stay_in_the_line() -> None:
    person = bidder()
    person.press("t", *"quit? 1", "left", "backspace", "enter")
    assert person.seat.commands == [Say("quit?1")]
    person.press("t", "escape", "t", "enter")
    assert person.seat.commands == [Say("quit?1")]
    person.press("t", *"x" * 400, "enter")
    assert person.seat.commands[-1] == Say("x" * 300)


def test_a_paste_goes_into_the_line_that_is_typed_and_nowhere_else() -> None:
    person = bidder()
    person.page.paste("1\r\n1\r\n")
    assert person.seat.commands == []
    person.press("t")
    person.page.paste("a\x1b[2Jb\r\nc\u202e")
    person.press("enter")
    assert person.seat.commands == [Say("a[2Jb c")]
    person.press("b")
    person.page.paste("1 2x0")
    person.press("enter")
    assert person.seat.commands[-1] == Act(Bid(0, 120))


@pytest.mark.parametrize("key", ["m", "l", "p", "a", "?", "t"])
def test_the_end_of_the_last_deal_is_read_whatever_was_open_when_it_came(key: str) -> None:
    person = bidder()
    person.press(key)
    view, events = ended_deal(won())
    person.see(view, *events)
    person.see(dataclasses.replace(view, phase=Phase.ENDED, standings=((1, 0, 1220), (2, 3, 990))))
    person.page.over(None, None)
    assert "Deal 1 is over" in text(person)
    person.now += BROKEN_INTO
    person.press("enter")
    assert "Deal 1 is over" not in text(person)
    person.settle()
    assert "The table has ended" in text(person)
    person.press("enter")
    assert person.closed


def test_the_end_of_a_deal_that_was_read_does_not_come_again_before_the_standings() -> None:
    person = at("deal won")
    person.press("x", "l")
    person.page.over(None, None)
    assert "Deal 1 is over" not in text(person)
    person = bidder()
    person.press("l")
    view, events = ended_deal(won())
    person.see(view, *events)
    person.press("escape", "r", "escape", "m")
    person.page.over(None, None)
    assert "Deal 1 is over" not in text(person)


def test_the_end_of_a_deal_is_read_until_a_key_or_the_time_takes_it_away() -> None:
    person = at("deal won")
    assert "Deal 1 is over" in text(person)
    person.press("enter")
    assert "Deal 1 is over" not in text(person)
    person.press("r")
    assert "Deal 1 is over" in text(person)
    person = at("deal won")
    person.press("t")
    assert "Say:" in text(person), "a key that is meant for the table isn't lost"
    person = at("deal won")
    person.press("x")
    assert "Deal 1 is over" not in text(person)
    assert "does nothing here" not in text(person), "any key closes the sheet, as it says"
    person = at("deal won")
    assert person.page.next_wake(person.now) == NOW + RESULT_SECONDS
    person.now += RESULT_SECONDS
    person.page.wake(person.now)
    assert "Deal 1 is over" not in text(person)
    assert person.page.next_wake(person.now) is None


def test_what_must_be_read_comes_one_after_another() -> None:
    person = bidder()
    view = person.seat.shown
    assert view is not None
    faults = [happened.FaultSeen(seat, "bad_token", f"proof {seat}", 1, 2, ()) for seat in (2, 3)]
    person.see(view, *faults)
    person.settle()
    assert "proof 2" in text(person)
    assert "proof 3 (bad" not in text(person).split("Please read this")[1].split("any key")[0]
    person.press("enter", "enter")
    assert "Please read this" in text(person), "one key is for one of them"
    person.settle()
    person.press("enter")
    assert "Please read this" not in text(person)


def lively(view: TableView, *events: happened.Event) -> Person:
    return Person(view, events, look=Look(lively=True))


def test_what_others_do_is_shown_one_after_another() -> None:
    start = dealt(["AS KS 9H", "6S 7S QH", "8S JH 9S"], "TH", draw=1)
    person = lively(shown(start))
    bid, fold = Bid(1, 20), Fold(2)
    first, second = after(start, bid), after(start, bid, fold)
    person.see(shown(first), happened.ActionTaken(1, bid))
    person.see(shown(second), happened.ActionTaken(2, fold))
    assert "Ben bids 20" in text(person)
    assert "Katya folds" not in text(person)
    assert "Your turn" not in text(person), "nothing is asked before what led to it was seen"
    person.press("1", "enter")
    assert person.seat.commands == []
    assert person.page.next_wake(person.now) == NOW + OTHERS_PACE
    person.now += OTHERS_PACE
    person.page.wake(person.now)
    assert "Katya folds" in text(person)
    assert "Your turn" in text(person)
    assert person.rung == 1


def test_a_flood_of_steps_is_not_shown_one_after_another() -> None:
    view = shown(trick_won())
    person = lively(view)
    for _ in range(5 * MOST_WAITING):
        person.see(view, happened.TrickWon(1, 0))
    assert person.page.next_wake(person.now) == NOW + TRICK_PACE
    person.now += TRICK_PACE * (MOST_WAITING + 2)
    for _ in range(MOST_WAITING + 1):
        person.page.wake(person.now)
        person.now += TRICK_PACE
    assert person.page.next_wake(person.now) is None


def test_the_bell_rings_once_for_each_turn_and_can_be_switched_off() -> None:
    view, events = bidding()
    person = Person(view, events)
    assert person.rung == 1
    person.see(view)
    assert person.rung == 1
    assert Person(view, events, look=Look(lively=False, bell=False)).rung == 0


def test_the_clock_wakes_the_page_once_a_second_and_not_without_one() -> None:
    person = bidder()
    assert person.page.next_wake(NOW) == NOW + 1
    assert person.page.next_wake(NOW + 0.5) == NOW + 1
    assert person.page.next_wake(NOW + 50) is None
    view, events = bidding(deadline=None)
    assert Person(view, events).page.next_wake(NOW) is None
    view, events = bidding(deadline=NOW + 125)
    person = Person(view, events)
    assert "2:10" in text(person), "while there is ample time, in tens"
    assert person.page.next_wake(NOW) == NOW + 5
    person.now += 5
    assert "2:00" in text(person)
    assert person.page.next_wake(person.now) == NOW + 6


def test_the_founder_starts_with_those_who_are_there() -> None:
    person = Person(gathering(Params(), 2))
    person.press("s", "enter")
    assert person.seat.commands == [], "nothing is picked yet"
    person.press("1", "enter")
    assert person.seat.commands == [Start()]
    alone = Person(gathering(Params(), 1))
    alone.press("s")
    assert "At least two players" in text(alone)


def test_a_full_table_is_not_started_before_everybody_is_linked() -> None:
    """It is founded by itself then; to start it earlier would leave out who has just sat down."""
    full = Person(gathering(Params(), 3))
    view = gathering(Params(), 4)
    assert full.see(view, happened.SeatTaken(3, "Pieter", bytes(32))) == []


def test_who_is_dealt_in_again_is_not_told_so_once_more() -> None:
    """A wish to return may stay open when the seat has returned by another one."""
    view = bidding()[0]
    assert "will be dealt in" not in text(Person(dataclasses.replace(view, wishes=frozenset({"return"}))))
    assert "will sit out" in text(Person(dataclasses.replace(view, wishes=frozenset({"return", "sit_out"}))))


def test_who_has_no_seat_is_not_told_that_the_others_wait() -> None:
    view = shown(won())
    seated, left, watching = Person(view), Person(without_me(view)), Person(shown(won(), seat=None))
    for person in (seated, left, watching):
        person.press("q")
    assert "others wait" in text(seated)
    assert "Leave this table?" in text(left)
    assert "Leave this table?" in text(watching)


def test_a_refused_command_says_why_in_the_own_language() -> None:
    person = bidder("af")
    person.seat.refusal = CommandRefused(Refusal.LATE_MOVE)
    person.press("m", "7", "enter")
    assert "daar word by die ander gevra of die beurt" in text(person)


def test_ctrl_c_asks_and_once_more_stops() -> None:
    person = bidder()
    person.press("interrupt")
    assert "Stop?" in text(person)
    assert not person.seat.stopped
    person.press("interrupt")
    assert person.seat.stopped
    assert person.page.left


@pytest.mark.parametrize("keys", [("q", "y"), ("q", "1", "enter"), ("q", "left", "enter"), ("m", "up", "enter", "y")])
def test_to_stop_asks_first(keys: tuple[str, ...]) -> None:
    person = bidder()
    person.press(*keys[:-1])
    assert not person.seat.stopped
    person.press(keys[-1])
    assert person.seat.stopped
    person.page.over(None, None)
    assert person.closed, "nobody reads on who wanted to go"


def test_the_end_of_the_table_stays_until_it_is_read() -> None:
    person = at("table ended")
    assert not person.closed
    person.press("x", "up")
    assert not person.closed
    assert "1. you, 1220 chips" in text(person)
    person.press("enter")
    assert person.closed


def test_the_end_of_the_table_waits_for_what_must_be_read_before() -> None:
    person = at("deal won")
    person.page.over(None, "/home/eva/ledgers/2026.azi")
    assert "Deal 1 is over" in text(person)
    person.now += 10 * RESULT_SECONDS
    person.page.wake(person.now)
    assert "Deal 1 is over" in text(person)
    person.press("enter", "enter")
    assert not person.closed, "the second Enter was typed before anybody could read"
    person.settle()
    assert "Enter: leave the table" in text(person)
    person.press("enter")
    assert person.closed


@pytest.mark.parametrize("key", ["enter", "escape", " ", "q", "r", "1", "t", "down"])
@pytest.mark.parametrize("end", ["deal", "table", "fault"])
def test_what_comes_up_by_itself_is_not_passed_unread_by_a_key_that_was_being_typed(end: str, key: str) -> None:
    person = bidder()
    if end == "deal":
        view, events = ended_deal(won())
        person.see(view, *events)
    elif end == "table":
        person.page.over(None, None, "Press r to play on.")
    else:
        assert person.seat.shown is not None
        person.see(person.seat.shown, happened.FaultSeen(2, "bad_token", "proof 2", 1, 2, ()))
    person.now += 10
    person.press(key)
    shown_first = text(person)
    assert any(title in shown_first for title in ("is over", "has ended", "Please read this")), "nobody has seen it yet"
    assert not any(keys in shown_first for keys in ("any key", "Enter: leave")), "no key is named that does nothing yet"
    assert person.page.next_wake(person.now) == person.now + STARTLED
    person.now += STARTLED - 0.01
    person.press(key)
    person.page.click(40, 12)
    assert text(person) == shown_first
    assert not person.closed
    person.now += 0.01
    assert any(keys in text(person) for keys in ("any key", "Enter: leave"))
    person.press("enter")
    assert text(person) != shown_first


def test_a_sheet_that_was_asked_for_takes_keys_at_once() -> None:
    person = bidder()
    person.press("l")
    shown_first = text(person)
    person.press("escape")
    assert text(person) != shown_first


def test_the_end_of_a_deal_waits_until_the_line_is_typed() -> None:
    person = bidder()
    view, events = ended_deal(won())
    person.press("t", *"good ")
    person.see(view, *events)
    assert "Deal 1 is over" not in text(person)
    person.now += 2
    person.press(*"game", "enter")
    assert person.seat.commands == [Say("good game")]
    assert "Deal 1 is over" in text(person)
    person = bidder()
    person.press("t", *"good ")
    person.see(view, *events)
    person.now += RESULT_SECONDS
    person.press("escape")
    assert "Deal 1 is over" not in text(person), "by now it is a deal of the past"
    person = bidder()
    person.press("t", *"good ")
    person.see(view, *events)
    person.page.over(None, None)
    assert "Deal 1 is over" in text(person), "it comes before the standings"


def test_who_types_on_when_the_table_ends_does_not_leave_it_unread() -> None:
    person = bidder()
    person.press("t", *"well")
    person.page.over(None, None, "Press r to play on.")
    for key in (*" quite so, r", "q", "enter"):
        text(person)
        person.now += 2 * STARTLED
        person.press(key)
    assert "Enter: leave" not in text(person)
    assert not person.closed
    person.now += BROKEN_INTO
    assert "r: play on" in text(person)
    person.press("enter")
    assert person.closed


def test_a_fault_waits_until_the_line_is_typed() -> None:
    person = bidder()
    view = person.seat.shown
    assert view is not None
    fault = happened.FaultSeen(2, "bad_token", "proof 2", 1, 2, ())
    person.press("t", *"good ")
    person.see(view, fault)
    assert "Please read this" not in text(person)
    person.press(*"game", "enter")
    assert person.seat.commands == [Say("good game")]
    assert "Please read this" in text(person)
    person = bidder()
    person.press("t", *"good ")
    person.see(view, fault)
    person.page.over(None, None)
    assert "Please read this" in text(person), "it comes before the standings"


def test_nobody_acts_at_a_table_that_has_ended() -> None:
    person = bidder()
    person.page.over("the disk is full", None)
    person.settle()
    person.press("1", "enter")
    assert person.seat.commands == []
    assert person.closed


def test_who_has_left_is_gone() -> None:
    view = shown(won())
    person = Person(view)
    person.page._deeds.wish("leave")
    person.see(dataclasses.replace(view, phase=Phase.CLOSING), happened.WishHeard(0, "leave"))
    assert not person.seat.stopped
    person.see(without_me(view), happened.SeatChanged(0, "leave"))
    assert person.seat.stopped


def test_who_had_left_and_asks_for_a_seat_again_stays() -> None:
    """The history of the table is told once more, and in it how one left."""
    view = shown(won())
    person = Person(view)
    person.see(without_me(view), happened.SeatChanged(0, "leave"))
    assert not person.seat.stopped


def test_the_mouse_picks_and_takes() -> None:
    person = bidder()
    rows = text(person).split("\n")
    y = next(number for number, row in enumerate(rows) if "1 call" in row)
    x = rows[y].index("1 call")
    person.page.click(x, y)
    assert person.seat.commands == []
    text(person)
    person.page.click(x, y)
    assert person.seat.commands == [Act(Call(0))]
    person.page.click(0, 0)
    assert len(person.seat.commands) == 1


def test_a_question_is_not_covered_by_what_comes_meanwhile() -> None:
    """Whoever is asked whether to stop must see the question; the end of the deal waits for the answer."""
    person = bidder()
    person.press("q")
    asked = text(person)
    assert "Stop?" in asked
    person.see(shown(won()), happened.DealEnded(1, "won", 1))
    assert "Stop?" in text(person)
    assert "Deal 1 is over" not in text(person)
    person.settle()
    person.press("escape")
    assert "Deal 1 is over" in text(person)
    assert not person.seat.stopped


def test_without_chips_one_is_told_what_can_be_done() -> None:
    start = dealt(["6S 7D 8D", "AS KS QS"], "TH", chips=[20, 500], draw=0)
    state = after(start, Bid(0, 10), Call(1))
    for seat, card, place in ((0, "6S", 0), (1, "AS", 0), (1, "KS", 1), (0, "7D", 1)):
        state = after(state, Play(seat, card, place))  # type: ignore[arg-type]  # a card as it is written
    view = shown(state)
    person = Person(view, [happened.DealEnded(1, "won", 1)])
    assert "You have no chips left" in text(person)


def test_warnings_from_the_background_are_one_line_in_the_log() -> None:
    person = bidder()
    person.page.warn("the new addresses can't be announced")
    assert text(person).count("the new addresses can't be announced") == 2


def waiting_to_play() -> TableView:
    """The person still has to play to the next trick; somebody else leads it."""
    return shown(trick_won())


def my_turn_after(lead: str, position: int, *more: Play) -> TableView:
    state = after(trick_won(), Play(1, Card(lead), position), *more)
    return shown(state)


def test_a_card_chosen_ahead_with_enter_is_played_when_the_turn_comes() -> None:
    person = Person(waiting_to_play())
    person.press("2", "enter")
    assert person.seat.commands == [], "others are to play first"
    view = my_turn_after("6S", 0, Play(2, Card("8S"), 0), Play(4, Card("TD"), 0))
    person.see(view)
    assert person.seat.commands == [Act(Play(0, Card("KS"), 1))]


def test_a_card_that_was_only_marked_is_picked_out_and_waits_for_enter() -> None:
    person = Person(waiting_to_play())
    person.press("right")
    person.see(my_turn_after("6S", 0, Play(2, Card("8S"), 0), Play(4, Card("TD"), 0)))
    assert person.seat.commands == []
    person.press("enter")
    assert person.seat.commands == [Act(Play(0, Card("AS"), 0))]


@pytest.mark.parametrize("keys", [("1", "enter", "escape"), ("1", "escape"), ("enter",), ("1", "enter", "2")])
def test_a_card_ahead_can_be_taken_back_or_changed_and_no_single_key_plays(keys: tuple[str, ...]) -> None:
    person = Person(waiting_to_play())
    person.press(*keys)
    person.see(my_turn_after("6S", 0, Play(2, Card("8S"), 0), Play(4, Card("TD"), 0)))
    assert person.seat.commands == []


def test_a_card_ahead_that_the_rules_forbid_is_told_and_nothing_is_played() -> None:
    view = shown(after(dealt(["AS KS 9H", "6S 7S QH", "8S JH 9S"], "TD"), Bid(0, 20), Bid(1, 40), Call(2), Call(0)))
    person = Person(view)
    person.press("1", "enter")
    assert view.rules is not None
    person.see(shown(after(view.rules.state, Play(1, Card("QH"), 2), Play(2, Card("JH"), 1))))
    assert person.seat.commands == []
    assert "can't be played" in text(person)
    person.press("enter")
    assert person.seat.commands == [Act(Play(0, Card("9H"), 2))], "the only card that may be played is picked out"


def test_hints_are_there_in_practice_and_nowhere_else() -> None:
    view, events = bidding()
    person = Person(view, events)
    person.press("i")
    assert "does nothing here" in text(person)
    person.press("m")
    assert "a hint" not in text(person)
    person = Person(view, events, private=True, advise=Adviser())
    person.press("ш")
    assert "Hint: call, for 60 more; on average that gains about 21 chips" in text(person)
    assert person.seat.commands == []


@pytest.mark.parametrize(("offer", "again"), [("", False), ("screen.again_open", True)])
def test_the_next_table_is_one_key_away_if_it_is_offered(offer: str, again: bool) -> None:
    person = at("next table of the founder" if offer else "table ended")
    person.press("r")
    assert (person.page.again, person.closed) == (again, again)
    person.press("enter")
    assert person.closed


def test_an_offer_that_comes_while_the_standings_are_read_rings_and_may_go_again() -> None:
    person = at("table ended")
    person.page.offer("Press r to play on.")
    assert person.rung == 1
    assert "Press r to play on." in text(person)
    person.page.offer("")
    assert "Press r" not in text(person)
    person.press("r")
    assert not person.closed


def test_a_card_ahead_is_marked_by_a_click_and_meant_by_a_second_one() -> None:
    person = Person(waiting_to_play())
    row = next(number for number, line in enumerate(text(person).split("\n")) if "─ 2 ─" in line)
    for _ in range(2):
        person.page.click(11, row)
        person.rows()
    assert "✓2✓" in text(person)
    assert person.seat.commands == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_list_of_keys_keeps_its_columns_in_80_cells(language: str) -> None:
    person = at("help while bidding", language)
    keys = catalogue(language).text("screen.help.keys").split("\n")
    assert all(line in text(person) for line in keys), "a line that is too long is broken, and its blanks are lost"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_code_of_a_private_table_stands_where_the_address_does(language: str) -> None:
    person = Person(gathering(Params(seats=6), 3), language=language, code="4839-1275")
    assert "4839-1275" in text(person)
    person.see(bidding()[0])
    assert "4839-1275" not in text(person)
    person.press("a")
    assert "4839-1275" in text(person)
    assert max(map(cells, text(person).split("\n"))) <= 80
    open_table = Person(gathering(Params(seats=6), 3), language=language)
    assert catalogue(language).text("code.center", code="") not in text(open_table)


def onlooker(view: TableView) -> TableView:
    """The same table as somebody without a seat sees it."""
    shown_rules = None if view.rules is None else view_for(view.rules.state, None)
    return dataclasses.replace(view, my_seat=None, founder=False, legal=(), rules=shown_rules, onlookers=2)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_onlooker_sees_the_table_without_an_own_hand_and_goes_freely(language: str) -> None:
    texts = catalogue(language)
    person = Person(onlooker(shown(led())), language=language, watching=True)
    seen = text(person)
    assert "8♥" in seen
    for hidden in ("9♥", "A♠", "K♠"):
        assert hidden not in seen
    assert all(name in seen for name in ("Eva", "Ben", "Katya", "Pieter", "Anele"))
    assert max(map(cells, seen.split("\n"))) <= 80
    person.press("enter", "1", "right", "enter")
    assert not person.seat.commands
    assert f"t {texts.text('screen.foot.talk')}" not in seen
    person.press("t")
    assert texts.text("refused.command.no_seat") in text(person)
    person.press("m", "3", "enter")
    assert texts.plural("watch.number", 2) in text(person)
    person.press("escape", "q")
    assert texts.text("screen.really_quit_free") in text(person)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_onlooker_of_a_table_that_fills_is_told_so(language: str) -> None:
    person = Person(onlooker(gathering(Params(seats=6), 3)), language=language, watching=True)
    assert catalogue(language).text("watch.gathering") in text(person)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("number", [0, 1, 2, 5])
def test_seats_are_told_who_watches(language: str, number: int) -> None:
    person = Person(shown(led()), [happened.OnlookersChanged(number)], language)
    assert catalogue(language).plural("watch.number", number) in text(person)
