"""Bytes that no honest program makes, well signed by somebody who sits at the table.

A signature makes nothing of it a message: whoever hands it over is hung up on, and nothing has changed. Nothing that
people may choose as they like (names, words) reaches a file's name. The same for the parts alone is in `tests/wire`,
for links in `tests/net`, and for what a terminal shows in `tests/ui`.
"""

from __future__ import annotations

import datetime
import struct
from functools import cache
from pathlib import Path
from typing import Any

import msgpack
import pytest

from azi_p2p.rules import Params
from azi_p2p.session.effects import DropLink, Effect, Send
from azi_p2p.session.playstate import PlayPhase
from azi_p2p.session.table import Table
from azi_p2p.store.ledgers import LedgerFile, save_evidence
from azi_p2p.wire.envelope import SIGNATURE_DOMAIN, seal
from azi_p2p.wire.frame import EnvelopeFrame
from azi_p2p.wire.messages import MAX_ENVELOPE, VERSION
from tests.attacks.bench import Bench, assert_agreed, bench_of, play_of, run_to_end, small
from tests.session.harness import Network, make_me

SEED = 91


@cache
def bidding() -> Bench:
    """A table whose first bid is awaited; what is handed over below must change nothing, so one does for all."""
    bench = bench_of(3, small(3), SEED)
    bench.run(lambda: all(peer.table.lanes and play_of(peer).phase is PlayPhase.ACT for peer in bench.peers))
    return bench


def fields(bench: Bench, **changes: Any) -> dict[str, Any]:
    """The payload of a bid at the current step by the last peer, with some fields changed."""
    bent = bench.peers[2]
    place = play_of(bent).place
    return {
        "version": VERSION,
        "table": play_of(bent).table,
        "lane": "play",
        "author": bent.key,
        "deal": place.deal,
        "attempt": place.attempt,
        "step": place.step,
        "prev": place.prev,
        "type": "bid",
        "body": {"to": 20},
        **changes,
    }


def signed(bench: Bench, payload: bytes) -> bytes:
    identity = bench.identity(bench.peers[2])
    return seal(payload, identity.sign(SIGNATURE_DOMAIN, payload))


def handed_over(bench: Bench, raw: bytes) -> list[Effect]:
    """What the first peer does about this envelope from the last one."""
    return bench.peers[0].table.receive(EnvelopeFrame(raw), bench.peers[2].key, bench.now)


def bid_of(encoded: bytes) -> bytes:
    """The body of a bid whose amount is encoded like this."""
    return b"\x81\xa2to" + encoded


BODIES: dict[str, bytes] = {
    "NaN": bid_of(b"\xcb" + struct.pack(">d", float("nan"))),
    "a fraction": bid_of(b"\xcb" + struct.pack(">d", 20.0)),
    "2^64 - 1": bid_of(b"\xcf" + b"\xff" * 8),
    "a negative number": bid_of(b"\xec"),
    "true for 1": bid_of(b"\xc3"),
    "nothing": bid_of(b"\xc0"),
    "a text": bid_of(b"\xa220"),
    "a longer encoding": bid_of(b"\xcd\x00\x14"),
    "an extension type": bid_of(b"\xd4\x05\x14"),
    "a timestamp": bid_of(b"\xd6\xff\x00\x00\x00\x14"),
    "the same key twice": b"\x82\xa2to\x14\xa2to\x28",
    "a number for a key": b"\x81\x01\x14",
    "a field too many": b"\x82\xa2to\x14\xa4more\x01",
    "no fields": b"\x80",
    "a thousand levels": bid_of(b"\x91" * 1000 + b"\x14"),
    "bytes that are no MessagePack": b"\xc1",
}


@pytest.mark.parametrize("name", BODIES)
def test_bid_with(name: str) -> None:
    bench = bidding()
    empty = msgpack.packb(fields(bench, body={}))
    assert empty.endswith(b"\x80")
    assert_refused(bench, signed(bench, empty[:-1] + BODIES[name]))


