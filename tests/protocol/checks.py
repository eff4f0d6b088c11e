"""How each kind of vector is put to the code: a function for each file, which raises if the case must be refused.

Nothing here knows what a case is expected to give.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from azi_p2p import rules
from azi_p2p.audit.evidence import verify_evidence
from azi_p2p.audit.verify import verify_ledger
from azi_p2p.crypto import cards, group, keys, masking, shuffle, tokens, void
from azi_p2p.crypto.commitment import verify_opening
from azi_p2p.crypto.errors import CryptoError, ProofError
from azi_p2p.crypto.fields import FieldReader
from azi_p2p.crypto.group import Element, decode_element, decode_scalar
from azi_p2p.crypto.identity import IdentityKey, fingerprint, verify_signature
from azi_p2p.net.codeproof import Binding, CodeProof
from azi_p2p.net.errors import LinkError
from azi_p2p.net.hello import MAX_HELLO, Hello
from azi_p2p.net.records import BadRecord
from azi_p2p.net.tablecode import TableCode
from azi_p2p.rules.arbitration import arbitrate
from azi_p2p.rules.cards import DECKS
from azi_p2p.rules.scenario import read_scenario
from azi_p2p.session import heads
from azi_p2p.session.roster import check_signed
from azi_p2p.wire.codec import decode
from azi_p2p.wire.envelope import decode_envelope
from azi_p2p.wire.errors import WireError
from azi_p2p.wire.frame import HEADER, NAMES, decode_frame, encode_frame, frame_length
from tests.vectors_gen.discovery import seen, shown
from tests.vectors_gen.files import FOLDER
from tests.vectors_gen.hashing import context_of, perform
from tests.vectors_gen.signing import identity
from tests.vectors_gen.states import SCENARIOS, encoding

Fields = dict[str, Any]


class Mismatch(Exception):  # noqa: N818 - a case whose value is another than ours, which is what it may be for
    """The value of a case isn't what the code gives."""


