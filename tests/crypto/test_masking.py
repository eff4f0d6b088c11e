"""Cards, masked decks and commitments."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from azi_p2p.crypto import cards, commitment, group, masking, shuffle, tokens
from azi_p2p.crypto.errors import CryptoError, DecodingError, ProofError
from azi_p2p.crypto.group import IDENTITY, Element, G
from tests.crypto.kit import SETTINGS, one_bit_changes, seeded, world


class TestCards:
    def test_names_and_elements_belong_together(self) -> None:
        names = ["6S", "AH", "any text at all", "", "шесть"]
        elements = cards.card_elements(names)
        assert len(set(elements)) == len(names)
        assert [cards.identify(element, names) for element in elements] == names
        assert cards.identify(G, names) is None
        assert cards.identify(elements[0], names[1:]) is None

    def test_a_card_is_the_same_in_every_deck(self) -> None:
        assert cards.card_elements(["a", "b"])[1] == cards.card_elements(["b"])[0]

    def test_a_card_twice_is_refused(self) -> None:
        with pytest.raises(CryptoError, match="twice"):
            cards.card_elements(["a", "b", "a"])

    def test_generators_are_independent_of_the_number(self) -> None:
        assert cards.generators(52)[:27] == cards.generators(27)
        everything = {*cards.generators(52), cards.chain_base(), G, *cards.card_elements(["6S", "7S"])}
        assert len(everything) == 52 + 4
        assert cards.generator_sum(5) == group.add_all(cards.generators(5))

    def test_no_generator_is_a_small_combination_of_two_others(self) -> None:
        # What small multiples of one point would show.
        few = [G, cards.chain_base(), *cards.generators(4), *cards.card_elements(["6S", "7S", "8S"])]
        sums = {group.add(a, b) for a in few for b in few} | {group.sub(a, b) for a in few for b in few if a != b}
        assert not sums & set(few)


class TestDecks:
    def test_start_deck(self) -> None:
        table = world(5)
        for card, (c1, c2) in zip(table.cards, table.start, strict=True):
            assert c1 == G
            assert group.sub(c2, card) == table.joint
        assert [table.open(masked) for masked in table.start] == list(table.names)

    def test_start_deck_refuses_keys_that_hide_nothing(self) -> None:
        elements = cards.card_elements(["a", "b"])
        with pytest.raises(CryptoError, match="identity"):
            masking.start_deck(elements, IDENTITY)
        with pytest.raises(CryptoError, match="undoes"):
            masking.start_deck(elements, group.sub(IDENTITY, elements[1]))

    def test_all_but_one_token_open_nothing(self) -> None:
        table = world(5)
        deck, _ = shuffle.shuffle(table.start, table.joint, seeded(1))
        for masked in deck:
            for seat in range(3):
                rest = masking.unmask(masked, table.others_tokens(seat, masked))
                assert cards.identify(rest, table.names) is None
                own = tokens.reveal_token(table.secrets[seat], masked.c1)
                assert cards.identify(group.sub(rest, own), table.names) == table.open(masked)
        assert masking.unmask(deck[0], []) == deck[0].c2

    @SETTINGS
    @given(st.integers(1, 8), st.integers(0, 100))
    def test_encoding_comes_back(self, n: int, seed: int) -> None:
        table = world(n, seats=1)
        deck, _ = shuffle.shuffle(table.start, table.joint, seeded(seed))
        data = masking.encode_deck(deck)
        assert len(data) == n * masking.CIPHERTEXT_SIZE
        assert masking.decode_deck(data, n) == deck

    def test_decoding_is_strict(self) -> None:
        table = world(3)
        data = masking.encode_deck(table.start)
        for bad in (data[:-1], data + b"\0", data[:-64], data + data[:64], b""):
            with pytest.raises(DecodingError, match="a deck of 3 cards has 192 bytes"):
                masking.decode_deck(bad, 3)
        for at in range(6):
            for field in (bytes(32), b"\xff" * 32, bytes([1]) + bytes(31)):
                bad = data[: 32 * at] + field + data[32 * (at + 1) :]
                with pytest.raises(DecodingError, match=f"masked card {at // 2}"):
                    masking.decode_deck(bad, 3)


class TestCommitments:
    def test_opening(self) -> None:
        digest = commitment.commit(b"tag", b"value", b"\0" * 32)
        assert len(digest) == commitment.SIZE
        commitment.verify_opening(digest, b"tag", b"value", b"\0" * 32)

    @pytest.mark.parametrize(
        ("tag", "parts"),
        [
            (b"gat", (b"value", b"nonce")),
            (b"tag", (b"valuf", b"nonce")),
            (b"tag", (b"value", b"nonce", b"")),
            (b"tag", (b"value",)),
            (b"tag", (b"valuenonce",)),
            (b"tag", (b"valuen", b"once")),
            (b"tag", (b"nonce", b"value")),
            (b"tagvalue", (b"nonce",)),
            (b"tag", ()),
        ],
    )
    def test_nothing_else_opens_it(self, tag: bytes, parts: tuple[bytes, ...]) -> None:
        digest = commitment.commit(b"tag", b"value", b"nonce")
        with pytest.raises(ProofError) as caught:
            commitment.verify_opening(digest, tag, *parts)
        assert caught.value.code == "bad_opening"

    def test_every_byte_of_it_counts(self) -> None:
        digest = commitment.commit(b"tag", b"value")
        for changed in (*one_bit_changes(digest), digest[:-1], digest + b"\0", b""):
            with pytest.raises(ProofError):
                commitment.verify_opening(changed, b"tag", b"value")


def test_unmask_takes_elements_as_they_are() -> None:
    with pytest.raises(DecodingError):
        masking.unmask(masking.Ciphertext(G, G), [Element(b"\xff" * 32)])
