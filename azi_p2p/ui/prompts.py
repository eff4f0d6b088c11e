"""What line mode says by itself as time goes by: whose turn it is, who keeps the table waiting, that nobody is there.

What doesn't belong here: what the person types (`lines`), and what has happened (`tell`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from azi_p2p.rules import Phase
from azi_p2p.session.view import Phase as TablePhase
from azi_p2p.session.view import TableView
from azi_p2p.ui.answers import Answers
from azi_p2p.ui.ask import choices
from azi_p2p.ui.words import Words

PATIENCE = 1.5
"""Seconds that somebody else's turn may last before the line that names whom we wait for."""
LAST_SECONDS = 15.0
"""Seconds before the end of somebody's time at which a reminder comes."""
ALONE_AT_FIRST = 10.0
"""Seconds without any link to the others before the first line that says so."""
ALONE_AGAIN = 60.0
"""Seconds from then on to each further one."""


class Prompts:
    """Asks one person at one table, and keeps the timers. Everything is called on the event loop."""

    def __init__(
        self,
        words: Words,
        answers: Answers,
        say: Callable[[str], None],
        write: Callable[[str], None],
        view: Callable[[], TableView | None],
    ) -> None:
        """`say` prints a sentence, `write` a line as it is; `view`: the table as it is now."""
        self._words = words
        self._texts = words.texts
        self._answers = answers
        self._say = say
        self._write = write
        self._view = view
        self._asked: object = None
        self._timers: list[asyncio.TimerHandle] = []
        self._alone: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """From now on, say if nobody of the table can be reached."""
        self._watch_for_others(self._view(), ALONE_AT_FIRST)

    def close(self) -> None:
        """Let no timer run on."""
        self._stop_waiting()
        if self._alone is not None:
            self._alone.cancel()

    # Whose turn it is

    def is_news(self, view: TableView) -> bool:
        """Whether something else is owed than when this was asked last; no timer of the turn before runs on then."""
        self._watch_for_others(view, ALONE_AT_FIRST)
        # The head tells two turns apart that follow each other and are the same seat's, as of one that takes a trick.
        asked = (view.head, view.owed, view.legal, view.paused)
        if asked == self._asked:
            return False
        self._asked = asked
        self._stop_waiting()
        return bool(view.owed) and view.phase is TablePhase.ACTING

    def prompt(self, view: TableView) -> None:
        """Print the choices if it is the person's turn; else say after a while whom the table waits for."""
        loop = asyncio.get_running_loop()
        if view.legal:
            self.print_turn(view)
        else:
            self._timers.append(loop.call_later(PATIENCE, self._name_whom_we_wait_for))
        if view.deadline is not None and view.deadline - LAST_SECONDS > loop.time():
            self._timers.append(loop.call_at(view.deadline - LAST_SECONDS, self._remind, view.deadline))

    def print_turn(self, view: TableView) -> None:
        """Say that it is the person's turn, with what counts for the decision, and the numbered choices."""
        numbered = choices(view, self._words)
        rules = view.rules
        if rules is None or view.my_seat is None or not numbered:
            return
        key = {
            Phase.BIDDING: "lines.turn_bidding",
            Phase.DISCARD: "lines.turn_discard",
            Phase.BUY_IN: "lines.turn_buy_in",
        }.get(rules.state.phase, "lines.turn_play")
        self._say(
            self._texts.text(
                key,
                hand=self._words.cards(rules.hand),
                chips=self._words.chips(rules.state.chips[view.my_seat]),
                pot=self._words.chips(rules.state.pot),
            )
        )
        for number, choice in enumerate(numbered, start=1):
            self._write(self._texts.text("lines.choice", number=number, text=choice.text))

    def _stop_waiting(self) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()

    def _remind(self, deadline: float) -> None:
        left = max(1, round(deadline - asyncio.get_running_loop().time()))
        view = self._view()
        if view is None or view.legal:
            self._say(self._texts.plural("lines.seconds_left", left))
            return
        names = self._words.listed([self._words.name(view, seat) for seat in view.owed])
        self._say(self._texts.plural("lines.others_seconds_left", left, names=names))

    def _name_whom_we_wait_for(self) -> None:
        view = self._view()
        if view is not None and view.owed and not view.legal:
            self._say(self._answers.waiting_for(view))

    # That nobody is there

    def _watch_for_others(self, view: TableView | None, seconds: float) -> None:
        """Wait so long for anybody of the table, unless somebody is there or we wait already."""
        if self._alone is not None and not is_alone(view):
            self._alone.cancel()
            self._alone = None
        elif self._alone is None and is_alone(view):
            self._alone = asyncio.get_running_loop().call_later(seconds, self._say_that_nobody_is_there)

    def _say_that_nobody_is_there(self) -> None:
        self._alone, view = None, self._view()
        if not is_alone(view):
            return
        closable = view is not None and view.unconfirmed is not None
        self._say(self._texts.text("lines.alone_close" if closable else "lines.alone"))
        self._watch_for_others(view, ALONE_AGAIN)


def is_alone(view: TableView | None) -> bool:
    """Whether a table that we are to sit at, or sit at, has nobody who can be reached; not while people sit down."""
    if view is None:
        return True
    if view.phase is TablePhase.GATHERING:
        return not view.seats
    if view.phase is TablePhase.ENDED:
        return False
    return not any(seat.linked for seat in view.seats if seat.seat != view.my_seat)
