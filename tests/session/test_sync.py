"""What a peer is sent of what it lacks, by what it says of where it is."""

from __future__ import annotations

import pytest

from azi_p2p.session import sync
from azi_p2p.session.effects import Send, SendRecorded
from azi_p2p.wire.envelope import decode_envelope
from azi_p2p.wire.frame import EnvelopeFrame, StatusFrame
from tests.attacks.bench import Bench, bench_of, lanes_of, play_of, small
from tests.session.harness import Peer

pytestmark = pytest.mark.usefixtures("ideal_cryptography")


def in_deal(number: int) -> Bench:
    bench = bench_of(3, small(3, deals=5), seed=4)
    bench.run(lambda: all(peer.table.lanes and play_of(peer).deal == number for peer in bench.peers))
    return bench


def sent_to(bench: Bench, deal: int, step: int, head: bytes) -> list[tuple[int, int]]:
    """Deal and step of what the first peer sends of the play lane to one that says it is there."""
    peer = bench.peers[0]
    status = status_at(peer, deal, step, head)
    running = peer.table._running
    assert running is not None
    raws = sync.answer(status, peer.table._gathering, lanes_of(peer), peer.table._wishes, set())
    return [(e.deal, e.step) for e in map(decode_envelope, raws) if e.lane == "play"]


def status_at(peer: Peer, deal: int, step: int, head: bytes) -> StatusFrame:
    """What one says that is there, and holds nothing of that step."""
    assert peer.table.table_id is not None
    return StatusFrame(
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


def test_whoever_is_behind_on_our_chain_is_sent_what_comes_after() -> None:
    bench = in_deal(2)
    past = next(p for p in lanes_of(bench.peers[0]).past.values() if p.place.lane == "play" and p.place.deal == 1)
    sent = sent_to(bench, 1, past.place.step, past.place.prev)
    assert min(sent) == (1, past.place.step)


@pytest.mark.parametrize("beyond", [0, 5], ids=["at a step that we took on another head", "beyond the end of the deal"])
def test_whoever_has_gone_another_way_is_sent_its_deal_from_the_beginning(beyond: int) -> None:
    bench = in_deal(2)
    past = [step.place for step in lanes_of(bench.peers[0]).past.values()]
    steps = [place.step for place in past if (place.lane, place.deal) == ("play", 1)]
    assert min(sent_to(bench, 1, max(steps) + beyond, b"h" * 32)) == (1, 1)  # it begins with the antes


def test_whoever_has_gone_another_way_to_the_opening_of_the_next_deal_is_sent_the_deal_before() -> None:
    """A seat goes so far alone where it owes the last message of a deal, or proposes the roster."""
    assert min(sent_to(in_deal(3), 2, 1, b"h" * 32)) == (1, 1)


def test_what_of_that_is_in_the_file_alone_is_sent_from_there() -> None:
    bench = in_deal(4)
    one, other, _ = bench.peers
    assert lanes_of(one).archive.in_file(1) is not None, "of the first deal nothing is in memory any more"
    assert lanes_of(one).archive.in_file(2) is None
    status = status_at(one, 2, 1, b"h" * 32)
    effects = one.table.receive(status, other.key, bench.now + 60)
    assert [effect.to for effect in effects if isinstance(effect, SendRecorded)] == [other.key]
    assert any(isinstance(effect, Send) and isinstance(effect.frame, EnvelopeFrame) for effect in effects)


def test_whoever_is_ahead_is_sent_nothing_that_is_closed() -> None:
    bench = in_deal(2)
    here = play_of(bench.peers[0]).place
    assert all(at >= (here.deal, here.step) for at in sent_to(bench, here.deal, here.step + 5, b"h" * 32))
