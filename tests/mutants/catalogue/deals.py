"""What a seat may do in a deal, and between two: decks, tokens, cards, bids, receipts and rosters."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

DECKLANE, PLAYLANE, JOBS = "azi_p2p/session/decklane.py", "azi_p2p/session/playlane.py", "azi_p2p/session/jobs.py"
ROSTER, RULES = "azi_p2p/session/roster.py", "azi_p2p/rules/"
FALSE_DECKS, FALSE_MOVES = "tests/attacks/test_false_decks.py", "tests/attacks/test_false_moves.py"
REPLAY = "tests/attacks/test_replay.py"
EVERY_TYPE = f"{REPLAY}::test_every_type_in_every_phase_of_both_lanes"

_DECKS = (
    Mutant(
        "another type in the deck lane",
        DECKLANE,
        "if envelope.type != deck.phase:",
        "if False:",
        "each step of the deck lane takes one type of message",
        (f"{FALSE_DECKS}::test_another_message_in_place_of",),
    ),
    Mutant(
        "reveals that were not committed to",
        DECKLANE,
        "verify_opening(deck.commits[seat], COMMIT_TAG, deck.base, number(seat), encode(body))",
        "pass",
        "nobody chooses its key or entropy after those of the others",
        (f"{FALSE_DECKS}::test_reveal_chosen_after_those_of_the_others",),
    ),
    Mutant(
        "deal keys without a proof",
        DECKLANE,
        "verify_ownership(key, proof, deck.ownership_context(seat).transcript(OWNERSHIP))",
        "pass",
        "nobody names a key whose secret it doesn't know",
        (f"{FALSE_DECKS}::test_commitment_to_and_reveal_of[a key that cancels the others]",),
    ),
    Mutant(
        "commitments that name no seat",
        DECKLANE,
        "return commit(COMMIT_TAG, deck.base, number(seat), encode(body))",
        "return commit(COMMIT_TAG, deck.base, number(0), encode(body))",
        "a commitment is one seat's, and nobody else's to repeat",
        ("tests/attacks/test_decks.py::test_a_commitment_is_one_seats_own",),
    ),
    Mutant(
        "shuffles that nobody checks",
        DECKLANE,
        "return CheckShuffle(deck.deck, deck.joint, body, deck.context(seat))",
        "return None",
        "a shuffle counts once its proof holds",
        (f"{FALSE_DECKS}::test_shuffle_with[a duplicate card]",),
    ),
    Mutant(
        "decks that one seat hasn't shuffled",
        DECKLANE,
        "phase = DeckPhase.READY if done == len(deck.roster) else DeckPhase.SHUFFLE",
        "phase = DeckPhase.READY if done == len(deck.roster) - 1 else DeckPhase.SHUFFLE",
        "every seat has shuffled, so one honest seat is enough",
        ("tests/attacks/test_decks.py",),
    ),
    Mutant(
        "proof of ownership from any deck",
        DECKLANE,
        'self.table, self.params, self.roster, "deck", self.deal, self.attempt, REVEAL_STEP, self.base, seat',
        'self.table, self.params, self.roster, "deck", self.deal, self.attempt, REVEAL_STEP, bytes(32), seat',
        "a proof of ownership is for one deck",
        (f"{FALSE_DECKS}::test_commitment_to_and_reveal_of[a proof for another deck]",),
    ),
    Mutant(
        "shuffle jobs that check nothing",
        JOBS,
        "verify_shuffle(self.before, after, proof, self.joint_key, self.context.transcript(DECK))",
        "pass",
        "a shuffle without its proof doesn't count",
        (f"{FALSE_DECKS}::test_shuffle_with[the proof of another shuffle]",),
    ),
)

_TOKENS_AND_CARDS = (
    Mutant(
        "tokens that nobody checks",
        JOBS,
        "verify_tokens(self.key, self.bases, tokens, proof, self.context.transcript(TOKENS))",
        "pass",
        "a wrong token spoils nobody's card",
        (f"{FALSE_MOVES}::test_tokens_with[tokens of another secret]",),
    ),
    Mutant(
        "any number of tokens",
        PLAYLANE,
        "if len(body.tokens) != len(bases):",
        "if False:",
        "a seat gives exactly the tokens that it owes, so it can neither hold one back nor open its own card",
        (
            f"{FALSE_MOVES}::test_tokens_with[a token too few]",
            f"{FALSE_MOVES}::test_tokens_with[a token too many]",
        ),
    ),
    Mutant(
        "tokens for the own cards",
        PLAYLANE,
        "for index in range(last + 1) if index not in own]\n    if rules.needs_draw",
        "for index in range(last + 1)]\n    if rules.needs_draw",
        "each private card lacks its owner's token",
        ("tests/attacks/test_secrets.py",),
    ),
    Mutant(
        "a draw that is known before the antes are signed",
        PLAYLANE,
        "return hash_to_group(DRAW_LABEL + head)",
        "return hash_to_group(DRAW_LABEL)",
        "nobody can steer the draw of the opener",
        ("tests/attacks/test_decks.py",),
    ),
    Mutant(
        "cards without a proof of their token",
        JOBS,
        "verify_tokens(self.key, (self.played.c1,), (token,), proof, self.context.transcript(PLAY))",
        "pass",
        "nobody makes a token to fit the card that it would like to play",
        (f"{FALSE_MOVES}::test_play_of[a token made to fit]",),
    ),
    Mutant(
        "cards that aren't held",
        JOBS,
        "if opened(self.played, token) != self.card:",
        "if False:",
        "a seat plays the cards that it was dealt",
        (f"{FALSE_MOVES}::test_play_of[a card that it does not hold]",),
    ),
    Mutant(
        "void proofs that nobody checks",
        JOBS,
        "            verify_void(\n                self.key,",
        "            str(\n                self.key,",
        "who doesn't follow has no card of the suit",
        (f"{FALSE_MOVES}::test_not_following_suit_while_holding_it_with",),
    ),
    Mutant(
        "void proofs that are missing",
        PLAYLANE,
        "if len(body.void) != len(owed.held):",
        "if False:",
        "who doesn't follow proves that it can't",
        (f"{FALSE_MOVES}::test_not_following_suit_while_holding_it_with[no void proofs]",),
    ),
    Mutant(
        "void proofs for one position less",
        PLAYLANE,
        "for other in rules.held_positions(play.game, seat) if other != position}",
        "for other in rules.held_positions(play.game, seat)[1:] if other != position}",
        "every card still held is proven not to be of the suit",
        (
            f"{FALSE_MOVES}::test_not_following_suit_while_holding_it_with[a held card left out]",
            "tests/attacks/test_decks.py",
        ),
    ),
    Mutant(
        "void proofs of another set",
        PLAYLANE,
        "names = tuple(name for name in rules.deck_of(play.params) if rules.suit_of(name) not in suits)",
        "names = tuple(name for name in rules.deck_of(play.params) if rules.suit_of(name) not in suits[:1])",
        "who neither follows nor trumps has no trump either",
        ("tests/attacks/test_decks.py",),
    ),
    Mutant(
        "no void proof from who trumps",
        RULES + "play.py",
        "return (led,) if trump in (led, card[1]) else (led, trump)",
        "return () if trump in (led, card[1]) else (led, trump)",
        "who trumps has no card of the led suit",
        ("tests/attacks/test_decks.py",),
    ),
    Mutant(
        "cards played twice",
        RULES + "play.py",
        "if not deal.held[seat] >> position & 1:",
        "if False:",
        "a card that was played or discarded is gone",
        (
            f"{FALSE_MOVES}::test_play_of[a card that it has played]",
            f"{FALSE_MOVES}::test_play_of_a_card_that_it_has_discarded",
        ),
    ),
    Mutant(
        "positions that aren't",
        RULES + "play.py",
        "if type(position) is not int or not 0 <= position < state.params.hand_size:",
        "if False:",
        "a hand has so many cards",
        (f"{FALSE_MOVES}::test_play_of[a position that is not]",),
    ),
    Mutant(
        "cards of no deck",
        RULES + "play.py",
        "if hand[position] is not None or card not in DECK_SETS[state.params.out_suit] or card == deal.upcard:",
        "if hand[position] is not None or card == deal.upcard:",
        "a card is one of the deck",
        (f"{FALSE_MOVES}::test_play_of[a card of the suit left out]", "tests/rules"),
    ),
)

_BIDS = (
    Mutant(
        "actions that the rules refuse",
        PLAYLANE,
        "        rules.apply(play.game, action)\n    except IllegalAction as error:",
        "        str(action)\n    except IllegalAction as error:",
        "every action is judged by the rules when it is made",
        (f"{FALSE_MOVES}::test_false[a bid over its stack]",),
    ),
    Mutant(
        "bids over the stack",
        RULES + "bidding.py",
        "if more > state.chips[seat]:",
        "if False:",
        "nobody bids what it hasn't got",
        (f"{FALSE_MOVES}::test_false[a bid over its stack]",),
    ),
    Mutant(
        "bids that are too low",
        RULES + "bidding.py",
        "if to < least:",
        "if False:",
        "a raise raises, and by as much as the rules say",
        (f"{FALSE_MOVES}::test_false[a raise that is too small]",),
    ),
    Mutant(
        "checks at any table",
        RULES + "bidding.py",
        'if state.params.opener_rule != "may_check":',
        "if False:",
        "the opener checks only where the table allows it",
        (f"{FALSE_MOVES}::test_false[a check that the table does not allow]",),
    ),
    Mutant(
        "bids without end",
        RULES + "bidding.py",
        "if count >= state.params.max_bids:",
        "if False:",
        "nobody raises more often than the table allows",
        ("tests/rules",),
    ),
    Mutant(
        "any type where an action is owed",
        PLAYLANE,
        '    if action is None:\n        raise Fault("wrong_type"',
        '    if action is None:\n        return None\n    if action is None:\n        raise Fault("wrong_type"',
        "where an action is owed, nothing else counts",
        (EVERY_TYPE,),
    ),
    Mutant(
        "receipts for other chips",
        PLAYLANE,
        "if body != receipt(play):",
        "if False:",
        "a receipt names the chips that the deal led to",
        (
            f"{FALSE_MOVES}::test_false[chips moved in the receipt]",
            f"{FALSE_MOVES}::test_false[a receipt of another state]",
        ),
    ),
    Mutant(
        "receipts that don't name the state",
        PLAYLANE,
        "if body != receipt(play):",
        "if body.chips != receipt(play).chips:",
        "a receipt names the whole state",
        (f"{FALSE_MOVES}::test_false[a receipt of another state]",),
    ),
    Mutant(
        "any standings",
        PLAYLANE,
        "if body != ending(play):",
        "if False:",
        "the standings are those of the table",
        (f"{FALSE_MOVES}::test_standings_that_are_not", f"{FALSE_MOVES}::test_end_of_a_table_for_another_reason"),
    ),
    Mutant(
        "antes for any roster",
        PLAYLANE,
        "if body != expected:",
        "if False:",
        "an ante names the roster, the chips and the receipt that hold",
        (f"{FALSE_MOVES}::test_ante_signed_for",),
    ),
    Mutant(
        "antes over any deck",
        "azi_p2p/session/lanes.py",
        "if deck is None or deck.phase is not DeckPhase.READY or not playlane.names_deck(envelope, deck):",
        "if deck is None or deck.phase is not DeckPhase.READY:",
        "an ante counts on the deck that it names",
        equivalent="the whole ante is then compared with the one over the deck that is ready, which names it",
    ),
    Mutant(
        "antes counted unseen",
        "azi_p2p/session/lanes.py",
        "return envelope.body == playlane.opening(self.play, deck.head)",
        "return True",
        "an ante that waited for its deck counts only if it names the roster that holds by then",
        ("tests/attacks/test_dropping.py", "tests/attacks/test_vanishing.py::test_two_of_six_vanish_at_once_at[open]"),
    ),
    Mutant(
        "messages after the end",
        PLAYLANE,
        'raise Fault("table_over", "the table has ended")',
        "pass",
        "nothing follows the end of a table",
        (EVERY_TYPE,),
    ),
    *(
        Mutant(
            f"another type where {article} {kind} is owed",
            PLAYLANE,
            f'raise _wrong_type(envelope, "{kind}")',
            "return None",
            "each step of the play lane takes its own type of message",
            (EVERY_TYPE,),
        )
        for article, kind in (("a", "roster"), ("an", "open"), ("a", "tokens"), ("a", "close"), ("an", "end"))
    ),
)


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
    _roster(
        "seats for other parameters",
        "if body.params != play.wire_params:",
        "who joins has signed the parameters of the table",
        "a seat for other parameters",
    ),
    Mutant(
        "two seats for one",
        ROSTER,
        'raise Fault("bad_roster", "the roster seats somebody twice")',
        "pass",
        "a key holds one seat",
        (f"{FALSE_MOVES}::test_roster_with[a second seat for itself]",),
    ),
    Mutant(
        "a join that is replayed",
        ROSTER,
        "if envelope.id in change.seated:",
        "if False:",
        "whoever has left isn't seated again by an old request",
        ("tests/attacks/test_old_rosters.py::test_seat_request_said_again_after_its_author_has_left",),
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
        ("tests/attacks/test_vanishing.py",),
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

MUTANTS = (*_DECKS, *_TOKENS_AND_CARDS, *_BIDS, *_ROSTERS)
