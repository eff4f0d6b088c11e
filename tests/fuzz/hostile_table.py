"""A running table of three that is fed with hostile frames, and has to be played to its end all the same.

Two peers are honest: they make a majority, so nothing may keep them from ending the game. The third is everything an
attacker can be who has a seat: it signs whatever comes out of the fuzzer. The keys of the honest ones are no keys of
the corpus, so it can sign with its own alone: with two keys of three it could stop any table, and prove nothing about
the code. Sessions only, no sockets: what happens on real links is in `tests.hostile`.

What goes wrong here rarely comes from one frame. So a fault is kept with all the frames that its table got: as a
recording, which begins with a byte that no frame can begin with, and is played to a table of its own.
"""

from __future__ import annotations

import contextlib
import struct
from collections import deque
from collections.abc import Iterator
from dataclasses import replace

import msgspec

from azi_p2p.rules import Params
from azi_p2p.wire.envelope import SIGNATURE_DOMAIN, decode_envelope, encode_payload, place_of, seal
from azi_p2p.wire.errors import WireError
from azi_p2p.wire.frame import EnvelopeFrame, decode_frame
from azi_p2p.wire.messages import Vote
from tests.fuzz import corpus
from tests.session.harness import NAMES, Network, all_ended, make_me, table_of

SEED = corpus.SEED + 1
"""Of this table and its people, who sit at no table of the corpus."""

HELD = 400
"""Hostile frames that one table gets before it has to show that it still can be played to the end."""

RECORDING = b"\xc1"
"""First byte of a recording: the one that MessagePack never uses. Then frame bodies, each after its length (u32)."""

STEPS = 20_000
"""Frames delivered, moves made and waits, after which a table that hasn't ended never will; most take a few hundred."""

STAGES = 12
"""Places in the game at which the frames come, spread over it."""


class TableFault(AssertionError):
    """A table that raised something, or couldn't be played to its end; `whole_input` is the recording of it."""

    def __init__(self, bodies: list[bytes], error: Exception) -> None:
        super().__init__(f"{type(error).__name__}: {error}")
        self.whole_input = RECORDING + b"".join(struct.pack(">I", len(body)) + body for body in bodies)


def recorded(data: bytes) -> Iterator[bytes]:
    """The frame bodies of a recording; whatever it is cut to or changed into, it is read as far as it goes."""
    at = len(RECORDING)
    while at + 4 <= len(data):
        (size,) = struct.unpack_from(">I", data, at)
        yield data[at + 4 : at + 4 + size]
        at += 4 + size


class HostileTable:
    """Takes frame bodies one after another; raises what the session raises, and AssertionError if it can't go on."""

    def __init__(self) -> None:
        self._network: Network | None = None
        self._taken = 0
        self._attacker = make_me(NAMES[2], SEED).identity
        self._signed: deque[bytes] = deque(maxlen=8)

    @property
    def is_running(self) -> bool:
        """Whether there is a table that has got frames and hasn't ended."""
        return self._network is not None

    def feed(self, body: bytes) -> None:
        """Hand a frame body to an honest peer, over the link of the dishonest one. WireError: not even a frame."""
        frame = decode_frame(body)
        network = self._network if self._network is not None else self._begin()
        honest = network.peers[self._taken % 2]
        if isinstance(frame, EnvelopeFrame):
            frame = EnvelopeFrame(self._aimed(frame.envelope, network))
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
            network.run(lambda: all_ended(network), steps=STEPS)

    def forget(self) -> None:
        """Begin anew with the next frame."""
        self._network, self._taken = None, 0
        self._signed.clear()

    def _aimed(self, raw: bytes, network: Network) -> bytes:
        """The same message at this table, signed anew by the dishonest peer; what is no envelope stays as it is.

        Of three messages two are for the step that is due now, one stays at its own place. Evidence in a vote
        becomes what the dishonest peer has signed lately.
        """
        lanes = network.peers[0].table.lanes
        try:
            envelope = decode_envelope(raw)
        except WireError:
            return raw
        if lanes is None:
            return raw
        place, body = place_of(envelope), envelope.body
        if envelope.lane != "none" and self._taken % 3:
            on_deck = envelope.lane == "deck" or (envelope.lane == "vote" and self._taken % 2 == 0)
            state = lanes.deck if on_deck and lanes.deck is not None else lanes.play
            place = replace(state.place, lane="vote") if envelope.lane == "vote" else state.place
        if isinstance(body, Vote) and body.evidence:
            body = msgspec.structs.replace(body, evidence=list(self._signed)[-len(body.evidence) :])
        payload = encode_payload(lanes.play.table, self._attacker.public, place, body)
        signed = seal(payload, self._attacker.sign(SIGNATURE_DOMAIN, payload))
        self._signed.append(signed)
        return signed

    def _begin(self) -> Network:
        self._network = table_of(3, Params(seats=3, deal_limit=1), SEED)
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


_TABLE = HostileTable()
_BODIES: list[bytes] = []


def feed(body: bytes) -> None:
    """Hand a frame body to the one table of this process, or play a recording to another; raises TableFault.

    WireError: not even a frame.
    """
    if body.startswith(RECORDING):
        replay(body)
        return
    if not _TABLE.is_running:
        _BODIES.clear()
    _BODIES.append(body)
    try:
        _TABLE.feed(body)
    except WireError:
        _BODIES.pop()
        raise
    except Exception as error:
        _TABLE.forget()
        raise TableFault(_BODIES, error) from error


def replay(data: bytes) -> None:
    """Play a recording to a table of its own, which then has to come to its end."""
    table, bodies = HostileTable(), list(recorded(data))[:HELD]
    try:
        for body in bodies:
            with contextlib.suppress(WireError):
                table.feed(body)
        table.finish()
    except Exception as error:
        raise TableFault(bodies, error) from error
