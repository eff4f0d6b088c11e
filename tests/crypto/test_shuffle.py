"""Shuffles and their proof: what an honest shuffler does holds, and no single change of anything does."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from azi_p2p.crypto import group, keys, masking, shuffle
from azi_p2p.crypto.cards import generator_sum
from azi_p2p.crypto.errors import CryptoError, DecodingError, ProofError
from azi_p2p.crypto.group import IDENTITY, ZERO, Element, G, L, Scalar, scalar_to_int
from azi_p2p.crypto.masking import Ciphertext, Deck
from azi_p2p.crypto.nonces import NonceStream
from azi_p2p.crypto.shuffle import ShuffleProof, ShuffleWitness
from tests.crypto.kit import SETTINGS, World, context, holds, one_bit_changes, seeded, turned, world


@dataclasses.dataclass(frozen=True)
class Sample:
    """A proved second shuffle of a small table's deck."""

    table: World
    deck: Deck
    shuffled: Deck
    witness: ShuffleWitness
    proof: ShuffleProof

    def refused(
        self,
        code: str,
        deck: Deck | None = None,
        shuffled: Deck | None = None,
        proof: ShuffleProof | None = None,
        joint: Element | None = None,
        deal: int = 1,
        seat: int = 0,
    ) -> None:
        with pytest.raises(ProofError) as caught:
            shuffle.verify_shuffle(
                self.deck if deck is None else deck,
                self.shuffled if shuffled is None else shuffled,
                self.proof if proof is None else proof,
                self.table.joint if joint is None else joint,
                context(deal, seat),
            )
        assert caught.value.code == code

    def check_wire(self, parts: Sequence[bytes]) -> None:
        """Check the parts as they come from the wire."""
        deck, shuffled, proof, joint = parts
        n = len(self.deck)
        shuffle.verify_shuffle(
            masking.decode_deck(deck, n),
            masking.decode_deck(shuffled, n),
            ShuffleProof.from_bytes(proof, n),
            group.decode_element(joint),
            context(),
        )

    def wire(self) -> tuple[bytes, bytes, bytes, bytes]:
        return (
            masking.encode_deck(self.deck),
            masking.encode_deck(self.shuffled),
            self.proof.to_bytes(),
            self.table.joint,
        )


def sample(n: int, seed: object = 0) -> Sample:
    table = world(n, seed=seed)
    rng = seeded(("sample", n, seed))
    deck, _ = shuffle.shuffle(table.start, table.joint, rng)
    shuffled, witness = shuffle.shuffle(deck, table.joint, rng)
    proof = shuffle.prove_shuffle(deck, shuffled, witness, table.joint, context(), rng)
    return Sample(table, deck, shuffled, witness, proof)


def replaced(proof: ShuffleProof, field: str, value: Any) -> ShuffleProof:
    """Give the proof with one field changed; the value is what it is."""
    return dataclasses.replace(proof, **{field: value})


TWO, FIVE, AZI = sample(2), sample(5), sample(27)
BAD = Element(b"\xff" * 32)


