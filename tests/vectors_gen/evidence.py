"""Vectors of evidence files: faults that are proven, and files that prove nothing.

The files themselves lie in `protocol/vectors/evidence`, and are made by `accusations`. A spoilt one is written as
edits, as for ledgers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec

from azi_p2p.audit.evidence import verify_evidence
from azi_p2p.wire import messages
from azi_p2p.wire.codec import encode
from azi_p2p.wire.envelope import SIGNATURE_DOMAIN, Place, decode_envelope, encode_payload, place_of, seal
from azi_p2p.wire.evidencefile import EVIDENCE_MAGIC, read_evidence
from tests.session.harness import Peer, make_me
from tests.vectors_gen.accusations import (
    FILES,
    any_shuffle,
    asked,
    committing,
    gone_by,
    here,
    second_attempt,
    shuffling,
    signed,
    votes_about,
    voting,
)
from tests.vectors_gen.kit import Book, Fields, flip, some_bytes
from tests.vectors_gen.ledgers import edit
from tests.vectors_gen.tables import Recorder


@dataclass(frozen=True)
class Accusation:
    """An evidence file, cut up: where each of its records begins, proving ones first, and how many of those."""

    data: bytes
    starts: tuple[int, ...]
    records: tuple[bytes, ...]
    proving: int


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
            "Vote": "Votes on an absence.",
            "Late": "A message for a step that is complete.",
            "Attempt": "An attempt to prepare the deck was given up before.",
            "Claim": "A receipt that doesn't say what holds.",
            "Order": "The same envelopes in another order, where that may be.",
            "File": "Bytes that are no evidence file.",
            "Signature": "An envelope that its author hasn't signed.",
            "Innocent": "Envelopes that break no rule.",
            "Context": "What leads up to the fault is missing, or isn't in order.",
        },
    )

    bid, one = accept(book, "bid-over-stack", "a bid that the chips don't cover", "Rules")
    twice, two = accept(book, "two-bids", "two different bids in one turn", "Equivocation")
    accept(book, "other-key", "a key revealed that isn't the one committed to", "Deck")
    accept(book, "wrong-receipt", "a receipt with a chip too many", "Claim")
    first, second = two.records[:2]
    exchanged = [swap(two, 0, second), swap(two, 1, first)]
    book.accept("the two bids in the other order", ("Equivocation", "Order"), file="two-bids.azi-evidence",
                edits=exchanged, **proven(FILES["two-bids"]()))  # fmt: skip

    count = one.starts[0] - 1
    spoil(book, bid, "another magic", "File", edit(0, 1, b"a"))
    spoil(book, bid, "another version of the file form", "File", edit(7, 1, b"\2"))
    spoil(book, bid, "no proving envelope", "File", edit(count, 1, b"\0"))
    spoil(book, bid, "three proving envelopes", "File", edit(count, 1, b"\3"))
    spoil(book, bid, "cut off inside a record", "File", edit(len(one.data) - 1, 1, b""))
    spoil(book, bid, "cut off after the parameters", "File", edit(count, len(one.data) - count, b""))
    spoil(book, bid, "a length of 0", "File", edit(one.starts[1], 4, bytes(4)))
    spoil(book, bid, "a signature with a bit turned", "Signature",
          swap(one, 0, flip(one.records[0], len(one.records[0]) - 1)))  # fmt: skip
    network, bent = asked(21)
    place = here(network)
    spoil(
        book,
        bid,
        "the bid that is allowed",
        "Innocent",
        swap(one, 0, signed(network, bent, place, messages.Bid(to=10))),
    )
    elsewhere = signed(network, bent, replace(place, prev=some_bytes("head")), messages.Bid(to=5000))
    spoil(book, bid, "the bid at another head", "Innocent", swap(one, 0, elsewhere))
    stranger = replace_author(network, place)
    spoil(book, bid, "the bid of somebody who has no seat", "Innocent", swap(one, 0, stranger))
    doubled = edit(one.starts[0], 0, len(one.records[0]).to_bytes(4, "big") + one.records[0])
    spoil(book, bid, "the same bid as both of two proving envelopes", "Innocent", edit(count, 1, b"\2"), doubled)
    spoil(book, twice, "the same bid twice", "Innocent", swap(two, 1, first))
    apart, turn = asked(22)
    later = replace(here(apart), step=here(apart).step + 2, prev=some_bytes("head"))
    spoil(book, twice, "bids in two turns", "Innocent", swap(two, 1, signed(apart, turn, later, messages.Bid(to=20))))
    other = next(peer for peer in apart.peers if peer is not turn)
    spoil(book, twice, "bids of two seats", "Innocent",
          swap(two, 1, signed(apart, other, here(apart), messages.Bid(to=20))))  # fmt: skip
    founding = next(i for i, raw in enumerate(one.records) if decode_envelope(raw).type == "founding")
    spoil(book, bid, "without the founding", "Context", drop(one, founding))
    exchange = [swap(one, founding, one.records[founding - 1]), swap(one, founding - 1, one.records[founding])]
    spoil(book, bid, "the founding before the last seat", "Context", *reversed(exchange))
    tokens = next(i for i, raw in enumerate(one.records) if decode_envelope(raw).type == "tokens")
    spoil(book, bid, "without the tokens of a seat", "Context", drop(one, tokens))
    params, _, _ = read_evidence(one.data)
    richer = encode(msgspec.structs.replace(params, start_chips=params.start_chips + 1))
    head = edit(len(EVIDENCE_MAGIC), 4 + len(encode(params)), len(richer).to_bytes(4, "big") + richer)
    spoil(book, bid, "other parameters than were signed", "Context", head)
    steps_gone_by(book)
    deck_lane(book)
    votes(book)
    return book


def accept(book: Book, name: str, comment: str, *flags: str) -> tuple[int, Accusation]:
    """Add a file that proves something; gives the number of the case, and the file."""
    data = FILES[name]()
    return book.accept(comment, flags, file=f"{name}.azi-evidence", edits=[], **proven(data)), cut_up(data)


def spoil(book: Book, changes: int, comment: str, flag: str, *edits: Fields) -> None:
    """Add a case that proves nothing."""
    book.reject(changes, comment, flag, "proves_nothing", edits=list(edits))


def votes(book: Book) -> None:
    """Add the cases of votes."""
    number, file = accept(book, "two-votes", "a claim and a vote for a move in one round", "Equivocation", "Vote")
    first, second = file.records[:2]
    exchanged = [swap(file, 0, second), swap(file, 1, first)]
    book.accept("the two votes in the other order", ("Equivocation", "Vote", "Order"), file="two-votes.azi-evidence",
                edits=exchanged, **proven(FILES["two-votes"]()))  # fmt: skip
    network, owed, bent = voting()
    place, vote = votes_about(network, owed, verdict="ack", move=some_bytes("move"))
    lanes = network.lanes()
    assert lanes is not None
    own_seat = lanes.play.seat_of(bent.key)

    def instead(comment: str, place: Place = place, author: Peer = bent, **changes: object) -> None:
        raw = signed(network, author, place, msgspec.structs.replace(vote, **changes))
        spoil(book, number, comment, "Innocent", swap(file, 1, raw))

    instead("the same vote twice", verdict="claim", move=b"")
    instead("votes in two rounds", round=1)
    instead("votes about two seats", seat=own_seat)
    instead("votes about the two lanes", lane="deck")
    instead("votes about two attempts", place=replace(place, attempt=1))
    instead("votes about two heads", place=replace(place, prev=some_bytes("head")))
    instead("votes of two seats", author=next(peer for peer in network.peers if peer not in (owed, bent)))
    spoil(book, number, "one of the two votes alone", "Innocent",
          edit(file.starts[0] - 1, 1, b"\1"), drop(file, 1))  # fmt: skip
    damaged = flip(second, len(second) - 1)
    spoil(book, number, "the second vote's signature with a bit turned", "Signature", swap(file, 1, damaged))
    tokens = max(at for at, raw in enumerate(file.records) if decode_envelope(raw).type == "tokens")
    spoil(book, number, "without the last tokens that led up to the head", "Context", drop(file, tokens))


def steps_gone_by(book: Book) -> None:
    """Add the cases of messages for a step that is complete."""
    number, file = accept(book, "late-out-of-turn", "a fold at a step gone by, of a seat that owed nothing there",
                          "Rules", "Late")  # fmt: skip
    network, owed, bent, place = gone_by()

    def instead(comment: str, author: Peer, at: Place, body: messages.Body) -> None:
        spoil(book, number, comment, "Innocent", swap(file, 0, signed(network, author, at, body)))

    instead("the bid itself, of the seat that owed it", owed, place, bid_of(file, place))
    instead("another act of the seat that owed one: one of two says nothing", owed, place, messages.Fold())
    instead("a fold at a head that never was", bent, replace(place, prev=some_bytes("head")), messages.Fold())
    opening = next(decode_envelope(raw) for raw in file.records if decode_envelope(raw).type == "open")
    instead("an act where antes were due, for its author may have known of other certificates", bent,
            place_of(opening), messages.Fold())  # fmt: skip
    bid = next(at for at, raw in enumerate(file.records) if at and place_of(decode_envelope(raw)) == place)
    tokens = [at for at, raw in enumerate(file.records) if decode_envelope(raw).type == "tokens"]
    spoil(book, number, "without tokens that led up to the step", "Context", drop(file, tokens[-1]))
    book.accept(
        "the same fold before the bid of the seat that owes it",
        ("Rules",),
        file="late-out-of-turn.azi-evidence",
        edits=[edit(file.starts[bid], len(file.data) - file.starts[bid], b"")],
        **proven(FILES["late-out-of-turn"]()),
    )


def bid_of(file: Accusation, place: Place) -> messages.Body:
    """Give the act that leads on from this place."""
    envelopes = [decode_envelope(raw) for raw in file.records[file.proving :]]
    return next(envelope.body for envelope in envelopes if place_of(envelope) == place)


def deck_lane(book: Book) -> None:
    """Add the cases of the deck lane."""
    number, file = accept(book, "two-commits", "two commitments for one deck", "Equivocation", "Deck")
    network, bent, first = committing()
    body = messages.Commit(digest=some_bytes("digest"))
    other = next(peer for peer in network.peers if peer is not bent)
    at = place_of(first)
    spoil(book, number, "the same commitment twice", "Innocent", swap(file, 1, first.raw))
    spoil(book, number, "commitments of two seats", "Innocent", swap(file, 1, signed(network, other, at, body)))
    spoil(book, number, "commitments at two attempts", "Innocent",
          swap(file, 1, signed(network, bent, replace(at, attempt=1), body)))  # fmt: skip

    number, file = accept(book, "wrong-shuffle", "two cards exchanged after the proof of shuffle was made", "Deck")
    wrong = decode_envelope(file.records[0])
    assert isinstance(wrong.body, messages.Shuffle)
    deck = wrong.body.deck
    network, bent = shuffling()
    sound = msgspec.structs.replace(wrong.body, deck=deck[64:128] + deck[:64] + deck[128:])
    spoil(book, number, "the shuffle that was proven", "Innocent",
          swap(file, 0, signed(network, bent, place_of(wrong), sound)))  # fmt: skip
    reveal = next(at for at, raw in enumerate(file.records) if decode_envelope(raw).type == "reveal")
    spoil(book, number, "without a reveal that led up to it", "Context", drop(file, reveal))

    number, file = accept(book, "shuffle-out-of-turn", "a shuffle before its turn, at the second attempt",
                          "Rules", "Deck", "Attempt")  # fmt: skip
    network, bent, place = second_attempt()
    first_attempt = signed(network, bent, replace(place, attempt=0), any_shuffle())
    spoil(book, number, "the shuffle at the first attempt", "Innocent", swap(file, 0, first_attempt))
    vote = next(at for at, raw in enumerate(file.records) if decode_envelope(raw).type == "vote")
    spoil(book, number, "without a vote of the certificate that ended the first attempt", "Context", drop(file, vote))
    commit = max(at for at, raw in enumerate(file.records) if decode_envelope(raw).type == "commit")
    spoil(book, number, "without a commitment that led up to it", "Context", drop(file, commit))


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
