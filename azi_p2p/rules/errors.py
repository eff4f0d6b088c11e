"""Refusals of the rules: their codes and the exception that carries them.

A refusal never changes anything: the state that was asked about is still the state of the table.
What doesn't belong here: deciding whether something is refused, and translating the text (a caller can
translate `template` and fill in `facts`).
"""

from __future__ import annotations

from enum import StrEnum


class ErrorCode(StrEnum):
    """Why an action, a deal or a table was refused. Where several apply, the first one in this order is given."""

    BAD_SCENARIO = "bad_scenario"
    """It makes no sense at all: a seat that doesn't exist, a wrong type, a hand of the wrong size."""
    CHIPS_OUT_OF_RANGE = "chips_out_of_range"
    DUPLICATE_CARD = "duplicate_card"
    WRONG_PHASE = "wrong_phase"
    NOT_YOUR_TURN = "not_your_turn"
    CARD_NOT_HELD = "card_not_held"
    MUST_FOLLOW_SUIT = "must_follow_suit"
    MUST_TRUMP = "must_trump"
    MUST_BID = "must_bid"
    NOT_ALLOWED = "not_allowed"
    BID_TOO_LOW = "bid_too_low"
    BID_OVER_STACK = "bid_over_stack"
    NO_BIDS_LEFT = "no_bids_left"


class IllegalAction(ValueError):  # noqa: N818 - a refusal is an ordinary answer of the rules, not a failure
    """An action that the rules refuse; the state it was applied to is untouched.

    `code` says which rule, `message` says it in English, in one line. `template` and `facts` are the parts
    of the message, for callers who show it in another language.
    """

    def __init__(self, code: ErrorCode, template: str, **facts: object) -> None:
        self.code = code
        self.template = template
        self.facts = facts
        self.message = template.format(**facts) if facts else template
        super().__init__(self.message)

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions are pickled by their args alone, which would lose the code on the way to a worker.
        return (_rebuild, (self.code, self.template, self.facts))


class ParamsError(ValueError):
    """Table parameters that no table can have; one line that names the key and what it may be.

    `key` is the parameter at fault, or "" where it is the whole mapping.
    """

    def __init__(self, key: str, template: str, **facts: object) -> None:
        self.key = key
        self.template = template
        self.facts = {"key": key, **facts}
        self.message = template.format(**self.facts)
        super().__init__(self.message)

    def __reduce__(self) -> tuple[object, ...]:
        facts = {name: value for name, value in self.facts.items() if name != "key"}
        return (_rebuild_params, (self.key, self.template, facts))


def shown(value: object) -> str:
    """Show a stranger's value in a message: in one line, printable, and never longer than 40 characters."""
    try:
        text = ascii(value)
    except (RecursionError, ValueError):  # nested too deep, or a number with thousands of digits
        return "that"
    return text if len(text) <= 40 else text[:37] + "..."


def _rebuild(code: ErrorCode, template: str, facts: dict[str, object]) -> IllegalAction:
    return IllegalAction(code, template, **facts)


def _rebuild_params(key: str, template: str, facts: dict[str, object]) -> ParamsError:
    return ParamsError(key, template, **facts)
