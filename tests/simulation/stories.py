"""What happens in a simulated evening: one seed picks table, weather and troubles; then everybody must agree.

At some moment of each story the troubles stop. From then on every honest peer that is still there must come to the end
of the table, with the same heads, and write ledgers that verify.
"""

from __future__ import annotations

import random
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from azi_p2p.audit.verify import Verdict, verify_ledger
from azi_p2p.rules import Params
from azi_p2p.session.playstate import PlayState
from azi_p2p.wire.envelope import Place, place_of
from azi_p2p.wire.frame import EnvelopeFrame, Frame
from azi_p2p.wire.messages import Bid, Call, Fold, Vote
from tests.session.harness import memory_of
from tests.simulation.lies import identity_of, sign
from tests.simulation.mishaps import MISHAPS
from tests.simulation.schedules import SCHEDULES
from tests.simulation.sharing import envelope_of, shared_work
from tests.simulation.world import SimPeer, World

TROUBLE = 200.0
"""Seconds of virtual time after which troubles have stopped; they begin early enough to find the table at play."""

PATIENCE = 3600.0
"""Seconds of virtual time that a table may take after the troubles have stopped."""

NAMED = SCHEDULES | MISHAPS
"""All schedules, by their names."""

NOT_REACHED = "the schedule did not come to its situation"


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

    def told(self) -> list[str]:
        """The story of a seed in lines, its failure first."""
        again = f"python -m tests.simulation --seeds 1 --start {self.seed} --kind '{self.kind}' --story"
        return [
            f"seed {self.seed} ({self.kind}): {self.failure or 'as it must be'}",
            f"    again: {again}",
            *self.story,
        ]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a seed stands for: the table's parameters, how many sit at it, and the trouble."""

    params: Params
    count: int
    story: Callable[[World], None]


