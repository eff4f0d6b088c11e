"""Two messages signed where a deal is opened, one to some and one to the others: everybody signs on top at once.

So a majority may have gone on with the one before anybody hears of the other, and whoever has that other one first must
come after it.
"""

from __future__ import annotations

import pytest

from azi_p2p.session.events import SeatAbsent
from azi_p2p.wire.envelope import Envelope
from azi_p2p.wire.messages import Bid, Body
from tests.attacks.bench import assert_agreed, bench_of, events, run_to_end, seat_of, small
from tests.session.harness import Peer

pytestmark = pytest.mark.usefixtures("ideal_cryptography")


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("count", [3, 4, 5])
@pytest.mark.parametrize("kind", ["open", "tokens", "close"])
def test_one_peer_gets_another_message(count: int, kind: str, seed: int) -> None:
    """All the others go on; nobody but the liar is certified absent."""
    bench = bench_of(count, small(count, deals=2), seed)
    victim, *_, bent = bench.peers

    def split(envelope: Envelope, receiver: Peer) -> Body | bytes | None:
        other = receiver is victim and envelope.type == kind and envelope.deal == 1
        return Bid(to=20) if other else envelope.raw

    bench.split(bent, split)
    run_to_end(bench, bent, seconds=900)
    assert_agreed(bench, bent)
    for peer in bench.others(bent):
        assert {event.seat for event in events(peer, SeatAbsent)} <= {seat_of(bent)}
