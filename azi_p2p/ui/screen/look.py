"""How the screen looks: themes, deck colours, signs. Names of styles on one side, colours on the other.

Nothing is told by colour alone: what a colour says, a sign, a frame or a word says too, so that the theme without
colours loses nothing. What doesn't belong here: where anything stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Theme = Literal["dark", "light", "contrast", "mono"]
DeckColours = Literal["four", "two"]

THEMES: tuple[Theme, ...] = ("dark", "light", "contrast", "mono")
DECKS: tuple[DeckColours, ...] = ("four", "two")

SUIT_SIGNS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
"""The plain suits, without variation selectors."""


@dataclass(frozen=True, slots=True)
class Look:
    """What a person has chosen. `plain`: ASCII signs only; `bell`: ring on the own turn; `lively`: pause between what
    others do, so that it can be followed."""

    theme: Theme = "dark"
    deck: DeckColours = "four"
    plain: bool = False
    bell: bool = True
    mouse: bool = False
    lively: bool = True


_DARK = {
    "text": "",
    "dim": "#8a8a8a",
    "strong": "bold",
    "head": "bg:#1f4d3a #ffffff",
    "head.strong": "bg:#1f4d3a #ffd75f bold",
    "foot": "bg:#303030 #d0d0d0",
    "foot.key": "bg:#303030 #ffd75f bold",
    "foot.turn": "bg:#303030 #87d787 bold",
    "frame": "#6c6c6c",
    "frame.turn": "#ffd75f bold",
    "name": "bold",
    "name.turn": "#ffd75f bold",
    "chips": "#d7d7af",
    "good": "#87d787",
    "warn": "#ffaf5f bold",
    "bad": "#ff5f5f bold",
    "ask": "bold",
    "button": "bg:#303030 #e4e4e4",
    "button.on": "bg:#ffd75f #000000 bold",
    "entry": "bg:#262626 #ffffff",
    "entry.cursor": "reverse",
    "face": "bg:#f4f1e8 #101010",
    "face.edge": "bg:#f4f1e8 #9a9a90",
    "face.on": "bg:#fff3b0 #a05a00 bold",
    "face.won": "bg:#f4f1e8 #2f7d32 bold",
    "face.off": "bg:#a8a49a #4e4e4e",
    "face.back": "#5f87af",
    "suit.S": "#7a8cff",
    "panel": "bg:#1c1c1c #e4e4e4",
    "panel.frame": "bg:#1c1c1c #ffd75f",
    "panel.title": "bg:#1c1c1c #ffd75f bold",
    "panel.strong": "bg:#1c1c1c #ffffff bold",
    "panel.good": "bg:#1c1c1c #87d787 bold",
    "panel.bad": "bg:#1c1c1c #ff8787 bold",
    "panel.dim": "bg:#1c1c1c #9e9e9e",
    "panel.drawing": "bg:#ffffff #000000",
    "azi": "bg:#5f0000 #ffd75f bold",
    "chat": "#87d7ff",
    "row.on": "bg:#ffd75f #000000 bold",
}

_LIGHT = {
    **_DARK,
    "dim": "#6c6c6c",
    "frame.turn": "#9a4d00 bold",
    "name.turn": "#9a4d00 bold",
    "chips": "#4e4e00",
    "good": "#006b1f",
    "warn": "#9a4d00 bold",
    "bad": "#b00000 bold",
    "button": "bg:#dadada #000000",
    "button.on": "bg:#9a4d00 #ffffff bold",
    "entry": "bg:#eeeeee #000000",
    "foot": "bg:#dadada #303030",
    "foot.key": "bg:#dadada #7a3a00 bold",
    "foot.turn": "bg:#dadada #006b1f bold",
    "face.back": "#005f87",
    "panel": "bg:#f6f6f0 #101010",
    "panel.frame": "bg:#f6f6f0 #7a3a00",
    "panel.title": "bg:#f6f6f0 #7a3a00 bold",
    "panel.strong": "bg:#f6f6f0 #000000 bold",
    "panel.good": "bg:#f6f6f0 #006b1f bold",
    "panel.bad": "bg:#f6f6f0 #b00000 bold",
    "panel.dim": "bg:#f6f6f0 #6c6c6c",
    "chat": "#005f87",
    "row.on": "bg:#9a4d00 #ffffff bold",
}

_CONTRAST = {
    **dict.fromkeys(_DARK, "bg:#000000 #ffffff"),
    "strong": "bg:#000000 #ffffff bold",
    "dim": "bg:#000000 #e4e4e4",
    "head": "bg:#ffffff #000000",
    "head.strong": "bg:#ffffff #000000 bold",
    "foot.key": "bg:#000000 #ffff00 bold",
    "foot.turn": "bg:#000000 #00ff00 bold",
    "frame.turn": "bg:#000000 #ffff00 bold",
    "name.turn": "bg:#000000 #ffff00 bold",
    "good": "bg:#000000 #00ff00",
    "warn": "bg:#000000 #ffff00 bold",
    "bad": "bg:#000000 #ff8080 bold",
    "button.on": "bg:#ffff00 #000000 bold",
    "row.on": "bg:#ffff00 #000000 bold",
    "entry": "bg:#000000 #ffffff underline",
    "entry.cursor": "bg:#ffff00 #000000",
    "face": "bg:#ffffff #000000 bold",
    "face.edge": "bg:#ffffff #000000",
    "face.on": "bg:#ffff00 #000000 bold",
    "face.won": "bg:#ffffff #005000 bold",
    "face.off": "bg:#606060 #ffffff",
    "panel.frame": "bg:#000000 #ffff00",
    "panel.title": "bg:#000000 #ffff00 bold",
    "panel.good": "bg:#000000 #00ff00 bold",
    "panel.bad": "bg:#000000 #ff8080 bold",
    "panel.drawing": "bg:#ffffff #000000",
    "azi": "bg:#ffff00 #000000 bold",
}

_MONO = {
    **dict.fromkeys(_DARK, ""),
    "strong": "bold",
    "head": "reverse",
    "head.strong": "reverse bold",
    "foot": "reverse",
    "foot.key": "reverse bold",
    "foot.turn": "reverse bold",
    "frame.turn": "bold",
    "name": "bold",
    "name.turn": "reverse",
    "warn": "bold",
    "bad": "reverse bold",
    "ask": "bold",
    "button.on": "reverse bold",
    "row.on": "reverse bold",
    "entry": "underline",
    "entry.cursor": "reverse",
    "face.on": "bold",
    "face.won": "bold",
    "panel.title": "bold",
    "panel.strong": "bold",
    "panel.good": "bold",
    "panel.bad": "reverse",
    "panel.drawing": "reverse",
    "azi": "reverse bold",
}

_BASES: dict[Theme, dict[str, str]] = {"dark": _DARK, "light": _LIGHT, "contrast": _CONTRAST, "mono": _MONO}

_FOUR = {"S": "#000000", "H": "#c00000", "D": "#0050c8", "C": "#007030"}
_TWO = {"S": "#000000", "H": "#c00000", "D": "#c00000", "C": "#000000"}
_FOUR_ON_DARK = {"S": "#d0d0d0", "H": "#ff6b6b", "D": "#6fa8ff", "C": "#6fd08c"}
_TWO_ON_DARK = {"S": "#d0d0d0", "H": "#ff6b6b", "D": "#ff6b6b", "C": "#d0d0d0"}


def styles(look: Look) -> dict[str, str]:
    """Every style name that the drawing uses, with its colours as prompt-toolkit writes them."""
    found = dict(_BASES[look.theme])
    on_card = _FOUR if look.deck == "four" else _TWO
    on_page = on_card if look.theme == "light" else _FOUR_ON_DARK if look.deck == "four" else _TWO_ON_DARK
    for suit in "SHDC":
        if look.theme == "mono":
            found |= {f"face.{suit}": "bold", f"face.on.{suit}": "bold", f"suit.{suit}": "bold"}
            continue
        face, chosen = found["face"].split()[0], found["face.on"].split()[0]
        found[f"face.{suit}"] = f"{face} {on_card[suit]} bold"
        found[f"face.on.{suit}"] = f"{chosen} {on_card[suit]} bold"
        found[f"suit.{suit}"] = f"{on_page[suit]} bold"
    return found
