"""What the others know, all together, doesn't open a hidden card; and no secret stands where others can read it.

The pooled view is the worst case: all other seats put their deal secrets, their own hands and everything that has
ever been on the wire together.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from azi_p2p.crypto import group
from azi_p2p.crypto.cards import card_elements, identify
from azi_p2p.crypto.group import Element, Scalar
from azi_p2p.crypto.masking import unmask
from azi_p2p.crypto.void import VoidProof
from azi_p2p.rules import deck_of, held_positions
from azi_p2p.session import playlane
from azi_p2p.session.own import SecretRecord
from azi_p2p.session.playstate import PlayPhase, PlayState
from azi_p2p.wire.codec import decode
from azi_p2p.wire.envelope import decode_envelope
from azi_p2p.wire.frame import EnvelopeFrame, Frame
from azi_p2p.wire.messages import Play
from tests.attacks.bench import Bench, bench_of, lanes_of, play_of, run_to_end, seat_of, secrets_of, small
from tests.session.harness import Peer


class Tap:
    """Everything that has been on the wire."""

    def __init__(self, bench: Bench) -> None:
        self.frames: list[Frame] = []
        bench.tamper = self

    def __call__(self, sender: Peer, receiver: Peer, frame: Frame) -> Frame:
        self.frames.append(frame)
        return frame

    @property
    def envelopes(self) -> dict[bytes, bytes]:
        """All envelopes, once each, by id."""
        raws = {frame.envelope for frame in self.frames if isinstance(frame, EnvelopeFrame)}
        return {decode_envelope(raw).id: raw for raw in raws}


def dealt(count: int, hand_size: int, seed: int = 7) -> tuple[Bench, Tap]:
    """A table just after the deal: all reveal tokens are out, nobody has acted."""
    bench = bench_of(count, small(count, hand_size), seed)
    tap = Tap(bench)
    bench.run(lambda: all(peer.table.lanes and play_of(peer).phase in ACTING for peer in bench.peers))
    return bench, tap


ACTING = (PlayPhase.DISCARD, PlayPhase.ACT)


def deck_secret(peer: Peer, play: PlayState) -> Scalar:
    assert play.deck is not None
    return secrets_of(peer)[play.deck.base]


def hand_of(peer: Peer) -> tuple[str, ...]:
    own = peer.table._own
    assert own is not None
    deal = own.private_game(play_of(peer), seat_of(peer)).deal
    assert deal is not None
    hand = deal.hands[seat_of(peer)]
    assert hand is not None
    return tuple(str(card) for card in hand)


def masked_cards(victim: Peer) -> Iterator[tuple[Element, Element, str]]:
    """For each card of the victim's hand: C1, what is left when all tokens on the wire are off, and the card."""
    for masked, card in zip(play_of(victim).hands[seat_of(victim)], hand_of(victim), strict=True):
        yield masked.c1, masked.d, card


@pytest.mark.parametrize(("count", "hand_size"), [(2, 3), (4, 3), (3, 4)])
def test_all_the_others_together_do_not_open_a_hidden_card(count: int, hand_size: int) -> None:
    bench, _ = dealt(count, hand_size)
    for victim in bench.peers:
        play, seat = play_of(victim), seat_of(victim)
        assert play.deck is not None
        names = deck_of(play.params)
        pool = [deck_secret(peer, play) for peer in bench.peers if peer is not victim]
        positions = playlane.own_positions(play.deck, hand_size, seat)
        for position, card in zip(positions, hand_of(victim), strict=True):
            masked = play.deck.deck[position]
            tokens = [group.mul(x, masked.c1) for x in pool]
            left = unmask(masked, tokens)
            assert identify(left, names) is None, "opened without the owner"
            # The owner's token, and nothing else, opens it: so the test would notice if the pool could.
            assert identify(group.sub(left, group.mul(deck_secret(victim, play), masked.c1)), names) == card


