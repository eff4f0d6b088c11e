"""Shuffling a deck of masked cards, and proving that nothing else was done to it.

The proof is Terelius and Wikström's, in the form of Haenni, Locher, Koenig and Dubuis, "Pseudo-Code
Algorithms for Verifiable Re-Encryption Mix-Nets" (2017), whose letters and algorithm names the code keeps,
but for equation (5), which is batched. In additive notation, for a deck `e` of `N` ciphertexts, `pk` the
joint key, `G` the base point, `h` and `h_1 … h_N` independent generators, and indices `j_i` that say which
card of `e` comes to place `i`:

- shuffle             `e~_i = e_{j_i} + r~_{j_i} (G, pk)`
- permutation         `c_{j_i} = r_{j_i} G + h_i`
- weights             `u = challenges(e, e~, pk, c)`, and `u'_i = u_{j_i}`
- chain               `c^_0 = h`, `c^_i = r^_i G + u'_i c^_{i-1}`
- chain weights       `p = challenges(e, e~, pk, c, c^)`
- commitments         (1) `t_1 = w_1 G`
                      (2) `t_2 = w_2 G`
                      (3) `t_3 = w_3 G + sum w'_i h_i`
                      (4) `t_4 = sum w'_i e~_i - w_4 (G, pk)`
                      (5) `t_5 = w_5 G + sum p_i w'_i c^_{i-1}`
- challenge           `c = challenge(everything above)`
- responses           `s_k = w_k + c r_k` and `s'_i = w'_i + c u'_i`, where `r_1 = sum r_i`,
                      `r_2 = sum r^_i v_i` with `v_i = u'_{i+1} … u'_N`, `r_3 = sum r_i u_i`,
                      `r_4 = sum r~_i u_i`, `r_5 = sum p_i r^_i`

The verifier computes the commitments from challenge and responses and compares the challenge. (1) shows
that the rows of the committed matrix sum to one, (2) and (5) that the product of the `u'_i` is that of the
`u_i`, (3) that the `u'_i` are the matrix times `u`: together, that the matrix is a permutation. (4) says
that the deck was permuted by it and re-masked.

**Why (5) may be batched.** The paper has `N` commitments `t^_i = w^_i G + w'_i c^_{i-1}` and `N` responses,
which show that each `D_i = c^_i - u'_i c^_{i-1}` is a multiple of `G` that the prover knows. Here that is
shown of `sum p_i D_i`, with weights drawn after the chain is fixed. Take a prover who succeeds. From two
challenges on the same commitments one computes, as in the paper, openings for (1) to (4) and `r_5` with
`sum p_i D_i = r_5 G`. The `u'_i` open `sum u_i c_i` in (3), which is fixed before `p`; were they to change
with `p`, two openings of one commitment would give a relation between `G` and the `h_i`, which nobody
knows. So the `D_i` are the same for all `p`, and running the prover again until `N` linearly independent
`p` have been answered gives `N` linear equations whose solution are the `r^_i` with `D_i = r^_i G`: all
that the paper's (5) gives. From there its proof goes on unchanged. Nothing more is revealed: a simulator
picks challenge and responses and computes the commitments, as before. It saves the verifier `N`
multiplications, `N` by the base point and `N` additions, and the proof `N - 1` scalars; the prover, who
knows each `c^_i` as a combination of `G` and `h`, needs one of each for all of (5).

Which seat shuffles when, and what a failed proof means, is not decided here.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field

from azi_p2p.crypto import group, labels
from azi_p2p.crypto.cards import chain_base, generator_sum, generators
from azi_p2p.crypto.errors import CryptoError, DecodingError, ProofError
from azi_p2p.crypto.fields import FieldReader, checked_ints, refuse_identity
from azi_p2p.crypto.group import Element, L, Rng, Scalar, scalar_from_int, scalar_to_int, weighted_sum
from azi_p2p.crypto.masking import Ciphertext, Deck, encode_deck
from azi_p2p.crypto.nonces import NonceStream
from azi_p2p.crypto.transcript import Transcript


@dataclass(frozen=True, slots=True)
class ShuffleWitness:
    """What only the shuffler knows; kept until the proof is made, and never sent.

    Attributes:
        permutation: `j_1 … j_N`, counted from 0: place `i` of the new deck holds card `permutation[i]` of
            the old.
        masks: the fresh masks `r~`, in the order of the old deck.
    """

    permutation: tuple[int, ...] = field(repr=False)
    masks: tuple[Scalar, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class ShuffleProof:
    """A proof of shuffle for `N` cards: `96 N + 192` bytes.

    Attributes:
        c: permutation commitment, `N` elements.
        c_hat: commitment chain, `N` elements.
        challenge: the challenge.
        s: the responses `s_1 … s_5`.
        s_prime: the responses for the permuted weights, `N` scalars.
    """

    c: tuple[Element, ...]
    c_hat: tuple[Element, ...]
    challenge: Scalar
    s: tuple[Scalar, Scalar, Scalar, Scalar, Scalar]
    s_prime: tuple[Scalar, ...]

    def to_bytes(self) -> bytes:
        """Give the fields one after the other."""
        return b"".join((*self.c, *self.c_hat, self.challenge, *self.s, *self.s_prime))

    @classmethod
    def from_bytes(cls, data: bytes, n: int) -> ShuffleProof:
        """Read what `to_bytes` wrote for `n` cards; raises DecodingError for anything else."""
        reader = FieldReader(data, 3 * n + 6, f"a proof of shuffle for {n} cards")
        c, c_hat, challenge = reader.elements(n), reader.elements(n), reader.scalar()
        s = (reader.scalar(), reader.scalar(), reader.scalar(), reader.scalar(), reader.scalar())
        return cls(c, c_hat, challenge, s, reader.scalars(n))


def shuffle(deck: Deck, joint_key: Element, rng: Rng = os.urandom) -> tuple[Deck, ShuffleWitness]:
    """Permute a deck at random and mask every card afresh (GenShuffle).

    Args:
        deck: the deck as it came.
        joint_key: the key that it is masked under.
        rng: where permutation and masks come from.

    Returns:
        The new deck, and the witness for `prove_shuffle`.

    Raises:
        CryptoError: no cards, or the joint key is the identity.
    """
    if not deck or joint_key == group.IDENTITY:
        raise CryptoError("a shuffle needs cards and a joint key")
    permutation = random_permutation(len(deck), rng)
    masks = tuple(group.random_scalar(rng) for _ in deck)
    shuffled = tuple(
        Ciphertext(
            group.add(deck[j].c1, group.mul_base(masks[j])),
            group.add(deck[j].c2, group.mul(masks[j], joint_key)),
        )
        for j in permutation
    )
    return shuffled, ShuffleWitness(permutation, masks)


def random_permutation(n: int, rng: Rng = os.urandom) -> tuple[int, ...]:
    """Draw a uniform permutation of `0 … n - 1` (GenPermutation: Fisher and Yates, by rejection without bias)."""
    order = list(range(n))
    for last in range(n - 1, 0, -1):
        other = _random_below(last + 1, rng)
        order[last], order[other] = order[other], order[last]
    return tuple(order)


def prove_shuffle(
    deck: Deck, shuffled: Deck, witness: ShuffleWitness, joint_key: Element, context: Transcript, rng: Rng = os.urandom
) -> ShuffleProof:
    """Prove that `shuffled` is a shuffle of `deck` (GenShuffleProof).

    The ciphertext sums of (4) are taken over the old deck: with `e~_i = e_{j_i} + r~_{j_i} (G, pk)`, `sum
    w'_i e~_i - w_4 (G, pk) = sum w'_i e_{j_i} + (sum w'_i r~_{j_i} - w_4) (G, pk)`, the same element. It
    costs the same in general, and a fifth less for a start deck, whose first parts are all `G`.

    Args:
        deck: the deck as it came.
        shuffled: what `shuffle` made of it.
        witness: what `shuffle` gave with it.
        joint_key: the key that both are masked under.
        context: what the proof is bound to; not disturbed.
        rng: fresh bytes for the nonces.

    Raises:
        CryptoError: decks and witness are of different lengths, or the witness holds no permutation.
    """
    N = len(deck)
    j, r_tilde = witness.permutation, [scalar_to_int(mask) for mask in witness.masks]
    if not N == len(shuffled) == len(r_tilde) or sorted(j) != list(range(N)):
        raise CryptoError("deck, shuffled deck and witness don't belong together")
    pk, e, G, h_0, h = joint_key, deck, group.G, chain_base(), generators(N)

    transcript = _begin(deck, shuffled, joint_key, context)
    nonces = NonceStream([bytes(str(j), "ascii"), *witness.masks], transcript, rng)

    # GenPermutationCommitment
    r = nonces.take_many(N)
    committed = {j[i]: group.add(group.mul_base(scalar_from_int(r[j[i]])), h[i]) for i in range(N)}
    c = tuple(committed[i] for i in range(N))
    u = _weights(transcript, c)
    u_prime = [u[j[i]] for i in range(N)]

    # GenCommitmentChain, with each element as a combination of G and h: c^_i = R_i G + U_i h.
    r_hat = nonces.take_many(N)
    R, U = [0], [1]
    for i in range(N):
        R.append((r_hat[i] + u_prime[i] * R[i]) % L)
        U.append(u_prime[i] * U[i] % L)
    c_hat = tuple(weighted_sum((R[i], U[i]), (G, h_0)) for i in range(1, N + 1))
    p = _chain_weights(transcript, c_hat)

    w_1, w_2, w_3, w_4, w_5 = nonces.take_many(5)
    w_prime = nonces.take_many(N)
    t_1 = group.mul_base(scalar_from_int(w_1))  # (1)
    t_2 = group.mul_base(scalar_from_int(w_2))  # (2)
    t_3 = weighted_sum((w_3, *w_prime), (G, *h))  # (3)
    mask = sum(w_prime[i] * r_tilde[j[i]] for i in range(N)) - w_4
    t_4_1 = weighted_sum((mask, *w_prime), (G, *(e[k].c1 for k in j)))  # (4)
    t_4_2 = weighted_sum((mask, *w_prime), (pk, *(e[k].c2 for k in j)))
    pw = [p[i] * w_prime[i] for i in range(N)]
    t_5 = weighted_sum(  # (5)
        (w_5 + sum(pw[i] * R[i] for i in range(N)), sum(pw[i] * U[i] for i in range(N))), (G, h_0)
    )
    challenge = _challenge(transcript, (t_1, t_2, t_3, t_4_1, t_4_2, t_5))

    k = scalar_to_int(challenge)
    r_1 = sum(r)
    r_2 = R[N]  # the sum of r^_i v_i is the coefficient of G in the last element of the chain
    r_3 = sum(r[i] * u[i] for i in range(N))
    r_4 = sum(r_tilde[i] * u[i] for i in range(N))
    r_5 = sum(p[i] * r_hat[i] for i in range(N))
    return ShuffleProof(
        c,
        c_hat,
        challenge,
        (
            scalar_from_int(w_1 + k * r_1),
            scalar_from_int(w_2 + k * r_2),
            scalar_from_int(w_3 + k * r_3),
            scalar_from_int(w_4 + k * r_4),
            scalar_from_int(w_5 + k * r_5),
        ),
        tuple(scalar_from_int(w_prime[i] + k * u_prime[i]) for i in range(N)),
    )


def verify_shuffle(deck: Deck, shuffled: Deck, proof: ShuffleProof, joint_key: Element, context: Transcript) -> None:
    """Check that `shuffled` is a shuffle of `deck`, in this context (CheckShuffleProof).

    Every commitment is computed on its own. Within one, the challenge is multiplied into the weights first,
    and equal elements are merged (see `weighted_sum`): the same element by fewer steps.

    Args:
        deck: the deck that was shuffled, known to hold elements.
        shuffled: the deck to be judged.
        proof: its proof.
        joint_key: the key that both are masked under.
        context: what the proof must be bound to; not disturbed.

    Raises:
        ProofError: the proof does not hold, or decks and proof are of different lengths.
    """
    N = len(deck)
    if N == 0 or not N == len(shuffled) == len(proof.c) == len(proof.c_hat) == len(proof.s_prime):
        raise ProofError("wrong_size", f"a shuffle of {N} cards comes with a deck or a proof for another number")
    if len(proof.s) != 5:
        raise ProofError("wrong_size", "a proof of shuffle has five single responses")
    refuse_identity("keys and ciphertexts", joint_key, *(part for pair in (*deck, *shuffled) for part in pair))
    refuse_identity("commitments", *proof.c, *proof.c_hat)
    k, *responses = checked_ints((proof.challenge, *proof.s, *proof.s_prime))

    transcript = _begin(deck, shuffled, joint_key, context)
    u = _weights(transcript, proof.c)
    p = _chain_weights(transcript, proof.c_hat)
    try:
        t = _recompute(deck, shuffled, proof, joint_key, u, p, k, responses)
    except DecodingError as error:
        raise ProofError("not_canonical", f"a key, ciphertext or commitment is no group element: {error}") from error
    refuse_identity("recomputed commitments", *t)
    if _challenge(transcript, t) != proof.challenge:
        raise ProofError("proof_fails", "the proof of shuffle does not hold")


def _recompute(
    e: Deck,
    e_tilde: Deck,
    proof: ShuffleProof,
    pk: Element,
    u: Sequence[int],
    p: Sequence[int],
    k: int,
    responses: Sequence[int],
) -> tuple[Element, ...]:
    """Give `t_1, t_2, t_3, t_4` (two parts) and `t_5`, from challenge `k` and responses."""
    N = len(e)
    G, h_0, h, c, c_hat = group.G, chain_base(), generators(N), proof.c, proof.c_hat
    s_1, s_2, s_3, s_4, s_5 = responses[:5]
    s_prime = responses[5:]
    product = 1
    for weight in u:
        product = product * weight % L
    minus_ku = [-k * weight for weight in u]
    c_bar = group.sub(group.add_all(c), generator_sum(N))
    t_1 = weighted_sum((s_1, -k), (G, c_bar))  # (1)
    t_2 = weighted_sum((s_2, -k, k * product), (G, c_hat[-1], h_0))  # (2)
    t_3 = weighted_sum((s_3, *s_prime, *minus_ku), (G, *h, *c))  # (3)
    t_4_1, t_4_2 = (  # (4)
        weighted_sum(
            (-s_4, *s_prime, *minus_ku), (base, *(pair[part] for pair in e_tilde), *(pair[part] for pair in e))
        )
        for part, base in ((0, G), (1, pk))
    )
    ps = [p[i] * s_prime[i] for i in range(N)]
    minus_kp = [-k * weight for weight in p]
    t_5 = weighted_sum((s_5, *ps, *minus_kp), (G, h_0, *c_hat[:-1], *c_hat))  # (5)
    return t_1, t_2, t_3, t_4_1, t_4_2, t_5


def _begin(deck: Deck, shuffled: Deck, joint_key: Element, context: Transcript) -> Transcript:
    N = len(deck)
    transcript = context.fork()
    transcript.append(labels.PROOF, labels.SHUFFLE_PROOF)
    transcript.append(labels.GENERATORS, group.G + chain_base() + b"".join(generators(N)))
    transcript.append(labels.JOINT_KEY, joint_key)
    transcript.append(labels.DECK, encode_deck(deck))
    transcript.append(labels.SHUFFLED, encode_deck(shuffled))
    return transcript


def _weights(transcript: Transcript, c: Sequence[Element]) -> list[int]:
    transcript.append(labels.PERMUTATION_COMMITMENT, b"".join(c))
    return [scalar_to_int(weight) for weight in transcript.challenges(labels.WEIGHTS, len(c))]


def _chain_weights(transcript: Transcript, c_hat: Sequence[Element]) -> list[int]:
    transcript.append(labels.CHAIN, b"".join(c_hat))
    return [scalar_to_int(weight) for weight in transcript.challenges(labels.CHAIN_WEIGHTS, len(c_hat))]


def _challenge(transcript: Transcript, t: Sequence[Element]) -> Scalar:
    transcript.append(labels.COMMITMENTS, b"".join(t))
    return transcript.challenge(labels.SIGMA_CHALLENGE)


def _random_below(bound: int, rng: Rng) -> int:
    limit = 2**32 - 2**32 % bound
    while True:
        value = int.from_bytes(rng(4), "big")
        if value < limit:
            return value % bound
