"""Vectors of the proofs: ownership of deal keys, masking, tokens, void proofs, shuffles."""

from __future__ import annotations

from dataclasses import dataclass

from azi_p2p.crypto import cards, group, keys, masking, shuffle, tokens, void
from azi_p2p.crypto.group import IDENTITY, Element, L, Scalar
from azi_p2p.crypto.masking import Deck, encode_deck
from azi_p2p.rules.cards import DECKS
from tests.vectors_gen.hashing import context_fields, example_context, other_contexts
from tests.vectors_gen.kit import Book, replace_part, seeded

ORDER = L.to_bytes(32, "little")
NAMES = tuple(str(card) for card in DECKS["C"])

SPOILT = {
    "OtherContext": "The proof was made for another context.",
    "OtherStatement": "The proof was made for another statement.",
    "WrongLength": "A list or proof of another length than the statement asks for.",
    "Identity": "The identity, where no honest prover has it.",
    "Scalar": "A challenge or response that is zero, or L and more.",
    "NotCanonical": "Bytes that encode no element.",
}


@dataclass(frozen=True)
class Seats:
    """Deal keys of three seats."""

    secrets: tuple[Scalar, ...]
    publics: tuple[Element, ...]
    joint: Element


def three_seats() -> Seats:
    """Give the same deal keys each time."""
    pairs = [keys.new_deal_key(seeded(f"deal key {seat}")) for seat in range(3)]
    publics = tuple(X for _, X in pairs)
    return Seats(tuple(x for x, _ in pairs), publics, keys.joint_key(publics))


def with_spoilt_scalars(book: Book, made: int, proof: bytes, at: int, what: str) -> None:
    """Add the four ways to spoil the scalar at byte `at` of a proof."""
    value = int.from_bytes(proof[at : at + 32], "little")
    for comment, scalar in (
        (f"a zero {what}", bytes(32)),
        (f"the order as {what}", ORDER),
        (f"the {what} plus the order", (value + L).to_bytes(32, "little")),
    ):
        book.reject(made, comment, "Scalar", "encoding", proof=replace_part(proof, at, scalar).hex())
    plus = ((value + 1) % L).to_bytes(32, "little")
    book.reject(made, f"the {what} plus one", "Equation", "proof_fails", proof=replace_part(proof, at, plus).hex())


EQUATION = {"Equation": "Well formed, but the equations don't hold."}


def ownership() -> Book:
    """Proofs of deal keys."""
    book = Book(
        "Proofs of ownership of deal keys: the context, the key, the proof (challenge, response).",
        "protocol/deck.md, Proof of ownership",
        SPOILT | EQUATION,
    )
    del book.notes["WrongLength"]
    seats, context, purpose = three_seats(), example_context("deck", 1), b"ownership"
    proof = keys.prove_ownership(
        seats.secrets[0], seats.publics[0], context.transcript(purpose), seeded("ownership")
    ).to_bytes()
    fields = context_fields(context, purpose)
    made = book.accept("a deal key", context=fields, key=seats.publics[0].hex(), proof=proof.hex())
    for comment, other in other_contexts(context, purpose):
        book.reject(made, comment, "OtherContext", "proof_fails", context=other)
    book.reject(made, "another's key", "OtherStatement", "proof_fails", key=seats.publics[1].hex())
    book.reject(made, "the identity as key", "Identity", "encoding", key=IDENTITY.hex())
    book.reject(made, "a key that is no element", "NotCanonical", "encoding", key=(b"\xff" * 32).hex())
    book.reject(made, "a byte too few", "NotCanonical", "encoding", proof=proof[:-1].hex())
    with_spoilt_scalars(book, made, proof, 0, "challenge")
    with_spoilt_scalars(book, made, proof, 32, "response")
    return book


