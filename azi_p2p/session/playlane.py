"""The play lane: the chain of everything that is at stake, from the antes to the receipts, deal after deal.

The state is frozen and shared: every honest peer has the same one at the same head. `judge` says what is wrong with
an envelope at the current step, or gives the job that will; `advance` gives the state after the step. Secrets,
clocks, links and votes are somebody else's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from azi_p2p import rules
from azi_p2p.crypto.cards import card_elements, identify
from azi_p2p.crypto.group import IDENTITY, Element, add, decode_element, hash_to_group, sub
from azi_p2p.rules import IllegalAction
from azi_p2p.session.decklane import DeckState, begin_deck
from azi_p2p.session.faults import Fault
from azi_p2p.session.heads import absent_entry, draw_seat, next_head
from azi_p2p.session.jobs import CheckPlay, CheckTokens, Job, MaskedCard
from azi_p2p.session.playstate import Absence, PlayPhase, PlayState
from azi_p2p.session.roster import apply_roster, between_deals, unless_all_absent
from azi_p2p.wire import messages
from azi_p2p.wire.envelope import Envelope

DRAW_LABEL = b"azi opener draw"


# Layout of the prepared deck: the hands one after the other in seat order, then the upcard.


def own_positions(deck: DeckState, hand_size: int, seat: int) -> range:
    """Where in the deck the hand of a seat lies."""
    start = deck.seats.index(seat) * hand_size
    return range(start, start + hand_size)


def upcard_position(deck: DeckState, hand_size: int) -> int:
    """Where in the deck the upcard lies."""
    return len(deck.seats) * hand_size


def token_bases(play: PlayState, seat: int) -> tuple[Element, ...]:
    """What `seat` owes tokens for: every dealt card but its own, the upcard, and the draw where one is due."""
    assert play.deck is not None
    own = own_positions(play.deck, play.params.hand_size, seat)
    last = upcard_position(play.deck, play.params.hand_size)
    bases = [play.deck.deck[index].c1 for index in range(last + 1) if index not in own]
    if rules.needs_draw(play.game):
        bases.append(draw_base(play.head))
    return tuple(bases)


def draw_base(head: bytes) -> Element:
    """Q of the opener draw, from the head after `open`, which nobody can know before the antes are signed."""
    return hash_to_group(DRAW_LABEL + head)


# Judging


def judge(play: PlayState, seat: int, envelope: Envelope) -> Job | None:
    """Judge an envelope of `seat`, which owes one at the current step.

    Returns the job that must still hold, or None when the envelope is good as it is. Raises Fault.
    """
    body = envelope.body
    match play.phase:
        case PlayPhase.ROSTER:
            if not isinstance(body, messages.Roster):
                raise _wrong_type(envelope, "roster")
            apply_roster(play, body)
        case PlayPhase.OPEN:
            if not isinstance(body, messages.Open):
                raise _wrong_type(envelope, "open")
            _judge_open(play, body)
        case PlayPhase.TOKENS:
            if not isinstance(body, messages.Tokens):
                raise _wrong_type(envelope, "tokens")
            return _judge_tokens(play, seat, body)
        case PlayPhase.DISCARD | PlayPhase.ACT:
            return _judge_action(play, seat, envelope)
        case PlayPhase.CLOSE:
            if not isinstance(body, messages.Close):
                raise _wrong_type(envelope, "close")
            if body != receipt(play):
                raise Fault("wrong_receipt", "the receipt doesn't name the chips that the deal led to")
        case PlayPhase.END:
            if not isinstance(body, messages.End):
                raise _wrong_type(envelope, "end")
            if body != ending(play):
                raise Fault("wrong_standings", "the standings are not those of the table")
        case PlayPhase.ENDED:
            raise Fault("table_over", "the table has ended")
    return None


def _wrong_type(envelope: Envelope, expected: str) -> Fault:
    return Fault("wrong_type", f"a message of the type {envelope.type} where {expected} is owed")


def opening(play: PlayState, deck_head: bytes) -> messages.Open:
    """The `open` that every present seat signs now, over the deck with this head."""
    roster = [
        messages.RosterSeat(seat=seat, key=member.key, chips=play.game.chips[seat])
        for seat in play.present
        if (member := play.members[seat]) is not None
    ]
    return messages.Open(roster=roster, dealt_in=list(play.dealt_in), closing=play.closed, deck=deck_head)


def _judge_open(play: PlayState, body: messages.Open) -> None:
    expected = opening(play, body.deck)
    if body != expected:
        raise Fault("wrong_opening", "the signed ante doesn't name the roster, chips and receipt that hold")


def names_deck(envelope: Envelope, deck: DeckState) -> bool:
    """Whether an `open` names the deck that we hold ready. Until it does, it can't count."""
    return isinstance(envelope.body, messages.Open) and envelope.body.deck == deck.head


