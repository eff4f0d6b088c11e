"""Messages that their author hasn't signed, or has signed for another table; and whoever passes them on."""

from __future__ import annotations

import pytest

from azi_p2p.session.effects import DropLink
from azi_p2p.session.events import FaultSeen, SeatAbsent
from azi_p2p.session.playstate import PlayPhase
from azi_p2p.wire.codec import decode_plain, encode
from azi_p2p.wire.envelope import decode_envelope, place_of, seal
from azi_p2p.wire.errors import WireError
from azi_p2p.wire.frame import StatusFrame
from azi_p2p.wire.messages import Fold, Vote
from tests.attacks.bench import Bench, assert_agreed, bench_of, events, lanes_of, play_of, run_to_end, sign, small
from tests.attacks.test_votes import seat_in_turn, vote_place
from tests.session.harness import Peer


def acting(seed: int = 71) -> tuple[Bench, Peer, Peer, Peer]:
    """A table where somebody is asked: the bench, who is asked, an honest peer, and the bent one."""
    bench = bench_of(3, small(3), seed)
    bench.run(lambda: all(peer.table.lanes and play_of(peer).phase is PlayPhase.ACT for peer in bench.peers))
    asked = seat_in_turn(bench)
    honest, bent = (peer for peer in bench.peers if peer is not asked)
    return bench, asked, honest, bent


def assert_untouched(bench: Bench, honest: Peer, bent: Peer, raw: bytes) -> None:
    """The message changes nothing, and whoever has sent it is hung up on; the game goes on."""
    before, kept = play_of(honest), lanes_of(honest).buffered
    moves = dict(lanes_of(honest).play_inbox.moves)
    bench.inject(honest, raw, bent.key)
    assert play_of(honest) == before
    assert lanes_of(honest).buffered == kept
    assert lanes_of(honest).play_inbox.moves == moves


SPOILT = {
    "no signature": lambda payload, signature: seal(payload, bytes(64)),
    "one bit of the signature turned": lambda payload, signature: seal(
        payload, bytes([signature[0] ^ 1]) + signature[1:]
    ),
    "the last bit of the signature turned": lambda payload, signature: seal(
        payload, signature[:-1] + bytes([signature[-1] ^ 1])
    ),
}


@pytest.mark.parametrize("how", SPOILT)
def test_move_in_the_name_of_the_seat_in_turn_with(how: str) -> None:
    bench, asked, honest, bent = acting()
    envelope = decode_envelope(bench.forge(asked, play_of(asked).place, Fold()))
    raw = SPOILT[how](envelope.payload, envelope.signature)
    assert_untouched(bench, honest, bent, raw)
    assert [drop.peer for drop in honest.drops] == [bent.key]
    honest.drops.clear()
    run_to_end(bench)
    assert_agreed(bench)


def test_move_in_the_name_of_the_seat_in_turn_signed_by_another() -> None:
    bench, asked, honest, bent = acting()
    envelope = decode_envelope(bench.forge(asked, play_of(asked).place, Fold()))
    other = decode_envelope(bench.forge(bent, play_of(asked).place, Fold()))
    assert_untouched(bench, honest, bent, seal(envelope.payload, other.signature))
    assert [drop.peer for drop in honest.drops] == [bent.key]


def test_move_signed_for_another_table() -> None:
    """Rightly signed, on this very head, but for another table: it isn't meant for us, and proves nothing."""
    bench, asked, honest, bent = acting()
    raw = sign(bench.identity(asked), b"u" * 32, play_of(asked).place, Fold())
    assert_untouched(bench, honest, bent, raw)
    run_to_end(bench)
    for peer in bench.peers:
        assert not events(peer, FaultSeen)
        assert not events(peer, SeatAbsent)
    assert_agreed(bench)


def test_vote_in_the_name_of_another() -> None:
    bench, asked, honest, bent = acting()
    place = play_of(asked).place
    vote = Vote(lane="play", seat=play_of(asked).owed[0], round=0, verdict="claim", move=b"", evidence=[])
    polls = dict(lanes_of(honest).ballots.polls)
    for voter in bench.peers:
        mine = decode_envelope(sign(bench.identity(voter), _table(honest), vote_place(place), vote))
        assert_untouched(bench, honest, bent, seal(mine.payload, bytes(64)))
    assert lanes_of(honest).ballots.polls == polls


def _table(peer: Peer) -> bytes:
    table = peer.table.table_id
    assert table is not None
    return table


def test_status_of_another_table() -> None:
    """A peer of another table has nothing to do here, and learns nothing."""
    bench, _, honest, bent = acting()
    status = StatusFrame(
        table=b"u" * 32,
        deal=0,
        step=0,
        head=bytes(32),
        held=0,
        deck_deal=0,
        deck_attempt=0,
        deck_step=0,
        deck_held=0,
        wants_answer=True,
    )
    effects = honest.table.receive(status, bent.key, bench.now)
    assert [effect.peer for effect in effects if isinstance(effect, DropLink)] == [bent.key]
    assert not any(type(effect).__name__ == "Send" for effect in effects)


def test_what_is_said_of_a_bad_message_can_be_printed() -> None:
    """Refusals quote what they refuse; no sign that a terminal obeys gets through."""
    bench, asked, _, _ = acting()
    envelope = decode_envelope(bench.forge(asked, play_of(asked).place, Fold()))
    assert place_of(envelope).lane == "play"
    evil = "\x1b[2J\u202e\x9b1m"
    unknown = encode(decode_plain(envelope.payload, limit=4096) | {evil: 1})  # type: ignore[operator]  # a map
    for payload in (
        unknown,
        envelope.payload.replace(b"\xa4play", b"\xa4\x1b[2J", 1),
        envelope.payload.replace(b"\xa4fold", b"\xa4\x1b[2J", 1),
        envelope.payload.replace(b"\xa4fold", bytes([0xA0 + len(evil.encode())]) + evil.encode(), 1),
        envelope.payload.replace(b"\xa4play", bytes([0xA0 + len(evil.encode())]) + evil.encode(), 1),
    ):
        assert payload != envelope.payload
        with pytest.raises(WireError) as caught:
            decode_envelope(seal(payload, envelope.signature))
        assert str(caught.value).isprintable(), str(caught.value)
