"""Attacks in the deal: reveal tokens, cards, following suit, bids, receipts and rosters.

Something is at stake, so the bent seat is certified absent and loses what it had put in; the others play on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from msgspec import structs

from azi_p2p import rules
from azi_p2p.crypto import group
from azi_p2p.crypto.cards import card_elements
from azi_p2p.crypto.identity import IdentityKey
from azi_p2p.crypto.tokens import prove_tokens, reveal_token
from azi_p2p.crypto.void import prove_void
from azi_p2p.rules import Card, deck_of, suit_of
from azi_p2p.session import playlane
from azi_p2p.session.jobs import PLAY, TOKENS, MakePlay, void_purpose
from azi_p2p.session.playstate import PlayPhase, PlayState
from azi_p2p.wire.envelope import NOWHERE, Envelope, decode_envelope, seal
from azi_p2p.wire.messages import (
    Bid,
    Body,
    BuyIn,
    Call,
    Check,
    Close,
    Discard,
    End,
    Fold,
    Open,
    Play,
    Request,
    Roster,
    RosterSeat,
    SeatRequest,
    Standing,
    Tokens,
)
from tests.attacks.bench import (
    Bench,
    assert_refused,
    bench_of,
    play_of,
    run_to_end,
    seat_of,
    secrets_of,
    sign,
    small,
)
from tests.session.harness import Peer, seeded_rng

RNG = seeded_rng("a false move")
NOT_CANONICAL = b"\xff" * 32
L_BYTES = group.L.to_bytes(32, "little")


@dataclass
class Moment:
    """The bent peer at the moment when it is about to send an honest message."""

    bench: Bench
    bent: Peer
    envelope: Envelope
    play: PlayState
    seat: int

    @property
    def x(self) -> group.Scalar:
        assert self.play.deck is not None
        return secrets_of(self.bent)[self.play.deck.base]

    @property
    def key(self) -> group.Element:
        assert self.play.deck is not None
        return self.play.deck.keys[self.seat]

    @property
    def hand(self) -> tuple[Card, ...]:
        """The own hand by position, played cards included."""
        own = self.bent.table._own
        assert own is not None
        deal = own.private_game(self.play, self.seat).deal
        assert deal is not None
        hand = deal.hands[self.seat]
        assert hand is not None
        return tuple(card for card in hand if card is not None)

    @property
    def held(self) -> tuple[int, ...]:
        """The positions that the seat still holds."""
        return tuple(rules.held_positions(self.play.game, self.seat))


Forger = Callable[[Moment], Body | None]
"""What to sign in place of the honest message; None when this is not the moment yet."""


@dataclass
class Attack:
    """Bends one message of one peer, the first one that suits."""

    bench: Bench
    bent: Peer
    forge: Forger
    fired: list[Envelope] = field(default_factory=list)

    def __call__(self, envelope: Envelope) -> Body | bytes:
        if self.fired or envelope.lane != "play":
            return envelope.raw
        # What stands before the own message: the bent peer itself may be further already.
        play = next(
            (play_of(peer) for peer in self.bench.others(self.bent) if play_of(peer).head == envelope.prev), None
        )
        if play is None:
            return envelope.raw
        body = self.forge(Moment(self.bench, self.bent, envelope, play, seat_of(self.bent)))
        if body is None:
            return envelope.raw
        self.fired.append(envelope)
        return body


def attacked(forge: Forger, *codes: str, count: int = 4, hand_size: int = 3, deals: int = 1, seeds: int = 12) -> None:
    """Play tables until one gives the occasion; all others must refuse at exactly that step, for one of these codes."""
    for seed in range(1, seeds + 1):
        bench = bench_of(count, small(count, hand_size, deals), seed)
        bent = bench.peers[1]
        attack = Attack(bench, bent, forge)
        bench.bend(bent, attack)
        run_to_end(bench, bent, seconds=3_600)
        if attack.fired:
            seen = assert_refused(bench, bent, *codes)
            assert {fault[1:] for fault in seen} == {(attack.fired[0].deal, attack.fired[0].step)}
            return
    raise AssertionError(f"no occasion in {seeds} tables")


# Tokens


def tokens_with(change: Callable[[Moment, list[bytes]], list[bytes]]) -> Forger:
    """Tokens bent by `change`, with a proof made by the rules for the bent ones."""

    def forge(at: Moment) -> Body | None:
        body = at.envelope.body
        if not isinstance(body, Tokens):
            return None
        bases = playlane.token_bases(at.play, at.seat)
        tokens = change(at, list(body.tokens))
        context = at.play.context(at.seat).transcript(TOKENS)
        elements = [group.Element(token) for token in tokens]
        if len(tokens) != len(bases) or any(token in (bytes(32), NOT_CANONICAL) for token in tokens):
            return Tokens(tokens=tokens, proof=body.proof)
        return Tokens(tokens=tokens, proof=prove_tokens(at.x, at.key, bases, elements, context, RNG).to_bytes())

    return forge


def token_proof(challenge: Callable[[bytes], bytes]) -> Forger:
    def forge(at: Moment) -> Body | None:
        body = at.envelope.body
        return Tokens(tokens=body.tokens, proof=challenge(body.proof)) if isinstance(body, Tokens) else None

    return forge


def token_for_own_card(at: Moment, tokens: list[bytes]) -> list[bytes]:
    """For the first base, the token of one of its own cards."""
    assert at.play.deck is not None
    own = playlane.own_positions(at.play.deck, at.play.params.hand_size, at.seat)
    return [bytes(reveal_token(at.x, at.play.deck.deck[own[0]].c1)), *tokens[1:]]


TOKEN_ATTACKS: dict[str, tuple[Forger, str]] = {
    "a wrong token": (tokens_with(lambda at, tokens: [bytes(group.hash_to_group(b"any")), *tokens[1:]]), "bad_proof"),
    "the token of another card": (tokens_with(token_for_own_card), "bad_proof"),
    "two tokens swapped": (tokens_with(lambda at, tokens: [tokens[1], tokens[0], *tokens[2:]]), "bad_proof"),
    "a wrong token for the draw": (
        tokens_with(lambda at, tokens: [*tokens[:-1], bytes(group.hash_to_group(b"mine"))]),
        "bad_proof",
    ),
    "tokens of another secret": (
        tokens_with(lambda at, tokens: [bytes(group.add(group.Element(t), group.G)) for t in tokens]),
        "bad_proof",
    ),
    "a token too few": (tokens_with(lambda at, tokens: tokens[:-1]), "wrong_count"),
    "a token too many": (tokens_with(lambda at, tokens: [*tokens, tokens[0]]), "wrong_count"),
    "the identity for a token": (tokens_with(lambda at, tokens: [bytes(32), *tokens[1:]]), "bad_proof"),
    "bytes that are no element": (tokens_with(lambda at, tokens: [NOT_CANONICAL, *tokens[1:]]), "bad_proof"),
    "no proof": (token_proof(lambda proof: b"\x01"), "bad_proof"),
    "a challenge of zero": (token_proof(lambda proof: bytes(32) + proof[32:]), "bad_proof"),
    "a response of zero": (token_proof(lambda proof: proof[:32] + bytes(32)), "bad_proof"),
    "a response that is not reduced": (token_proof(lambda proof: proof[:32] + L_BYTES), "bad_proof"),
}


@pytest.mark.parametrize("attack", TOKEN_ATTACKS)
def test_tokens_with(attack: str) -> None:
    forge, code = TOKEN_ATTACKS[attack]
    attacked(forge, code, count=3)


# Cards


def play_of_card(at: Moment, position: int, card: str, held: tuple[int, ...], suits: tuple[str, ...]) -> Play:
    """A play by the rules of the proofs: `card` opened at `position`, each of `held` proven outside `suits`."""
    names = tuple(name for name in deck_of(at.play.params) if suit_of(name) not in suits)
    made = MakePlay(
        secret=at.x,
        key=at.key,
        position=position,
        card=card,
        played=at.play.hands[at.seat][position],
        held={other: at.play.hands[at.seat][other] for other in held},
        allowed=card_elements(names),
        context=at.play.context(at.seat),
        rng=RNG,
    ).run()
    assert isinstance(made.body, Play)
    return made.body


def led(at: Moment) -> str | None:
    """The suit that was led to the open trick, None for the leader."""
    deal = at.play.game.deal
    assert deal is not None
    assert deal.trick is not None
    card = deal.trick.cards[deal.trick.leader]
    return None if card is None else suit_of(card)


def trump(at: Moment) -> str:
    deal = at.play.game.deal
    assert deal is not None
    assert deal.trump is not None
    return deal.trump


def unseen(at: Moment) -> list[Card]:
    """The cards that are neither in the own hand nor on the table."""
    deal = at.play.game.deal
    assert deal is not None
    seen = {card for hand in deal.hands if hand is not None for card in hand} | {deal.upcard, *at.hand}
    return [card for card in deck_of(at.play.params) if card not in seen]


def card_not_held(at: Moment) -> Body | None:
    """The leader names a card that somebody else holds, or nobody, over one of its own."""
    body = at.envelope.body
    if not isinstance(body, Play) or led(at) is not None:
        return None
    return Play(position=body.position, card=unseen(at)[0], token=body.token, proof=body.proof, void=[])


def card_not_held_that_follows(at: Moment) -> Body | None:
    """It names a card of the led suit, so that nothing has to be proven about the others."""
    body = at.envelope.body
    suited = [card for card in unseen(at) if suit_of(card) == led(at)] if isinstance(body, Play) else []
    if not isinstance(body, Play) or not suited:
        return None
    return Play(position=body.position, card=suited[-1], token=body.token, proof=body.proof, void=[])


def token_made_to_fit(at: Moment) -> Body | None:
    """A card that it doesn't hold, and the one token that would open it, with a proof made as well as can be."""
    body = at.envelope.body
    if not isinstance(body, Play) or led(at) is not None:
        return None
    card = unseen(at)[0]
    masked = at.play.hands[at.seat][body.position]
    token = group.sub(masked.d, card_elements((card,))[0])
    context = at.play.context(at.seat).transcript(PLAY)
    proof = prove_tokens(at.x, at.key, (masked.c1,), (token,), context, RNG)
    return Play(position=body.position, card=card, token=bytes(token), proof=proof.to_bytes(), void=[])


