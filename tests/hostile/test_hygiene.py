"""Where secrets may be: in the key file, in the journal until their deal has closed, and nowhere else.

Identity seeds, deal secrets and passphrases are looked for in everything that others could come to see: ledgers,
messages, logs at their most talkative, tracebacks, command lines and environments of processes.
"""

from __future__ import annotations

import asyncio
import base64
import logging
import os
import stat
import subprocess
import sys
import traceback
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from azi_p2p.session.jobs import MakePlay, MakeTokens, MaskedCard
from azi_p2p.session.own import SecretRecord
from azi_p2p.session.playstate import PlayPhase
from azi_p2p.store import journal
from azi_p2p.store.profile import change_passphrase, read_identity
from azi_p2p.wire.codec import decode
from tests.net.conftest import in_loop
from tests.net.test_peer import params, table
from tests.session.harness import Network, Peer, all_ended, memory_of, table_of

posix_only = pytest.mark.skipif(os.name != "posix", reason="looks at modes, /proc and file descriptors")
linux_only = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at processes under /proc")

WORDS = "three blind mice"


def forms(secret: bytes) -> list[bytes]:
    """How a secret may look when it gets out."""
    number = [str(int.from_bytes(secret, order)).encode() for order in ("little", "big")]
    plain = [secret, secret.hex().encode(), base64.b64encode(secret)[:40], repr(secret).encode()[2:-1]]
    return [*plain, *number]


def assert_clean(secrets: Iterable[bytes], **places: bytes) -> None:
    """None of these secrets is in any of these places, in any form."""
    secrets = list(secrets)
    assert secrets
    for name, data in places.items():
        for secret in secrets:
            for form in forms(secret):
                assert form not in data, f"a secret is in the {name}"


