"""The files of one peer at one table: journal, ledger, evidence, and the note on the seat to come back to.

What doesn't belong here: how they are written (`azi_p2p.store`), and when (`peer`, and the driver).
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

from azi_p2p.cli.peering import PeerOptions
from azi_p2p.crypto.errors import CryptoError
from azi_p2p.crypto.identity import fingerprint
from azi_p2p.net.addresses import Address
from azi_p2p.reasons import Reason, ReasonError
from azi_p2p.session.archive import FileRange
from azi_p2p.session.effects import Persist
from azi_p2p.session.table import Table
from azi_p2p.store.errors import StoreError, StoreTrouble, Thing, cant_read
from azi_p2p.store.heldseat import HeldSeat, Neighbour
from azi_p2p.store.journal import Journal
from azi_p2p.store.ledgers import LedgerFile, save_evidence
from azi_p2p.store.profile import Profile
from azi_p2p.wire.envelope import decode_envelope
from azi_p2p.wire.errors import WireError
from azi_p2p.wire.ledgerfile import LedgerCut, ledger_records, read_ledger_header

log = logging.getLogger("azi.peer")

LOST = bytes(16)
"""Zeros that no signature ends in: a file that does lost its end when the power went. Zeros of its own may go with
them; the record that they belonged to then counts as one that was cut off, which it was."""


class PeerNews(Reason, kind="peer"):
    """What a peer has done of itself that its person should know."""

    EVIDENCE_KEPT = (
        "evidence_kept",
        "the evidence against {peer} is kept in {path}: anybody can check it with azi verify",
    )


class PeerFiles:
    """The files of the peer that sits at `table` with this profile. They are made when there is something to write."""

    def __init__(self, profile: Profile, table: Table, options: PeerOptions, nickname: str) -> None:
        self._profile = profile
        self._table = table
        self._options = options
        self._nickname = nickname
        self._journal: Journal | None = None
        self._ledger: LedgerFile | None = None
        self._held: HeldSeat | None = None
        self._asked = False

    @property
    def ledger(self) -> Path | None:
        """Where the ledger is; None before there is anything in it."""
        return None if self._ledger is None else self._ledger.path

    def close(self) -> None:
        """Close what is open; raises StoreError."""
        if self._journal is not None:
            self._journal.close()
        if self._ledger is not None:
            self._ledger.close()

    # What the driver has written

    def persist(self, records: Sequence[Persist]) -> None:
        """Have this on the disk before anything that rests on it is sent; raises StoreError."""
        if self._journal is None:
            self._journal = Journal(self._profile.journals, self._known_table())
        self._journal.append((record.kind, record.record) for record in records)

    def begin_ledger(self) -> bool:
        """Make the ledger file, empty, if there is none yet; True when that has made it. Raises StoreError."""
        if self._ledger is not None:
            return False
        folder = self._options.out or self._profile.ledgers
        self._ledger = LedgerFile.create(folder, self._known_table(), self._profile.identity.public)
        return True

    def record(self, data: bytes) -> None:
        """Append to the ledger, which has begun; raises StoreError."""
        assert self._ledger is not None, "nothing is recorded before the ledger has begun"
        self._ledger.append(data)

    def recorded(self, place: FileRange) -> bytes:
        """What stands at a place of the ledger."""
        assert self._ledger is not None, "only what was recorded is asked for"
        return self._ledger.read(place.start, place.end)

    def accuse(self, data: bytes, key: bytes) -> None:
        """Keep the evidence against the peer with this key; raises StoreError."""
        path = save_evidence(self._options.out or self._profile.ledgers, self._known_table(), key, data)
        log.warning("%s", ReasonError(PeerNews.EVIDENCE_KEPT, peer=fingerprint(key), path=path))

    # Coming back

    def restore(self, now: float) -> bool:
        """Read to the table what our ledger file of it holds, and go on with that file, or (True) with a new one.

        `now`: monotonic seconds. Raises StoreError where the file is damaged.
        """
        held = self._options.seat
        if held is None or not held.ledger:
            return False
        path = Path(held.ledger)
        try:
            data = _whole_file(path)
            _, start = read_ledger_header(data)
            records = ledger_records(data, start)
            if records and decode_envelope(records[0]).table != held.table_id:
                raise StoreError(StoreTrouble.DAMAGED_LEDGER, path=path, problem="it is that of another table")
            kept = self._table.restore(records, now)
        except FileNotFoundError:
            return False
        except LedgerCut:
            kept = data = b""  # nothing of it has reached the disk
        except (WireError, CryptoError) as error:
            raise StoreError(StoreTrouble.DAMAGED_LEDGER, path=path, problem=error) from error
        if data.startswith(kept):
            self._ledger = LedgerFile.reopen(path, len(kept))
            return False
        # Never over what is there: the whole of it goes into another file.
        self.begin_ledger()
        self.record(kept)
        return True

    def asked_for_seat(self) -> None:
        """Our request is on its way: the founder may put it on the list, and so give us a seat, at any moment."""
        # The founder's own note, and that of whoever comes back, is there already, and says more.
        self._asked = self._options.joining

    def hold_seat(self, port: int, reached: Mapping[bytes, Address]) -> None:
        """Note, for the time after a crash, which table this is and where we listen and the others are.

        A guest's note begins before there is a ledger, when it has asked for a seat (`asked_for_seat`).
        """
        if not self._options.hold_seat or self._table.table_id is None or self._table.ended:
            return
        name = self._table.view().name
        if self._ledger is None and not (self._asked and name):
            return  # without its name, nobody could tell which table it is
        held = HeldSeat(
            table=self._table.table_id.hex(),
            name=name,
            ledger="" if self._ledger is None else str(self._ledger.path),
            nickname=self._nickname,
            port=port,
            neighbours=tuple(Neighbour(peer.hex(), address.host, address.port) for peer, address in reached.items()),
            code="" if self._options.code is None else self._options.code.shown,
        )
        if held != self._held:
            self._held = held
            self._profile.seat.write(held)

    def give_up_seat(self) -> None:
        """The table has ended, or we have left it: there is nothing to come back to."""
        if self._held is not None or self._options.seat is not None:
            self._held = None
            self._profile.seat.clear()

    def forget_unfounded(self) -> None:
        """We end in good order before the table was founded: there is nothing to come back to."""
        held = self._options.seat
        ours = held is None or not held.ledger
        if ours and self._options.hold_seat and self._ledger is None and self._table.lanes is None:
            self._profile.seat.clear()

    def _known_table(self) -> bytes:
        table = self._table.table_id
        assert table is not None, "nothing is signed before the table is known"
        return table


def _whole_file(path: Path) -> bytes:
    """What a ledger file holds, without the zeros that a power cut leaves at its end.

    Raises FileNotFoundError, or StoreError when it can't be read.
    """
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise StoreError(StoreTrouble.DAMAGED_LEDGER, path=path, problem="it is a device or a pipe, not a file")
        data = path.read_bytes()
    except FileNotFoundError:
        raise
    except PermissionError as error:
        raise cant_read(Thing.LEDGER, path, error) from error
    except OSError as error:
        raise StoreError(StoreTrouble.DAMAGED_LEDGER, path=path, problem=error) from error
    return data.rstrip(b"\0") if data.endswith(LOST) else data
