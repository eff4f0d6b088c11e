"""Files that somebody made to confuse a verifier: both give the same verdict, and neither stumbles."""

from __future__ import annotations

import contextlib
import struct
from pathlib import Path
from typing import Any

import pytest

from azi_p2p.audit.evidence import verify_evidence
from azi_p2p.audit.verify import verify_ledger
from tests.second_verifier.compare import disagreement, evidence_disagreement, memory
from tests.second_verifier.forge import NOWHERE, ZERO, Forge, ForgedTable
from tests.second_verifier.test_agreement import program
from tests.second_verifier.theirs import ROOT, load

theirs = load()
VECTORS = ROOT / "protocol" / "vectors"
PARAMS = {
    **{"name": "k", "seats": 3, "hand_size": 3, "out_suit": "C", "ante": 1, "min_bid": 1, "start_chips": 100},
    **{"max_bids": 3, "opener_rule": "must_bid", "short_payout": "matched", "azi_replay": "all"},
    **{"promoted_six": False, "rebuy": False, "deal_limit": 1, "turn_seconds": 60},
}


class Evidence(Forge):
    """A table of three at which two votes enclose a message of the deck lane by a seat that owes none there.

    `kind` is its type. Where it isn't `ready`, seat 1 sits out, and so can't have owed anything; else seat 0 signs a
    shuffle when all have shuffled.
    """

    def __init__(self, kind: str, *, ready: bool) -> None:
        super().__init__(1, PARAMS, absence=0, records=1000)
        self.kind, self.ready, self.stage = kind, ready, 0

    def write_founding(self) -> None:
        founders = list(self.people.values())[:3]
        messages = [self.seat_message(founders[0], ZERO)]
        table = theirs.read_envelope(messages[0]).table
        messages += [self.seat_message(person, table) for person in founders[1:]]
        ids = [theirs.read_envelope(raw).id for raw in messages]
        for raw in (*messages, founders[0].sign(table, NOWHERE, "founding", {"seats": ids})):
            self.append(raw)

    def peek(self) -> Any:
        if self._next is None and self._end == len(self.data) and self.written:
            seat, place, types = self.table.awaited
            if types[0] == "vote" or (types == ("roster",) and self.table.phase == "open"):  # No further certificate.
                return theirs.Envelope(ZERO, self.table.id, ZERO, NOWHERE, "none", {})
            self.write_next(seat, place, types)
        return super().peek()

    def write_next(self, seat: int, place: Any, types: tuple[str, ...]) -> None:
        table = self.table
        if types == ("roster",):
            if self.ready:
                raise theirs.CutOffError
            zero, one = (self.people[table.keys[seat]] for seat in (0, 1))
            wishes = [self.request(zero, "return"), self.request(one, "return"), self.request(one, "sit_out")]
            self.append(self.person(seat).sign(table.id, place, "roster", {"requests": wishes}))
        elif self.stage == 0 and not self.ready:
            self.stage = 1
            self.certify(table.place(), 0)
            self.certify(table.place(), 1)
        elif self.stage == 2:
            raise theirs.CutOffError
        elif self.kind == types[0] and not self.ready:
            self.certify(place, 1, self.stray(1, place))
        elif types == ("open",):
            self.certify(table.lane.place, 0, self.stray(0, table.lane.place))
            self.certify(table.place(), 1)
        else:
            self.append(self.person(seat).sign(table.id, place, types[0], self.deck_body(seat, place, types[0])))

    def stray(self, seat: int, place: Any) -> bytes:
        self.stage = 2
        body: dict[str, Any] = {"key": theirs.G.data, "proof": bytes(64), "entropy": bytes(32)}
        if self.kind == "shuffle":
            body = {"deck": theirs.deck_bytes(self.table.lane.deck), "proof": b"x"}
        return self.person(seat).sign(self.table.id, place, self.kind, body)

    def certify(self, place: Any, seat: int, *evidence: bytes) -> None:
        body = {"lane": place.lane, "seat": seat, "round": 0, "verdict": "claim", "move": b""}
        for voter in self.table.roster()[:2]:
            vote = {**body, "evidence": list(evidence)}
            self.append(self.person(voter).sign(self.table.id, place._replace(lane="vote"), "vote", vote))