def other_position(at: Moment) -> Body | None:
    """An own card, opened at the position of another."""
    body = at.envelope.body
    if not isinstance(body, Play) or led(at) is not None or len(at.held) < 2:
        return None
    other = next(position for position in at.held if position != body.position)
    return Play(position=other, card=body.card, token=body.token, proof=body.proof, void=[])


def card_played_before(at: Moment) -> Body | None:
    """A card that it has played already, once more: its token opens it as before."""
    if not isinstance(at.envelope.body, Play) or led(at) is not None or len(at.held) == len(at.hand):
        return None
    gone = next(position for position in range(len(at.hand)) if position not in at.held)
    return play_of_card(at, gone, at.hand[gone], (), ())


def card_discarded(at: Moment) -> Body | None:
    """The fourth card, laid aside before the bidding, comes back."""
    if not isinstance(at.envelope.body, Play) or led(at) is not None:
        return None
    deal = at.play.game.deal
    assert deal is not None
    position = deal.discards[at.seat]
    assert position is not None
    return play_of_card(at, position, at.hand[position], (), ())


def position_that_is_not(at: Moment) -> Body | None:
    body = at.envelope.body
    if not isinstance(body, Play):
        return None
    return Play(position=3, card=body.card, token=body.token, proof=body.proof, void=body.void)


