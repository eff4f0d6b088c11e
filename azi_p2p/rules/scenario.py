"""Scenario files: deals written down by hand, read strictly.

A scenario says who sits at the table with how many chips, and for each deal the cards and what was done. What
doesn't belong here: playing it through (`arbitration`), and reading files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from azi_p2p.rules import actions as act
from azi_p2p.rules.actions import Action
from azi_p2p.rules.cards import ALL_CARDS, DECK_SETS, Card
from azi_p2p.rules.errors import ErrorCode, IllegalAction, ParamsError, shown
from azi_p2p.rules.params import MAX_CHIPS, Params
from azi_p2p.rules.state import check_cards


class ScenarioError(Exception):
    """A scenario that can't be played: what is wrong (`code`, `message`) and where.

    `deal` and `action` count from 0 and are None where they don't apply; `key` is the name of the entry at fault,
    or "". `template` and `facts` are the parts of the message, for callers who show it in another language.
    """

    def __init__(
        self,
        code: ErrorCode,
        template: str,
        facts: Mapping[str, object] | None = None,
        *,
        deal: int | None = None,
        action: int | None = None,
        key: str = "",
    ) -> None:
        self.code = code
        self.template = template
        self.facts = dict(facts or {})
        self.deal = deal
        self.action = action
        self.key = key
        self.message = template.format(**self.facts) if self.facts else template
        super().__init__(self.message)


@dataclass(frozen=True, slots=True)
class WrittenDeal:
    """One deal of a scenario. `hands` is None where no cards were dealt, and then `upcard` is None too."""

    before: tuple[Action, ...]
    hands: tuple[tuple[Card | None, ...] | None, ...] | None
    upcard: Card | None
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario that has been read.

    `names` ("" for one left out) are other people's text: clean them before they are shown.
    """

    params: Params
    names: tuple[str, ...]
    chips: tuple[int, ...]
    last_winner: int | None
    draws: tuple[int, ...]
    """The seats that the joint draws yield, in order; the last one again when they run out."""
    deals: tuple[WrittenDeal, ...]


def read_scenario(text: str) -> Scenario:
    """Read a scenario from JSON text. Raises `ScenarioError`."""
    return scenario_of(parse_json(text))


def parse_json(text: str) -> object:
    """Parse JSON text strictly: no name twice in an object, no NaN. Raises `ScenarioError` with the place."""
    try:
        value = json.loads(text, object_pairs_hook=_Pairs, parse_constant=_NoNumber, parse_int=_whole_number)
    except json.JSONDecodeError as error:
        raise ScenarioError(
            ErrorCode.BAD_SCENARIO,
            "this isn't JSON: line {line}, column {column}: {reason}",
            {"line": error.lineno, "column": error.colno, "reason": error.msg},
        ) from None
    except RecursionError:
        raise ScenarioError(ErrorCode.BAD_SCENARIO, "this JSON is nested too deep") from None
    return _checked(value)


def scenario_of(value: object) -> Scenario:
    """Read a scenario from parsed JSON. Raises `ScenarioError` for the first thing that is wrong with it."""
    top = _Reader(value, required=("seats", "deals"), optional=("params", "last_winner", "opener_draw"))
    seats = top.list("seats")
    if not 2 <= len(seats) <= 6:
        top.fail("seats", "a table has two to six seats, not {count}", count=len(seats))
    params = _params(top, len(seats))
    names, chips = [], []
    for number, entry in enumerate(seats):
        seat = _Reader(entry, required=("chips",), optional=("name",), key=f"seats[{number}]")
        names.append(seat.string("name") if "name" in seat.values else "")
        amount = seat.integer("chips")
        if not 0 <= amount <= MAX_CHIPS:
            seat.fail(
                "chips",
                "seat {seat} must have 0 to {most} chips, not {chips}",
                code=ErrorCode.CHIPS_OUT_OF_RANGE,
                seat=number,
                most=MAX_CHIPS,
                chips=shown(amount),
            )
        chips.append(amount)
    last_winner = top.values.get("last_winner")
    return Scenario(
        params=params,
        names=tuple(names),
        chips=tuple(chips),
        last_winner=None if last_winner is None else top.seat("last_winner", last_winner, len(seats)),
        draws=_draws(top, len(seats)),
        deals=tuple(_deal(params, number, entry) for number, entry in enumerate(top.list("deals"))),
    )


def _params(top: _Reader, seats: int) -> Params:
    given = top.values.get("params", {})
    if not isinstance(given, dict):
        top.fail("params", "must be an object of names and values")
    try:
        params = Params.from_mapping({"seats": seats, **given})
    except ParamsError as error:
        raise ScenarioError(
            ErrorCode.BAD_SCENARIO, error.template, error.facts, key=f"params.{shown_key(error.key)}"
        ) from None
    if params.seats != seats:
        top.fail("params.seats", "the table has {count} seats in its list", count=seats)
    return params


