"""What can go wrong in the cryptography, as three exceptions.

Nothing here knows who sent the bytes or what follows from a failed check: the caller, who knows
the envelope, turns these into faults. Messages never contain secrets.
"""

from __future__ import annotations


class CryptoError(ValueError):
    """A value that the cryptography cannot work with; the base of the other errors here.

    Raised itself where our own side passes something impossible, such as a joint key that is the identity.
    """


class DecodingError(CryptoError):
    """Bytes that are not the canonical encoding of what they should be."""


class ProofError(CryptoError):
    """A proof, signature or opening that does not hold.

    Attributes:
        code: short machine word, stable across versions, one of `ProofError.CODES`.
        reason: one line in plain words.
    """

    CODES = frozenset(
        {
            "wrong_size",  # a list or a proof of another length than the statement asks for
            "not_canonical",  # a scalar >= L or bytes that encode no element
            "identity",  # the identity where an honest prover never has it
            "zero_scalar",  # a challenge or response that is zero
            "proof_fails",  # well formed, but the equations do not hold
            "bad_signature",
            "bad_opening",
        }
    )

    def __init__(self, code: str, reason: str) -> None:
        assert code in self.CODES, code
        # Both in args, so that the error survives pickling on its way back from a worker process.
        super().__init__(code, reason)
        self.code = code
        self.reason = reason

    def __str__(self) -> str:
        return self.reason
