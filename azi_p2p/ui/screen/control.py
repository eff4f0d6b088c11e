"""What one person at a table has on the screen, and what the keys do: events and views in, commands out.

It holds no terminal and no event loop: time is an argument, and the page says when it wants to be woken. What doesn't
belong here: what may be chosen (`choosing`), what sheets say (`sheets`), how it is drawn (`tablepage`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from azi_p2p.rules import Action, Bid
from azi_p2p.session.commands import Act, Command, CommandRefused, Say, Start, Wish
from azi_p2p.session.events import DealEnded, Event, SeatChanged, SeatTaken
from azi_p2p.session.jobs import Job
from azi_p2p.session.view import Phase, TableView
from azi_p2p.ui.ask import Wrong, judged, with_question
from azi_p2p.ui.i18n import Catalogue
from azi_p2p.ui.lines import WISHES
from azi_p2p.ui.refusal import why_not
from azi_p2p.ui.screen.asking import Question, Typing
from azi_p2p.ui.screen.canvas import Canvas, Zone
from azi_p2p.ui.screen.choosing import Offer, bid_option
from azi_p2p.ui.screen.entry import EntryLine
from azi_p2p.ui.screen.keys import latin
from azi_p2p.ui.screen.look import Look
from azi_p2p.ui.screen.model import Button, Tone
from azi_p2p.ui.screen.page import draw_too_small, unchanged
from azi_p2p.ui.screen.picking import Picker
from azi_p2p.ui.screen.shelf import CLOSED, LEAVE, RESULT_SECONDS, THROUGH, Shelf
from azi_p2p.ui.screen.steps import Step, Steps
from azi_p2p.ui.screen.story import Story
from azi_p2p.ui.screen.tablemodel import Desk, next_tick, table_model
from azi_p2p.ui.screen.tablepage import LEAST, draw_table


class Peer(Protocol):
    """The peer that holds the seat, as far as the screen uses it."""

    def submit(self, command: Command) -> None:
        """Carry out a command; raises CommandRefused."""

    def view(self) -> TableView | None:
        """The table as the own seat sees it now; None while it isn't known yet."""

    def addresses(self) -> list[tuple[str, int]]:
        """Where it listens."""

    def stop(self) -> None:
        """Stop soon."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the page has from outside. `clock`: monotonic seconds; `time_of_day`: `HH:MM:SS`; `ring`: ring the bell;
    `draw_code`: rows of signs that draw a text as a QR code; `private`: nobody else can join (practice)."""

    clock: Callable[[], float]
    time_of_day: Callable[[], str]
    ring: Callable[[], None]
    draw_code: Callable[[str], Sequence[str]]
    private: bool = False


