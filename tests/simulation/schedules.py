"""The schedules that broke earlier drafts of the protocol, each as a story that is sure to come to its situation.

A schedule arranges the world and gives a question: did it really come to what it is about? Everything else that must
hold is looked at as in any other evening.
"""

from __future__ import annotations

from collections.abc import Callable

from azi_p2p.rules import Params
from azi_p2p.session.absence import GRACE_SECONDS
from azi_p2p.session.events import DealEnded, FaultSeen, SeatAbsent
from azi_p2p.session.playstate import PlayPhase
from azi_p2p.wire.envelope import Envelope, Place, place_of
from azi_p2p.wire.frame import EnvelopeFrame, Frame
from azi_p2p.wire.messages import Bid, Body, Call, Check, Fold, Play, Vote
from tests.simulation.lies import identity_of, sign
from tests.simulation.sharing import envelope_of
from tests.simulation.world import SimPeer, World

Reached = Callable[[], bool]
LIMIT = 10
"""Seconds that a person has, in all schedules."""


def small(count: int, deals: int = 1) -> Params:
    """A table of so many."""
    return Params(seats=count, deal_limit=deals, turn_seconds=LIMIT)


def heard(peers: list[SimPeer], kind: type[FaultSeen | SeatAbsent]) -> list[set[int]]:
    """The seats that events of this kind named, for each peer."""
    return [{event.seat for event in peer.events if isinstance(event, kind)} for peer in peers]


def seat_of(peer: SimPeer) -> int:
    """The seat of a peer at the founded table."""
    lanes = peer.table.lanes
    assert lanes is not None
    seat = lanes.play.seat_of(peer.key)
    assert seat is not None
    return seat


class _Late:
    """Somebody's first turn in a deal: he moves so late that some have claimed him absent and others hold the move."""

    def __init__(self, world: World, holders: int, mute: int = 0) -> None:
        """`holders`: how many of the others get the move in time; `mute`: so many of the last peers cast no vote."""
        self.world = world
        self.victim: SimPeer | None = None
        self.place: Place | None = None
        self.claims: dict[bytes, bytes] = {}
        self.verdicts: dict[int, dict[bytes, str]] = {}
        self.mute = world.peers[len(world.peers) - mute :]
        self._holders = holders
        for peer in self.mute:
            world.bend(peer)
        world.waits = self.waits
        world.tamper = self.listen

    def waits(self, peer: SimPeer) -> float:
        lanes = peer.table.lanes
        assert lanes is not None
        if self.victim is None and lanes.play.phase is PlayPhase.ACT and peer not in self.mute:
            self.victim, self.place = peer, lanes.play.place
            others = [other for other in self.world.peers if other is not peer and other not in self.mute]
            slow = others[self._holders :]
            for receiver in slow:
                for sender in self.world.peers:
                    if sender is not receiver and sender not in slow:
                        self.world.lag[(sender.key, receiver.key)] = 1.5
            # Word of the first claim must come back before the move does.
            self.world.after(LIMIT + GRACE_SECONDS + 3.0, self.world.lag.clear)
            return LIMIT + GRACE_SECONDS - 0.5
        return 1.0

    def listen(self, sender: SimPeer, receiver: SimPeer, frame: Frame) -> list[Frame]:
        if isinstance(frame, EnvelopeFrame):
            envelope = envelope_of(frame.envelope)
            body = envelope.body
            if isinstance(body, Vote) and self.place is not None and envelope.prev == self.place.prev:
                author = self.world.of(envelope.author)
                if author in self.mute and envelope.raw not in self.claims.values():
                    return []
                self.verdicts.setdefault(body.round, {})[author.key] = body.verdict
        return [frame]

    def split(self) -> bool:
        """Whether in the first round some have claimed and others held the move."""
        said = self.verdicts.get(0, {})
        return {"claim", "ack"} <= set(said.values()) and self.world.peers[0].table.ended


def a_late_move_with_split_votes(world: World) -> Reached:
    """Of four, two hold a move when the other two claim its author absent: no majority in the first round."""
    late = _Late(world, holders=1)

    def reached() -> bool:
        counts = sorted(late.verdicts.get(0, {}).values())
        absent = heard(world.honest(), SeatAbsent)
        return counts == ["ack", "ack", "claim", "claim"] and not any(absent)

    return reached


