"""The terminal side of the client, on a pipe in place of a keyboard and a screen in memory."""

from __future__ import annotations

import asyncio
import io
import time
from collections.abc import Awaitable, Callable

import pytest
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

from azi_p2p.ui.screen.app import FRAMES_A_SECOND, FullScreen, TerminalGone
from azi_p2p.ui.screen.canvas import Canvas
from azi_p2p.ui.screen.look import THEMES, Look, styles
from azi_p2p.ui.screen.page import PlainPage
from azi_p2p.ui.screen.pasting import MOST_TYPED


class Recorder(PlainPage):
    """A page that keeps what it gets, and says when it got something."""

    def __init__(self) -> None:
        super().__init__()
        self.keys: list[str] = []
        self.pasted: list[str] = []
        self.drawn = 0
        self.got = asyncio.Event()
        self.text = "waiting"
        self.hides = False
        self.clicks: list[tuple[int, int]] = []
        self.wake_at: float | None = None
        self.woken = asyncio.Event()

    def draw(self, width: int, height: int, now: float) -> Canvas:
        self.drawn += 1
        canvas = Canvas(width, height)
        canvas.put(0, 0, self.text, "strong")
        canvas.hides = self.hides
        return canvas

    def press(self, key: str) -> None:
        self.keys.append(key)
        self.text = key
        self.changed()
        self.got.set()

    def paste(self, text: str) -> None:
        self.pasted.append(text)
        self.got.set()

    def click(self, x: int, y: int) -> None:
        self.clicks.append((x, y))
        self.got.set()

    def next_wake(self, now: float) -> float | None:
        return self.wake_at

    def wake(self, now: float) -> None:
        self.wake_at = None
        self.woken.set()


class Stage:
    """A screen on a pipe, with a recorder on it."""

    def __init__(self, keyboard: PipeInput, look: Look) -> None:
        self.keyboard = keyboard
        self.output = io.StringIO()
        terminal = Vt100_Output(self.output, lambda: Size(24, 80), term="xterm-256color")
        self.screen = FullScreen(look, input=keyboard, output=terminal)
        self.page = Recorder()
        self.painted = asyncio.Event()
        self.screen.after_drawing(self.painted.set)

    async def shown(self) -> None:
        self.screen.show(self.page)
        await self.painted.wait()

    async def typed(self, data: str, want: Callable[[], bool]) -> None:
        self.keyboard.send_text(data)
        while not want():
            self.page.got.clear()
            await self.page.got.wait()


def on_stage(act: Callable[[Stage], Awaitable[None]], look: Look | None = None) -> Stage:
    """Let something be done on a stage, within ten seconds."""
    stages: list[Stage] = []

    async def play() -> None:
        with create_pipe_input() as keyboard:
            stage = Stage(keyboard, look or Look())
            stages.append(stage)

            async def main() -> int:
                async with asyncio.timeout(10):
                    await stage.shown()
                    await act(stage)
                return 0

            assert await stage.screen.run(main()) == 0

    asyncio.run(play())
    return stages[0]


def test_keys_come_by_name() -> None:
    async def act(stage: Stage) -> None:
        data = "\x1b[A\x1b[B\x1b[C\x1b[D\r\t\x1b[Z\x1b[5~\x1b[6~\x7f\x1bOP\x1bOQ\x03"
        wanted = ["up", "down", "right", "left", "enter", "tab", "back_tab", "page_up", "page_down", "backspace"]
        wanted += ["f1", "f2", "interrupt"]
        await stage.typed(data, lambda: len(stage.page.keys) >= len(wanted))
        assert stage.page.keys == wanted

    on_stage(act)


def test_letters_of_every_script_and_a_lone_escape_come_through() -> None:
    async def act(stage: Stage) -> None:
        await stage.typed("aЖ7?ê", lambda: len(stage.page.keys) == 5)
        assert stage.page.keys == list("aЖ7?ê")
        started = time.monotonic()
        await stage.typed("\x1b", lambda: "escape" in stage.page.keys)
        assert time.monotonic() - started < 1.5, "Escape isn't taken for the beginning of another key"

    on_stage(act)


