"""A second opinion on the rules: a naive game, and a command that compares it with the engine over random deals.

`python -m tests.second_opinion --deals 100000` runs the whole comparison; the tests run a slice of it.
"""