def a_stale_claim_after_a_won_deal(world: World) -> Reached:
    """Of five, one honest claims a late seat, and two liars say nothing, until the deal is won: then they claim too."""
    late = _Late(world, holders=1, mute=2)
    released: list[int] = []

    def release(peer: SimPeer) -> None:
        lanes = peer.table.lanes
        if late.place is None or late.victim is None or lanes is None or lanes.play.phase is not PlayPhase.CLOSE:
            return
        if not released:
            released.append(lanes.play.step)
            for liar in late.mute:
                vote = Vote(lane="play", seat=seat_of(late.victim), round=0, verdict="claim", move=b"", evidence=[])
                place = Place("vote", late.place.deal, late.place.attempt, late.place.step, late.place.prev)
                raw = sign(identity_of(liar), lanes.play.table, place, vote)
                late.claims[liar.key] = raw
                for other in world.peers:
                    world.inject(liar, other, raw)
            world.tell("the liars claim late, when the deal is won")

    world.after_event = release

    def reached() -> bool:
        claims = [key for key, verdict in late.verdicts.get(0, {}).items() if verdict == "claim"]
        return bool(released) and len(claims) >= 3 and not any(heard(world.honest(), SeatAbsent))

    return reached


def three_against_three_healed(world: World) -> Reached:
    """Six peers are cut into halves while somebody thinks; neither half may decide, and then they are one again."""
    halves = (world.peers[:3], world.peers[3:])
    cut: list[Place] = []
    waited: list[bool] = []

    def watch(peer: SimPeer) -> None:
        lanes = peer.table.lanes
        if cut or lanes is None or lanes.play.phase is not PlayPhase.ACT or len(lanes.play.game.stakes) < 6:
            return
        cut.append(lanes.play.place)
        world.tell("the network falls into halves")
        for one in halves[0]:
            for other in halves[1]:
                world.cut_off(one, other)
        world.after(90.0, heal)

    def heal() -> None:
        claimed = [
            {
                vote.body.verdict
                for votes in poll.votes.values()
                for vote in votes.values()
                if isinstance(vote.body, Vote)
            }
            for peer in world.peers
            if peer.table.lanes is not None
            for poll in peer.table.lanes.ballots.polls.values()
            if poll.outcome is None
        ]
        waited.append(any("claim" in said for said in claimed))
        waited.append(not any(heard(world.peers, SeatAbsent)))
        world.tell("the halves are one again")
        world.heal()

    world.after_event = watch
    return lambda: waited == [True, True]


def _two_moves(world: World, second: Callable[[Envelope], Body], victims: int) -> tuple[SimPeer, list[Envelope]]:
    """The last peer's first bid is another one to some of the others (`victims`); gives it and both envelopes."""
    bent = world.peers[-1]
    world.bend(bent)
    signed: list[Envelope] = []
    others = world.peers[:victims]

    def tamper(sender: SimPeer, receiver: SimPeer, frame: Frame) -> list[Frame]:
        if sender is not bent or not isinstance(frame, EnvelopeFrame):
            return [frame]
        envelope = envelope_of(frame.envelope)
        if envelope.author != bent.key or not isinstance(envelope.body, Bid | Call | Check | Fold):
            return [frame]
        if not signed:
            twin = sign(identity_of(bent), envelope.table, place_of(envelope), second(envelope))
            signed.extend((envelope, envelope_of(twin)))
            # What the others pass on must not come before it.
            world.lag |= {(o.key, v.key): 0.3 for v in others for o in world.peers if o not in (bent, *others)}
            world.after(1.0, world.lag.clear)
        if envelope.id == signed[0].id and receiver in others:
            return [EnvelopeFrame(signed[1].raw)]
        return [frame]

    world.tamper = tamper
    return bent, signed


def _faults(world: World) -> list[set[str]]:
    return [{event.code for event in peer.events if isinstance(event, FaultSeen)} for peer in world.honest()]


def an_illegal_move_to_one_and_a_legal_one_to_the_others(world: World) -> Reached:
    """Who got the illegal one claims at once, the others have gone on: all must come to one chain."""
    bent, signed = _two_moves(world, lambda _: Bid(to=10**9), 1)

    def reached() -> bool:
        codes = _faults(world)
        first = next(event.code for event in world.peers[0].events if isinstance(event, FaultSeen))
        named = heard(world.honest(), FaultSeen)
        return len(signed) == 2 and first != "equivocation" and all(codes) and named == [{seat_of(bent)}] * len(codes)

    return reached


def two_legal_moves(world: World) -> Reached:
    """Half of the others go on with the one, half with the other, until they meet."""

    def second(envelope: Envelope) -> Body:
        body = envelope.body
        if isinstance(body, Bid):
            return Bid(to=body.to + 1)  # the opener may not fold
        return Call() if isinstance(body, Fold) else Fold()

    bent, signed = _two_moves(world, second, 2)

    def reached() -> bool:
        return len(signed) == 2 and all("equivocation" in codes for codes in _faults(world)) and not bent.honest

    return reached


