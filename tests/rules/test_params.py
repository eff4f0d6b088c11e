"""Table parameters: defaults, ranges, strictness."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from azi_p2p.rules import Params, ParamsError
from azi_p2p.rules.params import CHOICES, KEYS, RANGES, SWITCHES


def test_defaults() -> None:
    assert Params().to_mapping() == {
        "seats": 4,
        "hand_size": 3,
        "out_suit": "C",
        "ante": 10,
        "min_bid": 10,
        "start_chips": 1000,
        "max_bids": 3,
        "opener_rule": "must_bid",
        "short_payout": "matched",
        "azi_replay": "all",
        "promoted_six": True,
        "rebuy": False,
        "deal_limit": 0,
        "turn_seconds": 60,
    }
    Params().check()


def test_every_parameter_has_a_check() -> None:
    assert set(KEYS) == {*RANGES, *CHOICES, *SWITCHES}
    for key, choices in CHOICES.items():
        assert getattr(Params(), key) == choices[0]


def test_there_and_back() -> None:
    given = Params.from_mapping({"seats": 6, "hand_size": 4, "rebuy": True, "out_suit": "S"})
    assert Params.from_mapping(given.to_mapping()) == given


@pytest.mark.parametrize(("key", "limits"), RANGES.items())
def test_ranges(key: str, limits: tuple[int, int]) -> None:
    for value in limits:
        assert getattr(Params.from_mapping({key: value}), key) == value
    for value in (limits[0] - 1, limits[1] + 1):
        with pytest.raises(ParamsError, match=f"{key} must be a whole number from {limits[0]} to {limits[1]}"):
            Params.from_mapping({key: value})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("seats", True),
        ("seats", 4.0),
        ("seats", "4"),
        ("seats", None),
        ("ante", [10]),
        pytest.param("ante", 10**5000, id="a number that can't even be written"),
        ("out_suit", "X"),
        ("out_suit", "c"),
        ("out_suit", None),
        ("out_suit", ["C"]),
        ("opener_rule", ""),
        ("azi_replay", {"all": 1}),
        ("promoted_six", 1),
        ("promoted_six", "true"),
        ("rebuy", None),
        ("antee", 10),
        ("", 10),
    ],
)
def test_wrong_values(key: str, value: Any) -> None:
    with pytest.raises(ParamsError) as caught:
        Params.from_mapping({key: value})
    assert caught.value.key == key
    assert "\n" not in caught.value.message
    assert len(caught.value.message) < 400


def test_a_long_value_is_not_repeated_in_full() -> None:
    with pytest.raises(ParamsError) as caught:
        Params.from_mapping({"out_suit": "\x1b[31m" * 1000})
    assert len(caught.value.message) < 120
    assert "\x1b" not in caught.value.message


@pytest.mark.parametrize("value", [None, [], "params", 3])
def test_not_a_mapping(value: Any) -> None:
    with pytest.raises(ParamsError):
        Params.from_mapping(value)


def test_check_looks_at_what_was_built_directly() -> None:
    with pytest.raises(ParamsError):
        Params(seats=7).check()


def test_errors_survive_a_process_boundary() -> None:
    error = ParamsError("seats", "{key} must be {low}", low=2)
    again = pickle.loads(pickle.dumps(error))
    assert (again.key, again.message, again.facts) == (error.key, error.message, error.facts)
