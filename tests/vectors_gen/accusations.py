"""Tables at which somebody breaks the protocol, and the evidence files that the others write.

What is made of the files (edits, cases) stands in `evidence`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import msgspec

from azi_p2p.rules import Params
from azi_p2p.session.decklane import DeckPhase
from azi_p2p.session.playstate import PlayPhase
from azi_p2p.wire import messages
from azi_p2p.wire.envelope import SIGNATURE_DOMAIN, Envelope, Place, decode_envelope, encode_payload, place_of, seal
from tests.session.harness import Peer, make_me
from tests.vectors_gen.kit import some_bytes
from tests.vectors_gen.tables import Recorder, careful, gather


def signed(network: Recorder, peer: Peer, place: Place, body: messages.Body) -> bytes:
    """Give an envelope that a peer's own session would never sign."""
    table = peer.table.table_id
    assert table is not None
    payload = encode_payload(table, peer.key, place, body)
    return seal(payload, make_me(peer.name, network.seed).identity.sign(SIGNATURE_DOMAIN, payload))


def accuse(network: Recorder, bent: Peer, *raws: bytes) -> bytes:
    """Show envelopes of a bent peer to an honest one; gives the evidence file that it writes."""
    honest = next(peer for peer in network.peers if peer is not bent)
    for raw in raws:
        network.inject(honest, raw, bent.key)
    (accusation,) = honest.accusations
    return accusation.file(honest.ledger[accusation.place.start : accusation.place.end])


def asked(seed: int) -> tuple[Recorder, Peer]:
    """Give a table of three in the bidding of its first deal, and the peer who has to bid."""
    network = gather(3, Params(seats=3, deal_limit=1), seed, careful)
    for peer in network.peers:
        peer.chooser = None
    network.run(lambda: all(network.at(PlayPhase.ACT, peer=peer) for peer in range(3)))
    lanes = network.lanes()
    assert lanes is not None
    return network, network.peers[lanes.play.owed[0]]


def here(network: Recorder) -> Place:
    """Give the place at which the play lane stands."""
    lanes = network.lanes()
    assert lanes is not None
    return lanes.play.place


@cache
def bid_over_stack() -> bytes:
    """A bid that the chips don't cover."""
    network, bent = asked(21)
    return accuse(network, bent, signed(network, bent, here(network), messages.Bid(to=5000)))


@cache
def two_bids() -> bytes:
    """Two different bids in one turn."""
    network, bent = asked(22)
    place = here(network)
    return accuse(network, bent, *(signed(network, bent, place, messages.Bid(to=to)) for to in (10, 20)))


@cache
def other_key() -> bytes:
    """A key revealed that isn't the one committed to."""
    network = gather(3, Params(seats=3, deal_limit=1), 23, careful)
    bent = network.peers[2]
    network.silenced = (bent.key, "reveal")
    network.run(lambda: network.prepares(DeckPhase.REVEAL, 0) and own_reveal(bent) is not None)
    revealed = own_reveal(bent)
    assert revealed is not None
    body = msgspec.structs.replace(revealed.body, entropy=some_bytes("entropy"))
    return accuse(network, bent, signed(network, bent, place_of(revealed), body))


def own_reveal(peer: Peer) -> Envelope | None:
    """Give the reveal that a peer has made for the deck that it prepares, None if it hasn't yet."""
    lanes = peer.table.lanes
    if lanes is None or lanes.deck is None or lanes.deck.phase is not DeckPhase.REVEAL:
        return None
    return next((envelope for envelope in lanes.deck_inbox.moves.values() if envelope.author == peer.key), None)


@cache
def wrong_receipt() -> bytes:
    """A receipt with a chip too many, and another digest."""
    network = gather(3, Params(seats=3, deal_limit=1), 24, careful)
    bent = network.peers[2]
    network.silenced = (bent.key, "close")
    network.run(lambda: network.at(PlayPhase.CLOSE, peer=2) and network.at(PlayPhase.CLOSE))
    lanes = network.lanes()
    assert lanes is not None
    chips = list(lanes.play.game.chips)
    chips[0] += 1
    body = messages.Close(state=some_bytes("state"), chips=chips)
    return accuse(network, bent, signed(network, bent, here(network), body))


def own(peer: Peer, kind: str) -> Envelope | None:
    """Give the first message of this type that a peer has signed, sent or not; None if it has signed none."""
    envelopes = (decode_envelope(entry.record) for entry in peer.journal if entry.kind == "envelope")
    return next((envelope for envelope in envelopes if envelope.type == kind), None)


def votes_about(network: Recorder, owed: Peer, **changes: object) -> tuple[Place, messages.Vote]:
    """Give a vote that claims the seat absent that is owed now, and its place; `changes` to the vote."""
    lanes = network.lanes()
    assert lanes is not None
    seat = lanes.play.seat_of(owed.key)
    assert seat is not None
    vote = messages.Vote(lane="play", seat=seat, round=0, verdict="claim", move=b"", evidence=[])
    return replace(here(network), lane="vote"), msgspec.structs.replace(vote, **changes)