class Kept:
    """The deal secrets that journals of this process are given."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.secrets: list[bytes] = []
        append = journal.Journal.append

        def watch(this: journal.Journal, records: Iterable[tuple[str, bytes]]) -> None:
            records = list(records)
            self.secrets += [decode(raw, SecretRecord, limit=4096).secret for kind, raw in records if kind == "secret"]
            append(this, records)

        monkeypatch.setattr(journal.Journal, "append", watch)


def files_of(folders: Sequence[Path], pattern: str) -> list[Path]:
    return [path for folder in folders for path in sorted(folder.rglob(pattern))]


@in_loop
async def test_nothing_gets_out_while_a_table_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """Logs at DEBUG, ledgers, output; and when the table has ended, the journals hold no secret any more."""
    kept = Kept(monkeypatch)
    caplog.set_level(logging.DEBUG)
    async with table(tmp_path, 2, params(2)) as seats:
        results = [await seat.task for seat in seats]
    assert all(result.ended for result in results)
    folders = [seat.folder for seat in seats]
    seeds = [read_identity(folder).open(None).seed for folder in folders]
    assert len(kept.secrets) >= 4
    output = capfd.readouterr()
    assert "azi" in caplog.text, "there is a log to look at"
    assert_clean(
        kept.secrets + seeds,
        log=caplog.text.encode(),
        output=(output.out + output.err).encode(),
        ledgers=b"".join(path.read_bytes() for path in files_of(folders, "*.azi")),
        envelopes=b"".join(path.read_bytes() for path in files_of(folders, "*.envelopes")),
        reprs=repr(results).encode(),
    )
    for path in files_of(folders, "*.secrets"):
        assert path.read_bytes() == journal.MAGIC, "the secrets of closed deals are erased"


@posix_only
@in_loop
async def test_secret_files_are_their_owners_alone(tmp_path: Path) -> None:
    previous = os.umask(0)
    try:
        async with table(tmp_path, 2, params(2, deals=1)) as seats:
            for seat in seats:
                await seat.task
    finally:
        os.umask(previous)
    folders = [seat.folder for seat in seats]
    private = [path for pattern in ("identity.key", "*.secrets", "*.envelopes") for path in files_of(folders, pattern)]
    assert len(private) == 6
    assert {stat.S_IMODE(path.stat().st_mode) for path in private} == {0o600}


def test_memory_holds_no_secret_of_a_closed_deal() -> None:
    """Closed it is once a majority has signed on top of its receipts: at the latest with the antes of the next."""
    network: Network = table_of(3, params(3, deals=2), 4)

    def plays_the_second(peer: Peer) -> bool:
        lanes = peer.table.lanes
        return lanes is not None and (lanes.play.deal, lanes.play.phase) == (2, PlayPhase.ACT)

    network.run(lambda: all(map(plays_the_second, network.peers)))
    for peer in network.peers:
        own = peer.table._own
        assert own is not None
        assert {secret.deal for secret in own._secrets.values()} <= {2, 3}
    network.run(lambda: all_ended(network))
    for peer in network.peers:
        own = peer.table._own
        assert own is not None
        assert not own._secrets
        assert own._hand is None
        assert [entry.kind for entry in peer.journal if entry.kind != "envelope"][-1] == "erase"


def test_whatever_holds_a_secret_does_not_show_it() -> None:
    """Logs, tracebacks and failed assertions show the repr of what they are about."""
    network: Network = table_of(3, params(3), 4)
    network.run(lambda: any(o.do == "play" for peer in network.peers for o in peer.table.view().legal))
    for peer in network.peers:
        own, lanes = peer.table._own, peer.table.lanes
        assert own is not None
        assert lanes is not None
        records = [entry.record for entry in peer.journal if entry.kind == "secret"]
        secrets = list(own._secrets.values())
        assert secrets
        assert records
        base, context = secrets[0].key, lanes.play.context(0)
        makers = [
            MakeTokens(secrets[0].x, secrets[0].key, (base,), context, os.urandom),
            MakePlay(secrets[0].x, secrets[0].key, 0, "AS", MaskedCard(base, base), {}, (base,), context, os.urandom),
        ]
        holders = [secrets, makers, peer.journal, memory_of(peer.journal), own.me, own]
        holders += [decode(record, SecretRecord, limit=4096) for record in records]
        hidden = [own.me.identity.seed, *records, *(secret.x for secret in secrets)]
        for number, holder in enumerate(holders):
            assert_clean(hidden, **{f"repr of {type(holder).__name__} {number}": repr(holder).encode()})


@in_loop
async def test_a_crash_tells_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A fault of our own amid secrets: neither its traceback nor the log has any of them."""
    kept = Kept(monkeypatch)
    caplog.set_level(logging.DEBUG)

    def fail(job: MakeTokens) -> None:
        raise RuntimeError(f"a fault of our own, with {job!r}")

    monkeypatch.setattr(MakeTokens, "run", fail)
    async with table(tmp_path, 2, params(2)) as seats:
        done, _ = await asyncio.wait([seat.task for seat in seats], return_when=asyncio.FIRST_COMPLETED)
        error = next(iter(done)).exception()
    assert isinstance(error, RuntimeError)
    told = "".join(traceback.format_exception(error))
    assert "a fault of our own" in told
    seeds = [read_identity(seat.folder).open(None).seed for seat in seats]
    assert_clean(kept.secrets + seeds, traceback=told.encode(), log=caplog.text.encode())


@linux_only
def test_other_processes_see_no_secret(tmp_path: Path) -> None:
    """Command lines and environments of peers at play; a passphrase comes by a file descriptor and isn't there."""
    from tests.hostile.playing import PlayingTable

    with PlayingTable(tmp_path, passphrase=WORDS) as playing:
        seeds = [read_identity(tmp_path / name).open(lambda: WORDS).seed for name in ("host", "join")]
        assert read_identity(tmp_path / "host").locked
        raw = [path.read_bytes() for path in files_of([tmp_path], "*.secrets")]
        assert any(len(data) > len(journal.MAGIC) for data in raw), "a deal is being played"
        for process in playing.processes:
            seen = {name: Path(f"/proc/{process.pid}/{name}").read_bytes() for name in ("cmdline", "environ")}
            assert_clean([*seeds, WORDS.encode()], **seen)