def card_that_is_not(name: str) -> Forger:
    def forge(at: Moment) -> Body | None:
        body = at.envelope.body
        if not isinstance(body, Play):
            return None
        return Play(position=body.position, card=name, token=body.token, proof=body.proof, void=body.void)

    return forge


def upcard(at: Moment) -> Body | None:
    body = at.envelope.body
    if not isinstance(body, Play) or led(at) is not None:
        return None
    deal = at.play.game.deal
    assert deal is not None
    assert deal.upcard is not None
    return Play(position=body.position, card=deal.upcard, token=body.token, proof=body.proof, void=[])


def play_proof(change: Callable[[Play], Play]) -> Forger:
    def forge(at: Moment) -> Body | None:
        body = at.envelope.body
        return change(body) if isinstance(body, Play) else None

    return forge


def with_token(token: bytes) -> Forger:
    return play_proof(lambda b: Play(position=b.position, card=b.card, token=token, proof=b.proof, void=b.void))


def with_proof(change: Callable[[bytes], bytes]) -> Forger:
    return play_proof(
        lambda b: Play(position=b.position, card=b.card, token=b.token, proof=change(b.proof), void=b.void)
    )


def bid_in_play(at: Moment) -> Body | None:
    return Bid(to=20) if isinstance(at.envelope.body, Play) else None


