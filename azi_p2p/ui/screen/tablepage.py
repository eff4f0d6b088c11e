"""The table, drawn on a canvas: seats clockwise around the trick, own hand and choices below, then log and keys.

Made for 80 by 24 cells; more rows give larger cards and more of the log, more columns wider seats and at last a log of
its own at the right. What doesn't belong here: what is shown (`tablemodel`) and sheets over the table (`panels`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from azi_p2p.ui.names import cells, cut
from azi_p2p.ui.screen.canvas import Canvas, Zone
from azi_p2p.ui.screen.cards import LARGE, SMALL, State, draw_card
from azi_p2p.ui.screen.model import Button, Entry, LogLine, Seat, TableModel, clock_text, compact, grouped
from azi_p2p.ui.screen.panels import draw_panel
from azi_p2p.ui.screen.wrap import wrapped

LEAST = (80, 24)
"""Cells that the page needs: width, height."""
TALL = 30
"""Rows from which on the cards of a trick are large."""
WIDE = 130
"""Columns from which on the log has a place of its own."""
BOX = 4
"""Rows of a seat."""
CHOICES = 35
"""The column where what the person has and may choose begins, beside a hand of four cards."""
USUAL: State = ""
WON: State = "won"
LATE = 15
"""Seconds left from which on a clock is drawn as a warning."""

SLOTS: dict[int, tuple[str, ...]] = {
    0: (),
    1: ("top1",),
    2: ("top0", "top2"),
    3: ("left", "top1", "right"),
    4: ("left", "top0.5", "top1.5", "right"),
    5: ("left", "top0", "top1", "top2", "right"),
    6: ("left", "top0", "top1", "top2", "right", "low"),
}
"""Where the others sit, clockwise from the person's left, for each number of them; six are seen by onlookers only."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Measures of one drawing: width of the table, of a seat, and of the log at the right (0: it is below); sizes of
    the cards of a trick; rows where the parts begin, the first of them `top`."""

    width: int
    seat: int
    log: int
    card: tuple[int, int]
    top: int

    @property
    def trick(self) -> int:
        """First row of the middle of the table, where the cards of the upper seats lie."""
        return self.top + BOX

    @property
    def side(self) -> int:
        """First row of the seats at the sides, and of the own card in the trick."""
        return self.trick + self.card[1]

    @property
    def message(self) -> int:
        """The row of the trump suit."""
        return self.side + max(BOX, self.card[1])

    @property
    def hand(self) -> int:
        """First row of the own hand."""
        return self.message + 1

    @property
    def question(self) -> int:
        """The row of the question."""
        return self.hand + LARGE[1]


def measured(width: int, height: int) -> Frame:
    """The measures for a screen of this size, which is at least LEAST."""
    log = max(44, width - 120) if width >= WIDE else 0
    table = width - log
    card = LARGE if height >= TALL else SMALL
    frame = Frame(table, min(32, (table - 8) // 3), log, card, 1)
    # With the log at the right nothing needs the rows below: the table moves to the middle.
    spare = height - frame.question - 4 if log else 0
    return replace(frame, top=1 + max(0, spare // 2))


def draw_table(model: TableModel, width: int, height: int, *, plain: bool = False) -> Canvas:
    """Draw the page; `width` by `height` cells, at least LEAST. `plain`: ASCII signs only."""
    canvas = Canvas(width, height, plain=plain)
    frame = measured(width, height)
    _head(canvas, model)
    for seat, slot in zip(model.seats, SLOTS[min(6, len(model.seats))], strict=False):
        place = _place(slot, frame)
        _seat(canvas, seat, place, frame)
        if seat.played is not None and not model.center:
            _played(canvas, seat, (place.card_x, place.card_y), frame, model.promoted)
    _middle(canvas, model, frame)
    _own(canvas, model, frame)
    rows = _question(canvas, model, frame)
    _story(canvas, model, frame, frame.question + rows)
    _foot(canvas, model)
    if model.panel is not None:
        draw_panel(canvas, model.panel, frame.message, frame.width)
    return canvas


def _head(canvas: Canvas, model: TableModel) -> None:
    canvas.fill(0, 0, canvas.width, 1, "head")
    right = canvas.put_right(canvas.width - 1, 0, model.pot, "head.strong")
    canvas.put(1, 0, model.title, "head", max(0, right - 3))


@dataclass(frozen=True, slots=True)
class Place:
    """Where a seat's box and its card in the trick begin."""

    x: int
    y: int
    card_x: int
    card_y: int


