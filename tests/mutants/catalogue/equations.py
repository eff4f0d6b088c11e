"""The equations of the proofs, each left out by itself.

An equation is taken out by leaving its commitment out of the challenge, at prover and verifier alike: then honest
proofs still hold, and so does any response for that equation.
"""

from __future__ import annotations

from tests.mutants.mutant import Mutant

SHUFFLE = "azi_p2p/crypto/shuffle.py"
TOKENS = "azi_p2p/crypto/tokens.py"
VOID = "azi_p2p/crypto/void.py"
KEYS = "azi_p2p/crypto/keys.py"
SHUFFLE_TESTS = "tests/crypto/test_shuffle.py"
FALSE_SHUFFLES = "tests/crypto/test_false_shuffle.py"
TOKEN_TESTS = "tests/crypto/test_tokens.py"
VOID_TESTS = "tests/crypto/test_void.py"
KEY_TESTS = "tests/crypto/test_keys.py"
FALSE_DECKS = "tests/attacks/test_false_decks.py"
FALSE_MOVES = "tests/attacks/test_false_moves.py"


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


_OTHER_EQUATIONS = (
    Mutant(
        "proof of tokens without the key",
        TOKENS,
        "transcript.append(labels.COMMITMENTS, a + b)",
        "transcript.append(labels.COMMITMENTS, b)",
        "the tokens are made with the secret of the key",
        ("tests/attacks/test_forgers.py::test_tokens_with_another_secret",),
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

MUTANTS = (
    *_EQUATIONS,
    *_OTHER_EQUATIONS,
)
