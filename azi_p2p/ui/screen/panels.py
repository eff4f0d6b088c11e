"""Sheets that lie over a page: help, log, proofs, menu, the end of a deal, the standings.

What doesn't belong here: what is written on them (`sheets`).
"""

from __future__ import annotations

from azi_p2p.ui.names import cells
from azi_p2p.ui.screen.canvas import Canvas
from azi_p2p.ui.screen.model import Panel, Tone
from azi_p2p.ui.screen.wrap import wrapped

WIDEST = 100
"""Columns of a sheet at most; longer lines are hard to read."""

BANNER = (
    " ███  █████  ███ ",
    "█   █    █    █  ",
    "█████   █     █  ",
    "█   █  █      █  ",
    "█   █ █████  ███ ",
)
"""The name of the game, for the moment that has it."""

STYLES: dict[Tone, str] = {
    "text": "panel",
    "ask": "panel.strong",
    "good": "panel.good",
    "warn": "panel.bad",
    "bad": "panel.bad",
    "dim": "panel.dim",
}


def fitted(text: str, width: int) -> list[str]:
    """A sentence in lines of at most so many columns; one that fits stays as it is, with all its blanks."""
    if cells(text) <= width:
        return [text]
    indent = " " * (len(text) - len(text.lstrip()))
    return [indent + line for line in wrapped(text, width - len(indent))]


def draw_panel(canvas: Canvas, panel: Panel, top: int, room_across: int) -> None:
    """Draw a sheet in the first `room_across` columns, from row `top` on if it fits there, else as far up as it must.

    It leaves the last row free.
    """
    width = min(WIDEST, room_across - 2)
    x = (room_across - width) // 2
    inner = width - 4
    lines = [(number, tone, part) for number, (tone, text) in enumerate(panel.lines) for part in fitted(text, inner)]
    extra = (len(BANNER) + 1 if panel.banner else 0) + len(panel.drawing)
    room = canvas.height - 4 - extra
    shown = lines if len(lines) <= room else _scrolled(lines, panel, room)
    height = len(shown) + extra + 2
    y = max(1, min(top, canvas.height - 1 - height)) if panel.low else max(1, (canvas.height - 1 - height) // 2)
    canvas.fill(x, y, width, height, "panel")
    canvas.box(x, y, width, height, "panel.frame", "round")
    canvas.put_middle(x + 2, width - 4, y, f" {panel.title} ", "panel.title")
    if len(lines) > len(shown):
        canvas.put_right(x + width - 2, y, f" {len(shown)}/{len(lines)} ▲▼ ", "panel.frame")
    if panel.foot:
        canvas.put_middle(x + 2, width - 4, y + height - 1, f" {panel.foot} ", "panel.frame")
    row = y + 1
    if panel.banner:
        for line in BANNER:
            canvas.put_middle(x + 1, width - 2, row, line, "azi")
            row += 1
        row += 1
    for number, tone, text in shown:
        if number == panel.picked:
            canvas.put(x + 1, row, (" " + text).ljust(width - 2), "row.on", width - 2)
        else:
            canvas.put(x + 2, row, text, STYLES[tone], inner)
        row += 1
    for drawn in panel.drawing:
        canvas.put(x + 2 + (inner - cells(drawn)) // 2, row, drawn, "panel.drawing")
        row += 1


def _scrolled(lines: list[tuple[int, Tone, str]], panel: Panel, room: int) -> list[tuple[int, Tone, str]]:
    """The part of the lines that is to be seen: the picked one always, else as far as was scrolled."""
    most = len(lines) - room
    if panel.picked is not None:
        at = next(place for place, (number, _, _) in enumerate(lines) if number == panel.picked)
        start = min(most, max(0, at - room // 2))
    elif panel.from_end:
        start = max(0, most - panel.scroll)
    else:
        start = min(most, panel.scroll)
    return lines[start : start + room]
