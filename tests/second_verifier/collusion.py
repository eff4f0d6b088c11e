"""Tables at which all seats agree to lie: ledgers that hang together, signed by everybody, but played by other rules.

Each lie is a change to the second verifier's model, in force while a ledger is forged and no longer.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from tests.second_verifier import forge
from tests.second_verifier.forge import Forge, forge_ledger
from tests.second_verifier.theirs import load

theirs = load()
Patch = pytest.MonkeyPatch
RANDOM_PARAMS = forge.random_params


def wrong_payout(patch: Patch) -> None:
    """A chip of each pot goes to somebody else."""
    original = theirs.Game._pay

    def pay(game: Any, deal: Any, winner: int, result: str) -> None:
        other = next(seat for seat in game.clockwise(winner + 1) if game.status[seat] != "empty")
        if deal.payouts[winner]:
            deal.payouts[winner] -= 1
            deal.payouts[other] += 1
        original(game, deal, winner, result)

    patch.setattr(theirs.Game, "_pay", pay)


def stakes_never_returned(patch: Patch) -> None:
    """A short winner takes all."""
    patch.setattr(theirs.Game, "short", lambda _game, _deal, _seat: False)


def lowest_card_wins(patch: Patch) -> None:
    original = theirs.Game.strength

    def strength(game: Any, deal: Any, card: str, led: str) -> tuple[int, int]:
        suit, rank = original(game, deal, card, led)
        return suit, -rank

    patch.setattr(theirs.Game, "strength", strength)


def no_ante(patch: Patch) -> None:
    patch.setattr(theirs.Game, "ante_due", lambda _game, _dealt_in: 1)


def opener_chosen(patch: Patch) -> None:
    """The highest seat always opens."""
    patch.setattr(theirs, "opener_draw", lambda _head, _shared, dealt_in: max(dealt_in))


def other_trump(patch: Patch) -> None:
    """Trumps are what the table likes, whatever suit the upcard has."""
    original = theirs.Game.begin

    def begin(game: Any, dealt_in: list[int], upcard: str, drawn: int | None) -> None:
        original(game, dealt_in, upcard, drawn)
        game.deal.trump = next(suit for suit in "SHDC" if suit not in (game.params["out_suit"], upcard[1]))

    patch.setattr(theirs.Game, "begin", begin)


def suit_not_followed(patch: Patch) -> None:
    """Any card is led to any other, and no void proof is shown."""

    def play_body(forge: Any, seat: int, place: Any) -> dict[str, Any]:
        lead = forge.table.game.deal.trick.cards[forge.table.game.deal.trick.leader]
        body = original(forge, seat, place)
        last = len(forge.hand(seat)) == 1
        return body if lead is None or last else {**body, "void": []}

    original = Forge.play_body
    patch.setattr(Forge, "legal_positions", lambda _forge, hand, _lead, _trump: (list(hand), set()))
    patch.setattr(Forge, "play_body", play_body)
    patch.setattr(theirs.Table, "judge_play", lambda _table, _seat, _envelope: None)


def bids_below_the_least(patch: Patch) -> None:
    original = theirs.Game._bid

    def bid(game: Any, deal: Any, seat: int, do: str, to: int) -> None:
        params = game.params
        game.params = {**params, "min_bid": 1}
        try:
            original(game, deal, seat, do, max(1, to - params["min_bid"] + 1))
        finally:
            game.params = params

    patch.setattr(theirs.Game, "_bid", bid)


def ended_too_soon(patch: Patch) -> None:
    patch.setattr(theirs.Game, "over", lambda game: "deal_limit" if game.phase == "between" else None)


def never_over(patch: Patch) -> None:
    patch.setattr(theirs.Game, "over", lambda _game: None)


def standings_by_seat(patch: Patch) -> None:
    original = theirs.Game.standings
    patch.setattr(theirs.Game, "standings", lambda game: sorted(original(game), key=lambda one: one["seat"]))


def chips_for_nothing(patch: Patch) -> None:
    """Whoever is at the table may buy chips."""
    original = theirs.Game.wish

    def wish(game: Any, seat: int, wanted: str) -> None:
        if wanted == "rebuy" and game.status[seat] in ("in", "out"):
            game.chips[seat] += game.params["start_chips"]
        else:
            original(game, seat, wanted)

    patch.setattr(theirs.Game, "wish", wish)


def certified_by_too_few(patch: Patch) -> None:
    """Half of the roster is enough to declare a seat absent."""
    original = theirs.Table.roster
    calling: list[bool] = []

    def roster(table: Any) -> list[int]:
        seats: list[int] = original(table)
        return seats[: max(1, len(seats) - 1)] if calling else seats

    def within(function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*arguments: Any) -> Any:
            calling.append(True)
            try:
                return function(*arguments)
            finally:
                calling.pop()

        return wrapped

    patch.setattr(theirs.Table, "roster", roster)
    patch.setattr(theirs.Table, "take_certificate", within(theirs.Table.take_certificate))
    patch.setattr(Forge, "write_certificate", within(Forge.write_certificate))


def absent_seat_stays(patch: Patch) -> None:
    """Who was absent isn't sent away."""
    patch.setattr(theirs.Table, "book_away", lambda _table, _seats: None)