def test_a_marked_paste_presses_no_key() -> None:
    async def act(stage: Stage) -> None:
        await stage.typed("\x1b[200~1\r2\r\x1b[201~", lambda: bool(stage.page.pasted))
        assert stage.page.keys == []
        assert stage.page.pasted == ["1\r2\r"]
        # Keys of the same moment come in their order.
        await stage.typed("t\x1b[200~x\x1b[201~", lambda: len(stage.page.pasted) == 2)
        assert stage.page.keys == ["t"]

    on_stage(act)


def test_a_paste_without_its_end_takes_no_keys_for_ever() -> None:
    async def act(stage: Stage) -> None:
        stage.keyboard.send_text("\x1b[200~some text")
        await drawn_again(stage)
        await stage.typed("\x03", lambda: bool(stage.page.keys))
        assert stage.page.pasted == ["some text"]
        await stage.typed("\x1b[A", lambda: len(stage.page.keys) == 2)
        assert stage.page.keys == ["interrupt", "up"]

    on_stage(act)


def test_the_end_of_the_terminal_ends_a_paste_without_end_too() -> None:
    async def play() -> None:
        with create_pipe_input() as keyboard:
            stage = Stage(keyboard, Look())

            async def main() -> int:
                await stage.shown()
                keyboard.send_text("\x1b[200~" + "a" * 5000)
                keyboard.close()
                await asyncio.Event().wait()
                return 0

            async with asyncio.timeout(10):
                await stage.screen.run(main())

    with pytest.raises(TerminalGone):
        asyncio.run(play())


def test_more_than_a_hand_can_type_at_once_is_a_paste_too() -> None:
    async def act(stage: Stage) -> None:
        await stage.typed("1\r" * MOST_TYPED + "q", lambda: bool(stage.page.pasted))
        assert stage.page.keys == []
        assert stage.page.pasted == ["1 " * MOST_TYPED + "q"]
        await stage.typed("\x1b[A" * 40, lambda: len(stage.page.keys) == 40)

    on_stage(act)


def test_nothing_but_an_interrupt_acts_on_what_is_not_to_be_seen() -> None:
    async def act(stage: Stage) -> None:
        stage.page.hides = True
        await drawn_again(stage)
        await stage.typed(
            "1\r\x1b[A\x1b[200~text\x1b[201~\x1b[<0;5;3M\x1b[<0;5;3m" + "a" * 40 + "\x03",
            lambda: bool(stage.page.keys),
        )
        assert stage.page.keys == ["interrupt"]
        assert stage.page.pasted == []
        assert stage.page.clicks == []
        stage.page.hides = False
        await drawn_again(stage)
        await stage.typed("1", lambda: len(stage.page.keys) > 1)
        assert stage.page.keys == ["interrupt", "1"]

    on_stage(act, Look(mouse=True))


async def drawn_again(stage: Stage) -> None:
    stage.painted.clear()
    stage.page.changed()
    await stage.painted.wait()


def test_a_flood_of_changes_is_drawn_thirty_times_a_second_at_most() -> None:
    async def act(stage: Stage) -> None:
        started, before = time.monotonic(), stage.page.drawn
        while time.monotonic() - started < 1.0:
            stage.page.changed()
            await asyncio.sleep(0)
        assert 2 <= stage.page.drawn - before <= (time.monotonic() - started) * FRAMES_A_SECOND + 2

    on_stage(act)


def test_nothing_is_drawn_while_nothing_happens() -> None:
    async def act(stage: Stage) -> None:
        loop = asyncio.get_running_loop()
        before, moments = stage.page.drawn, time.process_time()
        over = asyncio.Event()
        loop.call_later(1.5, over.set)
        await over.wait()
        assert stage.page.drawn == before
        assert time.process_time() - moments < 0.15

    on_stage(act)


