"""Vectors of the hashes: tagged hashes and heads, commitments, transcripts, contexts, the draw."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from azi_p2p.crypto.commitment import commit
from azi_p2p.crypto.group import element_from_uniform
from azi_p2p.crypto.transcript import Transcript
from azi_p2p.session import heads
from azi_p2p.session.context import Context
from azi_p2p.wire.codec import encode
from azi_p2p.wire.messages import Reveal, TableParams
from tests.vectors_gen.kit import Book, Fields, some_bytes

PARAMS = TableParams(
    name="Kitchen",
    seats=4,
    hand_size=3,
    out_suit="C",
    ante=10,
    min_bid=10,
    start_chips=1000,
    max_bids=3,
    opener_rule="must_bid",
    short_payout="matched",
    azi_replay="all",
    promoted_six=True,
    rebuy=False,
    deal_limit=0,
    turn_seconds=60,
)


def hashes() -> Book:
    """Tagged hashes, one for each use."""
    book = Book(
        "H(tag, parts…): every tagged hash of the protocol, with its parts as they go in.",
        "protocol/encoding.md, Hashes",
        {
            "Order": "The parts in another order.",
            "Framing": "The same bytes, divided otherwise.",
            "OtherTag": "The tag of another use.",
            "OtherPart": "A part with another value.",
        },
    )
    key, nonce, head = some_bytes("founder"), some_bytes("nonce"), some_bytes("head")
    ids = [some_bytes(f"id {number}") for number in range(3)]
    u64 = heads.number

    def add(what: str, tag: str, parts: list[bytes], value: bytes) -> int:
        assert heads.tagged_hash(tag, *parts) == value, what
        return book.accept(what, tag=tag, parts=[part.hex() for part in parts], hash=value.hex())

    add("table id", "table", [key, nonce], heads.table_id(key, nonce))
    digest = heads.params_digest(PARAMS)
    add("parameter digest", "params", [encode(PARAMS)], digest)
    add("founding head", "founding", ids, heads.tagged_hash("founding", *ids))
    step = add("head after a round of two", "head", [head, *ids[:2]], heads.next_head(head, ids[:2]))
    add("head after a step without entries", "head", [head], heads.next_head(head, []))
    place = [b"play", u64(2), u64(3), u64(0), u64(5), head]
    absent = add("entry of absence", "absent", place, heads.absent_entry("play", 2, 3, 0, 5, head))
    seats = [(0, some_bytes("key 0")), (2, some_bytes("key 2"))]
    listing = b"".join(u64(seat) + key for seat, key in seats)
    table = heads.table_id(key, nonce)
    base = add(
        "deck base head",
        "deck",
        [table, digest, u64(2), listing, u64(3), u64(1), head],
        heads.deck_head(table, digest, seats, 3, 1, head),
    )

    def spoil(of: int, comment: str, flag: str, **changed: Any) -> None:
        accepted = book.tests[of - 1]
        made = {**accepted, **changed}
        tag: str = made["tag"]
        parts: list[str] = made["parts"]
        assert heads.tagged_hash(tag, *map(bytes.fromhex, parts)).hex() != accepted["hash"]
        book.reject(of, comment, flag, "wrong_value", **changed)

    first, one, two = book.tests[step - 1]["parts"]
    spoil(step, "the entries exchanged", "Order", parts=[first, two, one])
    spoil(step, "two entries as one part", "Framing", parts=[first, one + two])
    spoil(step, "under the tag of the founding", "OtherTag", tag="founding")
    spoil(absent, "another seat", "OtherPart", parts=[part.hex() for part in [b"play", u64(1), *place[2:]]])
    spoil(absent, "the other lane", "OtherPart", parts=[part.hex() for part in [b"deck", *place[1:]]])
    parts = book.tests[base - 1]["parts"]
    spoil(base, "another attempt", "OtherPart", parts=[*parts[:5], u64(0).hex(), parts[6]])
    return book


def commitments() -> Book:
    """Commitments to reveals."""
    book = Book(
        'commit("azi deal key", base, u64(seat), mp(reveal body)): what a seat sends before its deal key.',
        "protocol/deck.md, Keys",
        {
            "OtherPart": "What is opened is not what was committed to.",
            "OtherPlace": "The commitment was made for another deck or seat.",
        },
    )
    base = some_bytes("base")
    body = Reveal(
        key=element_from_uniform(some_bytes("deal key", 64)),
        proof=some_bytes("proof", 64),
        entropy=some_bytes("entropy"),
    )
    fields: Fields = {"base": base.hex(), "seat": 2, "reveal": encode(body).hex()}
    digest = commit(b"azi deal key", base, heads.number(2), encode(body))
    made = book.accept("a reveal of seat 2", **fields, digest=digest.hex())
    other = encode(Reveal(key=body.key, proof=body.proof, entropy=some_bytes("other entropy")))
    book.reject(made, "other entropy", "OtherPart", "bad_opening", reveal=other.hex())
    book.reject(made, "another seat", "OtherPlace", "bad_opening", seat=1)
    book.reject(made, "another deck", "OtherPlace", "bad_opening", base=some_bytes("other base").hex())
    book.reject(made, "another commitment", "OtherPart", "bad_opening", digest=some_bytes("digest").hex())
    return book


def transcripts() -> Book:
    """Transcripts and what is drawn from them."""
    book = Book(
        "Transcripts: the label, then operations in order. 'append' and 'append_int' have a label and a value, "
        "'challenge' and 'challenges' (n draws) a label and what is drawn. Labels are text, data are hex.",
        "protocol/encoding.md, Transcripts",
        {
            "Draws": "Draws are entries themselves.",
            "Framing": "The same bytes, divided otherwise.",
            "Order": "Entries in another order.",
            "Kind": "An integer is not the bytes of an integer, n draws not n single draws.",
        },
    )

    def run(label: str, operations: list[list[Any]]) -> list[list[Any]]:
        return perform(label, operations)

    simple = book.accept("nothing said", ("Draws",), label="test", operations=run("test", [["challenge", "c"]]))
    twice: list[list[Any]] = [["challenge", "c"], ["challenge", "c"], ["challenges", "c", 2], ["challenge", "c"]]
    book.accept("draws one after another", ("Draws",), label="test", operations=run("test", twice))
    said: list[list[Any]] = [
        ["append_int", "deal", 1],
        ["append_int", "largest", 2**64 - 1],
        ["append", "data", "000102"],
        ["append", "empty", ""],
        ["challenge", "c"],
        ["challenges", "w", 3],
        ["challenges", "none", 0],
        ["challenge", "c"],
    ]
    full = book.accept("all kinds of entries", label="azi session proof", operations=run("azi session proof", said))
    two = book.accept("two entries", label="test", operations=run("test", [
        ["append", "a", "0102"], ["append", "b", "03"], ["challenge", "c"],
    ]))  # fmt: skip
    drawn = book.tests[two - 1]["operations"][-1]
    book.reject(two, "divided otherwise", "Framing", "wrong_value", operations=[
        ["append", "a", "01"], ["append", "b", "0203"], drawn,
    ])  # fmt: skip
    book.reject(two, "exchanged", "Order", "wrong_value", operations=[
        ["append", "b", "03"], ["append", "a", "0102"], drawn,
    ])  # fmt: skip
    book.reject(simple, "another label", "Framing", "wrong_value", label="tes")
    operations = book.tests[full - 1]["operations"]
    as_bytes = [["append", "deal", "0000000000000001"], *operations[1:]]
    book.reject(full, "an integer said as bytes", "Kind", "wrong_value", operations=as_bytes)
    without = [operation for operation in operations if operation[1] != "none"]
    book.reject(full, "without the draw of none", "Draws", "wrong_value", operations=without)
    return book


def perform(label: str, operations: list[list[Any]]) -> list[list[Any]]:
    """Carry out operations on a transcript; gives them with what was drawn."""
    transcript = Transcript(label.encode())
    done: list[list[Any]] = []
    for kind, name, *rest in operations:
        match kind:
            case "append":
                transcript.append(name.encode(), bytes.fromhex(rest[0]))
                done.append([kind, name, rest[0]])
            case "append_int":
                transcript.append_int(name.encode(), rest[0])
                done.append([kind, name, rest[0]])
            case "challenge":
                done.append([kind, name, transcript.challenge(name.encode()).hex()])
            case "challenges":
                drawn = transcript.challenges(name.encode(), rest[0])
                done.append([kind, name, rest[0], [scalar.hex() for scalar in drawn]])
            case _:
                raise ValueError(f"no operation {kind}")
    return done


def example_context(lane: str = "play", step: int = 5, seat: int = 2) -> Context:
    """Give a context as a table has them."""
    roster = tuple((number, some_bytes(f"identity {number}")) for number in (0, 2, 3))
    return Context(some_bytes("table"), heads.params_digest(PARAMS), roster, lane, 3, 1, step, some_bytes("head"), seat)


def context_fields(context: Context, purpose: bytes) -> Fields:
    """Give a context as the files have it."""
    return {
        "table": context.table.hex(),
        "params": context.params.hex(),
        "roster": [[seat, key.hex()] for seat, key in context.roster],
        "lane": context.lane,
        "deal": context.deal,
        "attempt": context.attempt,
        "step": context.step,
        "head": context.head.hex(),
        "seat": context.seat,
        "purpose": purpose.hex(),
    }


def context_of(fields: Fields) -> Transcript:
    """Give the transcript of a context from a file."""
    context = Context(
        bytes.fromhex(fields["table"]),
        bytes.fromhex(fields["params"]),
        tuple((seat, bytes.fromhex(key)) for seat, key in fields["roster"]),
        fields["lane"],
        fields["deal"],
        fields["attempt"],
        fields["step"],
        bytes.fromhex(fields["head"]),
        fields["seat"],
    )
    return context.transcript(bytes.fromhex(fields["purpose"]))


def other_contexts(context: Context, purpose: bytes) -> list[tuple[str, Fields]]:
    """Give contexts that differ in one thing each, with what that is."""
    fewer = tuple(entry for entry in context.roster if entry[0] != 3)
    other_key = tuple((seat, some_bytes("stranger") if seat == 3 else key) for seat, key in context.roster)
    changes: list[tuple[str, Context]] = [
        ("another table", replace(context, table=some_bytes("other table"))),
        ("other parameters", replace(context, params=some_bytes("other params"))),
        ("a seat fewer", replace(context, roster=fewer)),
        ("another key of another seat", replace(context, roster=other_key)),
        ("the other lane", replace(context, lane="deck" if context.lane == "play" else "play")),
        ("another deal", replace(context, deal=context.deal + 1)),
        ("another attempt", replace(context, attempt=context.attempt + 1)),
        ("another step", replace(context, step=context.step + 1)),
        ("another head", replace(context, head=some_bytes("other head"))),
        ("another prover", replace(context, seat=2 if context.seat == 0 else 0)),
    ]
    spoilt = [(comment, context_fields(changed, purpose)) for comment, changed in changes]
    return [*spoilt, ("another purpose", context_fields(context, b"other"))]


def contexts() -> Book:
    """Contexts of proofs."""
    book = Book(
        "The context with which every proof begins; 'challenge' is challenge(\"c\") drawn right after it.",
        "protocol/encoding.md, The context of a proof",
        {"OtherContext": "A context that differs in one thing."},
    )
    for comment, context, purpose in (
        ("a void proof", example_context(), b"void\1"),
        ("a shuffle", example_context("deck", 2, 0), b"shuffle"),
    ):
        fields = context_fields(context, purpose)
        made = book.accept(comment, context=fields, challenge=context_of(fields).challenge(b"c").hex())
    for comment, fields in other_contexts(context, purpose):
        book.reject(made, comment, "OtherContext", "wrong_value", context=fields)
    return book


def draw() -> Book:
    """The opener draw, once the tokens are in."""
    book = Book(
        "The seat that the opener draw yields: from the head after open and the sum of all x Q (its encoding).",
        "protocol/deal.md, What the tokens open",
        {"WrongSeat": "Another seat than the draw yields.", "Bytes": "A case in which bytes have to be passed over."},
    )
    passed_over = 0
    for number in range(2000):
        head, seats = some_bytes(f"head {number}"), (0, 1, 2, 3, 4, 5)[: 2 + number % 5]
        shared = element_from_uniform(some_bytes(f"shared {number}", 64))
        first = heads.tagged_hash("draw", head, shared, heads.number(0))[0]
        passes = first >= 256 - 256 % len(seats)
        if number >= 5 and (not passes or passed_over == 2):
            continue
        passed_over += passes
        seat = heads.draw_seat(head, shared, seats)
        flags = ("Bytes",) if passes else ()
        made = book.accept(
            f"{len(seats)} seats", flags, head=head.hex(), shared=shared.hex(), seats=list(seats), seat=seat
        )
        if number < 5:
            other = seats[(seats.index(seat) + 1) % len(seats)]
            book.reject(made, "the next seat", "WrongSeat", "wrong_value", seat=other)
    assert passed_over, "some case must show that bytes are passed over"
    gap = heads.draw_seat(some_bytes("head"), element_from_uniform(some_bytes("shared", 64)), (1, 4, 5))
    book.accept(
        "seats with gaps",
        head=some_bytes("head").hex(),
        shared=element_from_uniform(some_bytes("shared", 64)).hex(),
        seats=[1, 4, 5],
        seat=gap,
    )
    return book
