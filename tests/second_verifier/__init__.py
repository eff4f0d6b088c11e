"""The program in examples/ that checks ledgers without a line of ours, held against our own verifier.

Here belongs what compares the two. What only one of them does is tested elsewhere.
"""
