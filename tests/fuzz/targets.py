"""What is fuzzed: every reader of other people's bytes, what it may raise, and what must hold of what it takes.

A target's `read` hands bytes to one reader. Exceptions in `raises` are the documented ones, and must say what is wrong
in one clean line; any other is a fault. Where the reader takes the bytes, `read` checks that they mean one thing only.
How inputs are made, and how often, is decided elsewhere.
"""

from __future__ import annotations

import struct
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from zeroconf import ServiceInfo
from zeroconf._dns import DNSAddress, DNSService, DNSText
from zeroconf._protocol.incoming import DNSIncoming

from azi_p2p.audit.evidence import verify_evidence
from azi_p2p.audit.verify import verify_ledger
from azi_p2p.crypto.errors import CryptoError
from azi_p2p.net.errors import LinkError
from azi_p2p.net.hello import Hello
from azi_p2p.net.records import SERVICE_TYPE, BadRecord, read_record
from azi_p2p.rules.arbitration import answer, arbitrate
from azi_p2p.rules.scenario import ScenarioError, read_scenario
from azi_p2p.session.roster import check_signed
from azi_p2p.store.errors import StoreError
from azi_p2p.store.files import replace_private
from azi_p2p.store.journal import Journal
from azi_p2p.store.keyfile import key_text, parse_key_file
from azi_p2p.store.profile import read_nickname, save_nickname
from azi_p2p.store.settingsfile import SETTINGS_FILE
from azi_p2p.wire.codec import decode, decode_plain, encode
from azi_p2p.wire.envelope import decode_envelope, encode_payload, place_of, seal
from azi_p2p.wire.errors import WireError
from azi_p2p.wire.frame import HEADER, MAX_FRAME, decode_frame, encode_frame, frame_length
from azi_p2p.wire.messages import BODIES
from tests.fuzz import corpus, forms, hostile_table, mutate

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Target:
    """One reader. `share`: its part of a run's inputs; `seconds`, `memory`: what one input may cost, in processor
    seconds and bytes on the heap (the longest inputs are some 100 KB)."""

    name: str
    read: Callable[[bytes], None]
    raises: tuple[type[Exception], ...]
    seeds: Callable[[], tuple[bytes, ...]]
    mutation: mutate.Mutation
    share: float
    seconds: float = 0.5
    memory: int = 8 * MIB
    sound_seeds: bool = True
    """Whether every seed must be taken: it is what honest peers write."""


def read_frame(data: bytes) -> None:
    """A frame as it comes over a link: its length, then its body."""
    frame_length(struct.pack(">I", len(data) % (2 * MAX_FRAME)))
    frame = decode_frame(data)
    assert decode_frame(encode_frame(frame)[HEADER.size :]) == frame


def read_codec(data: bytes) -> None:
    """Bytes as every message body."""
    decode_plain(data, limit=MAX_FRAME)
    taken = 0
    for kind in BODIES.values():
        try:
            value = decode(data, kind, limit=MAX_FRAME)
        except WireError as error:
            check_line(str(error))
            continue
        taken += 1
        assert encode(value) == data
    if not taken:
        raise WireError("no message body")


def read_envelope(data: bytes) -> None:
    """An envelope, and its signature."""
    envelope = decode_envelope(data)
    assert seal(envelope.payload, envelope.signature) == data
    assert encode_payload(envelope.table, envelope.author, place_of(envelope), envelope.body) == envelope.payload
    check_signed(envelope)


def read_table(data: bytes) -> None:
    """A frame for a running table; see `hostile_table`."""
    hostile_table.feed(data)


def read_hello(data: bytes) -> None:
    """The two messages of a hello, each with a length of two bytes before it."""
    parts: list[bytes] = []
    at = 0
    while len(parts) < 2 and at + 2 <= len(data):
        (length,) = struct.unpack_from(">H", data, at)
        parts.append(data[at + 2 : at + 2 + length])
        at += 2 + length
    listener = Hello(next(iter(corpus.identities().values())), "listener", bytes(32), rng=bytes)
    listener.opening()
    listener.answer(parts[0] if parts else b"")
    assert listener.established is None
    listener.finish(parts[1] if len(parts) > 1 else b"")
    assert listener.established in corpus.identities(), "nobody else can sign here"


def read_mdns_record(data: bytes) -> None:
    """Port, address and TXT data of a record."""
    if len(data) < 3:
        raise BadRecord("too short")
    port, size = struct.unpack_from(">HB", data)
    _take_record(data[3 + size :], [data[3 : 3 + size]], port)


def read_mdns_packet(data: bytes) -> None:
    """A whole DNS packet, taken apart by `zeroconf`."""
    packet = DNSIncoming(data)
    answers = packet.answers()
    texts = [found.text for found in answers if isinstance(found, DNSText)]
    hosts = [found.address for found in answers if isinstance(found, DNSAddress)]
    ports = [found.port for found in answers if isinstance(found, DNSService)]
    _take_record(texts[0] if texts else b"", hosts, ports[0] if ports else None)


