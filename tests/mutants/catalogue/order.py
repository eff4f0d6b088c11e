"""Order: heads, the places of messages, and the slots that two messages can't both fill."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

LANES, BREACHES = "azi_p2p/session/lanes.py", "azi_p2p/session/breaches.py"
SLOTS = "azi_p2p/session/slots.py"
HEADS = "azi_p2p/session/heads.py"
HEAD_TESTS = "tests/attacks/test_heads.py"


def _head(name: str, old: str, new: str, test: str) -> Mutant:
    claim = "a head says all that it was built on, so nobody can agree to it and deny a part"
    return Mutant(name, HEADS, old, new, claim, (f"{HEAD_TESTS}::{test}",))


_ABSENT = 'return tagged_hash("absent", lane.encode(), number(seat), number(deal), number(attempt), number(step), head)'
_DECK = 'return tagged_hash("deck", table, params, number(len(seats)), listing, number(deal), number(attempt), opened)'


def _without(text: str, part: str) -> str:
    return text.replace(f", {part}", "")


_HEADS = (
    _head(
        "heads without the head before",
        'tagged_hash("head", head, *entries)',
        'tagged_hash("head", *entries)',
        "test_it_is_another",
    ),
    _head(
        "heads without the messages",
        'tagged_hash("head", head, *entries)',
        'tagged_hash("head", head)',
        "test_it_is_another",
    ),
    *(
        _head(f"absences without their {what}", _ABSENT, _without(_ABSENT, part), "test_it_is_another")
        for what, part in (
            ("lane", "lane.encode()"),
            ("seat", "number(seat)"),
            ("deal", "number(deal)"),
            ("attempt", "number(attempt)"),
            ("step", "number(step)"),
            ("head", "head"),
        )
    ),
    *(
        _head(f"decks without their {what}", _DECK, _without(_DECK, part), "test_it_is_another")
        for what, part in (
            ("table", "table"),
            ("parameters", "params"),
            ("seats", "listing"),
            ("deal", "number(deal)"),
            ("attempt", "number(attempt)"),
            ("opening", "opened"),
        )
    ),
    _head(
        "tables without their founder",
        'tagged_hash("table", founder, nonce)',
        'tagged_hash("table", nonce)',
        "test_it_is_another",
    ),
    _head(
        "tables without their nonce",
        'tagged_hash("table", founder, nonce)',
        'tagged_hash("table", founder)',
        "test_it_is_another",
    ),
    _head(
        "foundings without their seats",
        'tagged_hash("founding", founding.id, *(seat.id for seat in seats))',
        'tagged_hash("founding", founding.id)',
        "test_a_founding_is_all_that_was_signed_for_it",
    ),
    _head(
        "hashed parts without their lengths",
        '        state.update(len(part).to_bytes(8, "big"))\n',
        "",
        "test_it_is_another",
    ),
)

_PLACES = (
    Mutant(
        "a head together with any deal and step",
        LANES,
        "if place_of(envelope) != state.place:",
        "if False:",
        "a head belongs to one step of one deal",
        ("tests/attacks/test_replay.py::test_message_on_the_right_head_with_another[step-Bid]",),
    ),
    Mutant(
        "seats out of turn",
        LANES,
        "            if seat not in (state.signers if isinstance(state, PlayState) else state.owed):\n",
        "            if False:\n",
        "only who owes a message gives one",
        (
            "tests/attacks/test_false_moves.py::test_out_of_turn[a bid]",
            "tests/attacks/test_false_moves.py::test_out_of_turn[a receipt]",
        ),
    ),
    Mutant(
        "any head",
        LANES,
        "if state is None or envelope.prev != state.head or envelope.attempt != state.attempt:",
        "if state is None:",
        "a message is judged only on the head that it names",
        ("tests/attacks/test_replay.py::test_message_on_a_head_that_is_not[Bid]",),
    ),
    Mutant(
        "any attempt",
        LANES,
        "if state is None or envelope.prev != state.head or envelope.attempt != state.attempt:",
        "if state is None or envelope.prev != state.head:",
        "an honest message for an attempt that another peer is ahead with waits, and is no fault",
        ("tests/attacks/test_order.py::test_ante_for_an_attempt_that_another_peer_may_have_begun",),
    ),
    Mutant(
        "late messages out of turn",
        LANES,
        "if seat not in past.owed:",
        "if False:",
        "who signed for a turn that it never had is at fault, also when it comes late",
        ("tests/attacks/test_order.py::test_message_for_a_turn_that_another_seat_had",),
    ),
    Mutant(
        "antes blamed though certificates differ",
        LANES,
        "if self.play.phase is PlayPhase.OPEN and self.play.dropped:",
        "if False:",
        "who knows of other certificates than we is not at fault",
        ("tests/attacks/test_two_certificates.py::test_ante_for_a_roster_without_another_seat_is_no_fault",),
    ),
)

_SLOTS = (
    Mutant(
        "two moves for one slot",
        BREACHES,
        "        if first is None:\n            return False\n        self.equivocation",
        '        if first is None or first.lane != "vote":\n            return False\n        self.equivocation',
        "who signs two different moves for one place is found out",
        ("tests/attacks/test_equivocation.py::test_two[1-answers in the bidding]",),
    ),
    Mutant(
        "two votes for one slot",
        LANES,
        "        self.counted[envelope.id] = envelope.deal\n        self.faults.clash(seat, envelope)\n",
        "        self.counted[envelope.id] = envelope.deal\n",
        "two different votes of a seat in one round are an equivocation",
        ("tests/attacks/test_votes.py::test_votes_of_one_seat_that_contradict_each_other",),
    ),
    Mutant(
        "equivocation in late messages",
        LANES,
        "if seat is None or self.faults.clash(seat, envelope):",
        "if seat is None:",
        "the second of two messages proves the fault also when its step is over",
        ("tests/attacks/test_order.py::test_second_message_for_a_turn_that_is_over",),
    ),
    *(
        Mutant(
            f"slots that don't name their {what}",
            SLOTS,
            'return (author, place.lane, place.deal, place.attempt, place.prev, 0, "", 0)',
            f'return ({changed}, 0, "", 0)',
            "messages for different places don't contradict each other",
            (f"{HEAD_TESTS}::test_slots_of_two_places_are_two",),
        )
        for what, changed in (
            ("author", 'b"", place.lane, place.deal, place.attempt, place.prev'),
            ("lane", 'author, "", place.deal, place.attempt, place.prev'),
            ("deal", "author, place.lane, 0, place.attempt, place.prev"),
            ("attempt", "author, place.lane, place.deal, 0, place.prev"),
            ("head", 'author, place.lane, place.deal, place.attempt, b""'),
        )
    ),
    Mutant(
        "votes for one seat taken for votes for another",
        SLOTS,
        "            body.seat,\n            body.lane,",
        "            0,\n            body.lane,",
        "two votes about two seats don't contradict each other",
        ("tests/attacks/test_order.py::test_votes_about_different_things_do_not_contradict_each_other",),
    ),
    Mutant(
        "votes of one round taken for votes of another",
        SLOTS,
        "            body.lane,\n            body.round,",
        "            body.lane,\n            0,",
        "who changes its mind in the next round is honest",
        ("tests/attacks/test_order.py::test_votes_about_different_things_do_not_contradict_each_other",),
    ),
    Mutant(
        "equivocation over two tables",
        SLOTS,
        "and first.table == second.table and",
        "and",
        "messages of two tables don't contradict each other",
        ("tests/attacks/test_order.py::test_two_messages_for_one_slot_and_nothing_else_are_an_equivocation",),
    ),
    Mutant(
        "a message that contradicts itself",
        SLOTS,
        "first.table == second.table and first.id != second.id",
        "first.table == second.table",
        "one message, enclosed twice, is no equivocation",
        ("tests/attacks/test_order.py::test_two_messages_for_one_slot_and_nothing_else_are_an_equivocation",),
    ),
    Mutant(
        "slots of other seats",
        SLOTS,
        "return slot is not None and slot == slot_of(second)",
        "return slot is not None",
        "two messages for different places are no equivocation",
        ("tests/attacks/test_order.py::test_two_messages_for_one_slot_and_nothing_else_are_an_equivocation",),
    ),
)

MUTANTS = (
    *_HEADS,
    *_PLACES,
    *_SLOTS,
)