CARD_ATTACKS: dict[str, tuple[Forger, str]] = {
    "a card that it does not hold": (card_not_held, "card_not_held"),
    "a card that it does not hold, of the led suit": (card_not_held_that_follows, "card_not_held"),
    "a token made to fit": (token_made_to_fit, "bad_proof"),
    "the position of another card": (other_position, "bad_proof"),
    "a card that it has played": (card_played_before, "card_not_held"),
    "a position that is not": (position_that_is_not, "bad_scenario"),
    "a card that is not": (card_that_is_not("ZZ"), "card_not_held"),
    "a card of the suit left out": (card_that_is_not("AC"), "card_not_held"),
    "the upcard": (upcard, "card_not_held"),
    "the identity for a token": (with_token(bytes(32)), "bad_proof"),
    "a token that is no element": (with_token(NOT_CANONICAL), "bad_proof"),
    "no proof": (with_proof(lambda proof: b"\x01"), "bad_proof"),
    "a challenge of zero": (with_proof(lambda proof: bytes(32) + proof[32:]), "bad_proof"),
    "a response that is not reduced": (with_proof(lambda proof: proof[:32] + L_BYTES), "bad_proof"),
    "a bid in place of a card": (bid_in_play, "wrong_phase"),
}


@pytest.mark.parametrize("attack", CARD_ATTACKS)
def test_play_of(attack: str) -> None:
    forge, code = CARD_ATTACKS[attack]
    attacked(forge, code, count=3)


def test_play_of_a_card_that_it_has_discarded() -> None:
    attacked(card_discarded, "card_not_held", count=3, hand_size=4)


# Following suit


def off_suit(prove: Callable[[Moment, int, tuple[int, ...], tuple[str, ...]], Body | None]) -> Forger:
    """Play something else while holding the led suit; `prove` makes the message with what it dares to claim.

    It is given the position to play, the positions that are still held, and the suits that have to be proven absent.
    """

    def forge(at: Moment) -> Body | None:
        suit = led(at) if isinstance(at.envelope.body, Play) else None
        others = [position for position in at.held if suit_of(at.hand[position]) != suit]
        if suit is None or not others or len(others) == len(at.held):
            return None
        position = others[0]
        rest = tuple(other for other in at.held if other != position)
        owed = (suit,) if suit_of(at.hand[position]) == trump(at) else tuple(dict.fromkeys((suit, trump(at))))
        return prove(at, position, rest, owed)

    return forge


def holding(at: Moment, positions: tuple[int, ...], suits: tuple[str, ...]) -> tuple[list[int], list[int]]:
    """Which of these positions hold a card of these suits, and which don't."""
    kept = [position for position in positions if suit_of(at.hand[position]) in suits]
    return kept, [position for position in positions if position not in kept]


def no_void_proofs(at: Moment, position: int, rest: tuple[int, ...], owed: tuple[str, ...]) -> Body | None:
    return play_of_card(at, position, at.hand[position], (), ())


def void_proofs_for_another_set(at: Moment, position: int, rest: tuple[int, ...], owed: tuple[str, ...]) -> Body | None:
    """Proven to be of the suits that it does hold: as many branches as owed, and every proof true."""
    absent = [suit for suit in "DHS" if suit not in {suit_of(at.hand[other]) for other in rest}]
    if len(absent) < len(owed):
        return None
    return play_of_card(at, position, at.hand[position], rest, tuple(absent[: len(owed)]))


def a_larger_set(at: Moment, position: int, rest: tuple[int, ...], owed: tuple[str, ...]) -> Body | None:
    """Proven to be any card at all."""
    return play_of_card(at, position, at.hand[position], rest, ())


def a_held_card_left_out(at: Moment, position: int, rest: tuple[int, ...], owed: tuple[str, ...]) -> Body | None:
    """True proofs for the cards that allow it, none for the one that doesn't."""
    _, innocent = holding(at, rest, owed)
    return play_of_card(at, position, at.hand[position], tuple(innocent), owed) if innocent else None


