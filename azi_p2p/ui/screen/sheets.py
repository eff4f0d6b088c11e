"""What is written on the sheets over the table: help, log, proofs, menu, standings, questions that must be read.

What doesn't belong here: when they are shown (`control`), and how they are drawn (`panels`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from pathlib import PurePath

from azi_p2p.rules import Phase as RulesPhase
from azi_p2p.session.view import Phase, TableView
from azi_p2p.ui.about import rules_lines, seat_lines
from azi_p2p.ui.ask import why_silent
from azi_p2p.ui.failed import sentence
from azi_p2p.ui.proofs import Place
from azi_p2p.ui.reckon import standings
from azi_p2p.ui.screen.model import LogLine, Panel, Tone
from azi_p2p.ui.screen.story import Sheet, Story
from azi_p2p.ui.words import Words

Line = tuple[Tone, str]


def read_sheet(sheet: Sheet, words: Words) -> Panel:
    """The sheet about the end of a deal, or about something that must be read."""
    return Panel(
        title=sheet.title,
        lines=sheet.lines,
        foot=words.texts.text("screen.sheet_close"),
        low=True,
        banner=sheet.azi,
    )


def help_sheet(view: TableView | None, words: Words, scroll: int) -> Panel:
    """What can be done now, then all keys."""
    texts = words.texts
    lines: list[Line] = [("ask", line) for line in texts.text(f"screen.help.{_situation(view)}").split("\n")]
    lines += [("text", ""), *(("text", line) for line in texts.text("screen.help.keys").split("\n"))]
    return Panel(texts.text("screen.foot.help"), tuple(lines), texts.text("screen.sheet_scroll"), scroll=scroll)


def _situation(view: TableView | None) -> str:
    if view is None or view.phase is Phase.GATHERING:
        return "gathering"
    if not view.legal or view.rules is None:
        return "waiting"
    phase = view.rules.state.phase
    if phase is RulesPhase.PLAYING:
        return "play"
    return "discard" if phase is RulesPhase.DISCARD else "bid"


def log_sheet(log: Sequence[LogLine], words: Words, scroll: int) -> Panel:
    """Everything that happened, the newest at the bottom."""
    lines: list[Line] = [("good" if line.chat else "text", f"{line.time} {line.text}") for line in log]
    texts = words.texts
    return Panel(
        texts.text("screen.foot.log"),
        tuple(lines) or (("dim", texts.text("screen.log_empty")),),
        texts.text("screen.sheet_scroll"),
        scroll=scroll,
        from_end=True,
    )


def proofs_sheet(view: TableView | None, story: Story, words: Words, scroll: int) -> Panel:
    """Each proof of this deal: who made it, how long it took to check, and what it means."""
    texts = words.texts
    lines: list[Line] = []
    if view is None or not view.proofs.shuffles_expected:
        lines.append(("text", texts.text("screen.fair_none")))
    else:
        for place, text in story.proofs.lines(view):
            if place == "heading" and lines:
                lines.append(("text", ""))
            tone, mark = PROOF_MARKS[place]
            lines.append((tone, mark + text))
        lines += [("text", ""), ("dim", texts.text("screen.proof.head", head=view.head.hex()[:16] or "-"))]
    lines.append(("dim", texts.text("screen.proof.verify")))
    return Panel(texts.text("screen.foot.proofs"), tuple(lines), texts.text("screen.sheet_scroll"), scroll=scroll)


PROOF_MARKS: dict[Place, Line] = {
    "heading": ("ask", ""),
    "proof": ("good", "  ✓ "),
    "meaning": ("text", ""),
    "note": ("dim", "  "),
}
"""How each line of the list of proofs is drawn: its tone, and what stands before it."""


def menu_sheet(entries: Sequence[str], picked: int, words: Words) -> Panel:
    """Things to do, numbered; `entries` as `menu_entries` gives them."""
    texts, width = words.texts, len(str(len(entries)))
    lines: list[Line] = [
        ("text", texts.text("screen.menu_line", number=f"{number:{width}}", text=texts.text(f"screen.menu.{entry}")))
        for number, entry in enumerate(entries, start=1)
    ]
    return Panel(texts.text("screen.foot.menu"), tuple(lines), texts.text("screen.sheet_pick"), picked=picked)


def menu_entries(view: TableView | None, *, private: bool, hints: bool, has_result: bool) -> tuple[str, ...]:
    """What the menu offers now."""
    found = ["log", "proofs"] if why_silent(view) else ["talk", "log", "proofs"]
    if hints:
        found.append("hint")
    if has_result:
        found.append("result")
    found.append("seats")
    if not private:
        found.append("address")
    found.append("help")
    if view is not None and view.my_seat is not None and view.phase not in {Phase.GATHERING, Phase.ENDED}:
        away = any(seat.seat == view.my_seat and seat.away for seat in view.seats)
        found.append("return" if away else "sit_out")
        if view.params.rebuy and view.rules is not None and not view.rules.state.chips[view.my_seat]:
            found.append("rebuy")
        found.append("resume" if view.paused else "pause")
        found += ["finish", "leave"]
        if view.unconfirmed is not None:
            found.append("close")
    return (*found, "quit")


def seats_sheet(view: TableView | None, words: Words) -> Panel:
    """Everybody at the table with whole name, key fingerprint and chips, and the rules that are played."""
    lines: list[Line] = []
    if view is not None:
        own = [seat.seat == view.my_seat for seat in view.seats]
        told = zip_longest(own, seat_lines(view, words), fillvalue=False)
        lines += [("ask" if mine else "text", str(line)) for mine, line in told]
        lines += [("text", ""), *(("text", line) for line in rules_lines(view, words))]
    texts = words.texts
    return Panel(texts.text("screen.menu.seats"), tuple(lines), texts.text("screen.sheet_close"))


def address_sheet(addresses: Sequence[str], drawing: Sequence[str], code: str, words: Words) -> Panel:
    """Where others reach this table, to be typed or scanned.

    `drawing`: rows of a QR code, none where there is none; it never has the `code` that a private table asks for.
    """
    texts = words.texts
    lines: list[Line] = [("text", texts.text("screen.address_how"))]
    lines += [("good", f"  azi join {address}") for address in addresses]
    lines += [("ask", texts.text("code.shown", code=code))] if code else []
    return Panel(
        texts.text("screen.menu.address"), tuple(lines), texts.text("screen.sheet_close"), drawing=tuple(drawing)
    )


def end_sheet(
    view: TableView | None, problem: str | None, ledger: str | None, how: str, offer: str, words: Words
) -> Panel:
    """The end of the table: the standings, or why it ended; where the record of the game is; what is offered next.

    `how`: how to find the next table of the same people, as long as none is offered.
    """
    texts = words.texts
    lines: list[Line] = []
    if problem is not None:
        lines.append(("bad", sentence(problem)))
    if view is not None and view.standings:
        for number, line in enumerate(standings(view, words)):
            place = view.standings[number]
            lines.append(("good" if place[1] == view.my_seat else "text", line))
    if ledger is not None:
        # Its name alone: a path that is broken into lines can't be copied, and it is printed whole afterwards.
        lines += [("text", ""), ("dim", texts.text("find.ledger", path=PurePath(ledger).name))]
    if not lines:
        lines.append(("text", texts.text("screen.over")))
    if offer:
        lines += [("text", ""), ("ask", offer)]
    elif how:
        lines += [("text", ""), ("dim", how)]
    title = texts.text("screen.standings" if problem is None else "screen.alert")
    return Panel(title, tuple(lines), texts.text("screen.sheet_again" if offer else "screen.sheet_leave"))
