"""Schedules in which something goes wrong and nobody is to blame: nobody may be certified absent in them.

As in `schedules`, each is sure to come to its situation, and gives a question that says whether it did.
"""

from __future__ import annotations

from azi_p2p.session.absence import GRACE_SECONDS
from azi_p2p.session.events import SeatAbsent
from azi_p2p.session.playstate import PlayPhase
from tests.simulation.schedules import LIMIT, Reached, Schedule, heard, seat_of, small
from tests.simulation.world import SimPeer, World


def nobody_is_absent(world: World, happened: list[str]) -> Reached:
    """Whether it happened; raises AssertionError if somebody was certified absent for it."""

    def reached() -> bool:
        assert not any(heard(world.peers, SeatAbsent)), "somebody was certified absent"
        return bool(happened)

    return reached


def a_move_within_the_grace(world: World) -> Reached:
    """Somebody acts when the time is up, but hardly: who waits for the message has not claimed yet."""
    late: list[str] = []

    def waits(peer: SimPeer) -> float:
        lanes = peer.table.lanes
        assert lanes is not None
        if late or lanes.play.phase is not PlayPhase.ACT:
            return 1.0
        late.append(peer.name)
        return LIMIT + GRACE_SECONDS / 2

    world.waits = waits
    return nobody_is_absent(world, late)


def the_switch_is_off(world: World) -> Reached:
    """Nobody reaches anybody for long; somebody acts meanwhile, and its links are the last to work again."""
    off: list[str] = []

    def watch(peer: SimPeer) -> None:
        lanes = peer.table.lanes
        if off or lanes is None or lanes.play.phase is not PlayPhase.ACT or seat_of(peer) not in lanes.play.owed:
            return
        off.append(peer.name)
        world.tell("the switch goes off")
        for number, one in enumerate(world.peers):
            for other in world.peers[number + 1 :]:
                world.cut_off(one, other)
                world.lag |= {(one.key, other.key): 3.0, (other.key, one.key): 3.0} if peer in (one, other) else {}
        world.after(40.0, world.heal)

    world.after_event = watch
    world.waits = lambda _: LIMIT / 2
    return nobody_is_absent(world, off)


def a_crash_with_the_cards_dealt(world: World) -> Reached:
    """A program dies when the tokens are due, without having sent its own, and is back in a second."""
    died: list[str] = []

    def watch(peer: SimPeer) -> None:
        lanes = peer.table.lanes
        if died or lanes is None or lanes.play.phase is not PlayPhase.TOKENS or peer is not world.peers[-1]:
            return
        died.append(peer.name)
        world.crash(peer, back=1.0)

    world.after_event = watch
    return nobody_is_absent(world, died)


MISHAPS: dict[str, Schedule] = {
    "a move within the grace": (small(4), a_move_within_the_grace),
    "the switch is off": (small(4), the_switch_is_off),
    "a crash with the cards dealt": (small(3), a_crash_with_the_cards_dealt),
}