def evidence_released_just_before_a_turn(world: World) -> Reached:
    """A second message for a slot is kept back, until an honest seat is about to act on top of the first."""
    bent = world.peers[-1]
    world.bend(bent)
    signed: list[Envelope] = []
    released: list[tuple[SimPeer, Place]] = []

    def tamper(sender: SimPeer, receiver: SimPeer, frame: Frame) -> list[Frame]:
        if sender is bent and isinstance(frame, EnvelopeFrame):
            envelope = envelope_of(frame.envelope)
            if envelope.author == bent.key and isinstance(envelope.body, Bid | Call | Check) and not signed:
                raw = sign(identity_of(bent), envelope.table, place_of(envelope), Fold())
                signed.extend((envelope, envelope_of(raw)))
        return [frame]

    def watch(peer: SimPeer) -> None:
        lanes = peer.table.lanes
        if not signed or released or lanes is None or peer is bent or lanes.play.phase is not PlayPhase.ACT:
            return
        if seat_of(peer) in lanes.play.owed and signed[0].prev in lanes.past:
            released.append((peer, lanes.play.place))
            world.tell(f"the second message reaches {peer.name}, who is about to act")
            world.inject(bent, peer, signed[1].raw)

    world.tamper = tamper
    world.after_event = watch

    def reached() -> bool:
        return bool(released) and all("equivocation" in codes for codes in _faults(world))

    return reached


def two_breakers_at_once(world: World) -> Reached:
    """Two of six have seen what the others opened for them, and send no tokens: the deal is void, and both pay."""
    gone = world.peers[4:]
    for peer in gone:
        world.bend(peer)

    def tamper(sender: SimPeer, receiver: SimPeer, frame: Frame) -> list[Frame]:
        own = isinstance(frame, EnvelopeFrame) and envelope_of(frame.envelope).author == sender.key
        tokens = isinstance(frame, EnvelopeFrame) and envelope_of(frame.envelope).type == "tokens"
        return [] if sender in gone and own and tokens else [frame]

    world.tamper = tamper

    def reached() -> bool:
        seats = {seat_of(peer) for peer in gone}
        void = [[event.result for event in peer.events if isinstance(event, DealEnded)] for peer in world.honest()]
        return all(named == seats for named in heard(world.honest(), SeatAbsent)) and all("void" in v for v in void)

    return reached


def a_withheld_winning_play(world: World) -> Reached:
    """Who plays the last card of a deal keeps it back until he is certified absent: then it comes, and is too late."""
    bent = world.peers[-1]
    world.bend(bent)
    kept: dict[bytes, Envelope] = {}
    shown: list[bytes] = []

    def tamper(sender: SimPeer, receiver: SimPeer, frame: Frame) -> list[Frame]:
        if sender is bent and isinstance(frame, EnvelopeFrame):
            envelope = envelope_of(frame.envelope)
            if envelope.author == bent.key and isinstance(envelope.body, Play) and not shown:
                kept[envelope.id] = envelope
                return []
        return [frame]

    def watch(peer: SimPeer) -> None:
        if peer is bent or shown or not kept:
            return
        if any(isinstance(event, SeatAbsent) for event in peer.events):
            world.tell("the play that was kept back comes")
            shown.extend(kept)
            for envelope in kept.values():
                for other in world.peers:
                    world.inject(bent, other, envelope.raw)

    world.tamper = tamper
    world.after_event = watch

    def reached() -> bool:
        return bool(shown) and all(seat_of(bent) in seats for seats in heard(world.honest(), SeatAbsent))

    return reached


Schedule = tuple[Params, Callable[[World], Reached]]

SCHEDULES: dict[str, Schedule] = {
    "a late move with split votes": (small(4), a_late_move_with_split_votes),
    "3|3 healed": (small(6), three_against_three_healed),
    "an illegal move to one peer and a legal one to another": (
        small(4, deals=3),
        an_illegal_move_to_one_and_a_legal_one_to_the_others,
    ),
    "two legal ones": (small(5, deals=3), two_legal_moves),
    "evidence released just before a turn": (small(4, deals=3), evidence_released_just_before_a_turn),
    "a stale claim after a won deal": (small(5), a_stale_claim_after_a_won_deal),
    "two breakers at once": (small(6, deals=2), two_breakers_at_once),
    "a withheld winning play": (small(4, deals=2), a_withheld_winning_play),
}