def one_proof_for_two_cards(at: Moment, position: int, rest: tuple[int, ...], owed: tuple[str, ...]) -> Body | None:
    """The proof of the innocent card stands for the guilty one as well."""
    _, innocent = holding(at, rest, owed)
    if not innocent or len(rest) < 2:
        return None
    body = play_of_card(at, position, at.hand[position], tuple(innocent[:1]), owed)
    return Play(position=position, card=body.card, token=body.token, proof=body.proof, void=[body.void[0]] * len(rest))


def proofs_of_another_hand(at: Moment, position: int, rest: tuple[int, ...], owed: tuple[str, ...]) -> Body | None:
    """True proofs, made for cards of its own making in place of those in its hand."""
    names = tuple(name for name in deck_of(at.play.params) if suit_of(name) not in owed)
    allowed = card_elements(names)
    void = []
    for other in rest:
        c1 = at.play.hands[at.seat][other].c1
        d = group.add(allowed[0], group.mul(at.x, c1))
        context = at.play.context(at.seat).transcript(void_purpose(other))
        void.append(prove_void(at.x, at.key, c1, d, allowed, context, RNG).to_bytes())
    body = play_of_card(at, position, at.hand[position], (), ())
    return Play(position=position, card=body.card, token=body.token, proof=body.proof, void=void)


def proofs_with_the_secret_of_no_deal(
    at: Moment, position: int, rest: tuple[int, ...], owed: tuple[str, ...]
) -> Body | None:
    """Any bytes of the right length: each a well-formed scalar."""
    branches = sum(1 for name in deck_of(at.play.params) if suit_of(name) not in owed)
    body = play_of_card(at, position, at.hand[position], (), ())
    void = [group.ONE * (2 * branches) for _ in rest]
    return Play(position=position, card=body.card, token=body.token, proof=body.proof, void=void)


def the_played_card_itself(at: Moment, position: int, rest: tuple[int, ...], owed: tuple[str, ...]) -> Body | None:
    """Proofs for as many cards as owed, one of them the card that it plays."""
    guilty, innocent = holding(at, rest, owed)
    if len(guilty) != 1:
        return None
    proven = tuple(sorted((*innocent, position)))
    return play_of_card(at, position, at.hand[position], proven, owed)


SUIT_ATTACKS: dict[str, tuple[Callable[..., Body | None], str]] = {
    "no void proofs": (no_void_proofs, "void_proof_missing"),
    "void proofs for another set": (void_proofs_for_another_set, "bad_proof"),
    "void proofs for a set that is too large": (a_larger_set, "bad_proof"),
    "a held card left out": (a_held_card_left_out, "void_proof_missing"),
    "one proof for two cards": (one_proof_for_two_cards, "bad_proof"),
    "proofs for another hand": (proofs_of_another_hand, "bad_proof"),
    "proofs of any bytes": (proofs_with_the_secret_of_no_deal, "bad_proof"),
    "a proof about the card that is played": (the_played_card_itself, "bad_proof"),
}


@pytest.mark.parametrize("attack", SUIT_ATTACKS)
def test_not_following_suit_while_holding_it_with(attack: str) -> None:
    prove, code = SUIT_ATTACKS[attack]
    attacked(off_suit(prove), code, count=3, seeds=30)


# Bids, receipts, rosters


def bid_of(to: Callable[[int, int], int]) -> Forger:
    """A bid in place of any answer in the bidding; `to` is given the own chips and the highest bid."""

    def forge(at: Moment) -> Body | None:
        if not isinstance(at.envelope.body, Bid | Call):
            return None
        deal = at.play.game.deal
        assert deal is not None
        return Bid(to=to(at.play.game.chips[at.seat], max(deal.bids)))

    return forge


def instead_of(kind: type[Body], body: Body) -> Forger:
    return lambda at: body if isinstance(at.envelope.body, kind) else None


def receipt_with(change: Callable[[Close], Close]) -> Forger:
    return lambda at: change(at.envelope.body) if isinstance(at.envelope.body, Close) else None


def chips_moved(body: Close) -> Close:
    chips = list(body.chips)
    source = max(range(len(chips)), key=lambda seat: chips[seat])
    chips[source] -= 1
    chips[source - 1] += 1
    return Close(state=body.state, chips=chips)


