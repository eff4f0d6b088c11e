"""Every signed message of the protocol, one frozen struct for each type.

A payload says where its message belongs (table, lane, deal, attempt, step, the head it builds on) and carries one
body. The proofs and decks in a body are byte strings here; the cryptography decodes them, strictly, when it checks.
What a message means and when it may be sent is decided in the session, not here.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

VERSION = 1
"""Protocol version; peers with different versions don't share a table."""

MAX_ENVELOPE = 16 * 1024
"""Largest signed envelope in bytes, votes excepted (they may enclose two such envelopes as evidence)."""
MAX_VOTE = 48 * 1024

Id = Annotated[bytes, Meta(min_length=32, max_length=32)]
Digest = Annotated[bytes, Meta(min_length=32, max_length=32)]
ElementBytes = Annotated[bytes, Meta(min_length=32, max_length=32)]
Count = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Seat = Annotated[int, Meta(ge=0, le=5)]
Chips = Annotated[int, Meta(ge=0, le=10**13)]
Position = Annotated[int, Meta(ge=0, le=3)]
CardName = Annotated[str, Meta(min_length=2, max_length=2)]
Nickname = Annotated[str, Meta(min_length=1, max_length=24)]
Enclosed = Annotated[bytes, Meta(min_length=1, max_length=MAX_ENVELOPE)]
Proof = Annotated[bytes, Meta(min_length=1, max_length=8 * 1024)]

Lane = Literal["none", "deck", "play", "vote"]


class Body(Struct, frozen=True, forbid_unknown_fields=True):
    """Base of all message bodies."""


# Lane "none": founding, requests, chat. They have no slot.


class TableParams(Body, frozen=True):
    """The table parameters as signed, in the words of the rules; `name` is what people call the table."""

    name: Nickname
    seats: Annotated[int, Meta(ge=2, le=6)]
    hand_size: Annotated[int, Meta(ge=3, le=4)]
    out_suit: Literal["C", "D", "H", "S"]
    ante: Annotated[int, Meta(ge=1, le=10**6)]
    min_bid: Annotated[int, Meta(ge=1, le=10**6)]
    start_chips: Annotated[int, Meta(ge=1, le=10**9)]
    max_bids: Annotated[int, Meta(ge=1, le=9)]
    opener_rule: Literal["must_bid", "may_fold", "may_check"]
    short_payout: Literal["matched", "proportional"]
    azi_replay: Literal["all", "contenders", "buy_in"]
    promoted_six: bool
    rebuy: bool
    deal_limit: Annotated[int, Meta(ge=0, le=10**5)]
    turn_seconds: Annotated[int, Meta(ge=5, le=600)]


class SeatRequest(Body, frozen=True):
    """`seat`: I want a seat at this table, under this name and these parameters."""

    nickname: Nickname
    nonce: Digest
    params: TableParams


class Founding(Body, frozen=True):
    """`founding`: the founder's list of the first seats: ids of their `seat` messages, in seat order."""

    seats: Annotated[list[Digest], Meta(min_length=2, max_length=6)]


class Request(Body, frozen=True):
    """`request`: a wish about one's own seat. Only a signer's highest number counts."""

    number: Count
    wish: Literal["leave", "sit_out", "return", "rebuy", "pause", "resume", "finish"]


class Chat(Body, frozen=True):
    """`chat`: words for people; prove nothing."""

    number: Count
    text: Annotated[str, Meta(min_length=1, max_length=300)]


# Lane "deck": preparing a deck.


class Commit(Body, frozen=True):
    """`commit`: hash that binds the author to the `reveal` to come."""

    digest: Digest


class Reveal(Body, frozen=True):
    """`reveal`: the deal key, proof that its owner knows the secret, and a share of the joint seed."""

    key: ElementBytes
    proof: Proof
    entropy: Digest


class Shuffle(Body, frozen=True):
    """`shuffle`: the deck re-masked and permuted, with its proof."""

    deck: Annotated[bytes, Meta(min_length=64, max_length=64 * 64)]
    proof: Proof


# Lane "play": the deal proper.


class RosterSeat(Body, frozen=True):
    """One seat of a roster."""

    seat: Seat
    key: Id
    chips: Chips