def breaker_pays_nothing(patch: Patch) -> None:
    original = theirs.Game.void

    def void(game: Any, dealt_in: list[int], breakers: list[int]) -> None:
        chips, stakes = list(game.chips), list(game.stakes)
        original(game, dealt_in, breakers)
        game.chips, game.stakes = chips, stakes

    patch.setattr(theirs.Game, "void", void)


def pot_left_lying(patch: Patch) -> None:
    """The price of a replay is the whole pot."""
    original = theirs.Game._azi

    def azi(game: Any, deal: Any) -> None:
        original(game, deal)
        game.replay.price *= 2

    patch.setattr(theirs.Game, "_azi", azi)


def deck_with_two_aces(patch: Patch) -> None:
    """The first card of the start deck lies in it twice."""
    original = theirs.start_deck

    def start_deck(cards: list[str], joint_key: Any) -> list[Any]:
        deck: list[Any] = original(cards, joint_key)
        return [deck[0], *deck[:-1]]

    patch.setattr(theirs, "start_deck", start_deck)


def other_generators(patch: Patch) -> None:
    """The generators of the proof of shuffle have known logarithms."""
    patch.setattr(theirs, "permutation_bases", lambda n: [theirs.combine((i + 2, theirs.G)) for i in range(n)])


def old_head(patch: Patch) -> None:
    """Heads leave out the first entry of each step."""
    original = theirs.tagged

    def tagged(tag: str, *parts: bytes) -> bytes:
        digest: bytes = original(tag, *(parts[:1] + parts[2:] if tag == "head" and len(parts) > 2 else parts))
        return digest

    patch.setattr(theirs, "tagged", tagged)


def state_without_stakes(patch: Patch) -> None:
    original = theirs.state_value
    patch.setattr(theirs, "state_value", lambda game: [*original(game)[:8], [0 for _ in game.places], None])


LIES: list[Callable[[Patch], None]] = [
    wrong_payout,
    stakes_never_returned,
    lowest_card_wins,
    no_ante,
    opener_chosen,
    other_trump,
    suit_not_followed,
    bids_below_the_least,
    ended_too_soon,
    never_over,
    standings_by_seat,
    chips_for_nothing,
    certified_by_too_few,
    absent_seat_stays,
    breaker_pays_nothing,
    pot_left_lying,
    deck_with_two_aces,
    other_generators,
    old_head,
    state_without_stakes,
]


def for_buying_in(chance: random.Random) -> dict[str, Any]:
    """Parameters under which a replay that must be bought into is likely."""
    params = RANDOM_PARAMS(chance)
    return {**params, "seats": 6, "start_chips": 200, "azi_replay": "buy_in", "opener_rule": "may_fold"}


def for_short_winners(chance: random.Random) -> dict[str, Any]:
    """Parameters under which a seat often has too little to call."""
    return {**RANDOM_PARAMS(chance), "seats": 4, "start_chips": 20, "ante": 5, "min_bid": 10, "max_bids": 3}


def lying_ledger(lie: Callable[[Patch], None], seed: int) -> bytes:
    """A ledger of a table at which all agree to a lie; it is valid if the lie never mattered.

    Not to be called while the second verifier remembers what it has found good: under a lie much is found good.
    """
    absence = random.Random(seed).choice((0.0, 0.1)) if "abs" not in lie.__name__ else 0.15
    with pytest.MonkeyPatch.context() as patch:
        lie(patch)
        if lie is pot_left_lying:
            patch.setattr(forge, "random_params", for_buying_in)
        if lie is stakes_never_returned:
            patch.setattr(forge, "random_params", for_short_winners)
        patch.setattr(theirs, "verify_shuffle", lambda *_: None)  # The forge's own are good; it saves time.
        data, _, _ = forge_ledger(seed, absence=absence, records=90)
    return data