def _judge_tokens(play: PlayState, seat: int, body: messages.Tokens) -> Job:
    assert play.deck is not None
    bases = token_bases(play, seat)
    if len(body.tokens) != len(bases):
        raise Fault("wrong_count", f"{len(body.tokens)} reveal tokens where {len(bases)} are owed")
    return CheckTokens(play.deck.keys[seat], bases, body, play.context(seat))


def receipt(play: PlayState) -> messages.Close:
    """The receipt that closes the deal: the digest of the game, and everybody's chips by seat."""
    return messages.Close(state=rules.digest(play.game), chips=list(play.game.chips))


def ending(play: PlayState) -> messages.End:
    """The standings that everybody signs at the end of the table."""
    assert play.end_reason is not None
    standings = [messages.Standing(place=p, seat=s, chips=c) for p, s, c in rules.standings(play.game)]
    return messages.End(reason=play.end_reason, standings=standings)


def action_of(seat: int, body: messages.Body) -> rules.Action | None:
    """The action of the rules that a message carries; None when it carries none."""
    match body:
        case messages.Discard(position=position):
            return rules.Discard(seat, None, position)
        case messages.Bid(to=to):
            return rules.Bid(seat, to)
        case messages.Call():
            return rules.Call(seat)
        case messages.Check():
            return rules.Check(seat)
        case messages.Fold():
            return rules.Fold(seat)
        case messages.Leave():
            return rules.Leave(seat)
        case messages.Play(card=card, position=position):
            return rules.Play(seat, rules.Card(card), position)
        case messages.BuyIn():
            return rules.BuyIn(seat)
        case messages.Decline():
            return rules.Decline(seat)
        case _:
            return None


def _judge_action(play: PlayState, seat: int, envelope: Envelope) -> Job | None:
    body = envelope.body
    action = action_of(seat, body)
    if action is None:
        raise Fault("wrong_type", f"a message of the type {envelope.type} where an action is owed")
    try:
        rules.apply(play.game, action)
    except IllegalAction as error:
        raise Fault(str(error.code), str(error)) from error
    if not isinstance(body, messages.Play):
        return None
    assert play.deck is not None
    owed = void_statement(play, seat, body.card, body.position)
    if len(body.void) != len(owed.held):
        raise Fault("void_proof_missing", f"{len(body.void)} void proofs where {len(owed.held)} are owed")
    return CheckPlay(
        key=play.deck.keys[seat],
        played=play.hands[seat][body.position],
        card=card_elements((body.card,))[0],
        held=owed.held,
        allowed=owed.allowed,
        body=body,
        context=play.context(seat),
    )


@dataclass(frozen=True, slots=True)
class VoidStatement:
    """What a play obliges its seat to prove: each card in `held` is one of `allowed`; nothing when `suits` is ()."""

    suits: tuple[str, ...]
    held: Mapping[int, MaskedCard]
    allowed: tuple[Element, ...]


def void_statement(play: PlayState, seat: int, card: str, position: int) -> VoidStatement:
    """What `seat` must prove when it plays `card` from `position`, by the rules of following suit.

    The allowed cards are all of the start deck, in its order, outside the suits of which the seat has none; cards
    that have been seen already are not left out, so that the statement depends on nothing but the trick.
    """
    suits = rules.voids_owed(play.game, seat, rules.Card(card))
    if not suits:
        return VoidStatement((), {}, ())
    held = {other: play.hands[seat][other] for other in rules.held_positions(play.game, seat) if other != position}
    names = tuple(name for name in rules.deck_of(play.params) if rules.suit_of(name) not in suits)
    return VoidStatement(tuple(suits), held, card_elements(names))


# Advancing


Moves = Mapping[int, Envelope | None]
"""For each seat that owed an envelope: the judged one, or None where a certificate of absence took its place."""


def advance(play: PlayState, deck: DeckState | None, moves: Moves) -> PlayState:
    """The lane after the current step. `deck` is the deck that is ready, when the step is `open`."""
    absent = frozenset(seat for seat in play.owed if moves[seat] is None)
    later = replace(play, head=head_after(play, moves), step=play.step + 1, absent=play.absent | absent)
    return unless_all_absent(_after(play, later, deck, moves, absent))