def masks() -> Book:
    """Joint keys, start decks, masking and unmasking."""
    book = Book(
        "Masking: deal keys and their sum, the start deck of the cards named, one card of it masked afresh with r (r G "
        "and r X added), the tokens of all seats for that, and the card that is left.",
        "protocol/deck.md",
        {
            "Mask": "Masked otherwise.",
            "Token": "Another token.",
            "Key": "Another key.",
            "Order": "Cards in another order.",
        },
    )
    seats = three_seats()
    names = list(NAMES[:5])
    start = masking.start_deck(cards.card_elements(names), seats.joint)
    r = group.random_scalar(seeded("mask"))
    c1 = group.add(start[3].c1, group.mul_base(r))
    c2 = group.add(start[3].c2, group.mul(r, seats.joint))
    shares = [tokens.reveal_token(x, c1) for x in seats.secrets]
    made = book.accept(
        "the fourth of five cards",
        secrets=[x.hex() for x in seats.secrets],
        keys=[X.hex() for X in seats.publics],
        joint=seats.joint.hex(),
        names=names,
        start=encode_deck(start).hex(),
        index=3,
        r=r.hex(),
        masked=(c1 + c2).hex(),
        tokens=[share.hex() for share in shares],
        card=names[3],
    )
    none = b"".join(group.IDENTITY + card for card in cards.card_elements(names))
    book.reject(made, "a start deck without a mask", "Mask", "wrong_value", start=none.hex())
    book.reject(made, "another card left", "Token", "wrong_value", card=names[2])
    book.reject(made, "tokens that lack one", "Token", "wrong_value", tokens=[share.hex() for share in shares[:2]])
    book.reject(made, "a key left out of the sum", "Key", "wrong_value", joint=keys.joint_key(seats.publics[:2]).hex())
    book.reject(made, "masked under one key only", "Mask", "wrong_value",
                masked=(c1 + group.add(start[3].c2, group.mul(r, seats.publics[0]))).hex())  # fmt: skip
    book.reject(made, "the cards in another order", "Order", "wrong_value", names=names[::-1])
    return book


def dleq() -> Book:
    """Proofs of reveal tokens."""
    book = Book(
        "Proofs of reveal tokens: context, deal key, bases and tokens one after the other, the proof.",
        "protocol/deal.md, Proof of tokens",
        SPOILT | EQUATION | {"Batch": "Wrong tokens whose plain sum is right."},
    )
    seats = three_seats()
    x, X = seats.secrets[1], seats.publics[1]
    for count, purpose in ((1, b"play"), (3, b"tokens"), (11, b"tokens")):
        context = example_context("play", 2)
        bases = [group.hash_to_group(b"base" + bytes([number])) for number in range(count)]
        images = [tokens.reveal_token(x, base) for base in bases]
        proof = tokens.prove_tokens(
            x, X, bases, images, context.transcript(purpose), seeded(f"dleq {count}")
        ).to_bytes()
        made = book.accept(
            f"{count} tokens" if count > 1 else "one token",
            context=context_fields(context, purpose),
            key=X.hex(),
            bases=b"".join(bases).hex(),
            tokens=b"".join(images).hex(),
            proof=proof.hex(),
        )
        if count == 3:
            three, kept = made, (bases, images, proof, context)
    bases, images, proof, context = kept
    for comment, other in other_contexts(context, b"tokens"):
        book.reject(three, comment, "OtherContext", "proof_fails", context=other)

    def spoil(comment: str, flag: str, reason: str, wrong: list[Element]) -> None:
        book.reject(three, comment, flag, reason, tokens=b"".join(wrong).hex())

    one, two, last = images
    spoil("two tokens exchanged", "OtherStatement", "proof_fails", [two, one, last])
    stranger = group.hash_to_group(b"stranger")
    spoil("a token for something else", "OtherStatement", "proof_fails", [one, two, stranger])
    shift = [group.add(one, stranger), group.sub(two, stranger), last]
    spoil("two tokens shifted against each other", "Batch", "proof_fails", shift)
    spoil("a token missing", "WrongLength", "wrong_size", [one, two])
    spoil("the identity as token", "Identity", "encoding", [one, IDENTITY, last])
    book.reject(three, "another's key", "OtherStatement", "proof_fails", key=seats.publics[0].hex())
    book.reject(three, "bases exchanged", "OtherStatement", "proof_fails",
                bases=b"".join([bases[1], bases[0], bases[2]]).hex())  # fmt: skip
    book.reject(three, "a token that is no element", "NotCanonical", "encoding",
                tokens=(images[0] + images[1] + b"\xff" * 32).hex())  # fmt: skip
    with_spoilt_scalars(book, three, proof, 0, "challenge")
    with_spoilt_scalars(book, three, proof, 32, "response")
    return book


