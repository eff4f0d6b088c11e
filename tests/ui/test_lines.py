"""Line mode as a person meets it: told, asked, answered; with a table of the rules alone behind it."""

from __future__ import annotations

import asyncio
import dataclasses
import queue
from collections.abc import Awaitable, Callable

import pytest

from azi_p2p.rules import Bid, Call, Card, ErrorCode, Fold, IllegalAction, Params, Play, State, apply, view_for
from azi_p2p.session import events
from azi_p2p.session.closing import Reckoning
from azi_p2p.session.commands import Act, Close, Command, CommandRefused, Refusal, Say, Start, Wish
from azi_p2p.session.view import Phase, TableView
from azi_p2p.ui import prompts
from azi_p2p.ui.hint import Advise
from azi_p2p.ui.i18n import LANGUAGES, catalogue
from azi_p2p.ui.lines import LinePlayer
from azi_p2p.ui.names import LINE_WIDTH, cells
from azi_p2p.ui.typed import MAX_LINE, TypedLines
from tests.ui.scenes import Adviser
from tests.ui.tables import after, dealt, gathering, key_of, shown, without_me

HANDS = ["AS KS 9H", "6S 7S QH", "8S JH 9S"]


class Table:
    """Stands at the place of a peer: it shows a view, and keeps the commands that come."""

    def __init__(self, view: TableView | None) -> None:
        self.shown = view
        self.commands: list[Command] = []
        self.stopped = False
        self.stop_asked = asyncio.Event()
        self.refusal: CommandRefused | None = None

    def submit(self, command: Command) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.commands.append(command)

    def view(self) -> TableView | None:
        return self.shown

    def addresses(self) -> list[tuple[str, int]]:
        return [("192.168.1.20", 41234)]

    def stop(self) -> None:
        self.stopped = True
        self.stop_asked.set()


class Keyboard:
    """An input for tests: a read waits until something is typed; b"" is the end."""

    def __init__(self, *, terminal: bool = False) -> None:
        self.terminal = terminal
        self.pressed: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def type(self, data: bytes) -> None:
        self.pressed.put(data)

    def close(self) -> None:
        self.pressed.put(b"")

    def read(self, size: int) -> bytes:
        return self.pressed.get()

    def isatty(self) -> bool:
        return self.terminal


class Person:
    """A line player at a table, with everything that it prints."""

    def __init__(
        self,
        view: TableView | None,
        language: str = "en",
        *,
        freely: bool = False,
        code: str = "",
        watching: bool = False,
        advise: Advise | None = None,
        terminal: bool = False,
    ) -> None:
        self.lines: list[str] = []
        self.table = Table(view)
        self.input = Keyboard(terminal=terminal)
        self.player = LinePlayer(
            catalogue(language),
            key_of(0),
            self.lines.append,
            TypedLines(self.input),
            may_quit_freely=freely,
            code=code,
            watching=watching,
            advise=advise,
        )
        self.player.begin(self.table)
        self.lines.clear()

    def type(self, line: str) -> list[str]:
        self.lines.clear()
        self.player.typed(line)
        return list(self.lines)

    def see(self, view: TableView, *happened: events.Event) -> list[str]:
        self.lines.clear()
        self.table.shown = view
        self.table.commands += self.player.see(happened, view)
        return list(self.lines)


def with_person(
    view: TableView | None,
    act: Callable[[Person], Awaitable[None]],
    *,
    freely: bool = False,
    advise: Advise | None = None,
    terminal: bool = False,
) -> None:
    async def run() -> None:
        person = Person(view, freely=freely, advise=advise, terminal=terminal)
        try:
            await act(person)
        finally:
            person.player.close()
            person.input.close()
            person.input.close()

    asyncio.run(run())


def on_turn() -> State:
    return after(dealt(HANDS, "TH"), Bid(0, 20), Bid(1, 40), Fold(2))


