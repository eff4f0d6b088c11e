"""Real peers that are killed in the middle of a write and started again: `python -m tests.killing`."""
