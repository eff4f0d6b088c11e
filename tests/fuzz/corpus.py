"""Where the fuzzer starts from: bytes of real tables, played without sockets from fixed seeds.

Everything here can be had again from the seeds, signing keys included: so a mutated message can be signed anew, and
gets past the signature check to the code behind it. No mutations here.
"""

from __future__ import annotations

import struct
import zlib
from functools import cache
from pathlib import Path

from zeroconf import ServiceInfo
from zeroconf._dns import DNSRecord
from zeroconf._protocol.outgoing import DNSOutgoing

from azi_p2p.crypto.identity import IdentityKey
from azi_p2p.net.hello import Hello
from azi_p2p.net.records import Announcement
from azi_p2p.rules import Params
from azi_p2p.store.journal import MAGIC
from azi_p2p.store.keyfile import LOCKED_LINE, SEALED_SIZE, key_text
from azi_p2p.wire.codec import encode
from azi_p2p.wire.envelope import SIGNATURE_DOMAIN, decode_envelope, encode_payload, seal
from azi_p2p.wire.frame import (
    HEADER,
    EnvelopeFrame,
    Frame,
    PeerAddress,
    PeersFrame,
    PingFrame,
    decode_frame,
    encode_frame,
)
from azi_p2p.wire.messages import Bid
from tests.session.harness import NAMES, Network, Peer, all_ended, make_me, table_of

SEED = 11
ROOT = Path(__file__).resolve().parent.parent.parent


@cache
def identities() -> dict[bytes, IdentityKey]:
    """The signing keys of everybody at the tables of this corpus, and of a stranger, by public key."""
    keys = [make_me(name, SEED).identity for name in (*NAMES, "Stranger")]
    return {key.public: key for key in keys}


@cache
def played() -> tuple[Network, Network, Network]:
    """Three finished tables: two peers; four cards in three hands; and one at which a peer vanishes."""
    two = table_of(2, Params(seats=2, deal_limit=1), SEED)
    four_cards = table_of(3, Params(seats=3, hand_size=4, deal_limit=1), SEED)
    vanishing = table_of(3, Params(seats=3, deal_limit=1), SEED)
    for network in (two, four_cards, vanishing):
        _listen(network)
    two.run(lambda: all_ended(two))
    four_cards.run(lambda: all_ended(four_cards))
    vanishing.run(lambda: any(o.do == "play" for peer in vanishing.peers for o in peer.table.view().legal))
    vanishing.kill(vanishing.peers[2])
    vanishing.run(lambda: all_ended(vanishing))
    return two, four_cards, vanishing


_HEARD: dict[int, dict[bytes, None]] = {}


def _listen(network: Network) -> None:
    """Keep every frame that travels at this table, once."""
    heard = _HEARD.setdefault(id(network), {})

    def keep(_sender: Peer, _receiver: Peer, frame: Frame) -> Frame:
        heard[encode_frame(frame)[HEADER.size :]] = None
        return frame

    network.tamper = keep


@cache
def frames() -> tuple[bytes, ...]:
    """Frame bodies that have travelled at these tables, and the kinds that the session never sends itself."""
    bodies = [body for network in played() for body in _HEARD[id(network)]]
    others: tuple[Frame, ...] = (
        PingFrame(number=7, reply=True),
        PeersFrame(peers=[PeerAddress(peer=bytes([9]) * 32, host="192.168.1.20", port=4000)] * 3),
    )
    return (*bodies, *(encode_frame(frame)[HEADER.size :] for frame in others))


@cache
def envelopes() -> tuple[bytes, ...]:
    """Signed envelopes of every type that came up at these tables."""
    decoded = [decode_frame(body) for body in frames()]
    return tuple(frame.envelope for frame in decoded if isinstance(frame, EnvelopeFrame))


@cache
def bodies() -> tuple[bytes, ...]:
    """Message bodies of every type that came up at these tables."""
    return tuple({encode(decode_envelope(raw).body): None for raw in envelopes()})


@cache
def ledgers() -> tuple[bytes, ...]:
    """The ledgers of these tables, one of each."""
    return tuple(network.peers[0].ledger for network in played())


@cache
def evidence() -> tuple[bytes, ...]:
    """Evidence files: of a bid over the stack, and of two bids for one turn."""
    files: list[bytes] = []
    for totals in ((10**9,), (20, 30)):
        network = table_of(3, Params(seats=3, deal_limit=1), SEED)
        for peer in network.peers:
            peer.chooser = None
        network.run(lambda network=network: bool(bidders(network)))  # type: ignore[misc]  # binds the loop's network
        bent = bidders(network)[0]
        assert bent.table.lanes is not None
        play = bent.table.lanes.play
        for to in totals:
            raw = signed(bent.key, encode_payload(play.table, bent.key, play.place, Bid(to=to)))
            for peer in network.peers:
                if peer is not bent:
                    network.inject(peer, raw)
        files.extend(accusation.data for peer in network.peers for accusation in peer.accusations)
    return tuple(files)


