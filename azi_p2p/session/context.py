"""What each proof is bound to: the Fiat-Shamir transcripts of the session.

Every proof's transcript starts with the protocol version, table, parameters, roster, lane, deal, attempt, step, the
head that the message builds on, and the prover's seat and key. So no proof can be used anywhere but where it was made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from azi_p2p.crypto.transcript import Transcript
from azi_p2p.wire.messages import VERSION


@dataclass(frozen=True, slots=True)
class Context:
    """The public facts that a proof is bound to.

    `roster`: (seat, key) of the seats whose keys make the deck; `params`: digest of the table parameters.
    """

    table: bytes
    params: bytes
    roster: tuple[tuple[int, bytes], ...]
    lane: str
    deal: int
    attempt: int
    step: int
    head: bytes
    seat: int

    def transcript(self, purpose: bytes) -> Transcript:
        """A fresh transcript for one proof of this context; `purpose` tells several proofs of one message apart."""
        transcript = Transcript(b"azi session proof")
        transcript.append_int(b"version", VERSION)
        transcript.append(b"table", self.table)
        transcript.append(b"params", self.params)
        transcript.append_int(b"seats", len(self.roster))
        for seat, key in self.roster:
            transcript.append_int(b"seat", seat)
            transcript.append(b"key", key)
        transcript.append(b"lane", self.lane.encode())
        transcript.append_int(b"deal", self.deal)
        transcript.append_int(b"attempt", self.attempt)
        transcript.append_int(b"step", self.step)
        transcript.append(b"head", self.head)
        transcript.append_int(b"prover", self.seat)
        transcript.append(b"prover key", key_of(self.roster, self.seat))
        transcript.append(b"purpose", purpose)
        return transcript


def key_of(roster: Sequence[tuple[int, bytes]], seat: int) -> bytes:
    """The identity key of a seat in a roster; raises KeyError when it isn't in it."""
    for other, key in roster:
        if other == seat:
            return key
    raise KeyError(seat)
