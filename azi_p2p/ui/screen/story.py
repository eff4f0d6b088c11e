"""What has happened at the table, as the screen keeps it: the log, the end of the last deal, what must be read.

What doesn't belong here: the sentences themselves (`azi_p2p.ui.tell`), and when a sheet is shown (`control`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from azi_p2p.session import events as happened
from azi_p2p.session.events import Event
from azi_p2p.session.view import TableView
from azi_p2p.ui.i18n import Catalogue
from azi_p2p.ui.names import clean_name
from azi_p2p.ui.proofs import Proofs
from azi_p2p.ui.screen.model import LogLine, Tone
from azi_p2p.ui.tell import Teller

MOST_LINES = 1000
"""Lines of the log that are kept; the oldest go first."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """Something to be read: a title, lines with their tones; `azi`: nobody won, which is an event of its own."""

    title: str
    lines: tuple[tuple[Tone, str], ...]
    azi: bool = False


class Story:
    """Keeps what happened. `clock` gives the time of day as `HH:MM:SS`."""

    def __init__(self, texts: Catalogue, me: bytes | None, clock: Callable[[], str]) -> None:
        self.texts = texts
        self.teller = Teller(texts, me)
        self.words = self.teller.words
        self.log: list[LogLine] = []
        self.result: Sheet | None = None
        """How the last deal ended."""
        self.alerts: list[Sheet] = []
        """What must be read before anything else; whoever shows one takes it out."""
        self.proofs = Proofs(self.words)
        self._clock = clock

    def add(self, events: Sequence[Event], view: TableView) -> None:
        """Take in what happened; `view` is the table after it."""
        self.proofs.add(events, view)
        for event in events:
            sentences = self.teller.tell([event], view)
            for sentence in sentences:
                self.note(sentence, chat=isinstance(event, happened.Said))
            match event:
                case happened.DealEnded():
                    self.result = self._result(event, [*sentences, *self._broke(view)])
                case happened.FaultSeen() | happened.ProfileOutdated() | happened.TableRefused():
                    tone: Tone = "bad"
                    self.alerts.append(
                        Sheet(self.texts.text("screen.alert"), tuple((tone, line) for line in sentences))
                    )
                case _:
                    pass

    def note(self, sentence: str, *, chat: bool = False) -> None:
        """Put a sentence into the log."""
        self.log.append(LogLine(self._clock()[:5], sentence, chat))
        del self.log[:-MOST_LINES]

    def _result(self, event: happened.DealEnded, sentences: Sequence[str]) -> Sheet:
        azi = event.result == "azi"
        lines: list[tuple[Tone, str]] = [
            ("ask" if not number else "text", sentence) for number, sentence in enumerate(sentences)
        ]
        return Sheet(self.texts.text("screen.deal_over", deal=event.deal), tuple(lines), azi)

    def _broke(self, view: TableView) -> list[str]:
        """What a person without chips can do; nothing while a stake of theirs is still in a carried pot."""
        state, seat = None if view.rules is None else view.rules.state, view.my_seat
        if state is None or seat is None or state.chips[seat] or state.stakes[seat] or state.deal is None:
            return []
        if seat not in state.deal.dealt_in:
            return []
        return [self.texts.text("screen.broke_rebuy" if view.params.rebuy else "screen.broke")]

    def fairness(self, view: TableView | None) -> tuple[Tone, str]:
        """The line of fairness: what is proven about the cards now, and what isn't yet."""
        if view is None or not view.proofs.shuffles_expected:
            return "dim", self.texts.text("screen.fair_none")
        proofs = view.proofs
        if any(seat.faulted for seat in view.seats):
            names = [clean_name(seat.name) for seat in view.seats if seat.faulted]
            return "bad", self.texts.text("screen.fair_fault", names=self.words.listed(names))
        if proofs.shuffles < proofs.shuffles_expected:
            return "dim", self.texts.text("screen.fair_part", done=proofs.shuffles, total=proofs.shuffles_expected)
        if not proofs.tokens:
            key = "screen.fair_own_deck" if proofs.own_shuffle else "screen.fair_deck"
            return "good", self.texts.text(key, total=proofs.shuffles_expected)
        key = "screen.fair_own" if proofs.own_shuffle else "screen.fair_all"
        return "good", self.texts.text(
            key, total=proofs.shuffles_expected, tokens=proofs.tokens, voids=self.teller.voids_proven
        )
