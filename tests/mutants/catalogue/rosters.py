"""Between two deals: which wishes a roster may honour, and who is dealt in."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

ROSTER = "azi_p2p/session/roster.py"
FALSE_MOVES = "tests/attacks/test_false_moves.py"


def _roster(name: str, old: str, claim: str, attack: str, file: str = ROSTER) -> Mutant:
    return Mutant(name, file, old, "if False:", claim, (f"{FALSE_MOVES}::test_roster_with[{attack}]",))


_ROSTERS = (
    _roster(
        "wishes of strangers",
        "if not seats:",
        "a roster honours the wishes of seats",
        "a request of a stranger",
    ),
    _roster(
        "wishes honoured again",
        "if body.number <= change.honoured.get(envelope.author, 0):",
        "a wish takes effect once",
        "a request twice",
    ),
    Mutant(
        "wishes that nobody has signed",
        ROSTER,
        "        envelope = open_signed(raw)\n    except (WireError, CryptoError) as error:\n        raise Fault",
        "        envelope = decode_envelope(raw)\n    except (WireError, CryptoError) as error:\n        raise Fault",
        "nobody's wish can be invented",
        (f"{FALSE_MOVES}::test_roster_with[a request that it has forged]",),
    ),
    Mutant(
        "wishes to another table",
        ROSTER,
        'if envelope.table != play.table or envelope.type not in ("request", "seat"):',
        'if envelope.type not in ("request", "seat"):',
        "a wish is for one table",
        (f"{FALSE_MOVES}::test_roster_with[a request to another table]",),
    ),
    Mutant(
        "any message for a wish",
        ROSTER,
        'if envelope.table != play.table or envelope.type not in ("request", "seat"):',
        "if envelope.table != play.table:",
        "a roster holds requests",
        (f"{FALSE_MOVES}::test_roster_with[a message that is no request]",),
    ),
    Mutant(
        "seats for other parameters",
        ROSTER,
        "if body.params != play.wire_params:",
        "if False:",
        "who joins has signed the parameters of the table",
        ("tests/attacks/test_wishes.py::test_roster_that_seats_somebody_where_a_seat_is_free_but",),
    ),
    Mutant(
        "two seats for one",
        ROSTER,
        'raise Fault("bad_roster", "the roster seats somebody twice")',
        "pass",
        "a key holds one seat",
        ("tests/attacks/test_wishes.py::test_roster_that_seats_somebody_where_a_seat_is_free_but",),
    ),
    Mutant(
        "a join that is replayed",
        ROSTER,
        "if envelope.id in change.seated:",
        "if False:",
        "whoever has left isn't seated again by an old request",
        ("tests/attacks/test_wishes.py::test_roster_that_seats_somebody_where_a_seat_is_free_but",),
    ),
    Mutant(
        "a seat where none is free",
        ROSTER,
        '    raise Fault("bad_roster", "the roster seats somebody where no seat is free")',
        "    return change",
        "nobody is seated where no seat is free",
        (f"{FALSE_MOVES}::test_roster_with[a seat where none is free]",),
    ),
    Mutant(
        "rosters with which nobody plays",
        ROSTER,
        "if must_deal and over is None and",
        "if must_deal is None and",
        "a roster can't bring the table to a halt",
        ("tests/attacks/test_wishes.py",),
    ),
    Mutant(
        "wishes against the rules",
        ROSTER,
        '        raise Fault("bad_roster", f"the roster honours a wish against',
        '        return change\n        raise Fault("bad_roster", f"the roster honours a wish against',
        "a roster honours what the rules allow",
        (f"{FALSE_MOVES}::test_roster_with[a rebuy without need]",),
    ),
    Mutant(
        "absent seats dealt in",
        ROSTER,
        "    for seat in sorted(play.absent):\n",
        "    for seat in ():\n",
        "who was certified absent sits out until it asks to return",
        ("tests/attacks/test_wishes.py::test_who_was_absent_is_dealt_in_again_only_when_it_asks",),
    ),
    Mutant(
        "guilty seats that come back",
        "azi_p2p/session/wishes.py",
        "if seat is None or key in refused or not isinstance(envelope.body, Request):",
        "if seat is None or not isinstance(envelope.body, Request):",
        "a seat with a proven fault is in no later roster",
        ("tests/attacks/test_wishes.py",),
    ),
    Mutant(
        "guilty people who join again",
        "azi_p2p/session/wishes.py",
        "for key, e in self.applications.items() if key not in refused and e.id not in play.seated]",
        "for key, e in self.applications.items() if e.id not in play.seated]",
        "who was at fault gets no other seat",
        ("tests/attacks/test_wishes.py",),
    ),
)

MUTANTS = (*_ROSTERS,)
