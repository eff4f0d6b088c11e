"""What happens in a simulated evening: one seed picks table, weather and troubles; then everybody must agree.

At some moment of each story the troubles stop. From then on every honest peer that is still there must come to the end
of the table, with the same heads, and write ledgers that verify.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from azi_p2p.audit.verify import verify_ledger
from azi_p2p.crypto.identity import IdentityKey
from azi_p2p.rules import Params
from azi_p2p.wire.envelope import SIGNATURE_DOMAIN, Place, decode_envelope, encode_payload, place_of, seal
from azi_p2p.wire.frame import EnvelopeFrame, Frame
from azi_p2p.wire.messages import Bid, Call, Fold, Vote
from tests.simulation.world import SimPeer, World

TROUBLE = 200.0
"""Seconds of virtual time in which troubles may happen."""

PATIENCE = 3600.0
"""Seconds of virtual time that a table may take after the troubles have stopped."""


@dataclass(frozen=True, slots=True)
class Report:
    """How a story went. `failure` None: as it must."""

    seed: int
    kind: str
    failure: str | None
    story: tuple[str, ...]
    deals: int
    seconds: float
    trace: str


def vanishing(world: World) -> None:
    """A minority vanishes, one by one, each at any moment."""
    for peer in world.chance.sample(world.peers, world.chance.randint(1, (len(world.peers) - 1) // 2)):

        def gone(victim: SimPeer = peer) -> None:
            if _may_lose_one(world):
                world.tell(f"{victim.name} vanishes at {world.phase()}")
                world.vanish(victim)

        world.at(world.chance.uniform(0.0, TROUBLE), gone)


def _may_lose_one(world: World) -> bool:
    """Whether a strict majority of the roster would be left without one more seat."""
    lanes = world.honest()[0].table.lanes
    if lanes is None:
        return len(world.honest()) - 1 >= 2
    roster = lanes.play.roster
    here = [seat for seat in roster if (m := lanes.play.members[seat]) is not None and world.of(m.key).alive]
    return 2 * (len(here) - 1) > len(roster)


def resets(world: World) -> None:
    """Links break and come back, in any order."""
    for _ in range(world.chance.randint(5, 40)):
        one, other = world.chance.sample(world.peers, 2)
        start = world.chance.uniform(0.0, TROUBLE)
        world.at(start, lambda a=one, b=other: world.disconnect(a, b))  # type: ignore[misc]
        world.at(start + world.chance.uniform(0.1, 15.0), lambda a=one, b=other: world.connect(a, b))  # type: ignore[misc]
    world.at(TROUBLE + 20.0, world.heal)


def partition(world: World) -> None:
    """The network falls into two parts for a while, once or twice."""
    for _ in range(world.chance.randint(1, 2)):
        size = world.chance.randint(1, len(world.peers) // 2)
        part = set(world.chance.sample([peer.key for peer in world.peers], size))
        start = world.chance.uniform(0.0, TROUBLE / 2)

        def cut(lost: set[bytes] = part) -> None:
            world.tell(f"the network falls apart at {world.phase()}: {[world.of(k).name for k in lost]} are cut off")
            for one in world.peers:
                for other in world.peers:
                    if one.key in lost and other.key not in lost:
                        world.cut_off(one, other)

        def mend() -> None:
            world.tell("the network heals")
            world.heal()

        world.at(start, cut)
        world.at(start + world.chance.uniform(2.0, TROUBLE / 2), mend)
    world.at(TROUBLE + 5.0, world.heal)


def crashes(world: World) -> None:
    """Programs die in the middle of anything and are started again; now and then all of them at once."""
    for _ in range(world.chance.randint(2, 8)):
        victims = world.peers if world.chance.random() < 0.2 else [world.chance.choice(world.peers)]

        def die(dying: list[SimPeer] = victims) -> None:
            for victim in dying:
                # Before the founding there is nothing to come back to.
                if victim.alive and victim.table.lanes is not None:
                    world.crash(victim)

        world.at(world.chance.uniform(0.0, TROUBLE), die)


def outage(world: World) -> None:
    """The switch loses power: nobody reaches anybody for a while, then everybody does."""
    for _ in range(world.chance.randint(1, 3)):
        start = world.chance.uniform(0.0, TROUBLE / 2)

        def cut() -> None:
            world.tell(f"nobody reaches anybody, at {world.phase()}")
            for i, one in enumerate(world.peers):
                for other in world.peers[i + 1 :]:
                    world.cut_off(one, other)

        world.at(start, cut)
        world.at(start + world.chance.uniform(5.0, TROUBLE / 2), world.heal)
    world.at(TROUBLE + 5.0, world.heal)


def slowness(world: World) -> None:
    """Some peers answer late, around the time limits."""
    for peer in world.chance.sample(world.peers, world.chance.randint(1, len(world.peers))):
        start = world.chance.uniform(0.0, TROUBLE)

        def slow(who: SimPeer = peer) -> None:
            world.slow[who.key] = world.chance.uniform(1.0, 16.0)
            world.tell(f"{who.name} becomes slow: {world.slow[who.key]:.1f} s")

        def quick(who: SimPeer = peer) -> None:
            world.slow.pop(who.key, None)

        world.at(start, slow)
        world.at(start + world.chance.uniform(5.0, 60.0), quick)
    world.at(TROUBLE, world.slow.clear)


def sleepers(world: World) -> None:
    """People think around their time limit; some turns come too late."""
    limit = float(world.params.turn_seconds)
    world.thinks = (0.1, limit + 6.0)
    world.at(TROUBLE, lambda: setattr(world, "thinks", (0.1, 3.0)))


def withholding(world: World) -> None:
    """One peer sends some of its messages to one peer only, or to nobody for a while."""
    bent = _bend(world)

    def tamper(sender: SimPeer, receiver: SimPeer, frame: Frame) -> list[Frame]:
        own = isinstance(frame, EnvelopeFrame) and decode_envelope(frame.envelope).author == bent.key
        if sender is bent and own and world.now < TROUBLE and world.chance.random() < 0.3:
            return []
        return [frame]

    world.tamper = tamper


def equivocating(world: World) -> None:
    """One peer signs two different messages for some of its slots and sends them to different peers."""
    bent = _bend(world)
    identity = _identity_of(bent)
    twins: dict[bytes, bytes] = {}

    def tamper(sender: SimPeer, receiver: SimPeer, frame: Frame) -> list[Frame]:
        if sender is not bent or not isinstance(frame, EnvelopeFrame) or world.now > TROUBLE:
            return [frame]
        envelope = decode_envelope(frame.envelope)
        if envelope.author != bent.key or envelope.lane != "play":
            return [frame]
        if envelope.id not in twins:
            if world.chance.random() < 0.7:
                twins[envelope.id] = envelope.raw
            else:
                other = world.chance.choice((Fold(), Call(), Bid(to=world.chance.choice((10, 20, 10**9)))))
                place = place_of(envelope)
                twins[envelope.id] = _sign(identity, envelope.table, place, other)
                world.tell(f"{bent.name} signs {envelope.type} and {type(other).__name__} for one slot")
        return [EnvelopeFrame(world.chance.choice((envelope.raw, twins[envelope.id])))]

    world.tamper = tamper


def lying(world: World) -> None:
    """One peer claims that others are absent although it holds their moves, early and often."""
    bent = _bend(world)
    identity = _identity_of(bent)

    def lie() -> None:
        lanes = bent.table.lanes
        if lanes is not None and bent.alive and world.now < TROUBLE and not bent.table.ended:
            play = lanes.play
            places = [play.place, *(past.place for past in list(lanes.past.values())[-4:])]
            place = world.chance.choice(places)
            seat = world.chance.choice(play.roster)
            if place.lane in ("deck", "play"):
                vote = Vote(
                    lane=place.lane,
                    seat=seat,
                    round=world.chance.choice((0, 0, 0, 1, 2)),
                    verdict="claim",
                    move=b"",
                    evidence=[],
                )
                where = Place("vote", place.deal, place.attempt, place.step, place.prev)
                raw = _sign(identity, play.table, where, vote)
                for other in world.peers:
                    if other is not bent:
                        world.inject(bent, other, raw)
        world.after(world.chance.uniform(0.5, 10.0), lie)

    world.at(1.0, lie)


def colluding(world: World) -> None:
    """A minority claims seats absent, each to whom it likes, and signs on top of their moves as if it hadn't."""
    count = (len(world.peers) - 1) // 2
    bent = world.chance.sample(world.peers, count)
    for peer in bent:
        peer.honest = False
        world.tell(f"{peer.name} is not honest")
    voted: dict[tuple[bytes, bytes, int], bytes] = {}

    def claim(peer: SimPeer) -> None:
        lanes = peer.table.lanes
        if lanes is not None and peer.alive and world.now < TROUBLE and not peer.table.ended:
            play = lanes.play
            places = [play.place, *(past.place for past in list(lanes.past.values())[-3:])]
            place = world.chance.choice([place for place in places if place.lane == "play"])
            number = world.chance.choice((0, 0, 0, 1))
            victims = [seat for seat in play.roster if (m := play.members[seat]) and world.of(m.key) not in bent]
            if victims:
                seat = world.chance.choice(victims)
                slot = (peer.key, place.prev + bytes([seat]), number)
                if slot not in voted:
                    vote = Vote(lane="play", seat=seat, round=number, verdict="claim", move=b"", evidence=[])
                    where = Place("vote", place.deal, place.attempt, place.step, place.prev)
                    voted[slot] = _sign(_identity_of(peer), play.table, where, vote)
                for other in world.peers:
                    if other is not peer and world.chance.random() < 0.5:
                        world.inject(peer, other, voted[slot])
        world.after(world.chance.uniform(0.05, 2.0), lambda: claim(peer))

    for peer in bent:
        world.at(1.0, lambda one=peer: claim(one))  # type: ignore[misc]
    # Up to the limit, but not over it: were an honest seat away, the liars would be half of the roster.
    world.thinks = (0.1, float(world.params.turn_seconds) - 1.0)
    world.at(TROUBLE, lambda: setattr(world, "thinks", (0.1, 3.0)))


