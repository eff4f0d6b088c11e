"""Whole sessions written down as text: what each seat could do, what it did, and what came of it.

A record shows what the rules make of a random game, so a change of the rules shows up as a change of a record that
somebody can read. What doesn't belong here: the wording for players (the catalogues of the program).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from azi_p2p.cli.simulate import random_cards
from azi_p2p.rules import (
    Absent,
    Action,
    Deal,
    Leave,
    Option,
    Params,
    Phase,
    State,
    TakePot,
    Void,
    apply,
    can_take_pot,
    deal_seats,
    digest,
    held_positions,
    is_over,
    is_short,
    legal_actions,
    new_table,
    owed,
    standings,
)
from azi_p2p.rules.state import IN_DEAL

NAMES = ("Anna", "Ben", "Katya", "Pieter", "Zanele", "Oleg")


@dataclass(frozen=True, slots=True)
class Playthrough:
    """What to record. `absent`: the chance that a seat stays away or leaves, `broken`: that a deal is broken."""

    title: str
    chips: tuple[int, ...]
    deals: int
    seed: int
    params: dict[str, object] = field(default_factory=dict)
    absent: float = 0.0
    broken: float = 0.0


PLAYTHROUGHS = {
    "two-seats": Playthrough("Two seats, the house rules", (100, 100), 5, 1),
    "four-seats": Playthrough("Four seats, the house rules", (300, 300, 300, 300), 6, 4),
    "short-seats": Playthrough("Short seats and a share of the pot", (35, 200, 18, 60), 6, 4, {"min_bid": 5}),
    "proportional": Playthrough(
        "Short seats, the pot shared in proportion",
        (35, 200, 18, 60),
        6,
        4,
        {"min_bid": 5, "short_payout": "proportional"},
    ),
    "six-seats-four-cards": Playthrough("Six seats with four cards", (200,) * 6, 3, 4, {"hand_size": 4}),
    "check-and-fold": Playthrough(
        "Openers may check", (100, 100, 100), 6, 2, {"opener_rule": "may_check", "promoted_six": False, "out_suit": "S"}
    ),
    "azi-buy-in": Playthrough("Azi with buying in", (200,) * 5, 8, 216, {"azi_replay": "buy_in"}),
    "azi-contenders": Playthrough("Azi played out by the contenders", (200,) * 5, 8, 8, {"azi_replay": "contenders"}),
    "absences": Playthrough("Seats that stay away, leave, and break deals", (200,) * 4, 8, 3, {}, 0.15, 0.25),
    "to-the-end": Playthrough("A table to its end", (60, 60, 60), 30, 9, {"min_bid": 20}),
}


def record(playthrough: Playthrough) -> str:
    """Play a session with random cards and random legal actions, and give its record."""
    return "\n".join(_lines(playthrough)) + "\n"


def _lines(playthrough: Playthrough) -> Iterator[str]:
    params = Params.from_mapping({"seats": len(playthrough.chips), **playthrough.params})
    rng = random.Random(playthrough.seed)
    state = new_table(params, playthrough.chips)
    default = Params()
    options = [f"{key} {value}" for key, value in params.to_mapping().items() if value != getattr(default, key)]
    yield f"{playthrough.title} (random play, seed {playthrough.seed})"
    yield f"Table: {', '.join(options) or 'house rules'}"
    for _ in range(playthrough.deals):
        if is_over(state):
            break
        yield ""
        while state.phase is Phase.BUY_IN:
            state, lines = _move(state, rng, 0.0)
            yield from lines
        if can_take_pot(state):
            action: Action = TakePot()
        elif len(deal_seats(state)) < 2:
            yield "Fewer than two seats can be dealt in."
            break
        elif rng.random() < playthrough.broken:
            action = Void((rng.choice(deal_seats(state)),))
        else:
            action = random_cards(state, rng)
        state = apply(state, action)
        yield from _beginning(state, action)
        while state.phase in IN_DEAL:
            state, lines = _move(state, rng, playthrough.absent)
            yield from lines
        yield from _end(state)
    yield ""
    yield f"Ended: {is_over(state) or 'goes on'}. Standings: " + ", ".join(
        f"{place}. {NAMES[seat]} {chips}" for place, seat, chips in standings(state)
    )
    yield f"Digest {digest(state).hex()}"


def _beginning(state: State, action: Action) -> Iterator[str]:
    deal = state.deal
    assert deal is not None
    if not isinstance(action, Deal):
        yield f"After deal {state.deal_number}: {type(action).__name__}"
        return
    yield f"Deal {state.deal_number}: upcard {deal.upcard}, trump {deal.trump}" + (
        ", the six is promoted" if deal.promoted_six else ""
    )
    assert deal.opener is not None
    for seat in deal.dealt_in:
        cards = " ".join(str(card) for card in deal.hands[seat] or ())
        opens = "  opener's place" if seat == deal.opener else ""
        yield f"  {NAMES[seat]:8}{cards:12} ante {deal.antes[seat]:>2}, chips {state.chips[seat]:>3}{opens}"


def _move(state: State, rng: random.Random, absent: float) -> tuple[State, list[str]]:
    """Make one move; the lines say what could have been done, and what was."""
    seat = rng.choice(owed(state))
    options = legal_actions(state, seat)
    if rng.random() < absent:
        action: Action = rng.choice((Absent, Absent, Leave))(seat)
        done = type(action).__name__.lower()
    else:
        option = rng.choice(options)
        if option.do == "fold" and rng.random() < 0.6:
            option = rng.choice(options)
        to = None
        if option.do == "bid":
            assert option.min is not None
            assert option.max is not None
            step = min(option.max, option.min + state.params.min_bid)
            to = rng.choice((option.min, option.min, step, step, option.max))
        action = option.action(to)
        done = " ".join(str(word) for word in (option.do, to, option.card) if word is not None)
    after = apply(state, action)
    lines = [f"    {NAMES[seat]:8}{done:12} of: {_written(options)}"]
    before, now = state.deal, after.deal
    assert before is not None
    assert now is not None
    if state.phase is Phase.BIDDING and after.phase is Phase.PLAYING:
        assert now.leader is not None
        short = [NAMES[other] for other in now.live if is_short(after, now, other)]
        lines.append(
            f"  Bidding ends at {now.highest_bid}: {NAMES[now.leader]} leads; bids {_by_name(now.bids)}"
            f"; short: {', '.join(short) or 'nobody'}"
        )
    if len(now.tricks) > len(before.tricks):
        trick = now.tricks[-1]
        assert trick.winner is not None
        lines.append(f"  Trick {len(now.tricks)} to {NAMES[trick.winner]} with {trick.cards[trick.winner]}")
    return after, lines


def _written(options: tuple[Option, ...]) -> str:
    words = []
    for option in options:
        amount = f" {option.min}-{option.max}" if option.do == "bid" else ""
        words.append(str(option.card) if option.card else option.do + amount)
    return ", ".join(words)


def _end(state: State) -> Iterator[str]:
    deal = state.deal
    assert deal is not None
    won = "" if deal.winner is None else f" {NAMES[deal.winner]}"
    yield f"  Result: {deal.result}{won}; staked {_by_name(deal.stakes)}; paid out {_by_name(deal.payouts)}"
    left = [NAMES[seat] for seat in deal.dealt_in if held_positions(state, seat) and deal.result == "uncontested"]
    if left and deal.upcard is not None:
        yield f"  Not shown: the cards still held by {', '.join(left)}"
    yield f"  Chips {_by_name(state.chips)}; carried {state.pot}"


def _by_name(amounts: tuple[int, ...]) -> str:
    return ", ".join(f"{NAMES[seat]} {amount}" for seat, amount in enumerate(amounts) if amount) or "nothing"
