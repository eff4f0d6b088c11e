"""The deck lane: how the seats of a deal prepare a deck that nobody controls.

Three kinds of step: all commit to a key share, all reveal it, then each seat in turn re-masks and permutes the deck
and proves it. The state is frozen; `judge` says what is wrong with an envelope at the current step (or gives the
job that will), `advance` gives the state after the step. Who is absent, and what follows, is not decided here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from azi_p2p.crypto.cards import card_elements
from azi_p2p.crypto.commitment import commit, verify_opening
from azi_p2p.crypto.errors import CryptoError
from azi_p2p.crypto.group import Element, decode_element
from azi_p2p.crypto.keys import OwnershipProof, joint_key, verify_ownership
from azi_p2p.crypto.masking import Deck, decode_deck, start_deck
from azi_p2p.session.context import Context
from azi_p2p.session.faults import Fault
from azi_p2p.session.heads import deck_head, next_head, number
from azi_p2p.session.jobs import CheckShuffle
from azi_p2p.wire.codec import encode
from azi_p2p.wire.envelope import Envelope, Place
from azi_p2p.wire.messages import Commit, Reveal, Shuffle

COMMIT_TAG = b"azi deal key"
OWNERSHIP = b"ownership"
REVEAL_STEP = 1


class DeckPhase(StrEnum):
    """What the deck lane waits for."""

    COMMIT = "commit"
    REVEAL = "reveal"
    SHUFFLE = "shuffle"
    READY = "ready"


@dataclass(frozen=True, slots=True)
class DeckState:
    """A deck in preparation.

    `roster`: (seat, key) of everybody to be dealt in, in seat order; `cards`: names of the cards of the start deck;
    `base`: the head on which the lane began; `keys`: seat to deal key X_i; `shuffles`: how many are in the deck.
    """

    table: bytes
    params: bytes
    cards: tuple[str, ...]
    roster: tuple[tuple[int, bytes], ...]
    deal: int
    attempt: int
    base: bytes
    head: bytes
    step: int
    phase: DeckPhase
    commits: Mapping[int, bytes]
    keys: Mapping[int, Element]
    joint: Element | None
    deck: Deck
    shuffles: int

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats whose deck this is, in order."""
        return tuple(seat for seat, _key in self.roster)

    @property
    def owed(self) -> tuple[int, ...]:
        """The seats from which the current step wants an envelope."""
        if self.phase is DeckPhase.READY:
            return ()
        if self.phase is DeckPhase.SHUFFLE:
            return (self.seats[self.shuffles],)
        return self.seats

    @property
    def place(self) -> Place:
        """Where messages of the current step belong."""
        return Place("deck", self.deal, self.attempt, self.step, self.head)

    def context(self, seat: int) -> Context:
        """What the proofs of `seat` in the current step are bound to."""
        return Context(
            self.table, self.params, self.roster, "deck", self.deal, self.attempt, self.step, self.head, seat
        )

    def ownership_context(self, seat: int) -> Context:
        """What the proof of a deal key is bound to.

        It is made before the commitments are known, so it names the base of the lane in place of a later head.
        """
        return Context(
            self.table, self.params, self.roster, "deck", self.deal, self.attempt, REVEAL_STEP, self.base, seat
        )


def begin_deck(
    table: bytes,
    params: bytes,
    cards: tuple[str, ...],
    roster: tuple[tuple[int, bytes], ...],
    deal: int,
    attempt: int,
    opened: bytes,
) -> DeckState:
    """Start preparing the deck of `deal` for `roster`; `opened`: the head after the `open` of the deal before."""
    base = deck_head(table, params, roster, deal, attempt, opened)
    return DeckState(
        table=table,
        params=params,
        cards=cards,
        roster=roster,
        deal=deal,
        attempt=attempt,
        base=base,
        head=base,
        step=0,
        phase=DeckPhase.COMMIT,
        commits={},
        keys={},
        joint=None,
        deck=(),
        shuffles=0,
    )


def reveal_digest(deck: DeckState, seat: int, body: Reveal) -> bytes:
    """The commitment of `seat` to the reveal that it will send."""
    return commit(COMMIT_TAG, deck.base, number(seat), encode(body))


def judge(deck: DeckState, seat: int, envelope: Envelope) -> CheckShuffle | None:
    """Judge an envelope of `seat`, which owes one at the current step.

    Returns the job that must still hold, or None when the envelope is good as it is; raises Fault.
    """
    body = envelope.body
    if envelope.type != deck.phase:
        raise Fault("wrong_type", f"a message of the type {envelope.type} where {deck.phase} is owed")
    if isinstance(body, Reveal):
        _judge_reveal(deck, seat, body)
    elif isinstance(body, Shuffle):
        assert deck.joint is not None
        return CheckShuffle(deck.deck, deck.joint, body, deck.context(seat))
    return None


def _judge_reveal(deck: DeckState, seat: int, body: Reveal) -> None:
    try:
        verify_opening(deck.commits[seat], COMMIT_TAG, deck.base, number(seat), encode(body))
    except CryptoError as error:
        raise Fault("bad_opening", "the reveal is not what the seat had committed to") from error
    try:
        key = decode_element(body.key)
        proof = OwnershipProof.from_bytes(body.proof)
        verify_ownership(key, proof, deck.ownership_context(seat).transcript(OWNERSHIP))
    except CryptoError as error:
        raise Fault("bad_proof", f"the deal key is not proven: {error}") from error


def advance(deck: DeckState, moves: Mapping[int, Envelope]) -> DeckState:
    """The lane after the current step, with one judged envelope from every seat that owed one.

    Raises CryptoError only when all seats together made the joint key the identity, which no honest seat allows.
    """
    ordered = [moves[seat] for seat in deck.owed]
    later = replace(deck, head=next_head(deck.head, (envelope.id for envelope in ordered)), step=deck.step + 1)
    if deck.phase is DeckPhase.COMMIT:
        commits = {seat: body.digest for seat in deck.owed if isinstance(body := moves[seat].body, Commit)}
        return replace(later, commits=commits, phase=DeckPhase.REVEAL)
    if deck.phase is DeckPhase.REVEAL:
        reveals = {seat: body for seat in deck.owed if isinstance(body := moves[seat].body, Reveal)}
        keys = {seat: decode_element(reveal.key) for seat, reveal in reveals.items()}
        joint = joint_key(list(keys.values()))
        return replace(
            later,
            keys=keys,
            joint=joint,
            deck=start_deck(card_elements(deck.cards), joint),
            phase=DeckPhase.SHUFFLE,
        )
    body = ordered[0].body
    assert isinstance(body, Shuffle)
    done = deck.shuffles + 1
    phase = DeckPhase.READY if done == len(deck.roster) else DeckPhase.SHUFFLE
    return replace(later, deck=decode_deck(body.deck, len(deck.cards)), shuffles=done, phase=phase)
