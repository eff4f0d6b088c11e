"""Every defence of the program, each as the mutant in which it is missing; one module for each family."""

from __future__ import annotations

from tests.mutants.catalogue import (
    bounds,
    codes,
    deals,
    equations,
    ledgers,
    links,
    messages,
    order,
    own,
    rosters,
    store,
    transcripts,
    values,
    votes,
)
from tests.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    *equations.MUTANTS,
    *transcripts.MUTANTS,
    *values.MUTANTS,
    *messages.MUTANTS,
    *deals.MUTANTS,
    *rosters.MUTANTS,
    *order.MUTANTS,
    *bounds.MUTANTS,
    *own.MUTANTS,
    *votes.MUTANTS,
    *ledgers.MUTANTS,
    *store.MUTANTS,
    *links.MUTANTS,
    *codes.MUTANTS,
)
"""All mutants, in the order in which they are run."""
