"""Proofs moved elsewhere: each field of the context changed on the verifier's side, for every kind of proof.

What a proof is bound to decides whether somebody can use it again: in another deal, attempt, step, lane or table, at
another seat, or for another card of the same message.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

from azi_p2p.crypto import group
from azi_p2p.crypto.cards import card_elements
from azi_p2p.crypto.errors import ProofError
from azi_p2p.crypto.keys import new_deal_key, prove_ownership, verify_ownership
from azi_p2p.crypto.masking import start_deck
from azi_p2p.crypto.void import prove_void, verify_void
from azi_p2p.session.context import Context
from azi_p2p.session.decklane import OWNERSHIP
from azi_p2p.session.jobs import (
    Checked,
    CheckPlay,
    CheckShuffle,
    CheckTokens,
    Job,
    Made,
    MakePlay,
    MakeShuffle,
    MakeTokens,
    MaskedCard,
    run_job,
    void_purpose,
)
from azi_p2p.wire.messages import VERSION, Play, Shuffle, Tokens
from tests.session.harness import seeded_rng

RNG = seeded_rng("contexts")
ANNA, BEN, KATYA = b"a" * 32, b"b" * 32, b"k" * 32
HERE = Context(b"t" * 32, b"p" * 32, ((0, ANNA), (1, BEN)), "play", 3, 1, 7, b"h" * 32, 0)

ELSEWHERE: dict[str, Context] = {
    "table": replace(HERE, table=b"u" * 32),
    "parameters": replace(HERE, params=b"q" * 32),
    "lane": replace(HERE, lane="deck"),
    "deal": replace(HERE, deal=4),
    "attempt": replace(HERE, attempt=2),
    "step": replace(HERE, step=8),
    "head": replace(HERE, head=b"i" * 32),
    "seat": replace(HERE, seat=1),
    "roster with somebody else at the table": replace(HERE, roster=((0, ANNA), (1, KATYA))),
    "roster with the same people on other seats": replace(HERE, roster=((0, ANNA), (2, BEN))),
    "roster with one seat more": replace(HERE, roster=((0, ANNA), (1, BEN), (2, KATYA))),
}

X, KEY = new_deal_key(RNG)
CARDS = card_elements(("6S", "7S", "8S"))
DECK = start_deck(CARDS, KEY)

Check = Callable[[Context], bool]
"""Whether a proof that was made HERE holds in a context."""


def _made(job: Job) -> object:
    result = run_job(job)
    assert isinstance(result, Made)
    return result.body


def _passes(job: Job) -> bool:
    result = run_job(job)
    assert isinstance(result, Checked)
    assert result.fault is None or result.fault.code == "bad_proof"
    return result.fault is None


def _verifies(verify: Callable[[], None]) -> bool:
    try:
        verify()
    except ProofError:
        return False
    return True


@cache
def checks(here: Context) -> dict[str, Check]:
    """For every kind of proof, one that was made in this context, as a check in any other."""
    bases = (*(masked.c1 for masked in DECK[:2]), group.hash_to_group(b"a draw"))
    played = MaskedCard(*DECK[0])
    shuffled = _made(MakeShuffle(DECK, KEY, here, RNG))
    tokens = _made(MakeTokens(X, KEY, bases, here, RNG))
    card = _made(MakePlay(X, KEY, 0, "6S", played, {}, (), here, RNG))
    assert isinstance(shuffled, Shuffle)
    assert isinstance(tokens, Tokens)
    assert isinstance(card, Play)
    void = prove_void(X, KEY, *DECK[1], CARDS, here.transcript(void_purpose(1)), RNG)
    owned = prove_ownership(X, KEY, here.transcript(OWNERSHIP), RNG)
    return {
        "shuffle": lambda place: _passes(CheckShuffle(DECK, KEY, shuffled, place)),
        "tokens": lambda place: _passes(CheckTokens(KEY, bases, tokens, place)),
        "card": lambda place: _passes(CheckPlay(KEY, played, CARDS[0], {}, (), card, place)),
        "void": lambda place: _verifies(
            lambda: verify_void(KEY, *DECK[1], CARDS, void, place.transcript(void_purpose(1)))
        ),
        "ownership": lambda place: _verifies(lambda: verify_ownership(KEY, owned, place.transcript(OWNERSHIP))),
    }


KINDS = ("shuffle", "tokens", "card", "void", "ownership")


@pytest.mark.parametrize("kind", KINDS)
def test_where_it_was_made_a_proof_holds(kind: str) -> None:
    assert checks(HERE)[kind](HERE)


@pytest.mark.parametrize("where", ELSEWHERE)
@pytest.mark.parametrize("kind", KINDS)
def test_proof_used_with_another(kind: str, where: str) -> None:
    assert not checks(HERE)[kind](ELSEWHERE[where])


@pytest.mark.parametrize("kind", KINDS)
def test_proof_used_at_another_seat_of_the_same_key(kind: str) -> None:
    """No table seats a key twice; the seat is bound for itself all the same."""
    here = replace(HERE, roster=((0, ANNA), (1, ANNA)))
    assert checks(here)[kind](here)
    assert not checks(here)[kind](replace(here, seat=1))


@pytest.mark.parametrize("kind", KINDS)
def test_proof_of_another_version_of_the_protocol(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check = checks(HERE)[kind]
    monkeypatch.setattr("azi_p2p.session.context.VERSION", VERSION + 1)
    assert not check(HERE)


def test_proof_for_another_purpose() -> None:
    proof = prove_ownership(X, KEY, HERE.transcript(b"one"), RNG)
    verify_ownership(KEY, proof, HERE.transcript(b"one"))
    with pytest.raises(ProofError):
        verify_ownership(KEY, proof, HERE.transcript(b"another"))
