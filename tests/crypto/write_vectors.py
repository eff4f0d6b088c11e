"""Writes `tests/vectors/crypto-v1.json`: values of every hash and proof, from fixed seeds, and ways to spoil them.

Run `python -m tests.crypto.write_vectors` when the protocol version changes, and only then.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from azi_p2p.crypto import cards, commitment, group, identity, keys, labels, masking, shuffle, tokens, void
from azi_p2p.crypto.group import IDENTITY, Element, L, decode_element
from azi_p2p.crypto.transcript import Transcript
from tests.crypto.kit import context, seeded, world

PATH = Path(__file__).parent.parent / "vectors" / "crypto-v1.json"
Fields = dict[str, Any]


def document() -> Fields:
    """Give everything that the file holds."""
    return {
        "about": (
            "Bytes are hexadecimal. The context of all proofs is the transcript 'test' with the integers deal and seat "
            "said; commitments have the tag 'tag'. A rejected value names the accepted one of its list that it alters, "
            "'error' is the code of the refusal, or 'decoding'."
        ),
        "version": labels.VERSION.decode(),
        "cards": [
            {"name": name, "element": element.hex()}
            for name, element in zip(("6S", "AH", "card 0"), cards.card_elements(("6S", "AH", "card 0")), strict=True)
        ],
        "chain_base": cards.chain_base().hex(),
        "generators": [element.hex() for element in cards.generators(4)],
        "transcripts": transcripts(),
        "commitments": [
            {
                "tag": b"tag".hex(),
                "parts": [part.hex() for part in parts],
                "digest": commitment.commit(b"tag", *parts).hex(),
            }
            for parts in ((), (b"",), (b"value", bytes(32)), (b"val", b"ue" + bytes(32)))
        ],
        "signatures": signatures(),
        "proofs": {
            "ownership": ownership(),
            "tokens": reveal_tokens(),
            "void": void_proofs(),
            "shuffle": shuffles(),
        },
    }


def transcripts() -> list[Fields]:
    plain = Transcript(b"test")
    said = context()
    said.append(b"data", b"\0\1\2")
    return [
        {"said": [], "challenge": plain.challenge(b"c").hex(), "next": plain.challenge(b"c").hex()},
        {
            "said": [["int", "deal", 1], ["int", "seat", 0], ["data", "data", "000102"]],
            "challenge": said.challenge(b"c").hex(),
            "challenges": [scalar.hex() for scalar in said.challenges(b"w", 3)],
        },
    ]


def signatures() -> list[Fields]:
    key = identity.IdentityKey.from_seed(bytes(range(32)))
    return [
        {
            "seed": key.seed.hex(),
            "public": key.public.hex(),
            "fingerprint": identity.fingerprint(key.public),
            "domain": b"domain".hex(),
            "message": b"message".hex(),
            "signature": key.sign(b"domain", b"message").hex(),
        }
    ]


def ownership() -> Fields:
    x, X = keys.new_deal_key(seeded("vector"))
    proof = keys.prove_ownership(x, X, context(), seeded("nonce")).to_bytes()
    good = {"deal": 1, "seat": 0, "key": X.hex(), "proof": proof.hex()}
    other = keys.new_deal_key(seeded("other"))[1]
    return {
        "accepted": [good],
        "rejected": [
            {"of": 0, "why": "another deal", **good, "deal": 2, "error": "proof_fails"},
            {"of": 0, "why": "another key", **good, "key": other.hex(), "error": "proof_fails"},
            {"of": 0, "why": "the identity as key", **good, "key": IDENTITY.hex(), "error": "decoding"},
            {"of": 0, "why": "a zero challenge", **good, "proof": (bytes(32) + proof[32:]).hex(), "error": "decoding"},
            {"of": 0, "why": "a response of L", **good, "proof": (proof[:32] + order()).hex(), "error": "decoding"},
            {"of": 0, "why": "a byte too few", **good, "proof": proof[:-1].hex(), "error": "decoding"},
        ],
    }


def reveal_tokens() -> Fields:
    x, X = keys.new_deal_key(seeded("vector"))
    accepted: list[Fields] = []
    for n in (1, 3):
        bases = [group.hash_to_group(b"base" + bytes([index])) for index in range(n)]
        images = [tokens.reveal_token(x, base) for base in bases]
        proof = tokens.prove_tokens(x, X, bases, images, context(), seeded(n))
        accepted.append(
            {
                "deal": 1,
                "seat": 0,
                "key": X.hex(),
                "bases": b"".join(bases).hex(),
                "tokens": b"".join(images).hex(),
                "proof": proof.to_bytes().hex(),
            }
        )
    good = accepted[1]
    swapped = good["tokens"][64:128] + good["tokens"][:64] + good["tokens"][128:]
    return {
        "accepted": accepted,
        "rejected": [
            {"of": 1, "why": "another seat", **good, "seat": 1, "error": "proof_fails"},
            {"of": 1, "why": "two tokens exchanged", **good, "tokens": swapped, "error": "proof_fails"},
            {"of": 1, "why": "a token missing", **good, "tokens": good["tokens"][:128], "error": "wrong_size"},
            {"of": 1, "why": "one of three", **good, "bases": good["bases"][:64], "tokens": good["tokens"][:64]}
            | {"error": "proof_fails"},
            {"of": 1, "why": "the identity as token", **good, "tokens": IDENTITY.hex() + good["tokens"][64:]}
            | {"error": "decoding"},
        ],
    }


def void_proofs() -> Fields:
    table = world(4)
    deck, _ = shuffle.shuffle(table.start, table.joint, seeded("deck"))
    masked = deck[0]
    d = masking.unmask(masked, table.others_tokens(1, masked))
    held = table.open(masked)
    assert held is not None
    own = table.cards[table.names.index(held)]
    others = [card for card in table.cards if card != own]
    allowed = [others[0], own, others[1]]
    x, X = table.secrets[1], table.publics[1]
    proof = void.prove_void(x, X, masked.c1, d, allowed, context(), seeded("nonces"))
    good: Fields = {
        "deal": 1,
        "seat": 0,
        "key": X.hex(),
        "c1": masked.c1.hex(),
        "d": d.hex(),
        "allowed": b"".join(allowed).hex(),
        "proof": proof.to_bytes().hex(),
    }
    without = b"".join(others).hex()
    return {
        "accepted": [good],
        "rejected": [
            {"of": 0, "why": "another deal", **good, "deal": 2, "error": "proof_fails"},
            {"of": 0, "why": "a set without the card", **good, "allowed": without, "error": "proof_fails"},
            {"of": 0, "why": "another masked card", **good, "c1": deck[1].c1.hex(), "error": "proof_fails"},
            {"of": 0, "why": "another holder", **good, "key": table.publics[0].hex(), "error": "proof_fails"},
            {"of": 0, "why": "a larger set", **good, "allowed": good["allowed"] + others[2].hex(), "error": "decoding"},
        ],
    }


def shuffles() -> Fields:
    accepted: list[Fields] = []
    for n in (2, 3):
        table = world(n)
        deck, _ = shuffle.shuffle(table.start, table.joint, seeded("first"))
        shuffled, witness = shuffle.shuffle(deck, table.joint, seeded("second"))
        proof = shuffle.prove_shuffle(deck, shuffled, witness, table.joint, context(), seeded("proof"))
        accepted.append(
            {
                "deal": 1,
                "seat": 0,
                "cards": n,
                "key": table.joint.hex(),
                "deck": masking.encode_deck(deck).hex(),
                "shuffled": masking.encode_deck(shuffled).hex(),
                "proof": proof.to_bytes().hex(),
            }
        )
    good = accepted[1]
    size = 128
    swapped = good["shuffled"][size : 2 * size] + good["shuffled"][:size] + good["shuffled"][2 * size :]
    copied = good["shuffled"][size : 2 * size] + good["shuffled"][size:]
    shorter = {"cards": 2, "deck": good["deck"][: 2 * size], "shuffled": good["shuffled"][: 2 * size]}
    return {
        "accepted": accepted,
        "rejected": [
            {"of": 1, "why": "another seat", **good, "seat": 1, "error": "proof_fails"},
            {"of": 1, "why": "two cards exchanged", **good, "shuffled": swapped, "error": "proof_fails"},
            {"of": 1, "why": "a card copied over another", **good, "shuffled": copied, "error": "proof_fails"},
            {"of": 1, "why": "decks exchanged", **good, "deck": good["shuffled"], "shuffled": good["deck"]}
            | {"error": "proof_fails"},
            {
                "of": 1,
                "why": "the joint key of others",
                **good,
                "key": world(3, seats=2).joint.hex(),
                "error": "proof_fails",
            },
            {"of": 1, "why": "a card left out", **good, **shorter, "error": "decoding"},
            {"of": 1, "why": "the identity in the commitment", **good, "proof": IDENTITY.hex() + good["proof"][64:]}
            | {"error": "decoding"},
        ],
    }


def order() -> bytes:
    return L.to_bytes(32, "little")


def elements(text: str) -> list[Element]:
    data = bytes.fromhex(text)
    return [decode_element(data[at : at + 32]) for at in range(0, len(data), 32)]


def check_ownership(fields: Fields) -> None:
    (X,) = elements(fields["key"])
    proof = keys.OwnershipProof.from_bytes(bytes.fromhex(fields["proof"]))
    keys.verify_ownership(X, proof, context(fields["deal"], fields["seat"]))


def check_tokens(fields: Fields) -> None:
    (X,) = elements(fields["key"])
    proof = tokens.DleqProof.from_bytes(bytes.fromhex(fields["proof"]))
    tokens.verify_tokens(
        X, elements(fields["bases"]), elements(fields["tokens"]), proof, context(fields["deal"], fields["seat"])
    )


def check_void(fields: Fields) -> None:
    (X,), (c1,), (d,) = elements(fields["key"]), elements(fields["c1"]), elements(fields["d"])
    allowed = elements(fields["allowed"])
    proof = void.VoidProof.from_bytes(bytes.fromhex(fields["proof"]), len(allowed))
    void.verify_void(X, c1, d, allowed, proof, context(fields["deal"], fields["seat"]))


def check_shuffle(fields: Fields) -> None:
    n = fields["cards"]
    (joint,) = elements(fields["key"])
    shuffle.verify_shuffle(
        masking.decode_deck(bytes.fromhex(fields["deck"]), n),
        masking.decode_deck(bytes.fromhex(fields["shuffled"]), n),
        shuffle.ShuffleProof.from_bytes(bytes.fromhex(fields["proof"]), n),
        joint,
        context(fields["deal"], fields["seat"]),
    )


CHECKS: dict[str, Callable[[Fields], None]] = {
    "ownership": check_ownership,
    "tokens": check_tokens,
    "void": check_void,
    "shuffle": check_shuffle,
}

if __name__ == "__main__":
    PATH.write_text(json.dumps(document(), indent=1) + "\n")
