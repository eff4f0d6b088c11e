"""Transcripts and nonces: nothing said is lost, and nothing can be said in two ways."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from azi_p2p.crypto import labels
from azi_p2p.crypto.errors import CryptoError
from azi_p2p.crypto.group import L, scalar_to_int
from azi_p2p.crypto.nonces import NonceStream
from azi_p2p.crypto.transcript import Transcript
from tests.crypto.kit import SETTINGS, context, seeded

TEXTS = st.binary(max_size=6)
ENTRIES = st.lists(
    st.one_of(
        st.tuples(st.just("data"), TEXTS, TEXTS),
        st.tuples(st.just("int"), TEXTS, st.integers(0, 2**64 - 1)),
        st.tuples(st.just("challenge"), TEXTS, st.none()),
        st.tuples(st.just("challenges"), TEXTS, st.integers(0, 3)),
    ),
    max_size=4,
)
Entry = tuple[str, bytes, "bytes | int | None"]


def said(entries: list[Entry], label: bytes = b"test") -> Transcript:
    result = Transcript(label)
    for kind, name, value in entries:
        if isinstance(value, bytes):
            result.append(name, value)
        elif value is None:
            result.challenge(name)
        elif kind == "int":
            result.append_int(name, value)
        else:
            result.challenges(name, value)
    return result


class TestTranscript:
    @SETTINGS
    @given(ENTRIES, ENTRIES)
    def test_different_entries_give_different_challenges(self, left: list[Entry], right: list[Entry]) -> None:
        assert (said(left).challenge(b"c") == said(right).challenge(b"c")) == (left == right)

    @pytest.mark.parametrize(
        ("left", "right"),
        [
            ([("data", b"ab", b"c")], [("data", b"a", b"bc")]),
            ([("data", b"a", b""), ("data", b"b", b"")], [("data", b"a", b"b")]),
            ([("data", b"a", bytes(8))], [("int", b"a", 0)]),
            ([("challenge", b"a", None)], [("challenges", b"a", 1)]),
            ([("challenges", b"a", 1)], [("challenges", b"a", 2)]),
            ([], [("data", b"", b"")]),
            ([("data", b"a", b"1"), ("data", b"b", b"2")], [("data", b"b", b"2"), ("data", b"a", b"1")]),
        ],
    )
    def test_entries_that_look_alike(self, left: list[Entry], right: list[Entry]) -> None:
        assert said(left).digest() != said(right).digest()

    def test_labels_of_transcripts_count(self) -> None:
        assert Transcript(b"a").challenge(b"c") != Transcript(b"b").challenge(b"c")

    def test_labels_of_challenges_count(self) -> None:
        assert Transcript(b"a").challenge(b"c") != Transcript(b"a").challenge(b"d")

    def test_a_challenge_is_itself_an_entry(self) -> None:
        mine = Transcript(b"a")
        assert mine.challenge(b"c") != mine.challenge(b"c")

    def test_forks_go_their_own_way(self) -> None:
        trunk = context()
        before = trunk.digest()
        fork = trunk.fork()
        assert fork.digest() == before
        fork.append(b"only here", b"1")
        assert trunk.digest() == before != fork.digest()

    def test_many_challenges_are_all_different(self) -> None:
        drawn = context().challenges(b"w", 60)
        assert len(set(drawn)) == 60
        assert all(0 < scalar_to_int(scalar) < L for scalar in drawn)
        assert context().challenges(b"w", 0) == ()

    @pytest.mark.parametrize("value", [-1, 2**64])
    def test_integers_out_of_range(self, value: int) -> None:
        with pytest.raises(CryptoError, match="does not fit"):
            context().append_int(b"n", value)

    def test_a_challenge_of_zero_is_drawn_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        # SHA-512 will not give a multiple of L in our lifetime, so a hash that does stands in for it.
        outputs: Iterator[bytes] = iter([bytes(64), L.to_bytes(64, "little"), (L + 7).to_bytes(64, "little")])

        class FixedHash:
            def __init__(self, _data: bytes) -> None:
                pass

            def digest(self) -> bytes:
                return next(outputs)

        mine = context()
        monkeypatch.setattr("azi_p2p.crypto.transcript.hashlib.sha512", FixedHash)
        assert scalar_to_int(mine.challenge(b"c")) == 7


class TestNonces:
    def test_the_same_in_all_gives_the_same(self) -> None:
        first = NonceStream([b"secret"], context(), seeded(1)).take_many(3)
        assert first == NonceStream([b"secret"], context(), seeded(1)).take_many(3)
        assert len(set(first)) == 3

    def test_each_ingredient_matters(self) -> None:
        base = NonceStream([b"secret"], context(), seeded(1)).take()
        assert base != NonceStream([b"another"], context(), seeded(1)).take()
        assert base != NonceStream([b"secret"], context(deal=2), seeded(1)).take()
        assert base != NonceStream([b"secret"], context(), seeded(2)).take()
        assert base != NonceStream([b"sec", b"ret"], context(), seeded(1)).take()

    def test_a_broken_source_still_gives_different_nonces_to_different_statements(self) -> None:
        drawn = {NonceStream([b"secret"], context(deal), bytes).take() for deal in range(20)}
        assert len(drawn) == 20

    def test_the_transcript_is_not_disturbed(self) -> None:
        mine = context()
        before = mine.digest()
        NonceStream([b"secret"], mine, seeded(1)).take_many(5)
        assert mine.digest() == before

    def test_a_source_that_gives_too_little_is_refused(self) -> None:
        with pytest.raises(CryptoError, match="source of randomness"):
            NonceStream([b"secret"], context(), lambda n: bytes(n - 1))


def test_labels_are_all_different_and_versioned() -> None:
    texts = [value for name, value in vars(labels).items() if name.isupper()]
    assert len(set(texts)) == len(texts) > 20
    tags = [labels.HASH_TO_GROUP, labels.TRANSCRIPT, labels.CHALLENGE, labels.CHALLENGES, labels.NONCES]
    tags += [labels.COMMITMENT, labels.SIGNATURE, labels.FINGERPRINT, labels.SHUFFLE_PROOF, labels.VOID_PROOF]
    assert all(tag.startswith(labels.VERSION + b"/") for tag in tags)
