"""Vectors of the digest of the game's state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from azi_p2p import rules
from azi_p2p.rules.arbitration import arbitrate
from azi_p2p.rules.scenario import read_scenario
from tests.vectors_gen.kit import Book, Fields

SCENARIOS = Path(__file__).parent.parent.parent / "protocol" / "scenarios"

SHOWN = (
    "example-two-seats",
    "azi-buy-in-paid",
    "azi-replay-contenders",
    "discard-then-bid",
    "absent-in-the-middle-of-a-trick",
    "fold-in-the-last-seat",
)
"""Scenarios whose state is shown whole; the others have their digest only."""

DIGESTED = [
    "absent-azi-with-a-gone-winner",
    "absent-before-the-first-lead",
    "absent-in-the-bidding",
    "absent-in-the-discard-two-seats",
    "absent-in-the-discard",
    "absent-in-the-middle-of-a-trick",
    "absent-last-in-the-trick",
    "absent-leaves-a-short-winner",
    "absent-only-one-left",
    "absent-when-it-must-bid",
    "absent-when-it-should-lead",
    "all-short-before-the-first-bid",
    "azi-buy-in-absent",
    "azi-buy-in-cannot-pay",
    "azi-buy-in-declined",
    "azi-buy-in-free-without-chips",
    "azi-buy-in-paid",
    "azi-buy-in-price",
    "azi-chain-of-four",
    "azi-replay-antes-again",
    "azi-replay-contenders",
    "azi-replay-folded-seat-returns",
    "azi-replay-folded-without-chips",
    "azi-three-seats",
    "bid-cap-call-ends-it",
    "bid-cap-three-bids",
    "call-last-chip",
    "call-one-chip-short-proportional",
    "call-one-chip-short",
    "check-then-bid",
    "discard-all-owe-at-once",
    "discard-frees-from-following",
    "discard-then-bid",
    "example-two-seats",
    "fold-after-a-raise",
    "fold-in-the-last-seat",
    "fold-leaves-a-short-seat",
    "fold-to-the-opener",
    "lead-goes-to-the-raiser",
    "leave-in-the-discard",
    "leave-in-the-middle-of-a-trick",
    "leave-instead-of-buying-in",
    "leave-when-it-must-bid",
    "leave-with-a-stake-in-a-carried-pot",
    "nobody-bids-first-not-short-leads",
    "one-seat-takes-the-carried-pot",
    "opener-after-a-win",
    "opener-all-check",
    "opener-bids-the-last-chip",
    "opener-drawn-passes-on",
    "opener-drawn",
    "opener-left-of-the-winner",
    "opener-legal-choices",
    "opener-may-check-choices",
    "opener-may-fold-all-but-one",
    "opener-may-fold",
    "opener-seat-next-is-out",
    "opener-winner-gone",
    "opener-without-chips",
    "payout-carried-stake-of-a-folder",
    "payout-p1-proportional",
    "payout-p1-short-winner",
    "payout-p2-proportional",
    "payout-p2-winner-not-short",
    "payout-p3-folded-stake",
    "payout-p3-proportional",
    "payout-p4-carried-pot",
    "payout-p4-proportional",
    "payout-p5-no-chips-in-replay",
    "payout-p5-proportional",
    "payout-remainder-clockwise",
    "rebuy-with-no-chips",
    "short-caller-cannot-lead",
    "short-of-the-ante",
    "short-opener-may-check",
    "short-opener-may-fold",
    "short-opener-next-opens",
    "short-opener-one-choice",
    "short-opener-wins",
    "sit-out-and-return",
    "sit-out-stake-stays",
    "six-not-promoted-by-option",
    "six-not-promoted-without-an-ace",
    "six-promoted-follows",
    "six-promoted-led",
    "six-promoted-missing",
    "six-promoted-only-of-trumps",
    "six-seats-four-cards",
    "table-deal-limit-carried-pot",
    "table-final-standings",
    "trump-led",
    "trump-when-void",
    "void-azi-replay",
    "void-breaker-pays-what-it-has",
    "void-breaker-sits-out-the-pot",
    "void-buy-in-stays-bought",
    "void-in-suit-and-trumps",
    "void-one-breaker",
    "void-two-breakers",
]
"""Scenarios whose last state has its digest here."""


def digests() -> Book:
    """Digests of states: what is left of each scenario when it has been played through."""
    book = Book(
        "The digest of the state to which a scenario of protocol/scenarios leads; hands count as hidden, as in a game. "
        "'state' is the list that is encoded, 'encoding' its bytes (tag included).",
        "protocol/state.md",
        {
            "Whole": "With the state and its encoding.",
            "Hidden": "The digest must not depend on cards that haven't been played.",
            "OtherState": "The digest of another state.",
        },
    )
    for name in DIGESTED:
        played = arbitrate(read_scenario((SCENARIOS / f"{name}.json").read_text()))
        assert played.error is None, f"the scenario {name} is refused now"
        fields: Fields = {"scenario": name, "digest": rules.digest(played.state).hex()}
        if name in SHOWN:
            public = rules.view_for(played.state, None).state
            state = plain(public)
            fields |= {"state": state, "encoding": encoding(["azi/rules/state/1", state]).hex()}
        book.accept(name, ("Whole",) if name in SHOWN else (), **fields)
    whole = [test for test in book.tests if "state" in test]
    assert len(whole) == len(SHOWN), "a scenario that is shown whole is gone"
    known = played_with_hands_shown(SHOWN[4])
    test = next(test for test in whole if test["scenario"] == SHOWN[4])
    book.reject(test["id"], "with the hands as they were dealt", "Hidden", "wrong_value", state=known)
    other = next(test for test in whole if test["scenario"] == SHOWN[0])
    book.reject(test["id"], "the digest of another scenario", "OtherState", "wrong_value", digest=other["digest"])
    return book


def played_with_hands_shown(name: str) -> Any:
    """Give the state of a scenario with all that the scenario knows."""
    return plain(arbitrate(read_scenario((SCENARIOS / f"{name}.json").read_text())).state)


def plain(value: object) -> Any:
    """Give a state as JSON has it: lists, numbers, texts."""
    if isinstance(value, rules.Params):
        return [list(pair) for pair in value.to_mapping().items()]
    if isinstance(value, tuple):
        return [plain(part) for part in value]
    if isinstance(value, str):
        return str(value)
    assert value is None or isinstance(value, int), "a state is made of tuples and plain values"
    return value


def encoding(value: Any) -> bytes:
    """Give the encoding of a state (or part of one), written after protocol/state.md and not after the code."""
    match value:
        case None:
            return b"n"
        case bool():
            return b"t" if value else b"f"
        case int():
            kind, content = b"i", str(value).encode()
        case str():
            kind, content = b"s", value.encode()
        case _:
            kind, content = b"l", b"".join(encoding(part) for part in value)
    return kind + len(content).to_bytes(4, "big") + content
