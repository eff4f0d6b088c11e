"""`azi arbiter`: play a written-down deal through the rules and say what is legal and who gets what.

What doesn't belong here: the rules, and how a scenario is read (`rules`).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import IO

from azi_p2p.cli.running import FINE, INVALID, CommandFailed, tell
from azi_p2p.rules.arbitration import answer, arbitrate, error_answer
from azi_p2p.rules.errors import ErrorCode
from azi_p2p.rules.scenario import ScenarioError, read_scenario

STDIN = "-"


def run(path: str, *, json_out: bool = False, batch: bool = False) -> int:
    """Answer one scenario file, or with `batch` one scenario a line; `-` is standard input. Gives the exit code.

    Raises `CommandFailed` where the file can't be read.
    """
    if batch:
        return _answer_lines(path)
    try:
        with _open(path) as source:
            content = source.read()
    except OSError as error:
        raise CommandFailed(f"can't read {path}: {error.strerror}") from None
    reply = reply_to(content)
    if json_out:
        print(json.dumps(reply))
    elif reply["ok"]:
        print(json.dumps(reply, indent=1))
    else:
        tell(str(reply["error"]))
    return FINE if reply["ok"] else INVALID


def reply_to(content: bytes) -> dict[str, object]:
    """Give the answer to one scenario, as plain JSON values; whatever is wrong with it becomes an error answer."""
    try:
        return answer(arbitrate(read_scenario(decode(content))))
    except ScenarioError as error:
        return error_answer(error)


def decode(content: bytes) -> str:
    """Decode a scenario; raises `ScenarioError` if it isn't UTF-8. A byte order mark is let pass."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ScenarioError(
            ErrorCode.BAD_SCENARIO, "this isn't UTF-8 text: byte {place} is wrong", {"place": error.start}
        ) from None


def _answer_lines(path: str) -> int:
    """Answer every line as it comes, so that another program can ask and wait for each answer."""
    for line in _lines(path):
        print(json.dumps(reply_to(line)), flush=True)
    return FINE


def _lines(path: str) -> Iterator[bytes]:
    try:
        with _open(path) as source:
            while line := source.readline():
                yield line
    except OSError as error:
        raise CommandFailed(f"can't read {path}: {error.strerror}") from None


def _open(path: str) -> AbstractContextManager[IO[bytes]]:
    # Standard input isn't ours to close.
    return nullcontext(sys.stdin.buffer) if path == STDIN else open(path, "rb")