def void_proofs() -> Book:
    """Void proofs."""
    book = Book(
        "Void proofs: context, deal key, first part of the masked card, second part with the others' tokens taken off, "
        "the allowed cards by name, the proof (challenges, then responses).",
        "protocol/deal.md, Void proof",
        SPOILT | EQUATION | {"WrongSet": "Another set of allowed cards than the trick asks for."},
    )
    seats, context = three_seats(), example_context("play", 9)
    start = masking.start_deck(cards.card_elements(NAMES), seats.joint)
    deck, _ = shuffle.shuffle(start, seats.joint, seeded("void deck"))
    x, X = seats.secrets[1], seats.publics[1]
    masked = deck[0]
    others = [tokens.reveal_token(seats.secrets[seat], masked.c1) for seat in (0, 2)]
    d = masking.unmask(masked, others)
    held = cards.identify(group.sub(d, tokens.reveal_token(x, masked.c1)), NAMES)
    assert held is not None
    suits = [suit for suit in "SHD" if suit != held[1]]
    purpose = b"void\0"

    def add(comment: str, out: list[str]) -> tuple[int, bytes, list[str]]:
        allowed = [name for name in NAMES if name[1] not in out]
        proof = void.prove_void(
            x, X, masked.c1, d, cards.card_elements(allowed), context.transcript(purpose), seeded(comment)
        ).to_bytes()
        made = book.accept(
            comment,
            context=context_fields(context, purpose),
            key=X.hex(),
            c1=masked.c1.hex(),
            d=d.hex(),
            allowed=allowed,
            proof=proof.hex(),
        )
        return made, proof, allowed

    add("no card of the suit led: 18 branches", suits[:1])
    made, proof, allowed = add("neither that nor a trump: 9 branches", suits)
    for comment, other in other_contexts(context, purpose):
        book.reject(made, comment, "OtherContext", "proof_fails", context=other)
    position = context_fields(context, b"void\1")
    book.reject(made, "for the card at another position", "OtherContext", "proof_fails", context=position)
    other_suit = [name for name in NAMES if name[1] == suits[0]]
    book.reject(made, "the cards of another suit", "WrongSet", "proof_fails", allowed=other_suit)
    book.reject(made, "the cards in another order", "WrongSet", "proof_fails", allowed=allowed[::-1])
    book.reject(made, "a card fewer", "WrongLength", "encoding", allowed=allowed[:-1])
    book.reject(made, "a larger set", "WrongLength", "encoding", allowed=[*allowed, other_suit[0]])
    book.reject(made, "another masked card", "OtherStatement", "proof_fails", c1=deck[1].c1.hex())
    book.reject(made, "a token of the others not taken off", "OtherStatement", "proof_fails",
                d=group.sub(masked.c2, others[0]).hex())  # fmt: skip
    book.reject(made, "another's key", "OtherStatement", "proof_fails", key=seats.publics[0].hex())
    book.reject(made, "the identity as masked card", "Identity", "encoding", c1=IDENTITY.hex())
    book.reject(made, "a masked card that is no element", "NotCanonical", "encoding", d=(b"\xff" * 32).hex())
    book.reject(made, "a byte too few", "WrongLength", "encoding", proof=proof[:-1].hex())
    swapped = proof[32:64] + proof[:32] + proof[64:]
    book.reject(made, "two challenges exchanged", "Equation", "proof_fails", proof=swapped.hex())
    with_spoilt_scalars(book, made, proof, 0, "challenge of the first branch")
    with_spoilt_scalars(book, made, proof, len(proof) - 32, "response of the last branch")
    return book


def shuffles() -> Book:
    """Proofs of shuffle."""
    book = Book(
        "Proofs of shuffle: context, number of cards, joint key, deck before and after, proof.",
        "protocol/deck.md, Proof of shuffle",
        SPOILT | EQUATION | {"WrongDeck": "The new deck isn't a shuffle of the old one.", "Small": "A small deck."},
    )
    seats, context, purpose = three_seats(), example_context("deck", 2, 0), b"shuffle"
    for n in (1, 2, 3, 27):
        start = masking.start_deck(cards.card_elements(NAMES[:n]), seats.joint)
        deck, _ = shuffle.shuffle(start, seats.joint, seeded(f"first {n}"))
        before = start if n == 27 else deck
        after, witness = shuffle.shuffle(before, seats.joint, seeded(f"second {n}"))
        proof = shuffle.prove_shuffle(
            before, after, witness, seats.joint, context.transcript(purpose), seeded(f"proof {n}")
        ).to_bytes()
        made = book.accept(
            "a start deck of 27 cards" if n == 27 else f"{n} cards" if n > 1 else "one card",
            () if n == 27 else ("Small",),
            context=context_fields(context, purpose),
            cards=n,
            key=seats.joint.hex(),
            deck=encode_deck(before).hex(),
            shuffled=encode_deck(after).hex(),
            proof=proof.hex(),
        )
        if n == 3:
            for comment, other in other_contexts(context, purpose):
                book.reject(made, comment, "OtherContext", "proof_fails", context=other)
            spoil_decks(book, made, before, after, seats.joint)
            spoil_proof(book, made, proof, n)
    spoil_decks(book, made, before, after, seats.joint)
    return book


