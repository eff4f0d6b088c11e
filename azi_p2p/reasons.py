"""Why something is refused or has failed: a short word that stays, the figures that belong to it, an English sentence.

Each package lists its reasons in an enum of its own. The sentence is for logs and for people who read English; the
screens put the word and the details into the player's language. What doesn't belong here: any reason, and any text in
another language. This module imports nothing but the standard library.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Self


class Reason(StrEnum):
    """One reason: its value is a short word, stable across versions, its `sentence` a template in English.

    Fields in the template (`{name}`) are filled from the details that go with the reason; a detail may be a reason
    itself (a part of the sentence) or the system's OSError. A subclass is written as `class Some(Reason, kind="some")`,
    its members as `WORD = "word", "sentence"`; `kind` tells its list from the others.
    """

    kind: str
    sentence: str

    def __init_subclass__(cls, *, kind: str) -> None:
        super().__init_subclass__()
        cls.kind = kind

    def __new__(cls, word: str, sentence: str) -> Self:
        """Make a member; called by the enum for each line of a subclass."""
        reason = str.__new__(cls, word)
        reason._value_ = word
        reason.sentence = sentence
        return reason

    def told(self, details: Mapping[str, object]) -> str:
        """The English sentence with its fields filled in; raises KeyError when one is missing."""
        return self.sentence.format(**{name: _plain(value) for name, value in details.items()})


def _plain(value: object) -> object:
    if isinstance(value, Reason):
        return value.sentence
    if isinstance(value, OSError):
        return value.strerror or str(value)
    return value


class ReasonError(Exception):
    """Something was refused or has failed. `code` says why, `details` hold the figures, `str()` is one English line."""

    def __init__(self, code: Reason, /, **details: object) -> None:
        super().__init__(code.told(details))
        self.code = code
        self.details: Mapping[str, object] = details

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions are pickled by their args alone, which would lose code and details on the way from a worker.
        return (_rebuild, (type(self), self.code, self.details))


def _rebuild(kind: type[ReasonError], code: Reason, details: Mapping[str, object]) -> ReasonError:
    return kind(code, **details)
