"""Writes `protocol/vectors` and `protocol/examples`, byte for byte the same each time.

    python -m tests.vectors_gen            write them
    python -m tests.vectors_gen --check    exit 1 and say which differ from what would be written

All randomness comes from fixed seeds. A vector that changes without a new protocol version is a mistake, unless the
session has come to send something else that is just as good (whole ledgers) or a case was added.
"""
