"""After a restart: how far had we got? Nothing is signed before a majority of the roster has told.

A journal can be older than what this key has signed: a profile was restored from a copy, or the key was moved to
another machine. So a peer that finds its key at a table where it hasn't asked for a seat in this run asks everybody
for what it lacks, its own messages among it, and keeps silent until so many have answered that, with itself, they are a
strict majority. An answer counts if whoever gave it was no further than we when we asked: then it sent all it had
beyond that before it answered. What is remembered of own messages, and what is sent, is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

Where = tuple[int, int]
"""Deal and step of the play lane."""


@dataclass(slots=True)
class Resuming:
    """Whom we have asked, and who has told us everything. Peers are keys (32 bytes).

    `asked`: where we were when we last asked each; `told`: where each said in its last answer that it is.
    """

    asked: dict[bytes, Where] = field(default_factory=dict)
    told: dict[bytes, Where] = field(default_factory=dict)
    heard: set[bytes] = field(default_factory=set)

    def ask(self, peers: Collection[bytes], here: Where) -> None:
        """We ask these peers for what we lack beyond `here`."""
        for peer in peers:
            self.asked[peer] = here

    def answer(self, peer: bytes, there: Where) -> None:
        """This peer has sent what it had for us, and says where it is."""
        asked = self.asked.get(peer)
        if asked is None:
            return
        self.told[peer] = there
        if there <= asked:
            self.heard.add(peer)

    def forget(self, peer: bytes) -> None:
        """The link to this peer is gone: what it was asked may never be answered."""
        self.asked.pop(peer, None)
        self.told.pop(peer, None)

    def to_ask_again(self, here: Where) -> Iterator[bytes]:
        """The peers that had more than one answer holds, now that we have come as far as `here`."""
        for peer, there in list(self.told.items()):
            if peer not in self.heard and self.asked[peer] < there and self.asked[peer] < here:
                yield peer

    def has_heard_enough(self, roster: Collection[bytes], own: bytes) -> bool:
        """Whether those who have told us everything are, with us, a strict majority of these keys."""
        return 2 * len({own, *self.heard} & set(roster)) > len(roster)
