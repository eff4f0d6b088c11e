"""Between two deals: which wishes are honoured, who sits where, whether the table goes on.

A roster is proposed by one seat and agreed to by all who sign the next `open`. It carries the signed requests that
it honours; anybody can check them. Seats that were certified absent sit out until they ask to return.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from azi_p2p import rules
from azi_p2p.crypto.errors import CryptoError
from azi_p2p.crypto.identity import check_public_key, verify_signature
from azi_p2p.rules import IllegalAction, State
from azi_p2p.rules.state import replace_at
from azi_p2p.session.events import Change
from azi_p2p.session.faults import Fault
from azi_p2p.session.playstate import EndReason, Member, PlayPhase, PlayState
from azi_p2p.wire import messages
from azi_p2p.wire.envelope import SIGNATURE_DOMAIN, Envelope, decode_envelope
from azi_p2p.wire.errors import WireError


@dataclass(frozen=True, slots=True)
class RosterChange:
    """What a roster changes; `changes` lists (seat, what) in order, for telling people."""

    members: tuple[Member | None, ...]
    game: State
    away: frozenset[int]
    honoured: Mapping[bytes, int]
    seated: frozenset[bytes]
    finish: frozenset[int]
    end_reason: EndReason | None
    changes: tuple[tuple[int, Change], ...]


def open_signed(raw: bytes) -> Envelope:
    """Decode an envelope and check its author's key and signature; raises WireError or CryptoError."""
    envelope = decode_envelope(raw)
    check_signed(envelope)
    return envelope


def check_signed(envelope: Envelope) -> None:
    """Check the key and the signature of an envelope's author; raises CryptoError."""
    _check_key(envelope.author)
    verify_signature(envelope.author, SIGNATURE_DOMAIN, envelope.payload, envelope.signature)


@lru_cache(maxsize=64)
def _check_key(key: bytes) -> None:
    # The same few keys sign everything at a table; a refused key raises each time, since errors aren't cached.
    check_public_key(key)


def between_deals(play: PlayState) -> PlayState:
    """The state once a deal is closed: buy-in answers first, then the next roster, or the end at the deal limit."""
    if play.game.phase is rules.Phase.BUY_IN:
        return replace(play, phase=PlayPhase.ACT)
    if over_reason(play.game) == "deal_limit":
        return replace(play, phase=PlayPhase.END, end_reason="deal_limit")
    return replace(play, phase=PlayPhase.ROSTER, deal=play.deal + 1, attempt=0, step=0, deck=None, hands={})


def unless_all_absent(play: PlayState) -> PlayState:
    """The state as all present seats, or one of them, owe something outside a deal: but if everybody was certified
    absent, nobody counts as absent any more.

    All had lost each other for a while, so it is as if nobody had been absent. Whoever is really gone is certified
    absent anew, and the others go on. Where the roster itself is empty, a table that is over has ended, signed by none.
    """
    if play.present or play.phase not in (PlayPhase.ROSTER, PlayPhase.CLOSE, PlayPhase.END):
        return play
    later = replace(play, absent=frozenset())
    return replace(later, phase=PlayPhase.ENDED) if later.phase is PlayPhase.END and not later.present else later


def over_reason(game: State) -> EndReason | None:
    """Why the rules say that the table has ended, None while it goes on."""
    match rules.is_over(game):
        case "one_left":
            return "one_left"
        case "deal_limit":
            return "deal_limit"
        case _:
            return None


def settle_absences(play: PlayState) -> tuple[State, frozenset[int]]:
    """The game and the seats that are away, once the seats certified absent in the deal before sit out."""
    game = play.game
    for seat in sorted(play.absent):
        if game.status[seat] is rules.SeatStatus.IN:
            game = rules.apply(game, rules.SitOut(seat))
    gone = frozenset(seat for seat in play.absent if game.status[seat] is rules.SeatStatus.LEFT)
    return game, (play.away | play.absent) - gone