def _take_record(text: bytes, hosts: list[bytes], port: int | None) -> None:
    known = [host for host in hosts if len(host) in (4, 16)]
    info = ServiceInfo(SERVICE_TYPE, f"a.{SERVICE_TYPE}", port=port, addresses=known, properties=text)
    sighting = read_record(info.properties, info.parsed_scoped_addresses(), info.port, seen=1.0, loopback=False)
    assert len(sighting.peer) == len(sighting.table) == 32
    assert sighting.addresses
    assert 0 <= sighting.free <= sighting.seats <= 6


def read_ledger(data: bytes) -> None:
    """A ledger file: whatever it is, the verdict says it."""
    verdict = verify_ledger(data)
    for fault in verdict.faults:
        check_line(fault.message)
    assert verdict.valid or verdict.faults, "what is invalid is told"
    assert verdict.valid or not verdict.complete


def read_evidence(data: bytes) -> None:
    """An evidence file: whatever it is, the verdict says it."""
    verdict = verify_evidence(data)
    check_line(verdict.message)
    assert not verdict.proven or verdict.key is not None


def read_scenario_file(data: bytes) -> None:
    """A scenario, read and played through."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return
    answer(arbitrate(read_scenario(text)))


def read_journal(data: bytes) -> None:
    """The two files of a journal; what can be opened must be readable twice and take another record."""
    size = struct.unpack_from(">I", data.ljust(4, b"\0"))[0]
    folder = scratch()
    name = bytes(32).hex()[:32]
    replace_private(folder / f"{name}.envelopes", data[4 : 4 + size])
    replace_private(folder / f"{name}.secrets", data[4 + size :])
    with Journal(folder, bytes(32)) as journal:
        before = journal.envelopes()
        journal.secrets()
        journal.append([("envelope", b"another")])
    with Journal(folder, bytes(32)) as journal:
        assert journal.envelopes() == [*before, b"another"]


def read_settings(data: bytes) -> None:
    """A settings file, read and written to."""
    folder = scratch()
    replace_private(folder / SETTINGS_FILE, data)
    read_nickname(folder)
    save_nickname(folder, "Katya")
    assert read_nickname(folder) == "Katya"


def read_key_file(data: bytes) -> None:
    """The text of a key file."""
    file = parse_key_file(data.decode("utf-8", "replace"), Path("identity.key"))
    if not file.locked:
        identity = file.open(None)
        assert parse_key_file(key_text(identity), Path("identity.key")).public == identity.public


@cache
def _scratch_folder() -> tempfile.TemporaryDirectory[str]:
    memory = Path("/dev/shm")
    return tempfile.TemporaryDirectory(prefix="azi-fuzz-", dir=memory if memory.is_dir() else None)


def scratch() -> Path:
    """A folder for files of one input at a time, in memory where the system can; gone with the process."""
    return Path(_scratch_folder().name)


def check_line(message: str) -> None:
    """A message for people: one line, not too long, nothing in it that could harm a terminal."""
    assert message, "a refusal says why"
    assert len(message) <= 500, f"too long: {message[:600]!r}"
    assert message.isprintable(), f"not clean: {message!r}"


TARGETS: dict[str, Target] = {
    target.name: target
    for target in (
        Target("frame", read_frame, (WireError,), corpus.frames, forms.frame_body, 0.18),
        Target("codec", read_codec, (WireError,), corpus.bodies, mutate.packed, 0.12),
        Target("envelope", read_envelope, (WireError, CryptoError), corpus.envelopes, mutate.envelope, 0.17),
        Target("hello", read_hello, (LinkError,), corpus.hellos, forms.hello, 0.12),
        Target("record", read_mdns_record, (BadRecord,), corpus.records, forms.record, 0.12),
        Target("packet", read_mdns_packet, (BadRecord,), corpus.packets, forms.packet, 0.05),
        Target(
            "scenario", read_scenario_file, (ScenarioError,), corpus.scenarios, forms.json_text, 0.08, sound_seeds=False
        ),
        Target("settings", read_settings, (StoreError,), corpus.settings, mutate.text, 0.04, sound_seeds=False),
        Target("key", read_key_file, (StoreError,), corpus.key_files, forms.key_file, 0.05),
        Target("journal", read_journal, (StoreError,), corpus.journals, forms.journal, 0.038),
        Target("table", read_table, (WireError,), corpus.frames, forms.frame, 0.025, seconds=5, memory=32 * MIB),
        Target("ledger", read_ledger, (), corpus.ledgers, forms.records, 0.0035, seconds=5, memory=32 * MIB),
        Target("evidence", read_evidence, (), corpus.evidence, forms.records, 0.0035, seconds=5, memory=32 * MIB),
    )
}
"""All targets by name; the shares add up to 1."""
