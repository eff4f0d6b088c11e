"""Takes out one check of the program at a time and shows that some test fails: `python -m tests.mutants`."""
