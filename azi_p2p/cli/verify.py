"""`azi verify`: judge game files, and say what was checked and what is wrong with them.

What doesn't belong here: the judging itself (`azi_p2p.audit.verify`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from azi_p2p.audit.evidence import EvidenceVerdict, verify_evidence
from azi_p2p.audit.verify import Verdict, verify_ledger
from azi_p2p.cli.running import FAILED, FINE, INCOMPLETE, INVALID, CommandFailed, tell
from azi_p2p.crypto.identity import fingerprint
from azi_p2p.ui.i18n import Catalogue
from azi_p2p.ui.names import clean_chat, clean_name
from azi_p2p.wire.evidencefile import EVIDENCE_MAGIC

MAX_LEDGER = 512 * 1024 * 1024
"""Bytes of a file that is looked at; a ledger of a long evening has a few million."""


def run(texts: Catalogue, paths: Sequence[Path], *, json_out: bool) -> int:
    """Verify files, ledgers and evidence; gives the exit code.

    A file that can't be read keeps no other from being judged. Exit codes: 3 if any file is invalid or proves nothing,
    else 1 if any can't be read (told on stderr), else 4 if any ledger is incomplete, else 0. Raises CommandFailed where
    the only file can't be read.
    """
    ledgers: list[tuple[Path, Verdict]] = []
    proofs: list[tuple[Path, EvidenceVerdict]] = []
    unreadable: list[CommandFailed] = []
    for path in paths:
        try:
            data = read_ledger(texts, path)
        except CommandFailed as refused:
            unreadable.append(refused)
            continue
        if data.startswith(EVIDENCE_MAGIC):
            proofs.append((path, verify_evidence(data)))
            lines = [evidence_line(texts, *proofs[-1])]
        else:
            ledgers.append((path, verify_ledger(data)))
            lines = verdict_lines(texts, *ledgers[-1])
        if not json_out:
            print("\n".join(lines))
    if unreadable and len(paths) == 1:
        raise unreadable[0]
    if json_out:
        print(json.dumps(document(ledgers, proofs, alone=len(paths) == 1)))
    for failure in unreadable:
        tell(texts.text("cli.error.failed", message=failure.message))
    return exit_code(ledgers, proofs, unreadable)


def document(
    ledgers: Sequence[tuple[Path, Verdict]], proofs: Sequence[tuple[Path, EvidenceVerdict]], *, alone: bool
) -> dict[str, object]:
    """The answer in JSON: the verdict itself for a ledger alone, else lists of both kinds with the files' names."""
    if alone and ledgers:
        return ledgers[0][1].to_json()
    found: dict[str, object] = {}
    if ledgers or not proofs:
        found["ledgers"] = [{"file": str(path), **verdict.to_json()} for path, verdict in ledgers]
    if proofs:
        found["evidence"] = [{"file": str(path), **verdict.to_json()} for path, verdict in proofs]
    return found


def exit_code(
    ledgers: Sequence[tuple[Path, Verdict]],
    proofs: Sequence[tuple[Path, EvidenceVerdict]],
    unreadable: Sequence[CommandFailed],
) -> int:
    """What is worst of all files; see `run`."""
    if not all(verdict.valid for _, verdict in ledgers) or not all(verdict.proven for _, verdict in proofs):
        return INVALID
    if unreadable:
        return FAILED
    return FINE if all(verdict.complete for _, verdict in ledgers) else INCOMPLETE


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
        what=breach(texts, verdict.code, message),
        message=detail(verdict.code, message),
        code=verdict.code,
    )


def breach(texts: Catalogue, code: str, message: str) -> str:
    """What a fault with this code is, in words for players; the protocol's own message where there are none."""
    key = f"verify.breach.{code}"
    return texts.text(key) if texts.has(key) else message


def detail(code: str, message: str) -> str:
    """The protocol's own message, without the code that the rules put before it."""
    return message.removeprefix(f"{code}: ")


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


def verdict_lines(texts: Catalogue, path: Path, verdict: Verdict) -> list[str]:
    """A verdict for people: what the file is, who played, what was checked, what is wrong."""
    if not verdict.valid and verdict.faults[0].code in NO_LEDGER:
        fault = verdict.faults[0]
        return [texts.text("verify.no_ledger", path=path, message=clean_chat(fault.message), code=fault.code)]
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
        message = detail(fault.code, clean_chat(fault.message))
        lines.append("  " + texts.text("verify.fault", where=where, message=message, code=fault.code))
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

NO_LEDGER = ("not_a_ledger", "not_founded")
"""Faults of a file in which no game has begun: there is nothing else to tell of it."""
