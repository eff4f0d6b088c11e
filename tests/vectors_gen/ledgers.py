"""Vectors of whole ledgers: sound ones, and what must be noticed in them.

A spoilt ledger is written as edits of a sound one. Where a record has another content, it is well signed by its author
again: only the content is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from azi_p2p.audit.verify import verify_ledger
from azi_p2p.crypto.group import G, add, decode_element
from azi_p2p.rules.cards import DECKS
from azi_p2p.wire import messages
from azi_p2p.wire.codec import encode
from azi_p2p.wire.envelope import NOWHERE, decode_envelope, place_of, seal
from azi_p2p.wire.ledgerfile import ledger_record, read_ledger_header
from tests.vectors_gen.kit import Book, Fields, flip, some_bytes
from tests.vectors_gen.signing import signed as signed_by_stranger
from tests.vectors_gen.tables import TABLES, Played

B = TypeVar("B", bound=messages.Body)

NOTES = {
    "Complete": "Ends with the signed standings.",
    "Incomplete": "Right as far as it goes, but it stops earlier.",
    "Absence": "Holds certificates of absence.",
    "Attempts": "Holds attempts to prepare a deck that were given up.",
    "VoidDeal": "Holds a deal that was broken before its cards.",
    "PotTaken": "Holds a pot that one seat took without cards.",
    "Roster": "Holds rosters that honour requests.",
    "BuyIn": "Holds answers after an Azi.",
    "Evidence": "A certificate encloses evidence of a fault.",
    "Header": "The head of the file is wrong.",
    "Record": "A record is no envelope, or its signature doesn't hold.",
    "Order": "Records are missing, doubled, exchanged, added, or at another place.",
    "Proof": "A proof, element or opening doesn't hold.",
    "Rules": "An act that the rules refuse.",
    "Claim": "An ante, receipt, roster or standings that don't say what holds.",
    "Certificate": "Votes that make no certificate.",
}


@dataclass
class Ledgers:
    """The book of ledgers while it is written. An edit: at byte `at`, `remove` bytes give way to `insert`."""

    book: Book = field(
        default_factory=lambda: Book(
            "Whole ledgers. A case is the file vectors/ledgers/LEDGER with its edits: at byte 'at' of the file as it "
            "is, 'remove' bytes are taken out and the bytes 'insert' put in their place. 'complete' false: valid, but "
            "incomplete. 'head' is the last head of the play lane, 'chips' stand by place, 'keys' are identity keys.",
            "protocol/ledger.md",
            dict(NOTES),
        )
    )
    ids: dict[str, int] = field(default_factory=dict)

    def accept(self, name: str, comment: str, *flags: str) -> Played:
        """Add a sound and complete ledger."""
        played = TABLES[name]()
        self.ids[name] = self.book.accept(
            comment, ("Complete", *flags), ledger=f"{name}.azi", edits=[], complete=True, **facts(played.ledger)
        )
        return played

    def cut(self, name: str, comment: str, end: int) -> None:
        """Add a ledger that ends before byte `end`."""
        data = TABLES[name]().ledger
        edits = [edit(end, len(data) - end, b"")]
        self.book.accept(
            comment, ("Incomplete",), ledger=f"{name}.azi", edits=edits, complete=False, **facts(data[:end])
        )

    def spoil(self, name: str, comment: str, flag: str, reason: str, *edits: Fields) -> None:
        """Add a ledger that is invalid."""
        self.book.reject(self.ids[name], comment, flag, reason, edits=list(edits))


def facts(data: bytes) -> Fields:
    """Give what a verifier must find out about a valid ledger."""
    verdict = verify_ledger(data)
    assert verdict.valid, verdict.faults
    return {"deals": verdict.deals, "head": verdict.head, "chips": list(verdict.chips), "keys": list(verdict.seats)}


def edit(at: int, remove: int, insert: bytes) -> Fields:
    """Give an edit."""
    return {"at": at, "remove": remove, "insert": insert.hex()}


def swap_record(played: Played, index: int, raw: bytes) -> Fields:
    """Give the edit that puts an envelope in the place of a record."""
    return edit(played.starts[index], 4 + len(played.records[index].raw), ledger_record(raw))


def drop_record(played: Played, index: int) -> Fields:
    """Give the edit that takes a record out."""
    return edit(played.starts[index], 4 + len(played.records[index].raw), b"")


def insert_record(played: Played, index: int, raw: bytes) -> Fields:
    """Give the edit that puts an envelope before a record."""
    at = played.starts[index] if index < len(played.starts) else len(played.ledger)
    return edit(at, 0, ledger_record(raw))


def rest_from(played: Played, index: int) -> Fields:
    """Give the edit that takes out a record and all after it."""
    return edit(played.starts[index], len(played.ledger) - played.starts[index], b"")


def exchange(played: Played, index: int) -> Fields:
    """Give the edit that exchanges a record and the next one."""
    one, two = played.records[index], played.records[index + 1]
    return edit(played.starts[index], 8 + len(one.raw) + len(two.raw), ledger_record(two.raw) + ledger_record(one.raw))


def changed(played: Played, index: int, kind: type[B], **fields: Any) -> Fields:
    """Give the edit that changes fields of a record's body, signed again by its author."""
    body = played.records[index].body
    assert isinstance(body, kind)
    return swap_record(played, index, played.signed_again(index, msgspec.structs.replace(body, **fields)))


