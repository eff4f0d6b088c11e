"""Signed requests of seats and of those who want to join, until a roster honours them.

Only a signer's highest number counts in each kind: changes of the seat, the end of the table, the clock. A pause holds
while every present seat has asked for it; any one ends it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from azi_p2p.session.faults import Fault
from azi_p2p.session.playstate import PlayPhase, PlayState
from azi_p2p.session.roster import apply_roster
from azi_p2p.wire.envelope import Envelope
from azi_p2p.wire.messages import Request, Roster, SeatRequest

MAX_APPLICATIONS = 32
"""Applications for a seat that are kept at the same time."""

KINDS = {
    "leave": "seat",
    "sit_out": "seat",
    "return": "seat",
    "rebuy": "seat",
    "pause": "clock",
    "resume": "clock",
    "finish": "finish",
}


@dataclass(slots=True)
class Wishes:
    """The newest request of each kind, by the key of who signed it; and applications for a seat, by key.

    `linked`: the own key, and those of peers that are linked now; other keys cost nothing to invent.
    """

    requests: dict[tuple[bytes, str], Envelope] = field(default_factory=dict)
    applications: dict[bytes, Envelope] = field(default_factory=dict)
    linked: Collection[bytes] = frozenset()

    def enter(self, envelope: Envelope) -> bool:
        """Enter a signed request or application; returns whether it was news."""
        body = envelope.body
        if isinstance(body, SeatRequest):
            known = self.applications.get(envelope.author)
            if known is None and len(self.applications) >= MAX_APPLICATIONS and not self._make_room(envelope.author):
                return False
            self.applications[envelope.author] = envelope
            return known is None or known.id != envelope.id
        assert isinstance(body, Request)
        if not self.is_news(envelope):
            return False
        self.requests[(envelope.author, KINDS[body.wish])] = envelope
        return True

    def is_news(self, envelope: Envelope) -> bool:
        """Whether a signed request has a higher number than any other of its signer."""
        body = envelope.body
        return isinstance(body, Request) and body.number > self.highest(envelope.author)

    def _make_room(self, author: bytes) -> bool:
        """Let go of an application whose author isn't linked, for one whose author is."""
        others = [key for key in self.applications if key not in self.linked]
        if author not in self.linked or not others:
            return False
        del self.applications[others[0]]
        return True

    def highest(self, author: bytes) -> int:
        """The highest number of any request of this signer."""
        numbers = [
            e.body.number for (key, _), e in self.requests.items() if key == author and isinstance(e.body, Request)
        ]
        return max(numbers, default=0)

    def open_wishes(self, play: PlayState, key: bytes) -> frozenset[str]:
        """What this signer has asked for and no roster has honoured yet."""
        honoured = play.honoured.get(key, 0)
        return frozenset(
            envelope.body.wish
            for (author, kind), envelope in self.requests.items()
            if author == key and isinstance(envelope.body, Request) and self._is_open(envelope.body, kind, honoured)
        )

    @staticmethod
    def _is_open(body: Request, kind: str, honoured: int) -> bool:
        return kind != "clock" and body.number > honoured

    def paused(self, play: PlayState) -> bool:
        """Whether all present seats together have stopped the clock of persons."""
        present = play.present
        return bool(present) and all(self._wants_pause(play, seat) for seat in present)

    def _wants_pause(self, play: PlayState, seat: int) -> bool:
        member = play.members[seat]
        envelope = None if member is None else self.requests.get((member.key, "clock"))
        return envelope is not None and isinstance(envelope.body, Request) and envelope.body.wish == "pause"

    def end_pause(self) -> None:
        """Somebody has resumed: everybody's wish for a pause is over."""
        for key in [key for key in self.requests if key[1] == "clock"]:
            del self.requests[key]

    def proposal(self, play: PlayState, refused: frozenset[bytes]) -> Roster | None:
        """The roster to propose now: every open wish that the rules allow, seat by seat, then those who join.

        Who wants to return is dealt in once linked. `refused`: keys whose wishes are not honoured (proven faults).
        None when with it nobody could be dealt in.
        """
        assert play.phase is PlayPhase.ROSTER
        chosen: list[bytes] = []
        for envelope in self._candidates(play, refused):
            trial = Roster(requests=[*chosen, envelope.raw])
            if len(trial.requests) <= 24 and _is_honourable(play, trial):
                chosen.append(envelope.raw)
        roster = Roster(requests=chosen)
        try:
            apply_roster(play, roster)
        except Fault:
            return None
        return roster

    def _candidates(self, play: PlayState, refused: frozenset[bytes]) -> list[Envelope]:
        wishes: list[tuple[int, int, Envelope]] = []
        for (key, kind), envelope in self.requests.items():
            seat = play.seat_of(key)
            if seat is None or key in refused or not isinstance(envelope.body, Request):
                continue
            if envelope.body.wish == "return" and key not in self.linked:
                continue  # It may be gone for good: with it in the roster, nobody might be left to say so.
            if self._is_open(envelope.body, kind, play.honoured.get(key, 0)):
                wishes.append((seat, envelope.body.number, envelope))
        joins = [e for key, e in self.applications.items() if key not in refused and e.id not in play.seated]
        joins.sort(key=lambda envelope: envelope.author not in self.linked)
        return [envelope for _, _, envelope in sorted(wishes, key=lambda wish: wish[:2])] + joins


def _is_honourable(play: PlayState, roster: Roster) -> bool:
    """Whether every request of this roster is in order; that too few could be dealt in with it doesn't count here."""
    try:
        apply_roster(play, roster, must_deal=False)
    except Fault:
        return False
    return True