def test_the_turn_is_asked_once_with_what_counts() -> None:
    async def act(person: Person) -> None:
        lines = person.see(shown(on_turn()), events.TurnBegan((0,), None))
        assert lines == [
            "Your turn to bid. Your hand: ace of spades (AS), king of spades (KS), nine of",
            "hearts (9H). You have 970 chips; in the pot: 90 chips.",
            "  1  raise to 50 (the least)",
            "  2  raise to 90 (about half the pot more)",
            "  3  raise to 140 (about the pot more)",
            "  4  raise to 990 (all your chips)",
            "  5  call, for 20 more",
            "  6  fold",
        ]
        assert person.see(shown(on_turn()), events.Said(1, "hello")) == ["Ben says: hello"]

    with_person(None, act)


def test_whoever_comes_back_is_told_that_nothing_can_be_done_yet() -> None:
    async def act(person: Person) -> None:
        view = dataclasses.replace(shown(on_turn()), phase=Phase.RESUMING, legal=())
        assert person.see(view, events.LinkChanged(1, up=True)) == []
        assert " ".join(person.type("")).endswith(
            "You were at this table before: the others are being asked how far it has got. "
            "Nothing can be done until most of them have answered."
        )
        person.table.refusal = CommandRefused(Refusal.CATCHING_UP)
        assert person.type("pause")[0].startswith("You were at this table before")
        told = " ".join(person.see(view, events.ProfileOutdated()))
        assert "signed with your key that this profile knows nothing of" in told

    with_person(None, act)


def test_who_reaches_nobody_is_told_what_can_be_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompts, "ALONE_AT_FIRST", 0.0)
    monkeypatch.setattr(prompts, "ALONE_AGAIN", 0.0)
    together = shown(on_turn())
    alone = dataclasses.replace(
        together,
        phase=Phase.RESUMING,
        legal=(),
        owed=(),
        seats=tuple(dataclasses.replace(seat, linked=False) for seat in together.seats),
    )

    async def passing() -> None:
        for _ in range(3):
            await asyncio.sleep(0)

    async def act(person: Person) -> None:
        await passing()
        assert "Nobody of this table can be reached yet." in " ".join(person.lines)
        assert "close" not in " ".join(person.lines)
        person.see(dataclasses.replace(alone, unconfirmed=Reckoning((1000,) * 3, None)))
        await passing()
        assert "To end the table without them: close." in " ".join(person.lines)
        person.lines.clear()
        await passing()
        assert person.lines, "it is said again"
        person.see(dataclasses.replace(together, legal=(), owed=()))
        await passing()
        assert not person.lines
        person.see(dataclasses.replace(alone, phase=Phase.ENDED))
        await passing()
        assert not person.lines

    with_person(None, act)


def test_choices_and_words_become_commands() -> None:
    async def act(person: Person) -> None:
        assert person.type("5") == []
        assert person.type("fold") == []
        assert person.type("say good luck") == []
        assert person.table.commands == [Act(Call(0)), Act(Fold(0)), Say("good luck")]
        assert person.type("say") == ["Say what? For instance: say good luck"]

    with_person(shown(on_turn()), act)


def test_a_large_bid_waits_for_a_yes() -> None:
    async def act(person: Person) -> None:
        assert person.type("4") == ["That puts in 970 of your 970 chips. Really? yes or no"]
        assert person.type("no") == ["Not done."]
        person.type("4")
        assert person.type("5") == ["Not done."]
        assert person.table.commands == [Act(Call(0))]
        person.type("bid 990")
        assert person.type("yes") == []
        assert person.table.commands[1:] == [Act(Bid(0, 990))]
        assert person.type("yes") == ["There was no question to answer."]

    with_person(shown(on_turn()), act)


def test_a_question_is_dropped_when_the_turn_has_passed() -> None:
    async def act(person: Person) -> None:
        person.type("bid 990")
        person.see(shown(after(dealt(HANDS, "TH"), Bid(0, 20), Bid(1, 60), Fold(2))), events.TurnBegan((0,), None))
        assert person.type("yes") == ["There was no question to answer."]
        assert person.table.commands == []

    with_person(shown(on_turn()), act)


