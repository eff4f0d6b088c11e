"""Attacks on the deck while it is prepared: what a seat commits to, reveals and shuffles.

Nothing is at stake yet, so the answer is always the same: the others refuse the message, certify the seat absent,
and prepare the deck anew without it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from azi_p2p.crypto import group
from azi_p2p.crypto.cards import card_elements
from azi_p2p.crypto.group import decode_element
from azi_p2p.crypto.keys import prove_ownership
from azi_p2p.crypto.masking import Ciphertext, Deck, encode_deck
from azi_p2p.crypto.shuffle import ShuffleWitness, prove_shuffle, random_permutation, shuffle
from azi_p2p.session.context import Context
from azi_p2p.session.decklane import OWNERSHIP, DeckPhase, DeckState
from azi_p2p.session.jobs import DECK
from azi_p2p.session.own import DealSecret, Own
from azi_p2p.wire.envelope import Envelope
from azi_p2p.wire.messages import Body, Commit, Reveal, Shuffle
from tests.attacks.bench import Bench, assert_refused, bench_of, lanes_of, run_to_end, seat_of, small
from tests.session.harness import Peer, make_me, seeded_rng

RNG = seeded_rng("a false deck")


def deck_before(peer: Peer, envelope: Envelope) -> DeckState:
    """The deck lane on which the peer signed this, as it still stands at an onlooker who is waiting for it."""
    deck = lanes_of(peer).deck
    assert deck is not None
    assert deck.head == envelope.prev
    return deck


def onlooker(bench: Bench, bent: Peer) -> Peer:
    return bench.others(bent)[0]


def reproved(deck: DeckState, seat: int, after: Deck, witness: ShuffleWitness, context: Context | None = None) -> bytes:
    """A proof for `after` made by the rules from this witness; it can only hold where the witness is true."""
    assert deck.joint is not None
    transcript = (context or deck.context(seat)).transcript(DECK)
    return prove_shuffle(deck.deck, after, witness, deck.joint, transcript, RNG).to_bytes()


Forger = Callable[[DeckState, int, Shuffle], Shuffle]


def as_shuffle(bend: Callable[[Deck, DeckState], Deck]) -> Forger:
    """A forger that bends the deck after an honest shuffle, and proves it as well as can be."""

    def forge(deck: DeckState, seat: int, _honest: Shuffle) -> Shuffle:
        assert deck.joint is not None
        after, witness = shuffle(deck.deck, deck.joint, RNG)
        bent = bend(after, deck)
        return Shuffle(deck=encode_deck(bent), proof=reproved(deck, seat, bent, witness))

    return forge


def card_of_choice(deck: DeckState) -> Ciphertext:
    """The ace of spades, freshly masked."""
    assert deck.joint is not None
    r = group.random_scalar(RNG)
    ace = card_elements(("AS",))[0]
    return Ciphertext(group.mul_base(r), group.add(ace, group.mul(r, deck.joint)))


def unproven(deck: DeckState, seat: int, honest: Shuffle) -> Shuffle:
    """Any bytes in place of a proof."""
    return Shuffle(deck=honest.deck, proof=RNG(31) * 90)


def proof_of_another_shuffle(deck: DeckState, seat: int, honest: Shuffle) -> Shuffle:
    assert deck.joint is not None
    after, _ = shuffle(deck.deck, deck.joint, RNG)
    return Shuffle(deck=encode_deck(after), proof=honest.proof)


def order_known_to_itself(deck: DeckState, seat: int, honest: Shuffle) -> Shuffle:
    """The start deck in its own order once more, as if nobody had shuffled before, so that its order is its own."""
    assert deck.joint is not None
    cards = card_elements(deck.cards)
    masked = tuple(Ciphertext(group.G, group.add(card, deck.joint)) for card in cards)
    permutation = random_permutation(len(masked), RNG)
    masks = tuple(group.random_scalar(RNG) for _ in masked)
    bent = tuple(
        Ciphertext(
            group.add(masked[j].c1, group.mul_base(masks[j])),
            group.add(masked[j].c2, group.mul(masks[j], deck.joint)),
        )
        for j in permutation
    )
    return Shuffle(deck=encode_deck(bent), proof=reproved(deck, seat, bent, ShuffleWitness(permutation, masks)))


def cards_of(count: int) -> Forger:
    def forge(deck: DeckState, seat: int, honest: Shuffle) -> Shuffle:
        data = (honest.deck + honest.deck)[: 64 * count]
        return Shuffle(deck=data, proof=honest.proof)

    return forge


def bytes_at(place: int, data: bytes) -> Forger:
    def forge(deck: DeckState, seat: int, honest: Shuffle) -> Shuffle:
        return Shuffle(deck=honest.deck[:place] + data + honest.deck[place + len(data) :], proof=honest.proof)

    return forge


def proof_bytes_at(field: int, data: bytes) -> Forger:
    def forge(deck: DeckState, seat: int, honest: Shuffle) -> Shuffle:
        start = field * 32 if field >= 0 else len(honest.proof) + field * 32
        return Shuffle(deck=honest.deck, proof=honest.proof[:start] + data + honest.proof[start + 32 :])

    return forge


def for_another(**changed: object) -> Forger:
    """An honest shuffle, proven in a context of which one field is another."""

    def forge(deck: DeckState, seat: int, honest: Shuffle) -> Shuffle:
        assert deck.joint is not None
        after, witness = shuffle(deck.deck, deck.joint, RNG)
        context = replace(deck.context(seat), **changed)  # type: ignore[arg-type]  # fields of Context
        return Shuffle(deck=encode_deck(after), proof=reproved(deck, seat, after, witness, context))

    return forge


def other_seats(deck: DeckState, seat: int) -> int:
    return deck.seats[0] if seat != deck.seats[0] else deck.seats[1]


def of_another_seat(deck: DeckState, seat: int, honest: Shuffle) -> Shuffle:
    return for_another(seat=other_seats(deck, seat))(deck, seat, honest)


L_BYTES = group.L.to_bytes(32, "little")
NOT_CANONICAL = b"\xff" * 32

SHUFFLES: dict[str, Forger] = {
    "an unproven shuffle": unproven,
    "the proof of another shuffle": proof_of_another_shuffle,
    "a duplicate card": as_shuffle(lambda after, _: (after[1], *after[1:])),
    "two cards swapped after the proof": lambda deck, seat, honest: Shuffle(
        deck=honest.deck[64:128] + honest.deck[:64] + honest.deck[128:], proof=honest.proof
    ),
    "a card of its choice": as_shuffle(lambda after, deck: (card_of_choice(deck), *after[1:])),
    "half of one masked card replaced": as_shuffle(lambda after, _: (Ciphertext(after[0].c1, after[1].c2), *after[1:])),
    "an order that it knows": order_known_to_itself,
    "26 cards": cards_of(26),
    "28 cards": cards_of(28),
    "half a card": lambda deck, seat, honest: Shuffle(deck=honest.deck[:-32], proof=honest.proof),
    "the identity in a masked card": bytes_at(32, bytes(32)),
    "bytes that are no element": bytes_at(64, NOT_CANONICAL),
    "the identity among the commitments": proof_bytes_at(0, bytes(32)),
    "a challenge of zero": proof_bytes_at(54, bytes(32)),
    "a response of zero": proof_bytes_at(-1, bytes(32)),
    "a response that is not reduced": proof_bytes_at(-1, L_BYTES),
    "a shuffle proven for another deal": for_another(deal=2),
    "a shuffle proven for another attempt": for_another(attempt=1),
    "a shuffle proven for another table": for_another(table=b"t" * 32),
    "a shuffle proven for other parameters": for_another(params=b"p" * 32),
    "a shuffle proven for another step": for_another(step=2),
    "a shuffle proven on another head": for_another(head=b"h" * 32),
    "a shuffle proven in the other lane": for_another(lane="play"),
    "another seat's proof": of_another_seat,
}


@pytest.mark.parametrize("attack", SHUFFLES)
def test_shuffle_with(attack: str) -> None:
    bench = bench_of(3, small(3), seed=1)
    bent = bench.peers[1]
    fired: list[Envelope] = []

    def twist(envelope: Envelope) -> Body | bytes:
        if isinstance(envelope.body, Shuffle) and not fired:
            fired.append(envelope)
            deck = deck_before(onlooker(bench, bent), envelope)
            return SHUFFLES[attack](deck, seat_of(bent), envelope.body)
        return envelope.raw

    bench.bend(bent, twist)
    run_to_end(bench, bent)
    assert fired
    seen = assert_refused(bench, bent, "bad_proof")
    assert seen == {("bad_proof", 1, fired[0].step)}


Revealer = Callable[[Bench, Peer, DeckState, Reveal], Reveal]


def cancelling_key(bench: Bench, bent: Peer, deck: DeckState, honest: Reveal) -> Reveal:
    """The rogue key: its own less everybody else's, so that it alone could open every card. Nobody can prove it."""
    # It has to know the others' keys before it commits; nothing tells it, so here it looks over their shoulders.
    others = [secret_to_come(peer, deck).key for peer in bench.others(bent)]
    mine = decode_element(honest.key)
    return Reveal(key=group.sub(mine, group.add_all(others)), proof=honest.proof, entropy=honest.entropy)


