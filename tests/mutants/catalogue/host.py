"""The computer and its links: key files, journals, locks, and the hello between two peers."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

FILES, JOURNAL, PROFILE = "azi_p2p/store/files.py", "azi_p2p/store/journal.py", "azi_p2p/store/profile.py"
KEYFILE, LOCK, LOCKED = "azi_p2p/store/keyfile.py", "azi_p2p/store/lock.py", "azi_p2p/store/locked.py"
HELLO, LINK, MESH, RECORDS = (
    "azi_p2p/net/hello.py",
    "azi_p2p/net/link.py",
    "azi_p2p/net/mesh.py",
    "azi_p2p/net/records.py",
)
PROFILE_TESTS, JOURNAL_TESTS = "tests/store/test_profile.py", "tests/store/test_journal.py"
LOCKED_TESTS, HELLO_TESTS = "tests/store/test_locked.py", "tests/net/test_hello.py"
LINK_TESTS, RECORD_TESTS = "tests/net/test_link.py", "tests/net/test_records.py"

_STORE = (
    Mutant(
        "secrets that others may read",
        FILES,
        "_BINARY, 0o600)",
        "_BINARY, 0o644)",
        "files with secrets are for their owner alone",
        (PROFILE_TESTS, JOURNAL_TESTS),
    ),
    Mutant(
        "files written through what is there",
        FILES,
        "os.O_CREAT | os.O_EXCL | os.O_RDWR",
        "os.O_CREAT | os.O_RDWR",
        "a private file is made anew, never opened through what somebody has put there",
        (PROFILE_TESTS, JOURNAL_TESTS),
    ),
    Mutant(
        "key files of any mode",
        FILES,
        "if mode & 0o077:",
        "if False:",
        "a key that others may read is refused, with the mend",
        (f"{PROFILE_TESTS}::test_key_that_others_may_read_is_refused_with_the_mend",),
    ),
    Mutant(
        "key files that others may write",
        FILES,
        "if mode & 0o077:",
        "if mode & 0o055:",
        "a key that others may change is refused",
        (f"{PROFILE_TESTS}::test_key_that_others_may_read_is_refused_with_the_mend",),
    ),
    Mutant(
        "folders that others may enter",
        FILES,
        "path.mkdir(mode=0o700, parents=True, exist_ok=True)",
        "path.mkdir(mode=0o755, parents=True, exist_ok=True)",
        "the folder of a profile is for its owner alone",
        (f"{PROFILE_TESTS}::test_files_and_folders_are_for_the_owner_alone",),
    ),
    Mutant(
        "journals of any mode",
        JOURNAL,
        'verify_private(path, "the journal")',
        "pass",
        "a journal that others may read is refused",
        (f"{JOURNAL_TESTS}::test_files_are_private_and_wide_ones_refused",),
    ),
    Mutant(
        "journals that aren't synced",
        JOURNAL,
        "        self._envelopes.sync()\n",
        "        pass\n",
        "what is journaled is on the disk before anything depends on it",
        (f"{JOURNAL_TESTS}::test_everything_is_synced_before_append_returns",),
    ),
    Mutant(
        "erased secrets that stay on the disk",
        JOURNAL,
        "if decode(secret, SecretRecord, limit=MAX_RECORD).deal > erase.deal",
        "if decode(secret, SecretRecord, limit=MAX_RECORD).deal",
        "secrets of closed deals are gone from the disk",
        (f"{JOURNAL_TESTS}::test_secrets_of_closed_deals_are_gone_from_the_disk",),
    ),
    Mutant(
        "journals with holes",
        JOURNAL,
        "        if zlib.crc32(record) != check:\n",
        "        if False:\n",
        "a damaged journal is refused: it can't protect against signing twice",
        (f"{JOURNAL_TESTS}::test_every_flipped_byte_before_the_last_record_is_refused",),
    ),
    Mutant(
        "journal lengths that nobody checks",
        JOURNAL,
        "if zlib.crc32(data[at : at + 4]) != length_check:",
        "if False:",
        "a damaged length doesn't hide the records after it",
        (f"{JOURNAL_TESTS}::test_every_flipped_byte_before_the_last_record_is_refused",),
    ),
    Mutant(
        "half a record after a full disk",
        JOURNAL,
        "            os.ftruncate(self._handle, end)\n            raise OSError",
        "            raise OSError",
        "a full disk leaves the journal as it was",
        (f"{JOURNAL_TESTS}::test_full_disk_leaves_the_journal_as_it_was",),
    ),
    Mutant(
        "torn ends that stay",
        JOURNAL,
        "if end < os.fstat(self._handle).st_size:",
        "if False:",
        "a record that a crash cut off is gone before the next is written",
        (f"{JOURNAL_TESTS}::test_cut_off_anywhere_it_opens_with_the_whole_records_before",),
    ),
    Mutant(
        "two processes on one profile",
        LOCK,
        "        try:\n            _lock(handle)\n",
        "        try:\n            pass\n",
        "a second process with the same key is refused",
        (f"{PROFILE_TESTS}::test_second_process_is_refused_and_a_killed_one_leaves_no_lock",),
    ),
    Mutant(
        "a lost key replaced silently",
        PROFILE,
        "                _refuse_to_lose_a_key(folder)\n",
        "",
        "a key that is lost isn't made anew without a word",
        (f"{PROFILE_TESTS}::test_lost_key_isnt_replaced_silently",),
    ),
    Mutant(
        "a key imported over another",
        PROFILE,
        "if read_key_file(path).public == key.public:\n                return key\n            raise StoreError(",
        "if read_key_file(path).public == key.public:\n                return key\n            print(",
        "no key is overwritten",
        (f"{PROFILE_TESTS}::test_export_and_import_never_write_over_anything",),
    ),
    Mutant(
        "key files whose halves don't belong together",
        KEYFILE,
        "sound = len(secret) == 32 and IdentityKey.from_seed(secret).public == public",
        "sound = len(secret) == 32",
        "a damaged key file is noticed",
        (f"{PROFILE_TESTS}::test_every_damage_to_a_key_file_is_noticed",),
    ),
    Mutant(
        "passphrases that aren't bound to the key",
        LOCKED,
        "return salt + nonce + AESGCM(_key(passphrase, salt)).encrypt(nonce, secret, DOMAIN + public)",
        "return salt + nonce + AESGCM(_key(passphrase, salt)).encrypt(nonce, secret, DOMAIN)",
        "what is sealed belongs to one public key",
        (LOCKED_TESTS,),
    ),
    Mutant(
        "one salt for all",
        LOCKED,
        "salt, nonce = os.urandom(SALT), os.urandom(NONCE)",
        "salt, nonce = bytes(SALT), bytes(NONCE)",
        "the same key is sealed differently each time",
        (f"{LOCKED_TESTS}::test_the_same_key_is_sealed_differently_each_time",),
    ),
)


def _meeting(name: str, old: str, new: str, claim: str, test: str) -> Mutant:
    return Mutant(name, HELLO, old, new, claim, (f"{HELLO_TESTS}::{test}",))


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
        "test_proof_of_an_earlier_meeting_is_refused",
    ),
    _meeting(
        "hello without the listener's nonce",
        "listener_nonce=listener[1],",
        "listener_nonce=bytes(32),",
        "a proof of an earlier meeting is none",
        "test_proof_of_an_earlier_meeting_is_refused",
    ),
    _meeting(
        "hello without the role",
        "signer=signer,",
        'signer="dialer",',
        "nobody's own proof can be sent back",
        "test_own_proof_sent_back_is_refused",
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
        "verify_signature(theirs.key, SIGNATURE_DOMAIN, self._signed_by(theirs.role, theirs), proof.signature)",
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
        "test_openings_that_no_honest_peer_sends",
    ),
    Mutant(
        "hello of any length",
        LINK,
        "if length > limit:",
        "if False:",
        "a hello is refused by its length, before it is read",
        (f"{LINK_TESTS}::test_caller_that_says_much_and_no_hello", f"{LINK_TESTS}::test_listeners_with_a_bad_hello"),
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

MUTANTS = (*_STORE, *_LINKS)