def _place(slot: str, frame: Frame) -> Place:
    width, (card_width, card_height) = frame.seat, frame.card
    right = frame.width - 1 - width
    card_y = frame.side + max(0, BOX - card_height)
    if slot == "left":
        return Place(1, frame.side, width + 2, card_y)
    if slot == "right":
        return Place(right, frame.side, right - 1 - card_width, card_y)
    if slot == "low":
        return Place(1, frame.hand, frame.width // 2 + 1, frame.side)
    x = 1 + round(float(slot.removeprefix("top")) * (right - 1) / 2)
    return Place(x, frame.top, x + (width - card_width) // 2, frame.trick)


def _seat(canvas: Canvas, seat: Seat, place: Place, frame: Frame) -> None:
    x, y, right = place.x, place.y, place.x + frame.seat - 2
    canvas.box(x, y, frame.seat, BOX, "frame.turn" if seat.turn else "frame", "double" if seat.turn else "single")
    mark = "▶ " if seat.turn else ""
    room = frame.seat - 4 - cells(mark) - (cells(seat.fingerprint) + 1 if seat.fingerprint else 0)
    at = canvas.put(x + 1, y, f" {mark}{cut(seat.name, room)} ", "name.turn" if seat.turn else "name")
    if seat.fingerprint:
        canvas.put(at, y, f"{seat.fingerprint} ", "dim")
        _amounts(canvas, seat, x + 2, y + 1, right)
    if seat.seconds is not None:
        style = "warn" if seat.seconds <= LATE else "frame.turn"
        canvas.put_right(right, y + BOX - 1, f" {clock_text(seat.seconds)} ", style)
    left = right
    if seat.cards:
        left = canvas.put_right(left, y + 2, "▒" * seat.cards, "face.back") - 1
    if seat.tricks:
        left = canvas.put_right(left, y + 2, "●" * seat.tricks, "good") - 1
    canvas.put(x + 2, y + 2, seat.note, seat.tone, max(0, left - x - 2))


def _played(canvas: Canvas, seat: Seat, at: tuple[int, int], frame: Frame, promoted: str | None) -> None:
    assert seat.played is not None, "a card lies there"
    large, state = frame.card == LARGE, WON if seat.won else USUAL
    draw_card(canvas, *at, seat.played, large=large, state=state, promoted=seat.played == promoted)


def _amounts(canvas: Canvas, seat: Seat, x: int, y: int, right: int) -> None:
    """Chips and bid in one row that ends before `right`; a number is never cut."""
    at = canvas.put(x, y, compact(seat.chips), "chips") + 2
    if seat.bid:
        bid = seat.bid_text if at + cells(seat.bid_text) <= right else compact(seat.bid)
        canvas.put(at, y, bid, "strong")


def _middle(canvas: Canvas, model: TableModel, frame: Frame) -> None:
    """The upcard and the own card in the trick, or lines where no cards lie; under them the trump."""
    if model.center:
        _center(canvas, model, frame)
    else:
        middle, large = frame.width // 2, frame.card == LARGE
        if model.upcard is not None:
            draw_card(canvas, middle - frame.card[0] - 1, frame.side, model.upcard, large=large, state="off")
        if model.me is not None and model.me.played is not None:
            _played(canvas, model.me, (middle + 1, frame.side), frame, model.promoted)
    if model.trump and model.upcard is not None:
        canvas.put_middle(1, frame.width - 2, frame.message, model.trump, f"suit.{model.upcard[1]}")


def _center(canvas: Canvas, model: TableModel, frame: Frame) -> None:
    left, right = 2, frame.width - 2
    if "left" in SLOTS[min(6, len(model.seats))]:
        left, right = frame.seat + 2, frame.width - frame.seat - 2
    lines = [(tone, line) for tone, text in model.center for line in wrapped(text, right - left)]
    room = frame.message - frame.trick
    top = frame.trick + max(0, (room - len(lines)) // 2)
    for number, (tone, line) in enumerate(lines[:room]):
        canvas.put_middle(left, right - left, top + number, line, tone)


def _own(canvas: Canvas, model: TableModel, frame: Frame) -> None:
    """The own hand, large, and beside it what the person has and may choose."""
    x = 1
    for number, card in enumerate(model.hand, start=1):
        state: State = "on" if card.on else "off" if card.off else ""
        draw_card(canvas, x, frame.hand, card.card, large=True, state=state, promoted=card.promoted)
        if model.numbered and not model.buttons:
            mark = f"✓{number}✓" if card.meant else f"▲{number}▲" if card.on else f" {number} "
            canvas.put(x + 2, frame.hand + LARGE[1] - 1, mark, f"face.{state or 'edge'}")
        canvas.zones.append(Zone(x, frame.hand, *LARGE, str(number)))
        x += LARGE[0] + 1
    room = frame.width - CHOICES - 1
    if model.me is not None:
        _own_line(canvas, model.me, CHOICES, frame.hand, room)
    if model.buttons:
        draw_buttons(canvas, model.buttons, CHOICES, frame.hand + 2, room)
    elif model.why:
        for number, line in enumerate(wrapped(model.why, room)[:3]):
            canvas.put(CHOICES, frame.hand + 2 + number, line, "dim")


def _own_line(canvas: Canvas, me: Seat, x: int, y: int, room: int) -> None:
    edge = x + room
    if me.seconds is not None:
        edge = canvas.put_right(edge, y, clock_text(me.seconds), "warn" if me.seconds <= LATE else "text") - 1
    at = canvas.put(x, y, ("▶ " if me.turn else "") + me.name, "name.turn" if me.turn else "name")
    at = canvas.put(at + 1, y, grouped(me.chips), "chips")
    if me.bid:
        at = canvas.put(at + 2, y, me.bid_text, "strong")
    if me.tricks:
        at = canvas.put(at + 2, y, "●" * me.tricks, "good")
    if me.note and edge - at > 6:
        canvas.put(at + 2, y, me.note, me.tone, edge - at - 2)


def draw_buttons(canvas: Canvas, buttons: tuple[Button, ...], left: int, top: int, room: int) -> None:
    """Draw numbered choices, one after another, in as many rows as they need."""
    x, y = left, top
    for button in buttons:
        text = f"▶{button.number} {button.text} " if button.on else f" {button.number} {button.text} "
        if x > left and x + cells(text) > left + room:
            x, y = left, y + 1
        canvas.zones.append(Zone(x, y, cells(text), 1, str(button.number)))
        x = canvas.put(x, y, text, "button.on" if button.on else "button", left + room - x) + 1


def _question(canvas: Canvas, model: TableModel, frame: Frame) -> int:
    """What is asked, or the line that is typed; gives the rows that it takes, three at most."""
    if model.entry is not None:
        draw_entry(canvas, model.entry, 1, frame.question, frame.width - 2)
        return 1
    lines = wrapped(model.question, frame.width - 2)[:3]
    for number, line in enumerate(lines):
        canvas.put(1, frame.question + number, line, model.tone)
    return len(lines)


def draw_entry(canvas: Canvas, entry: Entry, x: int, y: int, room: int) -> None:
    """Draw a line that is being typed, with its cursor; of a long one, the part around the cursor."""
    at = canvas.put(x, y, entry.label + " ", "ask")
    width = room - (at - x)
    text = entry.text + " "
    start = 0
    while cells(text[start : entry.cursor]) > width - 4:
        start += 1
    canvas.fill(at, y, width, 1, "entry")
    end = canvas.put(at, y, text[start : entry.cursor], "entry", width)
    end = canvas.put(end, y, text[entry.cursor], "entry.cursor")
    canvas.put(end, y, text[entry.cursor + 1 :], "entry", max(0, at + width - end))


def _story(canvas: Canvas, model: TableModel, frame: Frame, y: int) -> None:
    """The line of fairness in row `y`, and the log under it or at the right."""
    canvas.put(1, y, model.fair, model.fair_tone, frame.width - 2)
    if frame.log:
        canvas.fill(frame.width, 1, 1, canvas.height - 2, "frame", "│")
        _log(canvas, model.log, frame.width + 2, 1, frame.log - 3, canvas.height - 2)
    else:
        _log(canvas, model.log, 1, y + 1, frame.width - 2, canvas.height - y - 2)


def _log(canvas: Canvas, log: tuple[LogLine, ...], x: int, y: int, width: int, rows: int) -> None:
    """The last lines that fit, the newest at the bottom."""
    shown: list[tuple[str, str, str]] = []
    for line in reversed(log):
        parts = wrapped(line.text, width - 6)
        style = "chat" if line.chat else "text"
        shown = [("" if number else line.time, part, style) for number, part in enumerate(parts)] + shown
        if len(shown) >= rows:
            break
    for number, (time, text, style) in enumerate(shown[-rows:]):
        canvas.put(x, y + number, time, "dim")
        canvas.put(x + 6, y + number, text, style, width - 6)


def _foot(canvas: Canvas, model: TableModel) -> None:
    y = canvas.height - 1
    canvas.fill(0, y, canvas.width, 1, "foot")
    right = canvas.width - 1
    if model.whose_turn:
        right = canvas.put_right(right, y, model.whose_turn, "foot.turn" if model.my_turn else "foot") - 2
    draw_keys(canvas, model.foot, 1, y, right)


def draw_keys(canvas: Canvas, keys: tuple[tuple[str, str], ...], x: int, y: int, right: int) -> None:
    """Draw keys and what they do, as many as fit before the cell `right`."""
    for key, text in keys:
        if x + cells(key) + 1 + cells(text) > right:
            return
        x = canvas.put(x, y, key, "foot.key")
        x = canvas.put(x + 1, y, text, "foot") + 2