def voting() -> tuple[Recorder, Peer, Peer]:
    """Give a table of three, the seat that is owed, and another peer, who will vote about it."""
    network, owed = asked(25)
    return network, owed, next(peer for peer in network.peers[::-1] if peer is not owed)


@cache
def two_votes() -> bytes:
    """In one round a claim that a seat is absent, and a vote for a move of it."""
    network, owed, bent = voting()
    votes = [votes_about(network, owed), votes_about(network, owed, verdict="ack", move=some_bytes("move"))]
    return accuse(network, bent, *(signed(network, bent, place, vote) for place, vote in votes))


def gone_by() -> tuple[Recorder, Peer, Peer, Place]:
    """Give a table of three, who has bid in it, another peer, and the place of that bid: the game has gone on."""
    network, owed = asked(26)
    place = here(network)
    owed.chooser = careful
    network.run(lambda: all(peer.table.view().head != place.prev for peer in network.peers))
    return network, owed, next(peer for peer in network.peers[::-1] if peer is not owed), place


@cache
def late_out_of_turn() -> bytes:
    """A fold at a step that is complete, by a seat that owed nothing there."""
    network, _, bent, place = gone_by()
    return accuse(network, bent, signed(network, bent, place, messages.Fold()))


def committing() -> tuple[Recorder, Peer, Envelope]:
    """Give a table of three that prepares its first deck, a peer, and its commitment, which nobody has got."""
    network = gather(3, Params(seats=3, deal_limit=1), 27, careful)
    bent = network.peers[2]
    network.silenced = (bent.key, "commit")
    network.run(lambda: network.prepares(DeckPhase.COMMIT, 0) and own(bent, "commit") is not None)
    commitment = own(bent, "commit")
    assert commitment is not None
    return network, bent, commitment


@cache
def two_commits() -> bytes:
    """Two commitments to a key of one deck."""
    network, bent, first = committing()
    other = signed(network, bent, place_of(first), messages.Commit(digest=some_bytes("digest")))
    return accuse(network, bent, first.raw, other)


def shuffling() -> tuple[Recorder, Peer]:
    """Give a table of three that shuffles its first deck, and the first to shuffle, whose shuffle nobody has got."""
    network = gather(3, Params(seats=3, deal_limit=1), 28, careful)
    bent = network.peers[0]
    network.silenced = (bent.key, "shuffle")
    network.run(lambda: own(bent, "shuffle") is not None)
    return network, bent


@cache
def wrong_shuffle() -> bytes:
    """A shuffle in which two cards are exchanged, of which its proof knows nothing."""
    network, bent = shuffling()
    shuffle = own(bent, "shuffle")
    assert shuffle is not None
    assert isinstance(shuffle.body, messages.Shuffle)
    deck = shuffle.body.deck
    body = msgspec.structs.replace(shuffle.body, deck=deck[64:128] + deck[:64] + deck[128:])
    return accuse(network, bent, signed(network, bent, place_of(shuffle), body))


def second_attempt() -> tuple[Recorder, Peer, Place]:
    """Give a table of four that prepares a deck again, one seat having vanished; who shuffles last, and the place."""
    network = gather(4, Params(seats=4, deal_limit=1), 29, careful)
    gone, bent = network.peers[2:]
    network.silenced = (gone.key, "shuffle")
    network.run(lambda: network.prepares(DeckPhase.COMMIT, 1))
    network.kill(gone)
    network.run(lambda: network.prepares(DeckPhase.SHUFFLE, 1))
    lanes = network.lanes()
    assert lanes is not None
    assert lanes.deck is not None
    assert lanes.play.seat_of(bent.key) not in lanes.deck.owed
    return network, bent, lanes.deck.place


@cache
def shuffle_out_of_turn() -> bytes:
    """A shuffle before the turn of its author, at the second attempt to prepare a deck."""
    network, bent, place = second_attempt()
    return accuse(network, bent, signed(network, bent, place, any_shuffle()))


def any_shuffle() -> messages.Shuffle:
    """Give a shuffle that nobody looks at: it isn't the turn of its author."""
    return messages.Shuffle(deck=bytes(64), proof=b"\0")


FILES: dict[str, Callable[[], bytes]] = {
    "bid-over-stack": bid_over_stack,
    "two-bids": two_bids,
    "other-key": other_key,
    "wrong-receipt": wrong_receipt,
    "two-votes": two_votes,
    "late-out-of-turn": late_out_of_turn,
    "two-commits": two_commits,
    "wrong-shuffle": wrong_shuffle,
    "shuffle-out-of-turn": shuffle_out_of_turn,
}
"""The files, by name."""
