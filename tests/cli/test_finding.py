"""Tables put together from what is announced: honest records, and false ones beside them."""

from __future__ import annotations

import dataclasses

import pytest

from azi_p2p.cli.finding import fitting, gather_tables
from azi_p2p.net.addresses import Address
from azi_p2p.net.records import Sighting
from azi_p2p.wire.messages import VERSION

ANNA = Sighting(
    b"A" * 32, "Anna", b"T" * 32, "Kitchen", VERSION, 4, 2, 10, b"p" * 32, (Address("10.0.0.7", 4000),), seen=1.0
)
BEN = dataclasses.replace(ANNA, peer=b"B" * 32, nickname="Ben", free=1)


@pytest.mark.parametrize(("marks", "private"), [((True, True), True), ((False, False), False), ((False, True), False)])
def test_one_false_record_makes_no_private_table_of_an_open_one(marks: tuple[bool, bool], private: bool) -> None:
    seen = [dataclasses.replace(one, private=mark) for one, mark in zip((ANNA, BEN), marks, strict=True)]
    (table,) = gather_tables(seen)
    assert table.private == private == table.to_json()["private"]
    assert table.free == 1


def test_who_watches_needs_no_free_seat() -> None:
    (full,) = gather_tables([dataclasses.replace(ANNA, free=0)])
    assert fitting([full], None) == []
    assert fitting([full], None, full_too=True) == [full]
    assert fitting([full], "KITCHEN") == fitting([full], full.beginning) == [full]
