"""The specification, its schemas and its examples say what the code does."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from azi_p2p.crypto import labels
from azi_p2p.net.codeproof import Said
from azi_p2p.net.hello import MAX_HELLO, Meeting, Opening, Proof
from azi_p2p.session.roster import check_signed
from azi_p2p.wire import frame, messages
from azi_p2p.wire.codec import decode_plain, encode
from azi_p2p.wire.envelope import Payload, decode_envelope
from azi_p2p.wire.evidencefile import EVIDENCE_MAGIC
from azi_p2p.wire.ledgerfile import MAGIC
from tests.protocol.shapes import Schema, jsonable, schema_of
from tests.vectors_gen.files import FOLDER

WORDS = {"$schema", "$id", "title", "description", "allOf"}
TYPES = tuple(messages.BODIES)
MEETING = {"opening": Opening, "proof": Proof, "code": Said}
"""What links exchange before frames, by the name of its schema."""


@cache
def text(name: str) -> str:
    return (FOLDER / f"{name}.md").read_text()


@cache
def schema(name: str) -> Schema:
    found: Schema = json.loads((FOLDER / "schemas" / f"{name}.json").read_text())
    return found


def shape(value: Any) -> Any:
    """Give a schema without what it says in words."""
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items() if key not in WORDS}
    return [shape(inner) for inner in value] if isinstance(value, list) else value


def example(kind: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / "examples" / f"{kind}.json").read_text())
    return found


@pytest.mark.parametrize("kind", TYPES)
def test_a_schema_has_the_fields_and_bounds_of_the_code(kind: str) -> None:
    assert shape(schema(kind)) == schema_of(messages.BODIES[kind])
    assert list(schema(kind)["properties"]) == [field.name for field in msgspec.structs.fields(messages.BODIES[kind])]


def test_so_have_those_of_the_parameters_and_the_payload() -> None:
    assert shape(schema("params")) == schema_of(messages.TableParams)
    assert shape(schema("payload")) == schema_of(Payload)
    lanes = {
        rule["if"]["properties"]["type"]["const"]: rule["then"]["properties"]["lane"]["const"]
        for rule in schema("payload")["allOf"]
    }
    assert lanes == messages.LANES


@pytest.mark.parametrize(("name", "kind"), {**frame.KINDS, **MEETING}.items())
def test_so_have_those_of_what_links_exchange(name: str, kind: type) -> None:
    assert shape(schema(f"links/{name}")) == schema_of(kind)
    assert {path.stem for path in (FOLDER / "schemas" / "links").iterdir()} == {*frame.KINDS, *MEETING}


def test_every_type_has_a_schema_and_an_example_and_nothing_else_has() -> None:
    assert {path.stem for path in (FOLDER / "schemas").glob("*.json")} == {*TYPES, "params", "payload", "vectors"}
    assert {path.stem for path in (FOLDER / "examples").glob("*.json")} == set(TYPES)


@pytest.mark.parametrize("kind", TYPES)
def test_an_example_is_what_it_says_byte_for_byte(kind: str) -> None:
    told = example(kind)
    envelope = decode_envelope(bytes.fromhex(told["envelope"]))
    check_signed(envelope)
    assert envelope.type == told["type"] == kind
    assert envelope.id.hex() == told["message_id"]
    assert envelope.signature.hex() == told["signature"]
    assert jsonable(decode_plain(envelope.payload, limit=messages.MAX_VOTE)) == told["payload"]
    assert encode([encode(unhexed(told["payload"])), bytes.fromhex(told["signature"])]).hex() == told["envelope"]
    registry: Registry[Any] = Registry().with_resources(
        [(f"{name}.json", Resource.from_contents(schema(name))) for name in (*TYPES, "payload")]
    )
    Draft202012Validator(schema("payload"), registry=registry).validate(told["payload"])


def unhexed(payload: dict[str, Any]) -> Any:
    """Give a payload with bytes again where its type has them."""
    kind = schema("payload")
    return bytes_again(payload, {**kind, "properties": {**kind["properties"], "body": schema(payload["type"])}})


def bytes_again(value: Any, kind: Schema) -> Any:
    if "pattern" in kind:
        return bytes.fromhex(value)
    if isinstance(value, dict):
        return {key: bytes_again(inner, kind["properties"][key]) for key, inner in value.items()}
    if isinstance(value, list):
        return [bytes_again(inner, kind["items"]) for inner in value]
    return value


def shown_bodies() -> list[tuple[str, str, str]]:
    return re.findall(r"Example body of `(\w+)`:\n\n    (\{.*\})\n    ([0-9a-f]+)\n", text("messages"))


def test_the_bodies_shown_in_the_text_are_their_bytes() -> None:
    shown = shown_bodies()
    assert len(shown) == text("messages").count("Example body")
    for kind, body, encoded in shown:
        plain = bytes_again(json.loads(body), schema(kind))
        assert encode(plain).hex() == encoded
        msgspec.convert(plain, messages.BODIES[kind], strict=True)


@pytest.mark.parametrize("kind", TYPES)
def test_the_text_lists_the_fields_of_each_message_in_order(kind: str) -> None:
    heading = re.search(rf"^### (?:`\w+`, )*`{kind}`(?:, `\w+`)*$", text("messages"), re.MULTILINE)
    assert heading, f"{kind} has no heading"
    section = re.split(r"^##", text("messages")[heading.end() :], maxsplit=1, flags=re.MULTILINE)[0]
    table = section.split("`params`:")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == list(schema(kind)["properties"])
    if kind == "seat":
        inner = section.split("`params`:")[1]
        assert re.findall(r"^\| `(\w+)` \|", inner, re.MULTILINE) == list(schema("params")["properties"])


def test_every_label_of_the_proofs_stands_in_the_text() -> None:
    told = text("encoding") + text("deck") + text("deal") + text("identity")
    for name, value in vars(labels).items():
        if not name.isupper() or name == "VERSION":
            continue
        word = value.decode()
        short = word.removeprefix("azi-p2p/v1/")
        assert word in told or f"…/{short.removeprefix('proof/')}" in told, f"{name} = {word} isn't in the text"


def test_sizes_and_tags_in_the_text_are_those_of_the_code() -> None:
    assert f"{messages.MAX_ENVELOPE:,} bytes" in text("identity")
    assert f"{messages.MAX_VOTE:,}" in text("identity")
    assert f"{frame.MAX_FRAME:,}" in text("transport")
    assert f"{MAX_HELLO} bytes" in " ".join(text("transport").split()) or f"{MAX_HELLO}\nbytes" in text("transport")
    assert MAGIC.hex(" ") in text("ledger")
    assert EVIDENCE_MAGIC.hex(" ") in text("votes")
    for kind in (Opening, Meeting, Proof):
        for field in msgspec.structs.fields(kind):
            assert field.name in text("transport"), f"{kind.__name__}.{field.name}"
    for name, body in frame.KINDS.items():
        (row,) = re.findall(rf"^\| `{name}` \|.*$", text("transport"), re.MULTILINE)
        for field in msgspec.structs.fields(body):
            assert f"`{field.name}`" in row


def test_links_between_the_pages_lead_somewhere() -> None:
    for path in FOLDER.glob("*.md"):
        for target in re.findall(r"\]\(([^)#]+)", path.read_text()):
            assert (path.parent / target).exists(), f"{path.name} links to {target}"
        for target in re.findall(r"`((?:vectors|schemas|examples|scenarios)/[\w./-]+\.json)`", path.read_text()):
            assert "TYPE" in target or (path.parent / target).exists(), f"{path.name} names {target}"


def test_every_fault_code_of_the_session_is_told() -> None:
    session = Path(messages.__file__).parent.parent / "session"
    used = set()
    for path in session.glob("*.py"):
        used |= set(re.findall(r"Fault\(\s*\"(\w+)\"", path.read_text()))
    assert used
    missing = {code for code in used if f"`{code}`" not in text("votes")}
    assert not missing
