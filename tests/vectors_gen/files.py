"""Which files there are, and who writes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from tests.vectors_gen import groups, hashing, ledgers, proofs, signing, states
from tests.vectors_gen.examples import examples
from tests.vectors_gen.kit import Book
from tests.vectors_gen.tables import TABLES

FOLDER = Path(__file__).parent.parent.parent / "protocol"

BOOKS: dict[str, Callable[[], Book]] = {
    "hash-to-group": groups.hash_to_group,
    "elements": groups.elements,
    "scalars": groups.scalars,
    "cards": groups.card_list,
    "generators": groups.generator_list,
    "hashes": hashing.hashes,
    "commitments": hashing.commitments,
    "transcripts": hashing.transcripts,
    "contexts": hashing.contexts,
    "draw": hashing.draw,
    "digests": states.digests,
    "ownership": proofs.ownership,
    "masking": proofs.masks,
    "dleq": proofs.dleq,
    "void": proofs.void_proofs,
    "shuffle": proofs.shuffles,
    "signatures": signing.signatures,
    "envelopes": signing.envelopes,
    "hello": signing.hellos,
    "frames": signing.frames,
    "ledgers": ledgers.ledgers,
}
"""The files of cases in `vectors`, by name."""


def contents(only: str = "") -> Iterator[tuple[str, bytes]]:
    """Give name (below `protocol`) and content of each file whose name holds `only`."""
    for name, write in BOOKS.items():
        if only in name:
            yield f"vectors/{name}.json", write().text().encode()
    if only in "ledgers":
        for name, play in TABLES.items():
            yield f"vectors/ledgers/{name}.azi", play().ledger
    if only in "examples":
        for name, text in examples():
            yield f"examples/{name}.json", text.encode()
