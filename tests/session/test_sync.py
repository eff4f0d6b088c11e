"""What a peer is sent of what it lacks, by what it says of where it is."""

from __future__ import annotations

import pytest

from azi_p2p.session import sync
from azi_p2p.wire.envelope import decode_envelope
from azi_p2p.wire.frame import StatusFrame
from tests.attacks.bench import Bench, bench_of, lanes_of, play_of, small

pytestmark = pytest.mark.usefixtures("ideal_cryptography")


def in_the_second_deal() -> Bench:
    bench = bench_of(3, small(3, deals=3), seed=4)
    bench.run(lambda: all(peer.table.lanes and play_of(peer).deal == 2 for peer in bench.peers))
    return bench


def sent_to(bench: Bench, deal: int, step: int, head: bytes) -> list[tuple[int, int]]:
    """Deal and step of what the first peer sends of the play lane to one that says it is there."""
    peer = bench.peers[0]
    assert peer.table.table_id is not None
    status = StatusFrame(
        table=peer.table.table_id,
        deal=deal,
        step=step,
        head=head,
        held=0,
        deck_deal=deal,
        deck_attempt=0,
        deck_step=0,
        deck_held=0,
        wants_answer=True,
    )
    running = peer.table._running
    assert running is not None
    raws = sync.answer(status, peer.table._gathering, lanes_of(peer), peer.table._wishes, set())
    return [(e.deal, e.step) for e in map(decode_envelope, raws) if e.lane == "play"]


def test_whoever_is_behind_on_our_chain_is_sent_what_comes_after() -> None:
    bench = in_the_second_deal()
    past = next(p for p in lanes_of(bench.peers[0]).past.values() if p.place.lane == "play" and p.place.deal == 1)
    sent = sent_to(bench, 1, past.place.step, past.place.prev)
    assert min(sent) == (1, past.place.step)


@pytest.mark.parametrize("beyond", [0, 5], ids=["at a step that we took on another head", "beyond the end of the deal"])
def test_whoever_has_gone_another_way_is_sent_its_deal_from_the_beginning(beyond: int) -> None:
    bench = in_the_second_deal()
    past = [step.place for step in lanes_of(bench.peers[0]).past.values()]
    steps = [place.step for place in past if (place.lane, place.deal) == ("play", 1)]
    assert min(sent_to(bench, 1, max(steps) + beyond, b"h" * 32)) == (1, 1), (
        "the antes: the first deal has no roster step"
    )


def test_whoever_is_ahead_is_sent_nothing_that_is_closed() -> None:
    bench = in_the_second_deal()
    here = play_of(bench.peers[0]).place
    assert all(at >= (here.deal, here.step) for at in sent_to(bench, here.deal, here.step + 5, b"h" * 32))
