"""Vectors of evidence files: faults that are proven, and files that prove nothing.

The files themselves lie in `protocol/vectors/evidence`. A spoilt one is written as edits, as for ledgers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import msgspec

from azi_p2p.audit.evidence import verify_evidence
from azi_p2p.rules import Params
from azi_p2p.session.decklane import DeckPhase
from azi_p2p.session.playstate import PlayPhase
from azi_p2p.wire import messages
from azi_p2p.wire.codec import encode
from azi_p2p.wire.envelope import SIGNATURE_DOMAIN, Envelope, Place, decode_envelope, encode_payload, place_of, seal
from azi_p2p.wire.evidencefile import EVIDENCE_MAGIC, read_evidence
from tests.session.harness import Peer, make_me
from tests.vectors_gen.kit import Book, Fields, flip, some_bytes
from tests.vectors_gen.ledgers import edit
from tests.vectors_gen.tables import Recorder, careful, gather


@dataclass(frozen=True)
class Accusation:
    """An evidence file, cut up: where each of its records begins, proving ones first, and how many of those."""

    data: bytes
    starts: tuple[int, ...]
    records: tuple[bytes, ...]
    proving: int


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


FILES: dict[str, Callable[[], bytes]] = {
    "bid-over-stack": bid_over_stack,
    "two-bids": two_bids,
    "other-key": other_key,
    "wrong-receipt": wrong_receipt,
}
"""The files, by name."""


def cut_up(data: bytes) -> Accusation:
    """Give an evidence file with the places of its records."""
    params, proving, context = read_evidence(data)
    at = len(EVIDENCE_MAGIC) + 4 + len(encode(params)) + 1
    starts = []
    for raw in (*proving, *context):
        starts.append(at)
        at += 4 + len(raw)
    assert at == len(data)
    return Accusation(data, tuple(starts), (*proving, *context), len(proving))


def swap(file: Accusation, index: int, raw: bytes) -> Fields:
    """Give the edit that puts an envelope in the place of a record."""
    return edit(file.starts[index], 4 + len(file.records[index]), len(raw).to_bytes(4, "big") + raw)


def drop(file: Accusation, index: int) -> Fields:
    """Give the edit that takes a record out."""
    return edit(file.starts[index], 4 + len(file.records[index]), b"")


def evidence() -> Book:
    """All evidence files."""
    book = Book(
        "Evidence files. A case is the file vectors/evidence/FILE with its edits, as in ledgers.json. An accepted one "
        "proves the fault 'code' of 'seat', with this key, at 'deal' and 'step'; a rejected one proves nothing.",
        "protocol/votes.md, The evidence file",
        {
            "Rules": "An act that the rules refuse.",
            "Equivocation": "Two messages for one slot.",
            "Deck": "A message of the deck lane that doesn't hold.",
            "Claim": "A receipt that doesn't say what holds.",
            "Order": "The same envelopes in another order, where that may be.",
            "File": "Bytes that are no evidence file.",
            "Signature": "An envelope that its author hasn't signed.",
            "Innocent": "Envelopes that break no rule.",
            "Context": "What leads up to the fault is missing, or isn't in order.",
        },
    )

    def accept(name: str, comment: str, *flags: str) -> tuple[int, Accusation]:
        data = FILES[name]()
        return book.accept(comment, flags, file=f"{name}.azi-evidence", edits=[], **proven(data)), cut_up(data)

    bid, one = accept("bid-over-stack", "a bid that the chips don't cover", "Rules")
    twice, two = accept("two-bids", "two different bids in one turn", "Equivocation")
    accept("other-key", "a key revealed that isn't the one committed to", "Deck")
    accept("wrong-receipt", "a receipt with a chip too many", "Claim")
    first, second = two.records[:2]
    exchanged = [swap(two, 0, second), swap(two, 1, first)]
    book.accept("the two bids in the other order", ("Equivocation", "Order"), file="two-bids.azi-evidence",
                edits=exchanged, **proven(FILES["two-bids"]()))  # fmt: skip

    def spoil(changes: int, comment: str, flag: str, *edits: Fields) -> None:
        book.reject(changes, comment, flag, "proves_nothing", edits=list(edits))

    count = one.starts[0] - 1
    spoil(bid, "another magic", "File", edit(0, 1, b"a"))
    spoil(bid, "another version of the file form", "File", edit(7, 1, b"\2"))
    spoil(bid, "no proving envelope", "File", edit(count, 1, b"\0"))
    spoil(bid, "three proving envelopes", "File", edit(count, 1, b"\3"))
    spoil(bid, "cut off inside a record", "File", edit(len(one.data) - 1, 1, b""))
    spoil(bid, "cut off after the parameters", "File", edit(count, len(one.data) - count, b""))
    spoil(bid, "a length of 0", "File", edit(one.starts[1], 4, bytes(4)))
    spoil(bid, "a signature with a bit turned", "Signature",
          swap(one, 0, flip(one.records[0], len(one.records[0]) - 1)))  # fmt: skip
    network, bent = asked(21)
    place = here(network)
    spoil(bid, "the bid that is allowed", "Innocent", swap(one, 0, signed(network, bent, place, messages.Bid(to=10))))
    elsewhere = signed(network, bent, replace(place, prev=some_bytes("head")), messages.Bid(to=5000))
    spoil(bid, "the bid at another head", "Innocent", swap(one, 0, elsewhere))
    stranger = replace_author(network, place)
    spoil(bid, "the bid of somebody who has no seat", "Innocent", swap(one, 0, stranger))
    doubled = edit(one.starts[0], 0, len(one.records[0]).to_bytes(4, "big") + one.records[0])
    spoil(bid, "the same bid as both of two proving envelopes", "Innocent", edit(count, 1, b"\2"), doubled)
    spoil(twice, "the same bid twice", "Innocent", swap(two, 1, first))
    apart, turn = asked(22)
    later = replace(here(apart), step=here(apart).step + 2, prev=some_bytes("head"))
    spoil(twice, "bids in two turns", "Innocent", swap(two, 1, signed(apart, turn, later, messages.Bid(to=20))))
    other = next(peer for peer in apart.peers if peer is not turn)
    spoil(twice, "bids of two seats", "Innocent",
          swap(two, 1, signed(apart, other, here(apart), messages.Bid(to=20))))  # fmt: skip
    founding = next(i for i, raw in enumerate(one.records) if decode_envelope(raw).type == "founding")
    spoil(bid, "without the founding", "Context", drop(one, founding))
    exchange = [swap(one, founding, one.records[founding - 1]), swap(one, founding - 1, one.records[founding])]
    spoil(bid, "the founding before the last seat", "Context", *reversed(exchange))
    tokens = next(i for i, raw in enumerate(one.records) if decode_envelope(raw).type == "tokens")
    spoil(bid, "without the tokens of a seat", "Context", drop(one, tokens))
    params, _, _ = read_evidence(one.data)
    richer = encode(msgspec.structs.replace(params, start_chips=params.start_chips + 1))
    head = edit(len(EVIDENCE_MAGIC), 4 + len(encode(params)), len(richer).to_bytes(4, "big") + richer)
    spoil(bid, "other parameters than were signed", "Context", head)
    return book


def replace_author(network: Recorder, place: Place) -> bytes:
    """Give a bid at this place by somebody who isn't at the table."""
    stranger = make_me("Zola", network.seed).identity
    table = network.peers[0].table.table_id
    assert table is not None
    payload = encode_payload(table, stranger.public, place, messages.Bid(to=5000))
    return seal(payload, stranger.sign(SIGNATURE_DOMAIN, payload))


def proven(data: bytes) -> Fields:
    """Give what an evidence file proves."""
    verdict = verify_evidence(data)
    assert verdict.proven, verdict.message
    return {
        "code": verdict.code,
        "seat": verdict.seat,
        "key": verdict.key,
        "deal": verdict.deal,
        "step": verdict.step,
    }
