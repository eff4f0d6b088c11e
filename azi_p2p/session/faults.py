"""What can be wrong with a signed message, and who is to blame for it."""

from __future__ import annotations

from dataclasses import dataclass

from azi_p2p.wire.envelope import Place


class Fault(Exception):  # noqa: N818 - the project's word for a provable breach
    """A signed message breaks the protocol on the head that it names: provably its author's doing.

    `code`: a short word for machines; the message says what is wrong. Raised by the judges of both lanes.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True, slots=True)
class ProvenFault:
    """A breach with its proof: one envelope that breaks the rules, or two that can't both be honest.

    `place` is where the (first) envelope of the evidence belongs.
    """

    seat: int
    code: str
    message: str
    deal: int
    step: int
    evidence: tuple[bytes, ...]
    place: Place


EQUIVOCATION = "equivocation"
"""Two different signed messages for one slot."""
