"""What a person at a table does: the question that is asked first, the line that is typed, the command to the peer.

What doesn't belong here: which key leads where (`control`), and what may be chosen (`choosing`).
"""

from __future__ import annotations

from collections.abc import Callable

from azi_p2p.rules import Action, Bid
from azi_p2p.session.commands import CHAT_LENGTH, Act, Close, Command, CommandRefused, Refusal, Say, Start, Wish
from azi_p2p.session.view import TableView
from azi_p2p.ui.ask import Wrong, judged, why_silent, with_question
from azi_p2p.ui.holder import WISHES, SeatHolder, nobody_waits
from azi_p2p.ui.reckon import if_closed
from azi_p2p.ui.refusal import command_refused, why_not
from azi_p2p.ui.screen.asking import Question, Typing
from azi_p2p.ui.screen.entry import EntryLine
from azi_p2p.ui.screen.model import Tone
from azi_p2p.ui.words import Words


class Deeds:
    """Carries out what the person wants. `acted` is called when a command has been taken, `go` when the person leaves.

    `notice`: the answer to the last key; `question`, `typing`: what the next keys answer, at most one of them;
    `leaves`: whether the person has asked in this run to leave.
    """

    def __init__(self, words: Words, *, private: bool, acted: Callable[[], None], go: Callable[[], None]) -> None:
        """`private`: nobody else waits for this person."""
        self.peer: SeatHolder | None = None
        self.notice: tuple[Tone, str] | None = None
        self.leaves = False
        self.question: Question | None = None
        self.typing: Typing | None = None
        self._words = words
        self._texts = words.texts
        self._private = private
        self._acted = acted
        self._go = go

    def press_typing(self, typing: Typing, key: str) -> bool:
        """Do what a key does to the line being typed; True when it has been taken or left with it."""
        done = typing.press(key) and self.typing is typing
        if done:
            self.typing = None
        return done

    def press_question(self, question: Question, key: str) -> None:
        """Do what a key does to the question."""
        answer = question.press(key, self._texts)
        if answer is not None:
            self.question = None
        if answer:
            question.then()

    def choose(self, action: Action, view: TableView | None) -> None:
        """Do a legal action, after a question if much is at stake."""
        if view is not None and with_question(action, view, self._texts).confirm is not None:
            assert isinstance(action, Bid), "only bids are asked about"
            assert view.rules is not None, "bids are made in a deal"
            assert view.rules.state.deal is not None, "bids are made in a deal"
            price = action.to - view.rules.state.deal.bids[action.seat]
            text = self._texts.text("screen.really_bid", price=price, chips=view.rules.state.chips[action.seat])
            self.question = Question(text, lambda: self.submit(Act(action)))
        else:
            self.submit(Act(action))

    def type_bid(self, view: Callable[[], TableView | None]) -> None:
        """Let the amount of a bid be typed; `view` gives the table at the moment when it is sent."""
        label = self._texts.text("screen.amount")
        self.typing = Typing(label, EntryLine(most=12), lambda typed: self._bid(typed, view()), digits=True)

    def _bid(self, typed: str, view: TableView | None) -> None:
        if view is None or not typed:
            return
        verdict = judged("bid", typed, view, self._words)
        if isinstance(verdict, Wrong):
            self.notice = ("warn", verdict.message)
        elif view.my_seat is not None:
            self.choose(Bid(view.my_seat, int(typed)), view)

    def talk(self, view: TableView | None) -> None:
        """Let something be typed to say to the table, if it can be said."""
        why = why_silent(view)
        if why is not None:
            self.notice = ("warn", command_refused(why, self._texts))
            return
        self.typing = Typing(self._texts.text("screen.say"), EntryLine(most=CHAT_LENGTH), self._say)

    def _say(self, text: str) -> None:
        if text:
            self.submit(Say(text))

    def start(self, view: TableView) -> None:
        """Start a table that isn't full, after a question."""
        if len(view.seats) < 2:
            self.notice = ("warn", command_refused(Refusal.TOO_FEW_TO_START, self._texts))
            return
        text = self._texts.text("screen.really_start", taken=len(view.seats))
        self.question = Question(text, lambda: self.submit(Start()))

    def quit(self, view: TableView | None) -> None:
        """Stop, after a question."""
        free = self._private or nobody_waits(view)
        text = self._texts.text("screen.really_quit_free" if free else "screen.really_quit")
        self.question = Question(text, self._go, quits=True)

    def leave(self) -> None:
        """Give the seat up, after a question."""
        self.question = Question(self._texts.text("screen.really_leave"), lambda: self.wish("leave"))

    def close(self, view: TableView | None) -> None:
        """Close the table without a majority, after a question."""
        if view is not None and view.unconfirmed is not None:
            text = self._texts.text("screen.really_close", seats=if_closed(view.unconfirmed, view, self._words))
            self.question = Question(text, lambda: self.submit(Close()))

    def wish(self, name: str) -> None:
        """Ask for something that takes effect when the rules allow it."""
        if self.submit(Wish(WISHES[name])):
            self.leaves = name == "leave"
            self.notice = ("good", self._texts.text("lines.wish_noted"))

    def submit(self, command: Command) -> bool:
        """Hand a command to the peer; whether it was taken."""
        if self.peer is None:
            return False
        try:
            self.peer.submit(command)
        except CommandRefused as refused:
            self.notice = ("warn", why_not(refused, self.peer.view(), self._words))
            return False
        self._acted()
        return True