@pytest.mark.parametrize("count", [2, 4])
def test_no_sum_of_known_shares_opens_a_hidden_card(count: int) -> None:
    """Every combination of what the pool can compute from its secrets and the keys on the wire."""
    bench, _ = dealt(count, 3)
    victim = bench.peers[0]
    play = play_of(victim)
    assert play.deck is not None
    assert play.deck.joint is not None
    names = deck_of(play.params)
    pool = [deck_secret(peer, play) for peer in bench.peers if peer is not victim]
    start = [(group.G, group.add(card, play.deck.joint)) for card in card_elements(names)]
    for c1, d, _card in masked_cards(victim):
        others = [group.mul(x, c1) for x in pool]
        public = [*play.deck.keys.values(), play.deck.joint, group.G, c1]
        for share in [*others, *public, *(masked[1] for masked in start), *(x.c1 for x in play.deck.deck)]:
            assert identify(group.sub(d, share), names) is None
            assert identify(group.add(d, share), names) is None


def test_brute_force_over_the_deck_leaves_every_card_possible() -> None:
    """For each of the 27 cards there is a token that would open it as that card, and nothing tells which is right.

    The pool can test a candidate only where it meets the victim's secret again: in `x G`, in the tokens that the
    victim has sent for other cards, in the card's own past. It tries all equalities and ratios that it can compute.
    """
    bench, tap = dealt(3, 3)
    victim = bench.peers[0]
    play, seat = play_of(victim), seat_of(victim)
    assert play.deck is not None
    names = [str(name) for name in deck_of(play.params)]
    cards = card_elements(names)
    key = play.deck.keys[seat]
    # Everything on the wire, cut at every place where an element could stand.
    wire = b"".join(tap.envelopes.values())
    tokens_sent = {bytes(token) for token in _tokens_of(victim, tap)}
    assert tokens_sent
    for c1, d, card in masked_cards(victim):
        candidates = {name: group.sub(d, element) for name, element in zip(names, cards, strict=True)}
        assert len(set(candidates.values())) == 27, "each card has a token of its own"
        assert candidates[card] == group.mul(deck_secret(victim, play), c1)
        for name, candidate in candidates.items():
            assert bytes(candidate) not in wire, name
            assert candidate not in tokens_sent, name
            assert candidate != key
            assert candidate not in {masked.c1 for masked in play.deck.deck}


def _tokens_of(victim: Peer, tap: Tap) -> Iterator[bytes]:
    for raw in tap.envelopes.values():
        envelope = decode_envelope(raw)
        if envelope.type == "tokens" and envelope.author == victim.key:
            yield from envelope.body.tokens  # type: ignore[attr-defined]  # the body of this type


