"""What a ledger holds of its last step while that isn't complete, in the one order that it may have.

A peer appends to its ledger, so a file that stops early is a prefix of the complete one. This module says which
records such a prefix can end with; complete steps are the archive's business.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from azi_p2p.session.decklane import DeckPhase
from azi_p2p.session.lanes import Lanes
from azi_p2p.session.playstate import PlayPhase, PlayState
from azi_p2p.session.votes import Poll, Question, question_of
from azi_p2p.wire.envelope import Envelope, Place
from azi_p2p.wire.messages import Vote


def unfinished(lanes: Lanes) -> list[bytes]:
    """Give the envelopes of the step that isn't complete, in ledger order, up to the first one that is missing."""
    opening = lanes.play.phase is PlayPhase.OPEN
    found = _opening(lanes) if opening else [*lanes.history.attempts(), *_step(lanes)]
    return [envelope.raw for envelope in found]


def _opening(lanes: Lanes) -> list[Envelope]:
    """Before the antes are all there: attempts given up, the deck lane, then antes, or a certificate that is begun."""
    deck, play = lanes.deck, lanes.play
    preparing = deck is not None and deck.phase is not DeckPhase.READY
    owed, inbox = (deck.owed, lanes.deck_inbox) if deck is not None and preparing else (play.owed, lanes.play_inbox)
    here = list(_without_gap(owed, inbox.moves))
    polls = [poll for poll in lanes.ballots.polls.values() if _may_drop(play, poll.question.place)]
    begun = [] if here else _begun_certificate(polls, play.present)
    # It may be about the attempt that the certificate before it has ended: then both are about that attempt's deck.
    both = question_of(begun[0]) if begun and not lanes.deck_log else None
    return [*lanes.history.attempts(both), *lanes.deck_log, *here, *begun]


def _may_drop(play: PlayState, place: Place) -> bool:
    """Whether a certificate about this place could end the attempt that is under way, or come late for it."""
    if place.deal != play.deal or not play.attempt - len(play.dropped) <= place.attempt <= play.attempt:
        return False
    return place.lane == "deck" or (place.prev, place.step) == (play.head, play.step)


def _step(lanes: Lanes) -> list[Envelope]:
    found: list[Envelope] = []
    for seat in lanes.play.owed:
        poll = lanes.ballots.polls.get(Question(lanes.play.place, seat))
        if poll is not None and poll.certified and poll.outcome is not None:
            found += poll.outcome.votes
        elif seat in lanes.play_inbox.moves:
            found.append(lanes.play_inbox.moves[seat])
        else:
            begun = [] if poll is None else _begun_certificate([poll], [seat])
            return [*found, *(begun or _late_certificate(lanes))]
    return found


def _late_certificate(lanes: Lanes) -> list[Envelope]:
    """Where too few were left to open the deal: the certificate about one seat more that the file breaks off in."""
    polls = [poll for poll in lanes.ballots.polls.values() if lanes.history.opening_of(poll.question.place)]
    if lanes.play.phase is not PlayPhase.ROSTER or lanes.play.deal not in {poll.question.place.deal for poll in polls}:
        return []
    return _begun_certificate(polls, lanes.play.present)


def _without_gap(owed: Collection[int], moves: Mapping[int, Envelope]) -> Iterator[Envelope]:
    for seat in owed:
        if seat not in moves:
            return
        yield moves[seat]


def _begun_certificate(polls: Collection[Poll], seats: Collection[int]) -> list[Envelope]:
    """Give the votes of the certificate that the file breaks off in; none if they couldn't become one."""
    begun = [poll for poll in polls if poll.outcome is None and any(poll.votes.values())]
    if len(begun) != 1 or len(begun[0].votes) != 1 or begun[0].question.seat not in seats:
        return []
    (votes,) = begun[0].votes.values()
    claims = [votes[seat] for seat in sorted(votes)]
    return claims if all(isinstance(claim.body, Vote) and claim.body.verdict == "claim" for claim in claims) else []