def head_after(play: PlayState, moves: Moves) -> bytes:
    """The head after the current step; a seat that owes an envelope and has none in `moves` was certified absent."""
    entries = [absence.entry for absence in play.dropped] if play.phase is PlayPhase.OPEN else []
    for seat in play.owed:
        envelope = moves.get(seat)
        if envelope is None:
            entries.append(absent_entry("play", seat, play.deal, play.attempt, play.step, play.head))
        else:
            entries.append(envelope.id)
    # Who has signed the end can't be agreed upon, since nobody signs after it: so the head doesn't say.
    return next_head(play.head, entries if play.phase is not PlayPhase.END else ())


def _after(
    play: PlayState, later: PlayState, deck: DeckState | None, moves: Moves, absent: frozenset[int]
) -> PlayState:
    match play.phase:
        case PlayPhase.ROSTER:
            return _after_roster(play, later, moves[play.owed[0]])
        case PlayPhase.OPEN:
            assert deck is not None
            return _after_open(later, deck)
        case PlayPhase.TOKENS:
            return _after_tokens(play, later, moves, absent)
        case PlayPhase.DISCARD | PlayPhase.ACT:
            return _after_actions(play, later, moves)
        case PlayPhase.CLOSE:
            return between_deals(replace(later, closed=later.head))
        case PlayPhase.END:
            return replace(later, phase=PlayPhase.ENDED)
        case PlayPhase.ENDED:
            raise AssertionError("nothing follows the end of a table")


def _after_roster(play: PlayState, later: PlayState, envelope: Envelope | None) -> PlayState:
    if envelope is None:
        # The silent proposer is absent; the next seat in turn proposes on the new head.
        return later
    assert isinstance(envelope.body, messages.Roster)
    changed = apply_roster(play, envelope.body)
    later = replace(
        later,
        members=changed.members,
        game=changed.game,
        away=changed.away,
        honoured=changed.honoured,
        seated=changed.seated,
        finish=changed.finish,
        absent=frozenset(),
        end_reason=changed.end_reason,
    )
    if changed.end_reason is not None:
        # Who finishes while a pot is carried takes his stake home: the standings count it.
        return replace(later, game=rules.apply(later.game, rules.CloseTable()), phase=PlayPhase.END)
    if rules.can_take_pot(later.game):
        game = rules.apply(later.game, rules.TakePot())
        later = replace(later, game=game, phase=PlayPhase.CLOSE, opened=later.head)
        return replace(later, predicted=later.deck_roster)
    # Attempts go on counting when a roster takes the place of attempts given up: no deck of theirs may come again.
    return replace(later, phase=PlayPhase.OPEN, attempt=play.attempt + int(later.deck_roster != later.predicted))


def drop(play: PlayState, seat: int) -> PlayState:
    """The state once `seat` is certified absent before its deal was opened: another attempt begins without it.

    What stands for it in the head says nothing of the step or the attempt that the certificate is about: peers may
    have different certificates for one seat, and must come to the same head all the same.
    """
    entry = absent_entry("play", seat, play.deal, 0, play.step, play.head)
    dropped = tuple(sorted((*play.dropped, Absence(seat, entry)), key=lambda absence: absence.seat))
    return replace(play, dropped=dropped, attempt=play.attempt + 1)


def undropped(play: PlayState) -> PlayState:
    """The state before any seat was dropped since the roster, or since the last `open`."""
    return replace(play, dropped=(), attempt=play.attempt - len(play.dropped))


def attempts_before(play: PlayState, dropping: Sequence[int]) -> Iterator[PlayState]:
    """The states in which a deal was to be opened before each of these seats was dropped, one after the other."""
    state = undropped(play)
    for seat in dropping:
        yield state
        state = drop(state, seat)


def can_deal(play: PlayState) -> bool:
    """Whether enough seats are left to be dealt in."""
    return len(play.dealt_in) >= 2


def without_deal(play: PlayState) -> PlayState:
    """The state when a deal can't be opened, since too few seats are left: another roster is due in its place.

    Where everybody was certified absent, nobody was (see `unless_all_absent`).
    """
    game, away = _sit_out(play) if play.present else (play.game, play.away)
    head = next_head(play.head, [absence.entry for absence in play.dropped])
    return replace(play, game=game, away=away, dropped=(), head=head, step=play.step + 1, phase=PlayPhase.ROSTER)


