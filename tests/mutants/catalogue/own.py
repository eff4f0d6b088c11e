"""The founding of a table, and what a peer signs, journals and forgets itself."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

GATHERING = "azi_p2p/session/gathering.py"
OWN = "azi_p2p/session/own.py"
RUNNING = "azi_p2p/session/running.py"
TABLE = "azi_p2p/session/table.py"
WISHES = "azi_p2p/session/wishes.py"
RESTART = "tests/session/test_restart.py"

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
        equivalent="whoever holds somebody else's list lets go of it as soon as the founder is known",
    ),
    Mutant(
        "foundings by somebody else that came first",
        GATHERING,
        "            if self.founding is not None and self.founding.author != self.founder:",
        "            if False:",
        "somebody else's list, heard before the founder is known, doesn't keep the founder's out",
        ("tests/attacks/test_founding.py::test_list_by_somebody_else_that_comes_before_the_founder_is_known",),
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

MUTANTS = (
    *_FOUNDING,
    *_OWN,
    Mutant(
        "a second list of seats after a restart",
        "azi_p2p/session/table.py",
        "            for envelope in own.beginnings(gathering.table):\n",
        "            for envelope in own.beginnings(gathering.table)[:0]:\n",
        "a founder that was killed signs no second list of seats",
        ("tests/session/test_restart.py::test_a_founder_that_died_after_signing_the_list_of_seats_signs_no_other",),
    ),
    Mutant(
        "seats asked for anew after a restart",
        "azi_p2p/session/own.py",
        "messages.SeatRequest | messages.Founding",
        "messages.Founding",
        "who was killed before the table was founded asks for the seat that it had asked for",
        ("tests/simulation/test_split_votes.py",),
    ),
)