class Roster(Body, frozen=True):
    """`roster`: the requests that the proposer honours (whole envelopes), in the order in which they take effect."""

    requests: Annotated[list[Enclosed], Meta(max_length=24)]


class Open(Body, frozen=True):
    """`open`: the signed ante: who is dealt in, the chips before the ante, and the deck to be used."""

    roster: Annotated[list[RosterSeat], Meta(min_length=1, max_length=6)]
    dealt_in: Annotated[list[Seat], Meta(min_length=2, max_length=6)]
    closing: Digest
    deck: Digest


class Tokens(Body, frozen=True):
    """`tokens`: reveal tokens for all dealt cards but the author's own, the upcard and the draw, one proof for all."""

    tokens: Annotated[list[ElementBytes], Meta(min_length=1, max_length=32)]
    proof: Proof


class Discard(Body, frozen=True):
    """`discard`: the position of the card that is laid aside, not the card."""

    position: Position


class Bid(Body, frozen=True):
    """`bid`: opening bid or raise, as the total that the seat has bid in this deal."""

    to: Annotated[int, Meta(ge=1, le=10**12)]


class Call(Body, frozen=True):
    """`call`."""


class Check(Body, frozen=True):
    """`check`."""


class Fold(Body, frozen=True):
    """`fold`."""


class Leave(Body, frozen=True):
    """`leave`: fold and leave the table."""


class Play(Body, frozen=True):
    """`play`: a card, the token that opens it, and for each held position a void proof where one is owed."""

    position: Position
    card: CardName
    token: ElementBytes
    proof: Proof
    void: Annotated[list[Proof], Meta(max_length=4)]


class BuyIn(Body, frozen=True):
    """`buy_in`: the price is paid."""


class Decline(Body, frozen=True):
    """`decline`: the seat stays out of the replay."""


class Close(Body, frozen=True):
    """`close`: receipt: the digest of the state after the deal, and everybody's chips."""

    state: Digest
    chips: Annotated[list[Chips], Meta(min_length=2, max_length=6)]


class Standing(Body, frozen=True):
    """One line of the standings."""

    place: Annotated[int, Meta(ge=1, le=6)]
    seat: Seat
    chips: Chips


class End(Body, frozen=True):
    """`end`: the standings, signed by everybody who is there."""

    reason: Literal["one_left", "deal_limit", "finish"]
    standings: Annotated[list[Standing], Meta(min_length=1, max_length=6)]


# Lane "vote".


class Vote(Body, frozen=True):
    """`vote`: what the author holds of the move that `seat` owes in the step named by the payload.

    The payload's deal, attempt, step and prev name the step; `lane` its lane. `claim`: nothing valid (with evidence:
    a fault or an equivocation); `ack`: the move whose id is `move`.
    """

    lane: Literal["deck", "play"]
    seat: Seat
    round: Annotated[int, Meta(ge=0, le=10**6)]
    verdict: Literal["claim", "ack"]
    move: Annotated[bytes, Meta(max_length=32)]
    evidence: Annotated[list[Enclosed], Meta(max_length=2)]


BODIES: dict[str, type[Body]] = {
    "seat": SeatRequest,
    "founding": Founding,
    "request": Request,
    "chat": Chat,
    "commit": Commit,
    "reveal": Reveal,
    "shuffle": Shuffle,
    "roster": Roster,
    "open": Open,
    "tokens": Tokens,
    "discard": Discard,
    "bid": Bid,
    "call": Call,
    "check": Check,
    "fold": Fold,
    "leave": Leave,
    "play": Play,
    "buy_in": BuyIn,
    "decline": Decline,
    "close": Close,
    "end": End,
    "vote": Vote,
}
"""Body struct for each message type."""

TYPES = {kind: name for name, kind in BODIES.items()}

LANES: dict[str, Lane] = {
    **dict.fromkeys(("seat", "founding", "request", "chat"), "none"),
    **dict.fromkeys(("commit", "reveal", "shuffle"), "deck"),
    "vote": "vote",
    **dict.fromkeys(("roster", "open", "tokens", "discard", "bid", "call", "check", "fold", "leave"), "play"),
    **dict.fromkeys(("play", "buy_in", "decline", "close", "end"), "play"),
}
"""The lane in which each message type belongs."""