def body_of(played: Played, index: int, kind: type[B]) -> B:
    """Give the body of a record."""
    body = played.records[index].body
    assert isinstance(body, kind)
    return body


def ledgers() -> Book:
    """All ledgers."""
    all_ = Ledgers()
    two = all_.accept("two-seats", "two seats, one deal")
    four = all_.accept("four-cards", "hands of four, two deals, diamonds out")
    absent = all_.accept("absent-in-play", "a seat vanishes in the middle of a trick", "Absence")
    all_.accept("attempts", "a seat vanishes before it shuffles, another before the antes", "Absence", "Attempts")
    all_.accept(
        "back-to-roster", "too few are left before the antes; one comes back by another roster", "Absence", "Attempts"
    )
    void = all_.accept(
        "void-deal", "a deal broken before the cards, then a pot taken without any", "VoidDeal", "PotTaken", "Absence"
    )
    comings = all_.accept("comings-and-goings", "seats join, sit out, return, leave and finish", "Roster")
    all_.accept("buy-in", "an Azi that a seat buys into", "BuyIn")
    all_.accept("proven-fault", "the opener folds where it must bid", "Absence", "Evidence")
    cuts(all_, two, absent)
    gaps(all_, two, absent)
    headers_and_records(all_, two, four)
    proofs(all_, two, four)
    rules(all_, two, four)
    claims(all_, two, four)
    certificates(all_, absent, void)
    rosters(all_, comings)
    return all_.book


def cuts(all_: Ledgers, two: Played, absent: Played) -> None:
    """Add files that stop early."""
    end = two.starts
    all_.cut("two-seats", "after the founding", end[two.find("commit")])
    all_.cut("two-seats", "after one of two commitments", end[two.find("commit", 1)])
    all_.cut("two-seats", "between tokens and the first bid", end[two.find("bid")])
    all_.cut("two-seats", "inside a record", end[two.find("play")] + 100)
    all_.cut("two-seats", "inside the length of a record", end[two.find("play")] + 2)
    all_.cut("two-seats", "one signature of the standings short", end[two.find("end", 1)])
    all_.cut("absent-in-play", "after one of two votes of a certificate", end_of(absent, absent.find("vote")))


