"""What one person at a table has on the screen, and what the keys do: events and views in, commands out.

It holds no terminal and no event loop: time is an argument, and the page says when it wants to be woken. What doesn't
belong here: what may be chosen (`choosing`), what sheets say (`sheets`), how it is drawn (`tablepage`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from azi_p2p.session.commands import Act, Command
from azi_p2p.session.events import DealEnded, Event
from azi_p2p.session.jobs import Job
from azi_p2p.session.view import Phase, TableView
from azi_p2p.ui.ahead import Ahead
from azi_p2p.ui.hint import Advise, hint
from azi_p2p.ui.holder import SeatHolder, has_left
from azi_p2p.ui.i18n import Catalogue
from azi_p2p.ui.screen.canvas import Canvas, Zone
from azi_p2p.ui.screen.choosing import Offer, bid_option
from azi_p2p.ui.screen.deeds import Deeds
from azi_p2p.ui.screen.desk import Desk
from azi_p2p.ui.screen.keys import latin
from azi_p2p.ui.screen.look import Look
from azi_p2p.ui.screen.model import Button, Tone
from azi_p2p.ui.screen.page import draw_too_small, unchanged
from azi_p2p.ui.screen.picking import Picker
from azi_p2p.ui.screen.shelf import AGAIN, CLOSED, LEAVE, RESULT_SECONDS, THROUGH, Shelf
from azi_p2p.ui.screen.shown import next_tick
from azi_p2p.ui.screen.steps import Step, Steps
from azi_p2p.ui.screen.story import Story
from azi_p2p.ui.screen.surroundings import Surroundings
from azi_p2p.ui.screen.tablemodel import table_model
from azi_p2p.ui.screen.tablepage import LEAST, draw_table


class TableControl:
    """One person at one table.

    `left`: the person wants to be gone; `again`: to play on with the same people at another table; `done` is called
    when the page can be closed.
    """

    def __init__(
        self, texts: Catalogue, me: bytes | None, look: Look, around: Surroundings, done: Callable[[], None]
    ) -> None:
        self.changed: Callable[[], None] = unchanged
        self.left = self.again = False
        self.story = Story(texts, me, around.time_of_day)
        self._texts = texts
        self._words = self.story.words
        self._look = look
        self._around = around
        self._done = done
        self._view: TableView | None = None
        self._steps = Steps(lively=look.lively)
        self._asked: object = None
        self._no_such_key: tuple[Tone, str] = ("dim", texts.text("screen.no_such_key"))
        self._picker = Picker(self._words)
        self._ahead = Ahead()
        self._deeds = Deeds(self._words, private=around.private or around.watching, acted=self._acted, go=self._go)
        self._shelf = Shelf(self.story, private=around.private, hints=around.advise is not None)
        self._zones: list[Zone] = []

    # What the peer calls

    def begin(self, peer: SeatHolder) -> None:
        """Take the seat."""
        self._deeds.peer = peer
        self._view = peer.view()
        self.changed()

    def see(self, events: Sequence[Event], view: TableView) -> Iterable[Command]:
        """Take in a step of the table; it is shown when those before it have been seen."""
        self._steps.add(events, view)
        self._show_steps(self._around.clock())
        return []

    def timed(self, job: Job, seconds: float) -> None:
        """A proof took so many seconds to make or to check."""
        self.story.proofs.timed(job, seconds)

    @property
    def view(self) -> TableView | None:
        """The table as the person sees it now."""
        return self._view

    def over(self, problem: str | None, ledger: str | None, offer: str = "", how: str = "") -> None:
        """The table has ended, or can't go on (`problem`); `ledger`: the file with the record of the game.

        `offer`: how another table with the same people is offered, if one is; `how`: how to find one, until it is.
        """
        self._show_steps(self._around.clock(), hurry=True)
        typing, self._deeds.question, self._deeds.typing = self._deeds.typing is not None, None, None
        self._bring_up(self._around.clock())
        self._shelf.offer = offer
        if self.left:
            self._done()
        else:
            self._shelf.end(problem, ledger, how, into_line=typing)
            self.changed()

    def offer(self, offer: str) -> None:
        """Offer another table while the person reads how this one has ended; empty: it is there no more."""
        self._shelf.offer = offer
        if offer and self._shelf.name == "end":
            self._ring()
        self.changed()

    def warn(self, message: str) -> None:
        """Tell of something that went wrong in the background, in one line."""
        self.story.note(message)
        self._deeds.notice = ("bad", message)
        self.changed()

    # Showing what happened

    def _show_steps(self, now: float, *, hurry: bool = False) -> None:
        for step in self._steps.due(now, hurry=hurry):
            self._show(step, now)
        if not self._steps and self._view is not None:
            self._play_ahead(self._view)
        self.changed()

    def _show(self, step: Step, now: float) -> None:
        self._view = step.view
        self.story.add(step.events, step.view)
        if any(isinstance(event, DealEnded) for event in step.events):
            self._shelf.result_due(now + RESULT_SECONDS)
        if self._deeds.leaves and has_left(step.view):
            self._go()
        self._bring_up(now)
        self._notice_turn(step.view)

    def _bring_up(self, now: float) -> None:
        """Lay over the table what waits to be read, once no line is being typed and no question waits for an answer."""
        if self._deeds.typing is None and self._deeds.question is None and self._shelf.bring_up(now):
            self._ring()

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
        self._deeds.notice = None
        if self._deeds.typing is not None and self._deeds.typing.digits:
            self._deeds.typing = None
        if not self._ahead.meant:
            self._ring()

    def _play_ahead(self, view: TableView) -> None:
        """Now that it is the person's turn: pick out the card that was chosen ahead, or play it if that was meant."""
        self._ahead.renew(view)
        card, meant = self._ahead.card, self._ahead.meant
        if card is None or not view.legal:
            return
        self._ahead.clear()
        offers = self._offers()
        place = next((number for number, offer in enumerate(offers) if offer.card == card), None)
        if place is None:
            return
        action = offers[place].action
        if action is None:
            text = self._texts.text("screen.ahead_not", card=self._words.played_card(card), why=offers[place].why)
            self._deeds.notice = ("warn", text)
            if meant:
                self._ring()
        elif meant:
            self._deeds.submit(Act(action))
        else:
            self._picker.picked = place

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
        self._shelf.drawn(now)
        model = table_model(self._view, self._words, self._desk(now))
        canvas = draw_table(model, width, height, plain=self._look.plain)
        self._zones = canvas.zones
        return canvas

    def next_wake(self, now: float) -> float | None:
        """See Page: the next step to show, the end of a sheet, or the next second of a clock."""
        tick = None if self._view is None or not self._view.owed else next_tick(self._view, now)
        times = (self._steps.next_at, self._shelf.next_wake(now), tick)
        return min((time for time in times if time is not None), default=None)

    def wake(self, now: float) -> None:
        """See Page."""
        self._shelf.expire(now)
        self._show_steps(now)

    def _desk(self, now: float) -> Desk:
        found, addresses = self._offers(), self._addresses()
        buttons: tuple[Button, ...] = ()
        deeds = self._deeds
        if deeds.question is not None:
            buttons = deeds.question.buttons(self._texts)
        elif found and found[0].card is None:
            buttons = tuple(
                Button(number, offer.text, self._picker.picked == number - 1)
                for number, offer in enumerate(found, start=1)
            )
        return Desk(
            now=now,
            offers=found,
            picked=self._picker.picked,
            question="" if deeds.question is None else deeds.question.text,
            notice=deeds.notice,
            buttons=buttons,
            entry=None if deeds.typing is None else deeds.typing.entry(),
            log=tuple(self.story.log[-200:]),
            panel=self._shelf.panel(self._view, addresses, self._code(addresses), self._around.code, now),
            addresses=addresses,
            private=self._around.private,
            code=self._around.code,
            watching=self._around.watching,
            hints=self._around.advise is not None,
            ahead=self._ahead.possible(self._waiting()),
            marked=self._ahead.card,
            meant=self._ahead.meant,
            fair=self.story.fairness(self._view),
        )

    def _code(self, addresses: Sequence[str]) -> Sequence[str]:
        if self._shelf.name != "address" or not addresses:
            return ()
        return self._around.draw_code(f"azi join {addresses[0]}")

    def _addresses(self) -> tuple[str, ...]:
        """Where this peer listens, while that is on the screen; to find it out takes longer than to draw."""
        gathering = self._view is not None and self._view.phase is Phase.GATHERING
        peer = self._deeds.peer
        if peer is None or not (gathering or self._shelf.name == "address"):
            return ()
        return tuple(f"{host}:{port}" for host, port in peer.addresses())

    # Keys

    def paste(self, text: str) -> None:
        """See Page: pasted text goes into the line that is being typed, and nowhere else."""
        if self._deeds.typing is not None and not self._shelf.name:
            self._deeds.typing.paste(text)
            self.changed()

    def click(self, x: int, y: int) -> None:
        """See Page: a click picks a choice out, a second one takes it; on a sheet it closes it."""
        if self._shelf.name:
            self.press("enter" if self._shelf.name == "end" else "escape")
            return
        zone = next((zone for zone in self._zones if zone.holds(x, y)), None)
        if zone is None:
            return
        question, ahead = self._deeds.question, self._ahead.possible(self._waiting())
        picked = question.picked if question is not None else self._picker.picked
        if question is None and self._ahead.card in ahead:
            picked = ahead.index(self._ahead.card)
        self.press("enter" if picked is not None and str(picked + 1) == zone.key else zone.key)

    def press(self, key: str) -> None:
        """See Page."""
        deeds = self._deeds
        deeds.notice = None
        if key == "interrupt":
            self._interrupt()
        elif self._shelf.name:
            self._press_on_sheet(key)
        elif deeds.typing is not None:
            if deeds.press_typing(deeds.typing, key) and key in {"up", "down"}:
                self._picker.press(key, self._now())
        elif deeds.question is not None:
            deeds.press_question(deeds.question, key)
        elif key == "enter" and self._offers():
            self._take()
        elif self._picker.press(key, self._now()):
            deeds.notice = ("warn", self._picker.why) if self._picker.why else None
        elif not self._ahead.press(key, self._waiting()):
            self._press_command(latin(key))
        self._bring_up(self._around.clock())
        self.changed()

    def _waiting(self) -> TableView | None:
        """The view while others are to play, as far as the person has seen it."""
        return None if self._shelf.ending is not None else self._view

    def _interrupt(self) -> None:
        question = self._deeds.question
        if self._shelf.ending is not None or (question is not None and question.quits):
            self._go()
            return
        self._deeds.typing = None
        self._shelf.name = ""
        self._deeds.quit(self._view)

    def _press_on_sheet(self, key: str) -> None:
        outcome = self._shelf.press(latin(key), self._view, self._around.clock())
        if outcome in {LEAVE, AGAIN}:
            self.again = outcome == AGAIN
            self._done()
        elif outcome == THROUGH:
            self.press(key)  # any key closes a sheet, so this one did something
            self._deeds.notice = None if self._deeds.notice == self._no_such_key else self._deeds.notice
        elif outcome not in {"", CLOSED}:
            self._do(outcome)

    def _take(self) -> None:
        """Do what is picked out."""
        action = self._picker.action(self._now())
        if action is None:
            self._deeds.notice = ("warn", self._texts.text("screen.pick_first"))
        else:
            self._deeds.choose(action, self._view)

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
            case "i" if self._around.advise is not None:
                self._hint(self._around.advise)
            case "b" if bid_option(view) is not None and self._offers():
                self._deeds.type_bid(lambda: self._view)
            case "s" | "enter" if view is not None and view.phase is Phase.GATHERING and view.founder:
                self._deeds.start(view)
            case "q":
                self._deeds.quit(view)
            case _ if len(key) == 1:
                self._deeds.notice = self._no_such_key

    def _do(self, entry: str) -> None:
        """Do what an entry of the menu says."""
        match entry:
            case "talk":
                self._deeds.talk(self._view)
            case "log" | "proofs" | "help" | "address" | "seats" | "result":
                self._shelf.open(entry)
            case "hint" if self._around.advise is not None:
                self._hint(self._around.advise)
            case "quit":
                self._deeds.quit(self._view)
            case "leave":
                self._deeds.leave()
            case "close":
                self._deeds.close(self._view)
            case _:
                self._deeds.wish(entry)

    def _hint(self, advise: Advise) -> None:
        """Say what a strong player would do now."""
        view = self._now()
        if view is None or view.rules is None or not self._offers():
            self._deeds.notice = ("dim", self._texts.text("hint.not_your_turn"))
        else:
            self._deeds.notice = ("good", hint(advise, view.rules, self._words))

    def _go(self) -> None:
        self.left = True
        if self._deeds.peer is not None and self._shelf.ending is None:
            self._deeds.peer.stop()
        else:
            self._done()

    def _acted(self) -> None:
        """A command was taken: its proofs take a moment, in which nothing happens yet but nothing is asked either."""
        if not self._steps and self._deeds.peer is not None:
            self._view = self._deeds.peer.view()
