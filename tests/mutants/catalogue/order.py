"""Order: heads, places, slots, the founding, what waits and what is bounded; and what a peer signs itself."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

LANES, SLOTS, HEADS = "azi_p2p/session/lanes.py", "azi_p2p/session/slots.py", "azi_p2p/session/heads.py"
GATHERING, OWN, RUNNING = "azi_p2p/session/gathering.py", "azi_p2p/session/own.py", "azi_p2p/session/running.py"
TABLE, WISHES, ARCHIVE = "azi_p2p/session/table.py", "azi_p2p/session/wishes.py", "azi_p2p/session/archive.py"
EQUIVOCATION, REPLAY = "tests/attacks/test_equivocation.py", "tests/attacks/test_replay.py"
BOUNDS, RESTART, HEAD_TESTS = (
    "tests/hostile/test_bounds.py",
    "tests/session/test_restart.py",
    "tests/attacks/test_heads.py",
)


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
        "            if seat not in state.owed:\n",
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
        LANES,
        '        if first is None:\n            return False\n        message = f"two',
        '        if first is None or first.lane != "vote":\n            return False\n        message = f"two',
        "who signs two different moves for one place is found out",
        ("tests/attacks/test_equivocation.py::test_two[1-answers in the bidding]",),
    ),
    Mutant(
        "two votes for one slot",
        LANES,
        "        self.counted[envelope.id] = envelope.deal\n        self._clash(seat, envelope)\n",
        "        self.counted[envelope.id] = envelope.deal\n",
        "two different votes of a seat in one round are an equivocation",
        ("tests/attacks/test_votes.py::test_votes_of_one_seat_that_contradict_each_other",),
    ),
    Mutant(
        "equivocation in late messages",
        LANES,
        "if seat is None or self._clash(seat, envelope):",
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

_BOUNDS = (
    Mutant(
        "messages of any deal wait",
        LANES,
        "if not self.play.deal - 1 <= envelope.deal <= self.play.deal + 2:",
        "if False:",
        "what can't come soon isn't kept",
        ("tests/attacks/test_order.py::test_message_of_a_deal_that_is_far_away_is_not_kept",),
    ),
    Mutant(
        "any number of messages wait",
        LANES,
        "if waiting >= room:",
        "if False:",
        "a flood of messages for steps to come fills nothing",
        (f"{BOUNDS}::test_messages_for_steps_to_come_are_kept_up_to_a_bound",),
    ),
    Mutant(
        "breach after breach",
        LANES,
        "if (envelope.author, envelope.lane) not in self.breaches:",
        "if True:",
        "the first breach is kept, the others aren't even passed on",
        (f"{BOUNDS}::test_one_breach_after_another",),
    ),
    Mutant(
        "messages at places that never were",
        LANES,
        "return past is not None and place_of(envelope) != past.place",
        "return False",
        "one head names one place, and no more is kept for it",
        (f"{BOUNDS}::test_one_head_named_with_many_deals",),
    ),
    Mutant(
        "early messages without end",
        TABLE,
        "if sum(other.author == envelope.author for other in self._early.values()) >= MAX_EARLY_OF_ONE:",
        "if False:",
        "one who asks for a seat can't fill the room of the others' first messages",
        ("tests/hostile/test_early.py",),
    ),
    Mutant(
        "early messages of strangers",
        TABLE,
        "envelope.author not in self._gathering.seats or len(self._early) >= MAX_EARLY:",
        "len(self._early) >= MAX_EARLY:",
        "before the founding, only who asks for a seat is listened to",
        ("tests/hostile/test_early.py",),
    ),
    Mutant(
        "seats asked for without end",
        TABLE,
        "return self._seats_left.take(sender, now)",
        "return True",
        "invented people who want a seat come no faster than real ones",
        ("tests/hostile/test_allowances.py::test_one_stranger_that_asks_for_a_seat_again_and_again",),
    ),
    Mutant(
        "applications without end",
        WISHES,
        "if known is None and len(self.applications) >= MAX_APPLICATIONS and not self._make_room(envelope.author):",
        "if False:",
        "the list of those who want to join is bounded",
        (f"{BOUNDS}::test_thousands_of_seat_requests_at_a_running_table",),
    ),
    Mutant(
        "applicants without end",
        GATHERING,
        "if full and not self._make_room(envelope):",
        "if False:",
        "the list of those who want a seat is bounded",
        (f"{BOUNDS}::test_thousands_of_seat_requests_before_the_founding",),
    ),
    Mutant(
        "chat without end",
        RUNNING,
        "        if counted and not self._chat_left.take(envelope.author, now):\n            return False\n",
        "",
        "talk is cheap but not free",
        (f"{BOUNDS}::test_talk_is_cheap_but_not_free",),
    ),
    Mutant(
        "wishes without end",
        RUNNING,
        "        if counted and not self._requests_left.take(envelope.author, now):\n            return False\n",
        "",
        "talk is cheap but not free",
        (f"{BOUNDS}::test_talk_is_cheap_but_not_free",),
    ),
    Mutant(
        "votes without end",
        RUNNING,
        "return self._votes_left.take(envelope.author, now)",
        "return True",
        "votes take a bounded part of our time",
        ("tests/hostile/test_allowances.py::test_one_voter_in_one_round_after_another",),
    ),
    Mutant(
        "polls without end",
        RUNNING,
        "if sum(poll.opened_by == envelope.author for poll in lanes.polls.values()) >= MAX_POLLS:",
        "if False:",
        "one author raises so many questions and no more",
        ("tests/hostile/test_allowances.py::test_one_voter_that_asks_about_heads_that_nobody_knows",),
    ),
    Mutant(
        "polls about deals that never come",
        RUNNING,
        "if abs(question.place.deal - lanes.play.deal) > 1 or lanes.is_nowhere(question.place):",
        "if lanes.is_nowhere(question.place):",
        "votes about deals that never come are not kept",
        (f"{BOUNDS}::test_votes_about_deals_that_never_come",),
    ),
    Mutant(
        "polls about places that aren't",
        RUNNING,
        "if abs(question.place.deal - lanes.play.deal) > 1 or lanes.is_nowhere(question.place):",
        "if abs(question.place.deal - lanes.play.deal) > 1:",
        "votes about places that aren't are not kept",
        ("tests/attacks/test_order.py::test_vote_about_a_step_that_was_never_taken_on_a_known_head",),
    ),
    Mutant(
        "floods that nobody hangs up on",
        TABLE,
        "if sender in self._links and not self._useless_left.take(sender, now):",
        "if False:",
        "who does nothing but flood is hung up on",
        (f"{BOUNDS}::test_who_does_nothing_but_flood_is_hung_up_on",),
    ),
    Mutant(
        "answers to every question",
        "azi_p2p/session/sync.py",
        "if not self.allowance.take(peer, now):",
        "if False:",
        "a flood of questions gets few answers",
        (f"{BOUNDS}::test_a_flood_of_questions_gets_few_answers",),
    ),
)

_FOUNDING = (
    Mutant(
        "foundings by anybody",
        GATHERING,
        "if self.founding is not None or (self.founder is not None and envelope.author != self.founder):",
        "if self.founding is not None:",
        "only the founder makes the list of seats",
        ("tests/attacks/test_founding.py::test_list_by_somebody_else",),
    ),
    Mutant(
        "foundings that the founder hasn't signed",
        GATHERING,
        "if founding is None or params is None or founding.author != self.founder:",
        "if founding is None or params is None:",
        "a list that came before the founder was known counts only if it is the founder's",
        ("tests/attacks/test_founding.py",),
    ),
    Mutant(
        "a second founding",
        GATHERING,
        "if self.founding is not None or (self.founder is not None and envelope.author != self.founder):",
        "if self.founder is not None and envelope.author != self.founder:",
        "the founder's first list holds",
        ("tests/attacks/test_founding.py",),
    ),
    Mutant(
        "seats taken for other parameters",
        GATHERING,
        "elif self.params is not None and body.params != self.params:",
        "elif False:",
        "who takes a seat has signed the parameters of the table",
        ("tests/attacks/test_founding.py",),
    ),
    Mutant(
        "parameters that contradict each other",
        GATHERING,
        "                rules_params(body.params)\n",
        "                pass\n",
        "a table whose parameters the rules refuse is refused",
        equivalent="a `seat` message is bounded as the rules are; test_founding holds the two together",
    ),
    Mutant(
        "one key on two seats",
        GATHERING,
        "if len(keys) != len(chosen) or chosen[0].author != self.founder or not same or len(chosen) > params.seats:",
        "if chosen[0].author != self.founder or not same or len(chosen) > params.seats:",
        "a key holds one seat",
        ("tests/attacks/test_founding.py",),
    ),
    Mutant(
        "more seats than the table has",
        GATHERING,
        "or not same or len(chosen) > params.seats:",
        "or not same:",
        "a table has so many seats",
        ("tests/attacks/test_founding.py",),
    ),
    Mutant(
        "a founder who doesn't sit first",
        GATHERING,
        "if len(keys) != len(chosen) or chosen[0].author != self.founder or not same",
        "if len(keys) != len(chosen) or not same",
        "the founder has the first seat",
        ("tests/attacks/test_founding.py",),
    ),
    Mutant(
        "listed seats for other parameters",
        GATHERING,
        "chosen[0].author != self.founder or not same or",
        "chosen[0].author != self.founder or",
        "everybody at the table has signed the same parameters",
        ("tests/attacks/test_founding.py",),
    ),
)

_OWN = (
    Mutant(
        "signing a second time",
        OWN,
        "            if first is not envelope:\n                return first\n",
        "",
        "a peer signs one message for one slot, whatever happens",
        ("tests/attacks/test_order.py::test_nothing_is_signed_twice_for_one_slot",),
    ),
    Mutant(
        "own messages that came from others are forgotten",
        TABLE,
        "if not own and self._own is not None and envelope.author == self._own.key and self._own.adopt(envelope):",
        "if False:",
        "an older copy of a profile is noticed before it signs",
        (f"{RESTART}::test_an_older_copy_of_a_profile_is_noticed_before_it_signs_anything",),
    ),
    Mutant(
        "speaking before a majority has told",
        "azi_p2p/session/resuming.py",
        "return 2 * len({own, *self.heard} & set(roster)) > len(roster)",
        "return True",
        "after a restart nothing is signed before a majority has told how far it is",
        (f"{RESTART}::test_it_keeps_silent_until_a_majority_has_told",),
    ),
    Mutant(
        "a journal that isn't read",
        TABLE,
        "            self._own.recall(play.table)\n",
        "            pass\n",
        "what was signed before a crash is known after it",
        ("tests/session/test_restart.py::test_it_keeps_silent_until_a_majority_has_told",),
    ),
    Mutant(
        "envelopes sent before they are in the journal",
        OWN,
        '        self._note_chat(envelope)\n        self._out.persist("envelope", raw)\n',
        "        self._note_chat(envelope)\n",
        "what is sent is in the journal first",
        ("tests/attacks/test_order.py::test_nothing_is_signed_twice_for_one_slot",),
    ),
    Mutant(
        "secrets that aren't in the journal",
        OWN,
        '            self._out.persist("secret", encode(record))\n',
        "",
        "a deal secret is in the journal before a message depends on it",
        ("tests/attacks/test_order.py::test_everything_that_is_sent_is_in_the_journal_first",),
    ),
    Mutant(
        "secrets of closed deals are kept",
        OWN,
        "        for base in gone:\n            del self._secrets[base]\n",
        "",
        "deal secrets are erased when their deal has closed",
        ("tests/attacks/test_order.py::test_secrets_and_hand_of_a_closed_deal_are_gone",),
    ),
    Mutant(
        "secrets of closed deals stay in the journal",
        OWN,
        'self._out.persist("erase", encode(EraseRecord(table=table, deal=deal)))',
        "pass",
        "deal secrets are erased from the disk too",
        ("tests/attacks/test_order.py::test_secrets_and_hand_of_a_closed_deal_are_gone",),
    ),
    Mutant(
        "hands of closed deals are kept",
        OWN,
        "if self._hand is not None and self._hand[0] not in self._secrets:",
        "if False:",
        "the hand goes with the secrets of its deal",
        ("tests/attacks/test_order.py::test_secrets_and_hand_of_a_closed_deal_are_gone",),
    ),
    Mutant(
        "commands for other seats",
        RUNNING,
        'if getattr(action, "seat", seat) != seat:',
        "if False:",
        "a person acts for one seat",
        ("tests/attacks/test_order.py::test_a_person_acts_for_one_seat_only",),
    ),
    Mutant(
        "requests that are out of date",
        WISHES,
        "return isinstance(body, Request) and body.number > self.highest(envelope.author)",
        "return isinstance(body, Request)",
        "only a signer's highest request counts",
        ("tests/attacks/test_order.py::test_only_the_highest_request_of_a_signer_counts",),
    ),
    Mutant(
        "chat said again",
        RUNNING,
        "if seat is None or body.number <= self._chat.get(envelope.author, 0):",
        "if seat is None:",
        "nobody's words are said again by somebody else",
        ("tests/attacks/test_order.py::test_words_said_again_by_somebody_else_are_heard_once",),
    ),
)

MUTANTS = (*_HEADS, *_PLACES, *_SLOTS, *_BOUNDS, *_FOUNDING, *_OWN)
