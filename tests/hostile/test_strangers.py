"""Strangers on this computer and on the line: key files that they could write to, and words of an earlier meeting."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from azi_p2p.crypto.identity import IdentityKey
from azi_p2p.net.errors import LinkError
from azi_p2p.net.hello import Hello
from azi_p2p.store.errors import StoreError
from azi_p2p.store.profile import Profile

ANNA, BEN = IdentityKey.from_seed(b"a" * 32), IdentityKey.from_seed(b"b" * 32)
CERTIFICATE = b"c" * 32


@pytest.mark.skipif(os.name != "posix", reason="file modes are those of POSIX")
@pytest.mark.parametrize("bit", [0o040, 0o020, 0o010, 0o004, 0o002, 0o001])
def test_key_file_with_one_right_for_others(tmp_path: Path, bit: int) -> None:
    """Whoever may write to it can put a key of their own in its place."""
    Profile.open(tmp_path).close()
    (tmp_path / "identity.key").chmod(0o600 | bit)
    with pytest.raises(StoreError, match="chmod 600"):
        Profile.open(tmp_path)


def test_listener_that_repeats_what_another_has_said_to_the_same_caller() -> None:
    """Opening and proof of an honest listener, recorded at an earlier meeting under the same certificate."""
    caller, listener = Hello(ANNA, "dialer", CERTIFICATE), Hello(BEN, "listener", CERTIFICATE)
    opening = listener.opening()
    proof = listener.answer(caller.opening())
    caller.answer(opening)
    assert caller.finish(proof) == BEN.public
    again = Hello(ANNA, "dialer", CERTIFICATE)
    again.answer(opening)
    with pytest.raises(LinkError, match="can't prove its key"):
        again.finish(proof)
    assert again.established is None


def test_caller_that_repeats_what_another_has_said_to_the_same_listener() -> None:
    caller, listener = Hello(ANNA, "dialer", CERTIFICATE), Hello(BEN, "listener", CERTIFICATE)
    opening = caller.opening()
    proof = caller.answer(listener.opening())
    listener.answer(opening)
    assert listener.finish(proof) == ANNA.public
    again = Hello(BEN, "listener", CERTIFICATE)
    again.answer(opening)
    with pytest.raises(LinkError, match="can't prove its key"):
        again.finish(proof)
