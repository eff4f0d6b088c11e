"""Antes signed by somebody who knows of other certificates than we do: no fault, and no ante here either.

Two seats vanish before the antes. Some learn first that the one is absent, others that the other is; each begins an
attempt without it, under one and the same number.
"""

from __future__ import annotations

from dataclasses import replace

import msgspec

from azi_p2p.session.decklane import DeckPhase
from azi_p2p.session.events import FaultSeen
from azi_p2p.session.playlane import opening
from azi_p2p.session.playstate import PlayPhase
from azi_p2p.wire.messages import Open
from tests.attacks.bench import Bench, assert_agreed, bench_of, events, lanes_of, play_of, run_to_end, seat_of, small
from tests.session.harness import Peer


def in_second_attempt(*, ready: bool) -> tuple[Bench, Peer, Peer]:
    """A table of four, one of whom has vanished before the antes; a peer at its second attempt, and one that signs."""
    bench = bench_of(4, small(4), 99)
    bench.run(lambda: all(peer.table.lanes and play_of(peer).phase is PlayPhase.OPEN for peer in bench.peers))
    watched, signer, _, gone = sorted(bench.peers, key=seat_of)
    bench.kill(gone)

    def there() -> bool:
        play, deck = play_of(watched), lanes_of(watched).deck
        if play.phase is not PlayPhase.OPEN or play.attempt != 1 or deck is None or deck.attempt != 1:
            return False
        waits = seat_of(signer) not in lanes_of(watched).play_inbox.moves
        return waits and (deck.phase is DeckPhase.READY) == ready

    bench.run(there)
    assert [absence.seat for absence in play_of(watched).dropped] == [3]
    return bench, watched, signer


def without_another(peer: Peer) -> Open:
    """The ante over the deck that this peer prepares, but with seat 2 left out in place of seat 3."""
    play, deck = play_of(peer), lanes_of(peer).deck
    assert deck is not None
    whole = opening(play, deck.head)
    other = opening(replace(play, dropped=()), deck.head)
    return msgspec.structs.replace(
        whole, roster=[entry for entry in other.roster if entry.seat != 2], dealt_in=[0, 1, 3]
    )


def test_ante_for_a_roster_without_another_seat_is_no_fault() -> None:
    bench, watched, signer = in_second_attempt(ready=False)
    place = play_of(watched).place
    ante = bench.forge(signer, place, without_another(watched))
    bench.inject(watched, ante, signer.key)
    assert not events(watched, FaultSeen)
    assert play_of(watched).place == place
    assert seat_of(signer) not in lanes_of(watched).play_inbox.moves


def test_ante_for_a_roster_without_another_seat_does_not_count() -> None:
    """Not even when the deck that it names is ready."""
    bench, watched, signer = in_second_attempt(ready=True)
    place = play_of(watched).place
    ante = bench.forge(signer, place, without_another(watched))
    bench.inject(watched, ante, signer.key)
    assert not events(watched, FaultSeen)
    assert play_of(watched).place == place
    assert seat_of(signer) not in lanes_of(watched).play_inbox.moves


def test_honest_antes_of_the_second_attempt_count() -> None:
    bench, _, _ = in_second_attempt(ready=True)
    run_to_end(bench)
    assert_agreed(bench)