class TestHonestShuffles:
    @SETTINGS
    @given(st.sampled_from([1, 2, 3, 5, 9]), st.integers(0, 1000), st.integers(1, 4))
    def test_chains_of_shuffles_hold(self, n: int, seed: int, seats: int) -> None:
        table = world(n, seats=seats)
        deck = table.start
        for seat in range(seats):
            rng = seeded((seed, seat))
            shuffled, witness = shuffle.shuffle(deck, table.joint, rng)
            proof = shuffle.prove_shuffle(deck, shuffled, witness, table.joint, context(seed, seat), rng)
            again = ShuffleProof.from_bytes(proof.to_bytes(), n)
            assert again == proof
            shuffle.verify_shuffle(deck, shuffled, again, table.joint, context(seed, seat))
            assert not set(deck) & set(shuffled)
            deck = shuffled
        assert sorted(filter(None, map(table.open, deck))) == sorted(table.names)

    @pytest.mark.parametrize("n", [27, 52])
    def test_full_decks(self, n: int) -> None:
        table = world(n)
        for deck in (table.start, sample(n).deck):
            shuffled, witness = shuffle.shuffle(deck, table.joint)
            proof = shuffle.prove_shuffle(deck, shuffled, witness, table.joint, context())
            data = proof.to_bytes()
            assert len(data) == 96 * n + 192
            shuffle.verify_shuffle(deck, shuffled, ShuffleProof.from_bytes(data, n), table.joint, context())

    def test_the_witness_says_what_was_done(self) -> None:
        table, witness = FIVE.table, FIVE.witness
        for place, (c1, c2) in enumerate(FIVE.shuffled):
            came_from = witness.permutation[place]
            mask = witness.masks[came_from]
            old = FIVE.deck[came_from]
            assert c1 == group.add(old.c1, group.mul_base(mask))
            assert c2 == group.add(old.c2, group.mul(mask, table.joint))
            assert table.open(FIVE.shuffled[place]) == table.open(old)

    def test_all_permutations_are_equally_likely(self) -> None:
        # 24 kinds, 4800 draws, 200 of each expected. Chi-squared (23 degrees of freedom) above 60: once in 10,000.
        drawn = Counter(shuffle.random_permutation(4, seeded(number)) for number in range(4800))
        assert len(drawn) == 24
        assert sum((count - 200) ** 2 / 200 for count in drawn.values()) < 60

    def test_permutations_reject_what_would_bias_them(self) -> None:
        outputs = iter([b"\xff\xff\xff\xff", b"\0\0\0\2", b"\0\0\0\0"])
        # For 3 places the highest value of four bytes is left over; it is drawn again.
        assert shuffle.random_permutation(3, lambda _: next(outputs)) == (1, 0, 2)

    def test_proofs_of_one_shuffle_share_no_nonce(self) -> None:
        # Even where the source repeats itself, another context gives other nonces.
        proofs = [
            shuffle.prove_shuffle(TWO.deck, TWO.shuffled, TWO.witness, TWO.table.joint, context(deal), bytes)
            for deal in range(4)
        ]
        assert len({proof.c for proof in proofs}) == 4

    def test_impossible_requests(self) -> None:
        with pytest.raises(CryptoError, match="needs cards"):
            shuffle.shuffle((), TWO.table.joint)
        with pytest.raises(CryptoError, match="joint key"):
            shuffle.shuffle(TWO.deck, IDENTITY)
        twice = ShuffleWitness((0, 0), TWO.witness.masks)
        for witness in (twice, FIVE.witness):
            with pytest.raises(CryptoError, match="belong together"):
                shuffle.prove_shuffle(TWO.deck, TWO.shuffled, witness, TWO.table.joint, context())