class Refused(Exception):  # noqa: N818 - what a verifier says, not a failure of it
    """A ledger is invalid; `code` is that of its first fault."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


REFUSALS = (CryptoError, WireError, LinkError, BadRecord, Mismatch, Refused)
"""What a check may raise for a case that must be refused."""


def reason_of(error: Exception) -> str:
    """Give the word that the vectors have for a refusal."""
    match error:
        case ProofError(code=code) | LinkError(code=code) | Refused(code=code):
            return code
        case BadRecord():
            return "bad_record"
        case Mismatch():
            return "wrong_value"
        case _:
            return "encoding"


def same(ours: object, given: object) -> None:
    """Raise Mismatch unless a value of a case is ours."""
    if ours != given:
        raise Mismatch(f"{str(ours)[:80]} is not {str(given)[:80]}")


def raw(fields: Fields, name: str) -> bytes:
    """Give a field of bytes."""
    return bytes.fromhex(fields[name])


def element(fields: Fields, name: str) -> Element:
    """Give a field that is one element."""
    return decode_element(raw(fields, name))


def elements(fields: Fields, name: str) -> list[Element]:
    """Give a field of elements one after the other."""
    data = raw(fields, name)
    return [decode_element(data[at : at + 32]) for at in range(0, len(data), 32)]


def check_hash_to_group(fields: Fields) -> None:
    same(group.hash_to_group(raw(fields, "label")), raw(fields, "element"))
    same(group.element_from_uniform(raw(fields, "uniform")), raw(fields, "element"))


def check_element(fields: Fields) -> None:
    same(element(fields, "element"), raw(fields, "element"))


def check_scalar(fields: Fields) -> None:
    scalar = FieldReader(raw(fields, "scalar"), 1, "a scalar").scalar()
    same(str(group.scalar_to_int(scalar)), fields["value"])


def check_cards(fields: Fields) -> None:
    same(list(map(str, DECKS[fields["out_suit"]])), fields["names"])
    same(b"".join(cards.card_elements(fields["names"])), raw(fields, "elements"))


def check_generators(fields: Fields) -> None:
    same(cards.chain_base(), raw(fields, "h"))
    same(b"".join(cards.generators(fields["n"])), raw(fields, "bases"))


def check_hash(fields: Fields) -> None:
    same(heads.tagged_hash(fields["tag"], *map(bytes.fromhex, fields["parts"])), raw(fields, "hash"))


def check_commitment(fields: Fields) -> None:
    seat = heads.number(fields["seat"])
    verify_opening(raw(fields, "digest"), b"azi deal key", raw(fields, "base"), seat, raw(fields, "reveal"))


def check_transcript(fields: Fields) -> None:
    said = [operation[: 3 if operation[0] != "challenge" else 2] for operation in fields["operations"]]
    same(perform(fields["label"], said), fields["operations"])


def check_context(fields: Fields) -> None:
    same(context_of(fields["context"]).challenge(b"c"), raw(fields, "challenge"))


def check_draw(fields: Fields) -> None:
    same(heads.draw_seat(raw(fields, "head"), raw(fields, "shared"), fields["seats"]), fields["seat"])


def check_digest(fields: Fields) -> None:
    state = arbitrate(read_scenario((SCENARIOS / f"{fields['scenario']}.json").read_text())).state
    same(rules.digest(state), raw(fields, "digest"))
    if "state" in fields:
        same(encoding(["azi/rules/state/1", fields["state"]]), raw(fields, "encoding"))


def check_ownership(fields: Fields) -> None:
    proof = keys.OwnershipProof.from_bytes(raw(fields, "proof"))
    keys.verify_ownership(element(fields, "key"), proof, context_of(fields["context"]))


def check_masking(fields: Fields) -> None:
    secrets = [decode_scalar(bytes.fromhex(secret)) for secret in fields["secrets"]]
    same([group.mul_base(x).hex() for x in secrets], fields["keys"])
    joint = keys.joint_key([group.mul_base(x) for x in secrets])
    same(joint, raw(fields, "joint"))
    start = masking.start_deck(cards.card_elements(fields["names"]), joint)
    same(masking.encode_deck(start), raw(fields, "start"))
    r, old = decode_scalar(raw(fields, "r")), start[fields["index"]]
    masked = masking.Ciphertext(group.add(old.c1, group.mul_base(r)), group.add(old.c2, group.mul(r, joint)))
    same(masked.c1 + masked.c2, raw(fields, "masked"))
    shares = [tokens.reveal_token(x, masked.c1) for x in secrets]
    same([share.hex() for share in shares], fields["tokens"])
    same(cards.identify(masking.unmask(masked, shares), fields["names"]), fields["card"])


def check_dleq(fields: Fields) -> None:
    proof = tokens.DleqProof.from_bytes(raw(fields, "proof"))
    bases, images = elements(fields, "bases"), elements(fields, "tokens")
    tokens.verify_tokens(element(fields, "key"), bases, images, proof, context_of(fields["context"]))


def check_void(fields: Fields) -> None:
    allowed = cards.card_elements(fields["allowed"])
    proof = void.VoidProof.from_bytes(raw(fields, "proof"), len(allowed))
    context = context_of(fields["context"])
    void.verify_void(element(fields, "key"), element(fields, "c1"), element(fields, "d"), allowed, proof, context)


def check_shuffle(fields: Fields) -> None:
    n = fields["cards"]
    shuffle.verify_shuffle(
        masking.decode_deck(raw(fields, "deck"), n),
        masking.decode_deck(raw(fields, "shuffled"), n),
        shuffle.ShuffleProof.from_bytes(raw(fields, "proof"), n),
        element(fields, "key"),
        context_of(fields["context"]),
    )


def check_signature(fields: Fields) -> None:
    key = raw(fields, "key")
    verify_signature(key, raw(fields, "domain"), raw(fields, "message"), raw(fields, "signature"))
    same(fingerprint(key), fields["fingerprint"])
    same(IdentityKey.from_seed(raw(fields, "seed")).public, key)


def check_envelope(fields: Fields) -> None:
    envelope = decode_envelope(raw(fields, "envelope"))
    check_signed(envelope)
    same(envelope.id, raw(fields, "message_id"))
    same(envelope.type, fields["type"])


def check_hello(fields: Fields) -> None:
    """Ben listens, and must let in who dials; that he is Ben, his own proof says."""
    certificate = raw(fields, "certificate")
    listener = Hello(identity("Ben"), "listener", certificate, rng=lambda _: raw(fields, "listener_opening")[-32:])
    same(listener.opening(), raw(fields, "listener_opening"))
    same(listener.answer(raw(fields, "dialer_opening")), raw(fields, "listener_proof"))
    same(listener.finish(raw(fields, "dialer_proof")), identity("Anna").public)


def check_code(fields: Fields) -> None:
    """Ben listens, and must believe who dials that he knows the code."""
    code, binding = TableCode(fields["typed"]), decode(raw(fields, "binding"), Binding, limit=MAX_HELLO)
    same(code.secret, raw(fields, "code"))
    listener = CodeProof(code, "listener", binding, rng=lambda _: raw(fields, "listener_random"))
    listener.take(raw(fields, "dialer_share"))
    same(listener.share(), raw(fields, "listener_share"))
    listener.check(raw(fields, "dialer_confirm"))
    same(listener.confirm(), raw(fields, "listener_confirm"))
    dialer = CodeProof(code, "dialer", binding, rng=lambda _: raw(fields, "dialer_random"))
    same(dialer.share(), raw(fields, "dialer_share"))


def check_frame(fields: Fields) -> None:
    data = raw(fields, "frame")
    body = data[HEADER.size :]
    if frame_length(data[: HEADER.size]) != len(body):
        raise WireError("another length than the prefix says")
    frame = decode_frame(body)
    same(NAMES[type(frame)], fields["kind"])
    same(encode_frame(frame), data)


def check_record(fields: Fields) -> None:
    """What a browser shows of a record."""
    sighting = seen(raw(fields, "txt"), fields["addresses"], fields["port"], loopback=fields["loopback"])
    same(shown(sighting), fields["shown"])


def check_evidence(fields: Fields) -> None:
    """An evidence file proves exactly one fault, or nothing."""
    data = edited((FOLDER / "vectors" / "evidence" / fields["file"]).read_bytes(), fields["edits"])
    verdict = verify_evidence(data)
    if not verdict.proven:
        raise Refused("proves_nothing")
    found = verdict.to_json()
    same([found[name] for name in FAULT], [fields[name] for name in FAULT])


FAULT = ("code", "seat", "key", "deal", "step")


def check_ledger(fields: Fields) -> None:
    """A ledger's first fault is what it is refused for; a sound one must be what the case says."""
    data = edited((FOLDER / "vectors" / "ledgers" / fields["ledger"]).read_bytes(), fields["edits"])
    verdict = verify_ledger(data)
    if not verdict.valid:
        raise Refused(verdict.faults[0].code)
    same(verdict.complete, fields["complete"])
    same(verdict.deals, fields["deals"])
    same(verdict.head, fields["head"])
    same(list(verdict.chips), fields["chips"])
    same(list(verdict.seats), fields["keys"])


def edited(data: bytes, edits: list[Fields]) -> bytes:
    """Give the bytes with the edits made; their places are those of the bytes as they were."""
    for edit in sorted(edits, key=lambda edit: -int(edit["at"])):
        at = edit["at"]
        data = data[:at] + bytes.fromhex(edit["insert"]) + data[at + edit["remove"] :]
    return data


CHECKS: dict[str, Callable[[Fields], None]] = {
    "hash-to-group": check_hash_to_group,
    "elements": check_element,
    "scalars": check_scalar,
    "cards": check_cards,
    "generators": check_generators,
    "hashes": check_hash,
    "commitments": check_commitment,
    "transcripts": check_transcript,
    "contexts": check_context,
    "draw": check_draw,
    "digests": check_digest,
    "ownership": check_ownership,
    "masking": check_masking,
    "dleq": check_dleq,
    "void": check_void,
    "shuffle": check_shuffle,
    "signatures": check_signature,
    "envelopes": check_envelope,
    "hello": check_hello,
    "codes": check_code,
    "frames": check_frame,
    "records": check_record,
    "evidence": check_evidence,
    "ledgers": check_ledger,
}
"""By name of the file."""
