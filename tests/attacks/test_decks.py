"""What an honest deal is made of: who has shuffled, what is opened, what must be proven of a hand, how the draw falls.

Each rule is worked out here once more, from the deal alone, and compared with what the peers have demanded.
"""

from __future__ import annotations

from functools import cache

import pytest

from azi_p2p import rules
from azi_p2p.crypto.cards import card_elements
from azi_p2p.crypto.errors import ProofError
from azi_p2p.crypto.keys import new_deal_key, prove_ownership, verify_ownership
from azi_p2p.session.decklane import OWNERSHIP, begin_deck, reveal_digest
from azi_p2p.session.playlane import draw_base, own_positions, token_bases, upcard_position, void_statement
from azi_p2p.session.playstate import PlayPhase, PlayState
from azi_p2p.wire.messages import Discard, Play, Reveal, Shuffle, Tokens
from tests.attacks.bench import Bench, bench_of, lanes_of, small, stay_in


@cache
def played(count: int, hand_size: int, seed: int) -> Bench:
    """A table that was played to its end, with everybody staying in."""
    bench = bench_of(count, small(count, hand_size), seed, stay_in)
    bench.run(lambda: all(peer.table.ended for peer in bench.peers))
    return bench


def steps(bench: Bench) -> list[tuple[PlayState, dict[int, object]]]:
    """Every step of the play lane: the state before it, and the bodies by seat."""
    past = lanes_of(bench.peers[0]).past.values()
    return [
        (step.state, {seat: envelope.body for seat, envelope in step.moves.items()})
        for step in past
        if step.state is not None
    ]


@pytest.mark.parametrize("count", [2, 4])
def test_every_seat_has_shuffled_before_the_antes(count: int) -> None:
    bench = played(count, 3, 81)
    opened = next(state.deck for state, _ in steps(bench) if state.phase is PlayPhase.TOKENS)
    assert opened is not None
    shuffles = [
        seat
        for step in lanes_of(bench.peers[0]).past.values()
        if step.place.lane == "deck" and step.place.deal == 1
        for seat, envelope in step.moves.items()
        if isinstance(envelope.body, Shuffle)
    ]
    assert shuffles == list(range(count))
    assert opened.shuffles == count


def test_nobody_gives_a_token_for_its_own_card_and_everybody_for_all_others() -> None:
    bench = played(4, 3, 81)
    state, bodies = next((state, bodies) for state, bodies in steps(bench) if state.phase is PlayPhase.TOKENS)
    assert state.deck is not None
    dealt = [state.deck.deck[index].c1 for index in range(upcard_position(state.deck, 3) + 1)]
    for seat, body in bodies.items():
        assert isinstance(body, Tokens)
        own = [state.deck.deck[index].c1 for index in own_positions(state.deck, 3, seat)]
        expected = [base for base in dealt if base not in own] + [draw_base(state.head)]
        assert list(token_bases(state, seat)) == expected
        assert len(body.tokens) == len(expected)


def test_the_draw_is_of_a_head_that_nobody_knows_before_the_antes_are_signed() -> None:
    assert draw_base(b"a" * 32) != draw_base(b"b" * 32)


def test_a_commitment_is_one_seats_own() -> None:
    """Who repeats another's commitment can't open it with the other's reveal."""
    bench = bench_of(2, small(2), 81)
    bench.run(lambda: bench.peers[0].table.lanes is not None)
    deck = lanes_of(bench.peers[0]).deck
    assert deck is not None
    reveal = Reveal(key=b"k" * 32, proof=b"p" * 64, entropy=b"e" * 32)
    assert reveal_digest(deck, 0, reveal) != reveal_digest(deck, 1, reveal)


def test_a_proof_of_ownership_is_for_one_deck() -> None:
    """Not for the one that would be prepared after another opening, at the same table, in the same deal and attempt."""
    roster = ((0, b"a" * 32), (1, b"b" * 32))
    one, other = (begin_deck(b"t" * 32, b"p" * 32, ("6S",), roster, 2, 0, opened) for opened in (b"o" * 32, b"q" * 32))
    x, key = new_deal_key()
    proof = prove_ownership(x, key, one.ownership_context(0).transcript(OWNERSHIP))
    verify_ownership(key, proof, one.ownership_context(0).transcript(OWNERSHIP))
    with pytest.raises(ProofError):
        verify_ownership(key, proof, other.ownership_context(0).transcript(OWNERSHIP))


@pytest.mark.parametrize(("count", "hand_size"), [(3, 4), (4, 3)])
def test_what_must_be_proven_of_a_hand(count: int, hand_size: int) -> None:
    """Who doesn't follow: of every card still held, that it isn't of the led suit; nor a trump, unless it trumps."""
    owed = {"nothing": 0, "no card of the led suit": 0, "no card of the led suit and no trump": 0}
    for seed in range(82, 84):
        for state, bodies in steps(played(count, hand_size, seed)):
            for seat, body in bodies.items():
                if isinstance(body, Play):
                    owed[_check(played(count, hand_size, seed), state, seat, body)] += 1
    assert all(owed.values()), owed


def _check(bench: Bench, state: PlayState, seat: int, body: Play) -> str:
    deal = state.game.deal
    assert deal is not None
    assert deal.trick is not None
    assert deal.upcard is not None
    trump = deal.upcard[1]
    led = next((card[1] for card in [deal.trick.cards[deal.trick.leader]] if card is not None), None)
    suit = body.card[1]
    out: tuple[str, ...] = ()
    if led is not None and suit != led:
        out = (led,) if trump in (suit, led) else (led, trump)
    gone = {
        move.position
        for earlier, bodies in steps(bench)
        if (earlier.deal, earlier.step) < (state.deal, state.step) and earlier.deal == state.deal
        for other, move in bodies.items()
        if other == seat and isinstance(move, Play | Discard)
    }
    statement = void_statement(state, seat, body.card, body.position)
    if not out:
        assert not statement.held
        assert not body.void
        return "nothing"
    held = set(range(state.params.hand_size)) - gone - {body.position}
    names = [card for card in rules.deck_of(state.params) if card[1] not in out]
    assert set(statement.held) == held
    assert statement.allowed == card_elements(names)
    assert len(body.void) == len(held)
    return "no card of the led suit" if len(out) == 1 else "no card of the led suit and no trump"
