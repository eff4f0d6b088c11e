"""A peer that dies by its own hand at its N-th write: `python -m tests.killing.child N ARGUMENTS…` is `azi ARGUMENTS…`.

What counts as a write: each record, sync and replacement of the journal, each append to the ledger, each note on the
seat, and each envelope handed to the network. It dies just before the write, in the middle of it (where that leaves a
torn record) or right after it, in turn. With N = 0 it lives, and says at the end how many writes there were.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from azi_p2p.net.mesh import Mesh
from azi_p2p.store import files, journal, ledgers
from azi_p2p.store.heldseat import SeatFile
from azi_p2p.wire.frame import EnvelopeFrame, Frame


class Countdown:
    """Counts writes; at the chosen one the process is gone."""

    def __init__(self, chosen: int) -> None:
        self.chosen = chosen
        self.count = 0

    def around(self, write: Callable[..., Any]) -> Callable[..., Any]:
        """The same write, counted: in a third of the cases each the end comes before it, within it, after it."""

        def counted(*arguments: Any, **named: Any) -> Any:
            self.count += 1
            dying = self.count == self.chosen
            if dying and self.count % 3 == 0:
                die()
            if dying and self.count % 3 == 1:
                tear(arguments)
                die()
            result = write(*arguments, **named)
            if dying:
                die()
            return result

        return counted


def die() -> None:
    """End at once, like a program that is killed or a machine that loses power."""
    os.kill(os.getpid(), signal.SIGKILL)


def tear(arguments: tuple[Any, ...]) -> None:
    """Write half of what was to be written, if it is a plain write to a file."""
    match arguments:
        case (int() as handle, bytes() as data):
            os.write(handle, data[: len(data) // 2])
        case (ledgers.LedgerFile() as ledger, bytes() as data):
            ledger._file.write(data[: len(data) // 2])
            ledger._file.flush()
        case _:
            pass


def patch(countdown: Countdown) -> None:
    """Count every write of this process."""
    for module in (files, journal):
        module.write_all = countdown.around(files.write_all)  # type: ignore[attr-defined]
    for owner, name in (
        (journal._RecordFile, "sync"),
        (journal._RecordFile, "replace"),
        (ledgers.LedgerFile, "append"),
        (SeatFile, "write"),
    ):
        setattr(owner, name, countdown.around(getattr(owner, name)))
    send = Mesh.send
    counted = countdown.around(send)

    def send_counted(mesh: Mesh, frame: Frame, to: bytes | None = None, but: frozenset[bytes] = frozenset()) -> None:
        (counted if isinstance(frame, EnvelopeFrame) else send)(mesh, frame, to, but)

    setattr(Mesh, "send", send_counted)  # noqa: B010 - a method of the class itself is replaced


def main() -> None:
    """Run `azi` with the arguments after the number."""
    countdown = Countdown(int(sys.argv[1]))
    patch(countdown)
    sys.argv = ["azi", *sys.argv[2:]]
    from azi_p2p.cli.main import main as azi

    try:
        azi()
    finally:
        print(f"writes: {countdown.count}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