def gaps(all_: Ledgers, two: Played, absent: Played) -> None:
    """Add files that stop early, and whose last step, which isn't complete, isn't in order."""

    def spoil(played: Played, name: str, comment: str, last: int, *edits: Fields) -> None:
        end = end_of(played, last)
        rest = edit(end, len(played.ledger) - end, b"")
        all_.spoil(name, comment, "Order", "not_canonical", *edits, rest)

    commit, opening, end = two.find("commit"), two.find("open"), two.find("end")
    spoil(two, "two-seats", "only the second of two commitments", commit + 1, drop_record(two, commit))
    spoil(two, "two-seats", "two commitments exchanged, then cut off", commit + 2, exchange(two, commit))
    spoil(two, "two-seats", "only the second of two antes", opening + 1, drop_record(two, opening))
    spoil(two, "two-seats", "only the second signature of the standings", end + 1, drop_record(two, end))
    vote = absent.find("vote")
    spoil(absent, "absent-in-play", "a single acknowledgement at the end", vote,
          changed(absent, vote, messages.Vote, verdict="ack", move=some_bytes("move")))  # fmt: skip


def end_of(played: Played, index: int) -> int:
    """Give where a record ends."""
    return played.starts[index] + 4 + len(played.records[index].raw)


def headers_and_records(all_: Ledgers, two: Played, four: Played) -> None:
    """Add what is wrong with the file, its records and their order."""
    params, start = read_ledger_header(two.ledger)
    other = encode(msgspec.structs.replace(params, ante=params.ante + 1))
    wrong = encode(params).replace(b"\xa4ante\x0a", b"\xa4ante\x00")

    def spoil(comment: str, flag: str, reason: str, *edits: Fields) -> None:
        all_.spoil("two-seats", comment, flag, reason, *edits)

    def header(body: bytes) -> Fields:
        return edit(8, start - 8, len(body).to_bytes(4, "big") + body)

    spoil("another magic", "Header", "not_a_ledger", edit(0, 1, b"a"))
    spoil("another version of the file form", "Header", "not_a_ledger", edit(7, 1, b"\2"))
    spoil("an empty file", "Header", "not_a_ledger", edit(0, len(two.ledger), b""))
    spoil("cut off in the header", "Header", "not_a_ledger", edit(20, len(two.ledger) - 20, b""))
    spoil(
        "cut off before the founding",
        "Header",
        "not_founded",
        edit(two.starts[2], len(two.ledger) - two.starts[2], b""),
    )
    spoil("other parameters than were signed", "Header", "not_canonical", header(other))
    spoil("an ante of 0", "Header", "not_a_ledger", header(wrong))
    spoil("a length of 0", "Record", "bad_file", edit(two.starts[5], 4, bytes(4)))
    spoil("a length over 49152", "Record", "bad_file", edit(two.starts[5], 4, b"\0\1\0\0"))
    bid = two.find("bid")
    raw = two.records[bid].raw
    spoil("a signature with a bit turned", "Record", "bad_envelope", swap_record(two, bid, flip(raw, len(raw) - 1)))
    stranger = seal(two.records[bid].payload, two.identity(two.records[0].author).sign(b"azi/1 hello", b""))
    spoil("a signature for something else", "Record", "bad_envelope", swap_record(two, bid, stranger))
    spoil("a record that is no envelope", "Record", "bad_envelope", swap_record(two, bid, b"\x92\x00\x00"))
    other_table = signed_by_stranger("Anna", place_of(two.records[bid]), messages.Bid(to=10))
    spoil("a record of another table", "Order", "out_of_order", swap_record(two, bid, other_table))
    for kind, number in (("seat", 1), ("founding", 0), ("commit", 0), ("reveal", 1), ("shuffle", 0), ("open", 0)):
        # Without its last records a step is merely unfinished; without these, what follows hangs in the air.
        spoil(f"without a {kind}", "Order", "out_of_order", drop_record(two, two.find(kind, number)))
    for kind in ("tokens", "bid", "play", "close"):
        spoil(f"without a {kind}", "Order", "out_of_order", drop_record(two, two.find(kind)))
    spoil("a bid doubled", "Order", "out_of_order", insert_record(two, bid + 1, raw))
    spoil("two commitments exchanged", "Order", "not_canonical", exchange(two, two.find("commit")))
    spoil("two antes exchanged", "Order", "not_canonical", exchange(two, two.find("open")))
    spoil("two bids exchanged", "Order", "out_of_order", exchange(two, bid))
    chat = two.signed(two.records[0].author, NOWHERE, messages.Chat(number=1, text="gg"))
    spoil("chat among the records", "Order", "out_of_order", insert_record(two, bid, chat))
    spoil("the last record again after the end", "Order", "out_of_order",
          insert_record(two, len(two.records), two.records[-1].raw))  # fmt: skip
    body = body_of(two, bid, messages.Bid)
    for what, place in (("deal", {"deal": 2}), ("step", {"step": 9})):
        edits = swap_record(two, bid, two.signed_again(bid, body, **place))
        spoil(f"a bid at another {what}", "Order", "wrong_place", edits)
    for what, moved in (("attempt", {"attempt": 1}), ("head", {"prev": some_bytes("head")})):
        spoil(
            f"a bid at another {what}",
            "Order",
            "out_of_order",
            swap_record(two, bid, two.signed_again(bid, body, **moved)),
        )
    first = four.find("shuffle")
    all_.spoil("four-cards", "the shuffles of two seats exchanged", "Order", "out_of_order", exchange(four, first))