def test_a_table_without_a_majority_is_closed_after_a_question() -> None:
    async def refuses(person: Person) -> None:
        assert "finish" in " ".join(person.type("close"))
        assert not person.table.commands

    async def not_yet(person: Person) -> None:
        assert person.type("close") == ["The table isn't complete yet."]

    async def closes(person: Person) -> None:
        person.see(dataclasses.replace(shown(on_turn()), unconfirmed=Reckoning((900, 1100, 1000), 1)))
        question = " ".join(person.type("close"))
        assert "nobody has signed" in question
        assert "900" in question
        assert question.endswith("Ben is reckoned absent. yes or no")
        person.type("no")
        assert not person.table.commands
        person.type("close")
        person.type("yes")
        assert person.table.commands == [Close()]

    with_person(shown(on_turn()), refuses)
    with_person(gathering(Params(seats=3), 1), not_yet)
    with_person(shown(on_turn()), closes)


def test_leaving_asks_and_quitting_asks_where_others_wait() -> None:
    async def act(person: Person) -> None:
        assert person.type("leave")[0].startswith("Give up your seat for good?")
        person.type("yes")
        assert person.table.commands == [Wish("leave")]
        person.see(shown(on_turn()), events.WishHeard(0, "leave"))
        assert not person.table.stopped
        person.see(without_me(shown(on_turn())), events.SeatChanged(0, "leave"))
        assert person.table.stopped

    async def comes_again(person: Person) -> None:
        person.see(without_me(shown(on_turn())), events.SeatChanged(0, "leave"))
        assert not person.table.stopped, "it is told how one left in an earlier run"

    async def quits(person: Person) -> None:
        assert person.type("quit")[0].startswith("The others would wait for you")
        assert not person.table.stopped
        person.type("y")
        assert person.table.stopped
        assert person.player.left

    async def practises(person: Person) -> None:
        person.type("quit")
        assert person.table.stopped

    with_person(shown(on_turn()), act)
    with_person(shown(on_turn()), comes_again)
    with_person(shown(on_turn()), quits)
    with_person(shown(on_turn()), practises, freely=True)


def test_refusals_and_questions_about_the_table() -> None:
    async def act(person: Person) -> None:
        def refused(typed: str, why: Refusal | IllegalAction, **details: object) -> list[str]:
            person.table.refusal = CommandRefused(why, **details)
            return person.type(typed)

        assert refused("start", Refusal.STARTED_ALREADY) == ["The table has started already."]
        assert refused("5", Refusal.NOTHING_TO_PLAY) == ["There is nothing to decide just now. Wait for your turn."]
        assert refused("5", IllegalAction(ErrorCode.NOT_ALLOWED, "this table has no checking")) == [
            "This table has no checking."
        ]
        assert refused("say " + "x" * 301, Refusal.CHAT_LENGTH, most=300) == [
            "That is too long: at most 300 characters."
        ]
        assert refused("pause", Refusal.NO_SEAT) == ["You have no seat at this table."]
        person.table.shown = shown(on_turn())
        assert person.type("hand") == ["Your hand: ace of spades (AS), king of spades (KS), nine of hearts (9H)."]
        assert person.type("chips") == ["Chips now: you 970, Ben 950, Katya 990."]
        person.see(shown(on_turn()), *(events.ShuffleProven(1, seat, seat + 1, 3) for seat in range(3)))
        assert person.type("proofs")[0] == "Fair: 3 of 3 shuffles are proven, yours among them."
        status = person.type("")
        assert status[1] == "Turned up: ten of hearts (TH). Trump: hearts."
        assert status[2] == "In the pot: 90 chips. Highest bid: 40."
        assert status[-1] == "  6  fold"
        person.table.shown = shown(on_turn(), 1)
        assert person.type("status")[-1] == "Waiting for Eva."

    with_person(shown(on_turn()), act)


def test_who_finds_no_free_seat_may_watch() -> None:
    async def act(person: Person) -> None:
        lines = person.see(shown(on_turn(), None), events.TableRefused(events.SeatRefusal.NO_SEAT_FREE))
        assert lines == [
            "You can't sit at this table: no seat is free.",
            "You can stay and watch; if a seat becomes free, you get it. Or type quit.",
        ]

    with_person(None, act)


