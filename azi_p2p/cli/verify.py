"""`azi verify`: judge game files, and say what was checked and what is wrong with them.

What doesn't belong here: the judging itself (`azi_p2p.audit.verify`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from azi_p2p.audit.evidence import EvidenceVerdict, verify_evidence
from azi_p2p.audit.verify import Verdict, verify_ledger
from azi_p2p.cli.running import FINE, INCOMPLETE, INVALID, CommandFailed
from azi_p2p.crypto.identity import fingerprint
from azi_p2p.ui.i18n import Catalogue
from azi_p2p.ui.names import clean_chat, clean_name
from azi_p2p.wire.evidencefile import EVIDENCE_MAGIC

MAX_LEDGER = 512 * 1024 * 1024
"""Bytes of a file that is looked at; a ledger of a long evening has a few million."""


def run(texts: Catalogue, paths: Sequence[Path], *, json_out: bool) -> int:
    """Verify the files; gives the exit code: invalid before incomplete before fine. Raises CommandFailed."""
    files = [(path, read_ledger(texts, path)) for path in paths]
    if any(data.startswith(EVIDENCE_MAGIC) for _, data in files):
        return run_evidence(texts, files, json_out=json_out)
    verdicts = [(path, verify_ledger(data)) for path, data in files]
    if json_out:
        documents = [verdict.to_json() for _, verdict in verdicts]
        if len(documents) > 1:
            named = [{"file": str(path), **document} for (path, _), document in zip(verdicts, documents, strict=True)]
            print(json.dumps({"ledgers": named}))
        else:
            print(json.dumps(documents[0]))
    else:
        for path, verdict in verdicts:
            for line in verdict_lines(texts, path, verdict):
                print(line)
    return exit_code([verdict for _, verdict in verdicts])


def run_evidence(texts: Catalogue, files: Sequence[tuple[Path, bytes]], *, json_out: bool) -> int:
    """Judge evidence files: 0 if each proves a fault, 3 if any (or a ledger among them) proves nothing."""
    verdicts = [(path, verify_evidence(data)) for path, data in files]
    if json_out:
        named = [{"file": str(path), **verdict.to_json()} for path, verdict in verdicts]
        print(json.dumps({"evidence": named}))
    else:
        for path, verdict in verdicts:
            print(evidence_line(texts, path, verdict))
    return FINE if all(verdict.proven for _, verdict in verdicts) else INVALID


def evidence_line(texts: Catalogue, path: Path, verdict: EvidenceVerdict) -> str:
    """What an evidence file proves, in one paragraph: who, what, when."""
    message = clean_chat(verdict.message)
    if not verdict.proven or verdict.seat is None or verdict.key is None:
        return texts.text("verify.evidence.none", path=path, message=message)
    key = fingerprint(bytes.fromhex(verdict.key))
    return texts.text(
        "verify.evidence.proven",
        path=path,
        who=texts.text("verify.by", name=clean_name(verdict.name or "?"), seat=verdict.seat + 1, key=key),
        deal=verdict.deal,
        step=verdict.step,
        kinds=", ".join(verdict.types),
        message=message,
        code=verdict.code,
    )


def read_ledger(texts: Catalogue, path: Path) -> bytes:
    """The bytes of a file; raises CommandFailed where there is no such file or it can't be a ledger by its size."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_LEDGER + 1)
    except OSError as error:
        raise CommandFailed(texts.text("verify.unreadable", path=path, reason=error.strerror)) from error
    if len(data) > MAX_LEDGER:
        raise CommandFailed(texts.text("verify.too_large", path=path, most=MAX_LEDGER))
    return data


def exit_code(verdicts: Sequence[Verdict]) -> int:
    """3 if any ledger is invalid, else 4 if any is incomplete, else 0."""
    if not all(verdict.valid for verdict in verdicts):
        return INVALID
    return FINE if all(verdict.complete for verdict in verdicts) else INCOMPLETE


def verdict_lines(texts: Catalogue, path: Path, verdict: Verdict) -> list[str]:
    """A verdict for people: what the file is, who played, what was checked, what is wrong."""
    key = "verify.valid" if verdict.valid and verdict.complete else "verify.incomplete"
    lines = [texts.text(key if verdict.valid else "verify.invalid", path=path, deals=verdict.deals)]
    seats = [
        texts.text("reckon.part", name=clean_name(name or "?"), chips=texts.plural("table.chips", chips))
        for name, key_hex, chips in zip(verdict.names, verdict.seats, verdict.chips, strict=False)
        if key_hex is not None
    ]
    if seats:
        lines.append("  " + texts.text("verify.seats", seats=", ".join(seats)))
    if verdict.head:
        lines.append("  " + texts.text("verify.head", head=verdict.head))
    if any(verdict.checks.values()):
        counted = ", ".join(texts.text(f"verify.check.{name}", count=verdict.checks.get(name, 0)) for name in CHECKS)
        lines.append("  " + texts.text("verify.checks", checks=counted))
    for fault in verdict.faults:
        where = texts.text("verify.in_file") if fault.seat is None else seat_name(texts, verdict, fault.seat)
        if fault.deal is not None:
            where = texts.text("verify.place", who=where, deal=fault.deal, step=fault.step)
        lines.append("  " + texts.text("verify.fault", where=where, message=clean_chat(fault.message), code=fault.code))
    return lines


def seat_name(texts: Catalogue, verdict: Verdict, seat: int) -> str:
    """Who holds a seat: name, seat and fingerprint of the key, as far as the ledger says."""
    key = verdict.seats[seat] if seat < len(verdict.seats) else None
    if key is None:
        return texts.text("table.seat", seat=seat + 1)
    name = clean_name(verdict.names[seat] or "?")
    return texts.text("verify.by", name=name, seat=seat + 1, key=fingerprint(bytes.fromhex(key)))


CHECKS = ("signatures", "shuffles", "tokens", "void_proofs", "moves")
"""What a verdict counts, in the order in which it is told."""
