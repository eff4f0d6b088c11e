"""What every page of the client can do: draw itself, take keys, and say when it changes by itself.

What doesn't belong here: the terminal (`app`).
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Protocol

from azi_p2p.ui.i18n import Catalogue
from azi_p2p.ui.screen.canvas import Canvas


class Page(Protocol):
    """One page. All methods are called on the event loop; times are monotonic seconds."""

    changed: Callable[[], None]
    """Called by the page whenever it looks different; whoever shows it sets this."""

    def draw(self, width: int, height: int, now: float) -> Canvas:
        """The page in this size."""

    def press(self, key: str) -> None:
        """A key was pressed: one of `keys.NAMED`, or a character."""

    def paste(self, text: str) -> None:
        """Text was pasted, whatever it holds."""

    def click(self, x: int, y: int) -> None:
        """The mouse was pressed on a cell of the last drawing."""

    def next_wake(self, now: float) -> float | None:
        """When the page wants `wake` to be called, None if only keys and events change it."""

    def wake(self, now: float) -> None:
        """Time has passed."""


class Screen(Protocol):
    """What shows pages, one at a time."""

    def show(self, page: Page) -> None:
        """Show this page from now on."""

    async def drawn(self) -> None:
        """Return when the page that is shown now has been drawn."""


class PlainPage:
    """What pages without a clock of their own have in common."""

    def __init__(self) -> None:
        self.changed: Callable[[], None] = unchanged

    def paste(self, text: str) -> None:
        """See Page: pasted text means nothing here."""

    def click(self, x: int, y: int) -> None:
        """See Page: the mouse means nothing here."""

    def next_wake(self, now: float) -> float | None:
        """See Page."""
        del now
        return None

    def wake(self, now: float) -> None:
        """See Page."""


def unchanged() -> None:
    """What a page calls while nobody shows it."""


def draw_too_small(texts: Catalogue, width: int, height: int, least: tuple[int, int], *, plain: bool) -> Canvas:
    """What is drawn while the terminal is too small for a page; the game goes on meanwhile, without keys."""
    canvas = Canvas(max(1, width), max(1, height), plain=plain)
    canvas.hides = True
    text = texts.text("screen.too_small", width=width, height=height, least_width=least[0], least_height=least[1])
    for row, line in enumerate(textwrap.wrap(text, max(1, width))[:height]):
        canvas.put(0, row, line, "strong")
    return canvas