def test_who_has_no_chips_left_is_told_what_to_do() -> None:
    def broke(*, rebuy: bool) -> State:
        state = dealt(["6D 7D 8D", "AH KH QH"], "TH", Params(seats=2, rebuy=rebuy), [10, 50])
        for seat, card in [(1, "AH"), (0, "6D"), (1, "KH"), (0, "7D")]:
            state = apply(state, Bid(1, 10)) if state.phase == "bidding" else state
            state = apply(state, Play(seat, Card(card)))
        return state

    async def act(person: Person) -> None:
        lines = person.see(shown(broke(rebuy=False)), events.DealEnded(1, "won", 1))
        assert lines[-1] == "You have no chips left. You can watch on, or type quit."
        lines = person.see(shown(broke(rebuy=True)), events.DealEnded(1, "won", 1))
        assert lines[-1] == "You have no chips left. Type rebuy to take new ones."

    with_person(None, act)


def test_help_fits_a_plain_terminal_in_every_language() -> None:
    for language in ("af", "en", "ru"):

        async def run(language: str = language) -> None:
            person = Person(None, language)
            lines = person.type("help")
            assert len(lines) > 6
            assert max(map(cells, lines)) <= LINE_WIDTH
            person.input.close()

        asyncio.run(run())


def test_a_full_table_is_not_started_before_everybody_is_linked() -> None:
    async def act(person: Person) -> None:
        params = Params(seats=3)
        assert person.see(gathering(params, 2), events.SeatTaken(1, "Ben", key_of(1))) == [
            "Ben (fp1) sits down.",
            "Seats taken: 2 of 3. Type start to begin with those who are here.",
        ]
        assert person.type("start") == []
        assert person.see(gathering(params, 3), events.SeatTaken(2, "Katya", key_of(2))) == [
            "Katya (fp2) sits down.",
            "All seats are taken; the game begins as soon as everybody is linked.",
        ]
        assert person.table.commands == [Start()], "what the person has typed"

    with_person(None, act)


def test_a_pause_is_told_once_it_holds() -> None:
    async def act(person: Person) -> None:
        view = shown(after(dealt(HANDS, "TH"), Bid(0, 20)))
        assert person.see(view, events.WishHeard(1, "pause")) == ["Ben asks for a pause."]
        held = dataclasses.replace(view, paused=True)
        assert person.see(held, events.WishHeard(2, "pause")) == [
            "Katya asks for a pause.",
            "Paused: the clock stands until somebody types resume.",
        ]
        assert person.see(held) == []

    with_person(None, act)


def test_whom_the_table_waits_for_is_named_only_when_it_takes_a_while() -> None:
    async def act(person: Person) -> None:
        state = after(dealt(HANDS, "TH"), Bid(0, 20))
        assert person.see(shown(state), events.TurnBegan((1,), None)) == []
        printed = asyncio.Event()
        person.lines = Noticed(printed)
        person.player._write = person.lines.append
        async with asyncio.timeout(10):
            await printed.wait()
        assert person.lines == ["Waiting for Ben."]

    with_person(shown(on_turn()), act)


def test_a_reminder_comes_before_the_time_is_up() -> None:
    async def act(person: Person) -> None:
        printed = asyncio.Event()
        deadline = asyncio.get_running_loop().time() + 15.2
        person.see(shown(on_turn(), deadline=deadline), events.TurnBegan((0,), deadline))
        person.lines = Noticed(printed)
        person.player._write = person.lines.append
        async with asyncio.timeout(10):
            await printed.wait()
        assert person.lines == ["15 seconds left for your turn."]
        printed.clear()
        person.lines.clear()
        # Less than the patience before the end, so that the reminder comes first.
        deadline = asyncio.get_running_loop().time() + 15.3
        state = after(dealt(HANDS, "TH"), Bid(0, 20))
        person.see(shown(state, deadline=deadline), events.TurnBegan((1,), deadline))
        async with asyncio.timeout(10):
            await printed.wait()
        assert person.lines == ["15 seconds left for Ben."]

    with_person(None, act)


