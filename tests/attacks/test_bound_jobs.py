"""A proof that is ready after its peer has claimed a seat absent isn't signed on top of that seat's message."""

from __future__ import annotations

import pytest

from azi_p2p.session.effects import Effect, RunJob
from azi_p2p.session.jobs import MakeTokens
from azi_p2p.wire.envelope import Envelope, decode_envelope, place_of
from azi_p2p.wire.messages import Bid, Open
from tests.attacks.bench import Bench, assert_agreed, bench_of, lanes_of, play_of, result_of, run_to_end, small
from tests.session.harness import Peer

pytestmark = pytest.mark.usefixtures("ideal_cryptography")


class Slow(Bench):
    """A table of which some peers take their time to make reveal tokens."""

    slow: Peer | None = None
    making: RunJob | None = None

    def _perform(self, peer: Peer, effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, RunJob) and isinstance(effect.job, MakeTokens) and peer is self.slow:
                self.making = effect
            else:
                super()._perform(peer, [effect])

    def made(self) -> None:
        """What the slow peer has been making is ready."""
        assert self.slow is not None
        assert self.making is not None
        slow, done, self.slow = self.slow, self.making, None
        self._perform(slow, slow.table.finish_job(done.id, result_of(done.job), self.now))


@pytest.mark.parametrize("seed", range(3))
def test_tokens_that_are_ready_after_their_peer_has_claimed(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Katya signs two messages for the slot of her `open`; Ben hears of the second while his tokens are being made."""
    monkeypatch.setattr("tests.attacks.bench.Bench", Slow)
    bench = bench_of(3, small(3), seed)
    assert isinstance(bench, Slow)
    _anna, ben, katya = bench.peers
    bench.slow = ben
    bench.run(lambda: bench.making is not None)
    here = play_of(ben).place
    opening = next(
        envelope
        for past in lanes_of(ben).past.values()
        for envelope in past.moves.values()
        if isinstance(envelope.body, Open) and envelope.author == katya.key
    )
    bench.broadcast(katya, bench.forge(katya, place_of(opening), Bid(to=20)), [ben])
    bench.run(lambda: any(envelope.type == "vote" and envelope.step == opening.step for envelope in signed(ben)))
    bench.made()
    assert not [envelope for envelope in signed(ben) if envelope.type == "tokens" and envelope.prev == here.prev]
    run_to_end(bench, katya, seconds=600)
    assert_agreed(bench, katya)


def signed(peer: Peer) -> list[Envelope]:
    """All that a peer has signed."""
    return [decode_envelope(entry.record) for entry in peer.journal if entry.kind == "envelope"]