def vanishing(world: World) -> None:
    """A minority vanishes, one by one, each at any moment."""
    for peer in world.chance.sample(world.peers, world.chance.randint(1, (len(world.peers) - 1) // 2)):

        def gone(victim: SimPeer = peer) -> None:
            if _may_lose_one(world):
                world.tell(f"{victim.name} vanishes at {world.phase()}")
                world.vanish(victim)

        world.at(world.soon(), gone)


def _may_lose_one(world: World) -> bool:
    """Whether a strict majority of the roster would be left without one more seat, as every honest peer sees it."""
    honest = world.honest()
    founded = [peer.table.lanes.play for peer in honest if peer.table.lanes is not None]
    if len(founded) < len(honest) or not honest:
        return False  # the founder would wait for somebody to sit down, or for a person to start with fewer
    return all(2 * (len(_here(world, play)) - 1) > len(play.roster) for play in founded)


def _here(world: World, play: PlayState) -> list[int]:
    """The seats of a roster whose peers run."""
    return [seat for seat in play.roster if (m := play.members[seat]) is not None and world.of(m.key).alive]


def resets(world: World) -> None:
    """Links break and come back, in any order."""
    for _ in range(world.chance.randint(5, 40)):
        one, other = world.chance.sample(world.peers, 2)
        start = world.soon()
        world.at(start, lambda a=one, b=other: world.disconnect(a, b))  # type: ignore[misc]
        world.at(start + world.chance.uniform(0.1, 15.0), lambda a=one, b=other: world.connect(a, b))  # type: ignore[misc]
    world.at(TROUBLE + 20.0, world.heal)


def partition(world: World) -> None:
    """The network falls into two parts for a while, once or twice."""
    for _ in range(world.chance.randint(1, 2)):
        size = world.chance.randint(1, len(world.peers) // 2)
        part = set(world.chance.sample([peer.key for peer in world.peers], size))
        start = world.soon()

        def cut(lost: set[bytes] = part) -> None:
            names = ", ".join(peer.name for peer in world.peers if peer.key in lost)
            world.tell(f"the network falls apart at {world.phase()}: {names} cut off")
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


def _may_die(world: World, peer: SimPeer) -> bool:
    """Whether a program runs that has something to come back to.

    Before the founding there is nothing. And a founding that all forget, since nothing of it is in a file yet, is made
    again with everybody: whoever is gone for good would be waited for, until a person starts with fewer.
    """
    lanes = peer.table.lanes
    if not peer.alive or lanes is None:
        return False
    return lanes.archive.written > 0 or not any(other.gone for other in world.peers)


def crashes(world: World) -> None:
    """Programs die in the middle of anything and are started again; now and then all of them at once."""
    for _ in range(world.chance.randint(2, 8)):
        victims = world.peers if world.chance.random() < 0.2 else [world.chance.choice(world.peers)]

        def die(dying: list[SimPeer] = victims) -> None:
            for victim in dying:
                if _may_die(world, victim):
                    world.crash(victim)

        world.at(world.soon(), die)


def copies(world: World) -> None:
    """Programs die, and older copies of their profiles are put in place; at most a minority's, one after the other."""
    victims = world.chance.sample(world.peers, (len(world.peers) - 1) // 2)
    for victim in victims:

        def die(dying: SimPeer = victim) -> None:
            if _may_die(world, dying):
                world.crash(dying, outdated=True)

        for _ in range(world.chance.randint(1, 3)):
            world.at(world.soon(), die)


def outage(world: World) -> None:
    """The switch loses power: nobody reaches anybody for a while, then everybody does."""
    for _ in range(world.chance.randint(1, 3)):
        start = world.soon()

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
        start = world.soon()

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
        own = isinstance(frame, EnvelopeFrame) and envelope_of(frame.envelope).author == bent.key
        if sender is bent and own and world.now < TROUBLE and world.chance.random() < 0.3:
            return []
        return [frame]

    world.tamper = tamper


def equivocating(world: World) -> None:
    """One peer signs two different messages for some of its slots and sends them to different peers."""
    bent = _bend(world)
    identity = identity_of(bent)
    twins: dict[bytes, bytes] = {}

    def tamper(sender: SimPeer, receiver: SimPeer, frame: Frame) -> list[Frame]:
        if sender is not bent or not isinstance(frame, EnvelopeFrame) or world.now > TROUBLE:
            return [frame]
        envelope = envelope_of(frame.envelope)
        if envelope.author != bent.key or envelope.lane != "play":
            return [frame]
        if envelope.id not in twins:
            if world.chance.random() < 0.7:
                twins[envelope.id] = envelope.raw
            else:
                other = world.chance.choice((Fold(), Call(), Bid(to=world.chance.choice((10, 20, 10**9)))))
                place = place_of(envelope)
                twins[envelope.id] = sign(identity, envelope.table, place, other)
                world.tell(f"{bent.name} signs {envelope.type} and {type(other).__name__} for one slot")
        return [EnvelopeFrame(world.chance.choice((envelope.raw, twins[envelope.id])))]

    world.tamper = tamper


def lying(world: World) -> None:
    """One peer claims that others are absent although it holds their moves, early and often."""
    bent = _bend(world)
    identity = identity_of(bent)

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
                raw = sign(identity, play.table, where, vote)
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
        world.bend(peer)
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
                    voted[slot] = sign(identity_of(peer), play.table, where, vote)
                for other in world.peers:
                    if other is not peer and world.chance.random() < 0.5:
                        world.inject(peer, other, voted[slot])
        world.after(world.chance.uniform(0.05, 2.0), lambda: claim(peer))

    for peer in bent:
        world.at(1.0, lambda one=peer: claim(one))  # type: ignore[misc]
    # Up to the limit, but not over it: were an honest seat away, the liars would be half of the roster.
    world.thinks = (0.1, float(world.params.turn_seconds) - 1.0)
    world.at(TROUBLE, lambda: setattr(world, "thinks", (0.1, 3.0)))


def clocks(world: World) -> None:
    """Clocks jump, machines are suspended and go on, at any moment; at most a minority of them sleeps at a time."""
    for _ in range(world.chance.randint(2, 8)):
        peer = world.chance.choice(world.peers)
        seconds = world.chance.choice((1.0, 5.0, 15.0, 60.0)) * world.chance.uniform(0.5, 1.5)
        if world.chance.random() < 0.5:
            world.at(world.soon(), lambda p=peer, s=seconds: world.jump(p, s))  # type: ignore[misc]
            continue
        counted = world.chance.random() < 0.5

        def sleep(who: SimPeer = peer, long: float = seconds, on: bool = counted) -> None:
            asleep = sum(other.sleeps_until is not None for other in world.peers)
            if 2 * (asleep + 1) < len(world.peers):
                world.suspend(who, long, counted=on)

        world.at(world.soon(), sleep)


def mixed(world: World) -> None:
    """Several troubles at once."""
    for story in world.chance.sample((vanishing, resets, slowness, sleepers, partition, crashes, outage, clocks), 2):
        story(world)


KINDS: tuple[Callable[[World], None], ...] = (
    vanishing,
    resets,
    partition,
    outage,
    crashes,
    copies,
    slowness,
    sleepers,
    withholding,
    equivocating,
    lying,
    colluding,
    clocks,
    mixed,
)


def _bend(world: World) -> SimPeer:
    bent = world.chance.choice(world.peers)
    world.bend(bent)
    return bent


def plan(seed: int, kind: str | None = None) -> Plan:
    """What this seed stands for: one to three deals of any kind, and one kind of trouble; `kind`: only this one."""
    chance = random.Random(seed)
    count = chance.choice((3, 3, 4, 4, 5, 6))
    params = Params(
        seats=count,
        hand_size=chance.choice((3, 3, 4)),
        deal_limit=chance.choice((1, 2, 2, 3)),
        azi_replay=chance.choice(("all", "contenders", "buy_in")),
        opener_rule=chance.choice(("must_bid", "may_fold", "may_check")),
        turn_seconds=chance.choice((10, 20)),
    )
    return Plan(params, count, chance.choice([story for story in KINDS if kind in (None, story.__name__)]))


def run_seed(seed: int, kind: str | None = None) -> Report:
    """Play the story of a seed; never raises for what goes wrong in it, the report says it."""
    with shared_work():
        planned = plan(seed, kind)
        return _run(seed, planned.story.__name__, World(seed, planned.params, planned.count), planned.story)


def run_schedule(name: str, seed: int) -> Report:
    """Play one of the schedules by its name; it fails too when it doesn't come to its situation."""
    params, arrange = NAMED[name]
    with shared_work():
        return _run(seed, name, World(seed, params, params.seats), arrange)


def _run(seed: int, name: str, world: World, arrange: Callable[[World], Callable[[], bool] | None]) -> Report:
    failure = None
    try:
        reached = arrange(world)
        _play(world)
        assert reached is None or reached(), NOT_REACHED
    except AssertionError as error:
        failure = str(error) or repr(error)
    except Exception as error:  # noqa: BLE001 - whatever a session or the simulation raises is this seed's failure
        at = traceback.extract_tb(error.__traceback__)[-1]
        failure = f"{type(error).__name__}: {error} ({Path(at.filename).name}, line {at.lineno})"
    deals = max((p.table.lanes.closed_deals for p in world.peers if p.table.lanes is not None), default=0)
    lines = (f"{len(world.peers)} peers, {world.params}", *world.story.short())
    if failure:
        lines += (world.where(),)
    return Report(seed, name, failure, lines, deals, world.now, world.trace.hexdigest())


def _play(world: World) -> None:
    done = world.run(world.all_ended, seconds=TROUBLE + PATIENCE)
    assert done, "not everybody came to the end of the table"
    heads = {peer.table.view().head for peer in world.honest()}
    assert len(heads) == 1, "the honest peers end on different heads"
    verdicts: dict[bytes, Verdict] = {}
    for peer in world.honest():
        # Ledgers differ at most in which majority signed a certificate; equal ones needn't be read again.
        if peer.ledger not in verdicts:
            verdicts[peer.ledger] = verify_ledger(peer.ledger)
        verdict = verdicts[peer.ledger]
        assert verdict.valid, f"the ledger of {peer.name} is invalid: {verdict.faults[0].message}"
        assert verdict.complete, f"the ledger of {peer.name} is incomplete"
        assert verdict.head == heads.copy().pop().hex(), f"the ledger of {peer.name} ends on another head"
        assert not memory_of(peer.journal).secrets, f"{peer.name} keeps secrets of deals that are over"
