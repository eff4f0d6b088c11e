"""Bytes to values and back: frames, codec, messages, envelopes. Knows no rules, no proofs and no sockets."""
