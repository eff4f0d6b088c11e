"""Makes the proofs of `protocol/deck.md` and `protocol/deal.md`, as provers there do, over the second verifier's group.

For forged ledgers only: chance is seeded, and nothing takes constant time.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from tests.second_verifier.theirs import load

theirs = load()
L = theirs.L


def scalar(chance: random.Random) -> int:
    """A secret. It hides nothing, so it may be short; that makes proofs quicker."""
    return chance.randrange(1, 2**64)


def scalar_bytes(*numbers: int) -> bytes:
    return b"".join((number % L).to_bytes(32, "little") for number in numbers)


def prove_ownership(t: Any, x: int, chance: random.Random) -> bytes:
    key, w = theirs.combine((x, theirs.G)), scalar(chance)
    t.append("proof", b"azi-p2p/v1/proof/ownership")
    t.append("key", key.data)
    t.append("commitments", theirs.combine((w, theirs.G)).data)
    c = t.challenge("sigma-challenge")
    return scalar_bytes(c, w + c * x)


def prove_tokens(t: Any, x: int, bases: Sequence[Any], tokens: Sequence[Any], chance: random.Random) -> bytes:
    w = scalar(chance)
    t.append("proof", b"azi-p2p/v1/proof/tokens")
    t.append("key", theirs.combine((x, theirs.G)).data)
    t.append_int("bases", len(bases))
    t.append("bases", theirs.joined(bases))
    t.append("tokens", theirs.joined(tokens))
    weights = [1, *t.challenges("weights", len(bases) - 1)]
    base = theirs.combine(*zip(weights, bases, strict=True))
    t.append("commitments", theirs.combine((w, theirs.G)).data + theirs.combine((w, base)).data)
    c = t.challenge("sigma-challenge")
    return scalar_bytes(c, w + c * x)


def prove_void(t: Any, x: int, c1: Any, d: Any, allowed: Sequence[Any], true: int, chance: random.Random) -> bytes:
    """A void proof; `true` is the index of the allowed card that the masked card is."""
    k = len(allowed)
    a, c = [scalar(chance) for _ in range(k)], [scalar(chance) for _ in range(k)]
    t.append("proof", b"azi-p2p/v1/proof/void")
    t.append("key", theirs.combine((x, theirs.G)).data)
    t.append("base", c1.data)
    t.append("masked-card", d.data)
    t.append_int("allowed", k)
    t.append("allowed", theirs.joined(allowed))
    commitments = []
    for i, card in enumerate(allowed):
        simulated = () if i == true else ((c[i], card), (-c[i], allowed[true]))
        commitments += [theirs.combine((a[i], theirs.G)), theirs.combine((a[i], c1), *simulated)]
    t.append("commitments", theirs.joined(commitments))
    c[true] = t.challenge("sigma-challenge") - (sum(c) - c[true])
    return scalar_bytes(*c, *(a[i] + c[i] * x for i in range(k)))


def shuffle(t: Any, joint_key: Any, before: list[Any], chance: random.Random) -> tuple[list[Any], bytes]:
    """A shuffled deck and its proof."""
    n = len(before)
    j = chance.sample(range(n), n)
    masks = [scalar(chance) for _ in range(n)]
    after = [
        theirs.MaskedCard(
            theirs.combine((1, before[i].c1), (masks[i], theirs.G)),
            theirs.combine((1, before[i].c2), (masks[i], joint_key)),
        )
        for i in j
    ]
    h, hs = theirs.chain_base(), theirs.permutation_bases(n)
    r = [0] * n
    commitments = [theirs.G] * n
    for i in range(n):
        r[j[i]] = scalar(chance)
        commitments[j[i]] = theirs.combine((r[j[i]], theirs.G), (1, hs[i]))
    t.append("proof", b"azi-p2p/v1/proof/shuffle")
    t.append("generators", theirs.joined([theirs.G, h, *hs]))
    t.append("joint-key", joint_key.data)
    t.append("deck", theirs.deck_bytes(before))
    t.append("shuffled", theirs.deck_bytes(after))
    t.append("permutation-commitment", theirs.joined(commitments))
    u = t.challenges("weights", n)
    permuted = [u[i] for i in j]
    r_hat, chain, chain_parts = [scalar(chance) for _ in range(n)], [], [(0, 1)]
    for i in range(n):  # Each link is a G + b h, with a and b known.
        a, b = chain_parts[-1]
        chain_parts.append(((r_hat[i] + permuted[i] * a) % L, permuted[i] * b % L))
        chain.append(theirs.combine((chain_parts[-1][0], theirs.G), (chain_parts[-1][1], h)))
    t.append("commitment-chain", theirs.joined(chain))
    p = t.challenges("chain-weights", n)
    w, w_prime = [scalar(chance) for _ in range(5)], [scalar(chance) for _ in range(n)]
    t5 = [sum(p[i] * w_prime[i] * chain_parts[i][part] for i in range(n)) for part in (0, 1)]
    announced = [
        theirs.combine((w[0], theirs.G)),
        theirs.combine((w[1], theirs.G)),
        theirs.combine((w[2], theirs.G), *zip(w_prime, hs, strict=True)),
        theirs.combine((-w[3], theirs.G), *((x, card.c1) for x, card in zip(w_prime, after, strict=True))),
        theirs.combine((-w[3], joint_key), *((x, card.c2) for x, card in zip(w_prime, after, strict=True))),
        theirs.combine((w[4] + t5[0], theirs.G), (t5[1], h)),
    ]
    t.append("commitments", theirs.joined(announced))
    k = t.challenge("sigma-challenge")
    products = [1] * n
    for i in reversed(range(n - 1)):
        products[i] = products[i + 1] * permuted[i + 1] % L
    responses = [
        w[0] + k * sum(r),
        w[1] + k * sum(r_hat[i] * products[i] for i in range(n)),
        w[2] + k * sum(r[i] * u[i] for i in range(n)),
        w[3] + k * sum(masks[i] * u[i] for i in range(n)),
        w[4] + k * sum(p[i] * r_hat[i] for i in range(n)),
    ]
    last = [w_prime[i] + k * permuted[i] for i in range(n)]
    return after, theirs.joined(commitments) + theirs.joined(chain) + scalar_bytes(k, *responses, *last)
