"""`azi verify`: judge game files, and say what was checked and what is wrong with them.

What doesn't belong here: the judging itself (`azi_p2p.audit.verify`), and on how many cores (`verify_files`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from azi_p2p.audit.evidence import EvidenceVerdict, verify_evidence
from azi_p2p.audit.verify import LedgerFault, Verdict
from azi_p2p.cli.running import FAILED, FINE, INCOMPLETE, INVALID, CommandFailed, tell
from azi_p2p.cli.verify_files import Judging, opened_ledger
from azi_p2p.crypto.identity import fingerprint
from azi_p2p.session.closing import Reckoning
from azi_p2p.ui.i18n import Catalogue
from azi_p2p.ui.names import clean_chat, clean_name
from azi_p2p.wire.evidencefile import EVIDENCE_MAGIC


def run(texts: Catalogue, paths: Sequence[Path], *, json_out: bool) -> int:
    """Verify files, ledgers and evidence; gives the exit code.

    A file that can't be read keeps no other from being judged. Exit codes: 3 if any file is invalid or proves nothing,
    else 1 if any can't be read (told on stderr), else 4 if any ledger is incomplete, else 0. Raises CommandFailed where
    the only file can't be read.
    """
    ledgers: list[tuple[Path, Verdict]] = []
    proofs: list[tuple[Path, EvidenceVerdict]] = []
    unreadable: list[CommandFailed] = []
    with Judging(silent=json_out) as judging:
        for path in paths:
            try:
                with opened_ledger(texts, path) as file:
                    if file.read(len(EVIDENCE_MAGIC)).startswith(EVIDENCE_MAGIC[:-1]):  # of another version too
                        file.seek(0)
                        proofs.append((path, verify_evidence(file.read())))
                        lines = [evidence_line(texts, *proofs[-1])]
                    else:
                        ledgers.append((path, judging.verify(file, clean_name(path.name))))
                        lines = verdict_lines(texts, *ledgers[-1])
            except CommandFailed as refused:
                unreadable.append(refused)
                continue
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
    message = message_of(verdict)
    if not verdict.proven or verdict.seat is None or verdict.key is None:
        what = texts.text(f"verify.evidence.{_why_nothing(verdict.message)}")
        return texts.text("verify.evidence.none", path=path, what=what, message=message)
    key = fingerprint(bytes.fromhex(verdict.key))
    return texts.text(
        "verify.evidence.proven",
        path=path,
        who=texts.text("verify.by", name=clean_name(verdict.name or "?"), seat=verdict.seat + 1, key=key),
        deal=verdict.deal,
        step=verdict.step,
        what=breach(texts, verdict.code, message),
        signed=", ".join(texts.text(f"verify.signed.{kind}") for kind in verdict.types),
        message=message,
        code=verdict.code,
    )


def _why_nothing(message: str) -> str:
    """The kind of reason for which an evidence file proves nothing, of the verifier's own message."""
    return next((kind for kind, beginning in PROVES_NOTHING.items() if message.startswith(beginning)), "damaged")


def breach(texts: Catalogue, code: str, message: str) -> str:
    """What a fault with this code is, in words for players; the protocol's own message where there are none."""
    key = f"verify.breach.{code}"
    return texts.text(key) if texts.has(key) else message


def message_of(fault: LedgerFault | EvidenceVerdict) -> str:
    """The protocol's own message, without the code that the rules put before it."""
    return clean_chat(fault.message).removeprefix(f"{fault.code}: ")