WHOLES: dict[str, Any] = {
    "bytes after the end": lambda bench: msgpack.packb(fields(bench)) + b"\x00",
    "fields in another order": lambda bench: msgpack.packb(dict(reversed(fields(bench).items()))),
    "a list in place of a map": lambda bench: msgpack.packb(list(fields(bench).values())),
    "no lane": lambda bench: msgpack.packb({k: v for k, v in fields(bench).items() if k != "lane"}),
    "the lane of another type": lambda bench: msgpack.packb(fields(bench, lane="deck")),
    "a type that is not": lambda bench: msgpack.packb(fields(bench, type="surrender")),
    "a type with an escape sequence": lambda bench: msgpack.packb(fields(bench, type="\x1b[2Jbid")),
    "another version": lambda bench: msgpack.packb(fields(bench, version=VERSION + 1)),
    "a text in place of the key": lambda bench: msgpack.packb(fields(bench, author="x" * 32)),
    "nothing": lambda bench: b"\xc0",
    "more than an envelope may have": lambda bench: msgpack.packb(
        fields(bench, type="roster", body={"requests": [bytes(MAX_ENVELOPE)]})
    ),
    "chat of ten kilobytes": lambda bench: chat(bench, "x" * 10_000),
    "chat that is no UTF-8": lambda bench: chat(bench, "x").replace(b"\xa1x", b"\xa1\xff"),
    "a nickname of ten kilobytes": lambda bench: msgpack.packb(
        fields(bench, **NOWHERE, type="seat", body={"nickname": "x" * 10_000, "nonce": bytes(32), "params": {}})
    ),
}

NOWHERE: dict[str, Any] = {"lane": "none", "deal": 0, "attempt": 0, "step": 0, "prev": bytes(32)}


def chat(bench: Bench, text: str) -> bytes:
    packed: bytes = msgpack.packb(fields(bench, **NOWHERE, type="chat", body={"number": 1, "text": text}))
    return packed


@pytest.mark.parametrize("name", WHOLES)
def test_message_with(name: str) -> None:
    bench = bidding()
    assert_refused(bench, signed(bench, WHOLES[name](bench)))


def test_the_unchanged_messages_are_messages() -> None:
    """Else the tests above would show nothing."""
    bench = bidding.__wrapped__()
    for payload in (msgpack.packb(fields(bench)), chat(bench, "x")):
        effects = handed_over(bench, signed(bench, payload))
        assert not any(isinstance(effect, DropLink) for effect in effects)


def assert_refused(bench: Bench, raw: bytes) -> None:
    """The link is closed, for a reason of one line that can be printed; nothing is passed on, nothing has changed."""
    victim = bench.peers[0]
    before = play_of(victim)
    effects = handed_over(bench, raw)
    drops = [effect for effect in effects if isinstance(effect, DropLink)]
    assert [drop.peer for drop in drops] == [bench.peers[2].key]
    assert drops[0].reason.isprintable()
    assert len(drops[0].reason) < 300
    assert not any(isinstance(effect, Send) and isinstance(effect.frame, EnvelopeFrame) for effect in effects)
    assert play_of(victim) == before


def test_the_table_plays_on_after_all_of_it() -> None:
    bench = bidding.__wrapped__()
    for make in WHOLES.values():
        assert_refused(bench, signed(bench, make(bench)))
    run_to_end(bench)
    assert_agreed(bench)


@pytest.mark.parametrize("name", ["../../.bashrc", "/etc/passwd", "C:\\con", "a\x00b", "\x1b]0;x\x07", "-rf *"])
def test_paths_in_names(name: str, tmp_path: Path) -> None:
    """Table and players are called like this: they play, and every file is where it belongs, under a plain name."""
    network = Network(SEED)
    for number in range(2):
        me = make_me(name + "!" * number, SEED)
        table = Table.host(me, Params(seats=2, deal_limit=1), name) if number == 0 else Table.join(me)
        network.add(table, me.nickname, me.identity.public)
    network.link(*network.peers)
    network.run(lambda: all(peer.table.ended for peer in network.peers))
    folder = tmp_path / "ledgers"
    folder.mkdir()
    for peer in network.peers:
        assert peer.table.table_id is not None
        with LedgerFile.create(folder, peer.table.table_id, peer.key, datetime.date(2026, 1, 1)) as ledger:
            ledger.append(peer.ledger)
        save_evidence(folder, peer.table.table_id, peer.key, b"evidence")
    names = [path.name for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.parent for path in tmp_path.rglob("*") if path.is_file()} == {folder}
    assert len(names) == 4
    assert all(set(made) <= set("abcdefghijklmnopqrstuvwxyz0123456789-_.") for made in names), names
