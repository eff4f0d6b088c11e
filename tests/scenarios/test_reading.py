"""Scenario files as people mistype them: one line that says what is wrong and where, and exit code 3."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from azi_p2p.cli import arbiter
from azi_p2p.cli.running import CommandFailed

SEATS = [{"name": "Anna", "chips": 200}, {"name": "Ben", "chips": 200}]
DEAL = {"hands": [["AS", "KS", "QS"], ["6S", "7S", "9H"]], "upcard": "TH", "actions": []}


def reply(document: object) -> Any:
    text = document if isinstance(document, str) else json.dumps(document)
    return arbiter.reply_to(text.encode())


def deal(**changes: object) -> dict[str, object]:
    return {"seats": SEATS, "deals": [{**DEAL, **changes}]}


def action(**entry: object) -> dict[str, object]:
    return deal(actions=[{"seat": 0, "do": "bid", "to": 10}, entry])


MISTAKES: list[tuple[object, tuple[int | None, int | None], str]] = [
    ("", (None, None), "isn't JSON"),
    ("{", (None, None), "line 1, column 2"),
    ("[" * 100_000, (None, None), "nested too deep"),
    ("1" * 5000, (None, None), "too long"),
    ('{"seats": NaN}', (None, None), "NaN"),
    ('{"seats": [], "seats": []}', (None, None), "seats: is there twice"),
    ('{"seats": [{"chips": NaN}], "deals": []}', (None, None), "seats[0].chips: NaN isn't a number"),
    ('{"deals": [{}, {"upcard": "6S", "upcard": "6S"}]}', (1, None), "upcard: is there twice"),
    ('{"deals": [{"actions": [{}, {"to": -Infinity}]}]}', (0, 1), "to: -Infinity isn't a number"),
    ('{"deals": [{"actions": [{"to": ' + "9" * 5000 + "}]}]}", (0, 0), "to: this JSON holds a number that is too long"),
    ('{"params": {"ante": 1, "ante": 2}}', (None, None), "params.ante: is there twice"),
    ("[]", (None, None), "must be a JSON object"),
    ({}, (None, None), "seats: is missing"),
    ({"seats": SEATS}, (None, None), "deals: is missing"),
    ({"seats": SEATS, "deals": {}}, (None, None), "deals: must be a list"),
    ({"seats": SEATS[:1], "deals": []}, (None, None), "two to six seats"),
    ({"seats": SEATS * 4, "deals": []}, (None, None), "two to six seats"),
    ({"seats": [SEATS[0], {"name": "Ben"}], "deals": []}, (None, None), "seats[1].chips: is missing"),
    ({"seats": [SEATS[0], {"name": 5, "chips": 1}], "deals": []}, (None, None), "seats[1].name"),
    ({"seats": [SEATS[0], {"chips": True}], "deals": []}, (None, None), "whole number, not True"),
    ({"seats": [SEATS[0], {"chips": 1, "stack": 1}], "deals": []}, (None, None), "stack: is an unknown key"),
    ({"seats": SEATS, "deals": [], "params": []}, (None, None), "params: must be an object"),
    ({"seats": SEATS, "deals": [], "params": {"ante": 0}}, (None, None), "params.ante: ante must be"),
    ({"seats": SEATS, "deals": [], "params": {"seats": 3}}, (None, None), "params.seats"),
    ({"seats": SEATS, "deals": [], "last_winner": 2}, (None, None), "last_winner: must be a seat from 0 to 1"),
    ({"seats": SEATS, "deals": [], "opener_draw": []}, (None, None), "opener_draw"),
    ({"seats": SEATS, "deals": [], "opener_draw": [0, "1"]}, (None, None), "opener_draw"),
    ({"seats": SEATS, "deals": [], "opener_draw": None}, (None, None), "opener_draw"),
    ({"seats": SEATS, "deals": [], "\x1b[31m\n": 1}, (None, None), "\\x1b[31m\\n"),
    ({"seats": SEATS, "deals": [7]}, (0, None), "must be a JSON object"),
    ({"seats": SEATS, "deals": [{}]}, (0, None), "hands: is missing"),
    (deal(hands=7), (0, None), "hands: must be a list"),
    (deal(hands=[["AS", "KS", "QS"]]), (0, None), "one entry for each of 2 seats"),
    (deal(hands=[["AS", "KS", "QS"], 7]), (0, None), "hands[1]: must be a list of cards"),
    (deal(hands=[["AS", "KS", "QS"], ["6S", "7S"]]), (0, None), "hands[1]: a hand of this table has 3 cards"),
    (deal(hands=[["AS", "KS", "QS"], ["6S", "7S", "10H"]]), (0, None), "such as 6S, TD or AH, not '10H'"),
    (deal(hands=[["AS", "KS", "QS"], ["6S", "7S", "9C"]]), (0, None), "9C is of the suit that is left out"),
    (deal(upcard=None), (0, None), "upcard: a deal with hands has an upcard"),
    (deal(upcard="Ah"), (0, None), "upcard: must be a card"),
    (deal(hands=None), (0, None), "upcard: no card is turned up"),
    (deal(hands=[None, ["6S", "7S", "9H"]]), (0, None), "seat 0 is dealt in"),
    (deal(actions={}), (0, None), "actions: must be a list"),
    (deal(before=[{"seat": 0, "do": "join"}]), (0, None), "before[0].do: must be one of rebuy, sit_out, return"),
    (deal(before=[{"seat": 9, "do": "rebuy"}]), (0, None), "before[0].seat: must be a seat"),
    (action(), (0, 1), "seat: is missing"),
    (action(seat=0), (0, 1), "do: is missing"),
    (action(seat=0, do="shout"), (0, 1), "do: must be one of"),
    (action(seat=0, do=None), (0, 1), "do: must be one of"),
    (action(seat="0", do="call"), (0, 1), "seat: must be a seat"),
    (action(seat=True, do="call"), (0, 1), "seat: must be a seat"),
    (action(seat=0, do="bid"), (0, 1), "to: is missing"),
    (action(seat=0, do="bid", to=10.0), (0, 1), "to: must be a whole number, not 10.0"),
    (action(seat=0, do="call", to=10), (0, 1), "to: doesn't belong"),
    (action(seat=0, do="play"), (0, 1), "card: is missing"),
    (action(seat=0, do="play", card="AC"), (0, 1), "card: AC is of the suit"),
    (action(seat=0, do="fold", position=1), (0, 1), "position: is an unknown key"),
]
"""What is wrong, the deal and action where it is, and words of the message."""


@pytest.mark.parametrize(("document", "place", "words"), MISTAKES)
def test_mistakes(document: object, place: tuple[int | None, int | None], words: str) -> None:
    answer = reply(document)
    assert answer["ok"] is False
    error = answer["error"]
    assert set(answer) == {"ok", "error"}
    assert set(error) == {"code", "deal", "action", "message"}
    assert error["code"] == "bad_scenario"
    assert (error["deal"], error["action"]) == place
    assert words in error["message"]
    assert "\n" not in error["message"]
    assert error["message"].isprintable()
    assert len(error["message"]) < 250


def test_chips_out_of_range_names_the_seat() -> None:
    for chips in (-1, 10**9 + 1, 10**400):
        answer = reply({"seats": [SEATS[0], {"chips": chips}], "deals": []})
        assert answer["error"]["code"] == "chips_out_of_range"
        assert "seat 1" in answer["error"]["message"]


def test_not_utf8() -> None:
    answer: Any = arbiter.reply_to(b'{"seats": "\xff"}')
    assert answer["error"]["code"] == "bad_scenario"
    assert "byte 11" in answer["error"]["message"]


def test_a_byte_order_mark_is_let_pass() -> None:
    answer: Any = arbiter.reply_to(b"\xef\xbb\xbf" + json.dumps(deal()).encode())
    assert answer["ok"] is True


def test_names_may_be_left_out_and_may_be_anything() -> None:
    for name in ({}, {"name": "\x1b]0;owned\x07"}, {"name": "\ud800"}, {"name": ""}):
        assert reply({"seats": [{"chips": 5, **name}, SEATS[1]], "deals": []})["ok"] is True


def test_an_unreadable_file_is_one_line(tmp_path: Path) -> None:
    for path in (tmp_path / "none.json", tmp_path):
        for batch in (False, True):
            with pytest.raises(CommandFailed) as caught:
                arbiter.run(str(path), batch=batch)
            assert str(path) in caught.value.message
            assert caught.value.code == 1


def test_batch_answers_bad_lines_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = tmp_path / "lines"
    lines.write_bytes(b"nonsense\n\n\xff\n" + json.dumps(deal()).encode())
    assert arbiter.run(str(lines), batch=True) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [answer["ok"] for answer in answers] == [False, False, False, True]


def test_a_file_or_line_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(arbiter, "MOST_BYTES", 1000)
    lines = tmp_path / "lines"
    good = json.dumps(deal()).encode()
    lines.write_bytes(good + b"\n" + b" " * 5000 + good + b"\n" + b"x" * 1000 + b"\n" + good + b"\n" + b"0" * 2001)
    assert arbiter.run(str(lines), batch=True) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [answer["ok"] for answer in answers] == [True, False, False, True, False]
    assert [("1000 bytes" in answer["error"]["message"]) for answer in answers if not answer["ok"]] == [
        True,
        True,
        True,
    ]
    assert arbiter.run(str(lines), json_out=True) == 3
    assert "1000 bytes" in json.loads(capsys.readouterr().out)["error"]["message"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("option", [["--json"], ["--batch"], []])
def test_a_full_disk_is_one_line(option: list[str], tmp_path: Path) -> None:
    path = tmp_path / "scenario.json"
    path.write_text(json.dumps(deal()), encoding="utf-8")
    with open("/dev/full", "wb") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "azi_p2p", "arbiter", *option, str(path)],
            cwd=Path(__file__).parents[2],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )
    assert ran.returncode == 1
    assert len(ran.stderr.splitlines()) == 1, ran.stderr


def test_batch_over_a_pipe_answers_line_by_line() -> None:
    """Another program can ask, wait for the answer, and ask again."""
    command = [sys.executable, "-m", "azi_p2p", "arbiter", "--batch", "-"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]
    ) as asked:
        assert asked.stdin is not None
        assert asked.stdout is not None
        for document in (deal(), deal(upcard="AS"), deal()):
            asked.stdin.write(json.dumps(document).encode() + b"\n")
            asked.stdin.flush()
            assert json.loads(asked.stdout.readline()) == reply(document)
        asked.stdin.close()
        assert asked.wait(timeout=30) == 0


@pytest.mark.parametrize(("document", "code"), [(deal(), 0), (deal(upcard="AS"), 3)])
def test_exit_codes_of_the_command(document: object, code: int, tmp_path: Path) -> None:
    path = tmp_path / "scenario.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "azi_p2p", "arbiter", str(path), "--json"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.returncode == code, ran.stderr
    assert json.loads(ran.stdout) == reply(document)


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(deal()).encode())))
    assert arbiter.run("-", json_out=True) == 0
    assert json.loads(capsys.readouterr().out)["to_act"] == 0


def test_standard_input_that_is_closed_is_one_line() -> None:
    command = f"{sys.executable} -m azi_p2p arbiter - <&-"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
