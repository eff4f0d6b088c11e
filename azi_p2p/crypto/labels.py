"""Every label and domain tag that enters a hash, in one place.

Two different uses of a hash must never see the same bytes; keeping the labels together makes a clash
visible. All begin with the version of the protocol: a change to any statement, order of appends or
encoding needs a new version, so that proofs of one version mean nothing in another.
"""

from __future__ import annotations

from typing import Final

VERSION: Final = b"azi-p2p/v1"


def _versioned(name: bytes) -> bytes:
    return VERSION + b"/" + name


# Domain tags: the first thing a hash sees.
HASH_TO_GROUP: Final = _versioned(b"hash-to-group")
TRANSCRIPT: Final = _versioned(b"transcript")
CHALLENGE: Final = _versioned(b"challenge")
CHALLENGES: Final = _versioned(b"challenges")
NONCES: Final = _versioned(b"nonces")
COMMITMENT: Final = _versioned(b"commitment")
SIGNATURE: Final = _versioned(b"signature")
FINGERPRINT: Final = _versioned(b"fingerprint")

# What hash-to-group is asked for.
CARD: Final = b"card"
PERMUTATION_BASE: Final = b"permutation-base"
CHAIN_BASE: Final = b"chain-base"

# Which proof a transcript belongs to.
OWNERSHIP_PROOF: Final = _versioned(b"proof/ownership")
TOKENS_PROOF: Final = _versioned(b"proof/tokens")
VOID_PROOF: Final = _versioned(b"proof/void")
SHUFFLE_PROOF: Final = _versioned(b"proof/shuffle")

# Entries of those transcripts.
PROOF: Final = b"proof"
KEY: Final = b"key"
JOINT_KEY: Final = b"joint-key"
BASES: Final = b"bases"
TOKENS: Final = b"tokens"
WEIGHTS: Final = b"weights"
COMMITMENTS: Final = b"commitments"
SIGMA_CHALLENGE: Final = b"sigma-challenge"
BASE: Final = b"base"
MASKED_CARD: Final = b"masked-card"
ALLOWED: Final = b"allowed"
DECK: Final = b"deck"
SHUFFLED: Final = b"shuffled"
GENERATORS: Final = b"generators"
PERMUTATION_COMMITMENT: Final = b"permutation-commitment"
CHAIN: Final = b"commitment-chain"
CHAIN_WEIGHTS: Final = b"chain-weights"