def secret_to_come(peer: Peer, deck: DeckState) -> DealSecret:
    """The secret that a peer will use for this deck, drawn now if need be."""
    own = peer.table._own
    assert own is not None
    return own._new_secret(deck, seat_in(deck, peer))


def seat_in(deck: DeckState, peer: Peer) -> int:
    return next(seat for seat, key in deck.roster if key == peer.key)


def anothers_key(bench: Bench, bent: Peer, deck: DeckState, honest: Reveal) -> Reveal:
    """The key and the proof of another seat, as it will reveal them."""
    return secret_to_come(bench.others(bent)[0], deck).reveal


def key_of_bytes(data: bytes) -> Revealer:
    return lambda _bench, _bent, _deck, honest: Reveal(key=data, proof=honest.proof, entropy=honest.entropy)


def proof_of_bytes(challenge: bytes, response: bytes) -> Revealer:
    return lambda _bench, _bent, _deck, honest: Reveal(
        key=honest.key, proof=challenge + response, entropy=honest.entropy
    )


def proven_for(**changed: object) -> Revealer:
    """The own key, with a proof of a context of which one field is another."""

    def forge(bench: Bench, bent: Peer, deck: DeckState, honest: Reveal) -> Reveal:
        x = group.random_scalar(RNG)
        context = replace(deck.ownership_context(seat_in(deck, bent)), **changed)  # type: ignore[arg-type]  # fields of Context
        proof = prove_ownership(x, group.mul_base(x), context.transcript(OWNERSHIP), RNG)
        return Reveal(key=group.mul_base(x), proof=proof.to_bytes(), entropy=honest.entropy)

    return forge


