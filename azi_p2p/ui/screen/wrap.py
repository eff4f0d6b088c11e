"""Sentences broken into lines of so many cells.

What doesn't belong here: where the lines stand.
"""

from __future__ import annotations

from azi_p2p.ui.names import cells, cut


def wrapped(text: str, width: int) -> list[str]:
    """The text in lines of at most `width` cells, broken between words; a word that is longer is cut up."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        while cells(word) > width:
            if line:
                lines.append(line)
                line = ""
            head = cut(word, width + 1)[:-1] or word[0]  # one that is wider than the line is cut where it is drawn
            lines.append(head)
            word = word[len(head) :]  # noqa: PLW2901 - what is left of it
        candidate = f"{line} {word}" if line else word
        if cells(candidate) > width:
            lines.append(line)
            line = word
        else:
            line = candidate
    if line or not lines:
        lines.append(line)
    return lines
