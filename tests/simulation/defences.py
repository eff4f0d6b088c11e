"""Which seed fails when a defence of the session is taken out: `python -m tests.simulation --without-defences`.

What each defence is, and how it is taken out, stands in the catalogue of `tests.mutants` under the same name. Here
stands the quickest seed known to fail without it; each is run with the defence first, and must hold then.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from tests.mutants.running import ROOT


@dataclass(frozen=True, slots=True)
class Defence:
    """A defence by its name in the catalogue, and the kind and seed that fail without it."""

    name: str
    kind: str
    seed: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a seed with the defence and without. `why`: the failure without it; empty if there was none."""

    defence: Defence
    holds_with: bool
    why: str

    @property
    def needed(self) -> bool:
        """Whether the seed shows that the defence is needed."""
        return self.holds_with and bool(self.why)


DEFENCES = (
    Defence("two moves for one slot", "two legal ones", 0),
    Defence("equivocation that is not claimed", "two legal ones", 0),
    Defence("certificates that are not acted on", "two legal ones", 0),
    Defence("certificates against what is closed", "a stale claim after a won deal", 0),
    Defence("certificates of a minority", "partition", 11),
    Defence("certificates that stand though they were outvoted", "slowness", 9),
    Defence("acks that bind nobody", "slowness", 5014),
    Defence("a journal that isn't read", "mixed", 342),
    Defence("envelopes sent before they are in the journal", "mixed", 342),
    Defence("what own messages build on isn't in the journal", "crashes", 3),
    Defence("claims without their evidence", "an illegal move to one peer and a legal one to another", 0),
    Defence("opens signed without the deck in the journal", "mixed", 20535),
    Defence("seats that are away vote no more", "partition", 20512),
    Defence("claims before the time is up", "a move within the grace", 0),
    Defence("claims without a grace", "a move within the grace", 0),
    Defence("claims by who has no link", "the switch is off", 0),
    Defence("claims by who has just come back", "the switch is off", 0),
    Defence("secrets that aren't in the journal", "a crash with the cards dealt", 0),
    Defence("secrets of closed deals stay in the journal", "a late move with split votes", 0),
    Defence("speaking before a majority has told", "copies", 101),
    Defence("votes by the least that is held", "a late move with split votes", 0),
    Defence("acks of who knows of the fault", "two legal ones", 0),
    Defence("steps written before anybody has acked them", "an illegal move to one peer and a legal one to another", 0),
    Defence("an ante that was claimed too late stays undone", "equivocating", 40245),
    Defence("only what still waits shows that a majority has gone on", "equivocating", 41383),
    Defence("absences break the way to what a majority has signed", "mixed", 40930),
    Defence("an end in order is not heard after another message for its slot", "equivocating", 50161),
)


def try_without(defence: Defence) -> Outcome:
    """Run the seed with the defence and without it, each in a process of its own."""
    seed = ["--seeds", "1", "--start", str(defence.seed), "--kind", defence.kind]
    whole = _run(["tests.simulation", *seed])
    less = _run(["tests.simulation.without", defence.name, *seed])
    why = ""
    if less.returncode == 1:
        said = [*less.stdout.splitlines()[:1], *less.stderr.splitlines()[-1:]]
        why = said[0] if said else "no answer"
    return Outcome(defence, whole.returncode == 0, why)


def _run(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True, check=False, timeout=600
    )


def try_all() -> Iterator[Outcome]:
    """All defences that have a seed."""
    return map(try_without, DEFENCES)