def verdict_lines(texts: Catalogue, path: Path, verdict: Verdict) -> list[str]:
    """A verdict for people: what the file is, who had what, what was checked, who broke the rules."""
    proven = list(verdict.faults)
    if verdict.complete:
        lines = [texts.text("verify.valid", path=path, deals=texts.plural("verify.deals", verdict.deals))]
    elif verdict.valid:
        key = "verify.added_to" if verdict.ended else "verify.incomplete"
        lines = [texts.text(key, path=path, deals=verdict.deals)]
    else:
        flaw, *proven = verdict.faults
        by = next((fault for fault in proven if _is_of(flaw, fault)), None)
        words = {"message": message_of(flaw if by is None else by), "code": flaw.code}
        if flaw.code in NO_LEDGER:
            what = texts.text(f"verify.flaw.{flaw.code}")
            return [texts.text("verify.no_ledger", path=path, what=what, **words)]
        what = flaw_words(texts, verdict, flaw, by)
        lines = [texts.text("verify.invalid", path=path, what=what, deals=verdict.deals, **words)]
        proven = [fault for fault in proven if fault is not by]
    seats = _chips(texts, verdict, verdict.chips)
    if seats:
        key = "verify.seats_at_end" if verdict.ended else "verify.seats"
        lines.append("  " + texts.text(key, seats=seats))
    if verdict.unconfirmed is not None and verdict.unconfirmed.chips != verdict.chips:
        lines.append("  " + _unconfirmed(texts, verdict, verdict.unconfirmed))
    if verdict.valid:
        signers = [seat_name(texts, verdict, seat) for seat, key in enumerate(verdict.seats) if key is not None]
        lines.append("  " + texts.text("verify.keys", seats=", ".join(signers)))
        lines.append("  " + texts.text("verify.head", head=verdict.head))
    if any(verdict.checks.values()):
        counted = ", ".join(texts.plural(f"verify.check.{name}", verdict.checks.get(name, 0)) for name in CHECKS)
        lines.append("  " + texts.text("verify.checks", checks=counted))
    for fault in proven:
        assert fault.seat is not None, "what is proven is proven of somebody"
        message = message_of(fault)
        told = texts.text(
            "verify.fault",
            who=seat_name(texts, verdict, fault.seat),
            deal=fault.deal,
            step=fault.step,
            what=breach(texts, fault.code, message),
            message=message,
            code=fault.code,
        )
        lines.append("  " + told)
    return lines


def _chips(texts: Catalogue, verdict: Verdict, chips: Sequence[int]) -> str:
    """What everybody has, by name; empty where there is nobody."""
    return ", ".join(
        texts.text("verify.seat", name=clean_name(name or "?"), chips=have)
        for name, key_hex, have in zip(verdict.names, verdict.seats, chips, strict=False)
        if key_hex is not None
    )


def _unconfirmed(texts: Catalogue, verdict: Verdict, reckoning: Reckoning) -> str:
    """What everybody would get if the table were closed where the file stops."""
    seats = _chips(texts, verdict, reckoning.chips)
    if reckoning.absent is None:
        return texts.text("verify.unconfirmed", seats=seats)
    name = clean_name(verdict.names[reckoning.absent] or "?")
    return texts.text("verify.unconfirmed_absent", seats=seats, name=name)


def flaw_words(texts: Catalogue, verdict: Verdict, flaw: LedgerFault, by: LedgerFault | None) -> str:
    """What makes a ledger invalid, and where; `by`: the breach that it takes for good, if that is what is wrong."""
    if by is None or by.seat is None:
        what = texts.text(f"verify.flaw.{flaw.code}")
    else:
        who = seat_name(texts, verdict, by.seat)
        what = texts.text("verify.flaw_by", who=who, what=breach(texts, by.code, message_of(by)))
    if flaw.deal is None:
        return what
    if flaw.deal == 0:
        return texts.text("verify.before_deals", what=what)
    return texts.text("verify.at", deal=flaw.deal, step=flaw.step, what=what)


def _is_of(flaw: LedgerFault, fault: LedgerFault) -> bool:
    """Whether a flaw of the file is this breach, taken for good by it."""
    same_place = (flaw.code, flaw.deal, flaw.step) == (fault.code, fault.deal, fault.step)
    return same_place and flaw.message.endswith(fault.message)


def seat_name(texts: Catalogue, verdict: Verdict, seat: int) -> str:
    """Who holds a seat: name, seat and fingerprint of the key, as far as the ledger says."""
    key = verdict.seats[seat] if seat < len(verdict.seats) else None
    if key is None:
        return texts.text("table.seat", seat=seat + 1)
    name = clean_name(verdict.names[seat] or "?")
    return texts.text("verify.by", name=name, seat=seat + 1, key=fingerprint(bytes.fromhex(key)))


CHECKS = ("signatures", "shuffles", "tokens", "void_proofs", "moves")
"""What a verdict counts, in the order in which it is told."""

PROVES_NOTHING = {
    "innocent": ("these messages, at this place, break no rule",),
    "context": ("the file doesn't hold the founding", "what leads up to the evidence"),
}
"""How the verifier's messages begin about evidence that can be read; all others are about what can't."""

NO_LEDGER = ("not_a_ledger", "not_founded")
"""Faults of a file in which no game has begun: there is nothing else to tell of it."""
