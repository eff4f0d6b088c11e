"""A shuffler that cheats as well as it can: it follows the protocol wherever its false shuffle lets it.

Each forger breaks one property and keeps all others, so exactly one equation of the proof stands in its way, and the
test says which: were that equation dropped from the verifier, the forgery would pass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from azi_p2p.crypto import group, shuffle
from azi_p2p.crypto.cards import chain_base, generators
from azi_p2p.crypto.errors import ProofError
from azi_p2p.crypto.fields import checked_ints
from azi_p2p.crypto.group import Element, G, L, scalar_from_int, scalar_to_int, weighted_sum
from azi_p2p.crypto.masking import Ciphertext, Deck
from azi_p2p.crypto.shuffle import ShuffleProof
from tests.crypto.kit import World, context, seeded, world

N = 5
CHAIN_BASE = chain_base()
Matrix = list[list[int]]
"""Row `i`, column `j`: how much of card `j` comes to place `i`."""

EQUATIONS = ("(1)", "(2)", "(3)", "(4) first part", "(4) second part", "(5)")


@dataclass
class Forger:
    """Makes the proof of a false shuffle.

    Attributes:
        matrix: what is committed to, a permutation or not.
        masks: the masks of the new deck by place, as the forger claims them.
        claimed: maps the weights to the `u'` that is proved, by default the matrix times the weights.
        forced: the link of the chain that is made to fit the product that the verifier expects, or None.
        compensated: whether another link is spoilt too, so that the errors of all links add up to nothing.
        base: `h`, where the chain begins.
        log: the logarithm of `h`, as far as the forger knows or believes it.
        left_over: after `prove`, the plain sum of what the links are off by.
    """

    matrix: Matrix
    masks: list[int]
    claimed: Callable[[list[int]], list[int]] | None = None
    forced: int | None = None
    compensated: bool = False
    base: Element = CHAIN_BASE
    log: int | None = None
    left_over: Element = group.IDENTITY

    def prove(self, deck: Deck, shuffled: Deck, joint: Element) -> tuple[ShuffleProof, tuple[Element, ...]]:
        """Give the proof, and the commitments that its challenge was drawn from."""
        h_0, h = self.base, generators(N)
        draw = iter([group.scalar_to_int(group.random_scalar(seeded(("forger", i)))) for i in range(6 * N + 10)])
        transcript = shuffle._begin(deck, shuffled, joint, context())
        r = [next(draw) for _ in range(N)]
        c = tuple(weighted_sum([r[j], *(row[j] for row in self.matrix)], [G, *h]) for j in range(N))
        u = shuffle._weights(transcript, c)
        true = [sum(entry * weight for entry, weight in zip(row, u, strict=True)) % L for row in self.matrix]
        u_prime = true if self.claimed is None else self.claimed(u)

        product = 1
        for weight in u:
            product = product * weight % L
        r_hat, R, U = [], [0], [1]
        for i in range(N):
            r_hat.append(next(draw))
            R.append((r_hat[i] + u_prime[i] * R[i]) % L)
            U.append(u_prime[i] * U[i] % L)
            if i == self.forced:
                # From here on the chain holds what it would hold had the product been right.
                rest = 1
                for weight in u_prime[i + 1 :]:
                    rest = rest * weight % L
                U[-1] = product * pow(rest, -1, L) % L
        if self.compensated:
            # The last link is off by `off`. Moving the first by `a` puts link 1 off by `a` and link 2 by `-u'_2 a`.
            off = U[N] - u_prime[N - 1] * U[N - 1]
            U[1] += off * pow(u_prime[1] - 1, -1, L)
        c_hat = tuple(weighted_sum([R[i], U[i]], [G, h_0]) for i in range(1, N + 1))
        p = shuffle._chain_weights(transcript, c_hat)

        w = [next(draw) for _ in range(5)]
        w_prime = [next(draw) for _ in range(N)]
        before = [h_0, *c_hat[:-1]]
        links = [-sum(r_hat), *([1] * N), *(-weight for weight in u_prime)]
        self.left_over = weighted_sum(links, [G, *c_hat, *before])
        t = (
            weighted_sum([w[0]], [G]),
            weighted_sum([w[1]], [G]),
            weighted_sum([w[2], *w_prime], [G, *h]),
            weighted_sum([-w[3], *w_prime], [G, *(pair.c1 for pair in shuffled)]),
            weighted_sum([-w[3], *w_prime], [joint, *(pair.c2 for pair in shuffled)]),
            weighted_sum([w[4], *(p[i] * w_prime[i] for i in range(N))], [G, *before]),
        )
        challenge = shuffle._challenge(transcript, t)
        secrets = [
            sum(r),
            R[N] + (0 if self.log is None else self.log * (U[N] - product)),
            sum(r[j] * u[j] for j in range(N)),
            sum(self.masks[i] * u_prime[i] for i in range(N)),
            sum(p[i] * r_hat[i] for i in range(N)),
        ]
        k = scalar_to_int(challenge)
        s = [scalar_from_int(w[index] + k * secrets[index]) for index in range(5)]
        s_prime = tuple(scalar_from_int(w_prime[i] + k * u_prime[i]) for i in range(N))
        return ShuffleProof(c, c_hat, challenge, (s[0], s[1], s[2], s[3], s[4]), s_prime), t


def broken_equations(
    deck: Deck, shuffled: Deck, joint: Element, proof: ShuffleProof, t: tuple[Element, ...]
) -> list[str]:
    """Name the equations in which the verifier's commitment is not the forger's."""
    transcript = shuffle._begin(deck, shuffled, joint, context())
    u = shuffle._weights(transcript, proof.c)
    p = shuffle._chain_weights(transcript, proof.c_hat)
    k, *responses = checked_ints((proof.challenge, *proof.s, *proof.s_prime))
    again = shuffle._recompute(deck, shuffled, proof, joint, u, p, k, responses)
    return [name for name, mine, theirs in zip(EQUATIONS, again, t, strict=True) if mine != theirs]


TABLE: World = world(N)
DECK, _ = shuffle.shuffle(TABLE.start, TABLE.joint, seeded("deck"))
MASKS = [scalar_to_int(group.random_scalar(seeded(("mask", i)))) for i in range(N)]


def rows(sources: list[int]) -> Matrix:
    """Give the matrix that takes the card of place `i` from place `sources[i]`."""
    return [[int(j == source) for j in range(N)] for source in sources]


def masked(deck: Deck, matrix: Matrix, masks: list[int], second: list[int] | None = None) -> Deck:
    """Give the deck that a matrix and masks make; `second` are other masks for the second parts."""
    c1 = [pair.c1 for pair in deck]
    c2 = [pair.c2 for pair in deck]
    return tuple(
        Ciphertext(
            weighted_sum([mask, *row], [G, *c1]),
            weighted_sum([other, *row], [TABLE.joint, *c2]),
        )
        for row, mask, other in zip(matrix, masks, masks if second is None else second, strict=True)
    )


def refused(forger: Forger, shuffled: Deck, equations: list[str]) -> None:
    proof, t = forger.prove(DECK, shuffled, TABLE.joint)
    with pytest.raises(ProofError) as caught:
        shuffle.verify_shuffle(DECK, shuffled, proof, TABLE.joint, context())
    assert caught.value.code == "proof_fails"
    assert broken_equations(DECK, shuffled, TABLE.joint, proof, t) == equations


PERMUTATION = rows([3, 0, 4, 1, 2])
HALF = pow(2, -1, L)
# The first row is twice the first of the permutation less the second, so its sum is still one. The deck of which (4) is
# true is made by the transposed inverse of the matrix.
MIXED = [[2 * a - b for a, b in zip(PERMUTATION[0], PERMUTATION[1], strict=True)], *PERMUTATION[1:]]
MIXED_DECK = [
    [HALF * a for a in PERMUTATION[0]],
    [HALF * a + b for a, b in zip(PERMUTATION[0], PERMUTATION[1], strict=True)],
    *PERMUTATION[2:],
]


def test_the_forger_is_able() -> None:
    """With nothing to hide its proof is accepted, so what refuses it below is the lie and not a slip."""
    shuffled = masked(DECK, PERMUTATION, MASKS)
    proof, t = Forger(PERMUTATION, MASKS).prove(DECK, shuffled, TABLE.joint)
    assert broken_equations(DECK, shuffled, TABLE.joint, proof, t) == []
    shuffle.verify_shuffle(DECK, shuffled, proof, TABLE.joint, context())


def test_a_card_copied_over_another() -> None:
    """One card comes twice, another not at all. No matrix makes (4) true: the lost card is no sum of the others."""
    copied = rows([3, 0, 4, 1, 3])
    shuffled = masked(DECK, copied, MASKS)
    assert TABLE.open(shuffled[0]) == TABLE.open(shuffled[4])
    refused(Forger(copied, MASKS), shuffled, ["(2)", "(4) first part", "(4) second part"])
    refused(Forger(PERMUTATION, MASKS), shuffled, ["(4) first part", "(4) second part"])


def test_cards_mixed_with_each_other() -> None:
    """Two cards are blended into two that nobody can read: the product of the weights gives it away."""
    shuffled = masked(DECK, MIXED_DECK, MASKS)
    assert [TABLE.open(pair) is None for pair in shuffled] == [True, True, False, False, False]
    refused(Forger(MIXED, MASKS), shuffled, ["(2)"])


@pytest.mark.parametrize("link", range(N))
def test_a_chain_made_to_fit(link: int) -> None:
    """The same, with one link of the chain that hides the wrong product."""
    refused(Forger(MIXED, MASKS, forced=link), masked(DECK, MIXED_DECK, MASKS), ["(5)"])


def test_a_chain_made_to_fit_whose_errors_cancel() -> None:
    """The same, with a second wrong link, so that only the weights of (5) see it."""
    forger = Forger(MIXED, MASKS, forced=N - 1)
    refused(forger, masked(DECK, MIXED_DECK, MASKS), ["(5)"])
    assert forger.left_over != group.IDENTITY
    forger = Forger(MIXED, MASKS, forced=N - 1, compensated=True)
    refused(forger, masked(DECK, MIXED_DECK, MASKS), ["(5)"])
    assert forger.left_over == group.IDENTITY


def test_a_guessed_logarithm() -> None:
    refused(Forger(MIXED, MASKS, log=12345), masked(DECK, MIXED_DECK, MASKS), ["(2)"])


def test_with_a_known_logarithm_the_forgery_would_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """Why the generators are hashed from labels."""
    log = 12345
    known = group.mul_base(scalar_from_int(log))
    monkeypatch.setattr("azi_p2p.crypto.shuffle.chain_base", lambda: known)
    shuffled = masked(DECK, MIXED_DECK, MASKS)
    proof, _ = Forger(MIXED, MASKS, log=log, base=known).prove(DECK, shuffled, TABLE.joint)
    shuffle.verify_shuffle(DECK, shuffled, proof, TABLE.joint, context())
    monkeypatch.undo()
    with pytest.raises(ProofError):
        shuffle.verify_shuffle(DECK, shuffled, proof, TABLE.joint, context())


def test_cards_scaled_against_each_other() -> None:
    """Two rows stretched by `a` and `1 / a` keep the product of the weights; the sums of the rows give it away."""
    matrix = [list(row) for row in PERMUTATION]
    matrix[0] = [entry * 7 for entry in matrix[0]]
    matrix[1] = [entry * pow(7, -1, L) for entry in matrix[1]]
    scaled = [list(row) for row in PERMUTATION]
    scaled[0] = [entry * pow(7, -1, L) for entry in scaled[0]]
    scaled[1] = [entry * 7 for entry in scaled[1]]
    refused(Forger(matrix, MASKS), masked(DECK, scaled, MASKS), ["(1)"])


def test_weights_that_are_not_those_of_the_commitment() -> None:
    """A permutation of the weights, but not the one committed to: proved of a deck that follows the weights."""
    other = [1, 2, 0, 4, 3]
    forger = Forger(PERMUTATION, MASKS, claimed=lambda u: [u[source] for source in other])
    refused(forger, masked(DECK, rows(other), MASKS), ["(3)"])


def test_a_card_from_outside() -> None:
    shuffled = list(masked(DECK, PERMUTATION, MASKS))
    shuffled[2] = Ciphertext(shuffled[2].c1, group.add(shuffled[2].c2, group.hash_to_group(b"a joker")))
    refused(Forger(PERMUTATION, MASKS), tuple(shuffled), ["(4) second part"])


def test_a_mask_taken_from_elsewhere() -> None:
    shuffled = list(masked(DECK, PERMUTATION, MASKS))
    shuffled[2] = Ciphertext(group.add(shuffled[2].c1, G), shuffled[2].c2)
    refused(Forger(PERMUTATION, MASKS), tuple(shuffled), ["(4) first part"])


def test_different_masks_for_the_two_parts() -> None:
    """The card would be spoilt: nobody could open it."""
    second = [MASKS[0] + 1, *MASKS[1:]]
    refused(Forger(PERMUTATION, MASKS), masked(DECK, PERMUTATION, MASKS, second), ["(4) second part"])
    refused(Forger(PERMUTATION, second), masked(DECK, PERMUTATION, MASKS, second), ["(4) first part"])


def test_masks_that_cancel_over_two_cards() -> None:
    """One card's second part too large by a card, another's too small: an unweighted sum would not notice."""
    error = group.hash_to_group(b"error")
    shuffled = list(masked(DECK, PERMUTATION, MASKS))
    shuffled[0] = Ciphertext(shuffled[0].c1, group.add(shuffled[0].c2, error))
    shuffled[1] = Ciphertext(shuffled[1].c1, group.sub(shuffled[1].c2, error))
    refused(Forger(PERMUTATION, MASKS), tuple(shuffled), ["(4) second part"])