class Noticed(list[str]):
    """A list that tells an event when something is put in."""

    def __init__(self, event: asyncio.Event) -> None:
        super().__init__()
        self.event = event

    def append(self, line: str) -> None:
        super().append(line)
        self.event.set()


def test_typed_lines_come_whole_and_the_end_is_told() -> None:
    async def run() -> None:
        keyboard = Keyboard()
        lines = TypedLines(keyboard)
        keyboard.type("first\r\nвто".encode())
        assert await lines.next_line() == "first"
        keyboard.type("рая\n".encode() + b"\xff\xfe\n" + b"x" * 5000 + b"\nlast")
        assert await lines.next_line() == "вторая"
        assert await lines.next_line() == "\ufffd\ufffd"
        long = await lines.next_line()
        assert long is not None
        assert len(long) <= MAX_LINE
        keyboard.close()
        assert await lines.next_line() == "last"
        assert await lines.next_line() is None
        assert await lines.next_line() is None, "the end stays the end"

    asyncio.run(run())


def test_lines_wait_for_the_next_listener() -> None:
    async def run() -> None:
        keyboard = Keyboard()
        lines = TypedLines(keyboard)
        keyboard.type(b"one\ntwo\nthree\n")
        assert await lines.next_line() == "one"
        heard: list[str | None] = []
        done = asyncio.Event()

        def hear(line: str | None) -> None:
            heard.append(line)
            if line is None:
                done.set()

        lines.listen(hear)
        keyboard.close()
        async with asyncio.timeout(10):
            await done.wait()
        assert heard == ["two", "three", None]

    asyncio.run(run())


def test_on_a_terminal_the_end_is_one_only_when_it_comes_twice_in_a_row() -> None:
    async def run() -> None:
        keyboard = Keyboard(terminal=True)
        lines = TypedLines(keyboard)
        for end in (True, True):
            keyboard.close()
            assert await lines.next_line() is None
            assert not lines.over
            keyboard.type(b"one\n")
            assert await lines.next_line() == "one", end
        keyboard.close()
        keyboard.close()
        assert await lines.next_line() is None
        assert await lines.next_line() is None
        assert lines.over

    asyncio.run(run())


def test_control_d_at_a_terminal_asks_as_quit_does_and_once_more_is_a_yes() -> None:
    async def asked(person: Person) -> list[str]:
        printed = asyncio.Event()
        person.lines = Noticed(printed)
        person.player._write = person.lines.append
        person.input.close()
        async with asyncio.timeout(10):
            while not any("Ctrl-D once more" in line for line in person.lines):
                printed.clear()
                await printed.wait()
        assert not person.player.left
        return list(person.lines)

    async def slips(person: Person) -> None:
        assert (await asked(person))[0].startswith("The others would wait for you")
        person.input.type(b"no\n")
        assert (await asked(person))[0] == "Not done."
        person.input.close()
        async with asyncio.timeout(10):
            await person.table.stop_asked.wait()
        assert person.player.left

    async def goes_freely(person: Person) -> None:
        person.input.close()
        async with asyncio.timeout(10):
            await person.table.stop_asked.wait()

    with_person(shown(on_turn()), slips, terminal=True)
    with_person(shown(on_turn()), goes_freely, freely=True, terminal=True)
    with_person(gathering(Params(), 2), goes_freely, terminal=True)


def test_the_end_of_the_input_ends_the_game() -> None:
    async def act(person: Person) -> None:
        person.input.close()
        async with asyncio.timeout(10):
            await person.table.stop_asked.wait()
        assert person.player.left

    with_person(shown(on_turn()), act)


def test_what_the_view_shows_is_what_the_rules_say() -> None:
    """The helper of these tests makes views as the session does: a legal action is one that `apply` takes."""
    view = shown(on_turn())
    assert view.rules is not None
    for option in view.legal:
        assert apply(view.rules.state, option.action(option.min))


def others_to_play() -> TableView:
    """Somebody has led a heart; the person's turn is still to come."""
    state = after(dealt(HANDS, "TD"), Bid(0, 20), Bid(1, 40), Call(2), Call(0))
    return shown(state)