class TestEverySingleChange:
    def test_every_byte_of_everything(self) -> None:
        """Deck, shuffled deck, proof and joint key of a deck of two: each byte with one bit turned."""
        parts = TWO.wire()
        TWO.check_wire(parts)
        tried = 0
        for which in range(4):

            def check(data: bytes, which: int = which) -> None:
                TWO.check_wire([*parts[:which], data, *parts[which + 1 :]])

            for changed in one_bit_changes(parts[which]):
                assert not holds(check, changed)
                tried += 1
        assert tried == 128 + 128 + 384 + 32

    @SETTINGS
    @given(st.sampled_from([FIVE, AZI]), st.integers(0, 3), st.data())
    def test_any_bit_of_larger_decks(self, shuffled: Sample, which: int, data: st.DataObject) -> None:
        parts = shuffled.wire()
        at = data.draw(st.integers(0, len(parts[which]) - 1))
        bit = data.draw(st.integers(0, 7))

        def check(changed: bytes) -> None:
            shuffled.check_wire([*parts[:which], changed, *parts[which + 1 :]])

        assert not holds(check, turned(parts[which], at, bit))

    def test_another_context(self) -> None:
        AZI.refused("proof_fails", deal=2)
        AZI.refused("proof_fails", seat=1)

    def test_another_joint_key(self) -> None:
        AZI.refused("proof_fails", joint=keys.joint_key(AZI.table.publics[:2]))
        AZI.refused("proof_fails", joint=group.add(AZI.table.joint, G))

    def test_another_deck(self) -> None:
        FIVE.refused("proof_fails", deck=FIVE.table.start)
        FIVE.refused("proof_fails", shuffled=FIVE.deck)
        FIVE.refused("proof_fails", deck=FIVE.shuffled, shuffled=FIVE.deck)
        other = sample(5, seed=1)
        FIVE.refused("proof_fails", deck=other.deck)
        FIVE.refused("proof_fails", shuffled=other.shuffled)
        FIVE.refused("proof_fails", proof=other.proof)

    @pytest.mark.parametrize("which", [FIVE, AZI])
    def test_ciphertexts_replaced_copied_swapped_permuted_remasked(self, which: Sample) -> None:
        deck, joint = which.shuffled, which.table.joint
        foreign = Ciphertext(G, group.add(group.hash_to_group(b"a joker"), joint))
        one = deck[0]
        remasked = Ciphertext(group.add(one.c1, G), group.add(one.c2, joint))
        which.refused("proof_fails", shuffled=(foreign, *deck[1:]))
        which.refused("proof_fails", shuffled=(remasked, *deck[1:]))
        which.refused("proof_fails", shuffled=(deck[1], *deck[1:]))
        which.refused("proof_fails", shuffled=(which.deck[0], *deck[1:]))
        which.refused("proof_fails", shuffled=(deck[1], deck[0], *deck[2:]))
        which.refused("proof_fails", shuffled=(*deck[1:], deck[0]))
        which.refused("proof_fails", shuffled=(Ciphertext(one.c2, one.c1), *deck[1:]))
        which.refused("proof_fails", shuffled=(Ciphertext(deck[1].c1, one.c2), *deck[1:]))
        which.refused("proof_fails", deck=(which.deck[1], which.deck[0], *which.deck[2:]))
        which.refused("proof_fails", deck=(which.deck[1], *which.deck[1:]))

    def test_26_and_28_cards(self) -> None:
        more, fewer = (*AZI.shuffled, AZI.shuffled[0]), AZI.shuffled[:-1]
        AZI.refused("wrong_size", shuffled=fewer)
        AZI.refused("wrong_size", shuffled=more)
        AZI.refused("wrong_size", deck=AZI.deck[:-1])
        AZI.refused("wrong_size", deck=AZI.deck[:-1], shuffled=fewer)
        AZI.refused("wrong_size", deck=(*AZI.deck, AZI.deck[0]), shuffled=more)
        AZI.refused("wrong_size", deck=(), shuffled=())
        AZI.refused(
            "wrong_size", deck=(), shuffled=(), proof=dataclasses.replace(AZI.proof, c=(), c_hat=(), s_prime=())
        )
        for n, size in ((26, 26), (28, 28)):
            with pytest.raises(DecodingError, match=f"{n} cards"):
                ShuffleProof.from_bytes(AZI.proof.to_bytes(), size)

    def test_lengths_of_encodings(self) -> None:
        data = AZI.proof.to_bytes()
        for bad in (b"", data[:-1], data + b"\0", data[:-32], data + data[:32]):
            with pytest.raises(DecodingError, match="27 cards has 2784 bytes"):
                ShuffleProof.from_bytes(bad, 27)


