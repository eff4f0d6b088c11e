"""Rosters that bring the table to a halt, or bring somebody back who is at fault."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from azi_p2p import rules
from azi_p2p.session.faults import Fault
from azi_p2p.session.playstate import PlayPhase, PlayState
from azi_p2p.session.roster import apply_roster
from azi_p2p.session.wishes import Wishes
from azi_p2p.wire.envelope import NOWHERE, decode_envelope
from azi_p2p.wire.messages import Body, Request, Roster, SeatRequest, TableParams
from tests.attacks.bench import Bench, bench_of, play_of, seat_of, sign, small
from tests.session.harness import Peer, make_me


def between(count: int = 3) -> tuple[Bench, PlayState]:
    """A table where the next roster is due, and its state."""
    bench = bench_of(count, small(count, deals=3), seed=95)
    states: list[PlayState] = []

    def due() -> bool:
        states.extend(
            play_of(peer) for peer in bench.peers if peer.table.lanes and play_of(peer).phase is PlayPhase.ROSTER
        )
        return bool(states)

    bench.run(due)
    return bench, states[0]


def request(bench: Bench, peer: Peer, body: Body) -> bytes:
    return bench.forge(peer, NOWHERE, body)


def test_roster_with_which_nobody_can_be_dealt_in() -> None:
    bench, play = between()
    wishes = [request(bench, peer, Request(number=1, wish="sit_out")) for peer in bench.peers[:2]]
    apply_roster(play, Roster(requests=wishes[:1]))
    with pytest.raises(Fault, match="nobody can be dealt in") as caught:
        apply_roster(play, Roster(requests=wishes))
    assert caught.value.code == "bad_roster"


def test_roster_that_seats_somebody_where_a_seat_is_free_but() -> None:
    """One leaves in the same roster, so that there is room: an honest stranger gets it, and none of these."""
    bench, play = between()
    leaver, stayer = bench.peers[1], bench.peers[2]
    leave = request(bench, leaver, Request(number=1, wish="leave"))
    stranger = make_me("Thabo", 95)
    dearer = msgspec.structs.replace(play.wire_params, ante=play.wire_params.ante + 1)
    before = bench.peers[0].table.gathering.seats[leaver.key].raw

    def seat(params: TableParams) -> bytes:
        body = SeatRequest(nickname="Thabo", nonce=b"n" * 32, params=params)
        return sign(stranger.identity, play.table, NOWHERE, body)

    second = bench.forge(stayer, NOWHERE, SeatRequest(nickname="Ben", nonce=b"n" * 32, params=play.wire_params))
    changed = apply_roster(play, Roster(requests=[leave, seat(play.wire_params)]))
    assert stranger.identity.public in {member.key for member in changed.members if member}
    for raw, why in (
        (seat(dearer), "other table parameters"),
        (second, "somebody twice"),
        (before, "a second time"),
    ):
        with pytest.raises(Fault, match=why) as caught:
            apply_roster(play, Roster(requests=[leave, raw]))
        assert caught.value.code == "bad_roster"


def test_who_was_absent_is_dealt_in_again_only_when_it_asks() -> None:
    bench, play = between()
    gone = bench.peers[1]
    seat = seat_of(gone)
    play = replace(play, absent=frozenset({seat}))
    without = apply_roster(play, Roster(requests=[]))
    assert seat not in rules.deal_seats(without.game)
    assert without.away == {seat}
    wish = request(bench, gone, Request(number=1, wish="return"))
    back = apply_roster(play, Roster(requests=[wish]))
    assert seat in rules.deal_seats(back.game)
    assert not back.away


def test_nobody_proposes_a_roster_with_which_nobody_can_be_dealt_in() -> None:
    bench, play = between()
    wishes = Wishes()
    for peer in bench.peers[:2]:
        wishes.enter(decode_envelope(request(bench, peer, Request(number=1, wish="sit_out"))))
    assert wishes.proposal(play, frozenset()) is None


def test_wishes_of_who_is_at_fault_are_not_proposed() -> None:
    bench, play = between()
    guilty, honest = bench.peers[1], bench.peers[2]
    wishes = Wishes()
    for peer in (guilty, honest):
        wishes.enter(decode_envelope(request(bench, peer, Request(number=1, wish="finish"))))
    proposal = wishes.proposal(play, frozenset({guilty.key}))
    assert proposal is not None
    assert [decode_envelope(raw).author for raw in proposal.requests] == [honest.key]
    assert seat_of(guilty) in play.roster


def test_who_is_at_fault_gets_no_other_seat() -> None:
    bench, play = between()
    guilty, wanted = make_me("Thabo", 95), make_me("Anele", 95)
    wishes = Wishes()
    table = bench.peers[0].table.table_id
    assert table is not None
    for me in (guilty, wanted):
        body = SeatRequest(nickname=me.nickname, nonce=me.rng(32), params=play.wire_params)
        wishes.enter(decode_envelope(sign(me.identity, table, NOWHERE, body)))
    leaver = request(bench, bench.peers[1], Request(number=1, wish="leave"))
    wishes.enter(decode_envelope(leaver))
    proposal = wishes.proposal(play, frozenset({guilty.identity.public}))
    assert proposal is not None
    authors = {decode_envelope(raw).author for raw in proposal.requests}
    assert wanted.identity.public in authors
    assert guilty.identity.public not in authors
