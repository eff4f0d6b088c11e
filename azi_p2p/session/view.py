"""What a screen or a bot may see of the table: shared facts, and the secrets of the own seat alone."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from azi_p2p.rules import Option, Params
from azi_p2p.rules import View as RulesView
from azi_p2p.session.closing import Reckoning


class Phase(StrEnum):
    """What the table is doing, in the words that screens use."""

    GATHERING = "gathering"
    """Not founded: people take seats."""
    RESUMING = "resuming"
    """We were at this table before, and find out from the others how far it has got before we sign anything."""
    PREPARING = "preparing"
    """The deck is being shuffled; nothing is at stake."""
    OPENING = "opening"
    """Antes are being signed."""
    DEALING = "dealing"
    """Reveal tokens go round."""
    ACTING = "acting"
    """People decide: discard, bidding, play, buying in; `rules.phase` says which."""
    CLOSING = "closing"
    """Receipts are being signed, the next roster is made."""
    WAITING = "waiting"
    """Fewer than two seats can be dealt in."""
    ENDED = "ended"
    """The standings are signed."""


@dataclass(frozen=True, slots=True)
class SeatView:
    """Who holds a seat. `linked`: we have a link to that peer; `absent`: certified absent in this deal;
    `away`: will not be dealt in until it returns; `faulted`: a fault of it is certified; `gone`: left the table."""

    seat: int
    name: str
    key: bytes
    fingerprint: str
    linked: bool
    absent: bool
    away: bool
    faulted: bool
    gone: bool


@dataclass(frozen=True, slots=True)
class ProofTally:
    """Proofs of the running deal that this peer has checked itself. `own_shuffle`: ours is in this deck."""

    shuffles: int
    shuffles_expected: int
    own_shuffle: bool
    tokens: int
    voids: int


@dataclass(frozen=True, slots=True)
class TableView:
    """Everything about the table that the own seat may know. `my_seat` None: an onlooker.

    `rules` (None before the founding): the game as that seat sees it, own hand included. `legal`: what the own seat
    may do now, empty when it isn't asked. `deadline`: local monotonic seconds, None when no clock runs. `wishes`:
    own wishes that have not taken effect yet. `finish_wishes`: seats that want to end the table. `unconfirmed`: what
    everybody would get if we closed the table now, where no majority of it can be reached; None while one can.
    `onlookers`: peers without a seat that are linked to us; 0 before the founding.
    """

    table: bytes
    name: str
    params: Params
    phase: Phase
    my_seat: int | None
    founder: bool
    seats: tuple[SeatView, ...]
    deal: int
    rules: RulesView | None
    legal: tuple[Option, ...]
    owed: tuple[int, ...]
    deadline: float | None
    paused: bool
    proofs: ProofTally
    wishes: frozenset[str]
    finish_wishes: frozenset[int]
    standings: tuple[tuple[int, int, int], ...]
    head: bytes
    unconfirmed: Reckoning | None = None
    onlookers: int = 0