REVEALS: dict[str, Revealer] = {
    "a key that cancels the others": cancelling_key,
    "another's key and proof": anothers_key,
    "the identity for a key": key_of_bytes(bytes(32)),
    "a key that is no element": key_of_bytes(NOT_CANONICAL),
    "a challenge of zero": proof_of_bytes(bytes(32), group.ONE),
    "a response of zero": proof_of_bytes(group.ONE, bytes(32)),
    "a response that is not reduced": proof_of_bytes(group.ONE, L_BYTES),
    "a proof for another deal": proven_for(deal=2),
    "a proof for another attempt": proven_for(attempt=1),
    "a proof for another table": proven_for(table=b"t" * 32),
    "a proof for another deck": proven_for(head=b"h" * 32),
}


class Revealing(Own):
    """An own seat that commits to a bent reveal, and reveals it."""

    def __init__(self, bench: Bench, bent: Peer, revealer: Revealer) -> None:
        table = bent.table
        super().__init__(make_me(bent.name, bench.seed), table._out)
        self.bench, self.bent, self.revealer = bench, bent, revealer

    def _new_secret(self, deck: DeckState, seat: int) -> DealSecret:
        honest = super()._new_secret(deck, seat)
        if (deck.deal, deck.attempt) == (1, 0):
            reveal = self.revealer(self.bench, self.bent, deck, honest.reveal)
            self._secrets[deck.base] = replace(honest, reveal=reveal)
        return self._secrets[deck.base]


