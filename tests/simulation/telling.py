"""The story of a simulated evening, in lines that a person can follow.

Troubles are told as they happen; of what happens at the table each thing once, by whoever honest knows it first.
"""

from __future__ import annotations

from collections.abc import Sequence

from azi_p2p.session.events import AbsenceClaimed, DealEnded, DealOpened, Event, FaultSeen, SeatAbsent, TableEnded
from azi_p2p.session.lanes import Lanes
from azi_p2p.session.playstate import PlayState
from azi_p2p.wire.messages import Vote

FIRST, LAST = 12, 40
"""Lines of a long story that are shown, from its beginning and from its end."""


class Story:
    """Lines, each with the world's time in seconds."""

    def __init__(self) -> None:
        """An evening begins."""
        self.lines: list[str] = []
        self._told: set[tuple[object, ...]] = set()

    def add(self, now: float, text: str) -> None:
        """Add a line."""
        self.lines.append(f"{now:9.3f}  {text}")

    def event(self, now: float, who: str, play: PlayState, event: Event) -> None:
        """A session has told of something; it is told here once."""
        text = _line(who, play, event)
        key = (type(event), play.deal, getattr(event, "seat", None), getattr(event, "round", None))
        if text is not None and key not in self._told:
            self._told.add(key)
            self.add(now, text)

    def short(self) -> Sequence[str]:
        """The story, of a long one the beginning and the end."""
        if len(self.lines) <= FIRST + LAST:
            return self.lines
        left = len(self.lines) - FIRST - LAST
        return [*self.lines[:FIRST], f"           ... {left} lines ...", *self.lines[-LAST:]]


def _line(who: str, play: PlayState, event: Event) -> str | None:
    match event:
        case DealOpened(deal=deal):
            return f"deal {deal} is opened"
        case DealEnded(deal=deal, result=result, winner=winner):
            return f"deal {deal} ends: {result}{'' if winner is None else f', won by {_name(play, winner)}'}"
        case AbsenceClaimed(seat=seat, round=number):
            return f"{who} hears that {_name(play, seat)} is claimed absent at {play.phase}, round {number}"
        case SeatAbsent(seat=seat):
            return f"{_name(play, seat)} is certified absent at {play.phase}; {who} knows it first"
        case FaultSeen(seat=seat, code=code, message=message):
            return f"{who} sees a fault of {_name(play, seat)}: {code}, {message}"
        case TableEnded(reason=reason):
            return f"{who} knows that the table is over ({reason})"
    return None


def _name(play: PlayState, seat: int) -> str:
    member = play.members[seat]
    return f"seat {seat}" if member is None else member.name


def where(name: str, lanes: Lanes | None, alive: bool, honest: bool) -> str:
    """Where a peer is, and what is voted on there."""
    is_so = ("" if alive else " (not there)") + ("" if honest else " (not honest)")
    if lanes is None:
        return f"{name}{is_so}: not founded"
    play, deck = lanes.play, lanes.deck
    below = "" if deck is None else f"; deck {deck.deal}.{deck.attempt} {deck.phase} owed {deck.owed}"
    lines = [
        f"{name}{is_so}: deal {play.deal}.{play.attempt} step {play.step} {play.phase} owed {play.owed}"
        f" roster {play.roster} away {sorted(play.away)} absent {sorted(play.absent)} head {play.head.hex()[:6]}{below}"
    ]
    for question, poll in lanes.ballots.polls.items():
        said = {
            number: {seat: vote.body.verdict for seat, vote in votes.items() if isinstance(vote.body, Vote)}
            for number, votes in poll.votes.items()
        }
        place = question.place
        lines.append(
            f"    poll {place.lane} {place.deal}.{place.attempt} step {place.step} {place.prev.hex()[:6]}"
            f" seat {question.seat} round {poll.round}"
            f" outcome {poll.outcome and (poll.outcome.round, poll.outcome.move)} votes {said}"
        )
    return "\n".join(lines)