TABLE_ATTACKS: dict[str, tuple[Forger, str]] = {
    "a bid over its stack": (bid_of(lambda chips, highest: chips + 11), "bid_over_stack"),
    "a raise that is too small": (bid_of(lambda chips, highest: highest + 1), "bid_too_low"),
    "a bid that takes back": (bid_of(lambda chips, highest: max(1, highest - 10)), "bid_too_low"),
    "a check that the table does not allow": (instead_of(Call, Check()), "not_allowed"),
    "a card in the bidding": (
        instead_of(Call, Play(position=0, card="AS", token=b"\x01" * 32, proof=b"\x01", void=[])),
        "wrong_phase",
    ),
    "a receipt in the bidding": (instead_of(Call, Close(state=b"s" * 32, chips=[1, 1])), "wrong_type"),
    "chips moved in the receipt": (receipt_with(chips_moved), "wrong_receipt"),
    "a receipt of another state": (receipt_with(lambda b: Close(state=b"s" * 32, chips=b.chips)), "wrong_receipt"),
    "a bid in place of the receipt": (instead_of(Close, Bid(to=20)), "wrong_type"),
}


@pytest.mark.parametrize("attack", TABLE_ATTACKS)
def test_false(attack: str) -> None:
    forge, code = TABLE_ATTACKS[attack]
    attacked(forge, code, count=3)


def open_with(change: Callable[[Open], Open]) -> Forger:
    return lambda at: change(at.envelope.body) if isinstance(at.envelope.body, Open) else None


def more_chips(body: Open) -> Open:
    first = body.roster[0]
    rest = body.roster[1:]
    roster = [RosterSeat(seat=first.seat, key=first.key, chips=first.chips + 1), *rest]
    return Open(roster=roster, dealt_in=body.dealt_in, closing=body.closing, deck=body.deck)


OPEN_ATTACKS: dict[str, Callable[[Open], Open]] = {
    "chips that are not": more_chips,
    "a seat left out": lambda b: Open(roster=b.roster[:-1], dealt_in=b.dealt_in[:-1], closing=b.closing, deck=b.deck),
    "a seat not dealt in": lambda b: Open(roster=b.roster, dealt_in=b.dealt_in[1:], closing=b.closing, deck=b.deck),
    "another receipt": lambda b: Open(roster=b.roster, dealt_in=b.dealt_in, closing=b"c" * 32, deck=b.deck),
}


@pytest.mark.parametrize("attack", OPEN_ATTACKS)
def test_ante_signed_for(attack: str) -> None:
    attacked(open_with(OPEN_ATTACKS[attack]), "wrong_opening")


def test_standings_that_are_not() -> None:
    def forge(at: Moment) -> Body | None:
        body = at.envelope.body
        if not isinstance(body, End):
            return None
        mine = [
            Standing(place=1, seat=line.seat, chips=line.chips + 1) if line.seat == at.seat else line
            for line in body.standings
        ]
        return End(reason=body.reason, standings=mine)

    attacked(forge, "wrong_standings", count=3)


def test_end_of_a_table_for_another_reason() -> None:
    attacked(
        lambda at: (
            End(reason="finish", standings=at.envelope.body.standings) if isinstance(at.envelope.body, End) else None
        ),
        "wrong_standings",
        count=3,
    )


# Out of turn: besides the honest message of somebody else, and on the same head


OUT_OF_TURN: dict[str, Body] = {
    "a bid": Bid(to=20),
    "a call": Call(),
    "a fold": Fold(),
    "a buy-in": BuyIn(),
    "a card": Play(position=0, card="AS", token=b"\x01" * 32, proof=b"\x01", void=[]),
    "a receipt": Close(state=b"s" * 32, chips=[1, 1]),
    "a roster": Roster(requests=[]),
    "a discard": Discard(position=0),
}


@pytest.mark.parametrize("attack", OUT_OF_TURN)
def test_out_of_turn(attack: str) -> None:
    bench = bench_of(3, small(3), seed=4)
    bent = bench.peers[1]
    bench.bend(bent, lambda envelope: envelope.raw)

    def anothers_turn() -> bool:
        return bent.table.lanes is not None and (
            play_of(bent).phase is PlayPhase.ACT and seat_of(bent) not in play_of(bent).owed
        )

    bench.run(anothers_turn)
    place = play_of(bent).place
    bench.broadcast(bent, bench.forge(bent, place, OUT_OF_TURN[attack]))
    run_to_end(bench, bent)
    assert assert_refused(bench, bent, "not_your_turn") == {("not_your_turn", place.deal, place.step)}