class TestFields:
    """Every field of the proof by itself."""

    @pytest.mark.parametrize("field", ["c", "c_hat"])
    @pytest.mark.parametrize("at", range(5))
    def test_elements(self, field: str, at: int) -> None:
        values: tuple[Element, ...] = getattr(FIVE.proof, field)

        def changed(value: Element) -> ShuffleProof:
            return replaced(FIVE.proof, field, (*values[:at], value, *values[at + 1 :]))

        FIVE.refused("identity", proof=changed(IDENTITY))
        FIVE.refused("not_canonical", proof=changed(BAD))
        FIVE.refused("not_canonical", proof=changed(Element(values[at][:31])))
        FIVE.refused("proof_fails", proof=changed(G))
        FIVE.refused("proof_fails", proof=changed(values[at - 1]))
        FIVE.refused("proof_fails", proof=changed(group.add(values[at], G)))
        FIVE.refused("proof_fails", proof=changed(group.sub(IDENTITY, values[at])))
        for bad in (IDENTITY, BAD):
            with pytest.raises(DecodingError):
                ShuffleProof.from_bytes(changed(bad).to_bytes(), 5)

    @pytest.mark.parametrize(("field", "at"), [("challenge", 0)] + [(f, i) for f in ("s", "s_prime") for i in range(5)])
    def test_scalars(self, field: str, at: int) -> None:
        whole = getattr(FIVE.proof, field)
        good = scalar_to_int(whole if field == "challenge" else whole[at])

        def changed(value: int) -> ShuffleProof:
            scalar = Scalar(value.to_bytes(32, "little"))
            return replaced(
                FIVE.proof, field, scalar if field == "challenge" else (*whole[:at], scalar, *whole[at + 1 :])
            )

        FIVE.refused("zero_scalar", proof=changed(0))
        for value in (L, L + 1, good + L, 2**256 - 1):
            FIVE.refused("not_canonical", proof=changed(value))
        for value in (1, (good + 1) % L, L - good):
            FIVE.refused("proof_fails", proof=changed(value))
        for bad in (0, L, good + L):
            with pytest.raises(DecodingError):
                ShuffleProof.from_bytes(changed(bad).to_bytes(), 5)

    @pytest.mark.parametrize("field", ["c", "c_hat", "s", "s_prime"])
    def test_numbers_and_order(self, field: str) -> None:
        values = getattr(FIVE.proof, field)
        for other in (values[:4], (*values, values[0]), ()):
            FIVE.refused("wrong_size", proof=replaced(FIVE.proof, field, other))
        FIVE.refused("proof_fails", proof=replaced(FIVE.proof, field, (*values[1:], values[0])))

    def test_elements_of_the_statement(self) -> None:
        for bad, code in ((IDENTITY, "identity"), (BAD, "not_canonical")):
            FIVE.refused(code, joint=bad)
            for part in (0, 1):
                pair = [FIVE.deck[2].c1, FIVE.deck[2].c2]
                pair[part] = bad
                spoilt = Ciphertext(*pair)
                FIVE.refused(code, deck=(*FIVE.deck[:2], spoilt, *FIVE.deck[3:]))
                FIVE.refused(code, shuffled=(*FIVE.shuffled[:2], spoilt, *FIVE.shuffled[3:]))

    def test_recomputed_commitments_are_not_the_identity(self) -> None:
        # s_1 = c r_1 makes t_1 the identity. r_1 is the shuffler's own secret, so it is taken from a proof made with
        # all nonces known: here from two proofs, the second answering with w_1 = 0.
        proof = shuffle.prove_shuffle(TWO.deck, TWO.shuffled, TWO.witness, TWO.table.joint, context(), bytes)
        c_bar = group.sub(group.add_all(proof.c), generator_sum(2))
        nonces = NonceStream(
            [bytes(str(TWO.witness.permutation), "ascii"), *TWO.witness.masks],
            shuffle._begin(TWO.deck, TWO.shuffled, TWO.table.joint, context()),
            bytes,
        )
        r_1 = sum(nonces.take_many(2))
        assert group.mul_base(group.scalar_from_int(r_1)) == c_bar
        s_1 = group.scalar_from_int(scalar_to_int(proof.challenge) * r_1)
        TWO.refused("identity", proof=dataclasses.replace(proof, s=(s_1, *proof.s[1:])))


def test_the_context_is_not_disturbed() -> None:
    mine = context()
    before = mine.digest()
    proof = shuffle.prove_shuffle(TWO.deck, TWO.shuffled, TWO.witness, TWO.table.joint, mine)
    shuffle.verify_shuffle(TWO.deck, TWO.shuffled, proof, TWO.table.joint, mine)
    assert mine.digest() == before


def test_zero_masks_do_not_leak_into_errors() -> None:
    # A witness with zero masks is no good shuffle, but the mathematics has no exception for it.
    table = TWO.table
    witness = ShuffleWitness((1, 0), (ZERO, ZERO))
    swapped = (TWO.deck[1], TWO.deck[0])
    proof = shuffle.prove_shuffle(TWO.deck, swapped, witness, table.joint, context())
    shuffle.verify_shuffle(TWO.deck, swapped, proof, table.joint, context())
