"""Files on this computer: keys, journals, locks."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

FILES = "azi_p2p/store/files.py"
JOURNAL = "azi_p2p/store/journal.py"
PROFILE = "azi_p2p/store/profile.py"
KEYFILE = "azi_p2p/store/keyfile.py"
LOCK = "azi_p2p/store/lock.py"
LOCKED = "azi_p2p/store/locked.py"
PROFILE_TESTS = "tests/store/test_profile.py"
JOURNAL_TESTS = "tests/store/test_journal.py"
LOCKED_TESTS = "tests/store/test_locked.py"

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
        ("tests/hostile/test_strangers.py::test_key_file_with_one_right_for_others",),
    ),
    Mutant(
        "folders that others may enter",
        FILES,
        "folder.mkdir(mode=0o700, exist_ok=True)",
        "path.mkdir(mode=0o755, parents=True, exist_ok=True)",
        "the folder of a profile is for its owner alone",
        (f"{PROFILE_TESTS}::test_files_and_folders_are_for_the_owner_alone",),
    ),
    Mutant(
        "folders into which anybody writes",
        "azi_p2p/store/files.py",
        "if mode & 0o022:",
        "if False:",
        "a profile whose files others could replace is refused",
        (f"{PROFILE_TESTS}::test_folder_that_others_may_write_into_is_refused_with_the_mend",),
    ),
    Mutant(
        "journals of any mode",
        JOURNAL,
        "verify_private(path, Thing.JOURNAL)",
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
        "                os.ftruncate(self._handle, end)\n                raise\n",
        "                raise\n",
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

MUTANTS = (*_STORE,)
