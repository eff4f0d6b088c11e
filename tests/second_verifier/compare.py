"""Both verifiers on the same bytes: they must give the same verdict.

Damaged copies of a ledger share most of their records, so the proofs (and the second verifier's signatures) that were
checked are remembered here: each is verified once by either verifier, whatever comes before and after it.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from azi_p2p.audit import onlooker
from azi_p2p.audit.evidence import verify_evidence
from azi_p2p.audit.verify import verify_ledger
from azi_p2p.session.jobs import Job, JobResult, run_job
from tests.second_verifier.theirs import load

theirs = load()
TOLD = ("valid", "complete", "deals", "head", "chips", "seats", "checks")


def disagreement(data: bytes) -> str:
    """What the two verifiers say differently of a file, or nothing."""
    ours, report = verify_ledger(data), theirs.verify(data)
    verdicts = ours.to_json(), report.as_json()
    told = TOLD if ours.valid and verdicts[1]["valid"] else ("valid",)
    if all(listed(verdicts[0][name]) == listed(verdicts[1][name]) for name in told):
        return ""
    reasons = "; ".join(f"{fault.code}: {fault.message}" for fault in ours.faults)
    states = [{name: verdict[name] for name in told} for verdict in verdicts]
    return f"ours {states[0]} ({reasons}), theirs {states[1]} ({report.message})"


def evidence_disagreement(data: bytes) -> str:
    """What the two verifiers say differently of an evidence file, or nothing."""
    ours = verify_evidence(data)
    said = (ours.code, ours.seat, ours.key, ours.deal, ours.step) if ours.proven else None
    try:
        fault = theirs.verify_evidence(data)
    except theirs.BadLedgerError as error:
        heard, message = None, str(error)
    else:
        heard, message = (fault.code, fault.seat, fault.key.hex(), fault.deal, fault.step), fault.message
    return "" if said == heard else f"ours {said} ({ours.message}), theirs {heard} ({message})"


def listed(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def is_valid(data: bytes) -> bool:
    """Whether the second verifier finds a file valid, complete or not."""
    return bool(theirs.verify(data).code != theirs.INVALID)


def _remembered(function: Any) -> Any:
    """A verifying function that does its work once for the same transcript and arguments."""
    held: set[object] = set()

    @functools.wraps(function)
    def remembering(t: Any, *arguments: Any) -> None:
        key = (t.hash.digest(), *(tuple(one) if isinstance(one, list) else one for one in arguments))
        if key not in held:
            function(t, *arguments)
            held.add(key)

    return remembering


@contextmanager
def memory() -> Iterator[None]:
    """Let both verifiers remember what they have found good."""
    results: dict[str, JobResult] = {}

    def run_once(job: Job) -> JobResult:
        key = hashlib.sha256(repr(job).encode()).hexdigest()
        if key not in results:
            results[key] = run_job(job)
        return results[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(onlooker, "run_job", run_once)
        for name in ("verify_ownership", "verify_shuffle", "verify_tokens", "verify_void"):
            patch.setattr(theirs, name, _remembered(getattr(theirs, name)))
        patch.setattr(theirs, "read_envelope", functools.lru_cache(maxsize=100_000)(theirs.read_envelope))
        yield
