"""What tests of several folders share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.second_verifier.toygroup import both_over_toy_group


@pytest.fixture
def ideal_cryptography() -> Iterator[None]:
    """For tests of the order of messages, of votes and of restarts: every proof is made and checked, in a toy group."""
    with both_over_toy_group():
        yield
