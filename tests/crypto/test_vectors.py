"""Our own values, frozen: a change of any label, order, length or encoding shows here."""

from __future__ import annotations

import json
from typing import Any

import pytest

from azi_p2p.crypto.errors import DecodingError, ProofError
from tests.crypto.write_vectors import CHECKS, PATH, document

STORED: dict[str, Any] = json.loads(PATH.read_text())
CASES = [(kind, number) for kind in CHECKS for number in range(len(STORED["proofs"][kind]["rejected"]))]


def test_nothing_has_changed() -> None:
    now = document()
    assert now.keys() == STORED.keys()
    for part, value in STORED.items():
        assert now[part] == value, f"{part}: another value needs another protocol version"


@pytest.mark.parametrize("kind", CHECKS)
def test_accepted(kind: str) -> None:
    for fields in STORED["proofs"][kind]["accepted"]:
        CHECKS[kind](fields)


@pytest.mark.parametrize(("kind", "number"), CASES)
def test_rejected(kind: str, number: int) -> None:
    proofs = STORED["proofs"][kind]
    fields = proofs["rejected"][number]
    accepted = proofs["accepted"][fields["of"]]
    assert {name for name in accepted if accepted[name] != fields[name]}
    with pytest.raises((ProofError, DecodingError)) as caught:
        CHECKS[kind](fields)
    assert getattr(caught.value, "code", "decoding") == fields["error"]
