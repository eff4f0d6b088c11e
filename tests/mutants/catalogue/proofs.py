"""The proofs: their equations, what their transcripts bind, and which values no honest prover ever has.

An equation is taken out by leaving its commitment out of the challenge, at prover and verifier alike: then honest
proofs still hold, and so does any response for that equation.
"""

from __future__ import annotations

from tests.mutants.mutant import Mutant

SHUFFLE, TOKENS, VOID = "azi_p2p/crypto/shuffle.py", "azi_p2p/crypto/tokens.py", "azi_p2p/crypto/void.py"
KEYS, FIELDS, GROUP = "azi_p2p/crypto/keys.py", "azi_p2p/crypto/fields.py", "azi_p2p/crypto/group.py"
TRANSCRIPT, CONTEXT, NONCES = "azi_p2p/crypto/transcript.py", "azi_p2p/session/context.py", "azi_p2p/crypto/nonces.py"

SHUFFLE_TESTS, FALSE_SHUFFLES = "tests/crypto/test_shuffle.py", "tests/crypto/test_false_shuffle.py"
TOKEN_TESTS, VOID_TESTS, KEY_TESTS = (
    "tests/crypto/test_tokens.py",
    "tests/crypto/test_void.py",
    "tests/crypto/test_keys.py",
)
FALSE_DECKS, FALSE_MOVES = "tests/attacks/test_false_decks.py", "tests/attacks/test_false_moves.py"


def _equation(number: str, at: int, claim: str, test: str) -> Mutant:
    return Mutant(
        f"shuffle without equation ({number})",
        SHUFFLE,
        'transcript.append(labels.COMMITMENTS, b"".join(t))',
        f'transcript.append(labels.COMMITMENTS, b"".join(part for at, part in enumerate(t) if at != {at}))',
        claim,
        (test,),
    )


_ONES = "the rows of the committed matrix sum to one"
_EQUATIONS = (
    _equation("1", 0, _ONES, f"{SHUFFLE_TESTS}::TestFields::test_scalars"),
    _equation("2", 1, "the product of the permuted weights is that of the weights", FALSE_SHUFFLES),
    _equation("3", 2, "the permuted weights are the committed matrix times the weights", FALSE_SHUFFLES),
    _equation("4, first parts", 3, "the first parts of the masked cards were permuted and re-masked", FALSE_SHUFFLES),
    _equation("4, second parts", 4, "the second parts of the masked cards were permuted and re-masked", FALSE_SHUFFLES),
    _equation("5", 5, "the chain multiplies the permuted weights", FALSE_SHUFFLES),
)


def _said(name: str, line: str, claim: str, *tests: str, file: str = SHUFFLE, equivalent: str = "") -> Mutant:
    """A line of a transcript that is no longer said."""
    return Mutant(name, file, line, "pass", claim, tests, equivalent)


_TRANSCRIPTS = (
    _said(
        "shuffle proof without its name",
        "transcript.append(labels.PROOF, labels.SHUFFLE_PROOF)",
        "a proof of one kind is none of another",
        "tests/crypto/test_vectors.py",
    ),
    _said(
        "generators not bound",
        'transcript.append(labels.GENERATORS, group.G + chain_base() + b"".join(generators(N)))',
        "a proof holds for these generators only",
        "tests/crypto/test_vectors.py",
    ),
    _said(
        "joint key not bound",
        "transcript.append(labels.JOINT_KEY, joint_key)",
        "a shuffle is proven under one joint key",
        "tests/crypto/test_vectors.py",
    ),
    _said(
        "deck before the shuffle not bound",
        "transcript.append(labels.DECK, encode_deck(deck))",
        "the weights are drawn after the deck is known",
        "tests/crypto/test_vectors.py",
    ),
    _said(
        "shuffled deck not bound",
        "transcript.append(labels.SHUFFLED, encode_deck(shuffled))",
        "the weights are drawn after the shuffled deck is known",
        "tests/crypto/test_vectors.py",
    ),
    _said(
        "weights drawn before the permutation is committed to",
        'transcript.append(labels.PERMUTATION_COMMITMENT, b"".join(c))',
        "nobody can choose a commitment to fit the weights",
        "tests/crypto/test_vectors.py",
    ),
    _said(
        "chain weights drawn before the chain is there",
        'transcript.append(labels.CHAIN, b"".join(c_hat))',
        "nobody can make the errors of a chain cancel",
        "tests/crypto/test_vectors.py",
    ),
    _said(
        "key not bound in the proof of tokens",
        "transcript.append(labels.KEY, X)",
        "tokens are proven for one key",
        TOKEN_TESTS,
        "tests/crypto/test_vectors.py",
        file=TOKENS,
    ),
    _said(
        "bases not bound in the proof of tokens",
        'transcript.append(labels.BASES, b"".join(bases))',
        "batch weights are drawn after all bases are in",
        "tests/crypto/test_vectors.py",
        file=TOKENS,
    ),
    _said(
        "tokens not bound in their proof",
        'transcript.append(labels.TOKENS, b"".join(tokens))',
        "batch weights are drawn after all tokens are in",
        f"{TOKEN_TESTS}::test_weights_cannot_be_chosen_before_the_tokens",
        file=TOKENS,
    ),
    _said(
        "masked card not bound in the void proof",
        "transcript.append(labels.MASKED_CARD, d)",
        "a void proof is about one masked card",
        VOID_TESTS,
        "tests/crypto/test_vectors.py",
        file=VOID,
    ),
    _said(
        "allowed cards not bound in the void proof",
        'transcript.append(labels.ALLOWED, b"".join(allowed))',
        "a void proof is about one set of cards",
        VOID_TESTS,
        "tests/crypto/test_vectors.py",
        file=VOID,
    ),
    _said(
        "key not bound in the proof of ownership",
        "transcript.append(labels.KEY, X)",
        "a proof of ownership is about one key",
        KEY_TESTS,
        "tests/crypto/test_vectors.py",
        file=KEYS,
    ),
)

