"""How fast this machine shuffles, proves and checks, and how near that is to what is possible.

The floor of a proof is the number of group operations that it makes, counted in the same run, times what each takes
when the library is called alone. What lies above it is our own Python. Rounds measure operations and proof in turn, so
that a machine that gets slower meanwhile slows both; the figures are medians over the rounds. Where the system counts
it finely enough, time is the processor time of this thread, which other programs lengthen less.

What doesn't belong here: whole tables (`bench_table`, `bench_peers`), and how figures are shown (`bench`).
"""

from __future__ import annotations

import gc
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

from azi_p2p.cli.simulate import Speed, measure_speed
from azi_p2p.crypto import cards, keys, masking, shuffle, tokens, void
from azi_p2p.crypto.opcount import bare_operations, count_operations
from azi_p2p.crypto.transcript import Transcript

DECK_SIZES = (27, 52)
TOKENS = 10
"""Masked cards in the batch of reveal tokens: about what a seat opens after the deal."""

BRANCHES = 18
"""Allowed cards in the void proof: the larger of the two sets that the game asks for."""

ROUNDS = 21
BATCH = 12
"""Calls of one primitive in a row, so that its time is a mean and not a lucky single call."""


# Windows counts a thread's time in steps of 15 ms.
_clock = time.thread_time if os.name == "posix" else time.perf_counter


DEALS_A_ROUND = 100
"""Random deals played in one round of measuring the rules: about 10 ms, so that some rounds run undisturbed."""

DEAL_ROUNDS = 5
"""Rounds of random deals for each round of a proof."""


@dataclass(frozen=True)
class Figure:
    """What was measured of one task.

    Attributes:
        task: `shuffle`, `prove shuffle`, `verify shuffle`, `read shuffle`, `prove tokens`, …
        size: cards of the deck, masked cards of the batch, or branches.
        ms: median time, in milliseconds.
        floor_ms: median time of its group operations alone, in milliseconds.
        ratio: median of time over floor, round by round.
        operations: group operations by name.
    """

    task: str
    size: int
    ms: float
    floor_ms: float
    ratio: float
    operations: dict[str, int]


def random_deals(rounds: int) -> list[Speed]:
    """Play the same random deals by the rules alone so many times; gives the speeds, the slowest first.

    The middle one is what this machine does while it does other things too; the best one is what the program takes,
    with the garbage collector at work as it is in a game.
    """
    speeds = [measure_speed(DEALS_A_ROUND, seed=1, clock=_clock) for _ in range(rounds)]
    return sorted(speeds, key=lambda speed: speed.deals_per_second)


def measure(rounds: int | None = None) -> tuple[dict[str, float], list[Figure]]:
    """Measure every task in `rounds` rounds, by default `ROUNDS`.

    Returns:
        The primitives' times in microseconds, by name, and the figures.
    """
    rounds = ROUNDS if rounds is None else rounds
    figures: list[Figure] = []
    samples: dict[str, list[float]] = {}
    bare = bare_operations()
    for size in DECK_SIZES:
        for task, call in shuffle_tasks(size).items():
            figures.append(_figure(task, size, call, bare, samples, rounds))
    for (task, size), call in small_tasks().items():
        figures.append(_figure(task, size, call, bare, samples, rounds))
    return {name: round(statistics.median(values) * 1e6, 2) for name, values in samples.items()}, figures


def shuffle_tasks(size: int) -> dict[str, Callable[[], object]]:
    """Give the tasks about a deck of `size` cards that was shuffled before, as calls without arguments."""
    context = Transcript(b"bench")
    joint_key = keys.joint_key([keys.new_deal_key()[1] for _ in range(4)])
    names = [str(index) for index in range(size)]
    start = masking.start_deck(cards.card_elements(names), joint_key)
    deck, _ = shuffle.shuffle(start, joint_key)
    shuffled, witness = shuffle.shuffle(deck, joint_key)
    proof = shuffle.prove_shuffle(deck, shuffled, witness, joint_key, context)
    deck_bytes, proof_bytes = masking.encode_deck(shuffled), proof.to_bytes()
    return {
        "shuffle": lambda: shuffle.shuffle(deck, joint_key),
        "prove shuffle": lambda: shuffle.prove_shuffle(deck, shuffled, witness, joint_key, context),
        "read shuffle": lambda: (
            masking.decode_deck(deck_bytes, size),
            shuffle.ShuffleProof.from_bytes(proof_bytes, size),
        ),
        "verify shuffle": lambda: shuffle.verify_shuffle(deck, shuffled, proof, joint_key, context),
    }


def small_tasks() -> dict[tuple[str, int], Callable[[], object]]:
    """Give the tasks about tokens and void proofs, by name and size, as calls without arguments."""
    context = Transcript(b"bench")
    secret, public = keys.new_deal_key()
    allowed = cards.card_elements([str(index) for index in range(BRANCHES)])
    deck, _ = shuffle.shuffle(masking.start_deck(allowed, public), public)
    bases = [masked.c1 for masked in deck[:TOKENS]]
    images = [tokens.reveal_token(secret, base) for base in bases]
    batch = tokens.prove_tokens(secret, public, bases, images, context)
    single = tokens.prove_tokens(secret, public, bases[:1], images[:1], context)
    c1, c2 = deck[0]
    proof = void.prove_void(secret, public, c1, c2, allowed, context)
    return {
        ("prove tokens", TOKENS): lambda: tokens.prove_tokens(secret, public, bases, images, context),
        ("verify tokens", TOKENS): lambda: tokens.verify_tokens(public, bases, images, batch, context),
        ("prove tokens", 1): lambda: tokens.prove_tokens(secret, public, bases[:1], images[:1], context),
        ("verify tokens", 1): lambda: tokens.verify_tokens(public, bases[:1], images[:1], single, context),
        ("prove void", BRANCHES): lambda: void.prove_void(secret, public, c1, c2, allowed, context),
        ("verify void", BRANCHES): lambda: void.verify_void(public, c1, c2, allowed, proof, context),
    }


def _figure(
    task: str,
    size: int,
    call: Callable[[], object],
    bare: dict[str, Callable[[], object]],
    samples: dict[str, list[float]],
    rounds: int,
) -> Figure:
    call()
    with count_operations() as counts:
        call()
    times, floors = [], []
    # A short task is repeated until a round of it weighs about as much as a round of the primitives.
    repeats = max(1, round(_seconds(lambda: [bare["mul"]() for _ in range(4 * BATCH)], 1) / _seconds(call, 1)))
    collecting = gc.isenabled()
    gc.disable()
    try:
        for _ in range(rounds):
            floor = 0.0
            for name, count in counts.items():
                each = _seconds(bare[name], BATCH)
                samples.setdefault(name, []).append(each)
                floor += count * each
            floors.append(floor)
            times.append(_seconds(call, repeats))
    finally:
        if collecting:
            gc.enable()
    ratio = statistics.median(spent / floor for spent, floor in zip(times, floors, strict=True))
    return Figure(
        task,
        size,
        round(statistics.median(times) * 1e3, 3),
        round(statistics.median(floors) * 1e3, 3),
        round(ratio, 3),
        dict(counts),
    )


def _seconds(call: Callable[[], object], repeats: int) -> float:
    """Give the mean time of one call."""
    start = _clock()
    for _ in range(repeats):
        call()
    return (_clock() - start) / repeats
