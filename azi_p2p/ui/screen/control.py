"""What one person at a table has on the screen, and what the keys do: events and views in, commands out.

It holds no terminal and no event loop: time is an argument, and the page says when it wants to be woken. What doesn't
belong here: what may be chosen (`choosing`), what sheets say (`sheets`), how it is drawn (`tablepage`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from azi_p2p.rules import Action, Bid
from azi_p2p.session.commands import Act, Command, CommandRefused, Say, Start, Wish
from azi_p2p.session.events import (
    ActionTaken,
    DealEnded,
    Event,
    SeatChanged,
    SeatTaken,
    TableEnded,
    TrickWon,
)
from azi_p2p.session.view import Phase, TableView
from azi_p2p.ui.ask import Wrong, judged, with_question
from azi_p2p.ui.i18n import Catalogue, catalogue
from azi_p2p.ui.lines import WISHES
from azi_p2p.ui.refusal import why_not
from azi_p2p.ui.screen import sheets
from azi_p2p.ui.screen.canvas import Canvas, Zone
from azi_p2p.ui.screen.choosing import Offer, bid_option, offers, stepped
from azi_p2p.ui.screen.entry import EntryLine
from azi_p2p.ui.screen.keys import latin
from azi_p2p.ui.screen.look import Look
from azi_p2p.ui.screen.model import Button, Entry, Panel, Tone
from azi_p2p.ui.screen.page import draw_too_small, unchanged
from azi_p2p.ui.screen.story import Story
from azi_p2p.ui.screen.tablemodel import Desk, seconds_left, table_model
from azi_p2p.ui.screen.tablepage import LEAST, draw_table

OTHERS_PACE = 0.7
"""Seconds for which what another seat does is shown before what comes next, so that it can be followed."""
TRICK_PACE = 1.4
"""The same for the card that completes a trick."""
MOST_PENDING = 24
"""Steps that may wait to be shown; when more come in, they are shown at once."""
RESULT_SECONDS = 15.0
"""Seconds for which the end of a deal lies over the table if no key is pressed."""
PAGE = 10
"""Smallest raises, or lines, that one press of page up or page down is worth."""


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


@dataclass(slots=True)
class _Question:
    """A question to be answered with yes or no. `quits`: it asks whether to stop the program."""

    text: str
    then: Callable[[], object]
    picked: int | None = None
    quits: bool = False


@dataclass(slots=True)
class _Typing:
    """A line that is being typed, and what happens to it on Enter."""

    label: str
    line: EntryLine
    then: Callable[[str], None]
    digits: bool = False


@dataclass(slots=True)
class _Step:
    """A step of the table that waits to be shown."""

    events: Sequence[Event]
    view: TableView
    hold: float = field(default=0.0)


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
        self._pending: deque[_Step] = deque()
        self._next_step = 0.0
        self._asked: object = None
        self._picked: int | None = None
        self._amount: int | None = None
        self._notice: tuple[Tone, str] | None = None
        self._question: _Question | None = None
        self._typing: _Typing | None = None
        self._sheet = ""
        self._sheet_until = 0.0
        self._scroll = 0
        self._at = 0
        self._ending: tuple[str | None, str | None] | None = None
        self._zones: list[Zone] = []

    # What the peer calls

    def begin(self, peer: Peer) -> None:
        """Take the seat."""
        self._peer = peer
        self._view = peer.view()
        self.changed()

    def see(self, events: Sequence[Event], view: TableView) -> Iterable[Command]:
        """Take in a step of the table; it is shown when those before it have been seen."""
        self._pending.append(_Step(events, view, self._hold(events, view)))
        self._show_steps(self._around.clock())
        if any(isinstance(event, SeatTaken) for event in events) and view.phase is Phase.GATHERING and view.founder:
            return [Start()] if len(view.seats) >= view.params.seats else []
        return []

    def over(self, problem: str | None, ledger: str | None) -> None:
        """The table has ended, or can't go on (`problem`); `ledger`: the file with the record of the game."""
        self._show_steps(self._around.clock(), hurry=True)
        self._ending = (problem, ledger)
        self._question = self._typing = None
        if self.left:
            self._done()
        else:
            self._open("end")

    def warn(self, message: str) -> None:
        """Tell of something that went wrong in the background, in one line."""
        self.story.note(message)
        self._notice = ("bad", message)
        self.changed()

    # Showing what happened

    def _hold(self, events: Sequence[Event], view: TableView) -> float:
        if not self._look.lively:
            return 0.0
        if any(isinstance(event, TrickWon) for event in events):
            return TRICK_PACE
        others = any(isinstance(event, ActionTaken) and event.seat != view.my_seat for event in events)
        return OTHERS_PACE if others else 0.0

    def _show_steps(self, now: float, *, hurry: bool = False) -> None:
        while self._pending and (hurry or now >= self._next_step or len(self._pending) > MOST_PENDING):
            step = self._pending.popleft()
            self._next_step = now + step.hold
            self._show(step, now)
        self.changed()

    def _show(self, step: _Step, now: float) -> None:
        self._view = step.view
        self.story.add(step.events, step.view)
        if any(isinstance(event, DealEnded) for event in step.events) and not self._sheet:
            self._open("result")
            self._sheet_until = now + RESULT_SECONDS
        for event in step.events:
            if isinstance(event, SeatChanged) and event.change == "leave" and event.seat == step.view.my_seat:
                self._go()
            if isinstance(event, TableEnded) and self._sheet == "result":
                self._sheet_until = now + RESULT_SECONDS
        if self.story.alerts and self._sheet != "alert":
            self._open("alert")
            self._ring()
        self._notice_turn(step.view)

    def _notice_turn(self, view: TableView) -> None:
        """When something new is asked of the own seat: nothing is picked out yet, and the bell rings."""
        phase = None if view.rules is None else view.rules.state.phase
        asked = (view.deal, view.legal, phase)
        if asked == self._asked:
            return
        self._asked = asked
        self._picked = self._amount = None
        if not view.legal:
            return
        self._notice = None
        if self._typing is not None and self._typing.digits:
            self._typing = None
        self._ring()
        chosen = [number for number, offer in enumerate(self._offers()) if offer.action is not None]
        if len(chosen) == 1 and self._offers()[chosen[0]].card is not None:
            self._picked = chosen[0]

    def _ring(self) -> None:
        if self._look.bell:
            self._around.ring()

    def _offers(self) -> tuple[Offer, ...]:
        if self._pending or self._ending is not None:
            return ()
        return offers(self._view, self._words, self._amount)

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
        times = []
        if self._pending:
            times.append(self._next_step)
        if self._sheet == "result":
            times.append(self._sheet_until)
        left = None if self._view is None or not self._view.owed else seconds_left(self._view, now)
        if left and self._view is not None and self._view.deadline is not None:
            times.append(self._view.deadline - left + 1)
        return min(times) if times else None

    def wake(self, now: float) -> None:
        """See Page."""
        if self._sheet == "result" and now >= self._sheet_until:
            self._close()
        self._show_steps(now)

    def _desk(self, now: float) -> Desk:
        found = self._offers()
        buttons: tuple[Button, ...] = ()
        if self._question is not None:
            buttons = tuple(
                Button(number, self._texts.text(key), self._question.picked == number - 1)
                for number, key in enumerate(("screen.yes", "screen.no"), start=1)
            )
        elif found and found[0].card is None:
            buttons = tuple(
                Button(number, offer.text, self._picked == number - 1) for number, offer in enumerate(found, start=1)
            )
        return Desk(
            now=now,
            offers=found,
            picked=self._picked,
            question="" if self._question is None else self._question.text,
            notice=self._notice,
            buttons=buttons,
            entry=self._entry(),
            log=tuple(self.story.log[-200:]),
            panel=self._panel(),
            addresses=self._addresses(),
            private=self._around.private,
            fair=self.story.fairness(self._view),
        )

    def _entry(self) -> Entry | None:
        if self._typing is None:
            return None
        return Entry(self._typing.label, self._typing.line.text, self._typing.line.cursor)

    def _addresses(self) -> tuple[str, ...]:
        if self._peer is None:
            return ()
        return tuple(f"{host}:{port}" for host, port in self._peer.addresses())

    def _panel(self) -> Panel | None:
        words, view = self._words, self._view
        match self._sheet:
            case "help":
                return sheets.help_sheet(view, words, self._scroll)
            case "log":
                return sheets.log_sheet(self.story.log, words, self._scroll)
            case "proofs":
                return sheets.proofs_sheet(view, self.story, words, self._scroll)
            case "menu":
                return sheets.menu_sheet(self._menu(), self._at, words)
            case "seats":
                return sheets.seats_sheet(view, words)
            case "address":
                addresses = self._addresses()
                code = self._around.draw_code(f"azi join {addresses[0]}") if addresses else ()
                return sheets.address_sheet(addresses, code, words)
            case "result" if self.story.result is not None:
                return sheets.read_sheet(self.story.result, words)
            case "alert" if self.story.alerts:
                return sheets.read_sheet(self.story.alerts[0], words)
            case "end" if self._ending is not None:
                return sheets.end_sheet(view, *self._ending, words)
            case _:
                return None

    # Keys

    def paste(self, text: str) -> None:
        """See Page: pasted text goes into the line that is being typed, and nowhere else."""
        if self._typing is not None and not self._sheet:
            self._typing.line.paste(text)
            self.changed()

    def click(self, x: int, y: int) -> None:
        """See Page: a click picks a choice out, a second one takes it; on a sheet it closes it."""
        if self._sheet:
            self.press("enter" if self._sheet == "end" else "escape")
            return
        zone = next((zone for zone in self._zones if zone.holds(x, y)), None)
        if zone is None:
            return
        picked = self._question.picked if self._question is not None else self._picked
        self.press("enter" if picked is not None and str(picked + 1) == zone.key else zone.key)

    def press(self, key: str) -> None:
        """See Page."""
        self._notice = None
        if key == "interrupt":
            self._interrupt()
        elif self._sheet:
            self._press_on_sheet(key)
        elif self._typing is not None:
            self._press_typing(self._typing, key)
        elif self._question is not None:
            self._press_question(self._question, key)
        elif not self._press_choice(key):
            self._press_command(latin(key))
        self.changed()

    def _interrupt(self) -> None:
        if self._ending is not None or (self._question is not None and self._question.quits):
            self._go()
            return
        self._sheet, self._typing = "", None
        self._quit()

    def _press_on_sheet(self, key: str) -> None:
        sheet, name = self._sheet, latin(key)
        if sheet == "end":
            if name in {"enter", "escape", "q", " "}:
                self._done()
            return
        if sheet == "menu":
            self._press_menu(name)
            return
        step = {"up": 1, "down": -1, "page_up": PAGE, "page_down": -PAGE}.get(name)
        if step is not None and sheet in {"help", "log", "proofs"}:
            self._scroll = max(0, self._scroll + (step if sheet == "log" else -step))
            return
        self._close()
        # A sheet that came by itself isn't in the way of the key that was meant for the table.
        if sheet == "result" and name not in {"enter", "escape", " "}:
            self.press(key)

    def _press_menu(self, name: str) -> None:
        entries = self._menu()
        if name in {"up", "left"}:
            self._at = (self._at - 1) % len(entries)
        elif name in {"down", "right", "tab"}:
            self._at = (self._at + 1) % len(entries)
        elif name.isdecimal() and 1 <= int(name) <= len(entries):
            self._at = int(name) - 1
        elif name in {"enter", " "}:
            self._close()
            self._do(entries[min(self._at, len(entries) - 1)])
        else:
            self._close()

    def _press_typing(self, typing: _Typing, key: str) -> None:
        if key == "escape":
            self._typing = None
        elif key == "enter":
            self._typing = None
            typing.then(typing.line.text.strip())
        elif key in {"up", "down"} and typing.digits:
            self._typing = None
            self._step(1 if key == "up" else -1)
        elif not (typing.digits and len(key) == 1 and not key.isdecimal()):
            typing.line.press(key)

    def _press_question(self, question: _Question, key: str) -> None:
        yes, no = (self._answers(name) for name in ("yes", "no"))
        if key in {"left", "right", "up", "down", "tab"}:
            question.picked = 1 - question.picked if question.picked is not None else 0
        elif key in {"1", "2"}:
            question.picked = int(key) - 1
        elif key in yes or (key == "enter" and question.picked == 0):
            self._question = None
            question.then()
        elif key in no or key == "escape" or (key == "enter" and question.picked == 1):
            self._question = None

    def _answers(self, name: str) -> set[str]:
        """The single letters that answer a question, in the person's language and in English."""
        sources = (self._texts, catalogue("en"))
        return {word for source in sources for word in source.text(f"command.{name}").split(",") if len(word) == 1}

    def _press_choice(self, key: str) -> bool:
        """Keys that pick something out or take it; False if the key is none of them now."""
        found = self._offers()
        if key == "enter":
            return self._take(found)
        if key == "escape":
            self._picked = None
            return True
        if not found:
            return False
        if key in {"left", "right"}:
            self._move(found, 1 if key == "right" else -1)
        elif key.isascii() and key.isdecimal() and key != "0":
            self._pick(found, int(key) - 1)
        elif key in {"up", "down", "page_up", "page_down"}:
            self._step({"up": 1, "down": -1, "page_up": PAGE, "page_down": -PAGE}[key])
        else:
            return False
        return True

    def _move(self, found: Sequence[Offer], step: int) -> None:
        possible = [number for number, offer in enumerate(found) if offer.action is not None]
        if not possible:
            return
        if self._picked not in possible:
            self._picked = possible[0 if step > 0 else -1]
        else:
            self._picked = possible[(possible.index(self._picked) + step) % len(possible)]

    def _pick(self, found: Sequence[Offer], number: int) -> None:
        if number >= len(found):
            self._notice = ("warn", self._texts.text("ask.no_such_choice", last=len(found)))
        elif found[number].action is None:
            self._notice = ("warn", found[number].why)
        else:
            self._picked = number

    def _step(self, steps: int) -> None:
        """Make the adjustable bid larger or smaller; where there is none, do as the arrows to the sides."""
        found = self._offers()
        place = next((number for number, offer in enumerate(found) if offer.amount), None)
        if place is None or self._view is None:
            self._move(found, -1 if steps > 0 else 1)
            return
        preset = None if self._picked is None else found[self._picked].action
        if isinstance(preset, Bid):
            self._amount = preset.to
        # The first press shows where the amount stands; only the next ones move it.
        if self._picked is not None and isinstance(preset, Bid):
            self._amount = stepped(self._view, self._amount, steps)
        self._picked = place

    def _take(self, found: Sequence[Offer]) -> bool:
        """Do what is picked out; False if there is nothing to choose from."""
        if not found:
            return False
        if self._picked is None or self._picked >= len(found):
            self._notice = ("warn", self._texts.text("screen.pick_first"))
            return True
        action = found[self._picked].action
        if action is not None:
            self._choose(action)
        return True

    def _choose(self, action: Action) -> None:
        """Do a legal action, after a question if much is at stake."""
        view = self._view
        if view is not None and with_question(action, view, self._texts).confirm is not None:
            assert isinstance(action, Bid), "only bids are asked about"
            assert view.rules is not None, "bids are made in a deal"
            assert view.rules.state.deal is not None, "bids are made in a deal"
            price = action.to - view.rules.state.deal.bids[action.seat]
            text = self._texts.text("screen.really_bid", price=price, chips=view.rules.state.chips[action.seat])
            self._question = _Question(text, lambda: self._submit(Act(action)))
        else:
            self._submit(Act(action))

    def _press_command(self, key: str) -> None:
        view = self._view
        match key:
            case "?" | "f1" | "h":
                self._open("help")
            case "t":
                self._do("talk")
            case "l":
                self._open("log")
            case "p" | "f2":
                self._open("proofs")
            case "m" | "0" | "tab":
                self._open("menu")
            case "r" if self.story.result is not None:
                self._do("result")
            case "a" if not self._around.private:
                self._open("address")
            case "b" if bid_option(view) is not None and self._offers():
                self._typing = _Typing(self._texts.text("screen.amount"), EntryLine(most=12), self._bid, digits=True)
            case "s" | "enter" if view is not None and view.phase is Phase.GATHERING and view.founder:
                self._start(view)
            case "q":
                self._quit()
            case _ if len(key) == 1:
                self._notice = ("dim", self._texts.text("screen.no_such_key"))
            case _:
                pass

    # What the keys lead to

    def _menu(self) -> tuple[str, ...]:
        return sheets.menu_entries(self._view, private=self._around.private, has_result=self.story.result is not None)

    def _do(self, entry: str) -> None:
        match entry:
            case "talk":
                self._typing = _Typing(self._texts.text("screen.say"), EntryLine(most=300), self._say)
            case "result":
                self._open("result")
                self._sheet_until = self._around.clock() + 10 * RESULT_SECONDS
            case "log" | "proofs" | "help" | "address" | "seats":
                self._open(entry)
            case "quit":
                self._quit()
            case "leave":
                self._question = _Question(self._texts.text("screen.really_leave"), lambda: self._wish("leave"))
            case _:
                self._wish(entry)

    def _start(self, view: TableView) -> None:
        if len(view.seats) < 2:
            self._notice = ("warn", self._texts.text("lines.start_two"))
            return
        text = self._texts.text("screen.really_start", taken=len(view.seats))
        self._question = _Question(text, lambda: self._submit(Start()))

    def _quit(self) -> None:
        free = self._around.private or self._view is None or self._view.phase in {Phase.GATHERING, Phase.ENDED}
        text = self._texts.text("screen.really_quit_free" if free else "screen.really_quit")
        self._question = _Question(text, self._go, quits=True)

    def _go(self) -> None:
        self.left = True
        if self._peer is not None and self._ending is None:
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
        if not self._pending:
            # Proofs of an action take a moment, in which nothing happens yet but nothing is asked either.
            self._view = self._peer.view()
            self._picked = None
        return True

    def _open(self, sheet: str) -> None:
        self._sheet, self._scroll, self._at = sheet, 0, 0
        self.changed()

    def _close(self) -> None:
        if self._sheet == "alert":
            self.story.alerts.pop(0)
        self._sheet = ""
        if self.story.alerts:
            self._open("alert")
