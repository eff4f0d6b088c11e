"""Every defence of the program, each as the mutant in which it is missing; one module for each family."""

from __future__ import annotations

from tests.mutants.catalogue import deals, host, ledgers, messages, order, proofs, votes
from tests.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    *proofs.MUTANTS,
    *messages.MUTANTS,
    *deals.MUTANTS,
    *order.MUTANTS,
    *votes.MUTANTS,
    *ledgers.MUTANTS,
    *host.MUTANTS,
)
"""All mutants, in the order in which they are run."""
