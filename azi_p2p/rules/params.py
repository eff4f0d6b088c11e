"""The parameters of a table: what its players agree on before the first deal.

All seats sign the same parameters. What doesn't belong here: anything that changes while a table is played.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Final, Literal, cast

from azi_p2p.rules.errors import ParamsError, shown

OpenerRule = Literal["must_bid", "may_fold", "may_check"]
ShortPayout = Literal["matched", "proportional"]
AziReplay = Literal["all", "contenders", "buy_in"]
OutSuit = Literal["C", "D", "H", "S"]

MAX_CHIPS: Final = 1_000_000_000
"""Most chips that a seat may bring to a table."""

RANGES: Final[Mapping[str, tuple[int, int]]] = {
    "seats": (2, 6),
    "hand_size": (3, 4),
    "ante": (1, 1_000_000),
    "min_bid": (1, 1_000_000),
    "start_chips": (1, MAX_CHIPS),
    "max_bids": (1, 9),
    "deal_limit": (0, 100_000),
    "turn_seconds": (5, 600),
}
"""For each parameter that is a number: the least and the greatest value."""

CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "out_suit": ("C", "D", "H", "S"),
    "opener_rule": ("must_bid", "may_fold", "may_check"),
    "short_payout": ("matched", "proportional"),
    "azi_replay": ("all", "contenders", "buy_in"),
}
"""For each parameter that is a choice: its values, the default first."""

SWITCHES: Final = ("promoted_six", "rebuy")


@dataclass(frozen=True, slots=True)
class Params:
    """Table parameters; every field has the default of the house rules. `check()` before use.

    Amounts are whole chips. `deal_limit` 0 means no limit; `turn_seconds` is the time that a person has.
    """

    seats: int = 4
    hand_size: int = 3
    out_suit: OutSuit = "C"
    ante: int = 10
    min_bid: int = 10
    start_chips: int = 1000
    max_bids: int = 3
    opener_rule: OpenerRule = "must_bid"
    short_payout: ShortPayout = "matched"
    azi_replay: AziReplay = "all"
    promoted_six: bool = True
    rebuy: bool = False
    deal_limit: int = 0
    turn_seconds: int = 60

    def check(self) -> None:
        """Raise `ParamsError` if any parameter has the wrong type or is out of its range."""
        for key in KEYS:
            _check(key, getattr(self, key))

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, object]) -> Params:
        """Build checked parameters from names and values, for instance from JSON or MessagePack.

        Names left out get their default. Raises `ParamsError` for an unknown name, a wrong type (true is
        not 1) or a value out of range.
        """
        # The annotation is a hope: this takes other people's data.
        if not isinstance(cast(object, mapping), Mapping):
            raise ParamsError("", "the table parameters must be a set of names and values")
        for key, value in mapping.items():
            if key not in KEYS:
                raise ParamsError(
                    str(key),
                    "unknown table parameter {name}; known are {known}",
                    name=shown(key),
                    known=", ".join(KEYS),
                )
            _check(key, value)
        return cls(**dict(mapping))  # type: ignore[arg-type]  # _check has just compared every value with its type

    def to_mapping(self) -> dict[str, object]:
        """Give all parameters by name, in their fixed order, as plain numbers, strings and booleans."""
        return {key: getattr(self, key) for key in KEYS}


KEYS: Final = tuple(field.name for field in fields(Params))
"""The names of all table parameters, in the order in which they are written down."""


def _check(key: str, value: object) -> None:
    if key in RANGES:
        low, high = RANGES[key]
        if type(value) is not int or not low <= value <= high:
            raise ParamsError(
                key,
                "{key} must be a whole number from {low} to {high}, not {value}",
                low=low,
                high=high,
                value=shown(value),
            )
    elif key in CHOICES:
        if type(value) is not str or value not in CHOICES[key]:
            raise ParamsError(
                key, "{key} must be one of {choices}, not {value}", choices=", ".join(CHOICES[key]), value=shown(value)
            )
    elif type(value) is not bool:
        raise ParamsError(key, "{key} must be true or false, not {value}", value=shown(value))
