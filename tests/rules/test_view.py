"""What a seat sees, and the digest of what everybody sees."""

from __future__ import annotations

import hashlib
import os
import random
import struct
import subprocess
import sys
from pathlib import Path

from azi_p2p.cli.simulate import play_random_deal, random_cards
from azi_p2p.rules import (
    Action,
    Bid,
    Call,
    Card,
    Deal,
    Discard,
    Params,
    Play,
    apply,
    digest,
    legal_actions,
    new_table,
    view_for,
    with_hand,
)
from tests.rules.kit import cards, hands, hidden, play_all, table

DEAL = Deal(hands("AS KS QS JS", "6S 7S 9H 8D"), Card("TH"), 0)
ACTIONS = (Discard(0, Card("JS")), Discard(1, Card("8D")), Bid(0, 10), Call(1), Play(0, Card("AS")))


def test_an_onlooker_sees_played_cards_only() -> None:
    state = play_all(table([100, 100], hand_size=4), DEAL, *ACTIONS)
    view = view_for(state, None)
    assert view.state.deal is not None
    assert view.state.deal.hands == (("AS", None, None, None), (None, None, None, None))
    assert view.state.deal.discards == (3, 3)
    assert view.hand == ()
    assert view.options == ()
    assert view.owed == (1,)


def test_a_seat_sees_its_own_hand_and_discard() -> None:
    state = play_all(table([100, 100], hand_size=4), DEAL, *ACTIONS)
    view = view_for(state, 1)
    assert view.state.deal is not None
    assert view.state.deal.hands == (("AS", None, None, None), ("6S", "7S", "9H", "8D"))
    assert view.hand == ("6S", "7S", "9H")
    assert view.options == legal_actions(state, 1)
    assert {option.card for option in view.options} == {"6S", "7S"}


def test_a_view_of_a_view_is_the_same() -> None:
    state = play_all(table([100, 100], hand_size=4), DEAL, *ACTIONS)
    view = view_for(state, 0)
    assert view_for(view.state, 0) == view
    assert view_for(view.state, None) == view_for(state, None)


def test_views_without_a_deal() -> None:
    state = table([100, None])
    assert view_for(state, None).state == state
    assert view_for(state, 0).hand == ()


def test_hidden_and_known_hands_have_the_same_digest_at_every_step() -> None:
    blind = (Discard(0, None, 3), Discard(1, None, 3), Bid(0, 10), Call(1), Play(0, Card("AS"), 0))
    full, covered = table([100, 100], hand_size=4), table([100, 100], hand_size=4)
    seen = set()
    known: list[Action] = [DEAL, *ACTIONS]
    unknown: list[Action] = [hidden(DEAL), *blind]
    for mine, theirs in zip(known, unknown, strict=True):
        full, covered = apply(full, mine), apply(covered, theirs)
        assert digest(full) == digest(covered)
        seen.add(digest(full))
    assert len(seen) == 1 + len(ACTIONS), "every step is told apart"
    assert digest(with_hand(covered, 1, cards("6S 7S 9H 8D"))) == digest(full)


def test_the_digest_is_of_the_parameters_too() -> None:
    assert digest(table([100, 100])) != digest(table([100, 100], ante=11))
    assert digest(table([100, 100])) != digest(table([100, 101]))
    assert digest(table([100, 0])) != digest(table([100, None]))


def encoded(value: object) -> bytes:
    """The encoding as docs/rules-state.md describes it, written once more."""
    if value is None:
        return b"n"
    if value is True or value is False:
        return b"t" if value else b"f"
    if isinstance(value, list):
        kind, content = b"l", b"".join(map(encoded, value))
    elif isinstance(value, int):
        kind, content = b"i", b"%d" % value
    else:
        kind, content = b"s", str(value).encode()
    return kind + struct.pack(">I", len(content)) + content


def test_the_digest_is_what_the_document_says() -> None:
    """Peers of different builds compare digests, so whatever changes this is a change of the protocol."""
    state = play_all(table([100, 100], hand_size=4), DEAL, *ACTIONS)
    params = [
        ["seats", 2],
        ["hand_size", 4],
        ["out_suit", "C"],
        ["ante", 10],
        ["min_bid", 10],
        ["start_chips", 1000],
        ["max_bids", 3],
        ["opener_rule", "must_bid"],
        ["short_payout", "matched"],
        ["azi_replay", "all"],
        ["promoted_six", True],
        ["rebuy", False],
        ["deal_limit", 0],
        ["turn_seconds", 60],
    ]
    dealt = [
        *([0, 1], [0, 0], 10, [10, 10], 0, "TH", "H", False),
        *(None, None, [0, 0], []),
        *([10, 10], [1, 0], 10, 0, 0),
        *([3, 3], [0, 1], [["AS", None, None, None], [None] * 4], [0b110, 0b111]),
        *([], [0, ["AS", None], None], 1),
    ]
    assert len(dealt) == 24
    public = [params, ["in", "in"], None, [], None, 1, "playing", [80, 80], [20, 20], dealt]
    assert digest(state) == hashlib.sha256(encoded(["azi/rules/state/1", public])).digest()
    assert digest(state).hex() == "e7672eca3013d48727fd235e472e5aebc48518251134d1d7cf6673a7e2b068eb"


def a_long_table() -> str:
    """The digest after twenty random deals; printed by another process in the test below."""
    rng = random.Random(5)
    state = new_table(Params(seats=5, hand_size=4, azi_replay="contenders"), [200] * 5)
    for _ in range(20):
        state, _ = play_random_deal(state, rng)
    return digest(apply(state, random_cards(state, rng))).hex()


def test_the_digest_does_not_depend_on_the_seed_of_hashes() -> None:
    program = "from tests.rules.test_view import a_long_table; print(a_long_table())"
    answers = set()
    for seed in ("0", "1", "4294967295"):
        ran = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        answers.add(ran.stdout.strip())
    assert answers == {a_long_table()}
