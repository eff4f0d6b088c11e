"""Cards drawn with characters: large ones for the hand, small ones for the trick, and backs.

What doesn't belong here: where they lie.
"""

from __future__ import annotations

from typing import Literal

from azi_p2p.ui.screen.canvas import Canvas
from azi_p2p.ui.screen.look import SUIT_SIGNS

State = Literal["", "on", "off", "won"]
"""How a card stands out: chosen, not to be chosen now, or the one that won the trick."""

LARGE = (7, 5)
SMALL = (5, 3)
"""Cells of a card: width, height."""


def rank_text(card: str) -> str:
    """The index of a card: 10 for the ten."""
    return "10" if card[0] == "T" else card[0]


def short_card(card: str) -> str:
    """A card in two or three cells: `10♠`."""
    return rank_text(card) + SUIT_SIGNS[card[1]]


def draw_card(
    canvas: Canvas, x: int, y: int, card: str, *, large: bool, state: State = "", promoted: bool = False
) -> None:
    """Draw a card from its upper left cell on. `promoted`: it is the highest of this deal, and marked so."""
    width, height = LARGE if large else SMALL
    edge = f"face.{state}" if state else "face.edge"
    face = "face.off" if state == "off" else f"face.on.{card[1]}" if state == "on" else f"face.{card[1]}"
    canvas.fill(x, y, width, height, edge)
    canvas.box(x, y, width, height, edge, "double" if state in {"on", "won"} else "round")
    rank, sign = rank_text(card), SUIT_SIGNS[card[1]]
    if not large:
        canvas.put(x + 1, y + 1, rank + sign, face)
        if promoted:
            canvas.put(x + 3, y + 1, "★", face)
        return
    canvas.put(x + 1, y + 1, rank, face)
    canvas.put(x + 3, y + 2, sign, face)
    canvas.put_right(x + 6, y + 3, rank, face)
    if promoted:
        canvas.put(x + 5, y + 1, "★", face)


def draw_place(canvas: Canvas, x: int, y: int, *, large: bool, sign: str = "") -> None:
    """Draw where a card may come to lie: four corners, and a sign in the middle."""
    width, height = LARGE if large else SMALL
    for at, char in (
        ((x, y), "╭"),
        ((x + width - 1, y), "╮"),
        ((x, y + height - 1), "╰"),
        ((x + width - 1, y + height - 1), "╯"),
    ):
        canvas.put(*at, char, "frame")
    canvas.put_middle(x + 1, width - 2, y + height // 2, sign, "dim")
