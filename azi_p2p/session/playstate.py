"""The state of the play lane: what all peers share of a table at one head. Frozen; nothing secret in it.

How it changes is in `playlane` (steps) and `roster` (between two deals).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from azi_p2p import rules
from azi_p2p.rules import Params, State
from azi_p2p.session.context import Context
from azi_p2p.session.decklane import DeckState
from azi_p2p.session.jobs import MaskedCard
from azi_p2p.wire import messages
from azi_p2p.wire.envelope import Place

EndReason = Literal["one_left", "deal_limit", "finish"]


@dataclass(frozen=True, slots=True)
class Member:
    """Who holds a seat: identity key (32 bytes), nickname as signed, id of the signed `seat` message."""

    key: bytes
    name: str
    request: bytes


class PlayPhase(StrEnum):
    """What the play lane waits for."""

    ROSTER = "roster"
    OPEN = "open"
    TOKENS = "tokens"
    DISCARD = "discard"
    ACT = "act"
    CLOSE = "close"
    END = "end"
    ENDED = "ended"


ROUNDS = frozenset({PlayPhase.OPEN, PlayPhase.TOKENS, PlayPhase.DISCARD, PlayPhase.CLOSE, PlayPhase.END})
"""The phases in which several seats owe an envelope at once."""

PERSONAL = frozenset({PlayPhase.DISCARD, PlayPhase.ACT})
"""The phases that wait for a person, and so have the table's own time limit."""

IN_DEAL = frozenset({PlayPhase.TOKENS, PlayPhase.DISCARD, PlayPhase.ACT})


@dataclass(frozen=True, slots=True)
class Absence:
    """A seat that was certified absent before anything was staked, as it will stand in the head."""

    seat: int
    entry: bytes