def test_a_page_is_woken_when_it_wants_to_be() -> None:
    async def act(stage: Stage) -> None:
        stage.page.wake_at = time.monotonic() + 0.2
        started = time.monotonic()
        stage.page.changed()
        await stage.page.woken.wait()
        assert 0.15 < time.monotonic() - started < 3

    on_stage(act)


def test_a_key_is_on_the_screen_at_once() -> None:
    async def act(stage: Stage) -> None:
        stage.painted.clear()
        started = time.monotonic()
        stage.keyboard.send_text("Ж")
        await stage.painted.wait()
        while "Ж" not in stage.output.getvalue():
            stage.painted.clear()
            await stage.painted.wait()
        assert time.monotonic() - started < 0.5

    on_stage(act)


def test_the_bell_is_a_bell() -> None:
    async def act(stage: Stage) -> None:
        stage.screen.ring()

    assert "\a" in on_stage(act).output.getvalue()


def test_the_mouse_is_off_until_it_is_wanted() -> None:
    async def click(stage: Stage) -> None:
        await stage.typed("\x1b[<0;5;3M\x1b[<0;5;3m", lambda: bool(stage.page.clicks))
        assert stage.page.clicks == [(4, 2)]

    async def nothing(_: Stage) -> None:
        pass

    assert "\x1b[?1000h" in on_stage(click, Look(mouse=True)).output.getvalue()
    assert "\x1b[?1000h" not in on_stage(nothing).output.getvalue()


@pytest.mark.parametrize("report", ["\x1b[<0;M", "\x1b[M~~~", "\x1b[<0;5;3m", "\x1b[96;14;13M"])
def test_mouse_reports_that_nobody_asked_for_do_nothing(report: str, caplog: pytest.LogCaptureFixture) -> None:
    async def act(stage: Stage) -> None:
        await stage.typed(report + "x", lambda: bool(stage.page.keys))
        assert stage.page.keys == ["x"]
        assert stage.page.clicks == []

    on_stage(act)
    assert caplog.records == []


def test_the_look_can_change_on_the_way() -> None:
    async def act(stage: Stage) -> None:
        for theme in THEMES:
            stage.screen.set_look(Look(theme=theme))
            stage.painted.clear()
            stage.page.text = theme
            stage.page.changed()
            await stage.painted.wait()

    on_stage(act)


def test_a_closed_terminal_ends_the_client() -> None:
    async def play() -> None:
        with create_pipe_input() as keyboard:
            stage = Stage(keyboard, Look())

            async def main() -> int:
                await stage.shown()
                keyboard.close()
                await asyncio.Event().wait()
                return 0

            async with asyncio.timeout(10):
                await stage.screen.run(main())

    with pytest.raises(TerminalGone):
        asyncio.run(play())


def test_what_goes_wrong_is_raised_after_the_terminal_is_given_back() -> None:
    stages: list[Stage] = []

    async def play() -> None:
        with create_pipe_input() as keyboard:
            stage = Stage(keyboard, Look())
            stages.append(stage)

            async def main() -> int:
                await stage.shown()
                raise ValueError("our own fault")

            await stage.screen.run(main())

    with pytest.raises(ValueError, match="our own fault"):
        asyncio.run(play())
    assert stages[0].output.getvalue().rstrip().endswith("\x1b[?25h")


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("deck", ["four", "two"])
def test_suits_have_colours_of_their_own_where_there_are_colours(theme: str, deck: str) -> None:
    look = Look(
        theme=next(one for one in THEMES if one == theme), deck=next(one for one in ("four", "two") if one == deck)
    )
    colours = {styles(look)[f"face.{suit}"] for suit in "SHDC"}
    assert len(colours) == (1 if theme == "mono" else 4 if deck == "four" else 2)
