"""Cryptography for any deck of cards dealt among peers who don't trust each other.

Masked decks, proofs of shuffle, reveal tokens, void proofs, commitments and identities, over ristretto255
and Ed25519. It knows no game, no table, no clock and no network: randomness is an argument, contexts are
transcripts that the caller fills. Whatever is named `verify_…` raises when something does not hold, and
gives nothing back when it does.

Import from the modules: `group`, `transcript`, `keys`, `masking`, `cards`, `shuffle`, `tokens`, `void`,
`commitment`, `identity`, `errors`.
"""
