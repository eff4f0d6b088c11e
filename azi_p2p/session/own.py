"""What this peer signs and knows alone: identity, deal secrets, own hand, and the messages that its seat owes.

A secret is in the journal before the message that depends on it is signed; an envelope is in the journal before it is
sent; and for one slot this peer signs once. Nothing here goes into a ledger, a log or a digest.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import msgspec

from azi_p2p import rules
from azi_p2p.crypto.cards import identify
from azi_p2p.crypto.group import Element, Rng, Scalar, decode_element, decode_scalar
from azi_p2p.crypto.identity import IdentityKey
from azi_p2p.crypto.keys import new_deal_key, prove_ownership
from azi_p2p.crypto.tokens import reveal_token
from azi_p2p.session import decklane, playlane
from azi_p2p.session.decklane import DeckPhase, DeckState
from azi_p2p.session.jobs import Job, MakePlay, MakeShuffle, MakeTokens, opened
from azi_p2p.session.outbox import Outbox
from azi_p2p.session.playstate import PlayPhase, PlayState
from azi_p2p.session.slots import Slot, lane_slot, slot_of
from azi_p2p.wire import messages
from azi_p2p.wire.codec import decode, encode
from azi_p2p.wire.envelope import SIGNATURE_DOMAIN, Envelope, Place, decode_envelope, encode_payload, seal

MAX_SECRET_RECORD = 4096
"""Bytes; a record is a few hundred."""


@dataclass(frozen=True, slots=True)
class Memory:
    """What a journal holds of one table: the own envelopes, and of deals that have not closed the secrets and `seen`.

    `seen`: envelopes of others on which own ones build.
    """

    envelopes: Sequence[bytes] = ()
    secrets: Sequence[bytes] = field(default=(), repr=False)
    seen: Sequence[bytes] = ()


def no_memory(_table: bytes) -> Memory:
    """The memory of somebody who keeps no journal."""
    return Memory()


@dataclass(frozen=True, slots=True)
class Me:
    """Who plays here: the installation's identity key, the nickname to sign, and the source of randomness.

    `recall`: what was journaled at the table with this id, in an earlier run of the program too.
    """

    identity: IdentityKey
    nickname: str
    rng: Rng = field(default=os.urandom, repr=False)
    recall: Callable[[bytes], Memory] = field(default=no_memory, repr=False)


class SecretRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A deal secret as it stands in the journal: base head of its deck, deal number, x, and the reveal to come."""

    table: bytes
    base: bytes
    deal: int
    secret: bytes
    reveal: bytes

    def __repr__(self) -> str:
        return f"SecretRecord(deal={self.deal}, base={self.base.hex()})"


class EraseRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Tells the journal that the secrets of all deals up to `deal`, and what was seen in them, are needed no longer."""

    table: bytes
    deal: int


@dataclass(frozen=True, slots=True)
class DealSecret:
    """The own share of one deck: secret x_i with key X_i = x_i G, and the reveal that the commitment binds."""

    deal: int
    x: Scalar = field(repr=False)
    key: Element
    reveal: messages.Reveal


class Own:
    """The own seat's secrets and signatures."""

    def __init__(self, me: Me, out: Outbox) -> None:
        self.me = me
        self.key = me.identity.public
        self._out = out
        self._secrets: dict[bytes, DealSecret] = {}
        self._signed: dict[Slot, Envelope] = {}
        self._seat_requests: set[bytes] = set()
        self._forgotten = -1
        self.seen: list[Envelope] = []
        """What the journal holds of others' messages on which own ones build, from before a restart."""
        self._saved: dict[bytes, int] = {}
        self.said = 0
        """Number of the newest chat message that this peer has signed at the table."""
        self._hand: tuple[bytes, tuple[rules.Card, ...]] | None = None

    def sign(self, table: bytes, place: Place, body: messages.Body) -> Envelope:
        """Sign a message and have it journaled; the caller files and sends it.

        Signing for a slot again gives the envelope that was signed first: never a second one.
        """
        payload = encode_payload(table, self.key, place, body)
        raw = seal(payload, self.me.identity.sign(SIGNATURE_DOMAIN, payload))
        envelope = decode_envelope(raw)
        slot = slot_of(envelope)
        if slot is not None:
            first = self._signed.setdefault(slot, envelope)
            if first is not envelope:
                return first
        if isinstance(body, messages.SeatRequest):
            self._seat_requests.add(envelope.id)
        self._note_chat(envelope)
        self._out.persist("envelope", raw)
        return envelope

    def save(self, envelopes: Iterable[Envelope]) -> None:
        """Have the journal hold these messages of others: an own one will say that this peer has them.

        A peer that forgot them in a crash would claim absent whom it has followed.
        """
        for envelope in envelopes:
            if envelope.author != self.key and envelope.id not in self._saved and envelope.deal > self._forgotten:
                self._saved[envelope.id] = envelope.deal
                self._out.persist("seen", envelope.raw)

    def asked_for(self, seat_request: bytes) -> bool:
        """Whether the `seat` message with this id was signed in this run of the program.

        Where it wasn't, this key was at the table before, and may have signed there what this program doesn't know.
        """
        return seat_request in self._seat_requests

    def distrust_seats(self) -> None:
        """The seats asked for so far were asked for in an earlier run too: more may have been signed there."""
        self._seat_requests.clear()

    def adopt(self, envelope: Envelope) -> bool:
        """Remember a message of our own key that came from others, and that this peer didn't know of.

        So nothing else is ever signed in its place, even with a journal that is older. Returns whether it was news.
        """
        slot = slot_of(envelope)
        if slot is None or slot in self._signed or envelope.deal < self._forgotten:
            return False
        self._signed[slot] = envelope
        self._out.persist("envelope", envelope.raw)
        return True

    def votes(self) -> list[Envelope]:
        """The own votes about deals that are not forgotten."""
        return [envelope for envelope in self._signed.values() if isinstance(envelope.body, messages.Vote)]

    def _note_chat(self, envelope: Envelope) -> None:
        if isinstance(envelope.body, messages.Chat):
            self.said = max(self.said, envelope.body.number)

    def recall(self, table: bytes) -> None:
        """Remember what this peer has signed at `table` before its program was started again, and its secrets.

        Without this it would sign anew where it has signed already, and the others would hold a proof of that.
        Raises WireError or CryptoError when a record isn't what was written.
        """
        memory = self.me.recall(table)
        for raw in memory.envelopes:
            envelope = decode_envelope(raw)
            slot = slot_of(envelope)
            if slot is not None:
                self._signed.setdefault(slot, envelope)
            self._note_chat(envelope)
        for raw in memory.secrets:
            record = decode(raw, SecretRecord, limit=MAX_SECRET_RECORD)
            reveal = decode(record.reveal, messages.Reveal, limit=MAX_SECRET_RECORD)
            secret = DealSecret(record.deal, decode_scalar(record.secret), decode_element(reveal.key), reveal)
            self._secrets.setdefault(record.base, secret)
        self.seen = [decode_envelope(raw) for raw in memory.seen]
        self._saved = {envelope.id: envelope.deal for envelope in self.seen}

    def beginnings(self, table: bytes) -> list[Envelope]:
        """What this peer has signed before `table` was founded: its last request for a seat, and the list of seats."""
        found: dict[str, Envelope] = {}
        for envelope in map(decode_envelope, self.me.recall(table).envelopes):
            if isinstance(envelope.body, messages.SeatRequest | messages.Founding):
                found[envelope.type] = envelope
        return list(found.values())

    def signed(self, place: Place) -> messages.Body | None:
        """The message that this peer has signed for a place of either lane, None if it has signed none."""
        envelope = self._signed.get(lane_slot(self.key, place))
        return None if envelope is None else envelope.body

    def forget(self, table: bytes, deal: int) -> None:
        """Erase the secrets of deals up to `deal`, here and in the journal; their signatures need no memory either."""
        if deal <= self._forgotten:
            return
        self._forgotten = deal
        gone = [base for base, secret in self._secrets.items() if secret.deal <= deal]
        for base in gone:
            del self._secrets[base]
        if self._hand is not None and self._hand[0] not in self._secrets:
            self._hand = None
        self._signed = {slot: envelope for slot, envelope in self._signed.items() if slot[2] >= deal}
        closed = [saved for saved, of in self._saved.items() if of <= deal]
        for saved in closed:
            del self._saved[saved]
        if gone or closed:
            self._out.persist("erase", encode(EraseRecord(table=table, deal=deal)))

    # What the own seat owes without being asked

    def deck_duty(self, deck: DeckState, seat: int) -> messages.Body | Job | None:
        """What `seat`, ours, owes at the current step of the deck lane: a body to sign, or the job that makes it."""
        match deck.phase:
            case DeckPhase.COMMIT:
                return messages.Commit(digest=decklane.reveal_digest(deck, seat, self._new_secret(deck, seat).reveal))
            case DeckPhase.REVEAL:
                return self._secrets[deck.base].reveal if deck.base in self._secrets else None
            case DeckPhase.SHUFFLE:
                assert deck.joint is not None
                return MakeShuffle(deck.deck, deck.joint, deck.context(seat), self.me.rng)
            case DeckPhase.READY:
                return None

    def play_duty(self, play: PlayState, deck: DeckState | None, seat: int) -> messages.Body | Job | None:
        """What `seat`, ours, owes at the current step of the play lane; None where a person decides, or nothing can be.

        The roster is not here: it needs the wishes of the others.
        """
        match play.phase:
            case PlayPhase.OPEN:
                if deck is None or deck.phase is not DeckPhase.READY:
                    return None
                if seat in deck.seats and deck.base not in self._secrets:
                    return None  # without our share of this deck we couldn't go on: another attempt will come
                return playlane.opening(play, deck.head)
            case PlayPhase.TOKENS:
                secret = self.secret(play)
                if secret is None:
                    return None
                bases = playlane.token_bases(play, seat)
                return MakeTokens(secret.x, secret.key, bases, play.context(seat), self.me.rng)
            case PlayPhase.CLOSE:
                return playlane.receipt(play)
            case PlayPhase.END:
                return playlane.ending(play)
            case _:
                return None

    def _new_secret(self, deck: DeckState, seat: int) -> DealSecret:
        if deck.base not in self._secrets:
            x, key = new_deal_key(self.me.rng)
            context = deck.ownership_context(seat).transcript(decklane.OWNERSHIP)
            proof = prove_ownership(x, key, context, self.me.rng)
            reveal = messages.Reveal(key=key, proof=proof.to_bytes(), entropy=self.me.rng(32))
            self._secrets[deck.base] = DealSecret(deck.deal, x, key, reveal)
            record = SecretRecord(table=deck.table, base=deck.base, deal=deck.deal, secret=x, reveal=encode(reveal))
            self._out.persist("secret", encode(record))
        return self._secrets[deck.base]

    # The own hand

    def secret(self, play: PlayState) -> DealSecret | None:
        """The own secret of the deck in use; None when the own seat isn't dealt in."""
        return None if play.deck is None else self._secrets.get(play.deck.base)

    def private_game(self, play: PlayState, seat: int) -> rules.State:
        """The game with the own hand filled in, as far as it is dealt."""
        secret = self.secret(play)
        if secret is None or play.deck is None or seat not in play.hands or play.game.deal is None:
            return play.game
        if play.game.deal.hands[seat] is None:
            return play.game
        if self._hand is None or self._hand[0] != play.deck.base:
            names = rules.deck_of(play.params)
            cards: list[rules.Card] = []
            for masked in play.hands[seat]:
                element = opened(masked, reveal_token(secret.x, masked.c1))
                name = None if element is None else identify(element, names)
                assert name is not None, "all shuffles and tokens are proven, so this is a card"
                cards.append(rules.Card(name))
            self._hand = (play.deck.base, tuple(cards))
        return rules.with_hand(play.game, seat, self._hand[1])

    def action_body(self, play: PlayState, seat: int, action: rules.Action) -> messages.Body | Job:
        """The message for a legal action of the own seat, or the job that makes it (a card needs proofs)."""
        match action:
            case rules.Bid(to=to):
                return messages.Bid(to=to)
            case rules.Call():
                return messages.Call()
            case rules.Check():
                return messages.Check()
            case rules.Fold():
                return messages.Fold()
            case rules.Leave():
                return messages.Leave()
            case rules.BuyIn():
                return messages.BuyIn()
            case rules.Decline():
                return messages.Decline()
            case rules.Discard(card=card, position=position):
                return messages.Discard(position=self._position(play, seat, card, position))
            case rules.Play(card=card, position=position):
                return self._play(play, seat, card, self._position(play, seat, card, position))
            case _:
                raise AssertionError("the rules have said that this is an action of a seat in a deal")

    def _position(self, play: PlayState, seat: int, card: rules.Card | None, position: int | None) -> int:
        if position is not None:
            return position
        deal = self.private_game(play, seat).deal
        hand = None if deal is None else deal.hands[seat]
        assert hand is not None
        return hand.index(card)

    def _play(self, play: PlayState, seat: int, card: rules.Card, position: int) -> Job:
        secret = self.secret(play)
        assert secret is not None
        owed = playlane.void_statement(play, seat, card, position)
        return MakePlay(
            secret=secret.x,
            key=secret.key,
            position=position,
            card=card,
            played=play.hands[seat][position],
            held=owed.held,
            allowed=owed.allowed,
            context=play.context(seat),
            rng=self.me.rng,
        )
