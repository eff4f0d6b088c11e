"""Golden records of whole deals in text, for card players to read; `python -m tests.playthroughs` writes them anew."""
