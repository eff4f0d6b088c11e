"""The terminal: draws the page that is shown, hands it keys, and gives the terminal back as it was, whatever happens.

The only module that knows prompt-toolkit. It redraws when a page says that it has changed, at most thirty times a
second, and wakes a page when that wants to be woken; nothing ticks while nothing happens. What doesn't belong here:
what is drawn, and what keys mean.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from prompt_toolkit.application import Application, run_in_terminal
from prompt_toolkit.application.current import set_app
from prompt_toolkit.data_structures import Point
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input, create_input
from prompt_toolkit.input.posix_utils import PosixStdinReader
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import Layout, UIContent, UIControl, Window
from prompt_toolkit.mouse_events import MouseEvent, MouseEventType
from prompt_toolkit.output import Output
from prompt_toolkit.styles import DynamicStyle, Style

from azi_p2p.ui.screen.canvas import Row
from azi_p2p.ui.screen.look import Look, styles
from azi_p2p.ui.screen.page import Page
from azi_p2p.ui.screen.pasting import MOST_TYPED, PasteGuard

RESIZED_SECONDS = 0.15
"""So long after a change of its size a terminal has got what was written for the size before."""

FRAMES_A_SECOND = 30
ESCAPE_SECONDS = 0.1
"""Seconds after which a lone escape character is the Escape key and not the beginning of another key."""

KEYS: dict[Keys, str] = {
    Keys.Up: "up",
    Keys.Down: "down",
    Keys.Left: "left",
    Keys.Right: "right",
    Keys.ControlM: "enter",
    Keys.ControlJ: "enter",
    Keys.Escape: "escape",
    Keys.ControlI: "tab",
    Keys.BackTab: "back_tab",
    Keys.PageUp: "page_up",
    Keys.PageDown: "page_down",
    Keys.Home: "home",
    Keys.End: "end",
    Keys.ControlH: "backspace",
    Keys.Delete: "delete",
    Keys.F1: "f1",
    Keys.F2: "f2",
    Keys.ControlC: "interrupt",
}
"""The keys that pages know by name."""


class TerminalGone(Exception):
    """The terminal was closed while the screen was open."""


class FullScreen:
    """The whole terminal, for one page at a time.

    `input`, `output` and `clock` (monotonic seconds) stand in for the terminal and its time in tests.
    """

    def __init__(
        self,
        look: Look,
        *,
        input: Input | None = None,  # noqa: A002 - what prompt-toolkit calls it
        output: Output | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """The terminal is touched by `run` only."""
        self._clock = clock
        self._page: Page | None = None
        self._rows: list[Row] = []
        self._size: tuple[int, int] | None = None
        self._hidden = False
        """Whether the last drawing shows nothing of what keys would act on: then only Ctrl-C gets through."""
        self._wake: asyncio.TimerHandle | None = None
        self._main: asyncio.Task[int] | None = None
        self._interrupted = False
        self._burst: list[str] = []
        self._problem: BaseException | None = None
        self._awaited: list[asyncio.Future[None]] = []
        self.set_look(look)
        self._application: Application[None] = Application(
            layout=Layout(Window(_Drawing(self), always_hide_cursor=True)),
            key_bindings=self._bindings(),
            style=DynamicStyle(lambda: self._style),
            include_default_pygments_style=False,
            full_screen=True,
            mouse_support=Condition(lambda: self._look.mouse),
            min_redraw_interval=1 / FRAMES_A_SECOND,
            terminal_size_polling_interval=None,
            input=guarded(input or create_input()),
            output=output,
        )
        self._application.after_render += lambda _: self._tell_drawn()
        self._application.ttimeoutlen = ESCAPE_SECONDS
        self._application.timeoutlen = ESCAPE_SECONDS

    def set_look(self, look: Look) -> None:
        """Draw with these colours from now on."""
        self._look = look
        self._style = Style.from_dict({style_name(name): colours for name, colours in styles(look).items()})

    def show(self, page: Page) -> None:
        """Show this page from now on."""
        self._page = page
        page.changed = self.redraw
        self.redraw()

    def redraw(self) -> None:
        """Draw the page again soon."""
        self._application.invalidate()
        self._plan_wake()

    def after_drawing(self, tell: Callable[[], None]) -> None:
        """Call `tell` each time the page has been drawn on the terminal."""
        self._application.after_render += lambda _: tell()

    async def drawn(self) -> None:
        """Return when the page that is shown now has been drawn on the terminal."""
        seen: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._awaited.append(seen)
        self.redraw()
        await seen

    def ring(self) -> None:
        """Ring the bell of the terminal."""
        self._application.output.bell()
        self._application.output.flush()

    async def run(self, main: Coroutine[Any, Any, int]) -> int:
        """Have the terminal while `main` runs; gives what `main` gives.

        The terminal is as it was before when this returns or raises: what `main` raised, TerminalGone,
        KeyboardInterrupt for a signal (not for the key, which the page gets), CancelledError.
        """
        self._main = asyncio.ensure_future(main)
        screen = asyncio.ensure_future(self._application.run_async(set_exception_handler=False))
        self._main.add_done_callback(lambda _: self._leave())
        self._let_stop()
        try:
            await asyncio.wait({self._main, screen}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await self._end(self._main, screen)
        if self._interrupted:
            raise KeyboardInterrupt
        if self._problem is not None:
            raise self._problem
        if screen.exception() is not None and self._main.cancelled():
            raise TerminalGone from screen.exception()
        return self._main.result()

    def _let_stop(self) -> None:
        """Give the terminal back when this process is to be stopped for a while (SIGTSTP), and take it again after.

        Who stops it by force (SIGSTOP) leaves no time to give anything back; it is taken again all the same.
        """
        if sys.platform != "win32":
            asyncio.get_running_loop().add_signal_handler(signal.SIGTSTP, self._stop)
            asyncio.get_running_loop().add_signal_handler(signal.SIGCONT, self._take_again)

    def _let_stop_no_more(self) -> None:
        if sys.platform != "win32":
            asyncio.get_running_loop().remove_signal_handler(signal.SIGTSTP)
            asyncio.get_running_loop().remove_signal_handler(signal.SIGCONT)

    def _take_again(self) -> None:
        # Never left again: the application has kept the modes of before its start, and sets them at its end.
        self._application.input.raw_mode().__enter__()
        self._draw_anew()

    def _draw_anew(self) -> None:
        """Draw everything, whatever others may have written on the terminal meanwhile."""
        if self._application.is_running:
            self._application.renderer.reset()
            self._application.invalidate()

    def _stop(self) -> None:
        def stop() -> None:
            if sys.platform != "win32":
                self._let_stop_no_more()
                os.kill(os.getpid(), signal.SIGTSTP)  # returns when somebody has let the process go on
                self._let_stop()

        with set_app(self._application):
            run_in_terminal(stop)

    async def _end(self, *tasks: asyncio.Task[Any]) -> None:
        self._let_stop_no_more()
        if self._wake is not None:
            self._wake.cancel()
        self._leave()
        for task in tasks:
            if task is self._main:
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _leave(self) -> None:
        if self._application.is_running and self._application.future and not self._application.future.done():
            self._application.exit()

    def _tell_drawn(self) -> None:
        awaited, self._awaited = self._awaited, []
        for seen in awaited:
            if not seen.done():
                seen.set_result(None)

    def _plan_wake(self) -> None:
        """See to it that the page is woken when it wants to be."""
        if self._wake is not None:
            self._wake.cancel()
            self._wake = None
        at = None if self._page is None else self._page.next_wake(self._clock())
        if at is not None:
            delay = max(1 / FRAMES_A_SECOND, at - self._clock())
            self._wake = asyncio.get_running_loop().call_later(delay, self._woken)

    def _woken(self) -> None:
        self._wake = None
        self._safely(lambda page: page.wake(self._clock()))
        self.redraw()

    def _safely(self, do: Callable[[Page], None]) -> None:
        """Let the page do something; a fault of ours ends the screen instead of being lost in the event loop."""
        if self._page is None:
            return
        try:
            do(self._page)
        except Exception as error:  # noqa: BLE001 - whatever it is, `run` raises it
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        self._problem = error
        if self._main is not None:
            self._main.cancel()

    # Between prompt-toolkit and the page

    def draw(self, width: int, height: int) -> list[Row]:
        """The rows of the page in this size.

        After another size everything is drawn once more: what was under way to the terminal before may have moved rows.
        """
        if (width, height) != self._size:
            if self._size is not None:
                asyncio.get_running_loop().call_later(RESIZED_SECONDS, self._draw_anew)
            self._size = (width, height)

        def drawn(page: Page) -> None:
            canvas = page.draw(width, height, self._clock())
            self._rows, self._hidden = canvas.rows(), canvas.hides

        self._safely(drawn)
        return self._rows

    def clicked(self, x: int, y: int) -> None:
        """The mouse was pressed on a cell."""
        if not self._hidden:
            self._safely(lambda page: page.click(x, y))

    def _bindings(self) -> KeyBindings:
        bindings = KeyBindings()
        for key in KEYS:
            bindings.add(key, eager=True)(self._named)
        bindings.add(Keys.Any)(self._typed)
        bindings.add(Keys.BracketedPaste)(self._pasted)
        bindings.add(Keys.ControlL)(lambda _: self._draw_anew())
        # What a terminal reports unasked, whole or garbled, would end in an error of whoever reads mouse reports.
        bindings.add(Keys.Vt100MouseEvent, filter=Condition(lambda: not self._look.mouse))(lambda _: None)
        bindings.add(Keys.SIGINT)(lambda _: self._interrupt())
        return bindings

    def _named(self, event: KeyPressEvent) -> None:
        name = KEYS[Keys(event.key_sequence[0].key)]
        self._queue(name)

    def _typed(self, event: KeyPressEvent) -> None:
        char = event.data
        if len(char) == 1 and char.isprintable():
            self._queue(char)

    def _queue(self, key: str) -> None:
        """Hand a key on with all that come in the same moment: nobody types so fast as an old terminal pastes."""
        if not self._burst:
            asyncio.get_running_loop().call_soon(self._hand_on)
        self._burst.append(key)

    def _hand_on(self) -> None:
        keys, self._burst = self._burst, []
        if self._hidden:
            keys = [key for key in keys if key == "interrupt"]
        if sum(len(key) == 1 for key in keys) > MOST_TYPED:
            text = "".join(key if len(key) == 1 else " " for key in keys)
            self._safely(lambda page: page.paste(text))
            return
        for key in keys:
            self._safely(partial(_press, key=key))

    def _pasted(self, event: KeyPressEvent) -> None:
        self._hand_on()
        if not self._hidden:
            self._safely(lambda page: page.paste(event.data))

    def _interrupt(self) -> None:
        self._interrupted = True
        if self._main is not None:
            self._main.cancel()


def _press(page: Page, key: str) -> None:
    page.press(key)


class _GuardedReader(PosixStdinReader):
    """Reads what a terminal sends, with an end to each paste."""

    def __init__(self, stdin_fd: int, encoding: str) -> None:
        super().__init__(stdin_fd, encoding=encoding)
        self._guard = PasteGuard()

    def read(self, count: int = 1024) -> str:
        return self._guard.passed(super().read(count))


def guarded(keyboard: Input) -> Input:
    """The same input, with an end to each paste where the terminal is what brackets them."""
    if sys.platform != "win32":
        from prompt_toolkit.input.vt100 import Vt100Input  # noqa: PLC0415 - there is none on Windows

        if isinstance(keyboard, Vt100Input):
            keyboard.stdin_reader = _GuardedReader(keyboard.fileno(), keyboard.stdin.encoding)
    return keyboard


class _Drawing(UIControl):
    """The page as prompt-toolkit wants to have it."""

    def __init__(self, screen: FullScreen) -> None:
        self._screen = screen

    def create_content(self, width: int, height: int) -> UIContent:
        """The rows of the page, with the names of their styles."""
        rows = self._screen.draw(width, height)

        def line(number: int) -> StyleAndTextTuples:
            return [(f"class:{style_name(style)}", text) for style, text in rows[number]]

        return UIContent(get_line=line, line_count=len(rows), cursor_position=Point(0, 0), show_cursor=False)

    def is_focusable(self) -> bool:
        """Keys go to the page."""
        return True

    def mouse_handler(self, mouse_event: MouseEvent) -> None:
        """Hand a click to the page."""
        if mouse_event.event_type is MouseEventType.MOUSE_UP:
            self._screen.clicked(mouse_event.position.x, mouse_event.position.y)


def style_name(name: str) -> str:
    """The name of a style for prompt-toolkit, which knows small letters only and has names of its own."""
    return f"azi-{name.lower()}"
