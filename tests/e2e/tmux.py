"""A program inside tmux: a real terminal with a state of its own, keys sent and screens read by tmux's commands.

A client in tmux's control mode says when something was drawn, so that nobody has to look again and again. What doesn't
belong here: pseudo-terminals without tmux (`screen`).
"""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from tests.e2e.onterminal import PATIENCE
from tests.e2e.screen import CLOCK

KEYS = {"enter": "Enter", "escape": "Escape", "up": "Up", "down": "Down", "right": "Right", "left": "Left"}
"""What tmux calls keys without a character."""

MISSING = shutil.which("tmux") is None
"""Whether there is no tmux here."""


class Tmux:
    """A tmux server of its own with one window that runs a shell command. Use in a `with`: all of it ends there."""

    def __init__(self, command: str, socket: str, *, columns: int = 80, rows: int = 24, env: Mapping[str, str]) -> None:
        """`socket`: path of the server's socket, in a folder of the test."""
        self._tmux = ["tmux", "-f", os.devnull, "-S", socket, "-u"]
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "AZI_LOOPBACK": "1", **env}
        size = ["-x", str(columns), "-y", str(rows)]
        subprocess.run([*self._tmux, "new-session", "-d", "-s", "azi", *size, command], check=True, env=environment)
        self._ask("set-option", "-g", "remain-on-exit", "on")
        self._client = subprocess.Popen(
            [*self._tmux, "-C", "attach-session", "-t", "azi"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._ask("refresh-client", "-C", f"{columns}x{rows}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        subprocess.run([*self._tmux, "kill-server"], check=False, capture_output=True)
        self._client.communicate()

    def _ask(self, *command: str) -> str:
        done = subprocess.run([*self._tmux, *command], check=False, capture_output=True, encoding="utf-8")
        return done.stdout

    @property
    def text(self) -> str:
        """What is on the screen now, a line each, without blanks at the ends."""
        return "\n".join(line.rstrip() for line in self._ask("capture-pane", "-p", "-t", "azi").split("\n"))

    def settled_text(self) -> str:
        """What is on the screen once tmux has no more to tell."""
        while self._told(0.0):
            pass
        return self.text

    def press(self, *keys: str) -> None:
        """Press keys: by name as in KEYS, or characters."""
        for key in keys:
            if key in KEYS:
                self._ask("send-keys", "-t", "azi", KEYS[key])
            else:
                self._ask("send-keys", "-t", "azi", "-l", key)

    def change(self, before: str) -> None:
        """Wait until something but the clock has changed on the screen, at most a second."""
        deadline = time.monotonic() + 1.0
        while re.sub(CLOCK, "", self.text) == re.sub(CLOCK, "", before) and time.monotonic() < deadline:
            self._told(0.1)

    def shows(self, pattern: str, seconds: float = PATIENCE) -> re.Match[str]:
        """Wait until the screen fits the pattern; gives the match."""
        deadline = time.monotonic() + seconds
        while True:
            match = re.search(pattern, self.settled_text())
            if match is not None:
                return match
            left = deadline - time.monotonic()
            assert left > 0, f"{pattern!r} was never shown; the screen:\n{self.text}"
            self._told(min(left, 0.5))

    def state(self, variable: str) -> str:
        """What tmux knows of the window, as `alternate_on` or `cursor_flag`."""
        return self._ask("display-message", "-p", "-t", "azi", f"#{{{variable}}}").strip()

    def _told(self, seconds: float) -> bool:
        """Wait until tmux tells of something, at most so long."""
        assert self._client.stdout is not None, "it is a pipe"
        ready, _, _ = select.select([self._client.stdout], [], [], seconds)
        return bool(ready) and bool(os.read(self._client.stdout.fileno(), 65536))
