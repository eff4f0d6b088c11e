"""Whom to dial, where and when: the address book of a mesh.

Sans-IO: time comes in as an argument. Everything in the book comes from others and may be wrong, so it is bounded,
what has worked goes before what was claimed, and peers that never answered are forgotten.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from azi_p2p.net.addresses import Address

MAX_CONTACTS = 64
MAX_ADDRESSES = 8
"""Addresses kept for one peer; the oldest claim goes first."""
PATIENCE = 10
"""Failed rounds after which a peer that never was linked is forgotten (half a minute or more)."""
FIRST_DELAY = 0.25
LAST_DELAY = 4.0
"""Seconds between two rounds of dialling: doubled after each failure, from the first to the last."""
SHORT_LIVED = 5.0
"""Seconds; a link that doesn't last so long was no success: the other side hangs up on us, perhaps for good reason."""
COURTESY = 0.3
"""Seconds for which the peer with the higher key waits: if both dial at once, its call would have to give way."""


@dataclass(slots=True)
class Contact:
    """A peer and the addresses where it may be found. `proven`: the address at which it was last reached."""

    peer: bytes
    claimed: list[Address] = field(default_factory=list)
    proven: Address | None = None
    once_linked: bool = False
    dialling: bool = False
    failures: int = 0
    tried: float = 0.0
    due: float = 0.0
    not_before: float = 0.0

    @property
    def addresses(self) -> list[Address]:
        """All addresses in the order in which to try them."""
        first = [self.proven] if self.proven is not None else []
        return first + [address for address in self.claimed if address != self.proven]

    @property
    def delay(self) -> float:
        """Seconds to wait after the failures so far."""
        return min(LAST_DELAY, FIRST_DELAY * 2.0 ** min(self.failures, 10))


class Contacts:
    """The address book. Peers are named by their keys (32 bytes); times are seconds of one monotonic clock."""

    def __init__(self, own: bytes) -> None:
        self._own = own
        self._book: dict[bytes, Contact] = {}

    def __len__(self) -> int:
        return len(self._book)

    def get(self, peer: bytes) -> Contact | None:
        """The contact of this peer, if it is in the book."""
        return self._book.get(peer)

    def suggest(self, peer: bytes, addresses: Iterable[Address], now: float) -> bool:
        """Note where a peer is said to be; tells whether that was news. Our own key and empty hints are ignored."""
        addresses = list(addresses)[:MAX_ADDRESSES]
        if peer == self._own or not addresses:
            return False
        contact = self._book.get(peer)
        if contact is None:
            if len(self._book) >= MAX_CONTACTS and not self._make_room():
                return False
            contact = self._book[peer] = Contact(peer, due=now + self._courtesy(peer))
        fresh = [address for address in addresses if address not in contact.claimed]
        if not fresh:
            return False
        contact.claimed = (fresh + contact.claimed)[:MAX_ADDRESSES]
        contact.failures = 0
        contact.due = min(contact.due, now + self._courtesy(peer))
        return True

    def due(self, now: float, linked: Collection[bytes]) -> list[Contact]:
        """The contacts to dial now. They count as being dialled until `reached` or `failed` is called."""
        ready = [contact for contact in self._idle(linked) if max(contact.due, contact.not_before) <= now]
        for contact in ready:
            contact.dialling = True
        return ready

    def next_due(self, linked: Collection[bytes]) -> float | None:
        """When there will be somebody to dial, as things stand; None if nobody."""
        return min((max(contact.due, contact.not_before) for contact in self._idle(linked)), default=None)

    def reached(self, peer: bytes, address: Address | None) -> None:
        """There is a link to this peer; `address` if we have dialled it there ourselves."""
        contact = self._book.get(peer)
        if contact is not None:
            contact.dialling = False
            contact.once_linked = True
            contact.proven = address or contact.proven

    def address_of(self, peer: bytes) -> Address | None:
        """The best address that is known of a peer: where it was reached, else what it claimed last."""
        contact = self._book.get(peer)
        addresses = [] if contact is None else contact.addresses
        return addresses[0] if addresses else None

    def hurry(self, now: float) -> None:
        """A link has come up, so the network is there (again): dial all others soon, whatever their delay was."""
        for contact in self._book.values():
            contact.due = min(contact.due, max(now, contact.tried + FIRST_DELAY))

    def failed(self, contact: Contact, now: float) -> None:
        """No address of this contact led to it."""
        contact.dialling = False
        contact.failures += 1
        contact.tried = now
        contact.due = now + contact.delay
        if contact.failures >= PATIENCE and not contact.once_linked:
            self._book.pop(contact.peer, None)

    def lost(self, peer: bytes, now: float, *, lasted: float, not_before: float = 0.0) -> None:
        """The link to this peer is gone, after so many seconds: dial it again soon, or not before a given time."""
        contact = self._book.get(peer)
        if contact is not None:
            contact.failures = contact.failures + 1 if lasted < SHORT_LIVED else 0
            contact.tried = now
            contact.due = now + contact.delay + self._courtesy(peer)
            contact.not_before = not_before

    def forget(self, contact: Contact, address: Address) -> None:
        """Somebody else answers at this address."""
        contact.claimed = [other for other in contact.claimed if other != address]
        if contact.proven == address:
            contact.proven = None

    def _idle(self, linked: Collection[bytes]) -> list[Contact]:
        return [
            contact
            for contact in self._book.values()
            if not contact.dialling and contact.peer not in linked and contact.addresses
        ]

    def _courtesy(self, peer: bytes) -> float:
        return COURTESY if self._own > peer else 0.0

    def _make_room(self) -> bool:
        """Drop the contact that has failed most among those that were never linked; False if there is none."""
        strangers = [contact for contact in self._book.values() if not contact.once_linked and contact.failures]
        if not strangers:
            return False
        del self._book[max(strangers, key=lambda contact: contact.failures).peer]
        return True
