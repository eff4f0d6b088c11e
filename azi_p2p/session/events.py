"""What happened at the table, in order, for whoever shows it to people (and for bots to wake up on).

Events carry facts, no words: the screens put them into the player's language. Seats are numbers 0 to 5; names and
everything else stand in the view (`azi_p2p.session.view`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from azi_p2p.reasons import Reason
from azi_p2p.rules import Action


@dataclass(frozen=True, slots=True)
class SeatTaken:
    """Somebody has asked for a seat (before the founding: `seat` is the order of asking) or was given one."""

    seat: int
    name: str
    key: bytes


@dataclass(frozen=True, slots=True)
class TableFounded:
    """The table exists: who sits where is signed."""

    table: bytes


@dataclass(frozen=True, slots=True)
class ShuffleProven:
    """The shuffle of `seat` for deal `deal` holds; `done` of `total` shuffles of this deck are proven."""

    deal: int
    seat: int
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class DealOpened:
    """All antes are signed; the cards come now."""

    deal: int


@dataclass(frozen=True, slots=True)
class CardsDealt:
    """The cards are out: own hand, upcard and opener stand in the view."""

    deal: int


@dataclass(frozen=True, slots=True)
class ActionTaken:
    """A seat has acted, validly. `voids`: the suits in which it has proven to have no card (a play only)."""

    seat: int
    action: Action
    voids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnBegan:
    """`seats` owe an action now; `deadline` (local monotonic seconds) or None when the clock stands."""

    seats: tuple[int, ...]
    deadline: float | None


@dataclass(frozen=True, slots=True)
class TrickWon:
    """A trick is complete; number 0 to 2."""

    seat: int
    number: int


@dataclass(frozen=True, slots=True)
class DealEnded:
    """A deal is over; `result` won, uncontested, azi or void. The reckoning stands in the view's rules."""

    deal: int
    result: str
    winner: int | None


@dataclass(frozen=True, slots=True)
class ReceiptSigned:
    """Everybody there has signed the chips after deal `deal`."""

    deal: int


@dataclass(frozen=True, slots=True)
class WishHeard:
    """A seat has asked for something that takes effect between deals, or for a pause."""

    seat: int
    wish: str


Change = Literal["join", "leave", "sit_out", "return", "rebuy"]
"""What a roster does to a seat."""


@dataclass(frozen=True, slots=True)
class SeatChanged:
    """A wish took effect, or somebody has sat down."""

    seat: int
    change: Change


@dataclass(frozen=True, slots=True)
class LinkChanged:
    """The peer on a seat is linked to us, or isn't any more."""

    seat: int
    up: bool


@dataclass(frozen=True, slots=True)
class OnlookersChanged:
    """Somebody without a seat has come to the founded table, or has gone: so many are linked to us now.

    Told when there is another number than was told last, but not more than once in ten seconds.
    """

    number: int


@dataclass(frozen=True, slots=True)
class AbsenceClaimed:
    """The seat's time ran out (or it is at fault) and peers are voting; `round` from 0."""

    seat: int
    round: int


@dataclass(frozen=True, slots=True)
class SeatAbsent:
    """A majority has certified that the seat is absent from this deal."""

    seat: int


@dataclass(frozen=True, slots=True)
class FaultSeen:
    """A seat has provably broken the rules: code and message say how; `evidence` holds the envelopes."""

    seat: int
    code: str
    message: str
    deal: int
    step: int
    evidence: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """Chat: other people's words, already cleared of control characters."""

    seat: int
    text: str


@dataclass(frozen=True, slots=True)
class ProfileOutdated:
    """Others hold messages of our own key that this profile doesn't know of: it is an older copy, or the key moved."""


@dataclass(frozen=True, slots=True)
class TableEnded:
    """The standings are signed (they are in the view). `reason`: one_left, deal_limit, finish."""

    reason: str


@dataclass(frozen=True, slots=True)
class TableClosed:
    """We have closed the table without a majority. `chips`: by seat, by our own reckoning, which nobody has confirmed.

    `absent`: the seat that is reckoned absent in the deal, None where nobody is.
    """

    chips: tuple[int, ...]
    absent: int | None


class SeatRefusal(Reason, kind="seat"):
    """Why we can't take part in a table."""

    NO_SEAT_FREE = "no_seat_free", "no seat is free at this table"
    TOO_MANY_ASK = "too_many_ask", "too many people ask for a seat"
    BAD_PARAMS = "bad_params", "the rules of this table are out of range: {problem}"
    OTHER_PARAMS = "other_params", "signed for other table parameters"
    NOT_FIRST_LIST = "not_first_list", "not the founder's first list of seats"


@dataclass(frozen=True, slots=True)
class TableRefused:
    """We can't take part in this table: `details` fill the fields of the reason's sentence.

    With BAD_PARAMS, `problem` is the ParamsError of the rules.
    """

    code: SeatRefusal
    details: Mapping[str, object] = field(default_factory=dict)

    @property
    def message(self) -> str:
        """The reason in English, in one line."""
        return self.code.told(self.details)


Event = (
    SeatTaken
    | TableFounded
    | ShuffleProven
    | DealOpened
    | CardsDealt
    | ActionTaken
    | TurnBegan
    | TrickWon
    | DealEnded
    | ReceiptSigned
    | WishHeard
    | SeatChanged
    | LinkChanged
    | OnlookersChanged
    | AbsenceClaimed
    | SeatAbsent
    | FaultSeen
    | Said
    | ProfileOutdated
    | TableEnded
    | TableClosed
    | TableRefused
)
