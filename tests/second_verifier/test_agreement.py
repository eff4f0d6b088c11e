"""Two verifiers that share nothing but the specification give the same verdicts, on sound and on spoilt ledgers.

More of the same, with other seeds: `python -m tests.second_verifier --ledgers N`.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from azi_p2p.audit.verify import verify_ledger
from azi_p2p.rules import Params
from tests.second_verifier.collusion import LIES, lying_ledger
from tests.second_verifier.compare import disagreement, is_valid, memory
from tests.second_verifier.damage import damaged, headers, join, lies, split
from tests.second_verifier.forge import forge_ledger
from tests.second_verifier.theirs import PROGRAM, ROOT, load
from tests.session.harness import NAMES, all_ended, make_me, table_of

theirs = load()
FOLDER = ROOT / "protocol" / "vectors" / "ledgers"
LEDGERS = [path for path in sorted(FOLDER.glob("*.azi")) if path.stat().st_size < 70_000]
# Of each lie a seed at which it matters, and that is quick to forge.
SEEDS = {
    "wrong_payout": 2,
    "stakes_never_returned": 3,
    "lowest_card_wins": 1,
    "no_ante": 1,
    "opener_chosen": 1,
    "other_trump": 1,
    "suit_not_followed": 3,
    "bids_below_the_least": 14,
    "ended_too_soon": 1,
    "never_over": 1,
    "standings_by_seat": 3,
    "chips_for_nothing": 20,
    "certified_by_too_few": 12,
    "absent_seat_stays": 0,
    "breaker_pays_nothing": 11,
    "pot_left_lying": 3,
    "deck_with_two_aces": 1,
    "other_generators": 1,
    "old_head": 1,
    "state_without_stakes": 1,
}


@pytest.fixture
def _remembering() -> Iterator[None]:
    with memory():
        yield


@pytest.mark.parametrize("path", LEDGERS, ids=lambda path: path.stem)
@pytest.mark.usefixtures("_remembering")
def test_the_ledgers_of_the_vectors_are_the_same_to_both(path: Path) -> None:
    data = path.read_bytes()
    assert disagreement(data) == ""
    ours, report = verify_ledger(data), theirs.verify(data).as_json()
    assert ours.complete
    assert [(fault.seat, fault.code) for fault in ours.faults] == [
        (one["seat"], one["code"]) for one in report["faults"]
    ]


@pytest.mark.usefixtures("_remembering")
def test_a_ledger_cannot_break_off_in_a_certificate_about_an_attempt_to_come() -> None:
    """Half of a certificate is judged like a whole one: there must be a place for it."""
    header, raws = split((FOLDER / "attempts.azi").read_bytes())
    at = next(i for i, raw in enumerate(raws) if theirs.read_envelope(raw).type == "vote")
    begun = join(header, raws[: at + 1])
    assert disagreement(begun) == ""
    assert is_valid(begun)
    payload = theirs.unpack(theirs.unpack(raws[at])[0])
    voter = next(one for one in (make_me(name, 6).identity for name in NAMES) if one.public == payload["author"])
    payload["attempt"] += 1
    later = theirs.pack(payload)
    signed = theirs.pack([later, voter.sign(b"azi/1 envelope", later)])
    bad = join(header, [*raws[:at], signed])
    assert not is_valid(bad)
    assert disagreement(bad) == ""


def test_a_table_of_our_own_sessions_is_found_complete() -> None:
    network = table_of(3, Params(seats=3, deal_limit=1), seed=81)
    network.run(lambda: all_ended(network))
    data = network.peers[0].ledger
    assert theirs.verify(data).code == theirs.VALID
    assert disagreement(data) == ""


@pytest.mark.parametrize("seed", [3, 10, 19, 20, 34, 48, 52, 113, 160])
@pytest.mark.usefixtures("ideal_cryptography", "_remembering")
def test_whatever_a_table_may_do_is_valid_to_both(seed: int) -> None:
    data, complete, _ = forge_ledger(seed, records=60)
    assert theirs.verify(data).code == (theirs.VALID if complete else theirs.INCOMPLETE)
    assert disagreement(data) == ""


@pytest.mark.usefixtures("_remembering")
def test_who_finishes_while_a_pot_is_carried_takes_the_stake_home() -> None:
    data, complete, table = forge_ledger(302, records=70)
    assert complete
    assert table.reason == "finish"
    assert any(table.game.deal.stakes)
    assert sum(table.game.chips) == sum(line["chips"] for line in table.last_words()["standings"])
    assert disagreement(data) == ""


@pytest.mark.parametrize("seed", [1, *(pytest.param(s, marks=pytest.mark.long) for s in (57, 104))])
@pytest.mark.usefixtures("_remembering")
def test_a_damaged_or_changed_ledger_is_judged_alike(seed: int) -> None:
    data, _, table = forge_ledger(seed, records=60)
    chance = random.Random(seed)
    spoilt = [*damaged(data, chance, 12), *headers(data), *lies(data, table.records.people, chance, 20)]
    differences = [f"{name}: {said}" for name, bad in spoilt if (said := disagreement(bad))]
    assert differences == []
    assert sum(not is_valid(bad) for _, bad in spoilt) > 25


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
@pytest.mark.usefixtures("ideal_cryptography")
def test_what_all_seats_agree_to_is_refused_all_the_same(lie: Callable[[pytest.MonkeyPatch], None]) -> None:
    """A lie doesn't matter in every game: the seeds from the one listed on are tried until it does."""
    first = SEEDS[lie.__name__]
    for seed in range(first, first + 12):
        data = lying_ledger(lie, seed)
        assert disagreement(data) == "", seed
        if theirs.verify(data).code == theirs.INVALID:
            return
    pytest.fail("the lie never mattered")