def test_void_proofs_look_alike_whatever_the_hand() -> None:
    """All challenges of a void proof are distinct and none repeats: no branch stands out as the true one."""
    for seed in range(1, 8):
        bench = bench_of(3, small(3), seed)
        tap = Tap(bench)
        run_to_end(bench)
        proofs = [
            proof
            for raw in tap.envelopes.values()
            if isinstance(body := decode_envelope(raw).body, Play)
            for proof in body.void
        ]
        for proof in proofs:
            parsed = VoidProof.from_bytes(proof, len(proof) // 64)
            scalars = [*parsed.challenges, *parsed.responses]
            assert len(set(scalars)) == len(scalars)
        if proofs:
            return
    raise AssertionError("no void proof in seven tables")


# Secrets where others could read them


def secrets_ever(peer: Peer) -> set[bytes]:
    """All deal secrets of a peer, and its identity's seed."""
    records = [decode(entry.record, SecretRecord, limit=4096) for entry in peer.journal if entry.kind == "secret"]
    assert records
    return {record.secret for record in records}


def forms_of(secret: bytes) -> Iterator[bytes]:
    """The ways in which 32 bytes could slip out: raw, in hex, as a number, as Python shows bytes."""
    yield secret
    yield secret[::-1]
    yield secret.hex().encode()
    yield secret[::-1].hex().encode()
    yield str(int.from_bytes(secret, "little")).encode()
    yield repr(secret)[2:-1].encode()


def assert_free_of(secrets: set[bytes], text: bytes, where: str) -> None:
    for secret in secrets:
        for form in forms_of(secret):
            assert form not in text, f"a secret stands in {where}"


@pytest.mark.parametrize("hand_size", [3, 4])
def test_no_secret_in_ledger_wire_events_and_views(hand_size: int) -> None:
    bench = bench_of(3, small(3, hand_size, 2), seed=8)
    tap = Tap(bench)
    views: list[str] = []

    def ended() -> bool:
        views.extend(repr(peer.table.view()) for peer in bench.peers)
        return _ended(bench)

    bench.run(ended)
    for peer in bench.peers:
        secrets = secrets_ever(peer) | {bench.identity(peer).seed}
        for other in bench.peers:
            assert_free_of(secrets, other.ledger, f"the ledger of {other.name}")
            assert_free_of(secrets, repr(other.events).encode(), f"the events of {other.name}")
        assert_free_of(secrets, "".join(views).encode(), "a view")
        assert_free_of(secrets, b"".join(tap.envelopes.values()), "a message")
        kinds = {entry.kind for entry in peer.journal}
        assert kinds <= {"envelope", "seen", "secret", "erase"}
        for other in bench.peers:
            if other is not peer:
                journal = b"".join(entry.record for entry in other.journal)
                assert_free_of(secrets, journal, f"the journal of {other.name}")
        plain = b"".join(entry.record for entry in peer.journal if entry.kind != "secret")
        assert_free_of(secrets, plain, "a journal record that is not a secret's")


def _ended(bench: Bench) -> bool:
    return all(peer.table.ended for peer in bench.peers)


def test_no_secret_in_the_reprs_of_what_holds_it() -> None:
    """A traceback or a log line shows reprs: of the table, the own seat, its secrets, jobs and effects."""
    bench = bench_of(3, small(3), seed=8)
    shown: list[str] = []
    perform = bench._perform

    def listening(peer: Peer, effects: list[object]) -> None:
        shown.extend(repr(effect) for effect in effects)
        perform(peer, effects)  # type: ignore[arg-type]  # the same effects

    bench._perform = listening  # type: ignore[assignment, method-assign]  # what effects would look like in a log
    run_to_end(bench)
    for peer in bench.peers:
        own, lanes = peer.table._own, lanes_of(peer)
        assert own is not None
        secrets = secrets_ever(peer) | {bench.identity(peer).seed}
        records = [decode(e.record, SecretRecord, limit=4096) for e in peer.journal if e.kind == "secret"]
        things = [peer.table, own, own.me, own.me.identity, lanes.play, lanes.deck, *own._secrets.values(), *records]
        assert_free_of(secrets, "".join(map(repr, things)).encode(), "a repr")
        assert_free_of(secrets, "".join(shown).encode(), "the repr of an effect")


def test_hands_of_others_are_never_in_a_view() -> None:
    """Until it is played, a card of another seat stands in nobody's view, also not in the bidding of the last trick."""
    bench = bench_of(4, small(4), seed=9)

    def looked_at_all() -> bool:
        for peer in bench.peers:
            if peer.table.lanes is None:
                continue
            shown = peer.table.view().rules
            deal = None if shown is None else shown.state.deal
            if deal is None or not play_of(peer).hands:
                continue
            for seat, hand in enumerate(deal.hands):
                if hand is None or seat == peer.table.view().my_seat:
                    continue
                held = held_positions(play_of(peer).game, seat)
                assert all(hand[position] is None for position in held), (peer.name, seat)
        return _ended(bench)

    bench.run(looked_at_all)


def test_secrets_of_a_closed_deal_are_forgotten() -> None:
    """Two deals later the own seat holds no secret of the first, and has told its journal so."""
    bench = bench_of(3, small(3, 3, 3), seed=8)
    bench.run(lambda: all(peer.table.lanes and play_of(peer).deal == 3 for peer in bench.peers))
    for peer in bench.peers:
        own = peer.table._own
        assert own is not None
        assert own._secrets
        assert all(secret.deal >= 2 for secret in own._secrets.values())
        assert any(entry.kind == "erase" for entry in peer.journal)
