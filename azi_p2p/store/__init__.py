"""Disk: the profile with its key, the journal of what this peer has signed, and ledger files."""
