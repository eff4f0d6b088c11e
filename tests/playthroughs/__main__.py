"""Write all records anew: `python -m tests.playthroughs`. Read what changed before you commit it."""

from __future__ import annotations

from pathlib import Path

from tests.playthroughs.record import PLAYTHROUGHS, record


def main() -> None:
    """Write the records beside this file."""
    for name, playthrough in PLAYTHROUGHS.items():
        path = Path(__file__).with_name(f"{name}.txt")
        path.write_text(record(playthrough), encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()
