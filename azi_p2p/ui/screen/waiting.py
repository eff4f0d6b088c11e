"""A page that says what is being waited for, and lets the person call it off.

What doesn't belong here: what is waited for.
"""

from __future__ import annotations

from collections.abc import Callable

from azi_p2p.ui.i18n import Catalogue
from azi_p2p.ui.screen.canvas import Canvas
from azi_p2p.ui.screen.keys import latin
from azi_p2p.ui.screen.page import PlainPage
from azi_p2p.ui.screen.tablepage import draw_keys
from azi_p2p.ui.screen.wrap import wrapped


class WaitingPage(PlainPage):
    """One sentence in the middle of the screen. `call_off` is called when the person doesn't want to wait."""

    def __init__(self, texts: Catalogue, text: str, call_off: Callable[[], None], *, plain: bool) -> None:
        super().__init__()
        self._texts = texts
        self._text = text
        self._call_off = call_off
        self._plain = plain

    def draw(self, width: int, height: int, now: float) -> Canvas:
        """See Page."""
        del now
        canvas = Canvas(width, height, plain=self._plain)
        canvas.fill(0, 0, width, 1, "head")
        canvas.put(1, 0, "Azi", "head.strong")
        lines = wrapped(self._text, min(width - 4, 76)) if width > 4 else []
        for number, line in enumerate(lines):
            canvas.put_middle(2, width - 4, max(1, (height - len(lines)) // 2) + number, line, "ask")
        canvas.fill(0, height - 1, width, 1, "foot")
        draw_keys(canvas, (("Esc", self._texts.text("screen.foot.escape")),), 1, height - 1, width - 1)
        return canvas

    def press(self, key: str) -> None:
        """See Page."""
        if latin(key) in {"escape", "q", "interrupt"}:
            self._call_off()
