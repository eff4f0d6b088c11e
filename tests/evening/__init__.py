"""A long evening of real peers, measured: `python -m tests.evening`."""