def bidders(network: Network) -> list[Peer]:
    """Who is asked to bid, once all peers are at the same head."""
    if len({peer.table.view().head for peer in network.peers}) > 1:
        return []
    return [peer for peer in network.peers if any(option.do == "bid" for option in peer.table.view().legal)]


def signed(author: bytes, payload: bytes) -> bytes:
    """The envelope of a payload, signed with a key of this corpus."""
    return seal(payload, identities()[author].sign(SIGNATURE_DOMAIN, payload))


@cache
def journals() -> tuple[bytes, ...]:
    """Two files each, with a length before the first: envelopes and secrets as a peer has journaled them."""

    files: list[bytes] = []
    for network in played():
        journal = network.peers[1].journal
        written = MAGIC + b"".join(journaled(entry.record) for entry in journal if entry.kind == "envelope")
        secret = MAGIC + b"".join(journaled(entry.record) for entry in journal if entry.kind == "secret")
        files.append(struct.pack(">I", len(written)) + written + secret)
    files.append(struct.pack(">I", 0))
    files.append(struct.pack(">I", len(MAGIC)) + MAGIC + MAGIC)
    return tuple(files)


def journaled(record: bytes) -> bytes:
    """A record as it stands in a journal file, with its checksums."""
    length = struct.pack(">I", len(record))
    return length + struct.pack(">II", zlib.crc32(length), zlib.crc32(record)) + record


@cache
def hellos() -> tuple[bytes, ...]:
    """What a dialler says to a listener: opening and proof, each with its length before it."""
    keys = list(identities().values())
    listener = Hello(keys[0], "listener", bytes(32), rng=bytes)
    dialer = Hello(keys[1], "dialer", bytes(32), rng=bytes)
    opening = dialer.opening()
    proof = dialer.answer(listener.opening())
    listener.answer(opening)
    listener.finish(proof)
    return (b"".join(struct.pack(">H", len(part)) + part for part in (opening, proof)),)


@cache
def records() -> tuple[bytes, ...]:
    """Port, one address, and TXT data as they stand in DNS packets."""
    said = Announcement(
        peer=bytes(range(32)),
        nickname="Katya",
        table=bytes([7]) * 32,
        table_name="Kitchen",
        seats=4,
        free=2,
        ante=10,
        params=bytes([8]) * 32,
    )
    text = b"".join(
        bytes([len(pair)]) + pair for pair in (f"{key}={value}".encode() for key, value in said.fields().items())
    )
    hosts = (bytes([192, 168, 1, 20]), bytes([0xFE, 0x80, *bytes(13), 1]))
    return tuple(struct.pack(">HB", 4000, len(host)) + host + text for host in hosts)


@cache
def packets() -> tuple[bytes, ...]:
    """DNS packets that announce a table, as `zeroconf` writes them."""
    return tuple(packet_of(answers(record)) for record in records())


def answers(record: bytes) -> list[DNSRecord]:
    """The DNS records that announce a table: of port, one address of 4 or 16 bytes, and TXT data as in `records`."""
    port, size = struct.unpack_from(">HB", record)
    info = ServiceInfo(
        "_azi._tcp.local.",
        "Katya abcd._azi._tcp.local.",
        port=port,
        addresses=[record[3 : 3 + size]],
        properties=record[3 + size :],
        server="azi-00.local.",
    )
    return [info.dns_pointer(), info.dns_service(), info.dns_text(), *info.dns_addresses()]


def packet_of(found: list[DNSRecord]) -> bytes:
    """One DNS packet with these records."""
    out = DNSOutgoing(0x8400)
    for answer in found:
        out.add_answer_at_time(answer, 0)
    return out.packets()[0]


@cache
def scenarios() -> tuple[bytes, ...]:
    """Scenario files of the repository, the shortest first."""
    folder = ROOT / "protocol" / "scenarios"
    files = [path for path in folder.glob("*.json") if not path.name.endswith(".expected.json")]
    return tuple(path.read_bytes() for path in sorted(files, key=lambda path: (path.stat().st_size, path.name))[:60])


@cache
def settings() -> tuple[bytes, ...]:
    """Settings as people may write them."""
    return (
        b'nickname = "Katya"\n',
        'nickname = "Катя"\n[table]\nante = 10\n'.encode(),
        b"# nothing yet\n",
        b'language = "af"\nnumbers = [1, 2, [3]]\nwhen = 2024-02-29T10:00:00Z\ntext = """\nnickname = 1\n"""\n',
    )


@cache
def key_files() -> tuple[bytes, ...]:
    """Key files, one of them locked (with bytes that no passphrase opens: it is only read)."""
    plain = [key_text(key) for key in list(identities().values())[:2]]
    sealed = f"{LOCKED_LINE}\nsecret {bytes(SEALED_SIZE).hex()}\npublic {bytes(32).hex()}\n"
    return tuple(text.encode() for text in (*plain, sealed))
