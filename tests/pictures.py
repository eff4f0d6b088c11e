"""`python -m tests.pictures`: play a little on real terminals and draw what they show into docs/pictures, as SVG.

What doesn't belong here: pressing keys and reading screens (`tests.e2e.screen`).
"""

from __future__ import annotations

import html
import secrets
import tempfile
from pathlib import Path

import pyte

from tests.e2e.screen import FullScreen, play_a_deal, step

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"
CELL = (9, 17)
"""Pixels of a cell: width, height."""
LETTERS = 15
"""Size of the letters, in pixels: one of the first font is as wide as a cell then, and the lines of frames meet."""
NAMED = {
    "default": "#d8d8d8",
    "black": "#000000",
    "red": "#cd3131",
    "green": "#0dbc79",
    "brown": "#e5e510",
    "blue": "#2472c8",
    "magenta": "#bc3fbc",
    "cyan": "#11a8cd",
    "white": "#e5e5e5",
}
PAPER = "#121212"


def colour(name: str, otherwise: str) -> str:
    """A colour of the terminal as SVG writes it."""
    if name == "default":
        return otherwise
    return NAMED.get(name) or f"#{name}"


def svg(screen: pyte.Screen, title: str) -> str:
    """The screen as a picture: for each run of one style a rectangle and a text of exactly its width."""
    width, height = screen.columns * CELL[0], screen.lines * CELL[1]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" '
        f'font-size="{LETTERS}">',
        f"<title>{html.escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/>',
    ]
    for y in range(screen.lines):
        row = screen.buffer[y]
        x = 0
        while x < screen.columns:
            first = row[x]
            end = x + 1
            while end < screen.columns and row[end]._replace(data="") == first._replace(data=""):
                end += 1
            text = "".join(row[at].data for at in range(x, end))
            fore, back = colour(first.fg, NAMED["default"]), colour(first.bg, PAPER)
            if first.reverse:
                fore, back = back, fore
            left, top, wide = x * CELL[0], y * CELL[1], (end - x) * CELL[0]
            if back != PAPER:
                parts.append(f'<rect x="{left}" y="{top}" width="{wide}" height="{CELL[1]}" fill="{back}"/>')
            if text.strip():
                weight = ' font-weight="bold"' if first.bold else ""
                parts.append(
                    f'<text x="{left}" y="{top + 14}" fill="{fore}"{weight} xml:space="preserve" '
                    f'textLength="{wide}" lengthAdjust="spacingAndGlyphs">{html.escape(text)}</text>'
                )
            x = end
    return "\n".join([*parts, "</svg>\n"])


def draw(screen: FullScreen, name: str, title: str) -> None:
    """Write what the terminal shows once the frame that is being drawn is complete."""
    before = ""
    while before != screen.text:
        before = screen.text
        screen.change(before)
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.svg").write_text(svg(screen.emulated, title), encoding="utf-8")
    print(f"{FOLDER / name}.svg")


def main() -> None:
    """Draw the lobby with a table in it, a table in play, the end of a deal, and what was proven."""
    with tempfile.TemporaryDirectory() as folder:
        homes = {name: Path(folder) / name for name in ("Ben", "Eva")}
        for name, home in homes.items():
            home.mkdir(mode=0o700)
            (home / "settings.toml").write_text(f'nickname = "{name}"\nanimations = false\n', encoding="utf-8")
        table = f"Kitchen {secrets.token_hex(2)}"
        with (
            FullScreen("host", "--name", table, "--profile", str(homes["Ben"]), "--lang", "en"),
            FullScreen("--profile", str(homes["Eva"]), "--lang", "en") as eva,
        ):
            # Other tables of this computer, should there be any, don't belong into the picture.
            eva.shows(rf"1 table\n\n +1  {table}")
            eva.press("1")
            eva.shows("▶ 1")
            draw(eva, "lobby", "The lobby, with one table on the network")
        with FullScreen("play", "--bots", "3", "--profile", str(homes["Eva"]), "--lang", "en") as eva:
            eva.shows("Your turn to bid")
            draw(eva, "bidding", "The bidding against three bots")
            while "Your turn to play" not in eva.settled_text():
                eva.press(*["enter"] * ("is over" in eva.text))
                step(eva)
            eva.press("right")
            draw(eva, "table", "A table in play")
            eva.press("p")
            eva.shows("Reveal tokens")
            draw(eva, "proofs", "What was proven in this deal")
            eva.press("escape")
            eva.shows_no("Reveal tokens")
            play_a_deal(eva)
            draw(eva, "deal-over", "The end of a deal")


if __name__ == "__main__":
    main()