def _draws(top: _Reader, seats: int) -> tuple[int, ...]:
    given = top.values.get("opener_draw", 0)
    if not isinstance(given, list):
        return (top.seat("opener_draw", given, seats),)
    if not given:
        top.fail("opener_draw", "must be a seat, or a list of at least one")
    return tuple(top.seat(f"opener_draw[{number}]", seat, seats) for number, seat in enumerate(given))


def _deal(params: Params, number: int, value: object) -> WrittenDeal:
    reader = _Reader(value, required=("hands",), optional=("upcard", "before", "actions"), deal=number)
    before = tuple(
        _wish(params, number, position, entry) for position, entry in enumerate(reader.list("before", missing=True))
    )
    actions = tuple(
        _action(params, number, position, entry) for position, entry in enumerate(reader.list("actions", missing=True))
    )
    hands, upcard = reader.values["hands"], reader.values.get("upcard")
    if hands is None:
        if upcard is not None:
            reader.fail("upcard", "no card is turned up where no hands are dealt")
        return WrittenDeal(before, None, None, actions)
    if upcard is None:
        reader.fail("upcard", "a deal with hands has an upcard")
    turned = reader.card("upcard", upcard, params)
    rows = reader.list("hands")
    if len(rows) != params.seats:
        reader.fail("hands", "there must be one entry for each of {seats} seats", seats=params.seats)
    dealt = tuple(_hand(reader, seat, row, params) for seat, row in enumerate(rows))
    try:
        check_cards(params, dealt, turned)
    except IllegalAction as error:
        raise ScenarioError(error.code, error.template, error.facts, deal=number, key="hands") from None
    return WrittenDeal(before, dealt, turned, actions)


def _hand(reader: _Reader, seat: int, row: object, params: Params) -> tuple[Card, ...] | None:
    key = f"hands[{seat}]"
    if row is None:
        return None
    if not isinstance(row, list):
        reader.fail(key, "must be a list of cards, or null")
    if len(row) != params.hand_size:
        reader.fail(key, "a hand of this table has {size} cards, not {count}", size=params.hand_size, count=len(row))
    return tuple(reader.card(f"{key}[{place}]", card, params) for place, card in enumerate(row))


_WISHES: Final[Mapping[str, Callable[[int], Action]]] = {
    "rebuy": act.Rebuy,
    "sit_out": act.SitOut,
    "return": act.Return,
}

_PLAIN_ACTIONS: Final[Mapping[str, Callable[[int], Action]]] = {
    "call": act.Call,
    "check": act.Check,
    "fold": act.Fold,
    "absent": act.Absent,
    "leave": act.Leave,
    "buy_in": act.BuyIn,
    "decline": act.Decline,
}

ACTION_NAMES: Final = ("bid", "discard", "play", *_PLAIN_ACTIONS)


def _wish(params: Params, deal: int, position: int, value: object) -> Action:
    reader = _Reader(value, required=("seat", "do"), deal=deal, key=f"before[{position}]")
    do = reader.choice("do", tuple(_WISHES))
    return _WISHES[do](reader.seat("seat", reader.values["seat"], params.seats))


def _action(params: Params, deal: int, position: int, value: object) -> Action:
    reader = _Reader(value, required=("seat", "do"), optional=("to", "card"), deal=deal, action=position)
    do = reader.choice("do", ACTION_NAMES)
    seat = reader.seat("seat", reader.values["seat"], params.seats)
    wanted = {"bid": "to", "discard": "card", "play": "card"}.get(do)
    for key in ("to", "card"):
        if key == wanted and key not in reader.values:
            reader.fail(key, "is missing")
        if key != wanted and key in reader.values:
            reader.fail(key, "doesn't belong to this action")
    if do == "bid":
        return act.Bid(seat, reader.integer("to"))
    if do in ("discard", "play"):
        card = reader.card("card", reader.values["card"], params)
        return act.Discard(seat, card) if do == "discard" else act.Play(seat, card)
    return _PLAIN_ACTIONS[do](seat)


