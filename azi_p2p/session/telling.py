"""What a step changed, told as events; and the counts of what was checked. Pure: states in, facts out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from azi_p2p import rules
from azi_p2p.rules import State
from azi_p2p.session import playlane
from azi_p2p.session.events import (
    ActionTaken,
    CardsDealt,
    DealEnded,
    DealOpened,
    Event,
    ReceiptSigned,
    SeatChanged,
    SeatTaken,
    TrickWon,
)
from azi_p2p.session.jobs import CheckTokens, Job
from azi_p2p.session.playstate import PERSONAL, PlayPhase, PlayState
from azi_p2p.session.roster import apply_roster
from azi_p2p.wire import messages
from azi_p2p.wire.envelope import Envelope


def events_between(before: PlayState, after: PlayState, moves: Mapping[int, Envelope | None]) -> Iterator[Event]:
    """What happened in the step from `before` to `after`, in order."""
    if before.phase is PlayPhase.ROSTER:
        yield from _roster_events(before, after, moves)
    if before.phase is PlayPhase.OPEN and after.phase is PlayPhase.TOKENS:
        yield DealOpened(after.deal)
    if before.phase is PlayPhase.TOKENS and after.game.deal is not None and after.game.deal.result is None:
        yield CardsDealt(after.deal)
    if before.phase in PERSONAL:
        yield from _actions(before, moves)
        yield from _tricks(before.game, after.game)
    booked = after.game is not before.game and after.game.deal is not None
    if before.phase is not PlayPhase.CLOSE and after.phase is PlayPhase.CLOSE and booked:
        deal = after.game.deal
        assert deal is not None
        yield DealEnded(after.deal, str(deal.result), deal.winner)
    if before.phase is PlayPhase.CLOSE:
        yield ReceiptSigned(before.deal)


def _roster_events(before: PlayState, after: PlayState, moves: Mapping[int, Envelope | None]) -> Iterator[Event]:
    for envelope in moves.values():
        if envelope is not None and isinstance(envelope.body, messages.Roster):
            for seat, change in apply_roster(before, envelope.body).changes:
                member = after.members[seat]
                if change == "join" and member is not None:
                    yield SeatTaken(seat, member.name, member.key)
                yield SeatChanged(seat, change)


def _actions(before: PlayState, moves: Mapping[int, Envelope | None]) -> Iterator[Event]:
    for seat in before.owed:
        envelope = moves[seat]
        if envelope is None:
            yield ActionTaken(seat, rules.Absent(seat))
            continue
        action = playlane.action_of(seat, envelope.body)
        assert action is not None
        voids: tuple[str, ...] = ()
        if isinstance(action, rules.Play):
            voids = tuple(str(suit) for suit in rules.voids_owed(before.game, seat, action.card))
        yield ActionTaken(seat, action, voids)


def _tricks(before: State, after: State) -> Iterator[Event]:
    if before.deal is None or after.deal is None:
        return
    for number in range(len(before.deal.tricks), len(after.deal.tricks)):
        winner = after.deal.tricks[number].winner
        assert winner is not None
        yield TrickWon(winner, number)


def checks_of(envelope: Envelope, job: Job | None) -> Counter[str]:
    """What counting this envelope adds to the tally of checks."""
    body = envelope.body
    counts: Counter[str] = Counter(moves=int(envelope.lane == "play"))
    if isinstance(body, messages.Shuffle):
        counts["shuffles"] = 1
    elif isinstance(body, messages.Tokens):
        counts["tokens"] = len(body.tokens)
    elif isinstance(body, messages.Play):
        counts["tokens"] = 1
        counts["void_proofs"] = len(body.void)
    assert job is None or not isinstance(job, CheckTokens) or counts["tokens"] == len(job.bases)
    return counts


def check_conserved(before: PlayState, after: PlayState, conserved: Callable[[State], int]) -> None:
    """Assert that no step makes or loses chips; only newcomers and rebuys, at a roster, bring any."""
    if before.phase is not PlayPhase.ROSTER:
        assert conserved(before.game) == conserved(after.game), "chips were made or lost"