def apply_roster(play: PlayState, body: messages.Roster, *, must_deal: bool = True) -> RosterChange:
    """Apply a proposed roster to the table; raises Fault when it honours anything that isn't so.

    `must_deal`: a roster with which nobody can be dealt in, and the table isn't over, is a fault too.
    """
    game, away = settle_absences(play)
    change = RosterChange(play.members, game, away, play.honoured, play.seated, play.finish, None, ())
    for raw in body.requests:
        change = _honour(play, change, _request(play, raw))
    over = over_reason(change.game)
    present = [
        seat
        for seat, member in enumerate(change.members)
        if member is not None
        and seat not in change.away
        and change.game.status[seat] in (rules.SeatStatus.IN, rules.SeatStatus.OUT)
    ]
    if over is None and present and change.finish.issuperset(present):
        over = "finish"
    if must_deal and over is None and len(rules.deal_seats(change.game)) < 2 and not rules.can_take_pot(change.game):
        raise Fault("bad_roster", "with this roster nobody can be dealt in")
    return replace(change, end_reason=over)


def _request(play: PlayState, raw: bytes) -> Envelope:
    try:
        envelope = open_signed(raw)
    except (WireError, CryptoError) as error:
        raise Fault("bad_roster", f"the roster holds a request that is not in order: {error}") from error
    if envelope.table != play.table or envelope.type not in ("request", "seat"):
        raise Fault("bad_roster", f"the roster holds a {envelope.type} message that is no request to this table")
    return envelope


def _honour(play: PlayState, change: RosterChange, envelope: Envelope) -> RosterChange:
    body = envelope.body
    if isinstance(body, messages.SeatRequest):
        return _join(play, change, envelope, body)
    assert isinstance(body, messages.Request)
    seats = [seat for seat, member in enumerate(change.members) if member is not None and member.key == envelope.author]
    if not seats:
        raise Fault("bad_roster", "the roster honours a request of somebody who isn't at the table")
    seat = seats[0]
    if body.number <= change.honoured.get(envelope.author, 0):
        raise Fault("bad_roster", "the roster honours a request that is out of date")
    honoured = {**change.honoured, envelope.author: body.number}
    change = replace(change, honoured=honoured)
    if body.wish in ("leave", "sit_out", "return", "rebuy"):
        change = replace(change, changes=(*change.changes, (seat, body.wish)))
    try:
        match body.wish:
            case "leave":
                return replace(change, game=rules.apply(change.game, rules.Leave(seat)), away=change.away - {seat})
            case "sit_out":
                return replace(change, game=rules.apply(change.game, rules.SitOut(seat)))
            case "return":
                return replace(change, game=rules.apply(change.game, rules.Return(seat)), away=change.away - {seat})
            case "rebuy":
                return replace(change, game=rules.apply(change.game, rules.Rebuy(seat)))
            case "finish":
                return replace(change, finish=change.finish | {seat})
            case _:
                raise Fault("bad_roster", f"a roster has nothing to do with the wish {body.wish}")
    except IllegalAction as error:
        raise Fault("bad_roster", f"the roster honours a wish against the rules: {error}") from error


def _join(play: PlayState, change: RosterChange, envelope: Envelope, body: messages.SeatRequest) -> RosterChange:
    if body.params != play.wire_params:
        raise Fault("bad_roster", "the roster seats somebody who signed other table parameters")
    gone = rules.SeatStatus.LEFT
    if any(
        member is not None and member.key == envelope.author and change.game.status[seat] is not gone
        for seat, member in enumerate(change.members)
    ):
        raise Fault("bad_roster", "the roster seats somebody twice")
    if envelope.id in change.seated:
        raise Fault("bad_roster", "the roster honours a request for a seat a second time")
    for seat in range(len(change.members)):
        try:
            game = rules.apply(change.game, rules.Join(seat))
        except IllegalAction:
            continue
        member = Member(envelope.author, body.nickname, envelope.id)
        return replace(
            change,
            game=game,
            members=replace_at(change.members, seat, member),
            seated=change.seated | {envelope.id},
            finish=change.finish - {seat},
            changes=(*change.changes, (seat, "join")),
        )
    raise Fault("bad_roster", "the roster seats somebody where no seat is free")
