"""What a seat may do in a deal: decks, tokens, cards, bids and receipts."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

DECKLANE = "azi_p2p/session/decklane.py"
PLAYLANE = "azi_p2p/session/playlane.py"
JOBS = "azi_p2p/session/jobs.py"
RULES = "azi_p2p/rules/"
FALSE_DECKS = "tests/attacks/test_false_decks.py"
FALSE_MOVES = "tests/attacks/test_false_moves.py"
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
        ("tests/attacks/test_decks.py::test_every_seat_has_shuffled_before_the_antes[2]",),
    ),
    Mutant(
        "proof of ownership from any deck",
        DECKLANE,
        'self.table, self.params, self.roster, "deck", self.deal, self.attempt, REVEAL_STEP, self.base, seat',
        'self.table, self.params, self.roster, "deck", self.deal, self.attempt, REVEAL_STEP, bytes(32), seat',
        "a proof of ownership is for one deck",
        ("tests/attacks/test_decks.py::test_a_proof_of_ownership_is_for_one_deck",),
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
        ("tests/attacks/test_decks.py::test_nobody_gives_a_token_for_its_own_card_and_everybody_for_all_others",),
    ),
    Mutant(
        "a draw that is known before the antes are signed",
        PLAYLANE,
        "return hash_to_group(DRAW_LABEL + head)",
        "return hash_to_group(DRAW_LABEL)",
        "nobody can steer the draw of the opener",
        ("tests/attacks/test_decks.py::test_the_draw_is_of_a_head_that_nobody_knows_before_the_antes_are_signed",),
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
        ("tests/attacks/test_decks.py::test_what_must_be_proven_of_a_hand",),
    ),
    Mutant(
        "void proofs of another set",
        PLAYLANE,
        "names = tuple(name for name in rules.deck_of(play.params) if rules.suit_of(name) not in suits)",
        "names = tuple(name for name in rules.deck_of(play.params) if rules.suit_of(name) not in suits[:1])",
        "who neither follows nor trumps has no trump either",
        ("tests/attacks/test_decks.py::test_what_must_be_proven_of_a_hand",),
    ),
    Mutant(
        "no void proof from who trumps",
        RULES + "play.py",
        "return (led,) if trump in (led, card[1]) else (led, trump)",
        "return () if trump in (led, card[1]) else (led, trump)",
        "who trumps has no card of the led suit",
        ("tests/attacks/test_decks.py::test_what_must_be_proven_of_a_hand",),
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
        ("tests/attacks/test_false_moves.py::test_play_of[a card of the suit left out]",),
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
        ("tests/attacks/test_overbidding.py::test_opener_that_neither_bids_nor_may_do_anything_else",),
    ),
    Mutant(
        "openers that fold at any table",
        RULES + "bidding.py",
        'if not deal.highest_bid and state.params.opener_rule == "must_bid":',
        "if False:",
        "the opener folds only where the table allows it",
        ("tests/attacks/test_overbidding.py::test_opener_that_neither_bids_nor_may_do_anything_else",),
    ),
    Mutant(
        "bids without end",
        RULES + "bidding.py",
        "if count >= params.max_bids:",
        "if False:",
        "nobody raises more often than the table allows",
        ("tests/attacks/test_overbidding.py",),
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
        ("tests/attacks/test_two_certificates.py::test_ante_for_a_roster_without_another_seat_does_not_count",),
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

MUTANTS = (
    *_DECKS,
    *_TOKENS_AND_CARDS,
    *_BIDS,
)
