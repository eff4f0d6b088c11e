"""What a table has gone past: complete steps, and attempts to open a deal that were given up.

A step can be returned to until it is closed, which the archive knows. When to return to one is for a certificate to
say; which envelopes count at a step, and what follows, is decided in `lanes`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from azi_p2p.session import decklane, playlane
from azi_p2p.session.archive import Archive
from azi_p2p.session.decklane import DeckState
from azi_p2p.session.givenup import Ending, GivenUp
from azi_p2p.session.playstate import PlayPhase, PlayState
from azi_p2p.session.votes import Question
from azi_p2p.wire.envelope import Envelope, Place

PAST_KEPT = 256
"""Complete steps whose heads are remembered, to tell late messages from future ones."""


@dataclass(frozen=True, slots=True)
class PastStep:
    """A complete step: who owed what, the envelopes that counted, and (play lane) the state before it.

    An `open` that came to nothing, since too few seats were left, is one too: its `state` is the one with all those
    seats dropped. `endings`: of an `open`, the certificates that ended attempts before it. `void`:
    envelopes that don't count, since their seats were certified absent.
    """

    place: Place
    owed: tuple[int, ...]
    moves: dict[int, Envelope]
    state: PlayState | None
    endings: tuple[Ending, ...] = ()
    void: Mapping[int, Envelope] = field(default_factory=dict)

    @property
    def gave_up(self) -> bool:
        """Whether it is an `open` that came to nothing."""
        return self.state is not None and self.state.phase is PlayPhase.OPEN and not playlane.can_deal(self.state)

    def may_drop(self, seat: int) -> bool:
        """Whether a certificate could still take us back to this step, an `open`, to go on without this seat."""
        return self.state is not None and self.state.phase is PlayPhase.OPEN and seat in self.state.present


class History:
    """The steps that a table has gone past, by the head that they were taken on, the newest last.

    `given_up`: what has ended attempts to open the deal that is due.
    """

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self.past: dict[bytes, PastStep] = {}
        self.given_up = GivenUp()
        # The few among them that a certificate about an attempt can be about; others needn't be looked through for it.
        self._openings: dict[bytes, PastStep] = {}

    def remember(self, step: PastStep) -> None:
        """A step is complete."""
        self.past[step.place.prev] = step
        if step.state is not None and step.state.phase is PlayPhase.OPEN:
            self._openings[step.place.prev] = step
        while len(self.past) > PAST_KEPT:
            self._forget(next(iter(self.past)))

    def opening_of(self, place: Place) -> PastStep | None:
        """The `open` that we had gone past, and that isn't closed, for which a step is an attempt; None if none is."""
        for past in self.openings():
            assert past.state is not None
            if past.place.deal < place.deal:
                return None
            if belongs(past.state, place):
                return past
        return None

    def openings(self) -> Iterator[PastStep]:
        """The `open`s that we had gone past and that aren't closed, the newest first."""
        for past in reversed(self._openings.values()):
            if self.archive.is_written(past.place.deal, past.place.step):
                return
            yield past

    def step_of(self, place: Place) -> PastStep | None:
        """The step that a place names, or for which it is an attempt, if we have gone past it."""
        return self.opening_of(place) or self.past.get(place.prev)

    def undoes(self, question: Question, past: PastStep) -> bool:
        """Whether a certificate takes us back to this step, which we had gone past."""
        place, seat, state = question.place, question.seat, past.state
        if state is None or self.archive.is_written(past.place.deal, past.place.step):
            return False
        if state.phase is not PlayPhase.OPEN:
            return past.place == place and seat in past.moves
        deck = self.past.get(place.prev)
        known = place.lane == "play" or place.attempt < state.attempt or (deck is not None and deck.place == place)
        return belongs(state, place) and past.may_drop(seat) and known

    def cut_off(self, past: PastStep) -> list[Envelope]:
        """Go back to before this step, of the play lane, and give the messages that are abandoned with it."""
        self.archive.take_back(past.place.deal, past.place.step)
        heads = list(self.past)
        lost: list[Envelope] = []
        for head in heads[heads.index(past.place.prev) :]:
            step = self.past[head]
            if step.state is not None:
                lost += (*step.moves.values(), *step.void.values())
                self._forget(head)
        self.given_up.endings = list(past.endings)
        return lost

    def resumed(self, deck: DeckState) -> tuple[DeckState, list[Envelope]]:
        """The deck that begins, as far as it had been prepared when it was left for another; and its messages.

        A roster that is taken back may have changed the seats; then the deck from before it is due again. Another deck
        with this number belongs to the chain that was given up: it must not come into a ledger, so it is forgotten.
        """
        log: list[Envelope] = []
        kept: set[bytes] = set()
        while (step := self.past.get(deck.head)) is not None and step.place == deck.place:
            kept.add(deck.head)
            log.extend(step.moves[seat] for seat in step.owed)
            deck = decklane.advance(deck, step.moves)
        number = ("deck", deck.deal, deck.attempt)
        for head, step in list(self.past.items()):
            if (step.place.lane, step.place.deal, step.place.attempt) == number and head not in kept:
                self._forget(head)
        return deck, log

    def _forget(self, head: bytes) -> None:
        del self.past[head]
        self._openings.pop(head, None)

    def attempts(self, begun: Question | None = None) -> list[Envelope]:
        """What is to be kept of attempts to open the next deal that were given up, in ledger order.

        `begun`: what one more certificate about them is about, in which a ledger breaks off.
        """
        steps = [(past.place, past.owed, past.moves) for past in self.past.values() if past.place.lane == "deck"]
        return list(self.given_up.envelopes(steps, begun))

    def take_attempts(self) -> tuple[list[Envelope], tuple[Ending, ...]]:
        """The same, and what ended them; there are none any more: the deal is opened, or another roster is due."""
        taken = self.attempts(), tuple(self.given_up.endings)
        self.given_up.clear()
        return taken


def belongs(state: PlayState, place: Place) -> bool:
    """Whether a step belongs to an attempt, the last or one given up, to open the deal that is due in this state."""
    if state.phase is not PlayPhase.OPEN or place.deal != state.deal:
        return False
    # What was certified before the last roster has had its effect: whoever was absent then may have returned since.
    first, last = state.attempt - len(state.dropped), state.attempt
    if not playlane.can_deal(state):
        last -= 1  # This number is for after the roster that is due instead.
    if not first <= place.attempt <= last:
        return False
    if place.lane == "play":
        return (place.prev, place.step) == (state.head, state.step)
    return place.lane == "deck"


def is_given_up(state: PlayState, place: Place) -> bool:
    """Whether a step belongs to an attempt to open the deal that is due in this state, and another one is under way."""
    return belongs(state, place) and place.attempt < state.attempt
