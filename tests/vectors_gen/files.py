"""Which files there are, and who writes them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from azi_p2p.wire.messages import BODIES
from tests.vectors_gen import accusations, codes, discovery, evidence, groups, hashing, ledgers, proofs, signing, states
from tests.vectors_gen.examples import example
from tests.vectors_gen.kit import Book
from tests.vectors_gen.tables import TABLES, Played

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
    "codes": codes.codes,
    "frames": signing.frames,
    "records": discovery.records,
    "evidence": evidence.evidence,
    "ledgers": ledgers.ledgers,
}
"""The files of cases in `vectors`, by name."""


def writers() -> dict[str, Callable[[], bytes]]:
    """Give each file, by its name below `protocol`, with the function that gives its content."""
    files: dict[str, Callable[[], bytes]] = {}
    for name, write in BOOKS.items():
        files[f"vectors/{name}.json"] = partial(_text_of, write)
    for name, play in TABLES.items():
        files[f"vectors/ledgers/{name}.azi"] = partial(_ledger_of, play)
    for name, write_file in accusations.FILES.items():
        files[f"vectors/evidence/{name}.azi-evidence"] = write_file
    for kind in BODIES:
        files[f"examples/{kind}.json"] = partial(example, kind)
    return files


def _text_of(write: Callable[[], Book]) -> bytes:
    return write().text().encode()


def _ledger_of(play: Callable[[], Played]) -> bytes:
    return play().ledger