def _sit_out(play: PlayState) -> tuple[rules.State, frozenset[int]]:
    game = play.game
    for absence in play.dropped:
        if game.status[absence.seat] is rules.SeatStatus.IN:
            game = rules.apply(game, rules.SitOut(absence.seat))
    return game, play.away | {absence.seat for absence in play.dropped}


def _after_open(later: PlayState, deck: DeckState) -> PlayState:
    game, away = _sit_out(later)
    return replace(
        later,
        game=game,
        away=away,
        dropped=(),
        deck=deck,
        opened=later.head,
        phase=PlayPhase.TOKENS,
        hands={},
        predicted=deck.roster,
    )


def _after_tokens(play: PlayState, later: PlayState, moves: Moves, absent: frozenset[int]) -> PlayState:
    assert play.deck is not None
    if absent.issuperset(play.deck.seats):
        # Everybody had lost everybody: nobody broke the deal, it just didn't come about.
        return replace(later, phase=PlayPhase.CLOSE)
    if absent:
        game = rules.apply(play.game, rules.Void(tuple(sorted(absent))))
        return replace(later, game=game, phase=PlayPhase.CLOSE)
    hand_size = play.params.hand_size
    last = upcard_position(play.deck, hand_size)
    left = [masked.c2 for masked in play.deck.deck[: last + 1]]
    shared = IDENTITY
    for seat in play.deck.seats:
        envelope = moves[seat]
        assert envelope is not None
        assert isinstance(envelope.body, messages.Tokens)
        tokens = [decode_element(token) for token in envelope.body.tokens]
        own = own_positions(play.deck, hand_size, seat)
        for index, token in zip((i for i in range(last + 1) if i not in own), tokens, strict=False):
            left[index] = sub(left[index], token)
        if rules.needs_draw(play.game):
            shared = add(shared, tokens[-1])
    names = rules.deck_of(play.params)
    upcard = identify(left[last], names)
    assert upcard is not None, "all shuffles and tokens are proven, so the upcard is a card"
    hands = {
        seat: tuple(
            MaskedCard(play.deck.deck[index].c1, left[index]) for index in own_positions(play.deck, hand_size, seat)
        )
        for seat in play.deck.seats
    }
    draw = draw_seat(play.head, shared, play.deck.seats) if rules.needs_draw(play.game) else None
    unknown = (None,) * hand_size
    dealt = tuple(unknown if seat in play.deck.seats else None for seat in range(len(play.members)))
    game = rules.apply(play.game, rules.Deal(dealt, rules.Card(upcard), draw))
    return _in_deal(replace(later, game=game, hands=hands))


def _after_actions(play: PlayState, later: PlayState, moves: Moves) -> PlayState:
    game = play.game
    for seat in play.owed:
        if seat not in rules.owed(game):
            break  # an earlier leave or absence in this round has ended the deal
        envelope = moves[seat]
        action = rules.Absent(seat) if envelope is None else action_of(seat, envelope.body)
        assert action is not None
        game = rules.apply(game, action)
    later = replace(later, game=game)
    if play.game.phase is rules.Phase.BUY_IN:
        return between_deals(later)
    return _in_deal(later)


def _in_deal(play: PlayState) -> PlayState:
    match play.game.phase:
        case rules.Phase.DISCARD:
            return replace(play, phase=PlayPhase.DISCARD)
        case rules.Phase.BIDDING | rules.Phase.PLAYING:
            return replace(play, phase=PlayPhase.ACT)
        case _:
            return replace(play, phase=PlayPhase.CLOSE)


def deck_due(play: PlayState) -> DeckState | None:
    """The deck that should be in preparation now, at its beginning; None when no deal will follow.

    Before its roster is signed, the next deal is expected with the seats of the running one.
    """
    match play.phase:
        case PlayPhase.END | PlayPhase.ENDED:
            return None
        case PlayPhase.OPEN:
            deal, attempt, roster = play.deal, play.attempt, play.deck_roster
        case PlayPhase.ROSTER:
            deal, attempt, roster = play.deal, play.attempt, play.predicted
        case _:
            deal, attempt, roster = play.deal + 1, 0, play.predicted
    if len(roster) < 2:
        return None
    cards = tuple(str(card) for card in rules.deck_of(play.params))
    return begin_deck(play.table, play.digest, cards, roster, deal, attempt, play.opened)
