"""Links and neighbours: the hello, frames on a link, hints, announcements, and names as they are shown."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

HELLO = "azi_p2p/net/hello.py"
LINK = "azi_p2p/net/link.py"
STREAM = "azi_p2p/net/stream.py"
MESH = "azi_p2p/net/mesh.py"
RECORDS = "azi_p2p/net/records.py"
HELLO_TESTS = "tests/net/test_hello.py"
LINK_TESTS = "tests/net/test_link.py"
RECORD_TESTS = "tests/net/test_records.py"


def _meeting(name: str, old: str, new: str, claim: str, test: str) -> Mutant:
    where = test if test.startswith("tests/") else f"{HELLO_TESTS}::{test}"
    return Mutant(name, HELLO, old, new, claim, (where,))


_LINKS = (
    _meeting(
        "hello without the certificate",
        "certificate=self._certificate,",
        "certificate=bytes(32),",
        "a man in the middle gets no further: his certificate is another",
        "test_man_in_the_middle_with_his_own_certificate_is_refused_by_both",
    ),
    _meeting(
        "hello without the dialer's nonce",
        "dialer_nonce=dialer[1],",
        "dialer_nonce=bytes(32),",
        "a proof of an earlier meeting is none",
        "tests/hostile/test_strangers.py::test_listener_that_repeats_what_another_has_said_to_the_same_caller",
    ),
    _meeting(
        "hello without the listener's nonce",
        "listener_nonce=listener[1],",
        "listener_nonce=bytes(32),",
        "a proof of an earlier meeting is none",
        "test_proof_of_an_earlier_meeting_is_refused",
    ),
    Mutant(
        "hello without the role",
        HELLO,
        "signer=signer,",
        'signer="dialer",',
        "nobody's own proof can be sent back",
        equivalent="both keys are signed too, each in its role, and our own key is refused at the other end",
    ),
    _meeting(
        "two ends of one role",
        "if theirs.role == self._role:",
        "if False:",
        "one end dials, the other listens",
        "test_two_ends_of_the_same_role_are_refused",
    ),
    _meeting(
        "links to ourselves",
        "if theirs.key == self._identity.public:",
        "if False:",
        "a peer isn't its own neighbour",
        "test_own_key_is_refused",
    ),
    _meeting(
        "links with keys of small order",
        "            check_public_key(theirs.key)\n",
        "            pass\n",
        "keys under which one signature holds for many messages are refused at the door",
        "test_key_of_small_order_is_refused",
    ),
    _meeting(
        "another peer than the expected one",
        "if self._expected is not None and theirs.key != self._expected:",
        "if False:",
        "who answers at an address is who was expected there",
        "test_anybody_but_the_expected_peer_is_refused",
    ),
    _meeting(
        "hello that anybody can sign",
        "verify_signature(theirs.key, SIGNATURE_DOMAIN, encode(self.meeting(theirs.role)), proof.signature)",
        "pass",
        "a peer proves its key before anything is taken from it",
        "test_every_changed_byte_of_a_proof_is_refused",
    ),
    _meeting(
        "hello of another version",
        "if type(version) is int and version != VERSION:",
        "if False:",
        "peers of other versions are told which is newer",
        "test_other_versions_are_refused_and_it_is_said_which_is_newer",
    ),
    _meeting(
        "hello in any encoding",
        "if encode(opening) != data:",
        "if False:",
        "a hello has one encoding",
        "tests/hostile/test_doors.py::test_hello_in_another_encoding",
    ),
    Mutant(
        "hello of any length",
        STREAM,
        "if length > limit:",
        "if False:",
        "a hello is refused by its length, before it is read",
        ("tests/hostile/test_doors.py::test_hello_is_refused_by_its_length_before_any_of_it_has_come",),
    ),
    Mutant(
        "links that are read without end",
        STREAM,
        "if self._end == len(self._buffer) and not self._held_up:",
        "if False:",
        "what comes faster than it is taken waits at the other side",
        ("tests/net/test_stream.py::test_what_nobody_reads_waits_at_the_other_side",),
    ),
    Mutant(
        "links that queue without end",
        LINK,
        "if self._queued + len(data) > MAX_QUEUE:",
        "if False:",
        "who doesn't read is dropped",
        (f"{LINK_TESTS}::test_peer_that_doesnt_read_is_dropped",),
    ),
    Mutant(
        "frames after the end of a link",
        LINK,
        "            if self._end.done():\n                return\n            if not isinstance",
        "            if not isinstance",
        "nothing is taken from a link that was closed",
        (f"{LINK_TESTS}::test_nothing_is_taken_from_a_link_that_was_closed",),
    ),
    Mutant(
        "records of any size",
        RECORDS,
        "if size > MAX_TXT:",
        "if False:",
        "a record that is announced is bounded",
        (RECORD_TESTS,),
    ),
    Mutant(
        "records with any number",
        RECORDS,
        "if not low <= number <= high:",
        "if False:",
        "numbers of a record are within their range",
        (RECORD_TESTS,),
    ),
    Mutant(
        "records with any text",
        RECORDS,
        "if not 1 <= len(text) <= longest:",
        "if False:",
        "names in a record are bounded",
        (RECORD_TESTS,),
    ),
    Mutant(
        "records with any number of addresses",
        RECORDS,
        "list(hosts)[:MAX_ADDRESSES]]",
        "list(hosts)]",
        "only so many addresses are dialled for a record",
        (f"{RECORD_TESTS}::test_only_so_many_addresses_are_taken",),
    ),
)

_MESH_TESTS = "tests/net/test_mesh.py"
_NAMES, _NAME_TESTS = "azi_p2p/ui/names.py", "tests/ui/test_names.py"
_ADDRESSES, _ADDRESS_TEST = "azi_p2p/net/addresses.py", "tests/net/test_contacts.py::test_claimed_addresses"

_NEIGHBOURS = (
    Mutant(
        "calls without end",
        MESH,
        "if self._calls.total() >= self._limits.incoming or self._calls[host] >= self._limits.per_host:",
        "if self._calls[host] >= self._limits.per_host:",
        "connections are capped before TLS, where silent ones cost memory",
        ("tests/hostile/test_doors.py::test_one_call_more_than_are_taken_from_all_addresses_together",),
    ),
    Mutant(
        "calls without end from one address",
        MESH,
        "if self._calls.total() >= self._limits.incoming or self._calls[host] >= self._limits.per_host:",
        "if self._calls.total() >= self._limits.incoming:",
        "one computer can't take all the room",
        (f"{_MESH_TESTS}::test_one_address_cant_take_all_the_room",),
    ),
    Mutant(
        "dropped peers come back at once",
        MESH,
        "self._barred[peer] = now + self._limits.barred",
        "self._barred[peer] = now",
        "a peer that was hung up on is refused for a while",
        ("tests/hostile/test_doors.py::test_a_peer_that_was_hung_up_on_is_not_taken_at_once",),
    ),
    Mutant(
        "any peer at a dialled address",
        MESH,
        "                        expected=contact.peer,\n                        gate=self._gate,\n",
        "                        gate=self._gate,\n",
        "a hint leads to the peer that it is about, or nowhere",
        ("tests/hostile/test_doors.py::test_hint_that_leads_to_another_peer",),
    ),
    Mutant(
        "old TLS for callers",
        "azi_p2p/net/certificate.py",
        "context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)\n    context.minimum_version = ssl.TLSVersion.TLSv1_3",
        "context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)\n    context.minimum_version = ssl.TLSVersion.TLSv1_2",
        "links speak TLS 1.3",
        (f"{LINK_TESTS}::test_caller_that_speaks_an_old_tls",),
    ),
    Mutant(
        "hints to group addresses",
        _ADDRESSES,
        "if ip.is_multicast or ip.is_unspecified or ip.is_reserved or not 1 <= port <= 65535:",
        "if ip.is_unspecified or ip.is_reserved or not 1 <= port <= 65535:",
        "nobody makes us send to groups",
        (_ADDRESS_TEST,),
    ),
    Mutant(
        "hints to this very computer",
        _ADDRESSES,
        "if ip.is_loopback and not loopback:",
        "if False:",
        "nobody far away makes us call our own services",
        (_ADDRESS_TEST,),
    ),
    Mutant(
        "hints to any port",
        _ADDRESSES,
        "ip.is_reserved or not 1 <= port <= 65535:",
        "ip.is_reserved:",
        "a port is one that can be",
        (_ADDRESS_TEST,),
    ),
    Mutant(
        "contacts without end",
        "azi_p2p/net/contacts.py",
        "if len(self._book) >= MAX_CONTACTS and not self._make_room():",
        "if False:",
        "invented peers fill no memory",
        ("tests/net/test_contacts.py::test_flood_of_strangers_stays_bounded_and_keeps_those_that_were_linked",),
    ),
    Mutant(
        "signs that a terminal obeys, in names",
        _NAMES,
        "elif category in PASSING or char in PLAIN_SYMBOLS:",
        'elif category in PASSING or char in PLAIN_SYMBOLS or category == "Cc":',
        "no escape sequence of another reaches the terminal",
        (_NAME_TESTS,),
    ),
    Mutant(
        "signs that nobody sees, in names",
        _NAMES,
        "elif category in PASSING or char in PLAIN_SYMBOLS:",
        'elif category in PASSING or char in PLAIN_SYMBOLS or category == "Cf":',
        "nothing turns the direction of writing, and nothing is there unseen",
        (_NAME_TESTS,),
    ),
    Mutant(
        "blanks that pass for letters",
        _NAMES,
        "elif char in BLANK_LETTERS or char in LONE_VOWELS:",
        "elif char in LONE_VOWELS:",
        "a name can't be made of nothing",
        (_NAME_TESTS,),
    ),
    Mutant(
        "towers of marks",
        _NAMES,
        "marks > MARKS_IN_A_ROW or",
        "False or",
        "marks don't climb into other lines",
        (_NAME_TESTS,),
    ),
    Mutant(
        "names of any width",
        _NAMES,
        'return cut(cleaned(raw, substitute=""), cells) or "?"',
        'return cleaned(raw, substitute="") or "?"',
        "a name takes its place on the screen and no more",
        (_NAME_TESTS,),
    ),
)

MUTANTS = (
    *_LINKS,
    *_NEIGHBOURS,
)