@pytest.mark.parametrize("attack", REVEALS)
def test_commitment_to_and_reveal_of(attack: str) -> None:
    """The commitment is to the bent reveal; only what is revealed can give it away."""
    bench = bench_of(3, small(3), seed=2)
    bent = bench.peers[2]
    bent.table._own = Revealing(bench, bent, REVEALS[attack])
    bench.bend(bent, lambda envelope: envelope.raw)
    run_to_end(bench, bent)
    assert assert_refused(bench, bent, "bad_proof") == {("bad_proof", 1, 1)}


def test_reveal_chosen_after_those_of_the_others() -> None:
    """The last to reveal takes another key, well proven: it isn't what it had committed to."""
    bench = bench_of(3, small(3), seed=2)
    bent = bench.peers[1]
    fired: list[bytes] = []

    def twist(envelope: Envelope) -> Body | bytes:
        body = envelope.body
        if isinstance(body, Reveal) and not fired:
            fired.append(envelope.raw)
            deck = lanes_of(bent).deck
            assert deck is not None
            x = group.random_scalar(RNG)
            key = group.mul_base(x)
            proof = prove_ownership(x, key, deck.ownership_context(seat_of(bent)).transcript(OWNERSHIP), RNG)
            return Reveal(key=key, proof=proof.to_bytes(), entropy=body.entropy)
        return envelope.raw

    bench.bend(bent, twist)
    run_to_end(bench, bent)
    assert fired
    assert assert_refused(bench, bent, "bad_opening") == {("bad_opening", 1, 1)}


def test_entropy_chosen_after_that_of_the_others() -> None:
    bench = bench_of(3, small(3), seed=2)
    bent = bench.peers[2]

    def twist(envelope: Envelope) -> Body | bytes:
        body = envelope.body
        if isinstance(body, Reveal) and (envelope.deal, envelope.attempt) == (1, 0):
            return Reveal(key=body.key, proof=body.proof, entropy=b"e" * 32)
        return envelope.raw

    bench.bend(bent, twist)
    run_to_end(bench, bent)
    assert assert_refused(bench, bent, "bad_opening") == {("bad_opening", 1, 1)}


@pytest.mark.parametrize("kind", [Reveal, Shuffle])
def test_another_message_in_place_of(kind: type[Body]) -> None:
    bench = bench_of(3, small(3), seed=3)
    bent = bench.peers[1]
    steps: list[int] = []

    def twist(envelope: Envelope) -> Body | bytes:
        if isinstance(envelope.body, kind) and (envelope.deal, envelope.attempt) == (1, 0):
            steps.append(envelope.step)
            return Commit(digest=b"d" * 32)
        return envelope.raw

    bench.bend(bent, twist)
    run_to_end(bench, bent)
    assert assert_refused(bench, bent, "wrong_type") == {("wrong_type", 1, steps[0])}


def test_shuffle_out_of_turn() -> None:
    """The last seat shuffles the start deck in place of the first, which then does it as well."""
    bench = bench_of(3, small(3), seed=3)
    bench.run(lambda: all(peer.table.lanes is not None for peer in bench.peers))
    bent = next(peer for peer in bench.peers if seat_of(peer) == 2)
    bench.bend(bent, lambda envelope: envelope.raw)

    def shuffling() -> DeckState | None:
        deck = lanes_of(bent).deck
        return deck if deck is not None and deck.phase is DeckPhase.SHUFFLE else None

    bench.run(lambda: shuffling() is not None)
    deck = shuffling()
    assert deck is not None
    assert deck.joint is not None
    after, witness = shuffle(deck.deck, deck.joint, RNG)
    body = Shuffle(deck=encode_deck(after), proof=reproved(deck, 2, after, witness))
    bench.broadcast(bent, bench.forge(bent, deck.place, body))
    run_to_end(bench, bent)
    assert assert_refused(bench, bent, "not_your_turn") == {("not_your_turn", 1, 2)}