_DECK_OF = f"{FALSE_DECKS}::test_shuffle_with[a shuffle proven "

_CONTEXT = (
    _said(
        "table not bound in the context",
        'transcript.append(b"table", self.table)',
        "a proof from another table is none here",
        f"{_DECK_OF}for another table]",
        file=CONTEXT,
    ),
    _said(
        "parameters not bound in the context",
        'transcript.append(b"params", self.params)',
        "a proof under other parameters is none here",
        f"{_DECK_OF}for other parameters]",
        file=CONTEXT,
    ),
    _said(
        "lane not bound in the context",
        'transcript.append(b"lane", self.lane.encode())',
        "a proof of one lane is none in the other",
        f"{_DECK_OF}in the other lane]",
        file=CONTEXT,
    ),
    _said(
        "deal not bound in the context",
        'transcript.append_int(b"deal", self.deal)',
        "a proof from another deal is none here",
        f"{_DECK_OF}for another deal]",
        file=CONTEXT,
    ),
    _said(
        "attempt not bound in the context",
        'transcript.append_int(b"attempt", self.attempt)',
        "a proof from an attempt that was given up is none here",
        f"{_DECK_OF}for another attempt]",
        file=CONTEXT,
    ),
    _said(
        "step not bound in the context",
        'transcript.append_int(b"step", self.step)',
        "a proof from another step is none here",
        f"{_DECK_OF}for another step]",
        file=CONTEXT,
    ),
    _said(
        "head not bound in the context",
        'transcript.append(b"head", self.head)',
        "a proof on another chain is none here",
        f"{_DECK_OF}on another head]",
        file=CONTEXT,
    ),
    _said(
        "prover's seat not bound in the context",
        'transcript.append_int(b"prover", self.seat)',
        "a proof of another seat is none of this one",
        "tests/attacks/test_contexts.py",
        file=CONTEXT,
    ),
    _said(
        "prover's key not bound in the context",
        'transcript.append(b"prover key", key_of(self.roster, self.seat))',
        "a proof by another identity is none of this one",
        file=CONTEXT,
        equivalent="the roster and the prover's seat are bound too, and they say whose key it is",
    ),
    _said(
        "roster's seats not bound in the context",
        'transcript.append_int(b"seat", seat)',
        "a proof under another seating is none here",
        "tests/attacks/test_contexts.py",
        file=CONTEXT,
    ),
    _said(
        "roster's keys not bound in the context",
        'transcript.append(b"key", key)',
        "a proof with other people at the table is none here",
        "tests/attacks/test_contexts.py",
        file=CONTEXT,
    ),
    _said(
        "purpose not bound in the context",
        'transcript.append(b"purpose", purpose)',
        "a proof for one card of a message is none for another",
        "tests/attacks/test_contexts.py",
        file=CONTEXT,
    ),
    _said(
        "version not bound in the context",
        'transcript.append_int(b"version", VERSION)',
        "a proof of another protocol version is none here",
        "tests/attacks/test_contexts.py",
        file=CONTEXT,
    ),
    Mutant(
        "void proofs of all positions for one purpose",
        "azi_p2p/session/jobs.py",
        "return VOID + bytes([position])",
        "return VOID",
        "a void proof is about one position",
        equivalent="the proof names its masked card too, and no two cards of a hand are masked alike",
    ),
)

