"""The seat that a profile holds at a table that has not ended: what a peer needs to come back after a crash.

Which table it was, where its ledger file lies, where the others were reached, and the code of a private table (the file
is its owner's alone). Written when a seat has been asked for (from then on it may be given at any moment) and whenever
the others are reached elsewhere, removed when the table has ended or the seat is given up. It is a note to ourselves:
nothing in it is believed that matters (the others prove who they are, and the ledger what was played).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec

from azi_p2p.store.errors import StoreError, StoreTrouble, Thing, cant_read, told_plainly
from azi_p2p.store.files import replace_private

SEAT_FILE = "seat.json"
MAX_SEAT_FILE = 64 * 1024

Port = Annotated[int, msgspec.Meta(ge=0, le=65535)]
"""A TCP port; 0 where there is none."""


class Neighbour(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a peer (key in hex) was reached last."""

    peer: str
    host: str
    port: Port


class HeldSeat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A seat at a table.

    `table`: its id in hex; `name`: what people call it; `ledger`: path of the ledger file, empty before there is one;
    `nickname`: as signed there; `port`: where this peer listened; `neighbours`: where the others did. `nonce` (hex) and
    `params`: of a table that this peer has opened and that isn't founded yet; there is no ledger then. `code`: of a
    private table, empty if it is none; it isn't in the `repr`.
    """

    table: str
    name: str
    ledger: str
    nickname: str
    port: Port = 0
    neighbours: tuple[Neighbour, ...] = ()
    nonce: str = ""
    params: dict[str, int | str | bool] = {}
    code: str = ""

    def __repr__(self) -> str:
        return f"HeldSeat({self.table[:8]}, {self.name!r})"

    @property
    def table_id(self) -> bytes:
        """The id of the table, 32 bytes."""
        return bytes.fromhex(self.table)


@dataclass(frozen=True, slots=True)
class SeatFile:
    """The note of one profile: its folder is `directory`."""

    directory: Path

    @property
    def path(self) -> Path:
        """Where the note lies."""
        return self.directory / SEAT_FILE

    def read(self) -> HeldSeat | None:
        """The seat that is held, None if there is none; raises StoreError with the mend."""
        try:
            with self.path.open("rb") as file:
                data = file.read(MAX_SEAT_FILE + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise cant_read(Thing.NOTE, self.path, error) from error
        try:
            seat = msgspec.json.decode(data, type=HeldSeat)
            keys = [seat.table_id, *(bytes.fromhex(neighbour.peer) for neighbour in seat.neighbours)]
            keys += [bytes.fromhex(seat.nonce)] if seat.nonce else []
            if any(len(key) != 32 for key in keys) or len(data) > MAX_SEAT_FILE:
                raise ValueError("an id or key has another length")  # noqa: TRY301
            if "\0" in seat.ledger:
                raise ValueError("the ledger's path can be none")  # noqa: TRY301
        except ValueError as error:
            raise StoreError(StoreTrouble.DAMAGED_NOTE, path=self.path, problem=str(error)[:80]) from error
        return seat

    def write(self, seat: HeldSeat) -> None:
        """Keep this seat; raises StoreError, and what was kept before stays."""
        with told_plainly(Thing.NOTE, self.path):
            replace_private(self.path, msgspec.json.encode(seat))

    def clear(self) -> None:
        """Hold no seat any more; raises StoreError."""
        with told_plainly(Thing.NOTE, self.path):
            self.path.unlink(missing_ok=True)