# The passphrase of a key


def azi(*arguments: str, lines: str = "", fd: bool = True) -> subprocess.CompletedProcess[str]:
    """Run a command with these lines on a file descriptor that AZI_PASSPHRASE_FD names."""
    reading, writing = os.pipe()
    os.write(writing, lines.encode())
    os.close(writing)
    try:
        return subprocess.run(
            [sys.executable, "-m", "azi_p2p", *arguments, "--lang", "en"],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            pass_fds=[reading],
            env={**os.environ, **({"AZI_PASSPHRASE_FD": str(reading)} if fd else {})},
            check=False,
        )
    finally:
        os.close(reading)


@posix_only
def test_scripts_give_the_passphrase_by_a_file_descriptor(tmp_path: Path) -> None:
    profile = ["--profile", str(tmp_path)]
    first = azi("id", "--passphrase", *profile, lines=f"{WORDS}\n")
    assert first.returncode == 0, first.stderr
    assert read_identity(tmp_path).locked
    seed = read_identity(tmp_path).open(lambda: WORDS).seed
    changed = azi("id", "--passphrase", *profile, lines=f"{WORDS}\nother words\n")
    assert changed.returncode == 0, changed.stderr
    assert read_identity(tmp_path).open(lambda: "other words").seed == seed
    shown = azi("id", "--json", *profile, fd=False)
    assert shown.returncode == 0, "the public half needs no passphrase"
    for run in (first, changed, shown):
        assert_clean([seed, WORDS.encode()], output=(run.stdout + run.stderr).encode())


@posix_only
@pytest.mark.parametrize(
    ("lines", "fd", "said"),
    [
        ("wrong words\n", True, "not the passphrase"),
        ("", False, "no terminal to ask at"),
    ],
)
def test_without_its_passphrase_a_key_plays_nowhere(tmp_path: Path, lines: str, fd: bool, said: str) -> None:
    assert azi("id", "--profile", str(tmp_path)).returncode == 0
    change_passphrase(tmp_path, lambda: "", WORDS)
    run = azi("host", "--bot", "easy", "--loopback", "--profile", str(tmp_path), lines=lines, fd=fd)
    assert run.returncode == 1
    assert said in run.stderr
    assert run.stderr.count("\n") == 1


@posix_only
def test_a_passphrase_that_is_too_short_changes_nothing(tmp_path: Path) -> None:
    run = azi("id", "--passphrase", "--profile", str(tmp_path), lines="short\n")
    assert run.returncode == 1
    assert "at least 8" in run.stderr
    assert not read_identity(tmp_path).locked


@posix_only
def test_at_a_terminal_it_is_asked_for_and_not_shown(tmp_path: Path) -> None:
    from tests.e2e.terminal import Terminal

    for words in ((WORDS, WORDS), (WORDS, "other words", "other words")):
        with Terminal("id", "--passphrase", "--profile", str(tmp_path), "--lang", "en") as terminal:
            for word in words:
                terminal.expect("New passphrase|once more|Passphrase of your key")
                terminal.type(word)
            assert terminal.wait() == 0
            assert not any(word in terminal.output for word in words)
    assert read_identity(tmp_path).open(lambda: "other words").public


AFTER_MAIN = """
import atexit, resource, sys
atexit.register(lambda: print(resource.getrlimit(resource.RLIMIT_CORE)[0]))
sys.argv = ["azi", "--version"]
from azi_p2p.cli.main import main
main()
"""


@posix_only
def test_a_crash_writes_no_memory_to_disk() -> None:
    """The limit of core dumps is 0 for `azi` and its children, where the system would have allowed them."""
    allowed = f"ulimit -S -c 100; exec {sys.executable} -c '{AFTER_MAIN}'"
    shell = ["sh", "-c", "ulimit -H -c unlimited 2>/dev/null; " + allowed]
    ran = subprocess.run(shell, capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout.splitlines()[-1] == "0"