_OTHER_EQUATIONS = (
    Mutant(
        "proof of tokens without the key",
        TOKENS,
        "transcript.append(labels.COMMITMENTS, a + b)",
        "transcript.append(labels.COMMITMENTS, b)",
        "the tokens are made with the secret of the key",
        (f"{FALSE_MOVES}::test_tokens_with[tokens of another secret]",),
    ),
    Mutant(
        "proof of tokens without the tokens",
        TOKENS,
        "transcript.append(labels.COMMITMENTS, a + b)",
        "transcript.append(labels.COMMITMENTS, a)",
        "every token is the base times the secret",
        (TOKEN_TESTS, f"{FALSE_MOVES}::test_tokens_with[a wrong token]"),
    ),
    Mutant(
        "tokens batched without weights",
        TOKENS,
        "return transcript, [1, *map(group.scalar_to_int, drawn)]",
        "return transcript, [1 for _ in (0, *drawn)]",
        "errors in two tokens can't cancel each other",
        (f"{TOKEN_TESTS}::test_errors_that_cancel_without_weights",),
    ),
    Mutant(
        "void proof without the key",
        VOID,
        'transcript.append(labels.COMMITMENTS, b"".join(commitments))',
        'transcript.append(labels.COMMITMENTS, b"".join(commitments[1::2]))',
        "the void is proven with the secret of the key",
        ("tests/attacks/test_forgers.py::test_void_proof_with_another_secret",),
    ),
    Mutant(
        "void proof without the cards",
        VOID,
        'transcript.append(labels.COMMITMENTS, b"".join(commitments))',
        'transcript.append(labels.COMMITMENTS, b"".join(commitments[::2]))',
        "the card is one of the allowed ones",
        (f"{VOID_TESTS}::TestFalseProofs",),
    ),
    Mutant(
        "void proof whose challenges add up to anything",
        VOID,
        "if sum(c) % L != scalar_to_int(_challenge(transcript, commitments)):",
        "if not _challenge(transcript, commitments):",
        "all branches but one can be simulated, not all",
        (f"{VOID_TESTS}::TestFalseProofs",),
    ),
    Mutant(
        "void proof of another length than the set",
        VOID,
        "if not allowed or not len(allowed) == len(proof.challenges) == len(proof.responses):",
        "if not allowed:",
        "a void proof has one branch for each allowed card",
        (f"{VOID_TESTS}::test_lengths", f"{VOID_TESTS}::test_scalars_out_of_range"),
    ),
    Mutant(
        "identity as a masked card less a card",
        VOID,
        'refuse_identity("masked cards, less a card", rest)',
        "pass",
        "no branch of a void proof is about the identity",
        (f"{VOID_TESTS}::test_the_identity_is_refused_everywhere",),
    ),
    Mutant(
        "ownership proof that anything fulfils",
        KEYS,
        "if _challenge(_begin(X, context), commitment) != proof.challenge:",
        "if not _challenge(_begin(X, context), commitment):",
        "whoever names a deal key knows its secret, so it can't cancel the others'",
        (f"{FALSE_DECKS}::test_commitment_to_and_reveal_of[a key that cancels the others]",),
    ),
    Mutant(
        "shuffle proof that anything fulfils",
        SHUFFLE,
        "if _challenge(transcript, t) != proof.challenge:",
        "if not _challenge(transcript, t):",
        "a shuffle without its proof doesn't count",
        (f"{FALSE_DECKS}::test_shuffle_with[the proof of another shuffle]",),
    ),
    Mutant(
        "token proof that anything fulfils",
        TOKENS,
        "if _challenge(transcript, a, b) != proof.challenge:",
        "if not _challenge(transcript, a, b):",
        "tokens without their proof don't count",
        (f"{FALSE_MOVES}::test_tokens_with[a wrong token]",),
    ),
    Mutant(
        "shuffle of another number of cards",
        SHUFFLE,
        "if N == 0 or not N == len(shuffled) == len(proof.c) == len(proof.c_hat) == len(proof.s_prime):",
        "if N == 0:",
        "no card is added to a deck or dropped from it",
        (f"{SHUFFLE_TESTS}::TestEverySingleChange::test_26_and_28_cards",),
    ),
    Mutant(
        "proof of an empty shuffle",
        SHUFFLE,
        "if N == 0 or not N == len(shuffled)",
        "if not N == len(shuffled)",
        "a shuffle of nothing proves nothing",
        (f"{SHUFFLE_TESTS}::TestEverySingleChange::test_26_and_28_cards",),
    ),
    Mutant(
        "proof of tokens for no cards",
        TOKENS,
        'if not bases or len(bases) != len(tokens):\n        raise ProofError("wrong_size"',
        'if False:\n        raise ProofError("wrong_size"',
        "there is a token for every masked card",
        (f"{TOKEN_TESTS}::test_order_and_number",),
    ),
    Mutant(
        "keys that cancel each other",
        KEYS,
        "if total == group.IDENTITY:",
        "if total is None:",
        "the joint key hides the cards",
        (f"{KEY_TESTS}::TestJointKey",),
    ),
)


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
    *_EQUATIONS,
    *_OTHER_EQUATIONS,
    *_TRANSCRIPTS,
    *_CONTEXT,
    *_IDENTITIES,
    *_RANDOMNESS,
    *_SIGNATURES,
)
