"""Seeds in which votes of different rounds crossed, and ones in which an earlier draft of the program stood still.

Links are so slow in most of them that a majority of claims is known to some long before a later round ends in acks
for others.
"""

from __future__ import annotations

import pytest

from tests.simulation.stories import run_seed

pytestmark = pytest.mark.usefixtures("ideal_cryptography")

CROSSED = (9, 20, 32, 37, 121, 125, 173, 5012, 5014, 5059)


@pytest.mark.parametrize("seed", CROSSED)
def test_the_later_round_stands_for_everybody(seed: int) -> None:
    report = run_seed(seed, "slowness")
    assert report.failure is None, "\n".join(report.told())


@pytest.mark.parametrize(
    ("seed", "kind"),
    [
        pytest.param(342, "mixed", id="everybody dies before anything is written"),
        pytest.param(362, "lying", id="who lies in the vote lane"),
        pytest.param(20222, "equivocating", id="tokens ready after a claim"),
        pytest.param(20535, "mixed", id="who comes back has forgotten the last shuffle of its deck"),
        pytest.param(33064, "lying", id="a proven liar asks about itself in the deck of a deal that is open"),
        pytest.param(40245, "equivocating", id="two messages for an ante, when everybody has signed on top"),
        pytest.param(41383, "equivocating", id="two messages for a receipt, when the antes are signed"),
        pytest.param(41792, "equivocating", id="a liar's other fault hides that it has signed on top"),
        pytest.param(50161, "equivocating", id="two messages at the end, and two before it"),
        pytest.param(40930, "mixed", id="a majority has gone on over an absence"),
        pytest.param(20512, "partition", id="who is away is bound by a vote about the time before"),
    ],
)
def test_what_stood_still_once(seed: int, kind: str) -> None:
    report = run_seed(seed, kind)
    assert report.failure is None, "\n".join(report.told())