class TableControl:
    """One person at one table. `left`: the person wants to be gone; `done` is called when the page can be closed."""

    def __init__(
        self, texts: Catalogue, me: bytes | None, look: Look, around: Surroundings, done: Callable[[], None]
    ) -> None:
        self.changed: Callable[[], None] = unchanged
        self.left = False
        self.story = Story(texts, me, around.time_of_day)
        self._texts = texts
        self._words = self.story.words
        self._look = look
        self._around = around
        self._done = done
        self._peer: Peer | None = None
        self._view: TableView | None = None
        self._steps = Steps(lively=look.lively)
        self._asked: object = None
        self._picker = Picker(self._words)
        self._notice: tuple[Tone, str] | None = None
        self._question: Question | None = None
        self._typing: Typing | None = None
        self._shelf = Shelf(self.story, private=around.private)
        self._zones: list[Zone] = []

    # What the peer calls

    def begin(self, peer: Peer) -> None:
        """Take the seat."""
        self._peer = peer
        self._view = peer.view()
        self.changed()

    def see(self, events: Sequence[Event], view: TableView) -> Iterable[Command]:
        """Take in a step of the table; it is shown when those before it have been seen."""
        self._steps.add(events, view)
        self._show_steps(self._around.clock())
        if any(isinstance(event, SeatTaken) for event in events) and view.phase is Phase.GATHERING and view.founder:
            return [Start()] if len(view.seats) >= view.params.seats else []
        return []

    def timed(self, job: Job, seconds: float) -> None:
        """A proof took so many seconds to make or to check."""
        self.story.proofs.timed(job, seconds)

    def over(self, problem: str | None, ledger: str | None) -> None:
        """The table has ended, or can't go on (`problem`); `ledger`: the file with the record of the game."""
        self._show_steps(self._around.clock(), hurry=True)
        self._question = self._typing = None
        if self.left:
            self._done()
        else:
            self._shelf.end(problem, ledger)
            self.changed()

    def warn(self, message: str) -> None:
        """Tell of something that went wrong in the background, in one line."""
        self.story.note(message)
        self._notice = ("bad", message)
        self.changed()

    # Showing what happened

    def _show_steps(self, now: float, *, hurry: bool = False) -> None:
        for step in self._steps.due(now, hurry=hurry):
            self._show(step, now)
        self.changed()

    def _show(self, step: Step, now: float) -> None:
        self._view = step.view
        self.story.add(step.events, step.view)
        if any(isinstance(event, DealEnded) for event in step.events) and not self._shelf.name:
            self._shelf.open("result", now + RESULT_SECONDS)
        for event in step.events:
            if isinstance(event, SeatChanged) and event.change == "leave" and event.seat == step.view.my_seat:
                self._go()
        if self.story.alerts and self._shelf.name not in {"alert", "end"}:
            self._shelf.open("alert")
            self._ring()
        self._notice_turn(step.view)

    def _notice_turn(self, view: TableView) -> None:
        """When something new is asked of the own seat: nothing is picked out yet, and the bell rings."""
        phase = None if view.rules is None else view.rules.state.phase
        asked = (view.deal, view.legal, phase)
        if asked == self._asked:
            return
        self._asked = asked
        self._picker.renew(view)
        if not view.legal:
            return
        self._notice = None
        if self._typing is not None and self._typing.digits:
            self._typing = None
        self._ring()

    def _ring(self) -> None:
        if self._look.bell:
            self._around.ring()

    def _offers(self) -> tuple[Offer, ...]:
        """What there is to choose on what is shown; nothing while that isn't how the table stands now."""
        return self._picker.offers(self._now())

    def _now(self) -> TableView | None:
        return None if self._steps or self._shelf.ending is not None else self._view

    # The page

    def draw(self, width: int, height: int, now: float) -> Canvas:
        """See Page."""
        if width < LEAST[0] or height < LEAST[1]:
            return draw_too_small(self._texts, width, height, LEAST, plain=self._look.plain)
        model = table_model(self._view, self._words, self._desk(now))
        canvas = draw_table(model, width, height, plain=self._look.plain)
        self._zones = canvas.zones
        return canvas

    def next_wake(self, now: float) -> float | None:
        """See Page: the next step to show, the end of a sheet, or the next second of a clock."""
        times = [] if self._steps.next_at is None else [self._steps.next_at]
        if self._shelf.until is not None:
            times.append(self._shelf.until)
        if self._view is not None and self._view.owed:
            tick = next_tick(self._view, now)
            times += [] if tick is None else [tick]
        return min(times) if times else None

    def wake(self, now: float) -> None:
        """See Page."""
        self._shelf.expire(now)
        self._show_steps(now)

    def _desk(self, now: float) -> Desk:
        found, addresses = self._offers(), self._addresses()
        buttons: tuple[Button, ...] = ()
        if self._question is not None:
            buttons = self._question.buttons(self._texts)
        elif found and found[0].card is None:
            buttons = tuple(
                Button(number, offer.text, self._picker.picked == number - 1)
                for number, offer in enumerate(found, start=1)
            )
        return Desk(
            now=now,
            offers=found,
            picked=self._picker.picked,
            question="" if self._question is None else self._question.text,
            notice=self._notice,
            buttons=buttons,
            entry=None if self._typing is None else self._typing.entry(),
            log=tuple(self.story.log[-200:]),
            panel=self._shelf.panel(self._view, addresses, self._code(addresses)),
            addresses=addresses,
            private=self._around.private,
            fair=self.story.fairness(self._view),
        )

    def _code(self, addresses: Sequence[str]) -> Sequence[str]:
        if self._shelf.name != "address" or not addresses:
            return ()
        return self._around.draw_code(f"azi join {addresses[0]}")

    def _addresses(self) -> tuple[str, ...]:
        """Where this peer listens, while that is on the screen; to find it out takes longer than to draw."""
        gathering = self._view is not None and self._view.phase is Phase.GATHERING
        if self._peer is None or not (gathering or self._shelf.name == "address"):
            return ()
        return tuple(f"{host}:{port}" for host, port in self._peer.addresses())

    # Keys

    def paste(self, text: str) -> None:
        """See Page: pasted text goes into the line that is being typed, and nowhere else."""
        if self._typing is not None and not self._shelf.name:
            self._typing.paste(text)
            self.changed()

    def click(self, x: int, y: int) -> None:
        """See Page: a click picks a choice out, a second one takes it; on a sheet it closes it."""
        if self._shelf.name:
            self.press("enter" if self._shelf.name == "end" else "escape")
            return
        zone = next((zone for zone in self._zones if zone.holds(x, y)), None)
        if zone is None:
            return
        picked = self._question.picked if self._question is not None else self._picker.picked
        self.press("enter" if picked is not None and str(picked + 1) == zone.key else zone.key)

    def press(self, key: str) -> None:
        """See Page."""
        self._notice = None
        if key == "interrupt":
            self._interrupt()
        elif self._shelf.name:
            self._press_on_sheet(key)
        elif self._typing is not None:
            self._press_typing(self._typing, key)
        elif self._question is not None:
            self._press_question(self._question, key)
        elif key == "enter" and self._offers():
            self._take()
        elif self._picker.press(key, self._now()):
            self._notice = ("warn", self._picker.why) if self._picker.why else None
        else:
            self._press_command(latin(key))
        self.changed()

    def _interrupt(self) -> None:
        if self._shelf.ending is not None or (self._question is not None and self._question.quits):
            self._go()
            return
        self._typing = None
        self._shelf.name = ""
        self._quit()

    def _press_on_sheet(self, key: str) -> None:
        outcome = self._shelf.press(latin(key), self._view)
        if outcome == LEAVE:
            self._done()
        elif outcome == THROUGH:
            self.press(key)
        elif outcome not in {"", CLOSED}:
            self._do(outcome)

    def _press_typing(self, typing: Typing, key: str) -> None:
        if typing.press(key) and self._typing is typing:
            self._typing = None
            if key in {"up", "down"}:
                self._picker.press(key, self._now())

    def _press_question(self, question: Question, key: str) -> None:
        answer = question.press(key, self._texts)
        if answer is not None:
            self._question = None
        if answer:
            question.then()

    def _take(self) -> None:
        """Do what is picked out."""
        action = self._picker.action(self._now())
        if action is None:
            self._notice = ("warn", self._texts.text("screen.pick_first"))
        else:
            self._choose(action)

    def _choose(self, action: Action) -> None:
        """Do a legal action, after a question if much is at stake."""
        view = self._view
        if view is not None and with_question(action, view, self._texts).confirm is not None:
            assert isinstance(action, Bid), "only bids are asked about"
            assert view.rules is not None, "bids are made in a deal"
            assert view.rules.state.deal is not None, "bids are made in a deal"
            price = action.to - view.rules.state.deal.bids[action.seat]
            text = self._texts.text("screen.really_bid", price=price, chips=view.rules.state.chips[action.seat])
            self._question = Question(text, lambda: self._submit(Act(action)))
        else:
            self._submit(Act(action))

    def _press_command(self, key: str) -> None:
        view = self._view
        match key:
            case "?" | "f1" | "h":
                self._shelf.open("help")
            case "t":
                self._do("talk")
            case "l":
                self._shelf.open("log")
            case "p" | "f2":
                self._shelf.open("proofs")
            case "m" | "0" | "tab":
                self._shelf.open("menu")
            case "r" if self.story.result is not None:
                self._do("result")
            case "a" if not self._around.private:
                self._shelf.open("address")
            case "b" if bid_option(view) is not None and self._offers():
                self._typing = Typing(self._texts.text("screen.amount"), EntryLine(most=12), self._bid, digits=True)
            case "s" | "enter" if view is not None and view.phase is Phase.GATHERING and view.founder:
                self._start(view)
            case "q":
                self._quit()
            case _ if len(key) == 1:
                self._notice = ("dim", self._texts.text("screen.no_such_key"))
            case _:
                pass

    # What the keys lead to

    def _do(self, entry: str) -> None:
        match entry:
            case "talk":
                self._typing = Typing(self._texts.text("screen.say"), EntryLine(most=300), self._say)
            case "result":
                self._shelf.open("result")
            case "log" | "proofs" | "help" | "address" | "seats":
                self._shelf.open(entry)
            case "quit":
                self._quit()
            case "leave":
                self._question = Question(self._texts.text("screen.really_leave"), lambda: self._wish("leave"))
            case _:
                self._wish(entry)

    def _start(self, view: TableView) -> None:
        if len(view.seats) < 2:
            self._notice = ("warn", self._texts.text("lines.start_two"))
            return
        text = self._texts.text("screen.really_start", taken=len(view.seats))
        self._question = Question(text, lambda: self._submit(Start()))

    def _quit(self) -> None:
        free = self._around.private or self._view is None or self._view.phase in {Phase.GATHERING, Phase.ENDED}
        text = self._texts.text("screen.really_quit_free" if free else "screen.really_quit")
        self._question = Question(text, self._go, quits=True)

    def _go(self) -> None:
        self.left = True
        if self._peer is not None and self._shelf.ending is None:
            self._peer.stop()
        else:
            self._done()

    def _say(self, text: str) -> None:
        if text:
            self._submit(Say(text))

    def _bid(self, typed: str) -> None:
        if self._view is None or not typed:
            return
        verdict = judged("bid", typed, self._view, self._words)
        if isinstance(verdict, Wrong):
            self._notice = ("warn", verdict.message)
        elif self._view.my_seat is not None:
            self._choose(Bid(self._view.my_seat, int(typed)))

    def _wish(self, name: str) -> None:
        if self._submit(Wish(WISHES[name])):
            self._notice = ("good", self._texts.text("lines.wish_noted"))

    def _submit(self, command: Command) -> bool:
        if self._peer is None:
            return False
        try:
            self._peer.submit(command)
        except CommandRefused as refused:
            self._notice = ("warn", why_not(command, refused, self._peer.view(), self._texts))
            return False
        if not self._steps:
            # Proofs of an action take a moment, in which nothing happens yet but nothing is asked either.
            self._view = self._peer.view()
        return True
