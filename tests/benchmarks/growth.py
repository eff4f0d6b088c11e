"""`python -m tests.benchmarks.growth > growth.json`: how what the program takes grows with seats and with cards.

It takes some minutes. Processor times are minima, which other programs on the machine disturb least; what is measured
by the clock (tables of real processes) is as it comes. `tables` makes tables of it. No test: nothing is asserted.
"""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import io
import json
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from azi_p2p.audit.verify import verify_file
from azi_p2p.cli.bench import load_average
from azi_p2p.cli.bench_peers import measure_peers
from azi_p2p.cli.bench_proofs import shuffle_tasks
from azi_p2p.cli.bench_table import BenchTable
from azi_p2p.crypto import cards, keys, masking, shuffle
from azi_p2p.crypto.opcount import bare_operations, count_operations
from azi_p2p.crypto.transcript import Transcript
from azi_p2p.rules import Params
from azi_p2p.session.jobs import Job, JobResult, run_job
from azi_p2p.wire.envelope import decode_envelope
from azi_p2p.wire.ledgerfile import ledger_records, read_ledger_header

SEATS = (2, 3, 4, 5, 6)
CARDS = (27, 36, 52)


def least_ms(call: Callable[[], object], rounds: int) -> float:
    """The least processor time of one call, in milliseconds."""
    least = float("inf")
    for _ in range(rounds):
        began = time.thread_time()
        call()
        least = min(least, time.thread_time() - began)
    return round(1000 * least, 2)


def of_cards(size: int, rounds: int) -> dict[str, Any]:
    """One turn with a deck of so many cards: milliseconds, group operations, bytes."""
    grown: dict[str, Any] = {"cards": size}
    for task, call in shuffle_tasks(size).items():
        grown[task] = least_ms(call, rounds)
        with count_operations() as counts:
            call()
        grown[f"{task} operations"] = dict(counts)
    _, key = keys.new_deal_key()
    deck = masking.start_deck(cards.card_elements([str(index) for index in range(size)]), key)
    after, witness = shuffle.shuffle(deck, key)
    proof = shuffle.prove_shuffle(deck, after, witness, key, Transcript(b"growth"))
    return {**grown, "deck bytes": len(masking.encode_deck(after)), "proof bytes": len(proof.to_bytes())}


def of_seats(seats: int, deals: int) -> dict[str, Any]:
    """A table in one process: per deal, what its peers make and check, what the ledger takes and its verification."""
    spent: Counter[str] = Counter()
    number: Counter[str] = Counter()

    def timed(job: Job) -> JobResult:
        began = time.thread_time()
        result = run_job(job)
        spent[type(job).__name__] += round(1e6 * (time.thread_time() - began))
        number[type(job).__name__] += 1
        return result

    def one_of(kind: str) -> float:
        return round(spent[kind] / number[kind] / 1000, 2)

    data = b"".join(BenchTable(Params(seats=seats, deal_limit=deals, start_chips=10**6), 1, timed).play())
    _, start = read_ledger_header(data)
    records = ledger_records(data, start)
    verdict = verify_file(io.BytesIO(data))
    checking = least_ms(lambda: verify_file(io.BytesIO(data)), 2)
    reading = least_ms(lambda: verify_file(io.BytesIO(data), hand_over=lambda _: lambda: True), 2)
    return {
        "seats": seats,
        "deals": verdict.deals,
        "messages": round(len(records) / verdict.deals, 1),
        "bytes": round(len(data) / verdict.deals),
        "bytes by type": _by_type(records, verdict.deals),
        "verify ms": round(checking / verdict.deals, 1),
        "read ms": round(reading / verdict.deals, 1),
        "deck ms of a peer": one_of("MakeShuffle") + (seats - 1) * one_of("CheckShuffle"),
        "tokens ms of a peer": one_of("MakeTokens") + (seats - 1) * one_of("CheckTokens"),
    }


def _by_type(records: list[bytes], deals: int) -> dict[str, int]:
    sizes: Counter[str] = Counter()
    for raw in records:
        sizes[decode_envelope(raw).type] += len(raw)
    return {kind: round(size / deals) for kind, size in sizes.most_common()}


def main() -> None:
    """Measure, and print one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="rounds of each task with a deck")
    parser.add_argument("--deals", type=int, default=6, help="deals of each table")
    options = parser.parse_args()
    load = load_average()
    primitives = {name: least_ms(call, 200) * 1000 for name, call in bare_operations().items()}
    by_cards = [of_cards(size, options.rounds) for size in CARDS]
    by_seats = [of_seats(seats, options.deals) for seats in SEATS]
    tables = [dataclasses.asdict(asyncio.run(measure_peers(seats, options.deals))) for seats in SEATS]
    document = {"load_before": load, "primitives_us": primitives, "cards": by_cards, "seats": by_seats, "peers": tables}
    json.dump(document, sys.stdout)
    print()


if __name__ == "__main__":
    main()