@pytest.mark.parametrize(("kind", "ready", "seat"), [("reveal", False, 1), ("shuffle", False, 1), ("shuffle", True, 0)])
def test_a_vote_encloses_a_message_of_a_seat_that_owes_none_in_the_deck_lane(kind: str, ready: bool, seat: int) -> None:
    forge = Evidence(kind, ready=ready)
    table = ForgedTable(forge)
    with pytest.MonkeyPatch.context() as patch, contextlib.suppress(theirs.CutOffError):
        patch.setattr(theirs.Table, "weigh_evidence", lambda *_: None)
        table.run()
    assert forge.stage == 2
    assert disagreement(forge.data) == ""
    ours, report = verify_ledger(forge.data), theirs.verify(forge.data)
    assert ours.valid
    assert [(fault.code, fault.seat) for fault in ours.faults] == [("not_your_turn", seat)]
    assert [(fault["code"], fault["seat"]) for fault in report.table.faults] == [("not_your_turn", seat)]


@pytest.mark.parametrize("path", sorted((VECTORS / "evidence").iterdir()), ids=lambda path: path.stem)
def test_what_counts_nowhere_in_an_evidence_file_changes_nothing(path: Path) -> None:
    params, proving, context = theirs.read_evidence(path.read_bytes())
    founded = 1 + next(at for at, raw in enumerate(context) if theirs.read_envelope(raw).type == "founding")
    start, rest = context[:founded], context[founded:]

    def written(records: list[bytes]) -> bytes:
        head = theirs.EVIDENCE_MAGIC + struct.pack(">I", len(params)) + params + bytes([len(proving)])
        return bytes(head + b"".join(struct.pack(">I", len(raw)) + raw for raw in (*proving, *start, *records)))

    with memory():
        for records in ([proving[0], *rest], [*rest, proving[0]], [b"no message", *rest], [*rest, *rest]):
            data = written(records)
            assert evidence_disagreement(data) == ""
            assert theirs.verify_evidence(data).code == theirs.verify_evidence(path.read_bytes()).code


def test_votes_that_lead_up_to_evidence_stand_as_in_a_ledger() -> None:
    """In another order they prove nothing, to either verifier."""
    data = (VECTORS / "evidence" / "shuffle-out-of-turn.azi-evidence").read_bytes()
    params, proving, context = theirs.read_evidence(data)
    founded = 1 + next(at for at, raw in enumerate(context) if theirs.read_envelope(raw).type == "founding")
    head = theirs.EVIDENCE_MAGIC + struct.pack(">I", len(params)) + params + bytes([len(proving)])
    records = (*proving, *context[:founded], *reversed(context[founded:]))
    turned = bytes(head + b"".join(struct.pack(">I", len(raw)) + raw for raw in records))
    with memory():
        assert verify_evidence(data).proven
        assert not verify_evidence(turned).proven
        assert evidence_disagreement(turned) == ""


def test_names_of_files_move_no_cursor(tmp_path: Path) -> None:
    ledger = (VECTORS / "ledgers" / "two-seats.azi").read_bytes()
    names = [b"\xff.azi", b"a\x1b[31m\nb: PROVEN.azi", "c\u202e.azi".encode()]
    paths = [Path(str(tmp_path)) / name.decode("utf-8", "surrogateescape") for name in names]
    for path in paths:
        path.write_bytes(ledger)
    answer = program(*paths, tmp_path / "no\x1b\u202e.azi")
    assert answer.returncode == 1
    assert [line.rpartition("/")[2] for line in answer.stdout.splitlines() if "deals closed" in line] == [
        "?.azi: valid and complete; deals closed: 1",
        "a?[31m?b: PROVEN.azi: valid and complete; deals closed: 1",
        "c?.azi: valid and complete; deals closed: 1",
    ]
    assert answer.stderr.rpartition("/")[2] == "no??.azi can't be read: No such file or directory\n"


def test_a_huge_file_that_is_no_game_is_not_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "huge.azi"
    with path.open("wb") as file:
        file.truncate(theirs.MAX_FILE + 1)  # A hole: it takes no room.
    answer = program(path)
    assert (answer.returncode, answer.stdout) == (1, "")
    assert answer.stderr.endswith(f"huge.azi is larger than {theirs.MAX_FILE} bytes, so it is no game file\n")


def test_a_file_that_is_too_large_is_refused_whatever_it_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(theirs, "MAX_FILE", 100)
    for begins in (b"", theirs.MAGIC, theirs.EVIDENCE_MAGIC):
        path = tmp_path / "large.azi"
        path.write_bytes(begins.ljust(101, b"\x00"))
        assert theirs.check_files([path], as_json=False) == 1
        assert "is larger than 100 bytes" in capsys.readouterr().err
        path.write_bytes(begins.ljust(100, b"\x00"))
        assert theirs.check_files([path], as_json=False) == 3
