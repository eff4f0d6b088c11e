"""The view of a table: what the own seat may know, put together for a screen or a bot."""

from __future__ import annotations

from collections.abc import Collection

from azi_p2p import rules
from azi_p2p.crypto.identity import short_fingerprint
from azi_p2p.rules import Params
from azi_p2p.session.closing import Reckoning
from azi_p2p.session.gathering import Gathering, rules_params
from azi_p2p.session.lanes import Lanes
from azi_p2p.session.own import Own
from azi_p2p.session.playstate import PERSONAL, PlayPhase
from azi_p2p.session.view import Phase, ProofTally, SeatView, TableView
from azi_p2p.wire.messages import Play, SeatRequest

_PHASES = {
    PlayPhase.ROSTER: Phase.CLOSING,
    PlayPhase.OPEN: Phase.OPENING,
    PlayPhase.TOKENS: Phase.DEALING,
    PlayPhase.DISCARD: Phase.ACTING,
    PlayPhase.ACT: Phase.ACTING,
    PlayPhase.CLOSE: Phase.CLOSING,
    PlayPhase.END: Phase.CLOSING,
    PlayPhase.ENDED: Phase.ENDED,
}


def view_before(gathering: Gathering, key: bytes | None, links: Collection[bytes]) -> TableView:
    """The view while people take seats."""
    params = gathering.params
    seats = tuple(
        SeatView(
            seat=order,
            name=envelope.body.nickname,
            key=author,
            fingerprint=short_fingerprint(author),
            linked=author in links or author == key,
            absent=False,
            away=False,
            faulted=False,
            gone=False,
        )
        for order, (author, envelope) in enumerate(gathering.seats.items())
        if isinstance(envelope.body, SeatRequest)
    )
    mine = next((seat.seat for seat in seats if seat.key == key), None)
    return TableView(
        table=gathering.table or b"",
        name="" if params is None else params.name,
        params=Params() if params is None else rules_params(params),
        phase=Phase.GATHERING,
        my_seat=mine,
        founder=key is not None and key == gathering.founder,
        seats=seats,
        deal=0,
        rules=None,
        legal=(),
        owed=(),
        deadline=None,
        paused=False,
        proofs=ProofTally(0, 0, False, 0, 0),
        wishes=frozenset(),
        finish_wishes=frozenset(),
        standings=(),
        head=b"",
    )


def view_of(
    lanes: Lanes,
    own: Own | None,
    links: Collection[bytes],
    wishes: frozenset[str],
    finish: frozenset[int],
    deadline: float | None,
    founder: bytes | None,
    *,
    paused: bool,
    waiting: bool,
    acting: bool,
    resuming: bool,
    unconfirmed: Reckoning | None,
) -> TableView:
    """The view of a founded table.

    `finish`: seats that want to end the table; `waiting`: too few can be dealt in; `acting`: the proofs of our own
    action are being made, so there is nothing more to choose; `resuming`: we don't know yet how far the table has got.
    """
    play = lanes.play
    seat = None if own is None else play.seat_of(own.key)
    game = play.game if own is None or seat is None else own.private_game(play, seat)
    shown = rules.view_for(game, seat)
    owed = tuple(s for s in play.owed if s not in lanes.play_inbox.moves) if play.phase in PERSONAL else ()
    return TableView(
        table=play.table,
        name=play.wire_params.name,
        params=play.params,
        phase=Phase.RESUMING if resuming else _phase(lanes, waiting=waiting),
        my_seat=seat,
        founder=own is not None and own.key == founder,
        seats=tuple(_seat(lanes, own, links, number) for number in range(len(play.members)) if play.members[number]),
        deal=play.deal,
        rules=shown,
        legal=shown.options if seat in owed and not acting else (),
        owed=owed,
        deadline=deadline,
        paused=paused,
        proofs=_tally(lanes, own),
        wishes=wishes,
        finish_wishes=finish,
        standings=rules.standings(play.game) if lanes.over else (),
        head=play.head,
        unconfirmed=unconfirmed,
        onlookers=onlookers(lanes, links),
    )


def onlookers(lanes: Lanes, links: Collection[bytes]) -> int:
    """How many of these linked peers have no seat at the founded table."""
    return sum(lanes.play.seat_of(peer) is None for peer in links)


def _phase(lanes: Lanes, *, waiting: bool) -> Phase:
    if waiting:
        return Phase.WAITING
    if lanes.play.phase is PlayPhase.OPEN and lanes.deck is not None and lanes.deck.owed:
        return Phase.PREPARING
    if lanes.play.phase is PlayPhase.ENDED and not lanes.over:
        return Phase.CLOSING
    return _PHASES[lanes.play.phase]


def _seat(lanes: Lanes, own: Own | None, links: Collection[bytes], seat: int) -> SeatView:
    play = lanes.play
    member = play.members[seat]
    assert member is not None
    return SeatView(
        seat=seat,
        name=member.name,
        key=member.key,
        fingerprint=short_fingerprint(member.key),
        linked=member.key in links or (own is not None and member.key == own.key),
        absent=seat in play.absent or any(absence.seat == seat for absence in play.dropped),
        away=seat in play.away or play.game.status[seat] is rules.SeatStatus.OUT,
        faulted=lanes.is_guilty(seat) is not None,
        gone=play.game.status[seat] is rules.SeatStatus.LEFT,
    )


def _tally(lanes: Lanes, own: Own | None) -> ProofTally:
    """The proofs of the deck in use, or of the one in preparation while nothing is dealt."""
    play = lanes.play
    deck = play.deck or lanes.deck
    if deck is None:
        return ProofTally(0, 0, False, 0, 0)
    seat = None if own is None else play.seat_of(own.key)
    voids = sum(
        len(envelope.body.void)
        for past in lanes.past.values()
        if past.place.lane == "play" and past.place.deal == play.deal
        for envelope in past.moves.values()
        if isinstance(envelope.body, Play)
    )
    return ProofTally(
        shuffles=deck.shuffles,
        shuffles_expected=len(deck.roster),
        own_shuffle=seat is not None and seat in deck.seats[: deck.shuffles],
        tokens=len(deck.roster) if play.hands else 0,
        voids=voids,
    )