def spoil_decks(book: Book, made: int, before: Deck, after: Deck, joint: Element) -> None:
    """Add what can be done to the new deck, and to the statement."""
    n = len(before)

    def deck(comment: str, changed: list[bytes], reason: str = "proof_fails", flag: str = "WrongDeck") -> None:
        book.reject(made, comment, flag, reason, shuffled=b"".join(changed).hex())

    pairs = [a + b for a, b in after]
    foreign = masking.start_deck(cards.card_elements(("6C",)), joint)[0]
    deck("two cards exchanged", [pairs[1], pairs[0], *pairs[2:]])
    deck("a card copied over another", [pairs[1], pairs[1], *pairs[2:]])
    deck("a card replaced by one that isn't in the deck", [foreign.c1 + foreign.c2, *pairs[1:]])
    deck("a card masked once more", [group.add(after[0].c1, group.G) + group.add(after[0].c2, joint), *pairs[1:]])
    deck("another card in its mask", [after[0].c1 + group.add(after[0].c2, group.G), *pairs[1:]])
    deck("a card dropped", pairs[:-1], "encoding", "WrongLength")
    deck("a card added", [*pairs, pairs[0]], "encoding", "WrongLength")
    if n == 27:
        return
    deck("the identity as first part", [IDENTITY + after[0].c2, *pairs[1:]], "encoding", "Identity")
    deck("a part that is no element", [b"\xff" * 32 + after[0].c2, *pairs[1:]], "encoding", "NotCanonical")
    book.reject(made, "the old deck as the new one", "WrongDeck", "proof_fails", shuffled=encode_deck(before).hex())
    exchanged = encode_deck((before[1], before[0], *before[2:]))
    book.reject(made, "another old deck", "OtherStatement", "proof_fails", deck=exchanged.hex())
    book.reject(made, "the joint key of others", "OtherStatement", "proof_fails", key=three_seats().publics[0].hex())


def spoil_proof(book: Book, made: int, proof: bytes, n: int) -> None:
    """Add what can be done to the fields of the proof."""
    size = 32
    c, c_hat, k, s, s_prime = 0, n * size, 2 * n * size, (2 * n + 1) * size, (2 * n + 6) * size
    for comment, at in (("permutation commitment", c), ("commitment chain", c_hat)):
        part = proof[at + size : at + 2 * size] + proof[at : at + size]
        book.reject(made, f"the first two of the {comment} exchanged", "Equation", "proof_fails",
                    proof=replace_part(proof, at, part).hex())  # fmt: skip
        book.reject(made, f"the identity in the {comment}", "Identity", "encoding",
                    proof=replace_part(proof, at, IDENTITY).hex())  # fmt: skip
        book.reject(made, f"no element in the {comment}", "NotCanonical", "encoding",
                    proof=replace_part(proof, at, b"\xff" * 32).hex())  # fmt: skip
    with_spoilt_scalars(book, made, proof, k, "challenge")
    for index in range(5):
        value = int.from_bytes(proof[s + index * size :][:size], "little")
        plus = ((value + 1) % L).to_bytes(size, "little")
        book.reject(made, f"s_{index + 1} plus one", "Equation", "proof_fails",
                    proof=replace_part(proof, s + index * size, plus).hex())  # fmt: skip
    with_spoilt_scalars(book, made, proof, s_prime, "response s'_1")
    book.reject(made, "a scalar too few", "WrongLength", "encoding", proof=proof[:-size].hex())
    book.reject(made, "a byte too many", "WrongLength", "encoding", proof=(proof + b"\0").hex())
