"""What `azi bench` says of each thing it measures: the figure, the floor, what it should be, and whether it is.

What doesn't belong here: measuring.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from azi_p2p.cli.bench_peers import PeersFigures, quantile
from azi_p2p.cli.bench_proofs import Figure
from azi_p2p.cli.bench_verify import DeckFigures, VerifyFigures

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. `value` None: it couldn't be measured, and `note` says why.

    `floor`: the same unit, what the group operations alone take; `ratio`: of the two, measured in pairs. `target`: the
    most that it should be (`of_ratio`: that the ratio should be), or with `at_least` the least; None: there is none.
    """

    part: str
    what: str
    value: float | None
    unit: str = "ms"
    floor: float | None = None
    ratio: float | None = None
    target: float | None = None
    of_ratio: bool = False
    at_least: bool = False
    note: str = ""

    @property
    def reached(self) -> bool | None:
        """Whether the target is reached; None where there is none, or nothing was measured."""
        measured = self.ratio if self.of_ratio else self.value
        if self.target is None or measured is None:
            return None
        return measured >= self.target if self.at_least else measured <= self.target

    @property
    def shown_target(self) -> str:
        """The target for people."""
        if self.target is None:
            return ""
        sign = "≥" if self.at_least else "≤"
        return f"ratio {sign} {self.target:g}" if self.of_ratio else f"{sign} {self.target:g} {self.unit}"


def proof_rows(figures: Sequence[Figure]) -> list[Row]:
    """Proofs beside their floors."""
    return [
        Row(
            "proofs",
            f"{figure.task}, {figure.size}",
            figure.ms,
            floor=figure.floor_ms,
            ratio=figure.ratio,
            target=1.1 if figure.task.startswith(("prove", "verify")) else None,
            of_ratio=True,
        )
        for figure in figures
    ]


def verify_rows(verify: VerifyFigures) -> list[Row]:
    """A ledger, on one core and on all."""
    what = f"verify {verify.deals} deals of {verify.seats}"
    return [
        Row("ledgers", f"{what}, a core's time", verify.one_core, "deals/s", target=10, at_least=True),
        Row("ledgers", f"{what}, one process", verify.alone, "deals/s"),
        Row("ledgers", f"{what}, cores: {verify.cores}", verify.all_cores, "deals/s"),
        Row("ledgers", "share that no other core can do", round(100 * verify.reading, 1), "%"),
    ]


def deck_rows(deck: DeckFigures) -> list[Row]:
    """What several cores are worth for the proofs of one deck."""
    what = f"check {deck.shuffles} shuffles of a deck"
    return [
        Row("cores", f"{what}, one by one", deck.one_by_one),
        Row("cores", f"{what}, threads: {deck.cores}", deck.threads),
        Row("cores", f"{what}, processes: {deck.cores}", deck.processes),
    ]


def start_rows(commands: dict[str, float], lobby: float | None) -> list[Row]:
    """How long commands take to start."""
    rows = [Row("start", name, value, target=150) for name, value in commands.items()]
    return [*rows, Row("start", "azi, until the lobby is drawn", lobby, target=500, note=NO_TERMINAL * (lobby is None))]


def peers_rows(peers: PeersFigures) -> list[Row]:
    """A table of real processes."""
    part, two, six = f"{peers.seats} peers", peers.seats == 2, peers.seats == 6
    # Six processes that start at once are in each other's way; of two, the second starts when the first is there.
    found = peers.found if two else peers.looked
    finding = "process started to table in its list" if two else "looking for the table by mDNS"
    resident = max(peers.resident) / MIB if peers.resident else None
    proportional = max(peers.proportional) / MIB if peers.proportional else None
    no_memory = NO_MEMORY * (resident is None)
    return [
        Row(part, "first deal, nothing prepared", peers.first_deal, target=1000 if six else 400 if two else None),
        _median(part, "last card to the next hand, median", peers.next_deals, 150 if six else None),
        _median(part, "an action, until all have checked it, p50", peers.moves, 15),
        _quantile(part, "the same, p99", peers.moves, 60),
        _quantile(part, "those with void proofs, p99", peers.void_moves, 60),
        Row(
            part,
            finding,
            statistics.median(found) if found else None,
            target=500 if two else None,
            note=NO_MDNS * (not found),
        ),
        Row(part, "everybody linked to everybody", peers.meshed, target=1000 if six else None),
        Row(part, "a peer in memory, resident", resident, "MiB", target=120 if six else None, note=no_memory),
        Row(part, "a peer in memory, shared parts by shares", proportional, "MiB", note=no_memory),
    ]


def _median(part: str, what: str, values: Sequence[float], target: float | None) -> Row:
    return Row(part, what, statistics.median(values) if values else None, target=target, note=NONE_SEEN * (not values))


def _quantile(part: str, what: str, values: Sequence[float], target: float | None) -> Row:
    return Row(part, what, quantile(values, 0.99) if values else None, target=target, note=NONE_SEEN * (not values))


NO_MDNS = "mDNS showed nothing; the peers were told the address"
NO_MEMORY = "this system doesn't tell"
NO_TERMINAL = "no terminal can be made here"
NONE_SEEN = "none came up"
