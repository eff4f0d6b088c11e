"""What others may make a peer keep, do and pass on."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

LANES, FILING = "azi_p2p/session/lanes.py", "azi_p2p/session/filing.py"
GATHERING = "azi_p2p/session/gathering.py"
RUNNING = "azi_p2p/session/running.py"
TABLE = "azi_p2p/session/table.py"
WISHES = "azi_p2p/session/wishes.py"
BOUNDS = "tests/hostile/test_bounds.py"

_BOUNDS = (
    Mutant(
        "messages of any deal wait",
        FILING,
        "if not play.deal - 1 <= envelope.deal <= play.deal + 2:",
        "if False:",
        "what can't come soon isn't kept",
        ("tests/attacks/test_order.py::test_message_of_a_deal_that_is_far_away_is_not_kept",),
    ),
    Mutant(
        "any number of messages wait",
        FILING,
        "if waiting >= room:",
        "if False:",
        "a flood of messages for steps to come fills nothing",
        (f"{BOUNDS}::test_messages_for_steps_to_come_are_kept_up_to_a_bound",),
    ),
    Mutant(
        "breach after breach",
        LANES,
        "if (envelope.author, envelope.lane) not in self.faults.by_lane:",
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
        "return own or self._votes_left.take(envelope.author, now)",
        "return True",
        "votes take a bounded part of our time",
        ("tests/hostile/test_allowances.py::test_one_voter_in_one_round_after_another",),
    ),
    Mutant(
        "polls without end",
        RUNNING,
        "if max(undecided, nowhere) >= MAX_POLLS or lanes.ballots.contradicts(question.place):",
        "if lanes.ballots.contradicts(question.place):",
        "one author raises so many questions and no more",
        ("tests/hostile/test_allowances.py::test_one_voter_that_asks_about_heads_that_nobody_knows",),
    ),
    Mutant(
        "decided polls about heads that nobody knows",
        RUNNING,
        "if max(undecided, nowhere) >= MAX_POLLS or lanes.ballots.contradicts(question.place):",
        "if undecided >= MAX_POLLS or lanes.ballots.contradicts(question.place):",
        "one author raises so many questions about heads that nobody knows and no more",
        ("tests/attacks/test_asked_votes.py::test_a_flood_of_questions_that_go_on_for_ever_does_not_stop_the_others",),
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

MUTANTS = (*_BOUNDS,)