@dataclass(slots=True)
class _Reader:
    """One JSON object, read strictly: its names are known, nothing is missing, errors say the place."""

    values: dict[str, Any]
    deal: int | None
    action: int | None
    key: str

    def __init__(
        self,
        value: object,
        *,
        required: tuple[str, ...],
        optional: tuple[str, ...] = (),
        deal: int | None = None,
        action: int | None = None,
        key: str = "",
    ) -> None:
        self.values, self.deal, self.action, self.key = {}, deal, action, key
        if not isinstance(value, dict):
            self.fail("", "must be a JSON object")
        self.values = value
        for name in value:
            if name not in required and name not in optional:
                self.fail(shown_key(name), "is an unknown key")
        for name in required:
            if name not in value:
                self.fail(name, "is missing")

    def fail(self, name: str, template: str, *, code: ErrorCode = ErrorCode.BAD_SCENARIO, **facts: object) -> NoReturn:
        """Raise `ScenarioError` for the entry called `name`."""
        key = f"{self.key}.{name}" if self.key and name else self.key or name
        raise ScenarioError(code, template, facts, deal=self.deal, action=self.action, key=key)

    def list(self, name: str, *, missing: bool = False) -> list[Any]:
        """Give a list; an empty one if it may be missing and is."""
        value = self.values.get(name, []) if missing else self.values[name]
        if not isinstance(value, list):
            self.fail(name, "must be a list")
        return value

    def string(self, name: str) -> str:
        """Give a string."""
        value = self.values[name]
        if not isinstance(value, str):
            self.fail(name, "must be a string, not {value}", value=shown(value))
        return value

    def choice(self, name: str, choices: tuple[str, ...]) -> str:
        """Give one of some strings."""
        value = self.values[name]
        if not isinstance(value, str) or value not in choices:
            self.fail(name, "must be one of {choices}, not {value}", choices=", ".join(choices), value=shown(value))
        return value

    def integer(self, name: str) -> int:
        """Give a whole number; true and false are none."""
        value = self.values[name]
        if type(value) is not int:
            self.fail(name, "must be a whole number, not {value}", value=shown(value))
        return value

    def seat(self, name: str, value: object, seats: int) -> int:
        """Give the number of a seat."""
        if type(value) is not int or not 0 <= value < seats:
            self.fail(name, "must be a seat from 0 to {last}, not {value}", last=seats - 1, value=shown(value))
        return value

    def card(self, name: str, value: object, params: Params) -> Card:
        """Give a card of the table's deck."""
        if not isinstance(value, str) or value not in _CARDS:
            self.fail(name, "must be a card such as 6S, TD or AH, not {value}", value=shown(value))
        if value not in DECK_SETS[params.out_suit]:
            self.fail(name, "{card} is of the suit that is left out", card=value)
        return _CARDS[value]


_CARDS: Final[Mapping[str, Card]] = {card: card for card in ALL_CARDS}
"""From a card as it was written to the one and only string that stands for it."""


def shown_key(key: object) -> str:
    """Show a stranger's key so that it fits into one line."""
    text = str(key)
    return text if text.isidentifier() and text.isascii() and len(text) <= 40 else shown(text)


class _Pairs(dict[str, object]):
    """A JSON object as it was written. `twice`: the first name that stands there more than once, if any does."""

    def __init__(self, pairs: list[tuple[str, object]]) -> None:
        super().__init__(pairs)
        names = [name for name, _ in pairs]
        self.twice = next((name for name in names if names.count(name) > 1), None) if len(self) < len(names) else None


@dataclass(frozen=True, slots=True)
class _NoNumber:
    """What stands where a number should, and is none for us: NaN, an infinity, or thousands of digits ("")."""

    name: str


def _whole_number(digits: str) -> object:
    return int(digits) if len(digits) <= 1000 else _NoNumber("")


def _checked(value: object) -> object:
    """Give the value back; raises `ScenarioError`, with the place, for a name twice in an object or for no number."""
    waiting: list[tuple[tuple[str | int, ...], object]] = [((), value)]
    while waiting:
        path, found = waiting.pop()
        if isinstance(found, _Pairs):
            if found.twice is not None:
                raise _misplaced((*path, found.twice), "is there twice in one object")
            waiting.extend([((*path, name), entry) for name, entry in reversed(found.items())])
        elif isinstance(found, list):
            waiting.extend([((*path, number), found[number]) for number in range(len(found) - 1, -1, -1)])
        elif isinstance(found, _NoNumber):
            if found.name:
                raise _misplaced(path, "{name} isn't a number", name=found.name)
            raise _misplaced(path, "this JSON holds a number that is too long")
    return value


def _misplaced(path: tuple[str | int, ...], template: str, **facts: object) -> ScenarioError:
    """The error for what is wrong at a path of names and numbers: deal, action and key are told apart."""
    deal: int | None = None
    action: int | None = None
    if path[:1] == ("deals",) and len(path) > 1 and isinstance(path[1], int):
        deal, path = path[1], path[2:]
        if path[:1] == ("actions",) and len(path) > 1 and isinstance(path[1], int):
            action, path = path[1], path[2:]
    key = ""
    for part in path:
        key += f"[{part}]" if isinstance(part, int) else f"{'.' if key else ''}{shown_key(part)}"
    return ScenarioError(ErrorCode.BAD_SCENARIO, template, facts, deal=deal, action=action, key=key)
