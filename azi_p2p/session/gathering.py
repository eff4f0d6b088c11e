"""Before the founding: who has asked for a seat, and the founder's list that makes a table of them.

Everybody signs `seat` (nickname, key, nonce, the parameters); the founder signs the ordered list. After the founding
this keeps the applications of those who want to join later.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from azi_p2p.rules import Params, ParamsError
from azi_p2p.session.events import SeatRefusal, TableRefused
from azi_p2p.session.heads import founding_head, params_digest, table_id
from azi_p2p.session.playstate import Member, PlayState, found
from azi_p2p.wire.envelope import Envelope
from azi_p2p.wire.messages import Founding, SeatRequest, TableParams

MAX_APPLICANTS = 32


def wire_params(params: Params, name: str) -> TableParams:
    """The table parameters in the form in which seats sign them; `name` is what people call the table."""
    return TableParams(name=name, **params.to_mapping())  # type: ignore[arg-type]  # checked fields of the same names


def rules_params(params: TableParams) -> Params:
    """The parameters for the rules; raises ParamsError when they contradict each other or are out of range."""
    fields = {name: getattr(params, name) for name in params.__struct_fields__ if name != "name"}
    return Params.from_mapping(fields)


@dataclass(slots=True)
class Gathering:
    """The signed `seat` messages of one table, by key, in the order in which they came.

    `founder` is the key whose `seat` message gives the table its id; `founding` the founder's list; `linked`: the own
    key, and those of peers that are linked now.
    """

    table: bytes | None
    seats: dict[bytes, Envelope] = field(default_factory=dict)
    founder: bytes | None = None
    params: TableParams | None = None
    founding: Envelope | None = None
    linked: Collection[bytes] = frozenset()

    def enter(self, envelope: Envelope) -> TableRefused | None:
        """Enter a signed `seat` or `founding` message; returns why not, None when it was entered.

        The first `seat` of a founder decides the table's id where it isn't known yet.
        """
        body = envelope.body
        if isinstance(body, Founding):
            if self.founding is not None or (self.founder is not None and envelope.author != self.founder):
                return TableRefused(SeatRefusal.NOT_FIRST_LIST)
            self.founding = envelope
            return None
        assert isinstance(body, SeatRequest)
        if table_id(envelope.author, body.nonce) == envelope.table:
            try:
                rules_params(body.params)
            except ParamsError as error:
                return TableRefused(SeatRefusal.BAD_PARAMS, {"problem": error})
            self.founder, self.params = envelope.author, body.params
            if self.founding is not None and self.founding.author != self.founder:
                self.founding = None  # somebody else's list came first; the founder's is sent again to who lacks it
        elif self.params is not None and body.params != self.params:
            return TableRefused(SeatRefusal.OTHER_PARAMS)
        full = envelope.author not in self.seats and len(self.seats) >= MAX_APPLICANTS
        if full and not self._make_room(envelope):
            return TableRefused(SeatRefusal.TOO_MANY_ASK)
        self.seats[envelope.author] = envelope
        return None

    def _make_room(self, wanted: Envelope) -> bool:
        """Let go of a request whose author isn't linked, for one whose author is, or that the founder has listed."""
        listed = self.founding.body.seats if self.founding and isinstance(self.founding.body, Founding) else []
        others = [
            key
            for key, envelope in self.seats.items()
            if key not in (*self.linked, self.founder) and envelope.id not in listed
        ]
        if (wanted.author not in (*self.linked, self.founder) and wanted.id not in listed) or not others:
            return False
        del self.seats[others[0]]
        return True

    def envelopes(self) -> list[Envelope]:
        """Everything entered so far, the founder's seat first."""
        first = [self.seats[self.founder]] if self.founder in self.seats else []
        rest = [envelope for key, envelope in self.seats.items() if key != self.founder]
        return first + rest + ([self.founding] if self.founding is not None else [])

    def found(self) -> tuple[PlayState, list[Envelope]] | None:
        """The founded table with the envelopes that found it, in ledger order; None while anything is missing."""
        founding, params = self.founding, self.params
        if founding is None or params is None or founding.author != self.founder:
            return None
        assert isinstance(founding.body, Founding)
        known = {envelope.id: envelope for envelope in self.seats.values()}
        listed = founding.body.seats
        if not all(request in known for request in listed):
            return None
        chosen = [known[request] for request in listed]
        keys = {envelope.author for envelope in chosen}
        same = all(isinstance(seat.body, SeatRequest) and seat.body.params == params for seat in chosen)
        if len(keys) != len(chosen) or chosen[0].author != self.founder or not same or len(chosen) > params.seats:
            return None
        members = tuple(
            Member(envelope.author, envelope.body.nickname, envelope.id)
            for envelope in chosen
            if isinstance(envelope.body, SeatRequest)
        )
        head = founding_head(founding, chosen)
        digest = params_digest(params)
        play = found(founding.table, params, rules_params(params), digest, members, head)
        return play, [*chosen, founding]
