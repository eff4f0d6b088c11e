"""What `azi bench` says of each thing it measures: the figure, the floor, what it should be, and whether it is.

What people read of it stands in the catalogues under `bench.`, and is put into their language only when it is shown:
machines get the English of all of it. What doesn't belong here: measuring.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from azi_p2p.cli.bench_peers import PeersFigures, quantile
from azi_p2p.cli.bench_proofs import Figure
from azi_p2p.cli.bench_verify import DeckFigures, VerifyFigures
from azi_p2p.ui.i18n import Catalogue

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Label:
    """A text that is put into the reader's language when it is shown: its key in the catalogues, and its fields."""

    key: str
    fields: Mapping[str, object] = field(default_factory=dict)

    def told(self, texts: Catalogue) -> str:
        """The text."""
        return texts.text(self.key, **self.fields)


PROOFS = Label("bench.part.proofs")
RULES = Label("bench.part.rules")
LEDGERS = Label("bench.part.ledgers")
CORES = Label("bench.part.cores")
START = Label("bench.part.start")


def peers_part(seats: int) -> Label:
    """The name of the part about a table of real processes."""
    return Label("bench.part.peers", {"seats": seats})


NO_MDNS = Label("bench.note.no_mdns")
NO_MEMORY = Label("bench.note.no_memory")
NO_TERMINAL = Label("bench.note.no_terminal")
NONE_SEEN = Label("bench.note.none_seen")

UNITS = {"ms": "bench.unit.ms", "deals/s": "bench.unit.deals", "MiB": "bench.unit.mib", "%": "bench.unit.percent"}
"""Under which key the catalogues hold each unit; the unit itself is what machines get."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. `value` None: it couldn't be measured, and `note` says why. `unit`: one of UNITS.

    `floor`: the same unit, what the group operations alone take; `ratio`: of the two, measured in pairs. `target`: the
    most that it should be (`of_ratio`: that the ratio should be), or with `at_least` the least; None: there is none.
    """

    part: Label
    what: Label
    value: float | None
    unit: str = "ms"
    floor: float | None = None
    ratio: float | None = None
    target: float | None = None
    of_ratio: bool = False
    at_least: bool = False
    note: Label | None = None

    @property
    def reached(self) -> bool | None:
        """Whether the target is reached; None where there is none, or nothing was measured."""
        measured = self.ratio if self.of_ratio else self.value
        if self.target is None or measured is None:
            return None
        return measured >= self.target if self.at_least else measured <= self.target

    def target_told(self, texts: Catalogue) -> str:
        """The target for people, empty where there is none."""
        if self.target is None:
            return ""
        sign, target = "≥" if self.at_least else "≤", decimal(f"{self.target:g}", texts)
        if self.of_ratio:
            return texts.text("bench.target_ratio", sign=sign, target=target)
        return texts.text("bench.target", sign=sign, target=target, unit=unit_told(self.unit, texts))


def unit_told(unit: str, texts: Catalogue) -> str:
    """A unit for people."""
    return texts.text(UNITS[unit])


def decimal(figure: str, texts: Catalogue) -> str:
    """A figure with the sign that stands before the fraction in this language."""
    return figure.replace(".", texts.text("bench.point"))


def proof_rows(figures: Sequence[Figure]) -> list[Row]:
    """Proofs beside their floors."""
    return [
        Row(
            PROOFS,
            Label(f"bench.task.{figure.task.replace(' ', '_')}", {"size": figure.size}),
            figure.ms,
            floor=figure.floor_ms,
            ratio=figure.ratio,
            target=1.1 if figure.task.startswith(("prove", "verify")) else None,
            of_ratio=True,
        )
        for figure in figures
    ]


def rules_row(deals_per_second: int) -> Row:
    """Deals by the rules alone."""
    return Row(RULES, Label("bench.random_deals"), deals_per_second, "deals/s")


def verify_rows(verify: VerifyFigures) -> list[Row]:
    """A ledger, on one core and on all."""
    of = {"deals": verify.deals, "seats": verify.seats}
    all_cores = Label("bench.verify.all_cores", {**of, "cores": verify.cores})
    return [
        Row(LEDGERS, Label("bench.verify.one_core", of), verify.one_core, "deals/s", target=10, at_least=True),
        Row(LEDGERS, Label("bench.verify.alone", of), verify.alone, "deals/s"),
        Row(LEDGERS, all_cores, verify.all_cores, "deals/s"),
        Row(LEDGERS, Label("bench.verify.reading"), round(100 * verify.reading, 1), "%"),
    ]


def deck_rows(deck: DeckFigures) -> list[Row]:
    """What several cores are worth for the proofs of one deck."""
    of = {"shuffles": deck.shuffles}
    on = {**of, "cores": deck.cores}
    return [
        Row(CORES, Label("bench.deck.one_by_one", of), deck.one_by_one),
        Row(CORES, Label("bench.deck.threads", on), deck.threads),
        Row(CORES, Label("bench.deck.processes", on), deck.processes),
    ]


def start_rows(commands: dict[str, float], lobby: float | None) -> list[Row]:
    """How long commands take to start."""
    rows = [
        Row(START, Label("bench.command", {"command": command}), value, target=150)
        for command, value in commands.items()
    ]
    note = NO_TERMINAL if lobby is None else None
    return [*rows, Row(START, Label("bench.lobby"), lobby, target=500, note=note)]


def peers_rows(peers: PeersFigures) -> list[Row]:
    """A table of real processes."""
    part, two, six = peers_part(peers.seats), peers.seats == 2, peers.seats == 6
    # Six processes that start at once are in each other's way; of two, the second starts when the first is there.
    found = peers.found if two else peers.looked
    finding = Label("bench.peers.found" if two else "bench.peers.looked")
    first_deal, meshed = Label("bench.peers.first_deal"), Label("bench.peers.meshed")
    resident = max(peers.resident) / MIB if peers.resident else None
    proportional = max(peers.proportional) / MIB if peers.proportional else None
    no_memory = NO_MEMORY if resident is None else None
    return [
        Row(part, first_deal, peers.first_deal, target=1000 if six else 400 if two else None),
        _median(part, Label("bench.peers.next_deal"), peers.next_deals, 150 if six else None),
        _median(part, Label("bench.peers.action"), peers.moves, 15),
        _quantile(part, Label("bench.peers.action_p99"), peers.moves, 60),
        _quantile(part, Label("bench.peers.void_p99"), peers.void_moves, 60),
        Row(
            part,
            finding,
            statistics.median(found) if found else None,
            target=500 if two else None,
            note=None if found else NO_MDNS,
        ),
        Row(part, meshed, peers.meshed, target=1000 if six else None),
        Row(part, Label("bench.peers.resident"), resident, "MiB", target=120 if six else None, note=no_memory),
        Row(part, Label("bench.peers.proportional"), proportional, "MiB", note=no_memory),
    ]


def _median(part: Label, what: Label, values: Sequence[float], target: float | None) -> Row:
    median = statistics.median(values) if values else None
    return Row(part, what, median, target=target, note=None if values else NONE_SEEN)


def _quantile(part: Label, what: Label, values: Sequence[float], target: float | None) -> Row:
    measured = quantile(values, 0.99) if values else None
    return Row(part, what, measured, target=target, note=None if values else NONE_SEEN)