def proofs(all_: Ledgers, two: Played, four: Played) -> None:
    """Add proofs that don't hold, each signed by its prover."""

    def spoil(comment: str, reason: str, edits: Fields) -> None:
        all_.spoil("two-seats", comment, "Proof", reason, edits)

    reveal = two.find("reveal")
    spoil("a reveal that isn't what was committed to", "bad_opening",
          changed(two, reveal, messages.Reveal, entropy=some_bytes("entropy")))  # fmt: skip
    index = two.find("shuffle")
    body = body_of(two, index, messages.Shuffle)
    deck = body.deck
    spoil("a shuffle with two cards exchanged", "bad_proof",
          changed(two, index, messages.Shuffle, deck=deck[64:128] + deck[:64] + deck[128:]))  # fmt: skip
    spoil("a shuffle with 26 cards", "bad_proof", changed(two, index, messages.Shuffle, deck=deck[:-64]))
    later = body_of(two, two.find("shuffle", 1), messages.Shuffle)
    spoil("the shuffle of another seat", "bad_proof", swap_record(two, index, two.signed_again(index, later)))
    index = two.find("tokens")
    tokens = body_of(two, index, messages.Tokens).tokens
    spoil("two tokens exchanged", "bad_proof",
          changed(two, index, messages.Tokens, tokens=[tokens[1], tokens[0], *tokens[2:]]))  # fmt: skip
    spoil("a token for something else", "bad_proof",
          changed(two, index, messages.Tokens, tokens=[add(decode_element(tokens[0]), G), *tokens[1:]]))  # fmt: skip
    spoil("the identity as a token", "bad_proof", changed(two, index, messages.Tokens, tokens=[bytes(32), *tokens[1:]]))
    spoil("a token too few", "wrong_count", changed(two, index, messages.Tokens, tokens=tokens[:-1]))
    index = two.find("play")
    played = body_of(two, index, messages.Play)
    unseen = unseen_card(two)
    spoil("a card that isn't the one at its position", "card_not_held", changed(two, index, messages.Play, card=unseen))
    spoil("the proof of another card's token", "bad_proof",
          changed(two, index, messages.Play, proof=body_of(two, index + 1, messages.Play).proof))  # fmt: skip
    spoil("a void proof where none is owed", "void_proof_missing",
          changed(two, index, messages.Play, void=[played.proof]))  # fmt: skip
    owed = next(i for i, r in enumerate(four.records) if isinstance(r.body, messages.Play) and len(r.body.void) == 2)
    voids = body_of(four, owed, messages.Play).void
    for comment, reason, wrong in (
        ("void proofs left out", "void_proof_missing", []),
        ("a void proof left out", "void_proof_missing", voids[:1]),
        ("two void proofs exchanged", "bad_proof", voids[::-1]),
        ("a void proof twice", "bad_proof", [voids[0], voids[0]]),
    ):
        all_.spoil("four-cards", comment, "Proof", reason, changed(four, owed, messages.Play, void=wrong))


