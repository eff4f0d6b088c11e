"""A bot in the place of a person: it is woken by events, sees the view of its own seat, and answers with a command.

What doesn't belong here: how a bot decides (`azi_p2p.bots`).
"""

from __future__ import annotations

import dataclasses
import random
import secrets
from collections.abc import Callable, Iterable, Sequence

from azi_p2p.bots import advise, make_bot
from azi_p2p.cli.peer import RunningPeer
from azi_p2p.session.commands import Act, Command, CommandRefused, Wish
from azi_p2p.session.events import (
    DealEnded,
    DealOpened,
    Event,
    FaultSeen,
    ProfileOutdated,
    SeatAbsent,
    TableEnded,
    TableFounded,
    TableRefused,
)
from azi_p2p.session.view import Phase, TableView
from azi_p2p.ui.hint import Advise
from azi_p2p.ui.i18n import Catalogue
from azi_p2p.ui.refusal import why_not
from azi_p2p.ui.tell import Teller

TOLD = (TableFounded, DealOpened, DealEnded, SeatAbsent, FaultSeen, ProfileOutdated, TableEnded, TableRefused)
"""Events that a bot mentions to whoever reads its messages."""


def advisor() -> Advise:
    """Whoever gives hints in practice: the strongest bot, with the same view as the person who asks."""
    chance = random.Random(secrets.randbits(256))  # noqa: S311 - it samples what the others may hold
    return lambda view, options: advise(view, options, chance)


class BotPlayer:
    """Lets a bot of one level hold the seat. `tell`: where it says in a line what the table has come to."""

    def __init__(self, texts: Catalogue, level: str, tell: Callable[[str], None]) -> None:
        """Chance decides only what the bot does with its cards; it is seeded from the system's secrets."""
        self.refused: str | None = None
        self._bot = make_bot(level)
        self._chance = random.Random(secrets.randbits(256))  # noqa: S311 - nothing about the deal hangs on it
        self._teller = Teller(texts, None)
        self._tell = tell
        self._peer: RunningPeer | None = None
        self._rebuy_asked = 0

    def begin(self, peer: RunningPeer) -> None:
        """Take the seat."""
        self._peer = peer

    def see(self, events: Sequence[Event], view: TableView) -> Iterable[Command]:
        """Answer when something is asked of the own seat."""
        # Whoever reads this isn't the bot: its seat is told of by name, like the others.
        seen = dataclasses.replace(view, my_seat=None)
        for event in events:
            if isinstance(event, TOLD):
                for line in self._teller.tell([event], seen):
                    self._tell(line)
            if isinstance(event, TableRefused):
                self.refused = event.message
                self._stop()
        if view.legal and view.rules is not None:
            return [Act(self._bot.choose(view.rules, view.legal, self._chance))]
        self._rebuy(view)
        return []

    def _rebuy(self, view: TableView) -> None:
        """Ask for new chips, once for each deal, where the table gives any."""
        if view.rules is None or view.my_seat is None or self._peer is None or not view.params.rebuy:
            return
        broke = not view.rules.state.chips[view.my_seat] and view.phase in {Phase.CLOSING, Phase.WAITING}
        if broke and not view.rules.state.pot and self._rebuy_asked != view.deal:
            self._rebuy_asked = view.deal
            try:
                self._peer.submit(Wish("rebuy"))
            except CommandRefused as refused:
                self._tell(why_not(refused, view, self._teller.words))

    def _stop(self) -> None:
        if self._peer is not None:
            self._peer.stop()
