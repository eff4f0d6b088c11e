"""Hostile bytes for everything that reads other people's bytes: `python -m tests.fuzz --inputs N`."""
