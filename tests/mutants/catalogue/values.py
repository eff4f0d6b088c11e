"""Values that no honest prover ever has, chance that nobody may steer, and keys that sign for anything."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

SHUFFLE = "azi_p2p/crypto/shuffle.py"
TOKENS = "azi_p2p/crypto/tokens.py"
VOID = "azi_p2p/crypto/void.py"
KEYS = "azi_p2p/crypto/keys.py"
FIELDS = "azi_p2p/crypto/fields.py"
GROUP = "azi_p2p/crypto/group.py"
TRANSCRIPT = "azi_p2p/crypto/transcript.py"
NONCES = "azi_p2p/crypto/nonces.py"
SHUFFLE_TESTS = "tests/crypto/test_shuffle.py"
TOKEN_TESTS = "tests/crypto/test_tokens.py"
VOID_TESTS = "tests/crypto/test_void.py"
KEY_TESTS = "tests/crypto/test_keys.py"
FALSE_DECKS = "tests/attacks/test_false_decks.py"


def _identity(name: str, file: str, line: str, test: str) -> Mutant:
    return Mutant(name, file, line, "pass", "the identity stands in no field where no honest prover has it", (test,))


_IDENTITIES = (
    _identity(
        "identity among keys and ciphertexts of a shuffle",
        SHUFFLE,
        'refuse_identity("keys and ciphertexts", joint_key, *(part for pair in (*deck, *shuffled) for part in pair))',
        f"{SHUFFLE_TESTS}::TestFields",
    ),
    _identity(
        "identity among the commitments of a shuffle",
        SHUFFLE,
        'refuse_identity("commitments", *proof.c, *proof.c_hat)',
        f"{SHUFFLE_TESTS}::TestFields",
    ),
    _identity(
        "identity among the recomputed commitments of a shuffle",
        SHUFFLE,
        'refuse_identity("recomputed commitments", *t)',
        f"{SHUFFLE_TESTS}::TestFields",
    ),
    _identity(
        "identity among keys, bases and tokens",
        TOKENS,
        'refuse_identity("keys, bases and tokens", X, *bases, *tokens)',
        f"{TOKEN_TESTS}::test_the_identity_is_refused_everywhere",
    ),
    _identity(
        "identity among the recomputed commitments of tokens",
        TOKENS,
        'refuse_identity("recomputed commitments", a, b)',
        f"{TOKEN_TESTS}::test_recomputed_commitments_are_not_the_identity",
    ),
    _identity(
        "identity among keys and cards of a void proof",
        VOID,
        'refuse_identity("keys, cards and masked cards", X, c1, d, *allowed)',
        f"{VOID_TESTS}::test_the_identity_is_refused_everywhere",
    ),
    _identity(
        "identity among the recomputed commitments of a void proof",
        VOID,
        'refuse_identity("recomputed commitments", *commitments)',
        VOID_TESTS,
    ),
    _identity(
        "identity for a deal key",
        KEYS,
        'refuse_identity("keys", X)',
        f"{KEY_TESTS}::TestRefusals::test_identity_as_key",
    ),
    _identity(
        "identity for the recomputed commitment of ownership",
        KEYS,
        'refuse_identity("recomputed commitments", commitment)',
        f"{KEY_TESTS}::TestRefusals::test_identity_as_recomputed_commitment",
    ),
    Mutant(
        "identity among received elements",
        GROUP,
        "if data == IDENTITY:\n        raise DecodingError",
        "if False:\n        raise DecodingError",
        "no received field holds the identity",
        ("tests/crypto/test_group.py::TestDecoding",),
    ),
    Mutant(
        "elements that are not canonical",
        GROUP,
        "if not _is_valid(data):",
        "if False:",
        "an element has one encoding, and other bytes are none",
        ("tests/crypto/test_group.py::TestPublishedValues::test_invalid_encodings_are_refused",),
    ),
    Mutant(
        "scalars of the order and more",
        GROUP,
        'if int.from_bytes(data, "little") >= L:',
        "if False:",
        "a scalar has one encoding",
        ("tests/crypto/test_group.py::TestDecoding",),
    ),
    Mutant(
        "zero for a challenge or response",
        FIELDS,
        "if not any(scalar):",
        "if False:",
        "no honest challenge or response is zero",
        (
            f"{FALSE_DECKS}::test_shuffle_with[a challenge of zero]",
            f"{FALSE_DECKS}::test_shuffle_with[a response of zero]",
            f"{SHUFFLE_TESTS}::TestFields",
        ),
    ),
    Mutant(
        "zero among the scalars that a verifier gets",
        FIELDS,
        "if value == 0:",
        "if False:",
        "no honest challenge or response is zero, wherever the proof comes from",
        (f"{SHUFFLE_TESTS}::TestFields",),
    ),
    Mutant(
        "unreduced scalars at a verifier",
        FIELDS,
        "if value >= L or len(scalar) != SIZE:",
        "if False:",
        "a proof has one encoding, wherever it comes from",
        (f"{SHUFFLE_TESTS}::TestFields",),
    ),
    Mutant(
        "fields of another length",
        FIELDS,
        "if len(data) != fields * SIZE:",
        "if len(data) < fields * SIZE:",
        "nothing follows the last field of a proof",
        (f"{SHUFFLE_TESTS}::TestEverySingleChange::test_lengths_of_encodings",),
    ),
    Mutant(
        "multiplication takes unreduced scalars",
        GROUP,
        "        decode_scalar(scalar)\n    try:\n        return _mul(scalar, element)",
        "        pass\n    try:\n        return _mul(scalar, element)",
        "libsodium doesn't take L + 1 for 1",
        ("tests/attacks/test_forgers.py::test_scalars_that_the_library_takes_for_others",),
    ),
    Mutant(
        "addition of what is no element",
        GROUP,
        "        result = _add(left, right)\n"
        "    except _LIBRARY_ERRORS as error:\n"
        "        _check_arguments(ZERO, left, right)\n"
        '        raise CryptoError("an addition failed") from error\n'
        "    if result == IDENTITY:",
        "        result = _add(left, right)\n"
        "    except _LIBRARY_ERRORS as error:\n"
        "        _check_arguments(ZERO, left, right)\n"
        '        raise CryptoError("an addition failed") from error\n'
        "    if False:",
        "what libsodium silently takes for the identity is refused",
        ("tests/crypto/test_group.py::TestTraps",),
    ),
)

_RANDOMNESS = (
    Mutant(
        "nonces without the secret",
        NONCES,
        'state.update(len(secret).to_bytes(8, "big") + secret)',
        "pass",
        "a nonce can't be computed without the secret",
        ("tests/crypto/test_transcript.py::TestNonces",),
    ),
    Mutant(
        "nonces without the statement",
        NONCES,
        "state.update(fresh + transcript.digest())",
        "state.update(fresh)",
        "two statements never share a nonce, even where the source repeats itself",
        ("tests/crypto/test_transcript.py::TestNonces",),
    ),
    Mutant(
        "nonces without fresh bytes",
        NONCES,
        "state.update(fresh + transcript.digest())",
        "state.update(transcript.digest())",
        "a nonce is fresh",
        ("tests/crypto/test_transcript.py::TestNonces",),
    ),
    Mutant(
        "biased permutations",
        SHUFFLE,
        "if value < limit:",
        "if True:",
        "all permutations are equally likely",
        (f"{SHUFFLE_TESTS}::TestHonestShuffles::test_permutations_reject_what_would_bias_them",),
    ),
    Mutant(
        "biased opener draw",
        "azi_p2p/session/heads.py",
        "if byte < bound:",
        "if True:",
        "every seat is as likely to be drawn",
        ("tests/attacks/test_heads.py::test_the_opener_is_drawn_without_a_favourite",),
    ),
    Mutant(
        "labels without their lengths",
        TRANSCRIPT,
        "self._hash.update(_DATA + _frame(label) + _frame(data))",
        "self._hash.update(_DATA + label + data)",
        "two different rows of entries never give the same bytes",
        ("tests/crypto/test_transcript.py::TestTranscript",),
    ),
    Mutant(
        "parts of a commitment without their lengths",
        "azi_p2p/crypto/commitment.py",
        'state.update(len(part).to_bytes(8, "big") + part)',
        "state.update(part)",
        "a commitment opens in one way only",
        ("tests/crypto/test_masking.py::TestCommitments",),
    ),
    Mutant(
        "cards with known logarithms",
        "azi_p2p/crypto/cards.py",
        'return group.hash_to_group(labels.CARD + b":" + name.encode())',
        "return group.mul_base(group.scalar_from_int(2 + sum(name.encode())))",
        "nobody can read a permutation off the cards' logarithms",
        ("tests/crypto/test_masking.py::TestCards",),
    ),
    Mutant(
        "generators with known logarithms",
        "azi_p2p/crypto/cards.py",
        'return group.hash_to_group(labels.PERMUTATION_BASE + index.to_bytes(8, "big"))',
        "return group.mul_base(group.scalar_from_int(index + 2))",
        "nobody can open a permutation commitment in two ways",
        ("tests/crypto/test_masking.py::TestCards",),
    ),
)

_IDENTITY_FILE = "azi_p2p/crypto/identity.py"

_SIGNATURES = (
    Mutant(
        "identity keys of small order",
        _IDENTITY_FILE,
        "if y in _SMALL_ORDER_Y:",
        "if False:",
        "under no accepted key does one signature hold for many messages",
        ("tests/crypto/test_identity.py::TestPublicKeys::test_all_encodings_of_small_order_are_refused",),
    ),
    Mutant(
        "identity keys that are not canonical",
        _IDENTITY_FILE,
        "if y >= _P:",
        "if False:",
        "an identity has one encoding",
        ("tests/crypto/test_identity.py::TestPublicKeys::test_non_canonical_encodings_are_refused",),
    ),
    Mutant(
        "identity keys that are no points",
        _IDENTITY_FILE,
        "if pow(u * v, (_P - 1) // 2, _P) != 1:",
        "if False:",
        "what is no key is refused at the door",
        ("tests/crypto/test_identity.py::TestPublicKeys::test_what_is_no_point_is_refused",),
    ),
    Mutant(
        "signatures for any use",
        _IDENTITY_FILE,
        "for entry in (labels.SIGNATURE, domain))",
        "for entry in (labels.SIGNATURE,))",
        "a signature for one use is none for another",
        ("tests/crypto/test_identity.py::TestSigning::test_for_nothing_else",),
    ),
    Mutant(
        "signatures under a key that isn't looked at",
        _IDENTITY_FILE,
        "    check_public_key(public)\n    return Ed25519PublicKey",
        "    return Ed25519PublicKey",
        "verifying refuses bad keys by itself",
        ("tests/crypto/test_identity.py::TestPublicKeys::test_verifying_refuses_them_too",),
    ),
)

MUTANTS = (
    *_IDENTITIES,
    *_RANDOMNESS,
    *_SIGNATURES,
)
