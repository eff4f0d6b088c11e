"""Attacks on the deck while it is prepared: what a seat commits to, reveals and shuffles.

Nothing is at stake yet, so the answer is always the same: the others refuse the message, certify the seat absent,
and prepare the deck anew without it.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from azi_p2p.crypto import group
from azi_p2p.crypto.cards import card_elements
from azi_p2p.crypto.masking import Ciphertext, Deck, encode_deck
from azi_p2p.crypto.shuffle import ShuffleWitness, prove_shuffle, random_permutation, shuffle
from azi_p2p.session.context import Context
from azi_p2p.session.decklane import DeckState
from azi_p2p.session.jobs import DECK
from azi_p2p.wire.envelope import Envelope
from azi_p2p.wire.messages import Body, Shuffle
from tests.attacks.bench import Bench, assert_refused, bench_of, lanes_of, run_to_end, seat_of, small
from tests.session.harness import Peer, seeded_rng

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
    from dataclasses import replace

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
    assert seen == {(1, "bad_proof", 1, fired[0].step)}
