"""Which envelopes have come in, and those that wait for their step: bounded, whoever sends them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from azi_p2p.session.heads import next_head
from azi_p2p.session.playstate import Absence, PlayState
from azi_p2p.wire.envelope import Envelope

BUFFER_PER_AUTHOR = 96
"""Envelopes of one author that may wait for a later step; an honest peer is at most one deal ahead."""

BUFFER_OF_STRANGERS = 32
"""Envelopes of authors without a seat that may wait, all together: a roster may be under way that seats them."""


class Filing:
    """The ids of what has been filed, by deal, and the envelopes that wait."""

    def __init__(self) -> None:
        self._filed: dict[bytes, int] = {}
        self._filed_deck: set[bytes] = set()
        self._waiting: dict[bytes, Envelope] = {}

    def __len__(self) -> int:
        """How many envelopes wait."""
        return len(self._waiting)

    def knows(self, envelope_id: bytes) -> bool:
        """Whether an envelope with this id has come in before."""
        return envelope_id in self._filed or envelope_id in self._filed_deck or envelope_id in self._waiting

    def note(self, envelope: Envelope) -> None:
        """An envelope has been filed."""
        if envelope.lane == "deck":
            self._filed_deck.add(envelope.id)
        else:
            self._filed[envelope.id] = envelope.deal

    def unnote(self, envelope_id: bytes) -> None:
        """An envelope of the play lane, or a vote, must be able to come in again."""
        self._filed.pop(envelope_id, None)

    def begin_deck(self) -> None:
        """A deck lane begins, perhaps one that was given up before: its messages must be able to come in again."""
        self._filed_deck = set()

    def keep(self, envelope: Envelope, play: PlayState) -> bool:
        """Let an envelope wait for its step, if that may come soon and there is room; says whether it was kept."""
        if not play.deal - 1 <= envelope.deal <= play.deal + 2:
            return False
        if play.seat_of(envelope.author) is None:
            waiting = sum(1 for other in self._waiting.values() if play.seat_of(other.author) is None)
            room = BUFFER_OF_STRANGERS
        else:
            waiting = sum(1 for other in self._waiting.values() if other.author == envelope.author)
            room = BUFFER_PER_AUTHOR
        if waiting >= room:
            return False
        self._waiting[envelope.id] = envelope
        return True

    def authors_on(
        self, head: bytes, play: PlayState, signed: Collection[Envelope], certified: Mapping[bytes, Collection[Absence]]
    ) -> set[bytes]:
        """Who has signed in the play lane on this head or on what follows it.

        Of messages that wait, and of those `signed` that have come to their step, in order there or not. Whoever names
        a head agrees to all before it; so a step is followed whose messages, and the absences that are `certified` on
        its head, make a head that is named.
        """
        named: dict[bytes, list[tuple[int, Envelope]]] = {}
        for envelope in (*signed, *self._waiting.values()):
            seat = play.seat_of(envelope.author)
            if envelope.lane == "play" and seat is not None:
                named.setdefault(envelope.prev, []).append((seat, envelope))
        followed: set[bytes] = set()
        authors: set[bytes] = set()
        while head not in followed and (head in named or head in certified):
            followed.add(head)
            here, absent = named.get(head, []), certified.get(head, ())
            authors.update(envelope.author for _, envelope in here)
            after = (next_head(head, entries) for entries in _entries(here, absent))
            head = next((later for later in after if later in named or later in certified), b"")
        return authors

    def offer(self, take: Callable[[Envelope], bool]) -> None:
        """Offer what waits, oldest first, to somebody who says whether its step has come."""
        for envelope in list(self._waiting.values()):
            if take(envelope):
                self._waiting.pop(envelope.id, None)
                self.note(envelope)

    def forget(self, deal: int) -> None:
        """Deals before this one are over."""
        self._waiting = {key: envelope for key, envelope in self._waiting.items() if envelope.deal >= deal}
        self._filed = {key: filed for key, filed in self._filed.items() if filed >= deal}


def _entries(signed: Collection[tuple[int, Envelope]], absent: Collection[Absence]) -> Iterator[list[bytes]]:
    """What may have been entered in the chain for one step, of which these messages and absences are known.

    A deal's opening is tried again on one head. Of a turn there may be more than one message: one that isn't in order
    beside the one that is. And a seat that was certified absent may have signed all the same.
    """
    gone = {absence.seat: absence.entry for absence in absent}
    for attempt in {envelope.attempt for _, envelope in signed} or {0}:
        moves = {seat: envelope.id for seat, envelope in signed if envelope.attempt == attempt}
        for entries in (gone | moves, moves | gone):
            yield [entry for _, entry in sorted(entries.items())]
    yield from ([envelope.id] for _, envelope in signed)
    yield from ([entry] for entry in gone.values())