def unseen_card(played: Played) -> str:
    """Give a card that nobody has played and that isn't the upcard, as far as the ledger shows."""
    params, _ = read_ledger_header(played.ledger)
    seen = {record.body.card for record in played.records if isinstance(record.body, messages.Play)}
    return next(str(card) for card in reversed(DECKS[params.out_suit]) if card not in seen)


def rules(all_: Ledgers, two: Played, four: Played) -> None:
    """Add acts that the rules refuse."""

    def spoil(comment: str, reason: str, index: int, body: messages.Body) -> None:
        all_.spoil("two-seats", comment, "Rules", reason, swap_record(two, index, two.signed_again(index, body)))

    bid = two.find("bid")
    spoil("a bid below the least", "bid_too_low", bid, messages.Bid(to=9))
    spoil("a bid that the chips don't cover", "bid_over_stack", bid, messages.Bid(to=5000))
    spoil("the opener folds", "must_bid", bid, messages.Fold())
    spoil("a check where there is none", "must_bid", bid, messages.Check())
    spoil("a card in the bidding", "wrong_phase", bid, body_of(two, two.find("play"), messages.Play))
    spoil("a message that is no act", "wrong_type", bid, body_of(two, two.find("close"), messages.Close))
    other = two.records[two.find("bid", 1)].author
    out_of_turn = two.signed(other, place_of(two.records[bid]), messages.Bid(to=10))
    all_.spoil("two-seats", "a bid out of turn", "Rules", "not_your_turn", swap_record(two, bid, out_of_turn))
    plays = [i for i, r in enumerate(two.records) if r.type == "play"]
    author = two.records[plays[0]].author
    again = next(i for i in plays[1:] if two.records[i].author == author)
    position = body_of(two, plays[0], messages.Play).position
    all_.spoil("two-seats", "a position played twice", "Rules", "card_not_held",
               changed(two, again, messages.Play, position=position))  # fmt: skip
    seen = body_of(two, plays[0], messages.Play).card
    all_.spoil("two-seats", "a card that was played before", "Rules", "card_not_held",
               changed(two, plays[1], messages.Play, card=seen))  # fmt: skip
    discarder = four.records[four.find("play")].author
    laid = next(r.body.position for r in four.records if isinstance(r.body, messages.Discard) and r.author == discarder)
    all_.spoil("four-cards", "the discard is played", "Rules", "card_not_held",
               changed(four, four.find("play"), messages.Play, position=laid))  # fmt: skip


