"""A whole peer that tells what it does, and stops where it is told to: `python -m tests.net.watched STOP LIMITS …`.

It is `azi` with the arguments that follow. Each line on stderr that begins with `@` is JSON: what it has signed and
synced, what happened at its table, its links; with the time in monotonic seconds, which is the same for all processes
of one machine. STOP is `TYPE,TYPE@DEAL`: with the first envelope of such a type, in that deal or later, it stands still
between disk and network until it gets a line; `never` where it isn't to stop. LIMITS: by which all time limits of links
and absences are multiplied, 1 for those that players have. The line `finish` lets it ask for the end of the table.

What doesn't belong here: networks (`tests.netns`), and what is expected of the peers.
"""

from __future__ import annotations

import asyncio
import json
import os
import select
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace

from azi_p2p.cli.botplayer import BotPlayer
from azi_p2p.cli.main import main as azi
from azi_p2p.cli.peer import RunningPeer
from azi_p2p.net import link, mesh
from azi_p2p.session import absence
from azi_p2p.session.commands import Command, Wish
from azi_p2p.session.events import ActionTaken, Event, LinkChanged, TurnBegan
from azi_p2p.session.view import TableView
from azi_p2p.store.journal import ENVELOPE, Journal
from azi_p2p.wire.envelope import Envelope, decode_envelope
from azi_p2p.wire.messages import Vote

NEVER = "never"
FINISH = b"finish"


def say(what: str, **more: object) -> None:
    """Tell one thing to whoever watches."""
    print("@" + json.dumps({"what": what, "at": time.monotonic(), **more}), file=sys.stderr, flush=True)


def read_line() -> bytes:
    """One line of stdin, waited for; not a byte more is taken."""
    line = b""
    while (byte := os.read(0, 1)) not in (b"", b"\n"):
        line += byte
    return line


class Stop:
    """Where this peer stands still, once at most."""

    def __init__(self, text: str) -> None:
        kinds, _, deal = text.partition("@")
        self.kinds = () if text == NEVER else tuple(kinds.split(","))
        self.deal = int(deal or 0)

    def signed(self, envelope: Envelope) -> None:
        """An own envelope has reached the disk: tell it, and stand still if it is the one."""
        body = envelope.body
        more = {"round": body.round, "verdict": body.verdict} if isinstance(body, Vote) else {}
        say("signed", type=envelope.type, deal=envelope.deal, **more)
        if envelope.type in self.kinds and envelope.deal >= self.deal:
            self.kinds = ()
            say("stopped", type=envelope.type, deal=envelope.deal)
            read_line()


def tell_all(stop: Stop) -> None:
    """Let journal and bot tell what they do."""
    append, see, begin = Journal.append, BotPlayer.see, BotPlayer.begin

    def append_and_tell(journal: Journal, records: Iterable[tuple[str, bytes]]) -> None:
        kept = list(records)
        append(journal, kept)
        for kind, record in kept:
            if kind == ENVELOPE:
                stop.signed(decode_envelope(record))

    def see_and_tell(bot: BotPlayer, events: Sequence[Event], view: TableView) -> Iterable[Command]:
        here = sum(not (seat.away or seat.absent or seat.gone) for seat in view.seats)
        for event in events:
            match event:
                case LinkChanged(seat=seat, up=up):
                    say("link", seat=seat, up=up)
                case TurnBegan() | ActionTaken():
                    pass
                case _:
                    say("event", name=type(event).__name__, deal=view.deal, here=here)
        return see(bot, events, view)

    def begin_and_listen(bot: BotPlayer, peer: RunningPeer) -> None:
        def hear() -> None:
            if not select.select([0], [], [], 0)[0]:
                return  # Whoever stood still has read the line meanwhile.
            stop.kinds = ()  # One that comes while nothing stands still is for the time when it would.
            if read_line() == FINISH:
                peer.submit(Wish("finish"))

        begin(bot, peer)
        asyncio.get_running_loop().add_reader(0, hear)

    for owner, name, method in (
        (Journal, "append", append_and_tell),
        (BotPlayer, "see", see_and_tell),
        (BotPlayer, "begin", begin_and_listen),
    ):
        setattr(owner, name, method)


def limit(factor: float) -> None:
    """Multiply the time limits of links and of absences."""
    timing = link.Timing()
    quick = replace(timing, ping=timing.ping * factor, silence=timing.silence * factor)
    setattr(mesh, "Timing", lambda: quick)  # noqa: B010 - what it makes is replaced, not its type
    for name in ("STEP", "GRACE", "LINK_GRACE", "MINORITY_GRACE", "ROUND"):
        full = f"{name}_SECONDS"
        setattr(absence, full, getattr(absence, full) * factor)


def main() -> None:
    """Run `azi` with the arguments after the first two."""
    tell_all(Stop(sys.argv[1]))
    limit(float(sys.argv[2]))
    sys.argv = ["azi", *sys.argv[3:]]
    azi()


if __name__ == "__main__":
    main()