def test_a_card_that_is_chosen_ahead_is_played_on_ones_turn() -> None:
    async def act(person: Person) -> None:
        person.see(others_to_play())
        assert "is played on your turn" in person.type("ahead 9h")[0]
        state = after(others_to_play().rules.state, Play(1, Card("QH"), 2), Play(2, Card("JH"), 1))  # type: ignore[union-attr]  # a founded table
        assert person.see(shown(state)) == []
        assert person.table.commands == [Act(Play(0, Card("9H"), 2))]

    with_person(None, act)


def test_a_card_that_may_not_be_played_then_is_told_and_the_choice_is_asked() -> None:
    async def act(person: Person) -> None:
        person.see(others_to_play())
        person.type("ahead AS")
        state = after(others_to_play().rules.state, Play(1, Card("QH"), 2), Play(2, Card("JH"), 1))  # type: ignore[union-attr]  # a founded table
        lines = person.see(shown(state))
        assert "can't be played" in lines[0]
        assert any("Your turn to play" in line for line in lines)
        assert person.table.commands == []

    with_person(None, act)


def test_a_card_ahead_can_be_taken_back_and_must_be_held() -> None:
    async def act(person: Person) -> None:
        person.see(others_to_play())
        assert "You don't hold that card" in person.type("ahead 6S")[0]
        person.type("ahead 9H")
        assert person.type("ahead") == ["No card is chosen ahead any more."]
        state = after(others_to_play().rules.state, Play(1, Card("QH"), 2), Play(2, Card("JH"), 1))  # type: ignore[union-attr]  # a founded table
        person.see(shown(state))
        assert person.table.commands == []
        assert "only while others are to play" in " ".join(person.type("ahead 9H"))

    with_person(None, act)


def test_a_hint_is_given_in_practice_only_and_only_on_ones_turn() -> None:
    async def practice(person: Person) -> None:
        person.see(others_to_play())
        assert person.type("hint") == ["There is a hint only while you are asked for something."]
        person.see(shown(on_turn()))
        assert person.type("hint")[0].startswith("Hint: call, for 20 more; ")

    async def at_a_table(person: Person) -> None:
        person.see(shown(on_turn()))
        assert person.type("hint") == ["There are hints in practice only."]

    with_person(None, practice, freely=True, advise=Adviser())
    with_person(None, at_a_table)


def test_to_play_on_with_the_same_people_is_said_before_the_end() -> None:
    async def act(person: Person) -> None:
        person.see(shown(on_turn()))
        assert "play on at another one" in " ".join(person.type("again"))
        assert person.player.again
        person.type("rematch")
        assert not person.player.again

    with_person(None, act)


def test_rules_result_and_address_are_told_as_on_the_screen() -> None:
    async def act(person: Person) -> None:
        person.see(gathering(Params(), 2))
        assert any("Ante 10" in line for line in person.type("rules"))
        assert person.type("address") == ["Others can type: azi join 192.168.1.20:41234"]
        person.see(shown(on_turn()))
        assert person.type("result") == ["No deal has ended yet."]
        over = after(on_turn(), Fold(0))
        told = person.see(shown(over), events.DealEnded(1, "uncontested", 1))
        assert person.type("result") == told[: len(person.lines)]

    with_person(None, act)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_code_of_a_private_table_is_said_with_its_address(language: str) -> None:
    async def run() -> None:
        person = Person(None, language, code="4839-1275")
        person.see(gathering(Params(), 2))
        assert "4839-1275" in "".join(person.type("address"))

    asyncio.run(run())


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_onlooker_is_asked_nothing_and_goes_freely(language: str) -> None:
    async def run() -> None:
        texts = catalogue(language)
        person = Person(None, language, watching=True)
        view = shown(on_turn())
        assert view.rules is not None
        seen = dataclasses.replace(view, my_seat=None, legal=(), rules=view_for(view.rules.state, None))
        person.see(seen)
        assert person.type("1") == [texts.text("refused.command.no_seat")]
        assert person.type(texts.text("command.fold").split(",")[0]) == [texts.text("refused.command.no_seat")]
        assert not person.table.commands
        person.type(texts.text("command.quit").split(",")[0])
        assert person.player.left

    asyncio.run(run())
