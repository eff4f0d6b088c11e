"""The command line as scripts meet it: exit codes, one line for what is wrong, data on stdout, messages on stderr."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from azi_p2p.store.heldseat import HeldSeat
from azi_p2p.store.profile import Profile

COMMANDS = ("play", "host", "join", "tables", "demo", "verify", "arbiter", "bench", "id", "config", "doctor")
SCENARIO = Path(__file__).parents[2] / "protocol" / "scenarios"


def azi(*arguments: str, env: dict[str, str] | None = None, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "azi_p2p", *arguments],
        capture_output=True,
        text=True,
        check=False,
        input=stdin,
        env={**os.environ, "LC_ALL": "C.UTF-8", "AZI_LOOPBACK": "1", **(env or {})},
        encoding="utf-8",
    )


def one_error_line(run: subprocess.CompletedProcess[str]) -> str:
    assert run.stdout == ""
    assert run.stderr.count("\n") == 1, run.stderr
    assert "Traceback" not in run.stderr
    return run.stderr.strip()


def test_version() -> None:
    run = azi("--version")
    assert (run.returncode, run.stdout, run.stderr) == (0, "azi 0.1.0\n", "")


def test_help_names_every_command() -> None:
    run = azi("--help")
    assert run.returncode == 0
    for command in COMMANDS:
        assert f"\n  {command} " in run.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_and_takes_a_profile(command: str) -> None:
    run = azi(command, "--help")
    assert run.returncode == 0
    assert "--profile DIR" in run.stdout
    assert run.stderr == ""


@pytest.mark.parametrize(
    ("language", "words"), [("af", "Maak ’n tafel"), ("ru", "Открыть стол"), ("en", "Open a table")]
)
def test_help_speaks_the_language_of_the_system_or_of_the_option(language: str, words: str) -> None:
    assert words in azi("host", "--help", env={"LC_ALL": f"{language}_ZA.UTF-8"}).stdout
    assert words in azi("host", "--lang", language, "--help", env={"LC_ALL": "C.UTF-8"}).stdout


def test_alone_without_a_terminal_it_says_what_there_is() -> None:
    run = azi()
    assert run.returncode == 2
    assert one_error_line(run).startswith("azi: the lobby needs a terminal.")


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (("nosuch",), "play, host, join"),
        (("nosuch", "join"), "(see azi --help)"),
        (("host", "--name"), "--name"),
        (("host", "--nosuch"), "--nosuch"),
        (("host", "--ante", "0"), "--ante"),
        (("host", "--seats", "7"), "--seats"),
        (("host", "--hand-size", "5"), "--hand-size"),
        (("host", "--bot", "genius"), "--bot"),
        (("host", "--nick", "B\x1b[2Jen", "--bot", "easy"), "a name has 1 to 24 characters"),
        (("host", "--name", "x" * 25, "--bot", "easy", "--nick", "Ben"), "a name has 1 to 24 characters"),
        (("play", "--bots", "0"), "--bots"),
        (("join", "192.168.1.20:99999"), "99999"),
        (("join", "fe80::1:4000"), "brackets"),
        (("demo", "--peers", "1"), "--peers"),
        (("verify",), "LEDGER"),
        (("arbiter",), "--batch"),
        (("arbiter", "a.json", "--batch", "b.jsonl"), "--batch"),
        (("id", "--export", "a", "--import", "b"), "--export"),
        (("tables", "--wait", "soon"), "--wait"),
        (("join", "192.0.2.1:4000", "--loopback"), "192.0.2.1:4000"),
        (("join", "a.name.invalid:4000", "--loopback"), "--loopback"),
        (("join", "127.0.0.1"), "HOST:PORT"),
        (("host", "--name", ""), "1 to 24"),
        (("config", "colour"), "colour"),
        (("config", "theme", "pink"), "theme"),
        (("tables", "--loopback", "kitchen"), "kitchen"),
        (("host", "--lang", "de"), "--lang"),
        (("host", "--promoted-six=3"), "takes no value"),
        (("host", "--code", "12-34"), "a code has 6 to 64"),
        (("join", "--code", "12-34"), "a code has 6 to 64"),
        (("join", "--code", ""), "a code has 6 to 64"),
        (("join", "--code"), "--code"),
        (("join", "--watch", "--bot", "easy"), "--watch"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_2(arguments: tuple[str, ...], names: str, tmp_path: Path) -> None:
    run = azi(*arguments, "--profile", str(tmp_path)) if arguments != ("nosuch",) else azi(*arguments)
    assert run.returncode == 2
    assert names in one_error_line(run)


def test_failures_are_one_line_and_exit_1(tmp_path: Path) -> None:
    assert "nowhere.azi" in one_error_line(azi("verify", str(tmp_path / "nowhere.azi")))
    assert azi("verify", str(tmp_path / "nowhere.azi")).returncode == 1
    assert azi("arbiter", str(tmp_path / "nowhere.json")).returncode == 1
    file = tmp_path / "file"
    file.write_text("")
    run = azi("id", "--profile", str(file))
    assert run.returncode == 1
    assert str(file) in one_error_line(run)
    run = azi("id", "--profile", str(tmp_path / "new"), "--import", str(tmp_path))
    assert run.returncode == 1
    assert "chmod" not in one_error_line(run)


@pytest.mark.parametrize("command", ["host", "join", "play"])
def test_a_folder_that_can_not_hold_the_ledger_is_told_before_anybody_sits_down(command: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    run = azi(command, "--profile", str(tmp_path / "profile"), "--out", str(file))
    assert run.returncode == 1
    assert str(file) in one_error_line(run)


def test_what_is_no_ledger_is_invalid(tmp_path: Path) -> None:
    file = tmp_path / "other.azi"
    file.write_bytes(b"no ledger at all\x1b[2J" * 20)
    run = azi("verify", str(file))
    assert run.returncode == 3
    assert "INVALID" in run.stdout
    assert "\x1b" not in run.stdout
    run = azi("verify", str(file), str(file), "--json")
    assert run.returncode == 3
    assert [ledger["valid"] for ledger in json.loads(run.stdout)["ledgers"]] == [False, False]


def test_the_arbiter_is_wired_in(tmp_path: Path) -> None:
    scenario = {"seats": [{"name": "Anna", "chips": 100}, {"name": "Ben", "chips": 100}], "deals": []}
    file = tmp_path / "scenario.json"
    file.write_text(json.dumps(scenario))
    run = azi("arbiter", str(file), "--json")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["chips"] == [100, 100]
    run = azi("arbiter", "--batch", "-", stdin=f"{json.dumps(scenario)}\nnonsense\n")
    assert run.returncode == 0
    assert [json.loads(line)["ok"] for line in run.stdout.splitlines()] == [True, False]


def test_the_key_is_made_shown_moved_and_never_overwritten(tmp_path: Path) -> None:
    old, new, key = tmp_path / "old", tmp_path / "new", tmp_path / "key"
    first = json.loads(azi("id", "--profile", str(old), "--json").stdout)
    assert first["profile"] == str(old)
    assert len(first["key"]) == 64
    assert first["fingerprint"] in azi("id", "--profile", str(old)).stdout
    run = azi("id", "--profile", str(old), "--export", str(key))
    assert run.returncode == 0
    assert "Whoever has that file can play as you" in run.stderr
    assert azi("id", "--profile", str(old), "--export", str(key)).returncode == 1
    moved = json.loads(azi("id", "--profile", str(new), "--import", str(key), "--json").stdout)
    assert moved["fingerprint"] == first["fingerprint"]
    other = tmp_path / "other"
    assert azi("id", "--profile", str(other)).returncode == 0
    run = azi("id", "--profile", str(other), "--import", str(key))
    assert run.returncode == 1
    assert "nothing is overwritten" in one_error_line(run)


def test_no_tables_is_an_answer() -> None:
    run = azi("tables", "--wait", "0.3", "--json")
    assert run.returncode == 0
    assert isinstance(json.loads(run.stdout)["tables"], list)


def test_a_table_that_is_not_there_is_said_with_what_helps(tmp_path: Path) -> None:
    run = azi("join", "No such table", "--wait", "0.3", "--bot", "easy", "--profile", str(tmp_path), "--nick", "Ben")
    assert run.returncode == 1
    assert "able" in run.stderr.splitlines()[-1]
    assert run.stdout == ""


def test_who_holds_a_seat_does_not_watch_with_its_key(tmp_path: Path) -> None:
    with Profile.open(tmp_path) as profile:
        profile.seat.write(HeldSeat(table="ab" * 32, name="Kitchen", ledger="", nickname="Anna"))
    run = azi("join", "--watch", "--json", "--loopback", "--profile", str(tmp_path))
    assert run.returncode == 1
    assert 'you hold a seat at "Kitchen": watch with another profile' in one_error_line(run)


def ledger_that_is_a_folder(folder: Path) -> Path:
    (folder / "old.azi").mkdir()
    return folder / "old.azi"


def ledger_that_is_a_device(folder: Path) -> Path:
    (folder / "old.azi").symlink_to(os.devnull)
    return folder / "old.azi"


def ledger_that_is_a_circle(folder: Path) -> Path:
    (folder / "old.azi").symlink_to(folder / "old.azi")
    return folder / "old.azi"


@pytest.mark.parametrize(
    "make", [ledger_that_is_a_folder, ledger_that_is_a_device, ledger_that_is_a_circle], ids=lambda make: make.__name__
)
def test_a_ledger_to_go_on_with_that_is_no_file_is_told_with_the_mend(
    make: Callable[[Path], Path], tmp_path: Path
) -> None:
    with Profile.open(tmp_path / "profile") as profile:
        ledger = make(tmp_path)
        profile.seat.write(HeldSeat(table="ab" * 32, name="Kitchen", ledger=str(ledger), nickname="Anna"))
    run = azi("join", "--bot", "easy", "--loopback", "--profile", str(tmp_path / "profile"))
    assert run.returncode == 1
    told = run.stderr.splitlines()[-1]
    assert told.startswith(f"azi: the ledger {ledger} of the table that was left is damaged (")
    assert told.endswith("move it away to go on without it")


@pytest.mark.parametrize("wrong", [{"code": "!"}, {"params": {"seats": 99}}], ids=str)
def test_what_is_wrong_in_the_note_on_a_held_seat_is_said_to_stand_there(wrong: dict[str, Any], tmp_path: Path) -> None:
    with Profile.open(tmp_path) as profile:
        profile.seat.write(
            HeldSeat(table="ab" * 32, name="Kitchen", ledger="", nickname="Anna", nonce="cd" * 32, **wrong)
        )
    run = azi("join", "--bot", "easy", "--loopback", "--profile", str(tmp_path))
    assert run.returncode == 1
    assert f"the note {tmp_path / 'seat.json'} on the table that was left is damaged (" in one_error_line(run)


def test_an_address_where_nobody_answers(tmp_path: Path) -> None:
    run = azi("join", "127.0.0.1:1", "--bot", "easy", "--profile", str(tmp_path), "--nick", "Ben")
    assert run.returncode == 1
    assert run.stderr.startswith("azi: nobody answers at 127.0.0.1:1")


def hosting(profile: Path, *arguments: str) -> subprocess.Popen[str]:
    """A bot that has opened a table and waits."""
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "azi_p2p",
            "host",
            "--bot",
            "easy",
            "--nick",
            "Ben",
            "--profile",
            str(profile),
            *arguments,
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "LC_ALL": "C.UTF-8", "AZI_LOOPBACK": "1"},
    )
    assert process.stderr is not None
    assert "is open" in process.stderr.readline()
    return process


@pytest.mark.skipif(sys.platform == "win32", reason="signals as on POSIX")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_signals_end_a_peer_cleanly(number: signal.Signals, code: int, tmp_path: Path) -> None:
    process = hosting(tmp_path)
    process.send_signal(number)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == code
    assert "Traceback" not in errors


def test_two_on_one_profile_are_refused_and_the_end_of_the_input_ends(tmp_path: Path) -> None:
    name = f"Only {secrets.token_hex(3)}"
    process = hosting(tmp_path, "--until-eof", "--json", "--name", name)
    run = azi("host", "--bot", "easy", "--nick", "Eva", "--profile", str(tmp_path))
    assert run.returncode == 1
    assert "is in use by another Azi" in one_error_line(run)
    seen = json.loads(azi("tables", "--json", "--wait", "2").stdout)["tables"]
    assert [table["name"] for table in seen if table["name"] == name] == [name]
    output, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    assert json.loads(output)["ended"] is False


def loaded_by(*arguments: str) -> set[str]:
    """The modules that a command line loads."""
    run = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "AZI_LOOPBACK": "1"},
    )
    return {line.rpartition("|")[2].strip() for line in run.stderr.splitlines() if line.startswith("import time:")}


def test_help_loads_nothing_that_a_game_needs() -> None:
    for arguments in (("--help",), ("--version",), ("play", "--help"), ("host", "--nosuch")):
        heavy = loaded_by("-m", "azi_p2p", *arguments) & {
            "asyncio",
            "azi_p2p.rules",
            "cryptography",
            "msgspec",
            "prompt_toolkit",
            "rbcl",
            "ssl",
            "zeroconf",
        }
        assert not heavy, arguments


def test_the_lobby_is_drawn_before_what_a_table_needs_is_loaded() -> None:
    modules = loaded_by("-c", "import azi_p2p.cli.client")
    assert "prompt_toolkit" in modules
    assert not modules & {"azi_p2p.rules", "azi_p2p.session", "azi_p2p.crypto.group", "rbcl", "zeroconf"}


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell that closes streams")
@pytest.mark.parametrize(
    ("command", "closed"),
    [("", "<&-"), ("", ">&-"), ("doctor", "<&-"), ("play --bots 1 --nick Eva", "<&- >&-")],
)
def test_a_stream_that_was_closed_before_the_start_is_no_fault_of_ours(
    command: str, closed: str, tmp_path: Path
) -> None:
    line = f"{sys.executable} -m azi_p2p {command} --profile {tmp_path / 'eva'} {closed}"
    environment = {**os.environ, "AZI_LOOPBACK": "1"}
    run = subprocess.run(
        ["sh", "-c", line], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, env=environment
    )
    assert "Traceback" not in run.stderr
    assert run.returncode in ({0} if command.startswith("play") else {0, 1, 2})