# The next roster


def proposing(change: Callable[[Moment, Roster], Roster]) -> Forger:
    return lambda at: change(at, at.envelope.body) if isinstance(at.envelope.body, Roster) else None


def victim_of(at: Moment) -> Peer:
    return at.bench.others(at.bent)[0]


def request_by(at: Moment, peer: Peer, wish: str, number: int = 1, table: bytes | None = None) -> bytes:
    body = Request(number=number, wish=wish)  # type: ignore[arg-type]  # one of the wishes
    return sign(at.bench.identity(peer), at.play.table if table is None else table, NOWHERE, body)


def forged_request(at: Moment, _honest: Roster) -> Roster:
    """A wish of somebody else, signed by the proposer."""
    theirs = request_by(at, victim_of(at), "leave")
    mine = request_by(at, at.bent, "leave")
    envelope = decode_envelope(theirs)
    return Roster(requests=[seal(envelope.payload, decode_envelope(mine).signature)])


def request_of_another_table(at: Moment, _honest: Roster) -> Roster:
    """A wish that somebody really signed, elsewhere."""
    return Roster(requests=[request_by(at, victim_of(at), "leave", table=b"t" * 32)])


def request_of_a_stranger(at: Moment, _honest: Roster) -> Roster:
    stranger = IdentityKey.from_seed(b"s" * 32)
    return Roster(requests=[sign(stranger, at.play.table, NOWHERE, Request(number=1, wish="leave"))])


def request_twice(at: Moment, _honest: Roster) -> Roster:
    own = request_by(at, at.bent, "finish")
    return Roster(requests=[own, own])


def pause_in_a_roster(at: Moment, _honest: Roster) -> Roster:
    return Roster(requests=[request_by(at, at.bent, "pause")])


def rebuy_without_need(at: Moment, _honest: Roster) -> Roster:
    return Roster(requests=[request_by(at, at.bent, "rebuy")])


def seat_for_itself_again(at: Moment, _honest: Roster) -> Roster:
    body = SeatRequest(nickname="Ben", nonce=b"n" * 32, params=at.play.wire_params)
    return Roster(requests=[sign(at.bench.identity(at.bent), at.play.table, NOWHERE, body)])


def seat_with_other_parameters(at: Moment, _honest: Roster) -> Roster:
    friend = IdentityKey.from_seed(b"f" * 32)
    params = structs.replace(at.play.wire_params, ante=1)
    return Roster(
        requests=[sign(friend, at.play.table, NOWHERE, SeatRequest(nickname="F", nonce=b"n" * 32, params=params))]
    )


def seat_where_none_is_free(at: Moment, _honest: Roster) -> Roster:
    friend = IdentityKey.from_seed(b"f" * 32)
    body = SeatRequest(nickname="F", nonce=b"n" * 32, params=at.play.wire_params)
    return Roster(requests=[sign(friend, at.play.table, NOWHERE, body)])


def no_request_at_all(at: Moment, _honest: Roster) -> Roster:
    return Roster(requests=[at.envelope.raw])


def bytes_for_a_request(at: Moment, _honest: Roster) -> Roster:
    return Roster(requests=[b"any bytes"])


ROSTERS: dict[str, Callable[[Moment, Roster], Roster]] = {
    "a request that it has forged": forged_request,
    "a request to another table": request_of_another_table,
    "a request of a stranger": request_of_a_stranger,
    "a request twice": request_twice,
    "a pause": pause_in_a_roster,
    "a rebuy without need": rebuy_without_need,
    "a second seat for itself": seat_for_itself_again,
    "a seat for other parameters": seat_with_other_parameters,
    "a seat where none is free": seat_where_none_is_free,
    "a message that is no request": no_request_at_all,
    "any bytes": bytes_for_a_request,
}


@pytest.mark.parametrize("attack", ROSTERS)
def test_roster_with(attack: str) -> None:
    attacked(proposing(ROSTERS[attack]), "bad_roster", count=3, deals=2)