def mixed(world: World) -> None:
    """Several troubles at once."""
    for story in world.chance.sample((vanishing, resets, slowness, sleepers, partition, crashes, outage), 2):
        story(world)


KINDS: tuple[Callable[[World], None], ...] = (
    vanishing,
    resets,
    partition,
    outage,
    crashes,
    slowness,
    sleepers,
    withholding,
    equivocating,
    lying,
    colluding,
    mixed,
)


def _bend(world: World) -> SimPeer:
    bent = world.chance.choice(world.peers)
    bent.honest = False
    world.tell(f"{bent.name} is not honest")
    return bent


def _identity_of(peer: SimPeer) -> IdentityKey:
    own = peer.table._own
    assert own is not None
    return own.me.identity


def _sign(identity: IdentityKey, table: bytes, place: Place, body: object) -> bytes:
    payload = encode_payload(table, identity.public, place, body)  # type: ignore[arg-type]
    return seal(payload, identity.sign(SIGNATURE_DOMAIN, payload))


def random_params(chance: random.Random) -> tuple[Params, int]:
    """A table that this seed plays at: two short deals of any kind."""
    count = chance.choice((3, 3, 4, 4, 5, 6))
    params = Params(
        seats=count,
        hand_size=chance.choice((3, 3, 4)),
        deal_limit=chance.choice((1, 2, 2, 3)),
        azi_replay=chance.choice(("all", "contenders", "buy_in")),
        opener_rule=chance.choice(("must_bid", "may_fold", "may_check")),
        turn_seconds=chance.choice((10, 20)),
    )
    return params, count