def test_signatures_at_the_edges_hold_or_fall_as_frozen() -> None:
    vectors = ROOT / "tests" / "vectors"
    cases = json.loads((vectors / "ed25519-edge-cases.json").read_text())
    frozen = json.loads((vectors / "ed25519-answers.json").read_text())

    def refuses(check: Callable[..., object], *arguments: bytes) -> bool:
        try:
            check(*arguments)
        except theirs.BadLedgerError:
            return True
        return False

    keys = {case["key"] for case in cases}
    assert sorted(key for key in keys if refuses(theirs.ed25519_key, bytes.fromhex(key))) == frozen["refused_keys"]
    good = [case for case in cases if case["key"] not in frozen["refused_keys"]]
    holding = [
        case["number"]
        for case in good
        if not refuses(
            theirs.verify_ed25519, bytes.fromhex(case["key"]), bytes.fromhex(case["sig"]), case["msg"].encode()
        )
    ]
    assert holding == frozen["holding_signatures"]


def program(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", str(PROGRAM), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_program_alone_answers_by_its_exit_code(tmp_path: Path) -> None:
    whole = FOLDER / "two-seats.azi"
    cut, wrong = tmp_path / "cut.azi", tmp_path / "wrong.azi"
    cut.write_bytes(whole.read_bytes()[:-1])
    wrong.write_bytes(whole.read_bytes()[:-1] + b"\x00")
    codes = [program(*paths).returncode for paths in ([whole], [cut], [cut, wrong], [tmp_path / "none.azi"], [])]
    assert codes == [0, 4, 3, 1, 2]
    answer = program("--json", whole)
    assert json.loads(answer.stdout) == json.loads(json.dumps(verify_ledger(whole.read_bytes()).to_json()))
    assert answer.stderr == ""
    assert program(wrong).stdout.count("\n") == 1


LARGE = ("ledgers", "shuffle", "evidence")
"""Vectors that take half a minute and more."""


@pytest.mark.long
@pytest.mark.timeout(900)
def test_the_program_reproduces_all_vectors() -> None:
    answer = program("--vectors", ROOT / "protocol" / "vectors")
    assert answer.returncode == 0, answer.stdout


def test_the_program_reproduces_the_vectors(tmp_path: Path) -> None:
    """All but large ones."""
    folder = tmp_path / "vectors"
    folder.mkdir()
    (tmp_path / "scenarios").symlink_to(ROOT / "protocol" / "scenarios")
    (folder / "evidence").symlink_to(ROOT / "protocol" / "vectors" / "evidence")
    for path in (ROOT / "protocol" / "vectors").glob("*.json"):
        if path.stem not in LARGE:
            (folder / path.name).symlink_to(path)
    answer = program("--vectors", folder)
    assert answer.returncode == 0, answer.stdout
    assert len(answer.stdout.splitlines()) >= 18
