"""A running table of three that is fed with hostile frames, and has to be played to its end all the same.

Two peers are honest. The third is everything an attacker can be who has a seat: it signs whatever comes out of the
fuzzer. Sessions only, no sockets: what happens on real links is in `tests.hostile`.
"""

from __future__ import annotations

from dataclasses import replace

from azi_p2p.rules import Params
from azi_p2p.wire.envelope import decode_envelope, encode_payload
from azi_p2p.wire.errors import WireError
from azi_p2p.wire.frame import EnvelopeFrame, decode_frame
from tests.fuzz import corpus
from tests.session.harness import Network, all_ended, table_of

HELD = 400
"""Hostile frames that one table gets before it has to show that it still can be played to the end."""

STAGES = 12
"""Places in the game at which the frames come, spread over it."""


class HostileTable:
    """Takes frame bodies one after another; raises what the session raises, and AssertionError if it can't go on."""

    def __init__(self) -> None:
        self._network: Network | None = None
        self._taken = 0

    def feed(self, body: bytes) -> None:
        """Hand a frame body to an honest peer, over the link of the dishonest one. WireError: not even a frame."""
        frame = decode_frame(body)
        network = self._network if self._network is not None else self._begin()
        honest = network.peers[self._taken % 2]
        if isinstance(frame, EnvelopeFrame) and self._taken % 2:
            frame = EnvelopeFrame(_aimed(frame.envelope, network, self._taken))
        network._perform(honest, honest.table.receive(frame, network.peers[2].key, network.now))
        self._taken += 1
        if self._taken % (HELD // STAGES) == 0:
            self._play_on(60)
        if self._taken >= HELD:
            self.finish()

    def finish(self) -> None:
        """Let the dishonest peer vanish and the honest ones end their table."""
        network, self._network, self._taken = self._network, None, 0
        if network is not None:
            network.kill(network.peers[2])
            network.run(lambda: all_ended(network))

    def forget(self) -> None:
        """Begin anew with the next frame."""
        self._network, self._taken = None, 0

    def _begin(self) -> Network:
        self._network = table_of(3, Params(seats=3, deal_limit=1), corpus.SEED)
        self._play_on(30)
        return self._network

    def _play_on(self, frames: int) -> None:
        """Deliver some frames, let time pass if there are none, and let players act."""
        network = self._network
        assert network is not None
        left = frames

        def enough() -> bool:
            nonlocal left
            left -= 1
            return left < 0 or all_ended(network)

        network.run(enough)


def _aimed(raw: bytes, network: Network, number: int) -> bytes:
    """The same message for the step that is due now, signed anew by the dishonest peer; other bytes as they are."""
    lanes = network.peers[0].table.lanes
    try:
        envelope = decode_envelope(raw)
    except WireError:
        return raw
    if lanes is None or envelope.lane == "none":
        return raw
    deck = lanes.deck if envelope.lane == "deck" or (envelope.lane == "vote" and number % 3 == 0) else None
    place = lanes.play.place if deck is None else deck.place
    if envelope.lane == "vote":
        place = replace(place, lane="vote")
    author = network.peers[2].key
    return corpus.signed(author, encode_payload(lanes.play.table, author, place, envelope.body))


_TABLE = HostileTable()


def feed(body: bytes) -> None:
    """Hand a frame body to the one table of this process; see `HostileTable.feed`."""
    try:
        _TABLE.feed(body)
    except WireError:
        raise
    except BaseException:
        _TABLE.forget()
        raise
