"""`azi arbiter`: play a written-down deal through the rules and say what is legal and who gets what.

What doesn't belong here: the rules, and how a scenario is read (`rules`).
"""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import IO

from azi_p2p.cli.referee import Referee
from azi_p2p.cli.running import FINE, INVALID, CommandFailed, tell
from azi_p2p.rules.arbitration import answer, arbitrate, error_answer
from azi_p2p.rules.errors import ErrorCode
from azi_p2p.rules.scenario import ScenarioError, read_scenario
from azi_p2p.ui.failed import system_reason
from azi_p2p.ui.i18n import Catalogue, catalogue

STDIN = "-"

MOST_BYTES = 16 * 1024 * 1024
"""The longest scenario that is read; many thousands of deals fit in."""


def run(path: str, *, json_out: bool = False, batch: bool = False, texts: Catalogue | None = None) -> int:
    """Answer one scenario file, or with `batch` one scenario a line; `-` is standard input.

    Gives the exit code: with `batch` 0 once every line has its answer, whatever the answers say; else 0 or 3.

    Without `json_out` the deal is explained in the words of `texts` (None: the language of the environment). Raises
    `CommandFailed` where the file can't be read.
    """
    texts = texts or catalogue()
    if batch:
        return _answer_lines(path, texts)
    content = _content(path, texts)
    if json_out:
        reply = reply_to(content)
        print(json.dumps(reply))
        return FINE if reply["ok"] else INVALID
    return _explain(content, texts, texts.text("arbiter.stdin") if path == STDIN else path)


def _explain(content: bytes, texts: Catalogue, source: str) -> int:
    """Explain a scenario to a person: what happened on stdout, what was refused in one line on stderr.

    That line begins with `source`, the name of the file, so that it says which one where a script checks many.
    """
    try:
        scenario = read_scenario(decode(content))
    except ScenarioError as error:
        tell(f"{source}: {Referee(texts, ()).explain_error(error, None)}")
        return INVALID
    played = arbitrate(scenario)
    referee = Referee(texts, scenario.names)
    for line in referee.explain(played):
        print(line)
    if played.error is None:
        return FINE
    tell(f"{source}: {referee.explain_error(played.error, played)}")
    return INVALID


def reply_to(content: bytes) -> dict[str, object]:
    """Give the answer to one scenario, as plain JSON values; whatever is wrong with it becomes an error answer."""
    try:
        return answer(arbitrate(read_scenario(decode(content))))
    except ScenarioError as error:
        return error_answer(error)


def decode(content: bytes) -> str:
    """Decode a scenario; raises `ScenarioError` if it is too long or isn't UTF-8. A byte order mark is let pass."""
    if len(content) > MOST_BYTES:
        raise ScenarioError(
            ErrorCode.BAD_SCENARIO, "a scenario may be {most} bytes long, not longer", {"most": MOST_BYTES}
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ScenarioError(
            ErrorCode.BAD_SCENARIO, "this isn't UTF-8 text: byte {place} is wrong", {"place": error.start}
        ) from None


def _answer_lines(path: str, texts: Catalogue) -> int:
    """Answer every line as it comes, so that another program can ask and wait for each answer."""
    for line in _lines(path, texts):
        # The end of the line isn't the scenario's: where it stops too soon, that is on line 1.
        whole = line if len(line) > MOST_BYTES else line.rstrip(b"\r\n")
        print(json.dumps(reply_to(whole)), flush=True)
    return FINE


def _content(path: str, texts: Catalogue) -> bytes:
    try:
        with _open(path) as source:
            return source.read(MOST_BYTES + 1)
    except OSError as error:
        raise CommandFailed(texts.text("arbiter.cannot_read", path=path, reason=system_reason(error, texts))) from None


def _lines(path: str, texts: Catalogue) -> Iterator[bytes]:
    try:
        with _open(path) as source:
            while line := source.readline(MOST_BYTES + 1):
                yield line
                while len(line) > MOST_BYTES and not line.endswith(b"\n"):
                    # It has been answered as too long; what is left of it is no scenario of its own.
                    line = source.readline(MOST_BYTES + 1)
    except OSError as error:
        raise CommandFailed(texts.text("arbiter.cannot_read", path=path, reason=system_reason(error, texts))) from None


def _open(path: str) -> AbstractContextManager[IO[bytes]]:
    if path != STDIN:
        return open(path, "rb")
    if sys.stdin is None:  # it was closed when this program was started
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    # Standard input isn't ours to close.
    return nullcontext(sys.stdin.buffer)
