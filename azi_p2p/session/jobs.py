"""The heavy mathematics of the protocol, packed so that it can run away from the event loop.

A job holds everything it needs and changes nothing; `run_job` is a pure function but for the randomness that it
draws. A job that checks gives `Checked`; one that makes gives `Made` with the body to be signed. Which message a
result belongs to, and what follows from it, is the session's business.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from azi_p2p.crypto.errors import CryptoError
from azi_p2p.crypto.group import IDENTITY, Element, Rng, Scalar, decode_element, sub
from azi_p2p.crypto.masking import Deck, decode_deck, encode_deck
from azi_p2p.crypto.shuffle import ShuffleProof, prove_shuffle, shuffle, verify_shuffle
from azi_p2p.crypto.tokens import DleqProof, prove_tokens, reveal_token, verify_tokens
from azi_p2p.crypto.void import VoidProof, prove_void, verify_void
from azi_p2p.session.context import Context
from azi_p2p.session.faults import Fault
from azi_p2p.wire import messages

DECK = b"shuffle"
TOKENS = b"tokens"
PLAY = b"play"
VOID = b"void"
"""Purposes of proofs, bound into their transcripts; a void proof adds its position."""


def void_purpose(position: int) -> bytes:
    """The purpose of the void proof for the card at this position of the hand."""
    return VOID + bytes([position])


@dataclass(frozen=True, slots=True)
class MaskedCard:
    """A dealt card that lacks only its owner's token: `c1`, and `d` = C2 less everybody else's tokens."""

    c1: Element
    d: Element


@dataclass(frozen=True, slots=True)
class Checked:
    """A message's proofs have been checked; `fault` says what is wrong with them, None that they hold."""

    fault: Fault | None


@dataclass(frozen=True, slots=True)
class Made:
    """An own message's body is ready to be signed."""

    body: messages.Body


JobResult = Checked | Made


@dataclass(frozen=True, slots=True)
class CheckShuffle:
    """Check another seat's shuffle of `before`."""

    before: Deck
    joint_key: Element
    body: messages.Shuffle
    context: Context

    def run(self) -> Checked:
        """Verify the proof of shuffle."""
        after = decode_deck(self.body.deck, len(self.before))
        proof = ShuffleProof.from_bytes(self.body.proof, len(self.before))
        verify_shuffle(self.before, after, proof, self.joint_key, self.context.transcript(DECK))
        return Checked(None)


@dataclass(frozen=True, slots=True)
class MakeShuffle:
    """Shuffle `before` and prove it."""

    before: Deck
    joint_key: Element
    context: Context
    rng: Rng = field(repr=False)

    def run(self) -> Made:
        """Re-mask and permute, then prove."""
        after, witness = shuffle(self.before, self.joint_key, self.rng)
        proof = prove_shuffle(self.before, after, witness, self.joint_key, self.context.transcript(DECK), self.rng)
        return Made(messages.Shuffle(deck=encode_deck(after), proof=proof.to_bytes()))


@dataclass(frozen=True, slots=True)
class CheckTokens:
    """Check another seat's reveal tokens for `bases`."""

    key: Element
    bases: tuple[Element, ...]
    body: messages.Tokens
    context: Context

    def run(self) -> Checked:
        """Verify the batched DLEQ proof."""
        tokens = [decode_element(token) for token in self.body.tokens]
        proof = DleqProof.from_bytes(self.body.proof)
        verify_tokens(self.key, self.bases, tokens, proof, self.context.transcript(TOKENS))
        return Checked(None)


@dataclass(frozen=True, slots=True)
class MakeTokens:
    """Make own reveal tokens for `bases`, with their proof."""

    secret: Scalar = field(repr=False)
    key: Element
    bases: tuple[Element, ...]
    context: Context
    rng: Rng = field(repr=False)

    def run(self) -> Made:
        """Multiply and prove."""
        tokens = [reveal_token(self.secret, base) for base in self.bases]
        proof = prove_tokens(self.secret, self.key, self.bases, tokens, self.context.transcript(TOKENS), self.rng)
        return Made(messages.Tokens(tokens=[bytes(token) for token in tokens], proof=proof.to_bytes()))


@dataclass(frozen=True, slots=True)
class CheckPlay:
    """Check another seat's card: that the token opens its position, and the void proofs that it owes.

    `held`: the masked cards of the positions that the seat still holds, for which a void proof is owed (empty when
    none is); `allowed`: the cards that they may be.
    """

    key: Element
    played: MaskedCard
    card: Element
    held: Mapping[int, MaskedCard]
    allowed: tuple[Element, ...]
    body: messages.Play
    context: Context

    def run(self) -> Checked:
        """Verify the token's proof, the card, and each void proof in order of position."""
        token = decode_element(self.body.token)
        proof = DleqProof.from_bytes(self.body.proof)
        verify_tokens(self.key, (self.played.c1,), (token,), proof, self.context.transcript(PLAY))
        if opened(self.played, token) != self.card:
            raise Fault("card_not_held", f"the card at that position is not {self.body.card}")
        for (position, masked), void in zip(sorted(self.held.items()), self.body.void, strict=True):
            verify_void(
                self.key,
                masked.c1,
                masked.d,
                self.allowed,
                VoidProof.from_bytes(void, len(self.allowed)),
                self.context.transcript(void_purpose(position)),
            )
        return Checked(None)


@dataclass(frozen=True, slots=True)
class MakePlay:
    """Play an own card: its token with proof, and the void proofs that are owed."""

    secret: Scalar = field(repr=False)
    key: Element
    position: int
    card: str
    played: MaskedCard
    held: Mapping[int, MaskedCard]
    allowed: tuple[Element, ...]
    context: Context
    rng: Rng = field(repr=False)

    def run(self) -> Made:
        """Multiply and prove."""
        token = reveal_token(self.secret, self.played.c1)
        proof = prove_tokens(
            self.secret, self.key, (self.played.c1,), (token,), self.context.transcript(PLAY), self.rng
        )
        void = [
            prove_void(
                self.secret,
                self.key,
                masked.c1,
                masked.d,
                self.allowed,
                self.context.transcript(void_purpose(position)),
                self.rng,
            ).to_bytes()
            for position, masked in sorted(self.held.items())
        ]
        body = messages.Play(
            position=self.position, card=self.card, token=bytes(token), proof=proof.to_bytes(), void=void
        )
        return Made(body)


Job = CheckShuffle | MakeShuffle | CheckTokens | MakeTokens | CheckPlay | MakePlay


def opened(masked: MaskedCard, token: Element) -> Element | None:
    """The card element under the owner's own token; None if nothing is left (no card is the identity)."""
    element = sub(masked.d, token)
    return None if element == IDENTITY else element


def run_job(job: Job) -> JobResult:
    """Run a job. A check that fails gives `Checked` with the fault; making own messages can't fail.

    Raises whatever is our own mistake (a witness that doesn't fit, for instance); never because of another's bytes.
    """
    if isinstance(job, MakeShuffle | MakeTokens | MakePlay):
        return job.run()
    try:
        return job.run()
    except Fault as fault:
        return Checked(fault)
    except CryptoError as error:
        return Checked(Fault("bad_proof", str(error)))