def claims(all_: Ledgers, two: Played, four: Played) -> None:
    """Add antes, receipts and standings that say something else than what holds."""

    def spoil(comment: str, reason: str, edits: Fields) -> None:
        all_.spoil("two-seats", comment, "Claim", reason, edits)

    index = two.find("open")
    opened = body_of(two, index, messages.Open)
    richer = [messages.RosterSeat(opened.roster[0].seat, opened.roster[0].key, 2000), *opened.roster[1:]]
    spoil("an ante with more chips", "wrong_opening", changed(two, index, messages.Open, roster=richer))
    spoil("an ante on another receipt", "wrong_opening", changed(two, index, messages.Open, closing=bytes(32)))
    spoil("an ante on another deck", "out_of_order", changed(two, index, messages.Open, deck=some_bytes("deck")))
    index = two.find("close")
    chips = body_of(two, index, messages.Close).chips
    spoil("a receipt with other chips", "wrong_receipt",
          changed(two, index, messages.Close, chips=[chips[0] + 1, chips[1] - 1]))  # fmt: skip
    spoil("a receipt with another digest", "wrong_receipt", changed(two, index, messages.Close, state=bytes(32)))
    index = two.find("end")
    ending = body_of(two, index, messages.End)
    spoil("standings the other way round", "wrong_standings",
          changed(two, index, messages.End, standings=ending.standings[::-1]))  # fmt: skip
    spoil("another reason for the end", "wrong_standings", changed(two, index, messages.End, reason="finish"))
    roster = four.find("roster")
    request = signed_by_stranger("Anna", NOWHERE, messages.Request(number=1, wish="leave"), four.records[0].table)
    all_.spoil("four-cards", "a roster that honours a stranger's wish", "Claim", "bad_roster",
               changed(four, roster, messages.Roster, requests=[request]))  # fmt: skip
    pause = four.signed(four.records[0].author, NOWHERE, messages.Request(number=1, wish="pause"))
    all_.spoil("four-cards", "a roster that honours a pause", "Claim", "bad_roster",
               changed(four, roster, messages.Roster, requests=[pause]))  # fmt: skip


def certificates(all_: Ledgers, absent: Played, void: Played) -> None:
    """Add votes that prove nothing."""
    first = absent.find("vote")
    vote = body_of(absent, first, messages.Vote)

    def spoil(comment: str, reason: str, *edits: Fields) -> None:
        all_.spoil("absent-in-play", comment, "Certificate", reason, *edits)

    spoil("one of two votes", "out_of_order", drop_record(absent, first + 1))
    spoil("the votes in another order", "not_canonical", exchange(absent, first))
    spoil("an acknowledgement among the votes", "out_of_order",
          changed(absent, first + 1, messages.Vote, verdict="ack", move=some_bytes("move")))  # fmt: skip
    spoil("votes of different rounds", "out_of_order", changed(absent, first + 1, messages.Vote, round=1))
    spoil("votes about different seats", "out_of_order", changed(absent, first + 1, messages.Vote, seat=1))
    own = absent.signed(absent.records[2].author, place_of(absent.records[first]), vote)
    spoil("a third vote, of the absent seat", "not_canonical", insert_record(absent, first + 2, own))
    stranger = signed_by_stranger("Anna", place_of(absent.records[first]), vote, absent.records[0].table)
    spoil("a stranger's vote", "out_of_order", swap_record(absent, first + 1, stranger))
    spoil("a vote twice", "out_of_order", swap_record(absent, first + 1, absent.records[first].raw))
    index = void.find("vote")
    all_.spoil(
        "void-deal", "one of two votes about a broken deal", "Certificate", "out_of_order", drop_record(void, index)
    )


def rosters(all_: Ledgers, comings: Played) -> None:
    """Add rosters that honour what they must not."""
    honouring = [
        index
        for index, record in enumerate(comings.records)
        if isinstance(record.body, messages.Roster) and record.body.requests
    ]
    first, second = honouring[:2]
    old = body_of(comings, first, messages.Roster).requests

    def spoil(comment: str, requests: list[bytes]) -> None:
        edits = changed(comings, second, messages.Roster, requests=requests)
        all_.spoil("comings-and-goings", comment, "Claim", "bad_roster", edits)

    new = body_of(comings, second, messages.Roster).requests
    spoil("a seat given a second time", [*new, *old])
    spoil("a request honoured twice", [*new, new[0]])
    spoil("a request with a bit of its signature turned", [flip(new[0], len(new[0]) - 1)])
    request = decode_envelope(new[0])
    forged = comings.signed(request.author, NOWHERE, messages.Request(number=9, wish="return"))
    spoil("a return of a seat that isn't out", [forged])
