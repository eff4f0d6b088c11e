"""Line mode: a person at a plain terminal or a screen reader holds a seat, with whole sentences and nothing redrawn.

Every line is printed once and stays. What happened comes from `tell`, what may be done from `ask`; here it is put
together with what the person types. What doesn't belong here: the network, files, and the choice of a table.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Sequence

from azi_p2p.rules import Action
from azi_p2p.session.commands import Act, Close, Command, CommandRefused, Refusal, Say, Start, Wish
from azi_p2p.session.events import DealEnded, Event, SeatTaken, TableFounded, TableRefused
from azi_p2p.session.jobs import Job
from azi_p2p.session.view import Phase as TablePhase
from azi_p2p.session.view import TableView
from azi_p2p.ui.ahead import Ahead
from azi_p2p.ui.answers import Answers
from azi_p2p.ui.ask import Chosen, Order, Wrong, judged, understand
from azi_p2p.ui.hint import Advise, hint
from azi_p2p.ui.holder import WISHES, SeatHolder, has_left, nobody_waits
from azi_p2p.ui.i18n import Catalogue
from azi_p2p.ui.names import LINE_WIDTH
from azi_p2p.ui.prompts import Prompts
from azi_p2p.ui.reckon import if_closed
from azi_p2p.ui.refusal import command_refused, why_not
from azi_p2p.ui.tell import Teller
from azi_p2p.ui.typed import TypedLines
from azi_p2p.ui.words import parse_card


class LinePlayer:
    """A person who types lines. Made once for each table; everything is called on the event loop.

    `left`: the person has gone (quit, or end of input) before the table ended; `again`: wants to play on with the same
    people when it has; `last_view`: the table as it was last seen.
    """

    def __init__(
        self,
        texts: Catalogue,
        me: bytes | None,
        write: Callable[[str], None],
        lines: TypedLines,
        *,
        may_quit_freely: bool = False,
        code: str = "",
        watching: bool = False,
        advise: Advise | None = None,
    ) -> None:
        """`me`: own key. `write` prints one line. `lines`: what the person types.

        `may_quit_freely`: nobody waits for this person, so `quit` asks nothing. `code`: of a private table, for this
        person to tell others. `watching`: there is no seat, and none is wanted.
        `advise`: who gives hints, None at every table with other people.
        """
        self.texts = texts
        self.left = False
        self.again = False
        self.last_view: TableView | None = None
        self._teller = Teller(texts, me)
        self._answers = Answers(self._teller)
        self._chosen = Ahead()
        self._write = write
        self._lines = lines
        self._may_quit_freely = may_quit_freely
        self._code = code
        self._watching = watching
        self._advise = advise
        self._peer: SeatHolder | None = None
        self._question: Callable[[], object] | None = None
        self._leaves = False
        self._paused = False
        self._prompts = Prompts(self._teller.words, self._answers, self.print, write, self._view)

    # What the peer calls

    def begin(self, peer: SeatHolder) -> None:
        """Take the seat: lines are read from now on."""
        self._peer = peer
        self.say("watch.welcome" if self._watching else "lines.welcome")
        view = peer.view()
        if view is not None and view.phase is TablePhase.RESUMING:
            self.say(f"phase.{view.phase}")
        self._prompts.begin()
        self._lines.listen(lambda line: self._ended() if line is None else self.typed(line))

    def see(self, events: Sequence[Event], view: TableView) -> Iterable[Command]:
        """Tell what happened; ask, if the own seat owes something now."""
        self.last_view = view
        for sentence in self._answers.tell(events, view):
            self.print(sentence)
        if any(isinstance(event, TableRefused) for event in events) and view.rules is not None:
            self.say("lines.watching")
        if any(isinstance(event, DealEnded) for event in events):
            self._mention_the_end_of_the_chips(view)
        if any(isinstance(event, SeatTaken) for event in events) and view.phase is TablePhase.GATHERING:
            self._gathering(view)
        if view.paused and not self._paused:
            self.say("lines.paused")
        self._paused = view.paused
        if self._leaves and has_left(view):
            self._stop()
        if any(isinstance(event, TableFounded) for event in events):
            self._question = None
        if self._prompts.is_news(view):
            if view.legal:
                self._question = None
            if not self._played_ahead(view):
                self._prompts.prompt(view)
        return ()

    def timed(self, job: Job, seconds: float) -> None:
        """A proof took so many seconds to make or to check."""
        self._answers.proofs.timed(job, seconds)

    def _mention_the_end_of_the_chips(self, view: TableView) -> None:
        """Say what a person without chips can do; nothing while a stake of theirs is still in a carried pot."""
        state, seat = None if view.rules is None else view.rules.state, view.my_seat
        if state is None or seat is None or state.chips[seat] or state.stakes[seat] or state.deal is None:
            return
        if seat in state.deal.dealt_in:
            self.say("lines.broke_rebuy" if view.params.rebuy else "lines.broke")

    def _gathering(self, view: TableView) -> None:
        taken, places = len(view.seats), view.params.seats
        if taken < places:
            if not self._may_quit_freely:
                key = "lines.gathering_founder" if taken > 1 else "lines.gathering_first"
                self.say(key if view.founder else "lines.gathering", taken=taken, places=places)
            return
        self.say("lines.full")

    # What the person types

    def typed(self, line: str) -> None:
        """Take one typed line."""
        view = self._view()
        meant = understand(line, view, self._teller.words)
        if self._question is not None:
            agreed, self._question = self._question, None
            if isinstance(meant, Order) and meant.name == "yes":
                agreed()
                return
            self.say("lines.not_done")
            if isinstance(meant, Order) and meant.name == "no":
                return
        match meant:
            case Wrong(message=message):
                self.print(message)
            case Chosen(action=action, confirm=None):
                self._act(action)
            case Chosen(action=action, confirm=str(question)):
                self._ask_first(question, lambda: self._act(action))
            case Order():
                self._obey(meant, view)

    def _ended(self) -> None:
        """Take the end of the input: on a terminal, where Ctrl-D is quickly pressed, it asks as `quit` does, once."""
        if self._lines.over or self._quits_freely(self._view()):
            self._stop()
        else:
            self._ask_first(self.texts.text("lines.really_quit"), self._stop)
            self.say("lines.end_again")

    def _quits_freely(self, view: TableView | None) -> bool:
        """Whether nobody waits when this person stops, so that nothing is asked."""
        return self._may_quit_freely or self._watching or nobody_waits(view)

    def _act(self, action: Action) -> None:
        self._submit(Act(action))

    def _ask_first(self, question: str, then: Callable[[], object]) -> None:
        self._question = then
        self.print(question)

    def _submit(self, command: Command) -> bool:
        assert self._peer is not None, "lines are read only after begin"
        try:
            self._peer.submit(command)
        except CommandRefused as refused:
            self.print(why_not(refused, self._view(), self._teller.words))
            return False
        return True

    def _obey(self, order: Order, view: TableView | None) -> None:
        match order.name:
            case "help":
                for line in self.texts.text("lines.help").split("\n"):
                    self.print(line)
            case "quit" if self._quits_freely(view):
                self._stop()
            case "quit":
                self._ask_first(self.texts.text("lines.really_quit"), self._stop)
            case "say":
                self._say(order.rest)
            case "again":
                self.again = not self.again
                self.say("lines.again" if self.again else "lines.not_again")
            case "hint":
                self._hint(view)
            case "ahead":
                self._ahead(order.rest, view)
            case "address":
                self._address()
            case "start":
                self._submit(Start())
            case "leave" if view is None or view.phase is TablePhase.GATHERING:
                self._stop()
            case "leave":
                self._ask_first(self.texts.text("lines.really_leave"), lambda: self._wish("leave"))
            case "close":
                self._close(view)
            case "yes" | "no":
                self.say("lines.no_question")
            case name if name in WISHES:
                self._wish(name)
            case "rules" if view is not None:
                self._show("rules", view)
            case _ if view is None or view.rules is None:
                self.say("lines.no_table_yet" if view is None else "lines.not_founded")
            case name:
                self._show(name, view)

    def _close(self, view: TableView | None) -> None:
        """Close the table without a majority, after a question."""
        if view is None or view.rules is None:
            self.say("lines.no_table_yet" if view is None else "lines.not_founded")
            return
        if view.unconfirmed is None:
            self.print(command_refused(Refusal.CLOSE_NOT_NEEDED, self.texts))
            return
        seats = if_closed(view.unconfirmed, view, self._teller.words)
        self._ask_first(self.texts.text("lines.really_close", seats=seats), lambda: self._submit(Close()))

    def _hint(self, view: TableView | None) -> None:
        """Say what a strong player would do now."""
        if self._advise is None:
            self.say("lines.no_hints")
        elif view is None or view.rules is None or not view.legal or view.phase is not TablePhase.ACTING:
            self.say("hint.not_your_turn")
        else:
            self.print(hint(self._advise, view.rules, self._teller.words))

    def _wish(self, name: str) -> None:
        if self._submit(Wish(WISHES[name])):
            self._leaves = name == "leave"
            self.say("lines.wish_noted")

    def _say(self, text: str) -> None:
        if not text:
            self.say("lines.say_what")
        else:
            self._submit(Say(text))

    def _show(self, name: str, view: TableView) -> None:
        """Answer a question about the table."""
        for sentence in self._answers.about(name, view):
            self.print(sentence)
        if name == "status" and view.phase is not TablePhase.RESUMING and view.legal:
            self._prompts.print_turn(view)

    def _ahead(self, typed: str, view: TableView | None) -> None:
        """Choose a card to be played on one's turn; none to take that back."""
        cards = self._chosen.possible(view)
        if not typed:
            self._chosen.clear()
            self.say("lines.ahead_none")
        elif not cards or view is None:
            self.say("lines.ahead_not_now")
        else:
            card = parse_card(typed)
            if card not in cards:
                self.say("lines.ahead_which", hand=self._teller.words.cards(cards))
            else:
                self._chosen.mean(card)
                self.say("lines.ahead", card=self._teller.words.played_card(card))

    def _played_ahead(self, view: TableView) -> bool:
        """Play the card that was chosen ahead, if there is one and it is the person's turn; whether it was played."""
        self._chosen.renew(view)
        card = self._chosen.card
        if card is None or not view.legal:
            return False
        self._chosen.clear()
        meant = judged("play", card, view, self._teller.words)
        if isinstance(meant, Chosen):
            return self._submit(Act(meant.action))
        why = meant.message if isinstance(meant, Wrong) else ""
        self.say("screen.ahead_not", card=self._teller.words.played_card(card), why=why)
        return False

    def _address(self) -> None:
        """Say where others reach this table."""
        addresses = [] if self._peer is None else self._peer.addresses()
        if self._may_quit_freely or not addresses:
            self.say("lines.private")
        for host, port in addresses:
            self.say("lines.addresses", addresses=f"{host}:{port}")
        if self._code:
            self.say("code.shown", code=self._code)

    # Printing

    def say(self, key: str, **values: object) -> None:
        """Print a text of the catalogue."""
        self.print(self.texts.text(key, **values))

    def print(self, sentence: str) -> None:
        """Print a sentence, wrapped to the width of a plain terminal."""
        indent = " " * (len(sentence) - len(sentence.lstrip()))
        for line in textwrap.wrap(sentence, LINE_WIDTH, subsequent_indent=indent, break_on_hyphens=False) or [""]:
            self._write(line)

    def _view(self) -> TableView | None:
        return None if self._peer is None else self._peer.view()

    def _stop(self) -> None:
        self.left = True
        self.close()
        if self._peer is not None:
            self._peer.stop()

    def close(self) -> None:
        """Listen to the person no more, and let no timer run on. Call it when the peer has ended."""
        self._lines.mute()
        self._prompts.close()
