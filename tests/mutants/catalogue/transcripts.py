"""What the transcripts of the proofs bind: the statement, and the context in which a proof is made."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

SHUFFLE = "azi_p2p/crypto/shuffle.py"
TOKENS = "azi_p2p/crypto/tokens.py"
VOID = "azi_p2p/crypto/void.py"
KEYS = "azi_p2p/crypto/keys.py"
CONTEXT = "azi_p2p/session/context.py"
TOKEN_TESTS = "tests/crypto/test_tokens.py"
VOID_TESTS = "tests/crypto/test_void.py"
KEY_TESTS = "tests/crypto/test_keys.py"
FALSE_DECKS = "tests/attacks/test_false_decks.py"


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

MUTANTS = (
    *_TRANSCRIPTS,
    *_CONTEXT,
)