@dataclass(frozen=True, slots=True)
class PlayState:
    """What all peers share of a table at one head of the play lane.

    `members`: who holds each seat, None for a free one. `opened`: the head after the last `open` (the founding head
    at first), on which the next deck is built. `closed`: the head after the last receipts (or the founding).
    `deck`: the deck in use, from `open` on. `hands`: for each dealt seat its masked cards by position, from the
    tokens on. `absent`: seats with a certificate in this deal. `away`: seats certified absent that haven't returned.
    `dropped`: absences since the roster, which enter the head with `open`. `honoured`: for each key its highest
    request number that took effect. `seated`: ids of all `seat` messages that were ever honoured. `finish`: seats
    that want to end the table. `predicted`: the (seat, key) pairs for which the next deck is prepared beforehand.
    """

    table: bytes
    wire_params: messages.TableParams
    params: Params
    digest: bytes
    members: tuple[Member | None, ...]
    game: State
    deal: int
    attempt: int
    step: int
    head: bytes
    phase: PlayPhase
    opened: bytes
    closed: bytes
    deck: DeckState | None
    hands: Mapping[int, tuple[MaskedCard, ...]]
    absent: frozenset[int]
    away: frozenset[int]
    dropped: tuple[Absence, ...]
    honoured: Mapping[bytes, int]
    seated: frozenset[bytes]
    finish: frozenset[int]
    end_reason: EndReason | None
    predicted: tuple[tuple[int, bytes], ...]

    @property
    def roster(self) -> tuple[int, ...]:
        """The seats that sign and vote: taken, not left, not away."""
        gone = (rules.SeatStatus.LEFT, rules.SeatStatus.EMPTY)
        return tuple(
            seat
            for seat, member in enumerate(self.members)
            if member is not None and seat not in self.away and self.game.status[seat] not in gone
        )

    @property
    def present(self) -> tuple[int, ...]:
        """The roster without the seats that are certified absent in this deal (or since the roster was made)."""
        dropped = {absence.seat for absence in self.dropped}
        return tuple(seat for seat in self.roster if seat not in self.absent and seat not in dropped)

    @property
    def dealt_in(self) -> tuple[int, ...]:
        """The seats for which the next deck is to be made, as things stand."""
        dropped = {absence.seat for absence in self.dropped}
        return tuple(seat for seat in rules.deal_seats(self.game) if seat not in dropped)

    @property
    def deck_roster(self) -> tuple[tuple[int, bytes], ...]:
        """(seat, key) of the seats for which the deck of this deal is to be made."""
        return self.keyed(self.dealt_in)

    def keyed(self, seats: tuple[int, ...]) -> tuple[tuple[int, bytes], ...]:
        """Pair seats with the keys of their members."""
        return tuple((seat, member.key) for seat in seats if (member := self.members[seat]) is not None)

    @property
    def owed(self) -> tuple[int, ...]:
        """The seats from which the current step wants an envelope."""
        if self.phase is PlayPhase.ROSTER:
            return self.proposers[:1]
        if self.phase is PlayPhase.TOKENS:
            return () if self.deck is None else self.deck.seats
        if self.phase in PERSONAL:
            return rules.owed(self.game)
        if self.phase is PlayPhase.ENDED:
            return ()
        return self.present

    @property
    def signers(self) -> tuple[int, ...]:
        """The seats that may sign the current step: those that owe it, and at the end everybody who has a seat.

        Whoever was certified absent or has left agrees to the end too, so that a majority of each roster before can.
        """
        return self.taken if self.phase is PlayPhase.END else self.owed

    @property
    def taken(self) -> tuple[int, ...]:
        """The seats that somebody holds or has held last."""
        return tuple(seat for seat, member in enumerate(self.members) if member is not None)

    @property
    def here(self) -> frozenset[bytes]:
        """The keys of those who haven't left the table, whether they are present or not."""
        left = rules.SeatStatus.LEFT
        return frozenset(key for seat, key in self.keyed(self.taken) if self.game.status[seat] is not left)

    @property
    def proposers(self) -> tuple[int, ...]:
        """The present seats in the order in which they propose the next roster: from the opener's place on.

        While there is no winner the place is not known yet; then they propose from seat 0 on.
        """
        seats = len(self.members)
        winner = self.game.last_winner
        start = 0 if winner is None else (winner + 1) % seats
        order = [(start + offset) % seats for offset in range(seats)]
        return tuple(seat for seat in order if seat in self.present)

    @property
    def place(self) -> Place:
        """Where messages of the current step belong."""
        return Place("play", self.deal, self.attempt, self.step, self.head)

    def seat_of(self, key: bytes) -> int | None:
        """The seat that this key holds; None for a stranger."""
        for seat, member in enumerate(self.members):
            if member is not None and member.key == key:
                return seat
        return None

    def context(self, seat: int) -> Context:
        """What the proofs of `seat` in the current step are bound to."""
        assert self.deck is not None
        return Context(
            self.table,
            self.digest,
            self.deck.roster,
            "play",
            self.deal,
            self.attempt,
            self.step,
            self.head,
            seat,
        )


def found(
    table: bytes,
    wire_params: messages.TableParams,
    params: Params,
    digest: bytes,
    seats: tuple[Member, ...],
    head: bytes,
) -> PlayState:
    """The state after the founding: the first deal waits for its deck and its `open`."""
    places: tuple[Member | None, ...] = (*seats, *(None for _ in range(params.seats - len(seats))))
    chips = [params.start_chips if member is not None else None for member in places]
    return PlayState(
        table=table,
        wire_params=wire_params,
        params=params,
        digest=digest,
        members=places,
        game=rules.new_table(params, chips),
        deal=1,
        attempt=0,
        step=1,
        head=head,
        phase=PlayPhase.OPEN,
        opened=head,
        closed=head,
        deck=None,
        hands={},
        absent=frozenset(),
        away=frozenset(),
        dropped=(),
        honoured={},
        seated=frozenset(member.request for member in seats),
        finish=frozenset(),
        end_reason=None,
        predicted=tuple((seat, member.key) for seat, member in enumerate(seats)),
    )