def run_seed(seed: int, kind: str | None = None) -> Report:
    """Play the story of a seed; never raises for what goes wrong in it, the report says it."""
    chance = random.Random(seed)
    params, count = random_params(chance)
    stories = [story for story in KINDS if kind in (None, story.__name__)]
    story = chance.choice(stories)
    world = World(seed, params, count)
    failure = None
    try:
        story(world)
        _play(world)
    except AssertionError as error:
        failure = str(error) or repr(error)
    deals = max((p.table.lanes.closed_deals for p in world.peers if p.table.lanes is not None), default=0)
    heads = sorted({peer.table.view().head.hex()[:12] for peer in world.honest()})
    lines = (f"{count} peers, {params}", *world.story, *((world.where(),) if failure else ()))
    return Report(seed, story.__name__, failure, tuple(lines), deals, world.now, f"{world.now:.6f} {heads}")


def _play(world: World) -> None:
    done = world.run(world.all_ended, seconds=TROUBLE + PATIENCE)
    assert done, "not everybody came to the end of the table"
    heads = {peer.table.view().head for peer in world.honest()}
    assert len(heads) == 1, "the honest peers end on different heads"
    for peer in world.honest():
        verdict = verify_ledger(peer.ledger)
        assert verdict.valid, f"the ledger of {peer.name} is invalid: {verdict.faults[0].message}"
        assert verdict.complete, f"the ledger of {peer.name} is incomplete"
